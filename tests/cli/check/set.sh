# The feasible set is that of the model: free columns, bounds, groups; labels and weights as in fit.
works gen random-40-12 --seed 5 --support 4 --noise 1 --output data.csv
printf 'group\n' >g.csv
for g in 0 0 1 1 2 2 3 3 -1 -1 -1 -1; do echo $g; done >>g.csv
works fit data.csv -s 3 --method exact --groups g.csv --free x12 --output groups.json
works fit data.csv -s 3 --method exact --lower -0.3 --upper 0.3 --ridge 0.1 --loss quantile --quantile 0.7 --output bounds.json
works fit data.csv -s 2 --method exact --nonnegative --loss linf --output positive.json
for model in groups bounds positive; do
    spgm check $model.json data.csv | sed "1d; s/proven to .*/proven/"
done
refused check groups.json data.csv --block 9
refused check groups.json data.csv --exclude x3
refused check data.csv groups.json
