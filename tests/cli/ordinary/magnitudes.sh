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
