# Twice at the same moment, as timeout(1) sends it to process and group, is once; a second one later ends the process.
command -v timeout >/dev/null || skip "timeout is not here"
works gen random-60-100 --seed 1 --output data.svm
timeout --preserve-status -s INT 1 "$SPGM" fit data.svm -s 5 --method spgm-bcd $endless --output model.json
echo $?
field model.json outcome
