#!/bin/bash
# The library with link-time optimisation (preset lto): both kinds and the command line are built, some unit tests run, and
# the installed archives link with programs that use it and with programs that do not:
#
#     tools/lto.sh
set -eu
cd "$(dirname "$0")/.."
tests="test_base test_linop test_vector test_loss_conformance test_api test_model test_write"
steps="tree symbols loads pkg_config own_names command_line"
jobs=$(nproc 2>/dev/null || echo 2)
generator=()
mkdir -p build
[ -f build/lto/CMakeCache.txt ] || { command -v ninja >/dev/null && generator=(-G Ninja); }
cmake --preset lto "${generator[@]}" -DSPGM_WERROR=ON >build/lto.log 2>&1 &&
    cmake --build build/lto --parallel "$jobs" --target spgm spgm_static spgm_io spgm_io_static man completion $tests >>build/lto.log 2>&1 ||
    { cat build/lto.log >&2; exit 1; }
ar p build/lto/libspgm.a >build/lto/objects
grep -q 'gnu.lto' build/lto/objects || { echo "build/lto/libspgm.a was not compiled with -flto" >&2; exit 1; }
tools/namespace.sh --check build/lto
ctest --test-dir build/lto --parallel "$jobs" --output-on-failure --no-tests=error -R "^($(echo $tests | tr ' ' '|'))\$"
for step in $steps; do
    echo "== install: $step"
    tests/install/run.sh $step "$PWD/build/lto"
done
