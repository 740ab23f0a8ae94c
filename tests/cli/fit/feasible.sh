# Bounds, excluded columns and groups hold in the model, and the table and the model file say so.
works gen random-60-12 --seed 4 --support 6 --output data.csv
set -- fit data.csv --method spgm-bcd --verbose --output model.json
say() {
    spgm "$@" 2>&1 | sed -n 's/^  feasible  *//p'
    [ "$(field model.json feasible)" = true ] || echo "not feasible"
}
say "$@" -s 4 --nonnegative
list model.json coefficients | tr ' ' '\n' | awk '$1 < 0 { print "negative:", $1 }'
field model.json lower
say "$@" -s 4 --lower -1 --upper 0.5
list model.json coefficients | tr ' ' '\n' | awk '$1 < -1 || $1 > 0.5 { print "outside:", $1 }'

# A file with a line for each column, one with names, one with numbers and a header: the same bounds.
printf 'inf\n0.5\ninf\n\ninf\ninf\ninf\ninf\n1\ninf\ninf\ninf\n' >lines
printf 'x9,1\nx2,0.5\n' >names
printf 'column,upper\n2,0.5\n9, 1\n' >numbers
for file in lines names numbers; do
    works fit data.csv --method spgm-bcd -s 6 --upper $file --output $file.json
    sed '/"seconds"/d; /"date"/d; /"data"/d' $file.json >$file.kept
done
cmp lines.kept names.kept && cmp lines.kept numbers.kept
list lines.json upper

# Lines are those of the data's columns also where some are excluded, and a first number is no header.
works fit data.csv --method spgm-bcd -s 6 --upper lines --exclude x3,x10 --output lines.json
works fit data.csv --method spgm-bcd -s 6 --upper names --exclude x3,x10 --output names.json
list lines.json upper
[ "$(list lines.json upper)" = "$(list names.json upper)" ] || echo "bounds are shifted"
works fit data.csv --method spgm-bcd -s 6 --upper lines --exclude x3 --output lines.json
list lines.json upper
(echo 7 && cat lines) >more
refused fit data.csv --method spgm-bcd -s 6 --upper more

works gen random-60-12 --seed 4 --support 6 --output data.svm
awk 'BEGIN { for (j = 1; j <= 12; j++) print "x" j }' >header
say fit data.svm --names header --method spgm-bcd --verbose --output model.json -s 12 --exclude x1,3:5
list model.json excluded
list model.json support | tr ' ' '\n' | awk '$1 == 0 || ($1 >= 2 && $1 <= 4) { print "excluded:", $1 }'

# Six groups of two: s counts groups, or columns with a limit.
awk 'BEGIN { for (j = 0; j < 12; j++) print "pair " int(j / 2) }' >groups
printf 'name,group\n' >pairs
awk 'BEGIN { for (j = 12; j > 0; j--) printf "x%d,%s\n", j, int((j - 1) / 2) }' >>pairs
say "$@" -s 2 --groups groups
list model.json support | tr ' ' '\n' | awk '{ print int($1 / 2) }' | sort -u | wc -l
field model.json units
sed '/"seconds"/d; /"date"/d; /"data"/d; /"groups"/d' model.json >by-line
say "$@" -s 2 --groups pairs
sed '/"seconds"/d; /"date"/d; /"data"/d; /"groups"/d' model.json | cmp - by-line
say "$@" -s 6 --groups groups --group-limit 1 --free 1
list model.json support | tr ' ' '\n' | awk '{ print int($1 / 2) }' | sort | uniq -d

# Everything at once, for every method that takes it; and what the model predicts does not depend on it.
for method in $(spgm fit --help | sed -n '/^Methods/,/^When/p' | sed -n 's/^  \([a-z0-9-]*\)  .*/\1/p'); do
    case $method in auto | polish) continue ;; esac
    works fit data.csv --method $method --ridge 0.1 -s 3 --groups groups --nonnegative --upper 2 --exclude x12 --output model.json
    [ "$(field model.json feasible)" = true ] && [ "$(field model.json units)" -le 3 ] || echo "$method: $(field model.json feasible) $(field model.json units)"
    works predict model.json data.csv --output p.csv
done
