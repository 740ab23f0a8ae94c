# Of a bound that is next to nothing no share is taken: not "-nan %" nor "inf %". Powers of t for exp(t).
awk 'BEGIN {
    for (i = 0; i < 400; i++) {
        t = i / 399
        for (k = 1; k <= 11; k++) printf "%.17g,", t ^ k
        printf "%.17g\n", exp(t)
    }
}' >powers.csv
spgm fit powers.csv -s 6 --loss squared --verbose --output model.json 2>&1 | sed -n 's/F = [0-9.e-]*;/F = ...;/p'
# A perfect fit, whatever found it.
printf 'a,b,y\n1,2,2\n2,1,4\n3,5,6\n4,2,8\n' >line.csv
for method in auto omp; do
    spgm fit line.csv -s 1 --method $method --verbose --output model.json 2>&1 | grep -e bound -e nan
done
