# The target by name, by number, as the last column, and from a file.
printf 'y,a,noise\n3,1,3\n5,2,-1\n7,3,4\n9,4,-1\n' >first.csv
line_csv >last.csv
printf 'a,noise\n1,3\n2,-1\n3,4\n4,-1\n' >A.csv
printf 'y\n3\n5\n7\n9\n' >y.csv
fit() {
    works fit "$@" -s 1 --output model.json
    echo "$(list model.json names) $(list model.json coefficients)"
}
fit first.csv --target y >by-name
fit first.csv --target 1 >by-number
fit last.csv >last
fit A.csv --target y.csv >file
cmp by-name by-number && cmp by-name last && cmp by-name file
sed 's/ .*//' by-name
