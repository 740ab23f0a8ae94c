# Ctrl-C before the first fold is done: nothing to choose by, nothing written, exit 1.
command -v timeout >/dev/null || skip "timeout is not here"
works gen random-80-120 --seed 1 --output data.svm
timeout --foreground --preserve-status -s INT 0.7 "$SPGM" cv data.svm -s 1:5 --method spgm-bcd $endless --output model.json 2>&1
echo $?
ls -A
