# What every C file of the project is compiled with. Portable code only: kernels for newer processors are chosen at
# run time, and no flag may let the compiler reorder floating-point sums.
add_library(spgm_flags INTERFACE)
target_compile_definitions(spgm_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(spgm_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -ffp-contract=off -fopenmp-simd)
target_include_directories(spgm_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
if(SPGM_WERROR)
  target_compile_options(spgm_flags INTERFACE -Werror)
endif()
# An archive built with link-time optimisation must also serve programs that do without.
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(spgm_flags INTERFACE -ffat-lto-objects)
endif()
if(SPGM_SANITIZE)
  # A short memcmp that the compiler turns into loads is not checked; a call of it is.
  # What is read or written through a null pointer or beyond an object is the address sanitizer's to find.
  set(sanitize -fsanitize=${SPGM_SANITIZE} -fno-sanitize=null,object-size -fno-sanitize-recover=all
    -fno-omit-frame-pointer -fno-builtin-memcmp)
  target_compile_options(spgm_flags INTERFACE ${sanitize})
  target_link_options(spgm_flags INTERFACE ${sanitize})
endif()
# What is counted: the library, not its tests.
add_library(spgm_counted INTERFACE)
if(SPGM_COVERAGE)
  # Threads may lose counts of each other, but never the first: enough to tell which lines were executed.
  target_compile_options(spgm_counted INTERFACE --coverage -fprofile-update=single)
  target_link_options(spgm_flags INTERFACE --coverage)
endif()
