# Every method is compared within bounds and groups.
works gen random-40-12 --seed 2 --support 4 --output data.csv
awk 'BEGIN { for (j = 0; j < 12; j++) print int(j / 3) }' >groups
spgm compare data.csv -s 2 --groups groups --nonnegative --exclude 1 --ridge 0.1 --starts 1 --verbose --output runs.csv 2>table
sed -n 's/^At most/at most/p' table
awk -F, 'NR > 1 { print ($5 > 0 && $6 > 0 && $6 <= $5) ? "run" : "refused" }' runs.csv | sort | uniq -c | tr -s ' '
