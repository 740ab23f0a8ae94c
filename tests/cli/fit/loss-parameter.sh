# --quantile, --epsilon and --delta each belong to a loss: alone they choose it, beside another they are refused.
line_csv >data.csv
loss_of() {
    works "$@" --output model.json
    field model.json loss
}
loss_of fit data.csv -s 1
loss_of fit data.csv -s 1 --quantile 0.9
loss_of fit data.csv -s 1 --epsilon 0.2
loss_of fit data.csv -s 1 --delta 2
loss_of fit data.csv -s 1 --loss pinball --quantile 0.9
loss_of fit data.csv -s 1 --epsilon=0.2 --loss epsilon_insensitive
rm model.json
refused fit data.csv -s 1 --loss l1 --quantile 0.9 --output model.json
refused fit data.csv -s 1 --epsilon 1 --loss quantile --output model.json
refused fit data.csv -s 1 --delta 1 --loss squared --output model.json
refused fit data.csv -s 1 --epsilon 1 --quantile 0.5 --output model.json
refused path data.csv -s 1 --loss lad --quantile 0.5 --output path.csv
refused cv data.csv -s 1 --loss hinge --epsilon 0.5 --output model.json
refused compare data.csv -s 1 --loss linf --epsilon 0.5 --output table.csv
