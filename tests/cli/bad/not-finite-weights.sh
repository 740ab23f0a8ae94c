line_csv >data.csv
printf 'w\n1\nnan\n1\n1\n' >nan.csv
printf '1\n-2\n1\n1\n' >negative.csv
printf '0\n0\n0\n0\n' >zero.csv
refused fit data.csv -s 1 --weights nan.csv --output model.json
refused fit data.csv -s 1 --weights negative.csv --output model.json
refused fit data.csv -s 1 --weights zero.csv --output model.json
