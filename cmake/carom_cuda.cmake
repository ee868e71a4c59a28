# Decides whether the CUDA backend is built: sets CAROM_HAS_CUDA and enables the language.
set(CAROM_HAS_CUDA OFF)
string(TOUPPER "${CAROM_CUDA}" cuda_wanted)
if(NOT cuda_wanted MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "CAROM_CUDA is \"${CAROM_CUDA}\" (must be AUTO, ON or OFF)")
endif()

# A compiler's minutes are worth it where a GPU is: its driver's device, or its entry in WSL.
set(cuda_reason "CAROM_CUDA=${CAROM_CUDA}")
if(cuda_wanted STREQUAL "AUTO" AND NOT EXISTS /dev/nvidiactl AND NOT EXISTS /dev/dxg)
  set(cuda_wanted OFF)
  set(cuda_reason "no NVIDIA GPU here; -DCAROM_CUDA=ON builds it all the same")
endif()

# A driver compiles PTX, which is for 7.5 and later, at the first use: that takes minutes, so that the GPUs
# of this machine get code of their own.
function(carom_choose_architectures)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" real "${capabilities}")  # none where there is no nvidia-smi
  list(TRANSFORM real REPLACE "\\." "")
  list(FILTER real EXCLUDE REGEX "^([1-6].|7[0-4])$")  # too old for Carom
  list(REMOVE_DUPLICATES real)
  if(NOT real)
    set(real 90)
  endif()
  list(TRANSFORM real APPEND -real)
  set(CAROM_CUDA_ARCHITECTURES "75-virtual;${real}" PARENT_SCOPE)
endfunction()

if(NOT cuda_wanted STREQUAL "OFF")
  if(NOT CAROM_CUDA_ARCHITECTURES)
    carom_choose_architectures()
  endif()
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    # The toolkit's installer leaves nvcc here without touching PATH.
    find_program(CAROM_NVCC nvcc PATHS /usr/local/cuda/bin)
    mark_as_advanced(CAROM_NVCC)
    if(CAROM_NVCC)
      set(ENV{CUDACXX} ${CAROM_NVCC})
    endif()
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES ${CAROM_CUDA_ARCHITECTURES})
    enable_language(CUDA)
    if(CMAKE_VERSION VERSION_LESS 3.26)
      # CMake 3.25 does not know nvcc's C++20 flag.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(CAROM_HAS_CUDA ON)
  elseif(cuda_wanted STREQUAL "ON")
    message(FATAL_ERROR "CAROM_CUDA is ON, but no working CUDA compiler was found. Put nvcc on PATH or "
                        "set CUDACXX=/path/to/nvcc; or configure with -DCAROM_CUDA=AUTO or OFF.")
  endif()
endif()

if(CAROM_HAS_CUDA)
  message(STATUS "CUDA backend: on, nvcc ${CMAKE_CUDA_COMPILER_VERSION}, for ${CAROM_CUDA_ARCHITECTURES}")
else()
  message(STATUS "CUDA backend: off (${cuda_reason}); everything runs on the CPU")
endif()
