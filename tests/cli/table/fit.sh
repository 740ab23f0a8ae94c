# Text, gaps and what is left out: the model is that of the encoded table, and takes the raw one.
houses >houses.csv
refused fit houses.csv -s 2 --output model.json
refused fit houses.csv -s 2 --exclude sold --output model.json
refused fit houses.csv -s 2 --exclude sold,owner --output model.json
spgm fit houses.csv -s 2 --exclude 'sold,own*,1' --missing drop --loss l1 --verbose --output model.json 2>&1 | sed '/time/,$d; s/[0-9.]*e-1[0-9]/0/g'
field model.json missing
list model.json names
works predict model.json houses.csv --output p.csv --missing drop
awk 'FNR == NR { p[FNR] = $1; next } FNR > 1 && $5 != "NA" && $3 != "" { d = p[FNR] - $7; if (d * d > 1e-12) print "wrong:", $0 } FNR > 1 && ($5 == "NA" || $3 == "") && p[FNR] != "" { print "a prediction of a gap:", $0 }' p.csv FS=, houses.csv
refused predict model.json houses.csv --output q.csv

# Gaps become medians, for new rows as for old ones.
works fit houses.csv -s 2 --only Region,rooms --missing median --loss l1 --output model.json
printf 'rooms,price,Region,owner\n2,,South,me\n,,West,you\n' >new.csv
works predict model.json new.csv
printf 'rooms,Region\n2,East\n' >new.csv
refused predict model.json new.csv
printf 'rooms,Region\n2,East\n2,West\n4,Eest\n4,East\n' >new.csv
spgm predict model.json new.csv --missing drop --verbose --output p.csv 2>&1
works predict model.json new.csv --missing drop --json | grep -e unseen -e predicted
printf 'Region\nSouth\n' >new.csv
refused predict model.json new.csv

# Every level, levels as one group, numbers as levels.
works fit houses.csv -s 1 --only Region --missing drop --categories full --no-intercept --groups categories --output model.json
list model.json names
field model.json units
works fit houses.csv -s 3 --only rooms --missing drop --text rooms --output model.json
list model.json names
works fit houses.csv -s 1 --only Region,rooms --missing drop --free Region --output model.json
list model.json names
refused fit houses.csv -s 1 --only rooms --missing drop --free Region --output none.json
refused fit houses.csv -s 1 --only rooms --missing drop --groups categories --output none.json
refused fit houses.csv -s 1 --only kitchen --output none.json
refused fit houses.csv -s 1 --missing maybe --output none.json
