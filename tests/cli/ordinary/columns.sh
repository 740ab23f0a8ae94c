# Zero, duplicate and constant columns among good ones.
printf 'zero,a,twin,one,y\n0,1,1,1,2\n0,2,2,1,4\n0,3,3,1,6\n0,4,4,1,8\n' >data.csv
for s in 0 1 2 3 4; do
    works fit data.csv -s $s --output model.json
    [ $s = 0 ] || near "$(field model.json objective)" 0 1e-2
    for j in $(list model.json support); do
        [ "$j" != 0 ] || echo "a zero column was chosen at s = $s"
    done
done
# nothing but zeros
printf '3 1:0 4:0\n5 2:0\n' >zeros.svm
works fit zeros.svm -s 2 --output model.json
near "$(field model.json objective)" 2 1e-3
echo "support: $(list model.json support)"
