# Another seed is another start; the same seed is the same model.
works gen random-30-50 --seed 2 --support 3 --output data.svm
for seed in 1 2 2; do
    spgm fit data.svm -s 3 --method spgm-iht --max-iterations 5 --seed $seed | sed '/"seconds"/d; /"date"/d; /"data"/d' >model.$seed.$$
    [ -e model.$seed ] && { cmp model.$seed model.$seed.$$ && echo same; }
    mv model.$seed.$$ model.$seed
done
cmp -s model.1 model.2 || echo different
