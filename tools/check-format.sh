#!/bin/sh
# Every C file is as clang-format 14 with .clang-format writes it:  tools/check-format.sh [FOLDER...]
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -eq 0 ]; then
    cd "$top"
    set -- $(ls -d include src cli tests bench examples bindings 2>/dev/null)
fi
find "$@" -name '*.[ch]' -print0 | xargs -0 -r clang-format-14 --style="file:$top/.clang-format" --dry-run --Werror
