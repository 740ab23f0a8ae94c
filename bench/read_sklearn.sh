#!/bin/sh
# Reading LIBSVM against scikit-learn's load_svmlight_file:  bench/read_sklearn.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
exec tools/bench-python.sh "$build" scikit-learn -- bench/bench_read.py "$build/bench_read"
