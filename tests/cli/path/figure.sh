# A figure and its script, which draws it again; without gnuplot a sentence, the script, and no failure.
works gen random-40-20 --seed 2 --support 3 --noise 1 --output data.svm
mkdir out
PATH= "$SPGM" path data.svm -s 1:3 --figure out/path.svg >path.csv
echo "exit $?"
ls -A out
command -v gnuplot >/dev/null || skip "gnuplot is not here"
for ending in svg pdf png; do
    works path data.svm -s 1:3 --figure out/path.$ending --output path.csv
done
ls -A out
cp out/path.svg first.svg
(cd out && gnuplot path.svg.gp 2>gnuplot.txt) && cmp first.svg out/path.svg
grep -c '<title>' out/path.svg >/dev/null || echo "the drawing is empty"
works cv data.svm -s 1:3 --folds 3 --figure cv.svg --output model.json
head -c 5 cv.svg && echo
