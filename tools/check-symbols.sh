#!/bin/sh
# Only spgm_* can be seen from outside:  tools/check-symbols.sh LIBRARY...      (.so or .a)
set -eu
for library in "$@"; do
    case $library in
    *.a) names=$(nm --defined-only --extern-only --format=posix "$library" | awk 'NF > 1 {print $1}') ;;
    *) names=$(nm -D --defined-only --format=posix "$library" | awk '{print $1}') ;;
    esac
    foreign=$(echo "$names" | grep -v '^spgm_' | sort -u || true)
    if [ -n "$foreign" ]; then
        echo "$library exports names without the prefix spgm_:" $foreign >&2
        exit 1
    fi
    count=$(echo "$names" | grep -c '^spgm_' || true)
    if [ "$count" = 0 ]; then
        echo "$library exports nothing" >&2
        exit 1
    fi
    echo "$library: $count names, all spgm_*"
done
