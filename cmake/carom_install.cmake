# cmake --install: library, headers, executable, find_package(carom), scenarios and plotting code.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
set(carom_is_static ON)
if(BUILD_SHARED_LIBS)
  set(carom_is_static OFF)
endif()

install(TARGETS carom EXPORT caromTargets)
install(TARGETS carom_cli)
install(DIRECTORY include/carom TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(EXPORT caromTargets NAMESPACE carom:: DESTINATION ${config_dir})
configure_package_config_file(cmake/caromConfig.cmake.in caromConfig.cmake
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/caromConfig.cmake ${PROJECT_BINARY_DIR}/caromConfigVersion.cmake
              cmake/carom_hdf5.cmake
        DESTINATION ${config_dir})
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)
install(DIRECTORY python/carom DESTINATION ${CMAKE_INSTALL_DATADIR}/carom/python
        FILES_MATCHING PATTERN "*.py")
