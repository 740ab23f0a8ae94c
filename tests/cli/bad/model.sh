# Model files that are none.
line_csv >data.csv
printf 'not json at all\n' >words.json
printf '{}\n' >empty.json
printf '[1, 2]\n' >list.json
works fit data.csv -s 1 --output model.json
head -n 6 model.json >half.json # a whole number of lines: digits may change
sed 's/"support"/"supporters"/' model.json >key.json
for name in words empty list half key; do
    refused predict $name.json data.csv
done
