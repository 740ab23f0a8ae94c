#!/bin/bash
# A gate that cannot fail is worse than none: each one must go red, for the right reason, on a fault planted here.
# Needs the planted faults of all presets (tools/gates.sh red builds them). Prints one line per fault.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# red NAME PATTERN COMMAND...: the command must fail and say PATTERN
red() {
    local name=$1 pattern=$2
    shift 2
    if "$@" >"$work/log" 2>&1; then
        verdict="BLIND: it passed"
    elif ! grep -qE "$pattern" "$work/log"; then
        verdict="failed, but without saying $pattern"
    else
        verdict=red
    fi
    printf '%-46s %s\n' "$name" "$verdict"
    if [ "$verdict" = red ]; then passed=$((passed + 1)); else failed=$((failed + 1)); cat "$work/log"; fi
}

# planted PRESET NAME PATTERN: the same, through the gate's own run of ctest
planted() { red "$1: $2" "$3" tools/gates.sh suite "$1" -R "^plant_$2\$"; }

planted release failure '0% tests passed'
planted release sign 'but some support has'
planted release fault 'planted leak, allocation 1 once: 1 blocks were not freed'
planted release fault 'planted lie, allocation 0 once: got file'
planted asan-ubsan leak 'LeakSanitizer: detected memory leaks'
planted asan-ubsan overflow 'heap-buffer-overflow'
planted asan-ubsan undefined 'signed integer overflow'
planted tsan race 'ThreadSanitizer: data race'
planted valgrind leak 'definitely lost'
planted valgrind overflow 'Invalid read'
planted valgrind uninitialised 'depends on uninitialised value'
red "warnings are errors" 'Werror=float-conversion' cmake --build build/asan-ubsan --target plant_warning

tools/gates.sh suite asan-ubsan -R '^plant_uncovered$' >/dev/null || echo "plant_uncovered did not run"
red "coverage: uncovered" 'failed minimum line coverage' \
    tools/check-coverage.sh build/asan-ubsan tests/gates/plant_uncovered.c 95

# A program whose answer depends on the number of processes.
mkdir "$work/mpi"
ln -s "$PWD/build/release/spgm" "$work/mpi/spgm"
printf '#!/bin/sh\n[ "$OMPI_COMM_WORLD_SIZE" = 2 ] && set -- "$@" --ridge 1\nexec %s "$@"\n' \
    "$PWD/build/release/spgm-mpi" >"$work/mpi/spgm-mpi"
chmod +x "$work/mpi/spgm-mpi"
red "mpi: another model on two processes" 'FAILED  fit --loss l1' tests/mpi/run.sh "$work/mpi" "fit --loss l1"

cp tests/gates/misformatted.txt "$work/misformatted.c"
red "format: misformatted" 'clang-format-violations' tools/check-format.sh "$work"

echo 'int spgm_fine(void); int spgm_fine(void) { return 1; } int stray(void); int stray(void) { return 2; }' >"$work/stray.c"
gcc -fPIC -shared "$work/stray.c" -o "$work/libstray.so"
gcc -c "$work/stray.c" -o "$work/stray.o" && ar rcs "$work/libstray.a" "$work/stray.o"
red "symbols: stray name in a shared library" 'without the prefix spgm_: stray' tools/check-symbols.sh "$work/libstray.so"
red "symbols: stray name in an archive" 'without the prefix spgm_: stray' tools/check-symbols.sh "$work/libstray.a"

cp "$work/libstray.a" "$work/libspgm.a" && cp "$work/libstray.a" "$work/libspgm-io.a"
red "namespace: a name without the prefix" 'run `make namespace`' tools/namespace.sh --check "$work"

echo 'int puts(const char *); int spgm_loud(void); int spgm_loud(void) { return puts("here"); }' >"$work/loud.c"
gcc -fPIC -shared "$work/loud.c" -o "$work/libloud.so"
gcc -c "$work/loud.c" -o "$work/loud.o" && ar rcs "$work/libloud.a" "$work/loud.o"
red "symbols: a shared library that prints" 'leave to its caller: puts' tools/check-symbols.sh "$work/libloud.so"
red "symbols: an archive that prints" 'leave to its caller: puts' tools/check-symbols.sh "$work/libloud.a"

# layers FILE HEADER: a tree whose FILE includes HEADER
layers() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/bindings" "$work/tree/cli" "$work/tree/src/base" "$work/tree/src/io" "$work/tree/src/search" "$work/tree/src/select"
    echo "#include \"$2\"" >"$work/tree/$1"
    red "layers: $1 includes $2" "$1:1: must not include $2" tools/check-layers.sh "$work/tree"
}
layers src/base/low.c model/problem.h
layers src/search/low.c solver.h
layers src/solver.c select/path.h
layers src/io/low.c search/path.h
layers src/io/low.c solver.h
layers src/io/low.c base/parallel.h
layers src/search/low.c spgm/io.h
layers src/select/low.c solver.h
layers cli/low.c base/memory.h
mkdir -p "$work/tree/src/model" && echo '#include "base/status.h"
#include <zlib.h>' >"$work/tree/src/model/low.c"
red "layers: src/model/low.c includes zlib.h" 'src/model/low.c:2: must not include zlib.h' tools/check-layers.sh "$work/tree"

# asks FILE TEXT: a tree whose FILE asks for a loss like this
asks() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/bindings/python/spgm" "$work/tree/cli" "$work/tree/src/model" "$work/tree/src/fit" "$work/tree/src/io" "$work/tree/src/search"
    cp src/model/loss.c src/model/h_*.c "$work/tree/src/model"
    echo '#include "model/loss.h"' >"$work/tree/src/search/one.c"
    printf '%s\n' "$2" >"$work/tree/$1"
    red "layers: $1 asks by name or engine" 'asked by its table' tools/check-layers.sh "$work/tree"
}
asks src/search/low.c 'int f(struct loss *h) { return strcmp(h->kind->name, "x"); }'
asks src/search/low.c 'int f(const char *name) { return strcmp(name, "squared_hinge"); }'
asks src/fit/low.c 'int f(struct loss *h) { return h->kind == &loss_kind_huber; }'
asks src/search/low.c 'int f(struct loss *h) { return h->kind->engine; }'
asks src/search/low.c 'int f(struct loss *h) { return strncmp(h->kind->name, "hu", 2); }'
asks src/search/low.c 'int f(struct loss *h) { return h->kind->name[0] == 104; }'
asks src/fit/low.c 'int f(struct loss *h) { return h->ops == &huber; }'
asks src/search/low.c 'int f(const char *name) { return !memcmp(name,
    "lad", 4); }'
asks src/search/low.c 'int f(struct loss *h) { const char *name = h->kind->name; return name[0] == 104; }'
asks src/search/low.c 'int f(struct loss *h) { return *h->kind->name == 104; }'
asks src/search/low.c 'int f(struct loss *h) { return h->kind == loss_find(spelled); }'
asks src/search/low.c 'int f(struct loss *h) { return loss_kind_at(0) == h->kind; }'
asks src/search/low.c 'int f(struct loss *h) { return &loss_slopes_kind == h->kind; }'
asks src/search/low.c 'int f(struct loss *h, struct loss *g) { return h->ops->value == g->ops->value; }'
asks src/search/low.c 'enum loss_family { KINKED, SMOOTH };'
asks src/search/low.c 'int f(const struct loss_kind *k) { return k->engine == 1; }'
asks src/low.c 'int f(struct loss *h) { return strstr(h->kind->formula, "max") != NULL; }'
asks src/io/low.c 'int f(const char *loss) { return loss[0] == 104; }'
asks cli/low.c 'int f(const char *loss) { return strcmp(loss, "l1") == 0; }'
asks bindings/python/low.c 'int f(const char *loss) { return strcmp("hinge", loss) == 0; }'
asks bindings/python/spgm/low.py 'def f(loss): return loss == "l1"'
asks bindings/python/spgm/low.py 'def f(loss): return loss in ("hinge", "log_loss")'
asks bindings/python/spgm/low.py 'constants = {"l1": 1, "linf": 2}'

# header NAME PATTERN TEXT: a header with this fault
header() {
    mkdir -p "$work/spgm"
    printf '%b\n' "$3" >"$work/spgm/spgm.h"
    red "header: $1" "$2" tools/check-header.sh "$work"
}
header "needs another include" 'size_t' 'size_t spgm_size(void);'
header "cannot be included twice" 'redefinition' 'struct spgm_point { double x; };'
header "defines a variable" 'multiple definition' '#ifndef H\n#define H\nint spgm_global;\nint spgm_global = 1;\n#endif'
header "is not C++" 'expected|unqualified' '#ifndef H\n#define H\ntypedef struct spgm_new { int new; } spgm_new;\n#endif'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
