# What is known about the errors, recomputed here; standard output has only predictions.
works gen random-31-6 --seed 4 --support 2 --output data.csv
works fit data.csv -s 2 --output model.json
spgm predict model.json data.csv --verbose >p.csv 2>summary
sed 's/[0-9][0-9.e+-]*/N/g' summary
paste -d, data.csv p.csv | awk -F, 'NR > 1 { r = $NF - $(NF - 1); print r < 0 ? -r : r }' | sort -g >errors
awk '{ s += $1; q += $1 * $1; e[NR] = $1 } END { print s, s / NR, e[(NR + 1) / 2], e[NR], sqrt(q / NR) }' errors >mine
set -- $(cat mine)
near "$(sed -n 's/,//; s/.* l1 loss *\([^ ]*\) .*/\1/p' summary)" "$1" 1e-5
near "$(sed -n 's/.* mean .error. *//p' summary)" "$2" 1e-5
near "$(sed -n 's/.* median .error. *//p' summary)" "$3" 1e-5
near "$(sed -n 's/.* largest .error. *//p' summary)" "$4" 1e-5
near "$(sed -n 's/.* square *//p' summary)" "$5" 1e-5

# A target that is there but cannot be read is not called missing.
printf 'a;y\n1;2,5\n2;4,5\n3;6,5\n' >comma.csv
works fit comma.csv -s 1 --decimal , --output comma.json
works predict comma.json comma.csv --verbose --output out.csv 2>&1
works predict comma.json comma.csv --decimal , --verbose --output out.csv 2>&1 | head -n 1
cut -d ';' -f 1 comma.csv >bare.csv
works predict comma.json bare.csv --verbose --output out.csv 2>&1
