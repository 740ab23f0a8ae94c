# The same numbers in every format, plain and compressed, from a file and from standard input: the same model.
line_csv >data.csv
printf '3 1:1 2:3\n5 1:2 2:-1\n7 1:3 2:4\n9 1:4 2:-1\n' >data.svm
printf '%%%%MatrixMarket matrix array real general\n4 2\n1\n2\n3\n4\n3\n-1\n4\n-1\n' >A.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n%% a comment\n4 2 8\n1 1 1\n2 1 2\n3 1 3\n4 1 4\n1 2 3\n2 2 -1\n3 2 4\n4 2 -1\n' >B.mtx
printf 'y\n3\n5\n7\n9\n' >y.csv
printf '%%%%MatrixMarket matrix array real general\n4 1\n3\n5\n7\n9\n' >y.mtx
fit() {
    works fit "$@" -s 1 --ridge 0.1 --output model.json
    echo "$(list model.json support)  $(list model.json coefficients)  $(field model.json intercept)" >>seen
}
fit data.csv
fit data.svm
fit A.mtx --target y.csv
fit B.mtx --target y.csv
fit A.mtx --target y.mtx
cat data.svm | fit -
cat data.csv | fit -
cat A.mtx | fit - --target y.csv
cat y.csv | fit A.mtx --target -
for tool in gzip:gz bzip2:bz2 xz:xz zstd:zst; do
    command -v ${tool%:*} >/dev/null || skip "${tool%:*} is not here"
    for file in data.csv data.svm A.mtx y.csv; do
        ${tool%:*} -c $file >$file.${tool#*:} 2>/dev/null
    done
    fit data.csv.${tool#*:}
    fit data.svm.${tool#*:}
    fit A.mtx.${tool#*:} --target y.csv.${tool#*:}
    cat data.svm.${tool#*:} | fit -
done
wc -l <seen
awk '{ print $1, NF; for (k = 2; k <= 3; k++) { d = $k - first[k]; if (NR == 1) first[k] = $k; else if (d > 1e-9 || d < -1e-9) print "differs: " $0 } }' seen | sort -u
