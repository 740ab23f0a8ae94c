# The front door. CMake does the work; this file saves you from knowing it.
#
#     make            build the library and the command line
#     make demo       build all that is needed and see spgm at work
#     make test       build and run every test: test-c and test-python
#     make test-c     those of the library and the command line; needs no Python
#     make test-python  those of the Python package, in an environment made in build/
#     make test-lto   the library built with link-time optimisation
#     make test-arm64 the library compiled for ARM64, its tests run by an emulator
#     make test-long  what takes minutes and is in none of them: the label `long` of ctest, the mark `long` of pytest
#     make bench      build and run the benchmarks
#     make mpi        spgm-mpi and libspgm-mpi, in build/mpi: rows spread over MPI processes
#     make mpi-test   the tests of spgm-mpi
#     make install    into PREFIX (default /usr/local), below DESTDIR if given
#     make uninstall  remove what the last `make install` wrote
#     make gates      sanitizers, valgrind, coverage, format, MPI: what CI runs besides the tests
#     make format     clang-format every C file
#     make namespace  give every new internal name its prefix, in src/base/namespace.h
#     make clean      remove build/
#     make help       this text
#
# Missing Debian packages are installed first, as root or through sudo; otherwise the line to run is printed.

PREFIX ?= /usr/local
DESTDIR ?=
PRESET ?= release
BUILD = build/$(PRESET)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=
# The library is compiled for several builds with the same flags: its own, the wheel, the tests of installing.
export CMAKE_C_COMPILER_LAUNCHER ?= $(shell command -v ccache)

.PHONY: all demo test test-c test-python test-long test-lto test-arm64 namespace bench mpi mpi-test install uninstall gates format clean help packages-build packages-test packages-bench
.DEFAULT_GOAL := all

packages-build:
	@tools/install-packages.sh build
packages-test:
	@tools/install-packages.sh build test
packages-bench:
	@tools/install-packages.sh build bench

# Ninja when it is there and the directory is new; a directory keeps the generator it was made with.
configure = cmake --preset $(PRESET) $(CMAKE_FLAGS) $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(if $(shell command -v ninja),-G Ninja))
build = cmake --build $(BUILD) --parallel $(JOBS)
quietly = > build/$(PRESET).log 2>&1 || { cat build/$(PRESET).log >&2; exit 1; }

all: packages-build
	@mkdir -p build
	@$(configure) $(quietly)
	@! grep -q 'cmocka was not found' build/$(PRESET).log || \
	echo "cmocka is missing, so unit, property and reference tests are not built: 'make test-c' installs it and runs them" >&2
	@$(build)

demo: packages-build
	@mkdir -p build
	@echo "Building spgm (the log is build/$(PRESET).log)"
	@$(configure) $(quietly)
	@$(build) --target spgm_cli >> build/$(PRESET).log 2>&1 || { cat build/$(PRESET).log >&2; exit 1; }
	@tools/demo.sh $(BUILD)/spgm

# What pip brings comes while the library is built and tested; where that fails, test-python says so.
test: packages-test
	@sh tools/python-env.sh fill > /dev/null 2>&1 & \
	$(MAKE) --no-print-directory test-c; tests=$$?; wait; \
	[ $$tests = 0 ] && $(MAKE) --no-print-directory test-python

test-c: packages-test
	@mkdir -p build
	@$(configure) $(quietly)
	@$(build)
	@ctest --test-dir $(BUILD) --parallel $(JOBS) --output-on-failure --label-exclude 'planted|long'

test-python: packages-build
	@mkdir -p build
	@$(configure) $(quietly)
	@$(build) --target spgm_cli >> build/$(PRESET).log 2>&1 || { cat build/$(PRESET).log >&2; exit 1; }
	@tools/python-test.sh $(BUILD)

test-lto: packages-test
	@tools/lto.sh

test-arm64:
	@tools/arm64.sh
# pytest ends with 5 where no test has the mark.
test-long: packages-test
	@mkdir -p build
	@$(configure) $(quietly)
	@$(build)
	@ctest --test-dir $(BUILD) --parallel $(JOBS) --output-on-failure --no-tests=error --label-regex long
	@tools/python-test.sh $(BUILD) -m long || [ $$? = 5 ]

bench: packages-bench all
	@$(build) --target bench
	@tools/bench.sh $(BUILD)

mpi:
	@tools/install-packages.sh build mpi
	@mkdir -p build
	@cmake -S . -B build/mpi $(CMAKE_FLAGS) $(if $(wildcard build/mpi/CMakeCache.txt),,$(if $(shell command -v ninja),-G Ninja)) -DSPGM_MPI=ON -DSPGM_TESTS=OFF > build/mpi.log 2>&1 || { cat build/mpi.log >&2; exit 1; }
	@cmake --build build/mpi --parallel $(JOBS) --target spgm_mpi spgm_mpi_program spgm_cli

mpi-test: mpi
	@tests/mpi/run.sh build/mpi

install: all
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"
	@cp $(BUILD)/install_manifest.txt build/installed.txt # the tests install too, elsewhere
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

uninstall:
	@tools/uninstall.sh build/installed.txt "$(DESTDIR)"

gates:
	@tools/gates.sh all

format:
	@clang-format-14 -i $$(git ls-files --cached --others --exclude-standard '*.c' '*.h')

namespace: packages-build
	@mkdir -p build
	@$(configure) $(quietly)
	@$(build) --target spgm_static spgm_io_static >> build/$(PRESET).log 2>&1 || { cat build/$(PRESET).log >&2; exit 1; }
	@tools/namespace.sh $(BUILD)

clean:
	@rm -rf build

help:
	@sed -n '/^$$/q; s/^# \{0,1\}//p' Makefile
