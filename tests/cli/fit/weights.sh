# A row of weight 0 is no row; weight 2 counts twice.
printf 'a,y\n1,2\n2,4\n3,6\n4,100\n' >data.csv
printf '1\n1\n1\n0\n' >w.csv
works fit data.csv -s 1 --no-intercept --weights w.csv --output model.json
near "$(field model.json objective)" 0 1e-2
printf '1\n1\n1\n2\n' >w.csv
works fit data.csv -s 0 --no-intercept --weights w.csv --output model.json
near "$(field model.json objective)" 212
