#!/bin/sh
# Dependencies run one way:  tools/check-layers.sh [TOP]
#
#   base < linalg < model < fit < method < search < select < src/*.c      a file includes only its own room and those
#                                                                        before it
#   io      what libspgm-io.so carries of base (memory, number, random, status), and the public headers
#   mpi     the public headers, of which spgm/mpi.h brings that of MPI
#   cli     its own headers and the public ones; so do the bindings
#
# Only io includes headers of other libraries and spgm/io.h: everything else of src/ is libspgm, which needs the C library,
# libm and threads.
#
# And nothing outside src/model asks what a loss is called, or (but for src/fit) which engine takes it: it asks the table
# of the loss for what it needs.
set -eu
cd "${1:-$(dirname "$0")/..}"
find src cli bindings -name '*.[ch]' | sort | xargs awk '
function room(path) { # of a path below src/
    return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "top"
}
function allowed(from, to, header) {
    if (from == "io") return to == "io" || to == "spgm" || header ~ /^base\/(memory|number|random|status)\.h$/
    if (from == "mpi") return to == "spgm"
    if (to == "spgm") return header != "spgm/io.h" && header != "spgm/mpi.h"
    return from in rank && to in rank && rank[to] <= rank[from]
}
function is_system(header) { # C11, POSIX and the vector types of the compiler
    return header ~ /^(sys\/[a-z]+|[a-z0-9]*intrin|arm_neon|dirent|errno|fcntl|float|inttypes|limits|locale|math|pthread)\.h$/ ||
        header ~ /^(sched|signal|std[a-z]+|string|strings|tgmath|time|unistd)\.h$/
}
BEGIN { split("base linalg model fit method search select top", order); for (i in order) rank[order[i]] = i + 0 }
/^[ \t]*#[ \t]*include[ \t]*</ && FILENAME ~ /^src\// && FILENAME !~ /^src\/io\// {
    split($0, part, /[<>]/)
    if (!is_system(part[2])) {
        print FILENAME ":" FNR ": must not include " part[2]
        wrong++
    }
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    header = part[2]
    files += !(FILENAME in seen)
    seen[FILENAME] = 1
    if (FILENAME ~ /^src\//) fine = allowed(room(substr(FILENAME, 5)), room(header), header)
    else {
        folder = FILENAME
        sub(/[^\/]*$/, "", folder)
        fine = header ~ /^spgm\// || (getline line < (folder header)) >= 0
        close(folder header)
    }
    if (!fine) {
        print FILENAME ":" FNR ": must not include " header
        wrong++
    }
}
END {
    if (!files) print "no file includes anything"
    else if (!wrong) print files " files include nothing above them"
    exit wrong > 0 || !files
}'
names=$(sed -n 's/^ *X(\([a-z0-9_]*\)).*/\1|/p' src/model/loss.c 2>/dev/null | tr -d '\n')slopes
asks="str[a-z]*\([^;]*((kind|loss)->name|\"($names)\")|(kind|loss)->name *\[|loss_kind_($names)[^a-z_]|(kind|ops) *[!=]= *&"
if grep -rnE "$asks" src --include='*.[ch]' | grep -vE '^src/(model|base/namespace\.h)' ||
    grep -rnE 'kind->engine|LOSS_BY_' src --include='*.[ch]' | grep -vE '^src/(model|fit)/'; then
    echo "a loss is asked by its table, not by its name or engine (src/model/loss.h)"
    exit 1
fi
