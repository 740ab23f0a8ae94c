#!/bin/bash
# The README keeps its word: its C program compiles without a warning and runs, its commands run.  run.sh BUILD
set -eu
build=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# block LANGUAGE: the first block of that language
block() { awk -v fence="\`\`\`$1" '$0 == fence {on = 1; next} /^```/ {if (on) exit} on' "$top/README.md"; }

block c >fit.c
test -s fit.c
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$top/include" fit.c -L"$build" -lspgm -o fit
LD_LIBRARY_PATH=$build ./fit

block sh >commands.sh
test -s commands.sh
PATH=$build:$PATH bash -eu commands.sh </dev/null
test -s model.json
test "$(grep -c . predictions.csv)" -ge 256
