# Found before the run, not after it.
line_csv >data.csv
mkdir folder
works fit data.csv -s 1 --output model.json
set -- fit data.csv -s 1 $endless
refused "$@" --output nowhere/model.json
refused "$@" --output folder
refused "$@" --output model.json --trace nowhere/trace.csv
refused "$@" --trace model.json --output model.json
refused "$@" --trace -
refused predict model.json data.csv --output nowhere/p.csv
refused gen random-6-5 --output nowhere/a.svm
refused gen random-6-5 --output a.svm --truth nowhere/x.csv
