# A method may be there with other settings; it is named so everywhere.
works gen random-30-12 --seed 1 --output data.svm
works compare data.svm -s 2,4 --starts 2 --methods spgm-bcd,spgm-bcd:random-coordinates=2:theta1=0.1,omp --output runs.csv --html page.html
cut -d, -f2 runs.csv | sort -u
grep -c 'spgm-bcd:random-coordinates=2:theta1=0.1' page.html | awk '{ print ($1 > 4) }'
# Its runs are those of fit with these settings.
works fit data.svm -s 4 --method spgm-bcd --random-coordinates 2 --theta1 0.1 --seed 2 --threads 1 --output model.json
awk -F, -v F="$(field model.json objective)" '$1 == 4 && $2 ~ /theta1/ && $3 == 2 && $5 + 0 != F + 0 { print "another run" }' runs.csv
works compare data.svm -s 2 --starts 1 --methods omp:max_iterations=3,auto:effort=2 --output - | cut -d, -f2
works compare data.svm -s 2 --starts 1 --methods spgm-bcd:mu-schedule=constant --output table.tex && grep -o 'texttt.*=constant}' table.tex
for methods in spgm-bcd:ridge=1 spgm-bcd:seed=3 spgm-bcd:rondom-coordinates=1 spgm-bcd:theta1 spgm-bcd,spgm-bcd \
    spgm-bcd:random-coordinates=99 spgm-bcd:xyz=1; do
    refused compare data.svm -s 2 --methods $methods
done
