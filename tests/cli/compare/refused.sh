# What cannot be compared is said before anything runs.
works gen random-20-10 --output data.svm
refused compare data.svm
refused compare data.svm -s 11
refused compare data.svm -s 0:11
refused compare data.svm -s -1,2
refused compare data.svm -s 5:2
refused compare data.svm -s 3x
refused compare data.svm -s ,
refused compare data.svm -s 1:2:0
refused compare data.svm -s 2 --methods spgm-bdc
refused compare data.svm -s 2 --methods ,
refused compare data.svm -s 2 --method omp
refused compare data.svm -s 2 --starts 0
refused compare data.svm -s 2 --html -
refused compare data.svm -s 2 --html nowhere/page.html
refused compare data.svm -s 2 --output nowhere/runs.csv
refused compare missing.svm -s 2
