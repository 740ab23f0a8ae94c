# s and the ridge together: the lowest mean of the grid is chosen, the model is that of fit with both, and the file says how.
works gen random-80-20 --seed 4 --support 4 --noise 2 --output data.svm
works cv data.svm --folds 5 --output model.json --losses losses.csv
best=$(awk -F, 'NR > 1 { if (NR == 2 || $3 < low) { low = $3; s = $1 " " $2 } } END { print s }' losses.csv)
[ "$(awk -F, '$5 ~ /min/ { print $1, $2 }' losses.csv)" = "$best" ] || echo "another line is marked"
[ "$(cut -d, -f2 losses.csv | sort -u | wc -l)" = 8 ] || echo "there are not seven ridges"
[ "$(field model.json sparsity)" = "${best% *}" ] || echo "s = $(field model.json sparsity), not ${best% *}"
works fit data.svm -s "${best% *}" --ridge "${best#* }" --ridge-scale deviation --output fit.json
for key in objective support coefficients; do
    [ "$(list model.json $key)$(field model.json $key)" = "$(list fit.json $key)$(field fit.json $key)" ] ||
        echo "$key differs from that of fit"
done
field model.json chosen | sed 's/[0-9][0-9.e+-]*/N/g'
works predict model.json data.svm --output predictions.csv
spgm check model.json data.svm >check.txt || echo "check fails"
# a list, in any order; one ridge is fixed, and the same as ever
works cv data.svm -s 0:4 --folds 5 --ridge 1,0,10 --rule shrunk --output list.json --losses list.json.csv
cut -d, -f2 list.json.csv | sort -u | tr '\n' ' ' && echo
[ "$(field list.json sparsity)" = "$(awk -F, '$5 ~ /shrunk/ { print $1 }' list.json.csv)" ] || echo "not the s of shrunk"
works cv data.svm -s 0:4 --folds 5 --ridge 0 --output none.json --losses none.csv
cut -d, -f2 none.csv | sort -u | tr '\n' ' ' && echo
for threads in $(share "1 3" ""); do
    works cv data.svm --folds 5 --threads $threads --output model.json --losses $threads.csv
    cmp losses.csv $threads.csv
done
refused cv data.svm --ridge some
refused cv data.svm --ridge 1,-1
refused cv data.svm --ridge 1,1
