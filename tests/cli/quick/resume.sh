# The whole of `paper --quick` over the panels that need no data, killed with SIGKILL at random points and continued.
# It must end with the files of a run that nobody disturbed: runs.csv, summary.csv, report.html and all of figures/ (data,
# scripts, SVG, PDF but for its date), byte for byte. With --reproducible measured seconds are left out of all of them; nothing else is.
# SPGM_TEST_SUBSET names the panels of the ordinary run; without it (make test-long) it is all of them.
unset SPGM_SHARED
plan=--quick
runs=432 # 8 panels, 3 values of s, 9 methods, 2 protocols
if [ -n "$SPGM_TEST_SUBSET" ]; then
    plan="--quick --panels $SPGM_TEST_SUBSET --sparsity 10"
    runs=$((18 * $(echo "$SPGM_TEST_SUBSET" | tr , '\n' | wc -l)))
fi
work="$SPGM paper $plan --threads 2 --reproducible --quiet --output"
seed=$(date +%s)
trouble() {
    echo "$* (seed $seed)"
}
finished() { # runs on disk
    cat parts/runs.csv 2>/dev/null | awk 'END { print (NR > 0 ? NR - 1 : 0) }'
}

$work whole 2>said || trouble "exit status $?"
grep -q -v "panels are skipped for lack of data" said && cat said
[ "$(wc -l <whole/runs.csv)" = $((runs + 1)) ] || trouble "$(wc -l <whole/runs.csv) lines instead of $((runs + 1))"

# Six kills, each a moment after so many runs are on disk.
kills=0
before=0
for point in $(awk -v seed="$seed" -v n=$runs 'BEGIN { srand(seed); for (i = 0; i < 6; i++) print int(n * rand()) }' | sort -n); do
    $work parts 2>/dev/null &
    while kill -0 $! 2>/dev/null && [ "$(finished)" -lt "$point" ]; do sleep 0.02; done
    sleep "$(awk -v seed="$seed$point" 'BEGIN { srand(seed); print 0.1 * rand() }')"
    if kill -9 $! 2>/dev/null; then kills=$((kills + 1)); fi
    wait $! 2>/dev/null
    now=$(finished)
    [ "$now" -ge "$before" ] || trouble "of $before finished runs $now are left"
    before=$now
done
[ $kills -gt 2 ] || trouble "only $kills were killed"
$work parts 2>/dev/null || trouble "exit status $?"
find . -name '*.pdf' -exec sed -i 's/CreationDate (D:[0-9]*/CreationDate/' {} + # a PDF has the date of its drawing
diff -r whole parts >differences || { trouble "the files differ" && head -20 differences; }
