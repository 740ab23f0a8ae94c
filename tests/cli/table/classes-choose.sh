# More than two labels: path, cv, compare and fit --sparsity auto take a model for each against the rest.
awk 'BEGIN { print "a,b,noise,place,kind"; for (i = 1; i <= 90; i++) { k = i % 3; print (k == 0) * 2 + i * 7 % 11 / 4 "," (k == 1) * 2 + i * 5 % 13 / 5 "," i * 11 % 17 "," (i % 4 ? "town" : "\"coast, north\"") "," (k == 0 ? "apple" : k == 1 ? "pear" : "\"plum, red\"") } }' >data.csv
works cv data.csv --loss hinge -s 0:4 --folds 5 --output model.json --losses losses.csv
list model.json class_names
best=$(awk -F, '$5 ~ /min/ { print $1 }' losses.csv)
ridge="--ridge-scale deviation --ridge $(awk -F, '$5 ~ /min/ { print $2 }' losses.csv)"
[ "$(field model.json sparsity)" = "$best" ] || echo "another s"
awk -F, 'NR > 1 { sum = 0; for (k = 6; k <= 10; k++) sum += $k / 5; d = sum - $3; if (d * d > 1e-20) print "does not add up" }' losses.csv
works fit data.csv --loss hinge -s "$best" $ridge --output fit.json
for key in objective coefficients support; do
    [ "$(grep -o "\"$key\": [^,]*" model.json)" = "$(grep -o "\"$key\": [^,]*" fit.json)" ] || echo "$key differs from that of fit"
done
# The table is read once, also from a pipe and with a category that not every label uses.
works predict model.json data.csv --output whole.csv
works predict model.json - <data.csv | cmp - whole.csv
spgm cv data.csv --loss hinge -s 1:2 --folds 3 --ridge 1,4 --verbose --output model.json 2>&1 | sed -n 3,6p
works path data.csv --loss hinge -s 1:3 --output path.csv
awk -F, 'NR == 1 { print $1, $2 } NR > 1 { print (NF > 13 ? $1 "," $2 : $1) }' path.csv | uniq -c | sed 's/^ *//'
works path data.csv --loss hinge -s "$best" $ridge --output path.json
[ "$(grep -c '"label"' path.json)" = 3 ] || echo "not three paths"
awk -F'"objective": ' '/"objective"/ { split($2, part, ","); print part[1] }' path.json >one
grep -o '"objective": [^,]*' fit.json | sed 's/.*: //' >two
paste one two | awk '{ d = ($1 - $2) / $2; if (d * d > 1e-12) print "F differs:", $0 }'
works compare data.csv --loss hinge -s "$best" $ridge --methods auto,omp --starts 1 --output runs.csv --html page.html
awk -F, -v s="$(awk '{ s += $1 } END { printf "%.17g", s }' two)" 'NR == 2 { d = ($5 - s) / s; print $2, d * d < 1e-12 }' runs.csv
works fit data.csv --loss hinge -s auto --criterion ebic --output auto.json
works fit data.csv --loss hinge -s auto --criterion cv --folds 5 --seed 1 --output auto.json
