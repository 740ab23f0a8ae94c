printf 'a,b,y\n1,2,3\n4,NaN,6\n' >value.csv
printf 'a,b,y\n1,2,3\n4,5,-inf\n' >target.csv
printf '1,2,4\n4,5,infinity\n' >plain.csv
refused fit value.csv -s 1 --output model.json
refused fit target.csv -s 1 --output model.json
refused fit plain.csv -s 1 --output model.json
