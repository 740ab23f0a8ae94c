printf '1 1:1\n2 1:1e999\n' >a.svm
printf 'a,b,y\n1,2,3\n4,-1e400,6\n' >a.csv
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 1e310\n' >a.mtx
printf '1\n2\n' >b.csv
refused fit a.svm -s 1 --output model.json
refused fit a.csv -s 1 --output model.json
refused fit a.mtx --target b.csv -s 1 --output model.json
line_csv >data.csv
refused fit data.csv -s 1 --ridge 1e999 --output model.json
