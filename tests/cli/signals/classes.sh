# Ctrl-C once in a fit of several labels: every label has a model in the file, exit 0.
command -v timeout >/dev/null || skip "timeout is not here"
works gen random-60-100 --seed 1 --output base.svm
awk '{ $1 = NR % 3; print }' base.svm >data.svm
timeout --foreground --preserve-status -s INT 1 "$SPGM" fit data.svm -s 5 --loss hinge --method spgm-bcd $endless --output model.json
echo $?
grep -o '"outcome": "[a-z_]*"' model.json
