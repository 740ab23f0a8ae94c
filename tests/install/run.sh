#!/bin/bash
# One step of the test of what `make install` installs:  run.sh STEP BUILD
#
#   tree          install into BUILD/installed, then move the tree: nothing may remember where it was put first
#   header        spgm.h and io.h alone, twice, as C and as C++
#   symbols       nothing but spgm_* is exported, by the archives either
#   loads         libspgm.so loads the C library, libm and threads only
#   cmake         a CMake project with find_package(spgm), shared and static
#   version       the CMake package and the shared libraries agree on which versions fit together
#   pkg_config    gcc and g++ with pkg-config, shared and static
#   own_names     a program that has every internal name for itself, linked with the archives, with LTO too
#   one_kind      BUILD_SHARED_LIBS: inside another project, and installed
#   command_line  the installed spgm runs
#   uninstall     `make uninstall` leaves nothing behind
set -eu
step=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
prefix=$build/installed
work=$build/installed-$step
version=$(cat "$top/VERSION")
minor=${version%.*}
rm -rf "$work"
mkdir -p "$work"
export LD_LIBRARY_PATH=$prefix/lib PKG_CONFIG_PATH=$prefix/lib/pkgconfig
warnings="-Wall -Wextra -Wpedantic -Werror"

fail() {
    echo "$*" >&2
    exit 1
}

# quietly COMMAND...: its output only when it fails
quietly() { "$@" >>"$work/log" 2>&1 || { cat "$work/log" >&2; fail "failed: $*"; }; }

install_to() { DESTDIR=$1 cmake --install "$build" --prefix "$2" >"$work/install.log"; }

step_tree() {
    install_to "" "$work/elsewhere"
    rm -rf "$prefix"
    mv "$work/elsewhere" "$prefix"
    for library in spgm spgm-io; do
        for file in "lib/lib$library.so" "lib/lib$library.so.$minor" "lib/lib$library.so.$version" "lib/lib$library.a" \
            "lib/pkgconfig/$library.pc"; do
            test -e "$prefix/$file" || fail "not installed: $file"
        done
    done
    for file in include/spgm/spgm.h include/spgm/io.h include/spgm/options.def lib/cmake/spgm/spgmConfig.cmake bin/spgm \
        share/man/man1/spgm.1 share/bash-completion/completions/spgm share/zsh/site-functions/_spgm \
        share/fish/vendor_completions.d/spgm.fish share/doc/spgm/LICENSE; do
        test -e "$prefix/$file" || fail "not installed: $file"
    done
    if grep -rlI --exclude='install*.log' "$work" "$prefix"; then
        fail "these files remember where they were installed first"
    fi
}

step_header() { "$top/tools/check-header.sh" "$prefix/include"; }

step_symbols() { "$top/tools/check-symbols.sh" "$prefix"/lib/libspgm{,-io}.{so,a}; }

step_loads() {
    local known='linux-vdso|ld-linux[^.]*|libc|libm|libpthread'
    ldd "$prefix/lib/libspgm.so" | awk '{n = split($1, part, "/"); print part[n]}' >"$work/loaded"
    grep -q '^libc\.so' "$work/loaded"
    ! grep -vE "^($known)\.so" "$work/loaded" || fail "libspgm.so loads these, which a program may not have"
    for library in libspgm libarchive libz libjansson; do
        readelf -d "$prefix/lib/libspgm-io.so" | grep -q "NEEDED.*\[$library\.so" || fail "libspgm-io.so does not load $library"
    done
}

step_cmake() {
    local build=$work/build
    cp -r "$here/cmake" "$here"/consumer*.c "$work/"
    quietly cmake -S "$work/cmake" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DEXPECTED_VERSION="$version"
    quietly cmake --build "$build"
    "$build/consumer_shared" "$version"
    "$build/consumer_io_shared" "$work"
    env -u LD_LIBRARY_PATH "$build/consumer_static" "$version"
    env -u LD_LIBRARY_PATH "$build/consumer_io_static" "$work"
    ! readelf -d "$build"/consumer{,_io}_static | grep 'libspgm' || fail "a static consumer still needs libspgm.so"
    ! readelf -d "$build"/consumer_{shared,static} | grep -E 'libarchive|libz|libjansson|libspgm-io' ||
        fail "a consumer that only solves needs a library for files"
}

step_version() {
    for library in spgm spgm-io; do
        readelf -d "$prefix/lib/lib$library.so" | grep -q "SONAME.*\[lib$library.so.$minor\]" ||
            fail "lib$library.so is not named lib$library.so.$minor"
    done
    # wanted VERSION: does find_package take the installed one for it?
    wanted() {
        printf 'set(PACKAGE_FIND_VERSION %s)\nstring(REPLACE . ";" part %s)\nlist(GET part 0 PACKAGE_FIND_VERSION_MAJOR)\n' "$1" "$1"
        printf 'list(GET part 1 PACKAGE_FIND_VERSION_MINOR)\nset(CMAKE_SIZEOF_VOID_P 8)\n'
        printf 'include(%s/lib/cmake/spgm/spgmConfigVersion.cmake)\n' "$prefix"
        printf 'if(NOT PACKAGE_VERSION_COMPATIBLE)\nmessage(FATAL_ERROR no)\nendif()\n'
    }
    wanted "$minor.0" >"$work/same.cmake"
    wanted "${minor%.*}.$((${minor#*.} + 1)).0" >"$work/next.cmake"
    wanted "$((${minor%.*} + 1)).${minor#*.}.0" >"$work/major.cmake"
    quietly cmake -P "$work/same.cmake"
    for other in next major; do
        ! cmake -P "$work/$other.cmake" >"$work/log" 2>&1 || fail "$version was taken for another version of the library"
    done
}

step_pkg_config() {
    test "$(pkg-config --modversion spgm)" = "$version"
    local source=$here/consumer.c files=$here/consumer_io.c
    ! pkg-config --static --libs spgm | grep -E 'archive|jansson' || fail "spgm.pc names a library for files"
    gcc -std=c11 $warnings "$source" $(pkg-config --cflags --libs spgm) -lm -o "$work/shared"
    "$work/shared" "$version"
    gcc -std=c11 $warnings "$files" $(pkg-config --cflags --libs spgm-io) -lm -o "$work/shared_io"
    "$work/shared_io" "$work"
    g++ -x c++ -std=c++11 $warnings "$source" $(pkg-config --cflags --libs spgm) -o "$work/shared++"
    "$work/shared++" "$version"
    # libarchive mentions users and groups, for which glibc warns in a static program.
    quietly gcc -static -std=c11 $warnings "$source" $(pkg-config --static --cflags --libs spgm) -o "$work/static"
    quietly gcc -static -std=c11 $warnings "$files" $(pkg-config --static --cflags --libs spgm-io) -o "$work/static_io"
    quietly g++ -static -std=c++11 $warnings -x c++ "$source" -x none $(pkg-config --static --cflags --libs spgm) -o "$work/static++"
    ! readelf -d "$work"/static{,_io,++} | grep NEEDED || fail "a static program needs shared libraries"
    "$work/static" "$version"
    "$work/static++" "$version"
    "$work/static_io" "$work"
}

step_own_names() {
    sed -n 's/^#define \(.*\) spgm_internal_.*/\1/p' "$top/src/base/namespace.h" >"$work/names"
    for name in random_seed vector_norm point_set; do grep -qx "$name" "$work/names" || fail "no internal name $name"; done
    {
        echo '#include <stdio.h>'
        echo '#include <stdlib.h>'
        sed 's/.*/void &(void);\nvoid &(void) {\n    puts("the library called & of the program");\n    abort();\n}/' "$work/names"
    } >"$work/own_names.c"
    local libraries flags
    libraries=$(pkg-config --static --libs spgm-io)
    for flags in -O1 "-O2 -flto=auto"; do
        quietly gcc -static -std=c11 $warnings $flags -I"$prefix/include" "$here/consumer.c" "$work/own_names.c" $libraries -o "$work/program"
        quietly gcc -static -std=c11 $warnings $flags -I"$prefix/include" "$here/consumer_io.c" "$work/own_names.c" $libraries -o "$work/program_io"
        "$work/program" "$version"
        "$work/program_io" "$work"
    done
    # All of both archives at once: no name is defined twice.
    quietly gcc -std=c11 $warnings -I"$prefix/include" "$here/consumer.c" "$work/own_names.c" -Wl,--whole-archive "$prefix/lib/libspgm-io.a" \
        "$prefix/lib/libspgm.a" -Wl,--no-whole-archive $(pkg-config --static --libs libarchive zlib jansson) \
        $(pkg-config --static --libs-only-other spgm) -lm -o "$work/program"
    "$work/program" "$version"
}

# consumers PREFIX: what is installed there works through pkg-config and find_package, without a word about the kind
consumers() {
    export LD_LIBRARY_PATH=$1/lib PKG_CONFIG_PATH=$1/lib/pkgconfig
    gcc "$here/consumer.c" $(pkg-config --cflags --libs spgm) -lm -o "$1/pkg_config"
    "$1/pkg_config" "$version"
    mkdir "$1/project"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.22)' 'project(p C)' 'find_package(spgm REQUIRED)' \
        "add_executable(p $here/consumer.c)" 'target_link_libraries(p spgm::spgm m)' >"$1/project/CMakeLists.txt"
    quietly cmake -S "$1/project" -B "$1/project/build" -DCMAKE_PREFIX_PATH="$1"
    quietly cmake --build "$1/project/build"
    "$1/project/build/p" "$version"
}

step_one_kind() {
    local kind present absent into launcher flags=(-DCMAKE_BUILD_TYPE=Debug)
    # With the flags of the build that is tested, its compiler cache has the objects already.
    launcher=$(sed -n 's/^CMAKE_C_COMPILER_LAUNCHER:[A-Z]*=//p' "$build/CMakeCache.txt")
    if [ -n "$launcher" ]; then
        flags=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_COMPILER_LAUNCHER=$launcher"
            "-DSPGM_WERROR=$(sed -n 's/^SPGM_WERROR:BOOL=//p' "$build/CMakeCache.txt")")
    fi
    cp -r "$here/embed" "$here/consumer.c" "$work/"
    for kind in OFF ON; do
        if [ $kind = ON ]; then present=so absent=a; else present=a absent=so; fi
        into=$work/prefix-$kind
        quietly cmake -S "$work/embed" -B "$work/build" -DSPGM_SOURCE="$top" -DBUILD_SHARED_LIBS=$kind "${flags[@]}"
        quietly cmake --build "$work/build" --parallel 2
        env -u LD_LIBRARY_PATH "$work/build/consumer" "$version"
        quietly cmake --install "$work/build" --prefix "$into"
        test -e "$into/lib/libspgm.$present" || fail "BUILD_SHARED_LIBS=$kind does not install libspgm.$present"
        ! find "$into/lib" -name "libspgm*.$absent*" | grep . || fail "BUILD_SHARED_LIBS=$kind installs a .$absent"
        (consumers "$into")
    done
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
