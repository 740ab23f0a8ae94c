# Every loss and every alias of it gives the same model.
line_csv >data.csv
printf 'a,b,y\n1,1,-1\n2,0,-1\n3,1,1\n4,0,1\n' >labels.csv
spgm fit --help | sed -n '/^Losses/,/^Methods/p' | tr '\n' ' ' | tr -s ' ' | sed 's/) /)\n/g' | sed -n 's/.*(also called \([^)]*\)).*/\1/p' | tr -d ',' >aliases
spgm fit --help | sed -n '/^Losses/,/^Methods/p' | sed -n 's/^  \([a-z0-9_]*\)\(  .*\)*$/\1/p' >losses
for loss in $(cat losses aliases); do
    data=data.csv
    case $loss in *hinge* | log*) data=labels.csv ;; esac
    works fit $data -s 1 --loss $loss --output model.json
    name=$(field model.json loss)
    grep -qx "$name" losses || echo "$loss became $name"
    case $loss in lad) [ "$name" = l1 ] || echo "lad is $name" ;; chebyshev) [ "$name" = linf ] || echo "chebyshev is $name" ;; esac
done
[ "$(wc -l <losses)" -ge 6 ] && [ "$(wc -w <aliases)" -ge 6 ] || echo "the losses were not found in the help"
