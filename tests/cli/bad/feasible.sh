line_csv >data.csv
set -- fit data.csv -s 1 --method spgm-bcd --output model.json
refused "$@" --lower 1
refused "$@" --upper -1
refused "$@" --nonnegative --lower -1
refused "$@" --lower nan
refused "$@" --lower missing
printf '0\n0\n0\n0\n' >four && refused "$@" --lower four
printf '0\nx\n' >word && refused "$@" --upper word
refused "$@" --exclude b
refused "$@" --exclude 3
refused "$@" --exclude a --free 1
refused "$@" --group-limit 1
printf 'g\ng\n' >groups
refused "$@" --groups groups --group-limit 0
refused "$@" --groups groups --group-limit x
refused "$@" --groups groups --group-limit 1 --free 1:2
printf 'a,1\na,2\n' >twice && refused "$@" --groups twice
printf 'a,1\nb,2\n' >unknown && refused "$@" --groups unknown
printf 'a,1\n1\nnoise,2\n' >mixed && refused "$@" --groups mixed
# An output must not replace what is read.
refused fit data.csv -s 1 --method spgm-bcd --groups groups --output groups
