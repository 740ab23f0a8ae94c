# A model without any error: nothing is divided by an objective of 0, on the screen or in files.
awk 'BEGIN { print "a,b,c,y"; for (i = 1; i <= 30; i++) print i * 7 % 11 "," i * 5 % 13 "," i % 4 "," 2 * (i * 7 % 11) + 1 }' >data.csv
awk -F, 'NR == 1 { print } NR > 1 { print $1 "," $2 "," $3 "," ($1 > 5 ? 1 : -1) }' data.csv >labels.csv
for loss in l1 quantile epsilon linf l2 squared huber; do
    for method in auto exact spgm-bcd omp; do
        works fit data.csv -s 1 --loss $loss --method $method --polish --verbose --output model.json 2>&1 | grep -i -e nan -e '[^a-z]inf[^a-z]'
    done
    works path data.csv -s 0:3 --loss $loss --verbose --output path.csv 2>&1 | grep -i nan
done
for loss in hinge squared_hinge; do
    works fit labels.csv -s 2 --loss $loss --ridge 0 --verbose --output model.json 2>&1 | grep -i -e nan -e '[^a-z]inf[^a-z]'
    works predict model.json labels.csv --verbose --output p.csv 2>&1 | grep -i nan
done
works cv data.csv -s 0:3 --verbose --output model.json --losses losses.csv 2>&1 | grep -i nan
works compare data.csv -s 1,2 --starts 2 --methods auto,omp,spgm-bcd --verbose --output runs.csv --html page.html 2>&1 | grep -i nan
grep -i -l nan model.json path.csv losses.csv runs.csv
sed 's/<style>.*<\/style>//' page.html | grep -i -e 'nan[^a-z]' | head -n 3
true
