# MuJoCo models as impact problems: sets CAROM_HAS_MUJOCO, CAROM_MUJOCO_INCLUDE_DIR and
# CAROM_MUJOCO_LIBRARY. Only the headers are needed to build; the library is loaded at run time, so
# that one build works on machines with and without it.
set(CAROM_MUJOCO AUTO CACHE STRING "MuJoCo models: AUTO (if its headers are found), ON or OFF")
set_property(CACHE CAROM_MUJOCO PROPERTY STRINGS AUTO ON OFF)
set(CAROM_HAS_MUJOCO OFF)
string(TOUPPER "${CAROM_MUJOCO}" mujoco_wanted)
if(NOT mujoco_wanted MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CAROM_MUJOCO is \"${CAROM_MUJOCO}\" (must be AUTO, ON or OFF)")
endif()

if(NOT mujoco_wanted STREQUAL "OFF")
  # PyPI's wheel holds both; find_spec does not import it, which would load the library.
  execute_process(
    COMMAND ${CAROM_PYTHON} -c
            "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0])"
    OUTPUT_VARIABLE mujoco_wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_path(CAROM_MUJOCO_INCLUDE_DIR mujoco/mujoco.h
            HINTS ${mujoco_wheel}/include ENV MUJOCO_DIR PATH_SUFFIXES include)
  if(CAROM_MUJOCO_INCLUDE_DIR)
    # A library of the same version beside the headers, as in the wheel or in a release's folder.
    file(GLOB mujoco_libraries ${CAROM_MUJOCO_INCLUDE_DIR}/../libmujoco.so*
                               ${CAROM_MUJOCO_INCLUDE_DIR}/../lib/libmujoco.so*)
    set(mujoco_library "")
    if(mujoco_libraries)
      list(GET mujoco_libraries 0 mujoco_library)
      get_filename_component(mujoco_library ${mujoco_library} REALPATH)
    endif()
    set(CAROM_MUJOCO_LIBRARY "${mujoco_library}" CACHE FILEPATH "MuJoCo's library, tried at run time")
    mark_as_advanced(CAROM_MUJOCO_LIBRARY)
    set(CAROM_HAS_MUJOCO ON)
  elseif(mujoco_wanted STREQUAL "ON")
    message(FATAL_ERROR "CAROM_MUJOCO is ON, but mujoco/mujoco.h was not found. Install the wheel for "
                        "${CAROM_PYTHON} (pip install mujoco), set CAROM_MUJOCO_INCLUDE_DIR, or "
                        "configure with -DCAROM_MUJOCO=AUTO or OFF.")
  endif()
  mark_as_advanced(CAROM_MUJOCO_INCLUDE_DIR)
endif()

if(CAROM_HAS_MUJOCO)
  message(STATUS "MuJoCo models: on, headers in ${CAROM_MUJOCO_INCLUDE_DIR}")
else()
  message(STATUS "MuJoCo models: off (CAROM_MUJOCO=${CAROM_MUJOCO})")
endif()

# Adds to `target`, the library, what reads models, or what says that nothing does. An object library
# of its own keeps MuJoCo's headers away from everything else.
function(carom_add_mujoco target)
  if(NOT CAROM_HAS_MUJOCO)
    target_sources(${target} PRIVATE host/problem/mujoco/no_mujoco.cpp)
    return()
  endif()
  file(GLOB mujoco_sources CONFIGURE_DEPENDS host/problem/mujoco/*.cpp host/roll/mujoco/*.cpp)
  list(FILTER mujoco_sources EXCLUDE REGEX "/no_mujoco.cpp$")
  add_library(carom_mujoco OBJECT ${mujoco_sources})
  carom_set_flags(carom_mujoco)
  carom_join_folders(carom_mujoco)
  target_include_directories(carom_mujoco PRIVATE ${PROJECT_SOURCE_DIR} include ${RANDOM123_INCLUDE_DIR})
  target_include_directories(carom_mujoco SYSTEM PRIVATE ${CAROM_MUJOCO_INCLUDE_DIR})
  target_compile_definitions(carom_mujoco PRIVATE CAROM_MUJOCO_LIBRARY="${CAROM_MUJOCO_LIBRARY}")
  target_link_libraries(carom_mujoco PRIVATE Eigen3::Eigen fmt::fmt)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:carom_mujoco>)
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
