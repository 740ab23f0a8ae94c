# Ctrl-C keeps the runs that are done: whole rows of ended runs, exit 0.
command -v timeout >/dev/null || skip "timeout is not here"
works gen random-60-100 --seed 1 --output data.svm
timeout --foreground --preserve-status -s INT 1.5 "$SPGM" compare data.svm -s 5 --methods omp,spgm-bcd --starts 3 --threads 2 \
    $endless --output runs.csv --html page.html
echo $?
cut -d, -f1,2,3,13 runs.csv
tail -n 1 page.html
ls -A
