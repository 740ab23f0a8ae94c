#!/bin/sh
# Run a Python benchmark in an environment made for it:  tools/bench-python.sh BUILD PACKAGE... -- SCRIPT [argument...]
# The environment is BUILD/bench-venv. Without Python or the network it says so and ends well.
set -eu
build=$(cd "$1" && pwd)
shift
packages=
while [ "$1" != -- ]; do
    packages="$packages $1"
    shift
done
shift
venv=$build/bench-venv
log=$build/bench-venv.log
# shellcheck disable=SC2086
if ! { { [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"; } &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check $packages; } >"$log" 2>&1; then
    echo "skipped: $packages could not be installed (see $log)"
    exit 0
fi
exec "$venv/bin/python" "$@"
