# Nothing replaces what it is made from, under no other name either.
line_csv >data.csv
ln data.csv same.csv
works fit data.csv -s 1 --output model.json
refused fit data.csv -s 1 --output data.csv
refused fit data.csv -s 1 --output same.csv
refused fit data.csv -s 1 --output model2.json --trace data.csv
refused predict model.json data.csv --output data.csv
refused predict model.json data.csv --output model.json
small_svm >from.svm
refused gen e2006-2-2 --from from.svm --output from.svm
works fit data.csv -s 1 --start model.json --output model.json
