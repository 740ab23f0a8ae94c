line_csv >data.csv
small_svm >data.svm
refused fit data.csv -s 1 --target z --output model.json
refused fit data.csv -s 1 --target 0 --output model.json
refused fit data.csv -s 1 --target 4 --output model.json
refused fit data.svm -s 1 --target y --output model.json
refused fit - -s 1 --target - --output model.json

# A target that will not do: excluding it is no way out, another target is.
printf 'a,b,day\n1,2,2024-01-01\n2,1,2024-01-02\n3,5,2024-01-03\n' >dated.csv
refused fit dated.csv -s 1
refused info dated.csv
refused fit dated.csv -s 1 --exclude day
refused info dated.csv --exclude 'd*'
refused fit dated.csv -s 1 --text day
works fit dated.csv -s 1 --target b --exclude day --output model.json
printf 'a,b,y\n1,2,1\n2,1,low\n3,5,3\n' >mixed.csv
refused fit mixed.csv -s 1
refused fit mixed.csv -s 1 --loss hinge
printf 'y\n1\n2\n3\n' >alone.csv
refused fit alone.csv -s 1 --exclude 1
