#!/bin/sh
# Reading LIBSVM against scikit-learn's load_svmlight_file:  bench/read_sklearn.sh BUILD
# Makes a Python environment of its own below BUILD; without Python or the network it says so and ends well.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
venv=$build/bench-venv
if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import sklearn' 2>/dev/null; then
    if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet scikit-learn; } >"$build/bench-venv.log" 2>&1; then
        echo "skipped: scikit-learn could not be installed (see $build/bench-venv.log)"
        exit 0
    fi
fi
exec "$venv/bin/python" bench/bench_read.py "$build/bench_read"
