# b = A xbar + noise, with the noise off exactly; -C and -O multiply about 2 % by 100.
works gen random-50-20 --seed 1 --support 3 --noise 0 --output a.csv --truth x.csv
awk 'NR > 1 && $1 != 0' x.csv | wc -l
awk -F, 'NR == FNR { if (FNR > 1) x[FNR - 1] = $1; next }
    FNR > 1 { s = 0; for (j = 1; j < NF; j++) s += $j * x[j]; d = s - $NF; if (d > 1e-9 || d < -1e-9) print "row", FNR, d }' x.csv a.csv
works gen random-200-200-C --seed 1 --output c.csv
awk -F, 'NR > 1 { for (j = 1; j < NF; j++) if ($j > 6 || $j < -6) n++ } END { print (n > 600 && n < 900) ? "corrupted" : n }' c.csv
works gen random-2000-5-O --seed 1 --support 1 --output o.csv --truth x.csv
awk -F, 'NR == FNR { if (FNR > 1) x[FNR - 1] = $1; next }
    FNR > 1 { s = 0; for (j = 1; j < NF; j++) s += $j * x[j]; d = s - $NF; if (d > 60 || d < -60) n++ }
    END { print (n > 20 && n < 60) ? "outliers" : n }' x.csv o.csv
