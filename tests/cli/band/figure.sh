# The script of the figure has a line for every quantile and a point for every row that was held out.
works gen random-40-5 --seed 3 --support 2 --noise 2 --output data.csv
spgm fit data.csv -s 2 --quantiles 0.1,0.9 --folds 4 --calibration split --output band.json --figure band.svg >/dev/null 2>&1
grep -o "with points\|with lines" band.svg.gp | sort | uniq -c | tr -s ' '
grep -o 'quantile 0.[19]\|"target"' band.svg.gp | sort -u
spgm predict band.json data.csv --output p.csv --figure p.svg >/dev/null 2>&1
grep -o "with points\|with lines" p.svg.gp | sort | uniq -c | tr -s ' '
