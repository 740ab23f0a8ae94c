#!/bin/sh
# Only spgm_* can be seen from outside, and nothing is called that prints, ends the process, installs a signal handler or
# reads the environment:  tools/check-symbols.sh LIBRARY...      (.so or .a)
set -eu
forbidden='(__)?v?(f|d)?printf(_chk)?|puts|fputs|putchar|putc|fputc|fwrite|perror|std(out|err)|_?exit|_Exit|quick_exit|abort'
forbidden="$forbidden|__assert_fail|signal|sigaction|(secure_)?getenv|setenv|putenv|environ|setlocale|srand|rand"
for library in "$@"; do
    case $library in
    *.a) dynamic= ;;
    *) dynamic=-D ;;
    esac
    names=$(nm $dynamic --defined-only --extern-only --format=posix "$library" | awk 'NF > 1 {print $1}')
    calls=$(nm $dynamic --undefined-only --format=posix "$library" | awk 'NF > 1 {sub(/@.*/, "", $1); print $1}')
    foreign=$(echo "$names" | grep -v '^spgm_' | sort -u || true)
    if [ -n "$foreign" ]; then
        echo "$library exports names without the prefix spgm_:" $foreign >&2
        exit 1
    fi
    rude=$(echo "$calls" | grep -xE "$forbidden" | sort -u || true)
    if [ -n "$rude" ]; then
        echo "$library uses what a library must leave to its caller:" $rude >&2
        exit 1
    fi
    count=$(echo "$names" | grep -c '^spgm_' || true)
    if [ "$count" = 0 ]; then
        echo "$library exports nothing" >&2
        exit 1
    fi
    echo "$library: $count names, all spgm_*"
done
