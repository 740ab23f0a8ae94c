# libspgm solves and needs libm and threads only; libspgm-io reads and writes files and is built on it.
#
#   spgm, spgm_io                  the shared libraries; static ones with BUILD_SHARED_LIBS=OFF
#   spgm_static, spgm_io_static    the archives, which the command line, the Python extension and the tests carry
#
# Both kinds are built and installed unless BUILD_SHARED_LIBS asks for one. Objects are compiled once and go both ways.
# Nothing but spgm_* may be seen from outside, in an archive too: tools/namespace.sh and tests/install check it.
set(SPGM_BUILD_SHARED ON)
set(SPGM_INSTALL_STATIC ON)
if(DEFINED BUILD_SHARED_LIBS)
  set(SPGM_BUILD_SHARED ${BUILD_SHARED_LIBS})
  if(BUILD_SHARED_LIBS)
    set(SPGM_INSTALL_STATIC OFF) # still built for those who carry it, but not installed
  endif()
endif()

# Small, without state, and in libspgm-io.so a second time: it cannot see the hidden names of libspgm.so.
set(base_sources src/base/memory.c src/base/number.c src/base/random.c src/base/status.c)
list(TRANSFORM base_sources PREPEND ${PROJECT_SOURCE_DIR}/)
file(GLOB io_sources CONFIGURE_DEPENDS src/io/*.c)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/*.c)
file(GLOB mpi_sources CONFIGURE_DEPENDS src/mpi/*.c)
list(REMOVE_ITEM sources ${base_sources} ${io_sources} ${mpi_sources})

add_library(spgm_base OBJECT ${base_sources})
target_link_libraries(spgm_base PRIVATE spgm_internal spgm_counted)
if(SPGM_SANITIZE OR SPGM_TEST_LAUNCHER)
  target_compile_definitions(spgm_base PRIVATE SPGM_EXACT_MEMORY) # src/base/memory.c
endif()
add_library(spgm_core OBJECT ${sources})
target_compile_definitions(spgm_core PRIVATE SPGM_VERSION="${SPGM_VERSION}")
target_link_libraries(spgm_core PRIVATE spgm_internal spgm_counted ${SPGM_THREADS})

# Before 1.0 a minor version may change the interface, so the name that programs load has both numbers, as the rule of
# spgmConfigVersion.cmake (SameMinorVersion). From 1.0 on: PROJECT_VERSION_MAJOR and SameMajorVersion.
set(SPGM_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# spgm_shared(NAME FILE): what every shared library of ours has
function(spgm_shared name file)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${file} VERSION ${PROJECT_VERSION} SOVERSION ${SPGM_SOVERSION})
  if(NOT SPGM_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()

add_library(spgm_static STATIC $<TARGET_OBJECTS:spgm_core> $<TARGET_OBJECTS:spgm_base>)
set_target_properties(spgm_static PROPERTIES OUTPUT_NAME spgm)
target_compile_definitions(spgm_static INTERFACE SPGM_STATIC)
target_link_libraries(spgm_static PRIVATE ${SPGM_THREADS} m)
set(SPGM_LIBRARIES spgm_static)
if(SPGM_BUILD_SHARED)
  add_library(spgm SHARED $<TARGET_OBJECTS:spgm_core> $<TARGET_OBJECTS:spgm_base>)
  spgm_shared(spgm spgm)
  target_link_libraries(spgm PRIVATE spgm_flags ${SPGM_THREADS} m)
  list(APPEND SPGM_LIBRARIES spgm)
endif()

if(SPGM_IO)
  add_library(spgm_io_core OBJECT ${io_sources})
  target_link_libraries(spgm_io_core PRIVATE spgm_internal spgm_counted spgm_io_needs)
  add_library(spgm_io_static STATIC $<TARGET_OBJECTS:spgm_io_core>)
  set_target_properties(spgm_io_static PROPERTIES OUTPUT_NAME spgm-io)
  target_link_libraries(spgm_io_static PUBLIC spgm_static PRIVATE PkgConfig::ARCHIVE PkgConfig::ZLIB PkgConfig::JANSSON)
  list(APPEND SPGM_LIBRARIES spgm_io_static)
  if(SPGM_BUILD_SHARED)
    add_library(spgm_io SHARED $<TARGET_OBJECTS:spgm_io_core> $<TARGET_OBJECTS:spgm_base>)
    spgm_shared(spgm_io spgm-io)
    target_link_libraries(spgm_io PUBLIC spgm PRIVATE spgm_flags spgm_io_needs m)
    list(APPEND SPGM_LIBRARIES spgm_io)
  endif()
endif()

foreach(library ${SPGM_LIBRARIES})
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  add_library(spgm::${library} ALIAS ${library})
  string(REPLACE "_static" "" name ${library})
  if(NOT SPGM_BUILD_SHARED)
    add_library(${name} ALIAS ${library})
    add_library(spgm::${name} ALIAS ${library})
  endif()
endforeach()
