# Killed at random moments and continued, it ends with the files of a run that nobody disturbed, byte for byte.
subset="--panels random-256-1024,linf/random-256-2048-C --sparsity 5,10 --methods $(share spgm-iht,spgm-bcd spgm-bcd),omp --starts $(share 3 1)"
unset SPGM_SHARED
work="$SPGM paper $subset --threads 2 --reproducible --quiet --output"
$work whole || echo "exit status $?"
lines=$(share 109 25)
[ "$(wc -l <whole/runs.csv)" = $lines ] || echo "$(wc -l <whole/runs.csv) lines instead of $lines"
kills=0
for wait in $(awk 'BEGIN { srand(); for (i = 0; i < 12; i++) print 0.02 + 0.3 * rand() }'); do
    $work parts &
    sleep $wait
    if kill -9 $! 2>/dev/null; then kills=$((kills + 1)); fi
    wait $! 2>/dev/null
done
[ $kills -gt 2 ] || echo "only $kills were killed"
mkdir -p parts
printf 'l1,random-256-1024,5,spgm-iht,1,22' >>parts/runs.csv
$work parts || echo "exit status $?"
cp -r parts again
$work again
find . -name '*.pdf' -exec sed -i 's/CreationDate (D:[0-9]*/CreationDate/' {} + # a PDF has the date of its drawing
diff -r whole parts
diff -r parts again
ls whole whole/figures | grep -v -e "\.svg$" -e "\.pdf$"
[ -s whole/figures/figure1.pdf ] || ! command -v gnuplot >/dev/null || echo "no figures"
