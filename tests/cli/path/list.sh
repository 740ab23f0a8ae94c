# A line for every s of the list, ascending; F never rises; nonzeros are at most s; the criteria are there.
works gen random-60-40 --seed 2 --support 5 --noise 1 --output data.svm
spgm path data.svm --sparsity 7,0:3,5 --ridge 0.01 --output path.csv || echo "exit $?"
head -n 1 path.csv
cut -d, -f1 path.csv | tr '\n' ' ' && echo
awk -F, 'NR > 1 {
    if (NR > 2 && $3 > last) print "F rises at s =", $1
    if ($2 > $1) print "too many nonzeros at s =", $1
    if ($7 == "" || $8 < $7 || $11 !~ /^(optimal|local_optimum|searched)$/) print "line:", $0
    d = $4 + $5 - $3; if (d > 1e-9 || d < -1e-9) print "loss + smooth is not F:", $0
    last = $3
}' path.csv
spgm path data.svm -s 0,1,2,3,5,7 --ridge 0.01 | cut -d, -f1-11 >again.csv
cut -d, -f1-11 path.csv | cmp - again.csv
