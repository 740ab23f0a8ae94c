# Every method runs, and repeats itself to the last bit for any number of threads, also where products are large enough to
# wake them (four million multiplications; tests/property has every method with woken threads).
works gen random-30-50 --seed 2 --support 3 --output data.svm
for method in $(spgm fit --help | sed -n '/^Methods/,/^When/p' | sed -n 's/^  \([a-z0-9-]*\)  .*/\1/p'); do
    for threads in $(share "1 2 3" "1 3"); do
        works fit data.svm -s 3 --ridge 0.01 --method $method --threads $threads --output model.json
        sed '/"seconds"/d; /"date"/d; /"data"/d; /"threads"/d' model.json >$method-$threads
    done
    for file in "$method"-[23]; do
        cmp "$method-1" "$file"
    done
    [ "$(list model.json support | wc -w)" -le 3 ] || echo "$method: too many nonzeros"
    tested="$tested $method"
done
works gen random-2100-2001 --seed 2 --support 3 --output A.npy --target-output b.npy
for threads in 1 3; do
    works fit A.npy --target b.npy -s 3 --method spgm-iht --max-iterations 3 --threads $threads --output model.json
    sed '/"seconds"/d; /"date"/d; /"data"/d; /"threads"/d' model.json >large-$threads
done
cmp large-1 large-3
case $tested in *auto*spgm-bcd*spgm-iht*) ;; *) echo "only$tested were tested" ;; esac
