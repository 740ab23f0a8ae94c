spgm gen random-6-5 --seed 3 --output a.svm --verbose
spgm gen random-6-5 --seed 3 --output b.svm --verbose --quiet
