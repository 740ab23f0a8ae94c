# Tables for pages and papers: the lowest mean of each s is bold, and it is that of the runs.
works gen random-40-30 --seed 3 --support 4 --output data.csv
set -- compare data.csv -s 2,4 --starts 2 --methods spgm-iht,omp,diht --threads 1
works "$@" --output runs.csv
works "$@" --output table.md
works "$@" --output table.tex
head -n 2 table.md
for s in 2 4; do
    awk -F, -v s=$s '$1 == s && $6 != "" { sum[$2] += $6; n[$2]++ } END { for (m in sum) print sum[m] / n[m], m }' runs.csv | sort -g | head -n 1 | sed 's/.* //'
    awk -F' [|] ' -v column=$((s / 2 + 1)) '$column ~ /[*]/ { print $1 }' table.md
done
sed -n '3,$s/[0-9.]* [mu]*s \(|\|.*$\)/TIME/p' table.md | grep -c TIME
sed "s/& [0-9.]* [mu]*s/\\& TIME/; s/[0-9][0-9.]*/N/g" table.tex
