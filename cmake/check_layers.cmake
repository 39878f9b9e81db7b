# cmake -DSOURCE=<source folder> -P check_layers.cmake
#
# Refuses an #include that reaches sideways or up the table of folders in docs/architecture.md. What
# each folder may include, besides its own headers and those of libc:
cmake_minimum_required(VERSION 3.25)
set(support_may jansson xxhash)
set(targets_may support jansson vulkan)
set(tuning_may support jansson xxhash sqlite)
set(dialects_may support mlir-c mlir)
set(transforms_may support tuning dialects mlir-c llvm-c mlir spirv-tools jansson)
# The programs. tune-measure runs on machines without MLIR.
set(tools/common_may support jansson)
set(tools/tune-measure_may support targets tuning tools/common jansson)
set(tools/tune-db_may support tuning tools/common jansson)
set(tools/tune-run_may support targets tuning tools/common jansson)
set(tools_may support targets tuning dialects transforms mlir-c llvm-c mlir jansson)
set(unittests/common_may support jansson)
# An emulator of a GPU, and a CUDA driver over it, which has that driver's declarations.
set(unittests/ptx_may support targets unittests/common)
# A library's unit tests see what the library sees.
foreach(folder support targets tuning dialects transforms)
  set(unittests/${folder}_may ${folder} unittests/common ${${folder}_may})
endforeach()
list(APPEND unittests/transforms_may unittests/ptx)

# The headers of other people's libraries, by how their names begin.
set(library_jansson "^jansson\\.h$")
set(library_xxhash "^xxhash\\.h$")
set(library_sqlite "^sqlite3\\.h$")
set(library_mlir-c "^mlir-c/")
set(library_llvm-c "^llvm-c/")
set(library_mlir "^(mlir|llvm)/")
set(library_spirv-tools "^spirv-tools/")
set(library_vulkan "^vulkan/")
set(library_names jansson xxhash sqlite mlir-c llvm-c mlir spirv-tools vulkan)

set(folders support targets tuning dialects transforms tools/common tools/tune-measure tools/tune-db
            tools/tune-run tools unittests/common unittests/ptx unittests/support unittests/targets unittests/tuning
            unittests/dialects unittests/transforms)

# Which row of the table `path` (a file, or the name in a quoted #include) belongs to.
function(find_folder path out_folder)
  set(${out_folder} "" PARENT_SCOPE)
  foreach(folder ${folders})
    if(path MATCHES "^${folder}/")
      set(${out_folder} ${folder} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Which of the libraries above the header `name` belongs to, or nothing: libc's and C++'s are free.
function(find_library_of name out_library)
  set(${out_library} "" PARENT_SCOPE)
  foreach(library ${library_names})
    if(name MATCHES "${library_${library}}")
      set(${out_library} ${library} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

set(errors "")
set(checked 0)
foreach(top support targets tuning dialects transforms tools unittests)
  file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/${top}/*.h ${SOURCE}/${top}/*.c
       ${SOURCE}/${top}/*.cpp)
  foreach(file ${files})
    find_folder(${file} folder)
    if(NOT folder)
      continue() # other tests may include what they like
    endif()
    math(EXPR checked "${checked} + 1")
    file(STRINGS ${SOURCE}/${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[^<\"]*[<\"]([^>\"]*).*$" "\\1" name "${line}")
      find_library_of(${name} used)
      if(NOT used AND line MATCHES "\"")
        find_folder(${name} used)
        get_filename_component(directory ${file} DIRECTORY)
        if(NOT used AND folder MATCHES "^unittests/" AND EXISTS ${SOURCE}/${directory}/${name})
          continue() # what a folder of tests shares is named from there
        endif()
        if(NOT used)
          list(APPEND errors "${file}: \"${name}\" is not named from the top folder, as in \"support/status.h\"")
          continue()
        endif()
      endif()
      # tools/ as a row of the table stands for all programs and what they share.
      if(used AND NOT used STREQUAL folder AND NOT used IN_LIST ${folder}_may
         AND NOT (folder STREQUAL "tools" AND used MATCHES "^tools/"))
        string(REPLACE ";" ", " may "${${folder}_may}")
        list(APPEND errors "${file}: includes ${name}, but ${folder}/ may use only ${may}")
      endif()
    endforeach()
  endforeach()
endforeach()

if(errors)
  list(JOIN errors "\n  " text)
  message(FATAL_ERROR "Includes against the table in docs/architecture.md:\n  ${text}")
endif()
if(checked EQUAL 0)
  message(FATAL_ERROR "No source files under ${SOURCE}")
endif()
message(STATUS "Layers: ${checked} files include only what they may")
