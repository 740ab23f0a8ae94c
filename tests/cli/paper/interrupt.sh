# Ctrl-C, or SIGTERM as here: what is done stays, exit 0, and a sentence says how to go on.
unset SPGM_SHARED
"$SPGM" paper --panels random-256-2048 --methods omp,spgm-bcd --starts 500 --output out 2>said &
tries=0
while [ "$(cat out/runs.csv 2>/dev/null | wc -l)" -lt 5 ] && [ $tries -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -TERM $!
wait $!
echo $?
sed -E 's/[0-9]+ of [0-9]+ runs/N of M runs/' said
[ "$(wc -l <out/runs.csv)" -ge 5 ] || echo "runs were lost"
ls out
