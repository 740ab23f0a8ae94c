# Free columns are in the model and do not count, by name, number and range.
printf 'a,b,c,y\n1,0,3,7\n2,1,1,3\n0,1,2,3\n4,2,0,3\n1,3,1,0\n' >data.csv
works fit data.csv -s 0 --free b --output by-name.json
works fit data.csv -s 0 --free 2 --output by-number.json
list by-name.json support
list by-name.json names
sed '/"seconds"/d; /"date"/d; /"data"/d' by-name.json >a && sed '/"seconds"/d; /"date"/d; /"data"/d' by-number.json >b && cmp a b
works fit data.csv -s 1 --free 1:2 --output range.json
list range.json support | wc -w
works fit data.csv -s 0 --free c,1:2 --output all.json
list all.json support
