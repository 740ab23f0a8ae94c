# One line per iteration, the best is the least F so far, and ends as the objective of the model.
works gen random-30-50 --seed 2 --support 3 --output data.svm
works fit data.svm -s 3 --method spgm-bcd --max-iterations 200 --trace trace.csv --output model.json
head -n 1 trace.csv
tail -n +2 trace.csv | awk -F, '
    $2 != NR { print "iteration", $2, "in line", NR }
    NF != 10 { print NF, "fields in line", NR }
    NR == 1 || $4 < least { least = $4 }
    $5 > least * (1 + 1e-12) { print "best", $5, "above", least, "in line", NR }
    $9 > 3 { print $9, "nonzeros in line", NR }
    $10 < seconds { print "time runs backwards in line", NR }
    { seconds = $10 }'
[ $(($(wc -l <trace.csv) - 1)) = "$(field model.json iterations)" ] || echo "lines and iterations differ"
works fit data.svm -s 3 --method spgm-iht --max-iterations 2 --trace - --output model.json | cut -d, -f1,2
