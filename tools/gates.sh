#!/bin/bash
# The gates: what CI runs besides `make test`.
#
#     tools/gates.sh all | format | asan | tsan | valgrind | mpi | red
#
#   format    clang-format 14 changes nothing
#   asan      every test with addresses, leaks and undefined behaviour checked; they execute at least 95 % of the
#             lines of src/
#   tsan      the tests that mention threads, with data races checked
#   valgrind  optimised code under memcheck: the quick tests of units and faults, fuzz corpora, examples
#   mpi       spgm-mpi with the optimised library: same models on any number of processes, lost processes, signals
#   red       each gate above, and the checks of symbols and header, fails on a fault planted in tests/gates
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc 2>/dev/null || echo 2)
least_coverage=95
flags=(-DSPGM_WERROR=ON)

# programs PRESET SELECTION...: the targets of the chosen tests that are programs
programs() {
    ctest --test-dir "build/$1" -N "${@:2}" | sed -nE 's/^ *Test +#[0-9]+: ((test|fuzz|example|plant)_.*)/\1/p'
}

# prepare PRESET [SELECTION...]: configure with warnings as errors, and build what the chosen tests need, or all
prepare() {
    local log=build/$1.log generator=() targets=()
    mkdir -p build
    [ -f "build/$1/CMakeCache.txt" ] || { command -v ninja >/dev/null && generator=(-G Ninja); }
    cmake --preset "$1" "${generator[@]}" "${flags[@]}" >"$log" 2>&1 || { cat "$log"; return 1; }
    # shellcheck disable=SC2207
    [ $# = 1 ] || targets=(--target $(programs "$@"))
    cmake --build "build/$1" --parallel "$jobs" "${targets[@]}" >>"$log" 2>&1 || { cat "$log"; return 1; }
}

# suite PRESET SELECTION...: run the chosen tests
suite() {
    local preset=$1
    shift
    ctest --test-dir "build/$preset" --parallel "$jobs" --output-on-failure --no-tests=error "$@"
}

gate_format() { tools/check-format.sh; }
gate_asan() {
    prepare asan-ubsan || return 1
    find build/asan-ubsan -name '*.gcda' -delete
    suite asan-ubsan -LE 'planted|long' && tools/check-coverage.sh build/asan-ubsan src/ $least_coverage
}
# Searches and paths wake threads by operators, folds and runs only, which the other tests of the label do.
gate_tsan() {
    local chosen=(-L threads -LE long -E 'test_auto|test_path')
    prepare tsan "${chosen[@]}" && suite tsan "${chosen[@]}"
}
# Left to the sanitizers: whole runs, and tests that compare with long double, which valgrind computes as double.
gate_valgrind() {
    local chosen=(-L 'unit|fuzz|fault|example' -E 'conformance|linop|test_api|test_frame|test_sum|fault_solve')
    prepare valgrind "${chosen[@]}" && suite valgrind "${chosen[@]}"
}
prepare_mpi() {
    local flags=("${flags[@]}" -DSPGM_MPI=ON)
    tools/install-packages.sh mpi && prepare release
}
gate_mpi() { prepare_mpi && tests/mpi/run.sh build/release; }
gate_red() {
    prepare_mpi || return 1
    for preset in release asan-ubsan tsan valgrind; do prepare $preset -L planted -E plant_warning || return 1; done
    tests/gates/red.sh
}

# gates.sh suite ... lets tests/gates/red.sh go through the very same command
if [ "${1:-}" = suite ]; then
    shift
    suite "$@"
    exit
fi

gates=${1:-}
[ "$gates" = all ] && gates="format asan tsan valgrind mpi red"
case " format asan tsan valgrind mpi red " in
*" ${gates%% *} "*) ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
tools/install-packages.sh build test gates || exit 1
export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-$(command -v ccache)}

failed=0 summary=
for gate in $gates; do
    echo "== gate $gate"
    start=$SECONDS
    if gate_"$gate"; then verdict=green; else verdict=RED failed=1; fi
    summary+=$(printf '%-10s %-6s %4d s' "$gate" $verdict $((SECONDS - start)))$'\n'
done
printf '\ngates\n%s' "$summary"
exit $failed
