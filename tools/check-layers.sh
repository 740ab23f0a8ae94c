#!/bin/sh
# Dependencies run one way:  tools/check-layers.sh [TOP]
#
#   base < linalg < model < fit < method < search < src/*.c < select      a file includes only its own room and those
#                                                                        before it; select takes a solver as every
#                                                                        program does, from spgm.h
#   io      what libspgm-io.so carries of base (memory, number, random, status), and the public headers
#   mpi     the public headers, of which spgm/mpi.h brings that of MPI
#   cli     its own headers and the public ones; so do the bindings
#
# Only io includes headers of other libraries and spgm/io.h: everything else of src/ is libspgm, which needs the C library,
# libm and threads.
#
# And nothing outside src/model, the command line and the bindings included, asks what a loss is called or which table is
# its own, or (but for src/fit) which engine takes it: it asks the table of the loss for what it needs.
set -eu
cd "${1:-$(dirname "$0")/..}"
find src cli bindings -name '*.[ch]' | sort | xargs awk '
function room(path) { # of a path below src/
    return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "top"
}
function allowed(from, to, header) {
    if (from == "io") return to == "io" || to == "spgm" || header ~ /^base\/(memory|number|random|status)\.h$/
    if (from == "mpi") return to == "spgm"
    if (from == "select" && to == "top") return 0
    if (to == "spgm") return header != "spgm/io.h" && header != "spgm/mpi.h"
    return from in rank && to in rank && rank[to] <= rank[from]
}
function is_system(header) { # C11, POSIX and the vector types of the compiler
    return header ~ /^(sys\/[a-z]+|[a-z0-9]*intrin|arm_neon|dirent|errno|fcntl|float|inttypes|limits|locale|math|pthread)\.h$/ ||
        header ~ /^(sched|signal|std[a-z]+|string|strings|tgmath|time|unistd)\.h$/
}
BEGIN { split("base linalg model fit method search top select", order); for (i in order) rank[order[i]] = i + 0 }
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

# Asking: statements of C without comments, and lines of Python outside of doc strings.
known=$(sed -n 's/^ *X(\([a-z0-9_]*\)).*/\1|/p' src/model/loss.c 2>/dev/null | tr -d '\n')slopes
known="$known$(sed -n 's/^ *\.aliases = "\([a-z0-9_|]\{1,\}\)",.*/|\1/p' src/model/h_*.c 2>/dev/null | tr -d '\n')"
find src cli bindings \( -name '*.[ch]' -o -name '*.py' \) | sort | grep -vE '^(src/model|src/base/namespace\.h|bindings/[a-z]*/(tests|examples))' |
    xargs awk -v known="$known" '
function found(pattern) { if (rest ~ pattern) asks = 1 }
function judge_c() {
    rest = text
    gsub(/[!=]= *NULL/, "", rest)
    found("(cmp|str|chr|spn|brk)\\([^;]*\"(" known ")\"")
    found("(cmp|str|chr|spn|brk)\\([^;]*(kind|loss)->(name|aliases|formula|parameter)")
    found("[^!=]= *[a-z_>.-]*(kind|loss)->(name|aliases|formula)")
    found("(kind|loss)->(name|aliases|formula) *\\[|\\*[a-z_>.-]*(kind|loss)->(name|aliases|formula)|[^a-z_]loss *\\[ *[0-9]+ *\\] *[!=]=")
    found("loss_kind_(" known ")[^a-z_]|loss_slopes_kind|loss_find\\( *\"|[!=]= *loss_(find|kind_at)|loss_(find|kind_at)\\([^)]*\\) *[!=]=")
    found("enum [a-z_]*(loss|famil)[a-z_]* *\\{|spgm_loss_(name|formula|aliases)\\([^)]*\\) *\\[")
    if (FILENAME ~ /^src\// && FILENAME !~ /^src\/io\//) {
        found("(h|loss)(->|\\.)(kind|ops) *[!=]=|(^|[^a-z_])(kind|ops) *[!=]= *[a-z&]|ops->[a-z_]+ *[!=]=")
        found("[!=]= *[a-z_>.-]*(h|loss)(->|\\.)(kind|ops)([^a-z_>.-]|$)")
        if (FILENAME !~ /^src\/fit\//) found("->engine[^a-z_]|LOSS_BY_")
    }
}
function judge_python() {
    if (text ~ /"""/) doc = (doc + gsub(/"""/, "&", text)) % 2
    else if (!doc) {
        rest = text
        found("([!=]=|[^a-z_](in|case)) *[([{]?[^)}\\]:]*[\"'\''](" known ")[\"'\'']")
        found("[\"'\''](" known ")[\"'\''] *([!=]=|in )|loss\\.(startswith|endswith)\\(|loss\\[ *[0-9]")
        gsub(/"(quantile|epsilon)" *:/, "", rest) # settings too
        found("[\"'\''](" known ")[\"'\''] *:")
    }
}
function judge() {
    asks = 0
    if (FILENAME ~ /py$/) judge_python()
    else judge_c()
    if (asks) {
        print FILENAME ":" line ": " text
        wrong++
    }
    text = ""
}
FNR == 1 { text = ""; inside = doc = 0 }
FILENAME ~ /py$/ { sub(/^#.*| #.*/, ""); text = $0; line = FNR; judge(); next }
{
    sub(/\/\/.*/, "")
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "")
    if (inside && sub(/^.*\*\//, "")) inside = 0
    if (inside) next
    if (sub(/\/\*.*/, "")) inside = 1
    if ($0 ~ /^#/) { rest = $0; next }
    if (text == "") line = FNR
    text = text " " $0
}
/[;{}][ \t]*$/ { judge() }
END { exit wrong > 0 }' || {
    echo "a loss is asked by its table, not by its name or engine (src/model/loss.h)"
    exit 1
}
