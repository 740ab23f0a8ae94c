# --loss auto: three losses on the same folds, all judged by the absolute error; huber unless another is clearly lower; the model is that of fit.
works gen random-$(share 120-12 60-8) --seed 7 --support 4 --noise 2 --output data.svm
works cv data.svm --folds 5 --losses l1.csv --output l1.json
spgm cv data.svm --folds 5 --loss auto --rule min --verbose --losses auto.csv --output model.json 2>table.txt || echo "cv --loss auto fails"
lowest() {
    awk -F, 'NR > 1 && (low == "" || $3 < low) { low = $3 } END { printf "%.6g\n", low }' "$1"
}
found=$(sed -n 's/^ *loss  *the lowest mean absolute error: //p' table.txt)
echo "$found" | sed 's/[0-9][0-9.e+-]*/N/g'
[ "$(echo "$found" | sed 's/^l1 \([^,]*\),.*/\1/')" = "$(lowest l1.csv)" ] || echo "l1 is not that of a cross-validation of its own"
loss=$(field model.json loss)
best=$(echo "$found" | tr ',' '\n' | grep -w "$loss")
[ "${best##* }" = "$(lowest auto.csv)" ] || echo "the table is not that of the loss chosen"
mean=$(echo "$found" | tr ',' '\n' | sed -n 's/^ *huber //p')
echo "${best##* } $mean" | awk -v loss="$loss" '{ if (loss != "huber" && $1 >= $2) print "the loss chosen is not below huber" }'
settings=
[ "$loss" != huber ] || settings="--delta $(field model.json delta)"
works fit data.svm -s "$(field model.json sparsity)" --loss "$loss" $settings --ridge "$(field model.json ridge)" --ridge-scale deviation --output fit.json
for key in support coefficients; do
    [ "$(list model.json $key)" = "$(list fit.json $key)" ] || echo "$key differs from that of fit"
done
grep -o 'and the losses [^"]*' model.json

spgm check model.json data.svm >check.txt || echo "check fails"
refused cv data.svm --loss auto --delta 1
refused fit data.svm -s 2 --loss auto
