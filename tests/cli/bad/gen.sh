refused gen random-4 --output a.svm
refused gen random-0-4 --output a.svm
refused gen random-4-x --output a.svm
refused gen rnadom-4-4 --output a.svm
refused gen random-4-4-Z --output a.svm
refused gen random-9999999999-9999999999 --output a.svm
refused gen e2006-4-4 --output a.svm
refused gen e2006-4-4 --from nowhere.svm --output a.svm
refused gen random-4-4
refused gen random-4-4 --output a.npy
refused gen random-4-4 --output a.mtx.gz
refused gen random-4-4 --output a.docx
refused gen random-4-4 --support 5 --output a.svm
