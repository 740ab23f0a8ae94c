printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 nan\n' >A.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\ninf\n' >b.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n2\n' >A1.mtx
refused fit A.mtx --target b.mtx -s 1 --output model.json
refused fit A1.mtx --target b.mtx -s 1 --output model.json
