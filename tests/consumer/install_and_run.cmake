# Installs the build into a fresh prefix, then builds and runs a project that uses only that.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix ${WORK_DIR}/prefix)
set(flags "")
if(SANITIZE)
  set(flags "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE}")
endif()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} --config ${CONFIG})
set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
    -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_BUILD_TYPE=${CONFIG}
    "-DCMAKE_PREFIX_PATH=${prefix};${PREFIX_PATH}")
if(HAS_AVX)
  # Eigen allocates otherwise in this program than in the library.
  run(${configure} -DCMAKE_CXX_FLAGS=-mavx)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build --config ${CONFIG}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT failed OR NOT output MATCHES "is_that_of_carom")
    message(FATAL_ERROR "a program with AVX was linked, or failed for another reason: ${output}")
  endif()
  set(flags "-DCMAKE_CXX_FLAGS=-mavx -DEIGEN_MALLOC_ALREADY_ALIGNED=1 -DEIGEN_MAX_ALIGN_BYTES=16")
endif()
run(${configure} ${flags})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --config ${CONFIG})

execute_process(COMMAND ${WORK_DIR}/build/consumer OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "^100 trajectories, carom [0-9]+\\.[0-9]+\\.[0-9]+\n$")
  message(FATAL_ERROR "the consumer printed \"${output}\"")
endif()
message("the consumer printed: ${output}")

foreach(file bin/carom share/carom/scenarios/rocking_block.toml share/carom/python/carom/plot.py)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
run(${prefix}/bin/carom --version)
