# carom::hdf5, after find_package(HDF5 COMPONENTS CXX). CMake's own targets would need the C language
# enabled in every consumer, and carry definitions of HDF5 1.6.
if(NOT TARGET carom::hdf5)
  set(carom_hdf5_libraries ${HDF5_CXX_LIBRARIES})
  if(NOT HDF5_USE_STATIC_LIBRARIES)
    # The rest (libcurl, libcrypto, ...) is what the shared libraries link themselves.
    list(FILTER carom_hdf5_libraries INCLUDE REGEX "hdf5")
  endif()
  add_library(carom::hdf5 INTERFACE IMPORTED)
  set_target_properties(carom::hdf5 PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5_CXX_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "${carom_hdf5_libraries}")
endif()
