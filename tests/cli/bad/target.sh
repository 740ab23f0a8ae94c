line_csv >data.csv
small_svm >data.svm
refused fit data.csv -s 1 --target z --output model.json
refused fit data.csv -s 1 --target 0 --output model.json
refused fit data.csv -s 1 --target 4 --output model.json
refused fit data.svm -s 1 --target y --output model.json
refused fit - -s 1 --target - --output model.json
