# Ctrl-C: every s has a model all the same, and F never rises.
command -v timeout >/dev/null || skip "timeout is not here"
works gen random-80-120 --seed 1 --output data.svm
timeout --foreground --preserve-status -s INT 0.7 "$SPGM" path data.svm -s 1:5 --method spgm-bcd $endless --output path.csv
echo $?
cut -d, -f1 path.csv | tr '\n' ' ' && echo
awk -F, 'NR > 2 && $3 > last { print "F rises at s =", $1 } { last = $3 }' path.csv
ls -A
