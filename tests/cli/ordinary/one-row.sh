printf 'a,b,y\n1,2,7\n' >data.csv
works fit data.csv -s 1 --output model.json
near "$(field model.json objective)" 0 1e-2
works fit data.csv -s 2 --no-intercept --output model.json
near "$(field model.json objective)" 0 1e-2
