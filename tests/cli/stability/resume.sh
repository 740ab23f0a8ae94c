# Stopped, and given again: what is there is taken over, and the end is that of a run that was never stopped.
works gen random-$(share 60-30 40-12) --seed 2 --support 4 --noise 3 --output data.csv
how='data.csv -s 4 --subsamples 8 --bootstrap 6 --effort 1'
# shellcheck disable=SC2086
works stability $how --threads 1 --output whole.json
# shellcheck disable=SC2086
"$SPGM" stability $how --threads 3 --output again.json --journal again --quiet &
pid=$!
tries=0
until [ "$(wc -l 2>/dev/null <again || echo 0)" -gt 3 ] || ! kill -0 $pid 2>/dev/null; do
    tries=$((tries + 1))
done
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
if [ -f again ]; then
    printf '2 1 0.5 7:0.' >>again
fi
# shellcheck disable=SC2086
works stability $how --threads 2 --output again.json --journal again
sed 's/"threads": [0-9]*//' whole.json >a
sed 's/"threads": [0-9]*//' again.json | cmp - a
ls
echo 'spgm stability 0123456789abcdef' >other
# shellcheck disable=SC2086
refused stability $how --journal other
