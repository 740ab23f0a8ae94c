# A warm start continues: one iteration from a solution is no worse than the solution.
works gen random-30-50 --seed 2 --support 3 --output data.svm
works fit data.svm -s 3 --method spgm-bcd --output a.json
works fit data.svm -s 3 --method spgm-bcd --start a.json --max-iterations 1 --output b.json
awk -v a="$(field a.json objective)" -v b="$(field b.json objective)" 'BEGIN { if (!(b <= a * (1 + 1e-12))) print b, "is worse than", a }'
