# A full disk.
line_csv >data.csv
works fit data.csv -s 1 --output model.json
refused fit data.csv -s 1 --output /dev/full
spgm fit data.csv -s 1 >/dev/full
echo $?
refused fit data.csv -s 1 --trace /dev/full --output second.json
refused predict model.json data.csv --output /dev/full
spgm predict model.json data.csv >/dev/full
echo $?
refused gen random-6-5 --output a.svm --truth /dev/full
spgm info data.csv >/dev/full
echo $?
test -c /dev/full || echo "/dev/full was replaced"
