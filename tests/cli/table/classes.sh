# More than two labels: a model for each against the rest, in one file.
awk 'BEGIN { print "a,b,noise,kind"; for (i = 1; i <= 60; i++) { k = i % 3; print (k == 0) * 5 + i % 7 / 10 "," (k == 1) * 5 + i % 5 / 10 "," i * 11 % 13 "," (k == 0 ? "apple" : k == 1 ? "pear" : "plum") } }' >data.csv
works fit data.csv -s 2 --loss hinge --ridge 0.1 --output model.json
list model.json class_names
spgm predict model.json data.csv | awk -F, 'NR == 1 || NR < 5 { print $2 }'
works predict model.json data.csv --output whole.csv
spgm predict model.json data.csv --json | sed '/"model"/d'
spgm predict model.json data.csv --verbose --output p.csv 2>&1
spgm fit data.csv -s 2 --loss hinge --ridge 0.1 --verbose --output model.json 2>&1 | grep -c against
# Numbers as labels, in a file without names.
works gen random-40-6 --seed 1 --output base.svm
awk '{ $1 = NR % 4 * 10; print }' base.svm >labels.svm
works fit labels.svm -s 6 --loss logistic --ridge 0.1 --output svm.json
list svm.json classes
spgm predict svm.json labels.svm | awk -F, 'NR > 1 && $2 % 10 { print "no label:", $2 } END { print NR, $0 != "" }'
spgm predict svm.json - <labels.svm | awk 'END { print NR }'
works predict model.json - <data.csv | cmp - whole.csv
refused fit data.csv -s 1 --loss hinge --trace trace.csv --output none.json
# A target that is no label at all.
refused fit base.svm -s 1 --loss hinge --output none.json
