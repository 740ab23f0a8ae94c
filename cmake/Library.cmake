# libspgm.so and libspgm.a. Nothing but spgm_* may be seen from outside either of them; tests/gates checks it.
add_library(spgm SHARED $<TARGET_OBJECTS:spgm_core>)
target_link_libraries(spgm PRIVATE spgm_internal)
set_target_properties(spgm PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
if(NOT SPGM_SANITIZE)
  target_link_options(spgm PRIVATE -Wl,--no-undefined)
endif()

# An archive cannot hide a name that two of its members share, so the members become one object first.
set(merged ${CMAKE_CURRENT_BINARY_DIR}/spgm_merged.o)
add_custom_command(OUTPUT ${merged}
  COMMAND ${CMAKE_LINKER} -r -o ${merged} $<TARGET_OBJECTS:spgm_core>
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${merged}
  DEPENDS spgm_core $<TARGET_OBJECTS:spgm_core>
  COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Merging the objects of libspgm.a")
set_source_files_properties(${merged} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_library(spgm_static STATIC ${merged})
set_target_properties(spgm_static PROPERTIES OUTPUT_NAME spgm LINKER_LANGUAGE C)
target_compile_definitions(spgm_static INTERFACE SPGM_STATIC)
target_link_libraries(spgm_static PRIVATE PkgConfig::ARCHIVE PkgConfig::ZLIB PkgConfig::JANSSON Threads::Threads m)

foreach(library spgm spgm_static)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  add_library(spgm::${library} ALIAS ${library})
endforeach()
