#!/bin/bash
# spgm at work on data with outliers, for `make demo`:  tools/demo.sh SPGM
set -eu
export LC_ALL=C
spgm=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(dirname "$spgm")/../demo
mkdir -p "$folder"
cd "$folder"
folder=$(pwd)

say() { printf '%s\n' "$@"; }
# show COMMAND...: print it as a person would type it, then run it
show() {
    printf '    $ spgm %s\n' "$*"
    "$spgm" "$@" 2>log || { cat log >&2; exit 1; }
}

# The numbers of a model file: a list, one per line; a single one; every nonzero as "column value", columns from 1
list() { tr -d '\n' <"$2" | sed "s/.*\"$1\": *\[\([^]]*\)\].*/\1/" | tr ',' '\n' | grep '[0-9]'; }
number() { tr -d '\n' <"$2" | sed "s/.*\"$1\": *\([-+0-9.e]*\).*/\1/"; }
model() { paste -d' ' <(list support "$1" | awk '{print $1 + 1}') <(list coefficients "$1"); }
truth() { awk '/^[-+0-9.]/ {n++; if ($1 != 0) print n, $1}' truth.csv; }

# One line for each true column, the largest coefficient first
side_by_side() {
    awk 'FILENAME == ARGV[1] {robust[$1] = $2; next}
         FILENAME == ARGV[2] {squared[$1] = $2; next}
         {r = $1 in robust ? sprintf("%.2f", robust[$1]) : "not found"
          q = $1 in squared ? sprintf("%.2f", squared[$1]) : "not found"
          printf "%f %8d %10.2f %14s %14s\n", $2 < 0 ? -$2 : $2, $1, $2, r, q}' \
        <(model robust.json) <(model squared.json) <(truth) | sort -rn | cut -d' ' -f2-
}

# score NAME FILE: true columns found, the largest one missed, distance of the coefficients from the truth, time
score() {
    awk -v name="$1" -v seconds="$(number seconds "$2")" '
        function size(v) {return v < 0 ? -v : v}
        NR == FNR {truth[$1] = $2; total++; next}
        {x[$1] = $2; if ($1 in truth) found++}
        END {
            for (j in truth) if (!(j in x) && size(truth[j]) > missed) missed = size(truth[j])
            for (j in truth) x[j] -= truth[j]
            for (j in x) sum += x[j] ^ 2
            printf "  %-24s %3d of %d %12.2f %14.2f %10.2f s\n", name, found, total, missed, sqrt(sum), seconds
        }' <(truth) <(model "$2")
}

say "" "A signal made of 20 out of 1024 columns, measured in 256 noisy rows. In 2 % of the rows the noise is 100 times" \
    "larger: outliers. Which columns is the signal made of?" ""
show gen random-256-1024-O --seed 1 --support 20 --noise 0.5 --truth truth.csv --output outliers.svm
show fit outliers.svm --sparsity 20 --loss l1 --output robust.json
show fit outliers.svm --sparsity 20 --loss squared --output squared.json

say "" "The true coefficients, largest first, and what a fit with at most 20 nonzeros makes of them:" "" \
    "  column       true  absolute loss   squared loss"
side_by_side
printf '\n%49s%15s\n%36s%13s%15s%13s\n' largest distance found missed 'from truth' time
score "absolute loss (robust)" robust.json
score "squared loss" squared.json

say "" "How do the methods compare? With 10, 20 and 30 nonzeros allowed (the smaller F, the better;" \
    "'polished': after exact minimisation over the columns that the method chose):" ""
show compare outliers.svm --sparsity 10,20,30 --loss l1 --ridge 0.01 --starts 1 --output runs.csv --html compare.html
awk -F, '
    NR == 1 || $13 == "refused" {next}
    {cell = $2 SUBSEP $1; if (!(cell in best) || $6 < best[cell]) best[cell] = $6; sum[$2] += $8; runs[$2]++}
    !($2 in seen) {seen[$2] = 1; name[++names] = $2}
    END {
        printf "\n  %-16s %9s %9s %9s %12s\n", "F, polished", "s = 10", "s = 20", "s = 30", "time"
        for (i = 1; i <= names; i++) {
            n = name[i]
            printf "  %-16s %9.1f %9.1f %9.1f %9.0f ms\n", n, best[n, 10], best[n, 20], best[n, 30],
                1000 * sum[n] / runs[n]
        }
    }' runs.csv
say "" "The page with figures to show to a colleague: $folder/compare.html" \
    "The files are in $folder. Next: $spgm fit --help, or the README."
