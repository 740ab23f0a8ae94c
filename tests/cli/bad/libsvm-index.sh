# Indices of LIBSVM count from 1, ascend, and do not repeat.
printf '1 1:1\n2 0:1 1:2\n' >zero.svm
printf '1 1:1\n2 3:1 2:2\n' >unsorted.svm
printf '1 1:1\n2 2:1 2:2\n' >twice.svm
printf '1 1:1\n2 -4:1\n' >negative.svm
printf '1 1:1\n2 99999999999999999999:1\n' >huge.svm
for name in zero unsorted twice negative huge; do
    refused fit $name.svm -s 1 --output model.json
done
