npy A.npy '<f8' False '(2, 2)' 1 2 nan 1
npy good.npy '<f8' False '(2, 2)' 1 2 3 1
npy b.npy '<f8' False '(2,)' 1 inf
npy c.npy '<f8' False '(2,)' 1 2
refused fit A.npy --target c.npy -s 1 --output model.json
refused fit good.npy --target b.npy -s 1 --output model.json
