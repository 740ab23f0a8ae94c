# Labels that are words.
awk 'BEGIN { print "a,b,answer"; for (i = 1; i <= 40; i++) print i * 7 % 11 "," i * 5 % 13 "," (i * 7 % 11 > 5 ? "yes" : "no") }' >data.csv
works fit data.csv -s 1 --loss hinge --output model.json
list model.json label_names
spgm predict model.json data.csv | awk -F, 'NR > 1 { print $2 }' | sort | uniq -c | tr -s ' '
spgm predict model.json data.csv --json | sed '/"model"/d; /loss/d'
spgm predict model.json data.csv --verbose --output p.csv 2>&1 | sed '/loss/d'
refused fit data.csv -s 1 --loss l1 --output none.json
