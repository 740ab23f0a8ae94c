# One sentence each; nothing is run or written.
works gen random-20-4 --seed 1 --support 2 --noise 1 --output data.csv
works fit data.csv -s 1 --output model.json
works fit data.csv -s 1 --quantiles 0.4,0.6 --folds 4 --output band.json
refused fit data.csv -s 1 --quantiles 0.9,0.1
refused fit data.csv -s 1 --quantiles 0.1,x
refused fit data.csv -s 1 --quantiles ,
refused fit data.csv -s 1 --quantiles 0.1,0.9 --loss hinge
refused fit data.csv -s 1 --quantiles 0.1,0.9 --loss l1
refused fit data.csv -s 1 --quantiles 0.1,0.9 --trace t.csv --output m.json
refused fit data.csv -s 1 --quantiles 0.01,0.99
refused fit data.csv -s 1 --quantiles 0.1,0.9 --calibration guess
refused fit data.csv -s 1 --quantiles 0.1,0.9 --figure band
refused fit data.csv -s 1 --common-columns
refused predict model.json data.csv --figure p.svg
refused check band.json data.csv
sed 's/"shifts": \[[^]]*\]/"shifts": [1]/' band.json >bad.json
refused predict bad.json data.csv
sed 's/"quantiles": \[[^]]*\]/"quantiles": [0.6, 0.4]/' band.json >bad.json
refused predict bad.json data.csv
