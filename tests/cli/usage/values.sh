line_csv >data.csv
refused fit data.csv
refused fit data.csv --sparsity
refused fit data.csv --sparsity one
refused fit data.csv --sparsity 1.5
refused fit data.csv --sparsity 99999999999999999999
refused fit data.csv -s 1 --ridge
refused fit data.csv -s 1 --quiet=yes
refused fit data.csv -s 1 --output=
refused fit data.csv -s 1 --intercept=perhaps
refused fit data.csv -s 1 --seed -1
refused fit data.csv -s 1 --effort 10
refused gen random-4-4 --output a.svm --seed -3
refused gen random-4-4 --output a.svm --noise -1
refused gen random-4-4 --output a.svm --noise nan
refused gen random-4-4 --output a.svm --support 0
