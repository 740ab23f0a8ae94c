# For scripts of the root to source: an environment in build/python with the package in it.
#
#     . tools/python-env.sh            sets $python_here, the interpreter that sees spgm and all that its tests need
#     sh tools/python-env.sh fill      only what pip brings, for the time in which something else is built
#
# It is filled by pip, and the package installed into it as users do. Where PyPI cannot be reached, it sees Debian's own
# NumPy, SciPy, scikit-learn and pytest instead, and CMake builds the extension. SPGM_PYTHON_OFFLINE=1 chooses the second
# way at once.
venv=$PWD/build/python
log=$PWD/build/python.log
python_here=$venv/bin/python
is_fill= # packages of the system are not installed behind somebody's back
[ "${1:-}" != fill ] || is_fill=1

# usable PYTHON: 3.10 or later, able to make environments and to build extensions
usable() {
    "$1" -c '
import ensurepip, os, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 10) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' 2>/dev/null
}

# new_environment PYTHON [FLAG]: unless the one that is there was made by the same
new_environment() {
    wanted="$($1 -c 'import sys; print(sys.version)') ${2:-}"
    [ "$(cat "$venv/made-by" 2>/dev/null)" = "$wanted" ] && return
    rm -rf "$venv"
    "$1" -m venv ${2:-} "$venv" || return 1
    echo "$wanted" >"$venv/made-by"
}

# Without bytecode: most of what is installed is never imported.
pip_install() {
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-compile "$@"
}

from_pypi() {
    [ -z "${SPGM_PYTHON_OFFLINE:-}" ] || return 1
    python=python3
    usable python3 || python=/usr/bin/python3
    usable "$python" || { [ -z "$is_fill" ] && tools/install-packages.sh python; } || return 1
    new_environment "$python" || return 1
    stamp=$venv/filled-for-$(cksum <pyproject.toml | tr ' ' -)
    if [ ! -f "$stamp" ]; then
        needs=$("$python_here" tools/python-requirements.py pyproject.toml)
        # shellcheck disable=SC2086
        pip_install --retries 1 --timeout 20 $needs || return 1
        touch "$stamp"
    fi
}

# The compiler of the tests, by the same name, and warnings as errors where they have them: then a compiler cache has the
# objects of the wheel already.
install_package() {
    made_by=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' build/release/CMakeCache.txt 2>/dev/null)
    [ -z "$made_by" ] || export CC="$made_by"
    if grep -qs '^SPGM_WERROR:BOOL=ON' build/release/CMakeCache.txt; then CMAKE_ARGS="${CMAKE_ARGS:-} -DSPGM_WERROR=ON"; fi
    export CMAKE_ARGS="${CMAKE_ARGS:-}" CMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER-$(command -v ccache)}"
    pip_install --no-deps --no-build-isolation --force-reinstall --config-settings build-dir=build/python-wheel . \
        >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
}

from_debian() {
    tools/install-packages.sh build python python-offline
    new_environment /usr/bin/python3 --system-site-packages
    generator=
    command -v ninja >/dev/null && generator="-G Ninja"
    # shellcheck disable=SC2086
    { cmake -S . -B build/python-offline $generator -DSPGM_TESTS=OFF -DSPGM_PYTHON=ON \
        -DPython_EXECUTABLE="$python_here" && cmake --build build/python-offline --target spgm_python --parallel
    } >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    rm -rf build/python-offline/package
    mkdir build/python-offline/package
    cp -r bindings/python/spgm build/python-offline/package
    cp --remove-destination build/python-offline/bindings/python/spgm/_spgm*.so build/python-offline/package/spgm/
    PYTHONPATH=$PWD/build/python-offline/package
    export PYTHONPATH
}

mkdir -p build
if [ -n "$is_fill" ]; then
    from_pypi
elif from_pypi; then
    install_package
else
    echo "PyPI cannot be reached: using Debian's packages" >&2
    from_debian
fi
