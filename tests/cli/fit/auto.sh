# --sparsity auto: by cross-validation on small data, by a criterion when asked, and it says which and why.
works gen random-80-12 --seed 4 --support 3 --noise 0.1 --output data.svm
works gen random-$(share 80 40)-12 --seed 4 --support 3 --noise 0.1 --output folds.svm
spgm fit folds.svm -s auto --verbose --output cv.json 2>&1 | sed -n 's/from [0-9.e+]* to 0/from N to 0/; s/(.* at s = [0-9]*, ridge [^)]*)/(LOSS)/; s/s = [0-9]*: /s = N: /; s/^  chosen  *//p'
works cv folds.svm --output again.json
[ "$(field cv.json sparsity)" = "$(field again.json sparsity)" ] || echo "cv chooses another s"
spgm fit data.svm -s auto --criterion ebic --verbose --output ebic.json 2>&1 | sed -n 's/^  chosen  *//p'
works path data.svm -s 0:12 --output path.csv
lowest=$(awk -F, 'NR == 2 || (NR > 1 && $8 < low) { low = $8; s = $1 } END { print s }' path.csv)
[ "$(field ebic.json sparsity)" = "$lowest" ] || echo "ebic is lowest at $lowest, not $(field ebic.json sparsity)"
printf '1,2\n2,4.1\n3,5.9\n5,10\n' >few.csv
spgm fit few.csv -s auto --verbose --output few.json 2>&1 | sed -n 's/^  chosen  *//p'
