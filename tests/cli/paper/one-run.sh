# One run has no spread; the end says where the report is, on a terminal or not, unless told to be quiet.
unset SPGM_SHARED
spgm paper --panels l1/random-256-1024 --sparsity 5 --methods omp --starts 1 --output out
sed -n '/<h2>Times/,/<\/table>/p' out/report.html | grep -c '±\|three runs'
works paper --panels l1/random-256-1024 --sparsity 5 --methods omp --starts 1 --quiet --output again
works paper --panels l1/random-256-1024 --sparsity 5 --methods omp --starts 2 --quiet --output two
sed -n '/<h2>Times/,/<\/table>/p' two/report.html | grep -o '±.*over [a-z]* runs'
