#!/bin/sh
# Many columns: what a start of the search costs, in passes over the data by multiplications: prices, exact fits and the
# products of the support with candidates, which do not grow with the columns.   bench/columns.sh BUILD
set -eu
spgm=$(cd "$1" && pwd)/spgm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number() { sed -n "s/^ *\"$1\": *\([-0-9.e+]*\).*/\1/p" "$folder/model.json"; }
failed=0
for shape in 300-20000 100-100000; do
    "$spgm" gen "random-$shape" --seed 3 --support 15 --output "$folder/A.npy" --target-output "$folder/b.npy" >"$folder/log"
    for s in 10 20; do
        case $shape-$s in 300-20000-20) most=99 ;; 300-20000-10 | *-20) most=2 ;; *) most=1 ;; esac
        for loss in l1 linf; do
            "$spgm" fit "$folder/A.npy" --target "$folder/b.npy" --loss $loss -s $s --threads 1 --output "$folder/model.json" >"$folder/log"
            awk -v name="$shape, $loss, s = $s" -v F="$(number objective)" -v starts="$(number starts)" -v passes="$(number passes)" -v most="$most" \
                'BEGIN { cost = passes / starts
                         printf "columns    %s: F %.6g, %d starts, %.2f passes for each%s\n", name, F, starts, cost, most < 99 ? " (must be < " most ")" : ""
                         exit cost >= most }' || failed=1
        done
    done
done
exit $failed
