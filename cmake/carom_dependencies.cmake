# Finds every library, and says at once which Debian packages would bring the missing ones.
set(carom_missing "")

macro(carom_find_package debian_package name)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND carom_missing "  ${name} (Debian: ${debian_package})")
  endif()
endmacro()

macro(carom_find_header debian_package variable header)
  find_path(${variable} ${header})
  mark_as_advanced(${variable})
  if(NOT ${variable})
    list(APPEND carom_missing "  ${header} (Debian: ${debian_package})")
  endif()
endmacro()

carom_find_package(libeigen3-dev Eigen3 3.4)
carom_find_package(libfmt-dev fmt)
carom_find_package(libtbb-dev TBB)
carom_find_package(libhdf5-dev HDF5 COMPONENTS CXX)
carom_find_package(zlib1g-dev ZLIB)
carom_find_package(libcli11-dev CLI11)
carom_find_package(libtomlplusplus-dev tomlplusplus)
carom_find_package(nlohmann-json3-dev nlohmann_json)
carom_find_package(libnanoflann-dev nanoflann)
carom_find_package(libboost-dev Boost 1.71)  # its Math and its table of Sobol' directions
carom_find_header(librandom123-dev RANDOM123_INCLUDE_DIR Random123/philox.h)
carom_find_header(libxxhash-dev XXHASH_INCLUDE_DIR xxhash.h)
if(CAROM_TESTS)
  carom_find_package(libgtest-dev GTest)
  carom_find_package(librapidcheck-dev rapidcheck)
endif()
find_package(benchmark QUIET)

if(carom_missing)
  list(JOIN carom_missing "\n" carom_missing)
  message(FATAL_ERROR "Carom needs libraries that were not found:\n${carom_missing}\n"
                      "On Debian or Ubuntu, tools/setup.sh installs them.")
endif()
include(carom_hdf5)

# `carom plot` runs a Python that has these modules. Debian's python3-h5py and python3-matplotlib
# belong to /usr/bin/python3, whatever `python3` on PATH is; .venv (tools/setup.sh) sees them, too.
if(NOT CAROM_PYTHON)
  foreach(candidate ${PROJECT_SOURCE_DIR}/.venv/bin/python /usr/bin/python3 python3)
    execute_process(COMMAND ${candidate} -c "import h5py, matplotlib, numpy"
                    RESULT_VARIABLE import_result OUTPUT_QUIET ERROR_QUIET)
    if(import_result EQUAL 0)
      set(CAROM_PYTHON ${candidate} CACHE STRING "Python with h5py, matplotlib and numpy")
      break()
    endif()
  endforeach()
endif()
if(CAROM_PYTHON)
  message(STATUS "Python for plots: ${CAROM_PYTHON}")
else()
  message(WARNING "No python3 with h5py, matplotlib and numpy was found: `carom plot` will need the "
                  "environment variable CAROM_PYTHON. (Debian: python3-h5py python3-matplotlib)")
  set(CAROM_PYTHON python3)
endif()
