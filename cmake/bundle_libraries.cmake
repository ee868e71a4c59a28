# Makes what was installed run where the libraries that it was linked with are not installed: copies
# them beside it and points everything at the copies. The copies get names of their own, as
# auditwheel gives them: a process that has another libcrypto.so.3 loaded keeps it, and so do we.
# Needs `patchelf`, the path of that program.

# Part of every Linux: the C library, the compiler's runtime libraries, the loader.
set(carom_system_libraries
    "^(linux-vdso|ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libstdc\\+\\+|libgcc_s)\\.so")

function(carom_patchelf)
  execute_process(COMMAND ${patchelf} ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Points what `file` needs at the copies; `renamed` is a list of old;new names.
function(carom_use_copies file rpath renamed)
  execute_process(COMMAND ${patchelf} --print-needed ${file} OUTPUT_VARIABLE needed
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" needed "${needed}")
  set(changes "")
  foreach(name IN LISTS needed)
    list(FIND renamed "${name}" at)
    if(at GREATER -1)
      math(EXPR at "${at} + 1")
      list(GET renamed ${at} new_name)
      list(APPEND changes --replace-needed ${name} ${new_name})
    endif()
  endforeach()
  carom_patchelf(${changes} --set-rpath ${rpath} ${file})
endfunction()

# @param folder where the files are; copies go to folder/lib
# @param ... the files, from the folder above
function(carom_bundle_libraries folder)
  set(files "")
  foreach(file IN LISTS ARGN)
    list(APPEND files ${folder}/../${file})
  endforeach()
  file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${files} RESOLVED_DEPENDENCIES_VAR found
       PRE_EXCLUDE_REGEXES ${carom_system_libraries})
  file(MAKE_DIRECTORY ${folder}/lib)
  set(renamed "")
  set(copies "")
  foreach(library IN LISTS found)
    get_filename_component(name ${library} NAME)
    file(SHA256 ${library} hash)
    string(SUBSTRING ${hash} 0 8 hash)
    string(FIND ${name} ".so" end)
    string(SUBSTRING ${name} 0 ${end} stem)
    string(SUBSTRING ${name} ${end} -1 suffix)
    set(new_name ${stem}-${hash}${suffix})
    file(REAL_PATH ${library} target)
    configure_file(${target} ${folder}/lib/${new_name} COPYONLY)
    list(APPEND renamed ${name} ${new_name})
    list(APPEND copies ${folder}/lib/${new_name})
  endforeach()
  foreach(copy IN LISTS copies)
    get_filename_component(name ${copy} NAME)
    carom_patchelf(--set-soname ${name} ${copy})
    carom_use_copies(${copy} "$ORIGIN" "${renamed}")
  endforeach()
  foreach(file IN LISTS files)
    get_filename_component(place ${file} DIRECTORY)
    file(RELATIVE_PATH to_copies ${place} ${folder}/lib)
    carom_use_copies(${file} "$ORIGIN/${to_copies}" "${renamed}")
  endforeach()
  list(LENGTH copies count)
  message(STATUS "${count} shared libraries copied to ${folder}/lib")
endfunction()
