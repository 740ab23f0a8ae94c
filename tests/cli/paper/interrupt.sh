# Ctrl-C: what is done stays, exit 0, and a sentence says how to go on.
command -v timeout >/dev/null || skip "timeout is not here"
unset SPGM_SHARED
timeout --foreground --preserve-status -s INT 0.7 "$SPGM" paper --panels random-256-2048 --output out 2>said
echo $?
sed -E 's/[0-9]+ of [0-9]+ runs/N of M runs/' said
[ "$(wc -l <out/runs.csv)" -gt 1 ] || echo "no runs"
ls out
