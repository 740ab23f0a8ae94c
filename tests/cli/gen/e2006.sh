# Rows and columns of a file: columns scaled to norm sqrt(M), or as they are; the target made, or the real one.
awk 'BEGIN { for (i = 1; i <= 40; i++) { printf "%d", -i; for (j = 1; j <= 30; j++) if ((i * j) % 7 < 3) printf " %d:0.0%d", j, 1 + (i + j) % 9; print "" } }' >from.svm
works gen e2006-25-8 --from from.svm --seed 2 --support 2 --output a.svm
spgm info a.svm | sed -n '/rows/p; /columns  /p; /norms/p'
works gen e2006-25-8 --from from.svm --seed 2 --raw --real-target --output raw.svm
spgm info raw.svm | sed -n '/rows/p; /columns  /p'
cut -d' ' -f1 raw.svm | awk '$1 >= 0 || $1 < -40 || $1 != int($1) { print "no target of the file:", $1 }'
refused gen e2006-25-8 --from from.svm --real-target --truth x.csv --output b.svm
refused gen e2006-41-8 --from from.svm --output b.svm
refused gen e2006-25-31 --from from.svm --output b.svm
works gen e2006-25-8-C --from from.svm --seed 2 --output c.svm
cmp -s a.svm c.svm && echo "nothing was corrupted"
works gen e2006-25-8 --from from.svm --seed 2 --support 2 --output again.svm
cmp a.svm again.svm
