#!/bin/sh
# Run the cases of this folder: run.sh [--update] SPGM [GROUP | GROUP/NAME]...   See README.md.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
update=
if [ "$1" = --update ]; then
    update=1
    shift
fi
if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run.sh [--update] SPGM [GROUP | GROUP/NAME]..." >&2
    exit 2
fi
SPGM=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
CASES=$here
export SPGM CASES
unset COLUMNS NO_COLOR LINES
LC_ALL=C TERM=dumb
export LC_ALL TERM

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0

# expect CASE KIND: compare what was seen with the file beside the case; a missing file means nothing
expect() {
    if [ -n "$update" ]; then
        if [ -s "$work/$2" ]; then cp "$work/$2" "$1.$2"; else rm -f "$1.$2"; fi
        return 0
    fi
    if [ -e "$1.$2" ]; then wanted=$1.$2; else wanted=/dev/null; fi
    cmp -s "$wanted" "$work/$2" && return 0
    echo "FAILED ${1#"$here"/}: $2 (- expected, + seen)"
    diff -u "$wanted" "$work/$2" | sed '1,2d; s/^/    /'
    return 1
}

run_case() {
    case_=${1%.sh}
    rm -rf "$work/folder" && mkdir "$work/folder" && cd "$work/folder" || exit 1
    sh -c '. "$CASES/lib.sh"; . "$0"' "$case_.sh" >"$work/stdout" 2>"$work/stderr" </dev/null
    code=$?
    if [ $code = 77 ]; then
        echo "skipped ${case_#"$here"/}: $(cat "$work/stdout")"
        skipped=$((skipped + 1))
        return
    fi
    if [ $code = 0 ]; then : >"$work/exit"; else echo $code >"$work/exit"; fi
    good=1
    for kind in exit stdout stderr; do
        expect "$case_" $kind || good=0
    done
    if [ $good = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

[ $# -gt 0 ] || set -- .
for chosen; do
    if [ -e "$here/$chosen.sh" ]; then
        run_case "$here/$chosen.sh"
    else
        for file in $(cd "$here" && find "$chosen" -mindepth 1 -name '*.sh' | sed 's|^\./||' | sort); do
            case $file in */*) run_case "$here/$file" ;; esac
        done
    fi
done
[ $skipped = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
