# Every method runs, and repeats itself to the last bit for any number of threads.
works gen random-30-50 --seed 2 --support 3 --output data.svm
for method in $(spgm fit --help | sed -n '/^Methods/,/^When/p' | sed -n 's/^  \([a-z0-9-]*\)  .*/\1/p'); do
    for threads in 1 2 3; do
        works fit data.svm -s 3 --ridge 0.01 --method $method --threads $threads --output model.json
        sed '/"seconds"/d; /"threads"/d' model.json >$method-$threads
    done
    cmp $method-1 $method-2 && cmp $method-1 $method-3
    [ "$(list model.json support | wc -w)" -le 3 ] || echo "$method: too many nonzeros"
    tested="$tested $method"
done
case $tested in *auto*spgm-bcd*spgm-iht*) ;; *) echo "only$tested were tested" ;; esac
