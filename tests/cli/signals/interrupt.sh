# Ctrl-C once: the best model so far is written, exit 0. So for SIGTERM.
command -v timeout >/dev/null || skip "timeout is not here"
works gen random-60-100 --seed 1 --output data.svm
for signal in INT TERM; do
    timeout --foreground --preserve-status -s $signal 1 "$SPGM" fit data.svm -s 5 --method spgm-bcd $endless --output $signal.json --trace $signal.csv
    echo $?
    field $signal.json outcome
    [ $(($(wc -l <$signal.csv) - 1)) = "$(field $signal.json iterations)" ] || echo "the trace is not whole"
done
ls -A
