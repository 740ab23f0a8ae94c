#!/bin/sh
# The tests have executed enough of the lines:  tools/check-coverage.sh BUILD PATTERN PERCENT
# PATTERN is a regular expression for source paths below the top of the repository.
# Counts of threads that lost some of each other can be off (cmake/Flags.cmake), those of branches even negative: gcovr
# skips these. It may hang on what it cannot read, hence the limit.
set -eu
build=$1 pattern=$2 percent=$3
top=$(cd "$(dirname "$0")/.." && pwd)
timeout 900 gcovr --root "$top" --filter "$top/$pattern" --object-directory "$build" "$build" -j 2 --gcov-ignore-parse-errors --sort-uncovered \
    --exclude-unreachable-branches --print-summary --fail-under-line "$percent"
