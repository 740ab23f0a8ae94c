# Predictions by name: other order, more columns, no target; and by position without names.
line_csv >data.csv
works fit data.csv -s 1 --output model.json
works predict model.json data.csv | awk 'NR == 1 { print; next } { printf "%.3f\n", $1 }'
printf 'extra,noise,a\n9,9,10\n9,9,20\n' >new.csv
works predict model.json new.csv | awk 'NR > 1 { printf "%.1f\n", $1 }'
printf '1,3,3\n2,-1,5\n3,4,7\n4,-1,9\n' >plain.csv
printf '10,9\n20,9\n' >new-plain.csv
works fit plain.csv -s 1 --output plain.json
works predict plain.json new-plain.csv | awk 'NR > 1 { printf "%.1f\n", $1 }'
cat new.csv | works predict model.json - --output p.csv && wc -l <p.csv
