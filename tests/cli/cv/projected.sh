# --loss auto: few columns for the mean of models, unless a rule or a restriction is given; table, model file, predict and check say what it is.
works gen random-$(share 120-12 60-8) --seed 7 --support 4 --noise 2 --output data.svm
spgm cv data.svm --folds 5 --loss auto --verbose --json --output model.json --figure cv.svg 2>table.txt >table.json || echo "cv --loss auto fails"
sed -n '/^  chosen/,/^  loss/p' table.txt | sed 's/[0-9][0-9.e+-]*/N/g'
grep -o 'and the losses [^"]*' model.json
for key in loss ridge ridge_scale rule; do
    echo "$key $(field model.json $key)"
done
# The s of the table is that of the model, and no more columns than that are in it.
s=$(sed -n 's/^  chosen  *s = \([0-9]*\):.*/\1/p' table.txt)
[ "$s" = "$(field model.json sparsity)" ] || echo "s of the table is not that of the model"
grep -q "chosen, projected: s = $s'" cv.svg.gp || echo "the figure has another s than the table"
spgm predict model.json data.svm --verbose 2>&1 >/dev/null | grep 'the model'
spgm check model.json data.svm | grep 'projected'
# The same bits whatever the number of threads.
for threads in $(share 3 ""); do
    works cv data.svm --folds 5 --loss auto --rule projected --threads $threads --reproducible --output same.json
    [ "$(list same.json coefficients)" = "$(list model.json coefficients)" ] || echo "coefficients depend on threads, or on asking for the rule"
done
works cv data.svm --folds 5 --loss auto --nonnegative --output bounded.json
grep -o 'squared: [^"]*' bounded.json
grep -o '"chosen": .*' table.json | sed 's/[0-9][0-9]*/N/'
refused cv data.svm --rule projected
refused fit data.svm -s 2 --rule projected
refused cv data.svm --loss auto --nonnegative --rule projected
# The table is of the models that were cross-validated, not of the squares that stand for their mean.
sed -n 2p table.txt | sed 's/[0-9][0-9.e+-]*/N/g'
