# What `make install` puts where. Everything is relocatable: the prefix may be chosen at install time.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spgm)
set(headers include/spgm/spgm.h include/spgm/options.def)
set(pc_files spgm)
if(SPGM_IO)
  list(APPEND headers include/spgm/io.h)
  list(APPEND pc_files spgm-io)
endif()
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spgm)
if(SPGM_MPI)
  install(TARGETS spgm_mpi spgm_mpi_program)
  install(FILES include/spgm/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spgm)
endif()
# One file of targets for each library and kind: a consumer who lacks libarchive still finds the solver.
foreach(library ${SPGM_LIBRARIES})
  if(library MATCHES "_static$" AND NOT SPGM_INSTALL_STATIC)
    continue()
  endif()
  install(TARGETS ${library} EXPORT ${library}-targets)
  install(EXPORT ${library}-targets NAMESPACE spgm:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/spgmConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/spgmConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(spgmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spgmConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/spgmConfigVersion.cmake
  DESTINATION ${package_dir})

# What the archives need is private as long as there are shared libraries, which know it themselves.
file(RELATIVE_PATH SPGM_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
if(SPGM_BUILD_SHARED)
  set(private _PRIVATE)
endif()
set(SPGM_PC_LIBS${private} "${SPGM_THREADS_FLAG} -lm")
set(SPGM_PC_REQUIRES${private} "libarchive zlib jansson")
foreach(name ${pc_files})
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET spgm_cli)
  install(TARGETS spgm_cli)
  # The manual is written by the command line itself, from the tables that --help uses.
  add_custom_command(OUTPUT spgm.1 COMMAND spgm_cli --man > spgm.1 DEPENDS spgm_cli COMMENT "Writing spgm.1")
  add_custom_target(man ALL DEPENDS spgm.1)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spgm.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  # And so is completion, where bash, zsh and fish look for it.
  foreach(shell bash zsh fish)
    add_custom_command(OUTPUT completion.${shell} COMMAND spgm_cli --completion ${shell} > completion.${shell}
      DEPENDS spgm_cli COMMENT "Writing completion for ${shell}")
  endforeach()
  add_custom_target(completion ALL DEPENDS completion.bash completion.zsh completion.fish)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.bash RENAME spgm
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.zsh RENAME _spgm
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion.fish RENAME spgm.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
