printf 'a,b,y\n' >a.csv
printf '%%%%MatrixMarket matrix coordinate real general\n0 3 0\n' >a.mtx
printf '# nothing but a comment\n\n' >a.svm
npy a.npy '<f8' False '(0, 3)'
npy b.npy '<f8' False '(0,)'
refused fit a.csv -s 1 --output model.json
refused fit a.mtx --target b.npy -s 1 --output model.json
refused fit a.svm -s 1 --output model.json
refused fit a.npy --target b.npy -s 1 --output model.json
