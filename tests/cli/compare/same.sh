# The number of threads and the choice of methods change nothing but times.
works gen random-60-100 --seed 3 --support 5 --noise 1 --output data.svm
results() { cut -d, -f1-6,10,12-14 "$1"; }
works compare data.svm -s 2:4 --starts 3 --methods spgm-bcd,omp --threads 1 --output one.csv
works compare data.svm -s 2:4 --starts 3 --methods spgm-bcd,omp --threads 2 --output two.csv
works compare data.svm -s 2,3,4 --starts 3 --methods omp,spgm-bcd --threads 3 --output three.csv
results one.csv >one && results two.csv >two && cmp one two
results three.csv | sort >three && sort one | cmp - three
wc -l <one | tr -d ' '
