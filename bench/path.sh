#!/bin/sh
# The path over s against a fit for every s, on a public instance:  bench/path.sh BUILD
# Needs quality/ of the shared folder (SPGM_SHARED); about a minute of processor time.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
if [ ! -f "${SPGM_SHARED:-}/quality/instances.py" ]; then
    echo "skipped: no quality/instances.py below SPGM_SHARED"
    exit 0
fi
exec tools/bench-python.sh "$build" numpy -- bench/path.py "$SPGM_SHARED/quality" "$build/spgm"
