#!/bin/sh
# Test the Python package in an environment made here (tools/python-env.sh).
#
#     tools/python-test.sh BUILD [pytest arguments]      BUILD has the command line that results are compared with
set -eu
cd "$(dirname "$0")/.."
build=$1
shift
. tools/python-env.sh
SPGM_CLI=$PWD/$build/spgm
export SPGM_CLI
run() {
    "$python_here" -m pytest -q -o cache_dir=build/pytest "$@"
}
# On all cores, where pytest can; what measures memory measures that of its own process.
if [ $# -gt 0 ]; then
    run "$@"
else
    workers=
    "$python_here" -c 'import xdist' 2>/dev/null && workers="-n $(nproc)"
    # shellcheck disable=SC2086
    run -m "not long" $workers
fi
