printf 'a,y\n1,2\n2,4\n3,6\n4,100\n' >data.csv
works fit data.csv -s 1 --no-intercept --output model.json
near "$(field model.json objective)" 92 1e-3
near "$(list model.json coefficients)" 2 1e-2
works fit data.csv -s 0 --output model.json
