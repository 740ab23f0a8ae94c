npy A.npy '<f8' False '(2, 3)' 1 2 3 0 1 0
spgm info A.npy
printf '5\n5\n' >y.csv
spgm info A.npy --target y.csv | sed -n '/target/p'
