small_svm >data.svm
spgm info data.svm
