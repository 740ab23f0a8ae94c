#!/bin/sh
# auto against the best known solutions of public instances:  bench/quality.sh BUILD
# Needs quality/ of the shared folder (SPGM_SHARED); about ten minutes on a machine that does nothing else.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
if [ ! -f "${SPGM_SHARED:-}/quality/quality.py" ]; then
    echo "skipped: no quality/quality.py below SPGM_SHARED"
    exit 0
fi
failed=0
tools/bench-python.sh "$build" numpy -- bench/quality.py "$SPGM_SHARED/quality/quality.py" "$build/spgm" || failed=1
tools/bench-python.sh "$build" numpy -- bench/second_thread.py "$SPGM_SHARED/quality" "$build/bench_quality" || failed=1
exit "$failed"
