#!/bin/sh
# The Python package:  bench/python.sh BUILD
# Its promises of time, and the comparison with scikit-learn, in the environment of its tests (tools/python-env.sh). Where that
# cannot be made, says so and ends well.
set -eu
cd "$(dirname "$0")/.."
if ! (. tools/python-env.sh) >build/python-bench.log 2>&1; then
    echo "skipped: there is no Python environment (see build/python-bench.log)"
    exit 0
fi
[ ! -d build/python-offline/package ] || export PYTHONPATH="$PWD/build/python-offline/package"
failed=0
for program in bench/bench_python.py bench/compare_python.py; do
    build/python/bin/python "$program" || failed=1
done
exit $failed
