# Ctrl-C once in a fit of several quantiles: the band as far as it is, exit 0; where a quantile has no model yet, a sentence.
command -v timeout >/dev/null || skip "timeout is not here"
works gen random-60-100 --seed 1 --output data.svm
stopped() {
    timeout --foreground --preserve-status -s INT 1 "$SPGM" fit data.svm -s 5 --method spgm-bcd $endless --threads 1 --output model.json "$@"
    echo $?
}
stopped --quantiles 0.3 --verbose 2>&1 | grep -e stopped -e '^0'
grep -o '"outcome": "[a-z_]*"' model.json
grep -o '"calibration": "[a-z]*"' model.json
works predict model.json data.svm --quiet | head -1
rm model.json
stopped --quantiles 0.1,0.5,0.9
ls
