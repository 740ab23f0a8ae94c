# Every line of the tables fits into 80 characters; the file has columns of one name each, and of long ones.
works gen random-60-12 --seed 3 --support 4 --noise 1 --output data.csv
wide() {
    COLUMNS=80 "$SPGM" "$@" --verbose 2>&1 >/dev/null | grep -v '^  \(held out\|verdict\|bound\|intervals\|stable\|expected\|loss\|chosen\|[*] \)' |
        awk -v what="$*" '{ gsub(/\033\[[0-9;]*m/, ""); gsub(/■/, "#") } length > 80 { print what ": " $0 }'
}
wide fit data.csv -s 3 --quantiles 0.1,0.3,0.5,0.7,0.9,0.95 --folds 3
wide path data.csv -s 0:6
wide stability data.csv -s 4 --subsamples 6 --bootstrap 6
wide cv data.csv -s 1:4 --folds 3
wide fit data.csv -s 3
COLUMNS=80 "$SPGM" fit data.csv -s 3 --quantiles 0.1,0.3,0.5,0.7,0.9,0.95 --folds 3 --verbose 2>&1 >/dev/null | grep '^  column'
COLUMNS=120 "$SPGM" fit data.csv -s 3 --quantiles 0.1,0.3,0.5,0.7,0.9,0.95 --folds 3 --verbose 2>&1 >/dev/null | grep '^  column'
