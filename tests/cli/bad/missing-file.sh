refused fit nowhere.csv -s 1
refused info nowhere.svm.gz
refused predict nowhere.json nowhere.csv
line_csv >data.csv
refused fit data.csv -s 1 --weights nowhere.csv
refused fit data.csv -s 1 --target nowhere
refused fit data.csv -s 1 --target nowhere.npy
refused fit data.csv -s 1 --target no/where
refused fit data.csv -s 1 --start nowhere.json
refused fit . -s 1
