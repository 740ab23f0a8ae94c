#!/bin/bash
# Every internal name of the libraries gets the prefix spgm_internal_, so that an archive can be linked with a program
# that has names of its own:
#
#     tools/namespace.sh BUILD             write src/base/namespace.h from the archives in BUILD (make namespace)
#     tools/namespace.sh --check BUILD     fail when it is out of date
#
# HOW IT WORKS: the file is put in front of every source (gcc -include) and has a #define for each external name. A name
# that is not in it yet is compiled as it is; this script finds it in the archives and adds it. One build is enough.
set -euo pipefail
export LC_ALL=C
top=$(cd "$(dirname "$0")/.." && pwd)
file=$top/src/base/namespace.h
check=
[ "${1:-}" != --check ] || { check=1; shift; }
build=${1:?the build directory, for example build/release}

names() {
    nm --defined-only --extern-only --format=posix "$build"/libspgm.a "$build"/libspgm-io.a |
        awk 'NF > 1 {sub(/^spgm_internal_/, "", $1); if ($1 !~ /^spgm_/) print $1}' | sort -u
}

header() {
    cat <<'TEXT'
/*
 * Made by `make namespace`; do not edit. Every external name that is not public, so that no name without the prefix
 * spgm_ is left in the archives. The build puts this file in front of every source.
 */
/* clang-format off */
#ifndef SPGM_BASE_NAMESPACE_H
#define SPGM_BASE_NAMESPACE_H

TEXT
    sed 's/.*/#define & spgm_internal_&/'
    printf '\n#endif\n'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names >"$work/names"
[ -s "$work/names" ] || { echo "tools/namespace.sh: no names in the archives of $build" >&2; exit 1; }
header <"$work/names" >"$work/namespace.h"
count=$(grep -c . "$work/names")

if cmp -s "$work/namespace.h" "$file"; then
    echo "src/base/namespace.h: $count internal names, up to date"
elif [ -n "$check" ]; then
    echo "src/base/namespace.h is out of date: run \`make namespace\` and commit the file." >&2
    diff "$file" "$work/namespace.h" | sed -n 's/^< #define \([^ ]*\) .*/no longer external: \1/p; s/^> #define \([^ ]*\) .*/new: \1/p' | head -n 20 >&2
    exit 1
else
    cp "$work/namespace.h" "$file"
    echo "src/base/namespace.h: $count internal names"
fi
