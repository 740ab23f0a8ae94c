# Names from a file, target and weights from columns, of every format.
works gen random-30-4 --seed 2 --support 2 --output data.csv
printf 'x1\nx2\nx3\nx4\ny\n' >names
awk -F, 'BEGIN { print "%%MatrixMarket matrix array real general\n30 5" } NR > 1 { for (j = 1; j <= 5; j++) a[NR, j] = $j } END { for (j = 1; j <= 5; j++) for (i = 2; i <= 31; i++) print a[i, j] }' data.csv >data.mtx
works fit data.csv -s 2 --loss l1 --output csv.json
works fit data.mtx --names names --target y -s 2 --loss l1 --output mtx.json
works fit data.mtx --target 5 -s 2 --loss l1 --output number.json
for file in csv mtx; do sed '/"seconds"/d; /"date"/d; /"data"/d' $file.json >$file.kept; done
cmp csv.kept mtx.kept
near "$(field number.json objective)" "$(field csv.json objective)"
refused fit data.mtx --names names --target z -s 1
refused fit data.mtx --target 6 -s 1
head -n 3 names >few && refused fit data.mtx --names few --target 1 -s 1
refused fit data.csv --names names -s 1

# A weight of 2 is the row twice.
awk -F, -v OFS=, 'NR == 1 { print $0, "w" } NR > 1 { print $0, NR % 3 ? 1 : 2 }' data.csv >weighted.csv
awk -F, -v OFS=, 'NR == 1 || NR % 3 { print } NR > 1 && NR % 3 == 0 { print; print }' data.csv >twice.csv
awk -F, 'NR > 1 { print $6 }' weighted.csv >w.csv
works fit weighted.csv --target 5 --weights w -s 2 --loss l1 --output weights.json
works fit twice.csv -s 2 --loss l1 --output twice.json
works fit data.csv --weights w.csv -s 2 --loss l1 --output file.json
near "$(field weights.json objective)" "$(field twice.json objective)"
near "$(field weights.json objective)" "$(field file.json objective)"
refused fit weighted.csv --target w --weights w -s 1
refused fit weighted.csv --target 5 --weights v -s 1
