# The lowest mean is chosen, the model is that of fit with this s, and the losses add up.
works gen random-80-20 --seed 4 --support 4 --noise 0.5 --output data.svm
spgm cv data.svm --sparsity 0:8 --folds 5 --ridge 0.01 --effort 3 --output model.json --losses losses.csv || echo "exit $?"
head -n 1 losses.csv
best=$(awk -F, 'NR > 1 { if (NR == 2 || $3 < low) { low = $3; s = $1 } } END { print s }' losses.csv)
[ "$(field model.json sparsity)" = "$best" ] || echo "s = $(field model.json sparsity), not $best"
[ "$(awk -F, '$5 ~ /min/ { print $1 }' losses.csv)" = "$best" ] || echo "another line is marked"
awk -F, 'NR > 1 {
    sum = 0; for (k = 6; k <= 10; k++) sum += $k
    ss = 0; for (k = 6; k <= 10; k++) ss += ($k - sum / 5) ^ 2
    d = sum / 5 - $3; e = sqrt(ss / 4 / 5) - $4
    if (NF != 10 || d * d > 1e-20 || e * e > 1e-20) print "does not add up:", $0
}' losses.csv
works fit data.svm -s "$best" --ridge 0.01 --effort 3 --output fit.json
for key in objective support coefficients; do
    [ "$(list model.json $key)$(field model.json $key)" = "$(list fit.json $key)$(field fit.json $key)" ] ||
        echo "$key differs from that of fit"
done
works cv data.svm --sparsity 0:8 --folds 5 --ridge 0.01 --effort 3 --rule 1se --output simple.json --losses losses.json
simple=$(awk -F, '$5 ~ /1se/ { print $1 }' losses.csv)
[ "$(field simple.json sparsity)" = "$simple" ] || echo "1se takes $(field simple.json sparsity), not $simple"
grep -q "\"chosen\": {\"sparsity\": $simple, \"ridge\": 0.01}" losses.json || echo "the JSON says $(grep chosen losses.json)"
