# The reported objective is F of the reported coefficients, recomputed here from the data.
works gen random-40-60 --seed 5 --support 4 --output data.csv
for loss in l1 linf l2; do
    works fit data.csv -s 4 --loss $loss --ridge 0.3 --output model.json
    works predict model.json data.csv --output p.csv
    f=$(paste -d, data.csv p.csv | awk -F, -v loss=$loss 'NR > 1 {
        r = $NF - $(NF - 1); a = r < 0 ? -r : r
        if (loss == "linf") h = a > h ? a : h; else h += loss == "l2" ? r * r : a
    } END { printf "%.17g", loss == "l2" ? sqrt(h) : h }')
    ridge=$(list model.json coefficients | awk '{ for (i = 1; i <= NF; i++) q += $i * $i } END { printf "%.17g", 0.15 * q }')
    near "$(field model.json loss_value)" "$f" 1e-9
    near "$(field model.json smooth_value)" "$ridge" 1e-9
    near "$(field model.json objective)" "$(awk -v a="$f" -v b="$ridge" 'BEGIN { printf "%.17g", a + b }')" 1e-9
    echo "$loss: $(list model.json support | wc -w) nonzeros"
done
