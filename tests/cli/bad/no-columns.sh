printf 'y\n1\n2\n' >a.csv
printf '%%%%MatrixMarket matrix coordinate real general\n2 0 0\n' >a.mtx
printf '1\n2\n' >a.svm
npy a.npy '<f8' False '(2, 0)'
npy b.npy '<f8' False '(2,)' 1 2
refused fit a.csv -s 0 --output model.json
refused fit a.mtx --target b.npy -s 0 --output model.json
refused fit a.svm -s 0 --output model.json
refused fit a.npy --target b.npy -s 0 --output model.json
