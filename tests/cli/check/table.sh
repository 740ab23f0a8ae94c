# A table is read as it was for the model: what was left out, treated or taken as text is not asked for again.
cat >table.csv <<'F'
k,code,c,b,y
u,1,,3,2
v,2,1,5,1
w,3,5,1,5
u,1,2,2,2
v,2,,3,3
w,3,9,1,9
u,1,1,2,1
v,2,8,1,8
F
read_again() {
    works fit table.csv -s 2 --output model.json "$@"
    works check model.json table.csv --block 1 --json >check.json
    near "$(field check.json objective)" "$(field model.json objective)"
}
read_again --missing median --exclude b
read_again --missing median --only k,c
read_again --missing drop --text code --categories full
read_again --missing median --exclude c --text 'c*'
# What is given goes first.
refused check model.json table.csv --missing refuse --exclude b
# A file from before, which does not say: the sentence of old.
sed 's/"exclude": "c", //' model.json >old.json
grep -c exclude old.json
refused check old.json table.csv
sed 's/"exclude": "c", /"exclude": 3, /' model.json >bad.json
refused check bad.json table.csv
# Of three labels one is only in rows that are left out.
printf 'a,b,y\n1,2,p\n2,1,q\n3,,r\n2,5,p\n0,1,q\n4,,r\n' >labels.csv
works fit labels.csv -s 1 --loss logistic --missing drop --output labels.json
works check labels.json labels.csv --block 1 | head -1
works stability labels.csv -s 1 --loss logistic --missing drop --subsamples 2 --bootstrap 0 | grep -c '"objective"'
