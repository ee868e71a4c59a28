# The Python package: sets CAROM_HAS_PYTHON_PACKAGE. build/<preset>/python/carom is importable; pip
# and scikit-build-core (pyproject.toml) install the same with the libraries it needs.
set(CAROM_PYTHON_PACKAGE AUTO CACHE STRING "Python package: AUTO (if nanobind is found), ON or OFF")
set_property(CACHE CAROM_PYTHON_PACKAGE PROPERTY STRINGS AUTO ON OFF)
set(CAROM_HAS_PYTHON_PACKAGE OFF)
set(CAROM_PYTHON_TREE ${PROJECT_BINARY_DIR}/python)
string(TOUPPER "${CAROM_PYTHON_PACKAGE}" package_wanted)
if(NOT package_wanted MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CAROM_PYTHON_PACKAGE is \"${CAROM_PYTHON_PACKAGE}\" (must be AUTO, ON or OFF)")
endif()

# Sets `why` to what is missing; empty if the package can be built.
macro(carom_find_nanobind why)
  set(${why} "")
  if(DEFINED SKBUILD)
    set(interpreter ${Python_EXECUTABLE})
  else()
    set(interpreter ${CAROM_PYTHON})
    set(Python_EXECUTABLE ${CAROM_PYTHON})
    if(NOT IS_ABSOLUTE "${Python_EXECUTABLE}")
      find_program(Python_EXECUTABLE ${CAROM_PYTHON})
    endif()
  endif()
  execute_process(COMMAND ${interpreter} -m nanobind --cmake_dir
                  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE nanobind_result ERROR_QUIET)
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module QUIET)
  if(NOT nanobind_result EQUAL 0)
    set(${why} "${interpreter} has no nanobind; tools/setup.sh installs it")
  elseif(NOT Python_Development.Module_FOUND)
    set(${why} "Python.h was not found; Debian: python3-dev")
  endif()
endmacro()

# In the build tree the package is the extension beside links to the source, so that an edit of the
# source needs no build.
function(carom_link_package tree)
  file(MAKE_DIRECTORY ${tree}/carom)
  file(GLOB modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/carom/*.py
                                      ${PROJECT_SOURCE_DIR}/python/carom/py.typed)
  foreach(module IN LISTS modules)
    get_filename_component(name ${module} NAME)
    file(CREATE_LINK ${module} ${tree}/carom/${name} COPY_ON_ERROR SYMBOLIC)
  endforeach()
endfunction()

function(carom_add_extension)
  find_package(nanobind CONFIG REQUIRED)
  file(GLOB bindings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/bindings/*.cpp)
  nanobind_add_module(carom_core NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${bindings})
  carom_set_flags(carom_core)
  carom_join_files(carom_core)
  target_include_directories(carom_core PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(carom_core PRIVATE carom fmt::fmt)
  set_target_properties(carom_core PROPERTIES OUTPUT_NAME _core
                                              LIBRARY_OUTPUT_DIRECTORY ${CAROM_PYTHON_TREE}/carom)
  nanobind_add_stub(carom_stub MODULE _core OUTPUT ${CAROM_PYTHON_TREE}/carom/_core.pyi
                    PYTHON_PATH ${CAROM_PYTHON_TREE}/carom DEPENDS carom_core)
  add_dependencies(carom_package carom_core carom_stub)
endfunction()

# What a wheel holds: the extension, its stub and the command, with the shared libraries that they
# need in carom/lib (cmake/bundle_libraries.cmake).
function(carom_install_wheel)
  install(TARGETS carom_core LIBRARY DESTINATION carom COMPONENT wheel)
  install(FILES ${CAROM_PYTHON_TREE}/carom/_core.pyi DESTINATION carom COMPONENT wheel)
  install(TARGETS carom_cli RUNTIME DESTINATION carom/bin COMPONENT wheel)
  find_program(PATCHELF_PROGRAM patchelf REQUIRED)
  mark_as_advanced(PATCHELF_PROGRAM)
  install(CODE "set(patchelf \"${PATCHELF_PROGRAM}\")\n
                include(\"${PROJECT_SOURCE_DIR}/cmake/bundle_libraries.cmake\")\n
                carom_bundle_libraries(\"\${CMAKE_INSTALL_PREFIX}/carom\"
                                       carom/$<TARGET_FILE_NAME:carom_core> carom/bin/carom)"
          COMPONENT wheel)
endfunction()

add_custom_target(carom_package)
if(NOT package_wanted STREQUAL "OFF")
  carom_find_nanobind(package_missing)
  if(package_missing STREQUAL "")
    set(CAROM_HAS_PYTHON_PACKAGE ON)
    carom_link_package(${CAROM_PYTHON_TREE})
    carom_add_extension()
    if(DEFINED SKBUILD)
      carom_install_wheel()
    endif()
    message(STATUS "Python package: on, for ${Python_EXECUTABLE} ${Python_VERSION}, in ${CAROM_PYTHON_TREE}")
  elseif(package_wanted STREQUAL "ON")
    message(FATAL_ERROR "CAROM_PYTHON_PACKAGE is ON, but ${package_missing}")
  else()
    message(STATUS "Python package: off (${package_missing})")
  endif()
else()
  message(STATUS "Python package: off (CAROM_PYTHON_PACKAGE=OFF)")
endif()
