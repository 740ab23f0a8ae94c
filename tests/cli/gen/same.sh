# The same name and seed give the same bytes; another seed gives others.
works gen random-6-5 --seed 3 --output a.svm
works gen random-6-5 --seed 3 --output b.svm
works gen random-6-5 --seed 4 --output c.svm
cmp a.svm b.svm
cmp -s a.svm c.svm && echo "two seeds, one instance"
wc -l <a.svm
