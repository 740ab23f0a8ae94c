#!/bin/sh
# Processor time of the paper's methods over a fiftieth of their published times:  bench/published_times.sh BUILD
# l1, mean over s = 5, 10, 20, ..., 90 and three starts, one run at a time; at most 1 is what we want. Half a minute.
# Without E2006-tfidf (data/e2006 below SPGM_SHARED) only the random data.
set -eu
build=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
"$build/spgm" paper --quiet --threads 1 --starts 3 --methods psgd,admm-iht,diht,cvx-l1,ncvx-lp,spgm-iht,spgm-bcd \
    --panels l1/random-256-1024,l1/random-256-2048,l1/e2006-5000-1024,l1/e2006-5000-2048 --output "$folder/paper"
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["published"] > 0 {
        method = $column["method"]; set = $column["dataset"]; ratio = 50 * $column["processor_seconds"] / $column["published"]
        if (!(method in seen)) { seen[method] = 1; methods[++count] = method }
        if (!(set in known)) { known[set] = 1; sets[++datasets] = set }
        cell[method, set] = sprintf("%17.2f", ratio); runs++; fast += ratio <= 1
    }
    END {
        printf "%-10s", "method"
        for (d = 1; d <= datasets; d++) printf "%17s", sets[d]
        print ""
        for (m = 1; m <= count; m++) {
            printf "%-10s", methods[m]
            for (d = 1; d <= datasets; d++) printf "%17s", cell[methods[m], sets[d]]
            print ""
        }
        printf "%d of %d take at most a fiftieth of the published time\n", fast, runs
    }' "$folder/paper/times.csv"
