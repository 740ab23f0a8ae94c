# --loss auto without the time for all folds, or stopped early: a model of the folds that are done.
works gen random-256-1024 --seed 1 --output data.svm
for limit in 0.01 0.05 0.2; do
    works cv data.svm --loss auto --time-limit $limit --output model.json
    [ "$(field model.json rule)" = projected ] || echo "no model after $limit s"
done
