line_csv >data.csv
refused fit data.csv -s 1 --free b --output model.json
refused fit data.csv -s 1 --free 0 --output model.json
refused fit data.csv -s 1 --free a,3 --output model.json
refused fit data.csv -s 1 --free 2:1 --output model.json
refused fit data.csv -s 1 --free 1: --output model.json
refused fit data.csv -s 1 --free a,noise,nois --output model.json
