# NPY in C and Fortran order.
npy C.npy '<f8' False '(3, 2)' 1 0 2 1 3 -1
npy F.npy '<f8' True '(3, 2)' 1 2 3 0 1 -1
npy b.npy '<f8' False '(3,)' 2 3 3
works fit C.npy --target b.npy -s 2 --output c.json
works fit F.npy --target b.npy -s 2 --output f.json
sed '/"seconds"/d; /"date"/d; /"data"/d' c.json >c && sed '/"seconds"/d; /"date"/d; /"data"/d' f.json >f && cmp c f && test -s c
