#!/bin/bash
# Run every benchmark on one thread:  tools/bench.sh BUILD
# Each prints its ratios and what they must be, and fails when one is missed.
set -u
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 1
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
[ -n "${SPGM_SHARED:-}" ] || [ ! -d ../shared ] || export SPGM_SHARED=$(cd ../shared && pwd)
failed=0
for program in "$build"/bench_* bench/*.sh; do
    case $program in
    */bench_quality) continue ;; # measures one cell for bench/fresh.py
    *.sh) [ -x "$program" ] && set -- "$program" "$build" || continue ;;
    *) [ -x "$program" ] && [ -f "$program" ] && set -- "$program" || continue ;;
    esac
    echo "== $(basename "$program")"
    "$@" || failed=1
done
exit $failed
