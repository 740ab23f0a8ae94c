# Columns that no line names cost a few bytes each: the largest index may be large, in a process of 700 MB.
ulimit -v 700000
"$SPGM" --version >/dev/null 2>&1 || skip "a sanitizer needs more room"
printf '1 1:1\n2 20000000:1\n0 5:2\n' >wide.svm
for method in auto spgm-bcd; do
    works fit wide.svm -s 1 --no-intercept --method $method --output model.json
    list model.json support
    near "$(list model.json coefficients)" 2 1e-3
    field model.json columns
done
works fit wide.svm -s 20000000 --no-intercept --free 5,7 --output model.json
list model.json support
works fit wide.svm -s 1 --no-intercept --start model.json --output model.json
list model.json support
works fit wide.svm -s 1 --no-intercept --verbose --output model.json 2>&1 | grep '^  20000000'
works path wide.svm -s 1:2 --no-intercept --output path.csv
cut -d, -f1-3 path.csv
works info wide.svm
