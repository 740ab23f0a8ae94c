#!/bin/sh
# Install what is missing to build and test spgm on Debian or Ubuntu.
#
#     tools/install-packages.sh GROUP...      build | test | bench | mpi | arm64 | gates | python | python-offline
#
# Prints nothing when everything is there. Otherwise installs as root, else through sudo; where neither is possible it
# prints the exact line to run and ends with status 1.
set -eu

# From nettle-dev to libxml2-dev: what a static program needs besides libarchive.a (pkg-config --static --libs spgm-io).
# group  package                 how to see that it is there
packages='
build    gcc                     command:gcc
build    libc6-dev               header:stdio.h
build    make                    command:make
build    cmake                   command:cmake
build    pkg-config              command:pkg-config
build    libarchive-dev          module:libarchive
build    zlib1g-dev              module:zlib
build    libjansson-dev          module:jansson
test     g++                     command:g++
test     ccache                  command:ccache
test     libcmocka-dev           module:cmocka
test     nettle-dev              module:nettle
test     libacl1-dev             module:libacl
test     liblzma-dev             module:liblzma
test     libzstd-dev             module:libzstd
test     liblz4-dev              module:liblz4
test     libbz2-dev              header:bzlib.h
test     libxml2-dev             module:libxml-2.0
test     bzip2                   command:bzip2
test     xz-utils                command:xz
test     zstd                    command:zstd
test     gnuplot-nox             command:gnuplot
python          python3             command:python3
python          python3-venv        python:ensurepip
python          python3-dev         python:Python.h
python-offline  python3-numpy       python:numpy
python-offline  python3-scipy       python:scipy
python-offline  python3-sklearn     python:sklearn
python-offline  python3-matplotlib  python:matplotlib
python-offline  python3-pandas      python:pandas
python-offline  python3-pytest      python:pytest
python-offline  python3-pytest-xdist python:xdist
python-offline  python3-hypothesis  python:hypothesis
bench    libopenblas-serial-dev  module:openblas
mpi      libopenmpi-dev          module:ompi-c
mpi      openmpi-bin             command:mpirun
arm64    gcc-aarch64-linux-gnu   command:aarch64-linux-gnu-gcc
arm64    qemu-user               command:qemu-aarch64
gates    git                     command:git
gates    valgrind                command:valgrind
gates    gcovr                   command:gcovr
gates    clang-format-14         command:clang-format-14
'

present() {
    case $1 in
    command:*) command -v "${1#*:}" >/dev/null 2>&1 ;;
    module:*) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "${1#*:}" ;;
    python:Python.h) /usr/bin/python3 -c 'import os, sysconfig
exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null ;;
    python:*) /usr/bin/python3 -c "import ${1#*:}" 2>/dev/null ;;
    header:*) echo "#include <${1#*:}>" | gcc -E - >/dev/null 2>&1 ;;
    esac
}

missing=
while read -r group package check; do
    case " $* " in
    *" $group "*) present "$check" || missing="$missing $package" ;;
    esac
done <<TABLE
$(echo "$packages" | grep .)
TABLE
missing=${missing# }
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends $missing"
advice="apt-get update && $install"

# apt_get PREFIX...: refresh the lists and install, waiting for another apt to end
apt_get() {
    "$@" apt-get -q -o DPkg::Lock::Timeout=300 update &&
        "$@" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing
}

if ! command -v apt-get >/dev/null 2>&1; then
    echo "spgm needs these packages (Debian's names), and this machine has no apt-get: $missing" >&2
    exit 1
fi
echo "Missing packages: $missing" >&2
if [ "$(id -u)" = 0 ]; then
    apt_get env >&2 && exit 0
    advice="Installing failed. When the network is back, run:    $advice"
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    apt_get sudo -n >&2 && exit 0
    advice="Installing failed. When the network is back, run:    sudo sh -c '$advice'"
elif command -v sudo >/dev/null 2>&1 && [ -t 0 ] && [ -z "${CI:-}" ]; then
    echo "sudo may ask for your password." >&2
    apt_get sudo >&2 && exit 0
    advice="sudo did not help. As root, run:    $advice"
else
    advice="As root, run:    $advice"
fi
printf '%s\nand then this command again.\n' "$advice" >&2
exit 1
