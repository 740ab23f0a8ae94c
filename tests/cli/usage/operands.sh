refused fit
refused fit --sparsity 3
refused fit a.csv b.csv -s 1
refused predict model.json
refused gen
refused info
