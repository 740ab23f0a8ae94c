# Text where a number should be.
printf 'a,b,y\n1,2,3\n4,five,6\n' >a.csv
printf '1 1:1\n2 1:one\n' >value.svm
printf '1 1:1\ntwo 1:1\n' >label.svm
printf '1 1:1\n2 x:1\n' >index.svm
printf '1 1:1\n2 1-1\n' >colon.svm
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 two 1\n' >a.mtx
printf '1\n2\n' >b.csv
for name in a.csv value.svm label.svm index.svm colon.svm; do
    refused fit $name -s 1 --output model.json
done
refused fit a.mtx --target b.csv -s 1 --output model.json
