#!/bin/sh
# Published times of the paper's methods over our processor time:  bench/published_times.sh BUILD
# l1, mean over s = 5, 10, 20, ..., 90 and three starts, one run at a time. Each method has one textbook setting, the
# paper's start and its stopping rule (the protocol `plain`). Half a minute.
# Without E2006-tfidf (data/e2006 below SPGM_SHARED) only the random data.
set -eu
build=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
"$build/spgm" paper --quiet --threads 1 --starts 3 --protocol plain --methods psgd,admm-iht,diht,cvx-l1,ncvx-lp,spgm-iht,spgm-bcd \
    --panels l1/random-256-1024,l1/random-256-2048,l1/e2006-5000-1024,l1/e2006-5000-2048 --output "$folder/paper"
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["published"] > 0 {
        method = $column["method"]; set = $column["dataset"]; ratio = $column["published"] / $column["processor_seconds"]
        if (!(method in seen)) { seen[method] = 1; methods[++count] = method }
        if (!(set in known)) { known[set] = 1; sets[++datasets] = set }
        cell[method, set] = sprintf("%17.0f", ratio)
        least = least == "" || ratio < least ? ratio : least
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
        printf "at least %.0f times as fast as published\n", least
    }' "$folder/paper/times.csv"
