#!/bin/bash
# Compile everything for ARM64 and run the tests of units, the corpora and the examples with an emulator (qemu-user):
#
#     tools/arm64.sh [which tests, as ctest takes them; for example -L property, which takes an hour, or -R test_vector]
#
# HOW IT WORKS: Debian's cross compiler, and the libraries of Debian's arm64 packages unpacked into build/arm64-sysroot. apt
# is given folders of its own below build/, so that nothing about the system's own architecture or packages changes.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
sysroot=$top/build/arm64-sysroot
packages="libc6-dev libcmocka-dev libarchive-dev libjansson-dev zlib1g-dev libgomp1"
jobs=$(nproc 2>/dev/null || echo 2)

tools/install-packages.sh build arm64

unpack() {
    local apt=$top/build/arm64-apt
    rm -rf "$sysroot.new"
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$sysroot.new"
    : >"$apt/status" # as if nothing were installed: everything is fetched
    cat >"$apt/apt.conf" <<TEXT
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "$(id -un)";
Debug::NoLocking "1";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
TEXT
    APT_CONFIG=$apt/apt.conf apt-get -q update
    APT_CONFIG=$apt/apt.conf apt-get -q -y --no-install-recommends --download-only install $packages
    for package in "$apt"/cache/archives/*.deb; do
        dpkg -x "$package" "$sysroot.new"
    done
    # Links to whole paths, such as that of libm.so, would leave the folder, and the archive be linked instead.
    find "$sysroot.new" -type l -lname '/*' | while read -r link; do
        ln -srfn "$sysroot.new$(readlink "$link")" "$link"
    done
    echo "$packages" >"$sysroot.new/packages"
    rm -rf "$sysroot"
    mv "$sysroot.new" "$sysroot"
}
if [ "$(cat "$sysroot/packages" 2>/dev/null)" != "$packages" ]; then
    echo "Unpacking the arm64 libraries into ${sysroot#"$top/"} (the log is build/arm64-sysroot.log)"
    mkdir -p build
    unpack >build/arm64-sysroot.log 2>&1 || { cat build/arm64-sysroot.log >&2; exit 1; }
fi

generator=()
[ -f build/arm64/CMakeCache.txt ] || { command -v ninja >/dev/null && generator=(-G Ninja); }
cmake --preset arm64 "${generator[@]}" -DSPGM_WERROR=ON >build/arm64.log 2>&1 &&
    cmake --build build/arm64 --parallel "$jobs" >>build/arm64.log 2>&1 || { cat build/arm64.log >&2; exit 1; }
file=build/arm64/libspgm.so
aarch64-linux-gnu-readelf -h "$file" | grep -q 'Machine:.*AArch64' || { echo "$file is not for ARM64" >&2; exit 1; }
[ $# -gt 0 ] || set -- -L 'unit|fuzz|example'
ctest --test-dir build/arm64 --parallel "$jobs" --output-on-failure --no-tests=error "$@"
