# Columns of the same name, and long names that begin alike, tell apart in every table and figure.
cat >same.csv <<'F'
a,a,ein_sehr_langer_name_der_größe_eins,ein_sehr_langer_name_der_größe_zwei,y
1,2,3,1,1
2,1,5,3,2.4
3,5,1,2,3.1
4,2,2,5,3.9
5,3,3,1,5.2
6,9,1,4,6.8
7,1,2,2,7.3
2,8,1,3,2.2
F
works path same.csv --sparsity 0:4 --verbose --figure path.svg 2>&1 >/dev/null | grep -e + -e enter
works stability same.csv -s 4 --subsamples 4 --bootstrap 4 --verbose --figure stability.svg 2>&1 >/dev/null | grep % | cut -c1-40 | head -4
works fit same.csv -s 4 --quantiles 0.3,0.7 --folds 4 --verbose 2>&1 >/dev/null | grep '^  [ae]' | cut -c1-30
[ -e path.svg ] && for name in path stability; do
    for column in 1 2 3 4; do grep -q "($column)" $name.svg || echo "$name.svg has no column $column"; done
done
printf 'a,a,y\n1,2,3\n1,2,4\n1,2,5\n' >constant.csv
works info constant.csv | grep Constant
