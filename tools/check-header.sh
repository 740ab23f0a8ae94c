#!/bin/sh
# Each public header stands alone, may be included twice and in two files, and is C99, C11 and C++11:
# tools/check-header.sh FOLDER
set -eu
include=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

for path in "$include"/spgm/*.h; do
    header=spgm/${path##*/}
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" >"$work/alone.c"
    printf '#include <%s>\n#include <%s>\nint other(void);\nint other(void) { return 0; }\n' "$header" "$header" >"$work/twice.c"
    for standard in c99 c11; do
        gcc -std=$standard $warnings -Wstrict-prototypes -Wmissing-prototypes -I"$include" \
            "$work/alone.c" "$work/twice.c" -o "$work/program"
    done
    for standard in c++11 c++17; do
        g++ -x c++ -std=$standard $warnings -Wold-style-cast -I"$include" "$work/alone.c" "$work/twice.c" -o "$work/program"
    done
    echo "$path: alone, twice, C99, C11, C++11, C++17"
done
