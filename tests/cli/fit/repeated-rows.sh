# A row that is there twice and a row of weight 2 are the same problem: the same model, to the last digit.
works gen random-30-12 --seed 4 --support 3 --noise 1 --output once.csv
awk 'NR == 1 { print; next } { print; if (NR % 3 == 0) print }' once.csv >twice.csv
awk 'NR > 1 { print NR % 3 == 0 ? 2 : 1 }' once.csv >weights.csv
works fit once.csv -s 3 --weights weights.csv --output weighted.json
works fit twice.csv -s 3 --output repeated.json
for key in support coefficients; do
    [ "$(list weighted.json $key)" = "$(list repeated.json $key)" ] || echo "$key differ"
done
near "$(field weighted.json objective)" "$(field repeated.json objective)" 1e-12
works fit once.csv -s 3 --output once.json
[ "$(list once.json coefficients)" != "$(list repeated.json coefficients)" ] || echo "the weights say nothing"
