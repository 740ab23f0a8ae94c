# The logistic loss also says how probable the larger label is; a score above 0 is a probability above one half.
printf 'a,b,y\n1,1,3\n2,0,3\n3,1,7\n4,0,7\n2.5,1,7\n2.6,0,3\n' >labels.csv
works fit labels.csv -s 1 --loss logistic --ridge 0.1 --output model.json
works predict model.json labels.csv --output p.csv
head -1 p.csv
awk -F, 'NR > 1 { p = 1 / (1 + exp(-$1)); d = p - $3; if (d < 0) d = -d; print (d < 1e-12) ? "agrees" : "differs", ($3 > 0.5) == ($2 == 7) }' p.csv | sort | uniq -c | tr -s ' '
