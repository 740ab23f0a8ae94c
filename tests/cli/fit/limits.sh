# The outcome says why a run stopped.
works gen random-30-50 --seed 2 --support 3 --output data.svm
set -- fit data.svm -s 3 --method spgm-bcd --output model.json
works "$@" && field model.json outcome
works "$@" --max-iterations 3 && field model.json outcome && field model.json iterations
works "$@" $endless --time-limit 0.1 && field model.json outcome
