# New LIBSVM data may end with fewer columns than the model has.
printf '2 1:1 3:1\n4 1:2 3:-1\n6 1:3 3:2\n8 1:4\n' >train.svm
printf '0 1:10\n0 1:20\n' >test.svm
works fit train.svm -s 1 --output model.json
works predict model.json test.svm | awk 'NR > 1 { printf "%.1f\n", $1 }'
