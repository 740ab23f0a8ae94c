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
# The names of upright lines end on the sheet, also where both rules end in the middle.
works gen random-60-20 --seed 4 --support 1 --noise 1 --output middle.svm
works cv middle.svm -s 0:2 --folds 5 --figure cv.svg --output model.json
awk '/^set lmargin at screen/ { left = $5 } /^set rmargin at screen/ { right = $5 } / size [0-9]+,/ && !width { sub(/.* size /, ""); width = $0 + 0 }
    /^set label .* left front boxed/ { split($0, part, /graph |, graph/); split($0, text, "\047")
        end = (left + part[2] * (right - left)) * width + 7.5 * length(text[2]); if (end > width) print "cut off: " text[2]; names++ }
    END { if (!names) print "no names" }' cv.svg.gp
# The same bytes again, of a PDF but for its date, which is that of the drawing; and one script for every kind.
cp out/path.pdf first.pdf
works path data.svm -s 1:3 --figure out/path.pdf --output path.csv
for file in first.pdf out/path.pdf; do LC_ALL=C sed 's/CreationDate (D:[0-9]*/CreationDate/' $file >$file.dateless; done
cmp first.pdf.dateless out/path.pdf.dateless
grep -a -q "CreationDate (D:$(date -u +%Y)" out/path.pdf || echo "the date is not that of the drawing"
rm out/path.pdf.dateless
gnuplot -e "kind='svg'; output='again.svg'" out/path.pdf.gp 2>gnuplot.txt && cmp again.svg first.svg
works compare data.svm -s 1,2 --methods omp,spgm-bcd --starts 1 --quiet --figure out/compare.pdf
head -c 4 out/compare.pdf && echo
refused compare data.svm -s 1 --figure out/compare.jpg
