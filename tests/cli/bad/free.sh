line_csv >data.csv
refused fit data.csv -s 1 --free b --output model.json
refused fit data.csv -s 1 --free 0 --output model.json
refused fit data.csv -s 1 --free a,3 --output model.json
refused fit data.csv -s 1 --free 2:1 --output model.json
refused fit data.csv -s 1 --free 1: --output model.json
refused fit data.csv -s 1 --free a,noise,nois --output model.json
printf 'a,a,y\n1,2,3\n2,5,4\n7,1,5\n' >twins.csv
refused fit twins.csv -s 1 --free a --output model.json
works fit twins.csv -s 1 --free 2 --quiet --output model.json
