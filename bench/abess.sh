#!/bin/sh
# auto against abess for the squared loss:  bench/abess.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
exec tools/bench-python.sh "$build" numpy scikit-learn abess -- bench/compare_abess.py "$build/spgm"
