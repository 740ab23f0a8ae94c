#!/bin/bash
# Fuzz for a while with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer:
#
#     tests/fuzz/run.sh TARGET|all [SECONDS]
#
# New inputs go to build/fuzz/corpus/TARGET, findings to build/fuzz/findings. Copy a finding into tests/fuzz/corpus/TARGET
# under a name that says what it found, and the ordinary tests replay it for ever.
set -eu
cd "$(dirname "$0")/../.."
clang=$(command -v clang || command -v clang-14 || { echo "tests/fuzz/run.sh needs clang with libFuzzer (clang-14, libclang-rt-14-dev)" >&2; exit 2; })
target=${1:?a target, for example csv, or all}
seconds=${2:-60}
out=build/fuzz
mkdir -p $out/findings

flags="-std=c11 -g -O1 -fopenmp-simd -pthread -D_POSIX_C_SOURCE=200809L -DSPGM_VERSION=\"fuzz\" -include src/base/namespace.h -Iinclude -Isrc -Itests -fno-omit-frame-pointer
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined $(pkg-config --cflags libarchive zlib jansson)"
libraries="$(pkg-config --libs libarchive zlib jansson) -lm"

objects=
for source in $(find src -name '*.c'); do
    object=$out/objects/${source//\//_}.o
    mkdir -p $out/objects
    if [ ! -e "$object" ] || [ -n "$(find src include "$source" -newer "$object" -name '*.[ch]' -print -quit)" ]; then
        $clang $flags -c "$source" -o "$object"
    fi
    objects="$objects $object"
done

[ "$target" != all ] || target=$(ls tests/fuzz/fuzz_*.c | sed 's/.*fuzz_\(.*\)\.c/\1/')
for name in $target; do
    mkdir -p $out/corpus/$name
    $clang $flags -fsanitize=fuzzer tests/fuzz/fuzz_$name.c $objects $libraries -o $out/fuzz_$name
    $out/fuzz_$name -max_total_time=$seconds -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix=$out/findings/$name- $out/corpus/$name tests/fuzz/corpus/$name
done
