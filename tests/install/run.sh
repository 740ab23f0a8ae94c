#!/bin/bash
# One step of the test of what `make install` installs:  run.sh STEP BUILD
#
#   tree          install into BUILD/installed, then move the tree: nothing may remember where it was put first
#   header        spgm.h alone, twice, as C and as C++
#   symbols       nothing but spgm_* is exported
#   cmake         a CMake project with find_package(spgm), shared and static
#   pkg_config    gcc and g++ with pkg-config, shared and static
#   command_line  the installed spgm runs
#   uninstall     `make uninstall` leaves nothing behind
set -eu
step=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
prefix=$build/installed
work=$build/installed-$step
version=$(cat "$top/VERSION")
rm -rf "$work"
mkdir -p "$work"
export LD_LIBRARY_PATH=$prefix/lib PKG_CONFIG_PATH=$prefix/lib/pkgconfig
warnings="-Wall -Wextra -Wpedantic -Werror"

install_to() { DESTDIR=$1 cmake --install "$build" --prefix "$2" >"$work/install.log"; }

step_tree() {
    install_to "" "$work/elsewhere"
    rm -rf "$prefix"
    mv "$work/elsewhere" "$prefix"
    for file in include/spgm/spgm.h include/spgm/options.def lib/libspgm.so lib/libspgm.so.0 "lib/libspgm.so.$version" \
        lib/libspgm.a lib/pkgconfig/spgm.pc lib/pkgconfig/spgm-static.pc lib/cmake/spgm/spgmConfig.cmake bin/spgm \
        share/man/man1/spgm.1 share/doc/spgm/LICENSE; do
        test -e "$prefix/$file" || { echo "not installed: $file" >&2; exit 1; }
    done
    readelf -d "$prefix/lib/libspgm.so" | grep -q 'SONAME.*\[libspgm.so.0\]'
    if grep -rlI --exclude='install*.log' "$work" "$prefix"; then
        echo "these files remember where they were installed first" >&2
        exit 1
    fi
}

step_header() { "$top/tools/check-header.sh" "$prefix/include"; }

step_symbols() { "$top/tools/check-symbols.sh" "$prefix/lib/libspgm.so" "$prefix/lib/libspgm.a"; }

step_cmake() {
    cp -r "$here/cmake" "$here/consumer.c" "$work/"
    cmake -S "$work/cmake" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DEXPECTED_VERSION="$version" >"$work/log"
    cmake --build "$work/build" >>"$work/log" || { cat "$work/log"; exit 1; }
    "$work/build/consumer_shared" "$version"
    env -u LD_LIBRARY_PATH "$work/build/consumer_static" "$version"
    if readelf -d "$work/build/consumer_static" | grep -q 'libspgm'; then
        echo "consumer_static still needs libspgm.so" >&2
        exit 1
    fi
}

step_pkg_config() {
    test "$(pkg-config --modversion spgm)" = "$version"
    for module in libarchive zlib jansson; do
        pkg-config --print-requires-private spgm | grep -qx "$module" || { echo "spgm.pc forgets $module" >&2; exit 1; }
    done
    local source=$here/consumer.c
    gcc -std=c11 $warnings "$source" $(pkg-config --cflags --libs spgm) -lm -o "$work/shared"
    "$work/shared" "$version"
    gcc -std=c11 $warnings "$source" $(pkg-config --cflags --libs spgm-static) -o "$work/static"
    env -u LD_LIBRARY_PATH "$work/static" "$version"
    g++ -x c++ -std=c++11 $warnings "$source" $(pkg-config --cflags --libs spgm) -o "$work/shared++"
    "$work/shared++" "$version"
    g++ -std=c++11 $warnings -x c++ "$source" -x none $(pkg-config --cflags --libs spgm-static) -o "$work/static++"
    env -u LD_LIBRARY_PATH "$work/static++" "$version"
}

step_command_line() {
    cd /
    env -u LD_LIBRARY_PATH "$prefix/bin/spgm" --version | grep -F "$version"
}

step_uninstall() {
    install_to "$work/root" /usr/local
    test -e "$work/root/usr/local/lib/libspgm.so"
    cp "$build/install_manifest.txt" "$work/manifest.txt"
    "$top/tools/uninstall.sh" "$work/manifest.txt" "$work/root"
    left=$(find "$work/root" ! -type d -o -name spgm)
    if [ -n "$left" ]; then
        echo "left behind: $left" >&2
        exit 1
    fi
}

step_"$step"
