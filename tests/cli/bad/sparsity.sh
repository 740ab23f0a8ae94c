line_csv >data.csv
refused fit data.csv --sparsity -1 --output model.json
refused fit data.csv --sparsity 3 --output model.json
refused fit data.csv --sparsity=-9223372036854775808 --output model.json
