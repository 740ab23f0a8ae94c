line_csv >data.csv
for value in 0 1 -0.5 1.5 nan half; do
    refused fit data.csv -s 1 --loss quantile --quantile $value --output model.json
done
refused fit data.csv -s 1 --loss lad2 --output model.json | sed 's/one of l1|.*/one of .../'
refused fit data.csv -s 1 --method spgm --output model.json | sed 's/one of auto|.*/one of .../'
refused fit data.csv -s 1 --ridge -1 --output model.json
refused fit data.csv -s 1 --ridge nan --output model.json
refused fit data.csv -s 1 --epsilon -0.1 --output model.json
refused fit data.csv -s 1 --time-limit -1 --output model.json
refused fit data.csv -s 1 --max-iterations 0 --output model.json
refused fit data.csv -s 1 --max-iterations 2.5 --output model.json
refused fit data.csv -s 1 --mu-schedule never --output model.json
