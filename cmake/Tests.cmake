# Every test is found by its place and name; nothing needs to be listed here.
#   tests/{unit,property,reference}/test_X.c   cmocka, linked with all internal names
#   tests/fault/test_X.c                        the same with an allocator and a read() that fail on demand
#   tests/fuzz/fuzz_X.c                         replays tests/fuzz/corpus/X
#   tests/cli/GROUP/NAME.sh                     the command line against expected output; quick: `paper --quick`, end to end
#   tests/install/run.sh                        consumers built against an installed tree
#   tests/readme/run.sh                         the README's program and commands
#   tools/check-layers.sh                       no file includes what is above it
#   tools/namespace.sh                          every internal name has its prefix
#   tests/gates/plant_X.c                       faults that the gates must find: label `planted`, never in a plain run
#   tests/long/test_X.c                         cmocka, minutes: label `long`, only in `make test-long`
enable_testing()
# Slow builds, in which tests do a part of their work (tests/share.h).
if(SPGM_SANITIZE OR SPGM_COVERAGE OR SPGM_TEST_LAUNCHER)
  set(instrumented ON)
else()
  set(instrumented OFF)
endif()
set(races OFF) # is it the race detector?
if(SPGM_SANITIZE STREQUAL thread)
  set(races ON)
endif()
set(SPGM_TEST_ENVIRONMENT "SPGM_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
if(instrumented)
  list(APPEND SPGM_TEST_ENVIRONMENT SPGM_INSTRUMENTED=1) # tests/cli/lib.sh
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/../shared)
  get_filename_component(shared ${PROJECT_SOURCE_DIR}/../shared REALPATH)
  list(APPEND SPGM_TEST_ENVIRONMENT "SPGM_SHARED=${shared}")
endif()

# Huge requests must fail as they do without a sanitizer; a finding ends the test.
list(APPEND SPGM_TEST_ENVIRONMENT
  "ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:strict_string_checks=1"
  "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
  "TSAN_OPTIONS=allocator_may_return_null=1:halt_on_error=1")

set(timeout 600)
if(CMAKE_CROSSCOMPILING) # an emulator takes its time
  set(timeout 3600)
endif()

# spgm_test(NAME LABEL COMMAND...)
function(spgm_test name label)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout} ENVIRONMENT "${SPGM_TEST_ENVIRONMENT}")
endfunction()

# spgm_test_program(NAME SOURCES...): an executable that sees every internal name
function(spgm_test_program name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # Half the time to build; what they test keeps its own.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(SPGM_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  target_compile_definitions(${name} PRIVATE SPGM_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    $<$<BOOL:${instrumented}>:SPGM_INSTRUMENTED> $<$<BOOL:${races}>:SPGM_RACES>)
  target_link_libraries(${name} PRIVATE spgm_internal spgm_io_needs $<IF:$<BOOL:${SPGM_IO}>,spgm_io_static,spgm_static>)
endfunction()

# spgm_test_sources(VARIABLE PATTERN): those files, without the ones that need a library which is not built
function(spgm_test_sources variable pattern)
  file(GLOB sources CONFIGURE_DEPENDS ${pattern})
  foreach(source ${sources})
    file(STRINGS ${source} io REGEX "#include \"(io/|spgm/io|unit/io_|fuzz/)" LIMIT_COUNT 1)
    if(io AND NOT SPGM_IO)
      list(REMOVE_ITEM sources ${source})
    endif()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
if(CMOCKA_FOUND)
  foreach(label unit property reference long)
    spgm_test_sources(sources tests/${label}/test_*.c)
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      spgm_test_program(${name} ${source})
      target_link_libraries(${name} PRIVATE PkgConfig::CMOCKA)
      spgm_test(${name} ${label} ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
      file(STRINGS ${source} threads REGEX "threads([^\"]|\", \"?[^1\" ])|\"group.h\"" LIMIT_COUNT 1)
      if(threads) # the race detector runs those that mention more than one, or play processes
        set_property(TEST ${name} APPEND PROPERTY LABELS threads)
      endif()
    endforeach()
  endforeach()
  # More cases of what a plain run has some of.
  spgm_test(test_fit_long long ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:test_fit>)
  set_property(TEST test_fit_long APPEND PROPERTY ENVIRONMENT SPGM_FIT_CASES=20000)
  spgm_test(test_fit_proof_long long ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:test_fit_proof>)
  set_property(TEST test_fit_proof_long APPEND PROPERTY ENVIRONMENT SPGM_FIT_CASES=9900)
  spgm_test(test_fit_losses_long long ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:test_fit_losses>)
  set_property(TEST test_fit_losses_long APPEND PROPERTY ENVIRONMENT SPGM_FIT_CASES=22000)
  spgm_test(test_exact_long long ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:test_exact>)
  set_property(TEST test_exact_long APPEND PROPERTY ENVIRONMENT SPGM_EXACT_CASES=10000 SPGM_EXACT_FIRST=1000000)
else()
  # The Makefile looks for this sentence, and ctest shows a test that is skipped: a green run would say too much.
  message(WARNING "cmocka was not found: only the tests that do not need it are built (install libcmocka-dev)")
  spgm_test(unit_tests_are_not_built unit sh -c "echo 'cmocka was not found: install libcmocka-dev' && exit 77")
  set_property(TEST unit_tests_are_not_built PROPERTY SKIP_RETURN_CODE 77)
endif()

# Plainly built, the fault tests define malloc and free themselves and so fail the allocations of libarchive and
# jansson too. A sanitizer or valgrind owns malloc: there only the calls of libspgm are wrapped.
if(SPGM_SANITIZE OR SPGM_TEST_LAUNCHER)
  set(injector tests/fault/inject_wrap.c)
  set(injector_link -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign
    -Wl,--wrap=strdup,--wrap=strndup)
else()
  set(injector tests/fault/inject_interpose.c)
  set(injector_link "")
endif()
spgm_test_sources(sources tests/fault/test_*.c)
file(GLOB common CONFIGURE_DEPENDS tests/fault/common*.c)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  spgm_test_program(${name} ${source} ${common} ${injector})
  target_link_options(${name} PRIVATE ${injector_link})
  set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET default) # hidden, malloc would stay our own alone
  spgm_test(${name} fault ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
endforeach()
spgm_test(test_fault_solve_long long ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:test_fault_solve>)
set_property(TEST test_fault_solve_long APPEND PROPERTY ENVIRONMENT SPGM_FAULT_STRIDE=1)

spgm_test_sources(sources tests/fuzz/fuzz_*.c)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "fuzz_" "" target ${name})
  spgm_test_program(${name} ${source} tests/fuzz/replay_main.c)
  spgm_test(${name} fuzz ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:${name}> ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${target})
endforeach()

file(GLOB cases CONFIGURE_DEPENDS tests/cli/*/*.sh)
if(TARGET spgm_cli)
  list(TRANSFORM cases REPLACE ".*/([^/]+)/[^/]+$" "\\1" OUTPUT_VARIABLE groups)
  list(REMOVE_DUPLICATES groups)
  if(instrumented)
    list(REMOVE_ITEM groups quick) # the long one; `paper` has the same program in pieces
  endif()
  foreach(group ${groups})
    spgm_test(cli_${group} cli ${PROJECT_SOURCE_DIR}/tests/cli/run.sh $<TARGET_FILE:spgm_cli> ${group})
  endforeach()
  # The longest of them takes a part in the ordinary run; all of it is a long test.
  if(TEST cli_quick)
    set_property(TEST cli_quick APPEND PROPERTY ENVIRONMENT SPGM_TEST_SUBSET=l1/random-256-1024,linf/random-256-1024-C)
  endif()
  spgm_test(cli_quick_whole long ${PROJECT_SOURCE_DIR}/tests/cli/run.sh $<TARGET_FILE:spgm_cli> quick)
endif()

foreach(source ${SPGM_EXAMPLES})
  get_filename_component(name ${source} NAME_WE)
  spgm_test(example_${name} example ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:example_${name}>)
endforeach()

spgm_test(layers unit ${PROJECT_SOURCE_DIR}/tools/check-layers.sh)

# Consumers need a library without a sanitizer's run time, and all of it; kernels differ by processor.
if(SPGM_IO AND SPGM_BUILD_SHARED AND SPGM_INSTALL_STATIC AND NOT instrumented AND NOT CMAKE_CROSSCOMPILING)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    spgm_test(namespace unit ${PROJECT_SOURCE_DIR}/tools/namespace.sh --check ${PROJECT_BINARY_DIR})
  endif()
  set(run ${PROJECT_SOURCE_DIR}/tests/install/run.sh)
  foreach(step tree header symbols loads cmake version pkg_config own_names one_kind command_line uninstall)
    spgm_test(install_${step} install ${run} ${step} ${PROJECT_BINARY_DIR})
    set_tests_properties(install_${step} PROPERTIES FIXTURES_REQUIRED installed)
  endforeach()
  set_tests_properties(install_tree PROPERTIES FIXTURES_REQUIRED "" FIXTURES_SETUP installed)
  if(TARGET spgm_cli)
    spgm_test(readme cli ${PROJECT_SOURCE_DIR}/tests/readme/run.sh ${PROJECT_BINARY_DIR})
  endif()
endif()

# The longest first, so that no core waits for one at the end.
foreach(name cli_cv cli_paper cli_fit test_linop test_auto test_fault_solve test_path test_distributed test_beside test_optima test_exact_long)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endforeach()

file(GLOB sources CONFIGURE_DEPENDS tests/gates/plant_*.c)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE spgm_flags Threads::Threads)
  spgm_test(${name} planted ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
endforeach()
set_target_properties(plant_warning PROPERTIES EXCLUDE_FROM_ALL ON)
target_link_libraries(plant_uncovered PRIVATE spgm_counted)

# A wrong sign in the bound of branch and bound, for the tests of it.
if(CMOCKA_FOUND)
  spgm_test_program(plant_sign tests/property/test_exact.c src/search/exact/dual.c)
  target_compile_definitions(plant_sign PRIVATE SPGM_PLANT_SIGN)
  target_link_libraries(plant_sign PRIVATE PkgConfig::CMOCKA)
  spgm_test(plant_sign planted ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:plant_sign>)
endif()

spgm_test_program(plant_fault tests/fault/plant_fault.c ${common} ${injector})
target_link_options(plant_fault PRIVATE ${injector_link})
spgm_test(plant_fault planted ${SPGM_TEST_LAUNCHER} $<TARGET_FILE:plant_fault>)
