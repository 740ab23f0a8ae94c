# Every method from every start: the rows agree with fit, polished is never above raw, and the columns add up.
works gen random-60-100 --seed 3 --support 5 --noise 1 --output data.svm
spgm compare data.svm -s 3,5 --starts 2 --ridge 0.01 --threads 2 --output runs.csv --html page.html || echo "exit $?"
head -n 1 runs.csv
methods=$(spgm fit --help | sed -n '/^Methods/,/^$/p' | awk '/^  [a-z]/ { print $1 }' | grep -vxE 'polish|exact' | wc -l)
[ "$(($(wc -l <runs.csv) - 1))" = $((methods * 4)) ] || echo "there are $methods methods, but $(wc -l <runs.csv) lines"
awk -F, 'NR > 1 && $13 != "refused" {
    if ($6 > $5 * (1 + 1e-12)) print "polished is above raw:", $0
    if ($10 > $1) print "too many nonzeros:", $0
    if ($11 < 0 || $11 > 1) print "overlap:", $0
    if (!($1 in best) || $6 < best[$1]) { best[$1] = $6; overlap[$1] = $11 }
} END { for (s in best) if (overlap[s] != 1) print "the best model does not overlap itself" }' runs.csv
for method in spgm-bcd spgm-iht omp; do
    works fit data.svm -s 5 --ridge 0.01 --method $method --seed 2 --output model.json
    near "$(awk -F, -v m=$method '$1 == 5 && $2 == m && $3 == 2 { print $5 }' runs.csv)" "$(field model.json objective)" 1e-14
    works fit data.svm -s 5 --ridge 0.01 --method $method --seed 2 --polish --output model.json
    near "$(awk -F, -v m=$method '$1 == 5 && $2 == m && $3 == 2 { print $6 }' runs.csv)" "$(field model.json objective)" 1e-9
done
