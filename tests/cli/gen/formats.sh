# The same instance in every format reads back as the same numbers; sparse and dense sums may differ in the last digits.
for name in a.svm a.csv a.svm.gz a.csv.bz2 a.libsvm.xz a.txt.zst; do
    works gen random-9-5 --seed 3 --output $name
done
works gen random-9-5 --seed 3 --output A.npy --target-output b.npy
works gen random-9-5 --seed 3 --output A.mtx --target-output b.csv
fit() {
    works fit "$@" -s 2 --output model.json
    list model.json support
    list model.json coefficients | tr ', ' '\n\n' | awk 'NF { printf "%.9g\n", $1 }'
}
fit a.svm >seen
for name in a.csv a.svm.gz a.csv.bz2 a.libsvm.xz a.txt.zst; do
    fit $name | cmp - seen
done
fit A.npy --target b.npy | cmp - seen
fit A.mtx --target b.csv | cmp - seen
test -s seen
