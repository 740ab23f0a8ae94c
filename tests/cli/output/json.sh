# --json: what the file of that name would hold goes to standard output; of cv the losses, and the model only to --output.
works gen random-40-12 --seed 2 --support 3 --noise 0.5 --output data.svm
timeless() { sed 's/"\([a-z_]*seconds\)": [^,}]*/"\1": 0/g; s/, "time": [^}]*//' "$1"; }
same() { timeless "$1" >left; timeless "$2" >right; grep -q sparsity left && cmp left right; }
spgm path data.svm -s 1:3 --json >path.out
works path data.svm -s 1:3 -o path.json
same path.out path.json
spgm compare data.svm -s 1,2 --starts 1 --methods auto,omp --json | sed 's/"seconds": {[^}]*}/"seconds": {}/' >compare.out
works compare data.svm -s 1,2 --starts 1 --methods auto,omp -o compare.json
sed 's/"seconds": {[^}]*}/"seconds": {}/' compare.json >compare.file
timeless compare.out >left; timeless compare.file >right; grep -q '"s": 2' left && cmp left right
spgm cv data.svm -s 1:3 --folds 3 --json >cv.out
spgm cv data.svm -s 1:3 --folds 3 --json -o model.json >cv.out2
works cv data.svm -s 1:3 --folds 3 -o again.json --losses cv.json
same cv.out cv.json
same cv.out2 cv.json
[ "$(field model.json objective)" = "$(field again.json objective)" ] || echo "another model"
works path data.svm -s 1:3 --json -o path.csv
same path.csv path.json
refused cv data.svm -s 1:3 --folds 3 --json -o -
refused cv data.svm -s 1:3 --folds 3 --json --losses -
awk 'BEGIN { print "kind,a,b,c"; for (i = 0; i < 60; i++) print substr("abc", i % 3 + 1, 1) "," i % 3 + i * 7 % 5 / 9 "," i * i % 5 "," i * 5 % 7 }' >classes.csv
spgm cv classes.csv --target kind --loss hinge -s 1:2 --folds 3 --json | grep -c -e '"losses"' -e '"coefficients"'
