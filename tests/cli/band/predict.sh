# A band in one file: quantiles in order, coverage and width as counted here; own or common columns, any table.
works gen random-120-8 --seed 3 --support 3 --noise 2 --output all.csv
{ head -1 all.csv && sed -n 2,81p all.csv; } >data.csv
{ head -1 all.csv && sed -n '82,$p' all.csv; } >new.csv
for how in '' --common-columns '--calibration split' '--calibration none'; do
    # shellcheck disable=SC2086
    works fit data.csv -s 3 --quantiles 0.1,0.5,0.9 --folds 5 $how --output band.json
    works predict band.json new.csv --output p.csv
    head -1 p.csv
    works predict band.json new.csv --json >quality.json
    tail -n +2 new.csv | awk -F, '{ print $NF }' >target
    tail -n +2 p.csv | paste -d, - target | awk -F, '{
        if ($1 > $2 || $2 > $3) print "crosses"
        inside += $4 >= $1 && $4 <= $3; width += $3 - $1
    } END { printf "%.17g %.17g\n", inside / NR, width / NR }' >counted
    near "$(field quality.json coverage)" "$(cut -d' ' -f1 counted)"
    near "$(field quality.json mean_width)" "$(cut -d' ' -f2 counted)"
    list band.json quantiles
done
works fit data.csv -s 3 --quantiles 0.1,0.5,0.9 --folds 5 --reproducible --threads 1 --output one.json
works fit data.csv -s 3 --quantiles 0.1,0.5,0.9 --folds 5 --reproducible --threads 3 --output three.json
sed 's/"threads": [0-9]*//g' one.json >a && sed 's/"threads": [0-9]*//g' three.json | cmp - a
spgm predict band.json new.csv --output p.csv --verbose 2>&1 | sed 's/[0-9.]* %/N %/; s/width .*/width N/; s/row .*/row N/'
works fit data.csv -s auto --quantiles 0.2,0.8 --folds 5 --output auto.json
grep -c '"chosen"' auto.json
# A gap in a column that only some quantiles use leaves the row without a band.
awk 'BEGIN { print "a,b,y"; for (i = 1; i <= 60; i++) { a = i % 7; b = i % 5 * 10; print a "," b "," a + (i % 3 - 1) * b } }' >own.csv
works fit own.csv -s 1 --quantiles 0.1,0.5,0.9 --folds 5 --output own.json
{ sed -n 1,9p own.csv && echo 3,,4 && echo ,2,4; } >gaps.csv
works predict own.json gaps.csv --missing drop --output p.csv --verbose 2>&1 | grep -e rows -e 'no prediction' -e nan
tail -3 p.csv | grep -c "[0-9]"
