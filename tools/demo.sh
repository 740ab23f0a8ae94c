#!/bin/bash
# spgm at work on data with outliers, for `make demo`:  tools/demo.sh SPGM
set -eu
spgm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(dirname "$spgm")/../demo
mkdir -p "$folder"
cd "$folder"
folder=$(pwd)

say() { printf '%s\n' "$@"; }
# show COMMAND...: print it as a person would type it, then run it
show() {
    printf '$ spgm %s\n' "$*"
    "$spgm" "$@" 2>log || { cat log >&2; exit 1; }
}

say "" "A signal with 20 nonzeros in 1024 columns, seen through 256 noisy rows; the noise of every fiftieth row is" \
    "100 times larger. Which 20 columns is it made of?" ""
show gen random-256-1024-O --seed 1 --support 20 --noise 1 --truth truth.csv --output outliers.svm
show fit outliers.svm --sparsity 20 --loss l1 --output robust.json
show fit outliers.svm --sparsity 20 --loss squared --output ordinary.json

# array NAME FILE: the numbers of a list in a model file, one per line
array() { tr -d '\n' <"$2" | sed "s/.*\"$1\": *\[\([^]]*\)\].*/\1/" | tr ',' '\n' | tr -d ' '; }
number() { tr -d '\n' <"$2" | sed "s/.*\"$1\": *\([-+0-9.e]*\).*/\1/"; }
# column: coefficient of every nonzero, as "1-based-column value"
model() { paste -d' ' <(array support "$1" | awk 'NF {print $1 + 1}') <(array coefficients "$1" | grep .); }
truth() { awk '/^[-+0-9.]/ {n++; if ($1 != 0) print n, $1}' truth.csv; }

say "" "The 12 largest true coefficients, and what the two models made of them ('-': not in the model)" ""
awk -v robust=<(model robust.json) 'BEGIN {}' /dev/null
join_models() {
    awk 'FILENAME == ARGV[1] {robust[$1] = $2; next} FILENAME == ARGV[2] {ordinary[$1] = $2; next}
        {size = $2 < 0 ? -$2 : $2; r = $1 in robust ? sprintf("%8.3f", robust[$1]) : "       -"
         o = $1 in ordinary ? sprintf("%8.3f", ordinary[$1]) : "       -"
         printf "%f %8d %8.3f      %s      %s\n", size, $1, $2, r, o}' \
        <(model robust.json) <(model ordinary.json) <(truth) | sort -rn | cut -d' ' -f2-
}
say "  column     true   robust (l1)   squared"
join_models | head -12

# score FILE: how many of the true columns it has, how many others, and the distance to the true coefficients
score() {
    awk 'NR == FNR {truth[$1] = $2; total++; next} {x[$1] = $2; if ($1 in truth) hits++; else wrong++}
        END {for (j in truth) {d = x[j] - truth[j]; sum += d * d} for (j in x) if (!(j in truth)) sum += x[j] * x[j]
             printf "%3d of %d  %6d   %10.3f", hits, total, wrong, sqrt(sum)}' <(truth) <(model "$1")
}
say "" "                found     wrong   distance to truth   seconds"
printf 'robust (l1)   %s   %15.3f\n' "$(score robust.json)" "$(number seconds robust.json)"
printf 'squared       %s   %15.3f\n' "$(score ordinary.json)" "$(number seconds ordinary.json)"
say "" "Files: $folder" "Next: spgm fit --help, or the README."
