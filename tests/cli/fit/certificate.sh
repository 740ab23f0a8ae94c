# The proof as a file: one line of problem and claim, then one for each node; the same for any number of threads.
works gen random-40-12 --seed 5 --support 4 --noise 2 --output data.csv
works fit data.csv -s 3 --method exact --certificate one.txt --threads 1 --output model.json
works fit data.csv -s 3 --method exact --certificate two.txt --threads 2 --output again.json
cmp one.txt two.txt
head -n 1 one.txt | tr -d '\n' | sed 's/[[:space:]]*"\([a-z_]*\)": */\n\1: /g' | sed -n 's/: .*//p' | tr '\n' ' ' && echo
near "$(head -n 1 one.txt | sed 's/.*"bound": \([^,]*\),.*/\1/')" "$(field model.json bound)"
sed 1d one.txt | sed 's/"alphas".*//' | head -n 2 | cut -c1-50
# what cannot be
refused fit data.csv -s 3 --certificate x.txt
refused fit data.csv -s 3 --method exact --certificate -
works gen random-10-30 --seed 5 --output wide.csv
spgm fit wide.csv -s 2 --method exact --certificate x.txt --node-limit 3 --output wide.json
echo "exit $?"
ls
# a full disk takes the proof, not the model
spgm fit data.csv -s 3 --method exact --certificate /dev/full --output kept.json 2>&1
echo "exit $?"
[ "$(field kept.json objective)" = "$(field model.json objective)" ] || echo "the model is lost"
