printf '1 1:2 2:1\n-1 1:1\n1 2:1 3:1\n' >data.svm
spgm info data.svm
