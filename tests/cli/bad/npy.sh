# Wrong types and lying headers.
npy b.npy '<f8' False '(2,)' 1 2
npy text.npy '<U4' False '(2, 2)' 1 2
npy object.npy '|O' False '(2, 2)' 1 2 3 1
npy complex.npy '<c16' False '(2, 2)' 1 2 3 1 1 1 1 1
npy short.npy '<f8' False '(2, 2)' 1 2 3
npy long.npy '<f8' False '(2, 2)' 1 2 3 1 1
npy huge.npy '<f8' False '(2, 9223372036854775807)' 1 2 3 1
npy negative.npy '<f8' False '(2, -2)' 1 2 3 1
npy cube.npy '<f8' False '(2, 2, 1)' 1 2 3 1
npy order.npy '<f8' Perhaps '(2, 2)' 1 2 3 1
printf '\223NUMPY\001\000\377\377{' >header.npy
printf 'this is no array at all' >words.npy
for name in text object complex short long huge negative cube order header words; do
    refused fit $name.npy --target b.npy -s 1 --output model.json
done
