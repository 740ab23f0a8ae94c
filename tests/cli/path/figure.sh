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
# The same bytes again, also of a PDF; and one script for every kind.
cp out/path.pdf first.pdf
works path data.svm -s 1:3 --figure out/path.pdf --output path.csv && cmp first.pdf out/path.pdf
grep -a -o 'CreationDate (D:[0-9]*' out/path.pdf
gnuplot -e "kind='svg'; output='again.svg'" out/path.pdf.gp 2>gnuplot.txt && cmp again.svg first.svg
works compare data.svm -s 1,2 --methods omp,spgm-bcd --starts 1 --quiet --figure out/compare.pdf
head -c 4 out/compare.pdf && echo
refused compare data.svm -s 1 --figure out/compare.jpg
