# Many columns that enter or leave at once stand below the line, all of them; few stand on it.
works gen random-60-80 --seed 1 --support 30 --noise 0.1 --output data.svm
awk 'BEGIN { for (j = 1; j <= 80; j++) print "gene" j }' >names.txt
spgm path data.svm --names names.txt -s 1,2,22 --effort 1 --verbose --output path.json >table.txt 2>&1
awk '/gene/ && length($0) > 79' table.txt
awk '$1 == "enter" || $1 == "leave" { kind = $1; $1 = "" } /gene/ { for (i = 1; i <= NF; i++) count[kind] += $i ~ /^gene[0-9]+$/ }
    END { print count["enter"] - count["leave"] }' table.txt
awk '$1 == 1 && /gene/ { print (NF > 5) }' table.txt
# Hundreds are counted, not listed.
works gen random-300-500 --seed 1 --output large.svm
spgm path large.svm -s 1,250 --effort 1 --method omp --verbose --output path.json 2>&1 | grep -c 'more; --output FILE.json lists all'
