# --opt=value, --opt value, -s3, --time_limit, -- and switches mean the same.
line_csv >data.csv
set -- --loss l1 --method spgm-iht --ridge 0.5
spgm fit data.csv --sparsity 1 --time-limit 50 --no-intercept --standardize "$@" | grep -v '"seconds"\|"date"' >a
spgm fit --sparsity=1 --time_limit=50 --intercept=false --standardize=true "$@" -- data.csv | grep -v '"seconds"\|"date"' >b
spgm fit -s1 --time-limit=50 --no-intercept "$@" --no-standardize --standardize data.csv | grep -v '"seconds"\|"date"' >c
cmp a b && cmp a c && test -s a
