# Empty files, by every name and none.
for name in a.svm a.csv a.mtx a.npy a; do
    : >$name
    refused fit $name -s 1 --output model.json
done
: | refused fit - -s 1 --output model.json
: | gzip >a.svm.gz
refused fit a.svm.gz -s 1 --output model.json
: >empty.json
refused predict empty.json a.csv
