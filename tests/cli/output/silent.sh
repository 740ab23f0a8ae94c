# In a pipe: the model on standard output and not a word on standard error.
line_csv >data.csv
spgm fit data.csv -s 1 >model.json 2>err
test -s model.json && test ! -s err && echo silent
spgm fit data.csv -s 1 --output second.json >out 2>err
test ! -s out && test ! -s err && test -s second.json && echo silent
spgm fit data.csv -s 1 --output - --quiet >third.json 2>err
test ! -s err && test -s third.json && echo silent
sed '/"seconds"/d; /"date"/d; /"data"/d' model.json >a && sed '/"seconds"/d; /"date"/d; /"data"/d' second.json >b && sed '/"seconds"/d; /"date"/d; /"data"/d' third.json >c && cmp a b && cmp a c
