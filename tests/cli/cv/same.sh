# Folds come from the seed; the losses are the same bytes for any number of threads.
works gen random-60-15 --seed 4 --support 3 --noise 0.5 --output data.svm
for threads in 1 2 3; do
    works cv data.svm -s 1:4 --folds 4 --ridge 0 --effort 2 --threads $threads --output model.json --losses losses$threads.csv
done
cmp losses1.csv losses2.csv
cmp losses1.csv losses3.csv
works cv data.svm -s 1:4 --folds 4 --ridge 0 --effort 2 --seed 2 --output model.json --losses other.csv
cmp -s losses1.csv other.csv && echo "another seed draws the same folds"
works cv data.svm --folds 4 --output model.json --losses default.csv
cut -d, -f1 default.csv | tr '\n' ' ' && echo
