# Unknown options, with the nearest known one.
line_csv >data.csv
refused fit data.csv --sparsty 1
refused fit data.csv -s 1 --timelimit 3
refused fit data.csv -s 1 --max-iter 3
refused fit data.csv -s 1 --standardise
refused fit data.csv -s 1 --no-ridge
refused fit data.csv -s 1 --xyzzy 3
refused fit data.csv -z 3
refused predict --sparsity 3 a b
refused gen random-4-4 --out a
