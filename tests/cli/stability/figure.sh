# The figure names the columns, which stand as far apart as they are numbered; a long name is cut between two letters.
awk 'BEGIN { print "\"größe des hauses in quadratmetern mit keller\",rooms,y"; for (i = 1; i <= 30; i++) print i * 7 % 11 "," i * 5 % 7 "," i * 7 % 11 - 2 * (i * 5 % 7) + i % 2 }' >data.csv
spgm stability data.csv -s 2 --subsamples 4 --bootstrap 5 --effort 1 --output s.json --figure s.svg >/dev/null 2>&1
grep -e 'set xtics rotate' -e 'set xrange' s.svg.gp
# Intervals are of columns in the model: that chart names no others.
works gen random-40-8 --seed 3 --support 2 --noise 2 --output data.svm
works stability data.svm -s 2 --subsamples 10 --bootstrap 5 --effort 1 --output s.json --figure t.svg --quiet
for chart in share bootstrap; do
    sed -n "/^set title '$chart/,/^set xtics rotate/p" t.svg.gp | tail -1 | tr ',' '\n' | grep -c "'"
done | sed '1s/^[3-8]$/more/'
