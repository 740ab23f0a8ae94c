#!/bin/sh
# The tests have executed enough of the lines:  tools/check-coverage.sh BUILD PATTERN PERCENT
# PATTERN is a regular expression for source paths below the top of the repository.
set -eu
build=$1 pattern=$2 percent=$3
top=$(cd "$(dirname "$0")/.." && pwd)
gcovr --root "$top" --filter "$top/$pattern" --object-directory "$build" "$build" -j 2 --sort-uncovered \
    --exclude-unreachable-branches --print-summary --fail-under-line "$percent"
