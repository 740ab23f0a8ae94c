# Folds and the methods of compare hold no array over columns that no line names, but for a few: in a process of 700 MB.
ulimit -v 700000
"$SPGM" --version >/dev/null 2>&1 || skip "a sanitizer needs more room"
for i in 1 2 3 4 5 6; do
    printf '1 1:1\n2 20000000:%s\n0 5:2\n' "0.9$i"
done >wide.svm
works cv wide.svm -s 1,2 --folds 3 --no-intercept --threads 2 --output model.json
list model.json support
works cv wide.svm --folds 3 --no-intercept --threads 2 --output model.json
list model.json support
works compare wide.svm -s 1 --methods auto,spgm-bcd,omp --starts 2 --no-intercept --threads 1 --output runs.csv
wc -l <runs.csv
