# Files that do not belong together.
line_csv >data.csv
printf '1\n2\n3\n' >three.csv
npy A.npy '<f8' False '(2, 2)' 1 2 3 1
refused fit data.csv -s 1 --weights three.csv --output model.json
refused fit A.npy --target three.csv -s 1 --output model.json
refused fit A.npy -s 1 --output model.json
printf 'u,v\n1,2\n3,4\n' >two-columns.csv
refused fit A.npy --target two-columns.csv -s 1 --output model.json
works fit data.csv -s 1 --output model.json
printf 'b,z\n1,2\n' >names.csv
refused predict model.json names.csv
printf '1\n2\n' >narrow.csv
refused predict model.json narrow.csv
small_svm >other.svm
refused fit other.svm -s 1 --start model.json --output second.json
