# Values from 1e-150 to 1e150, in columns and in the target.
printf 'a,b,y\n1e150,2e-150,1\n2e150,-3e-150,2\n3e150,1e-150,3\n-1e150,1e-150,-1\n' >columns.csv
works fit columns.csv -s 1 --output model.json
near "$(field model.json objective)" 0 1e-2
printf 'a,y\n1,1e150\n2,2e150\n3,3e150\n' >large.csv
works fit large.csv -s 1 --output model.json
near "$(awk -v f="$(field model.json objective)" 'BEGIN { print f / 1e150 }')" 0 1e-2
printf 'a,y\n1,1e-150\n2,2e-150\n3,3e-150\n' >small.csv
works fit small.csv -s 1 --output model.json
near "$(awk -v f="$(field model.json objective)" 'BEGIN { print f * 1e150 }')" 0 1e-2
# a ridge that such columns cannot pay for leaves them at zero: F is that of the intercept alone
for method in auto spgm-bcd spgm-iht omp; do
    works fit columns.csv -s 1 --free b --ridge 0.01 --method $method --output model.json
    near "$(field model.json smooth_value)" 0 1e-2
done
printf 'a,y\n1e-150,1\n2e-150,2\n3e-150,4\n' >tiny.csv
for method in auto spgm-bcd omp; do
    works fit tiny.csv -s 1 --ridge 0.01 --method $method --output model.json
    near "$(field model.json objective)" 3 1e-2
done
