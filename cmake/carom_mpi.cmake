# Runs on many machines: sets CAROM_HAS_MPI. Only the command line links MPI, never the library.
set(CAROM_MPI AUTO CACHE STRING "MPI for carom under mpirun: AUTO (if it is found), ON or OFF")
set_property(CACHE CAROM_MPI PROPERTY STRINGS AUTO ON OFF)
set(CAROM_HAS_MPI OFF)
string(TOUPPER "${CAROM_MPI}" mpi_wanted)
if(NOT mpi_wanted MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CAROM_MPI is \"${CAROM_MPI}\" (must be AUTO, ON or OFF)")
endif()

if(NOT mpi_wanted STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX ON)  # the C interface only
  find_package(MPI 3.0 COMPONENTS CXX QUIET)
  if(MPI_CXX_FOUND)
    set(CAROM_HAS_MPI ON)
  elseif(mpi_wanted STREQUAL "ON")
    message(FATAL_ERROR "CAROM_MPI is ON, but no MPI was found (Debian: libopenmpi-dev openmpi-bin). "
                        "Or configure with -DCAROM_MPI=AUTO or OFF.")
  endif()
endif()

if(CAROM_HAS_MPI)
  message(STATUS "MPI: on, version ${MPI_CXX_VERSION}; mpirun is ${MPIEXEC_EXECUTABLE}")
else()
  message(STATUS "MPI: off (CAROM_MPI=${CAROM_MPI}); carom runs on one machine")
endif()
