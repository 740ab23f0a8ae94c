# What `make install` puts where. Everything is relocatable: the prefix may be chosen at install time.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spgm)
install(TARGETS spgm EXPORT spgmSharedTargets)
install(TARGETS spgm_static EXPORT spgmStaticTargets)
install(DIRECTORY include/spgm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(kind Shared Static)
  install(EXPORT spgm${kind}Targets NAMESPACE spgm:: DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/spgmConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/spgmConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(spgmConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spgmConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/spgmConfigVersion.cmake
  DESTINATION ${package_dir})

file(RELATIVE_PATH SPGM_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
foreach(name spgm spgm-static)
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
endif()
