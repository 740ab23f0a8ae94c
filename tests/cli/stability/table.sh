# The table and the file say the same; two columns carry the target and are always selected.
awk 'BEGIN { print "a,b,c,d,y"; s = 1
    for (i = 0; i < 40; i++) {
        for (j = 0; j < 5; j++) { s = (s * 16807) % 2147483647; x[j] = s / 2147483647 - 0.5 }
        printf "%.6f,%.6f,%.6f,%.6f,%.6f\n", x[0], x[1], x[2], x[3], 3 * x[0] - 2 * x[2] + 0.1 * x[4]
    } }' >data.csv
spgm stability data.csv -s 2 --subsamples 10 --bootstrap 20 --verbose --output s.json --figure s.svg 2>&1 | grep -v gnuplot |
    sed -E 's/-?[0-9.]+ to -?[0-9.]+ */LOW to HIGH/; s/(%  +)-?[0-9.]+/\1X/; s/objective  .*/objective/'
ls | sed 's/s.svg$//' | grep -v '^$'
grep -c 'yerrorbars' s.svg.gp
field s.json stable
field s.json expected_false
works stability data.csv -s 2 --subsamples 0 --bootstrap 5 | grep -c '"frequency": null'
works stability data.csv -s 2 --subsamples 4 --bootstrap 0 --independent | grep -E '"(pairs|halves|bootstraps|expected_false_unimodal)"'
