# Compiler flags of Carom's own targets, and what the compiler can do.
include(CheckCXXCompilerFlag)

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM)
  foreach(language CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    endif()
  endforeach()
endif()

if(CAROM_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${CAROM_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${CAROM_SANITIZE})
endif()

# Headers that most files of a target include, compiled once. Not with ccache, which makes the second
# build quick in its own way and then also finds includes that a file lacks.
function(carom_precompile target)
  if(CCACHE_PROGRAM)
    return()
  endif()
  foreach(header IN LISTS ARGN)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endforeach()
endfunction()

# For what runs once and is not waited for: a third of a compiler's time goes into optimisation.
function(carom_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Files are compiled eight at a time: the headers that each of them includes take the compiler longer than
# the rest of it. So names in unnamed namespaces differ between files that may be together. With
# -DCMAKE_UNITY_BUILD=OFF, as in the preset debug, each file is compiled on its own: better while one
# file is edited again and again.
function(carom_join_files target)
  if(DEFINED CMAKE_UNITY_BUILD AND NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # GCC takes the files for headers, in which unnamed namespaces would be a slip.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# The same for the files of a folder of host/ and those below it; three folders with the same headers
# are one.
function(carom_join_folders target)
  carom_join_files(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "/host/([^/]*)/.*\\.cpp$")
      string(REGEX REPLACE "^(coupling|evidence|modes)$" "evidence" folder ${CMAKE_MATCH_1})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
    endif()
  endforeach()
endfunction()

# Not at -O0: there even the smallest templates of the standard library are functions of their own,
# and the linker could take the AVX-512 copy of one for the whole program.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  check_cxx_compiler_flag("-march=x86-64-v4 -mprefer-vector-width=512" CAROM_HAS_X86_LEVELS)
endif()

# -ffp-contract=off and -fmad=false: a compiler that fuses a*b+c where it likes rounds differently
# on every processor and at every level; results are equal to the last bit only where the source
# alone says what is fused (std::fma). --expt-relaxed-constexpr: kernels call for_each_column and its
# like, plain constexpr functions.
function(carom_set_flags target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>
    $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;--expt-relaxed-constexpr;-Xcompiler=-ffp-contract=off,-Wall,-Wextra>)
  # GCC 12 warns of its own strings (its bug 105651), and imagines that they have negative lengths.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow>)
  endif()
  if(CAROM_WERROR)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Werror>
      $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=-Werror>)
  endif()
endfunction()

# Whether this processor has all of these features, by its own list.
function(carom_processor_has result)
  set(${result} FALSE PARENT_SCOPE)
  if(NOT EXISTS /proc/cpuinfo)
    return()
  endif()
  file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
  foreach(feature IN LISTS ARGN)
    if(NOT "${flags} " MATCHES " ${feature} ")
      return()
    endif()
  endforeach()
  set(${result} TRUE PARENT_SCOPE)
endfunction()

# Sets CAROM_LEVEL_NAMES, and for each of them CAROM_PARTS_OF_name: trajectories, motion.
function(carom_choose_levels)
  if(NOT CAROM_LEVELS MATCHES "^(all|native)$")
    message(FATAL_ERROR "CAROM_LEVELS is ${CAROM_LEVELS} (must be all or native)")
  endif()
  set(names portable)
  set(CAROM_PARTS_OF_portable trajectories motion PARENT_SCOPE)
  if(CAROM_HAS_X86_LEVELS)
    list(APPEND names x86_64_v3 x86_64_v4)
    set(CAROM_PARTS_OF_x86_64_v3 trajectories motion PARENT_SCOPE)
    set(CAROM_PARTS_OF_x86_64_v4 trajectories PARENT_SCOPE)
    carom_processor_has(has_v3 avx2 fma bmi1 bmi2)
    carom_processor_has(has_v4 avx2 fma bmi1 bmi2 avx512f avx512bw avx512cd avx512dq avx512vl)
    if(CAROM_LEVELS STREQUAL "native" AND has_v4)
      # Motion shares the solvers of trajectories, which a set of its own would compile again.
      set(names x86_64_v4)
      set(CAROM_PARTS_OF_x86_64_v4 trajectories motion PARENT_SCOPE)
    elseif(CAROM_LEVELS STREQUAL "native" AND has_v3)
      set(names x86_64_v3)
    endif()
  endif()
  set(CAROM_LEVEL_NAMES ${names} PARENT_SCOPE)
endfunction()
