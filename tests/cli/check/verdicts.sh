# The optimum passes, a greedy model is improved by the columns that are named, one beside its fit is not basic.
works gen random-60-20 --seed 3 --support 5 --noise 2 --output data.csv
works fit data.csv -s 4 --method exact --output best.json
works fit data.csv -s 4 --method omp --output greedy.json
works fit data.csv -s 4 --method spgm-iht --no-polish --output raw.json
for model in best greedy raw; do
    spgm check $model.json data.csv --block 4 | sed "s/proven to .*/proven/"
done
spgm check greedy.json data.csv --json | sed -E "s/(\.[0-9]{5})[0-9]*/\1/g"
spgm check best.json data.csv --mu 5 | grep Lipschitz
