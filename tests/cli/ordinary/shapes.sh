# m far below n, and far above.
works gen random-5-2000 --seed 3 --output wide.svm
works gen random-3000-4 --seed 3 --support 2 --output tall.csv
for data in wide.svm tall.csv; do
    works fit $data -s 3 --output model.json
    set -- $(list model.json support)
    [ $# -le 3 ] || echo "$# nonzeros in $data"
done
