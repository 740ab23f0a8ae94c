#!/bin/sh
# The hinge case of bench_scale against OMP and scikit-learn's RFE, each with an exact fit of its support:  bench/rfe.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
file=$build/hinge.svm
[ -s "$file" ] || "$build/bench_scale" --write "$file" hinge-5e4-300
exec tools/bench-python.sh "$build" scikit-learn -- bench/rfe.py "$build/spgm" "$file"
