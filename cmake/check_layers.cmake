# cmake -DSOURCE=<source folder> -P check_layers.cmake
#
# Refuses an #include of a later row. Each folder of sources is a library or a program,
# and has a row here: what it may include, besides its own headers and those of libc. A row names
# earlier rows alone, so that there are no circles; `tuning` and the like stand for all folders
# below. docs/architecture.md says what each folder is for.
cmake_minimum_required(VERSION 3.25)

set(folders "")
function(row folder)
  set(folders ${folders} ${folder} PARENT_SCOPE)
  set(${folder}_may ${ARGN} PARENT_SCOPE)
endfunction()

row(support jansson xxhash)
row(formats support jansson)
# What runs on a device, and has no MLIR.
row(targets support formats jansson)
row(targets/cpu support formats targets)
row(targets/null support targets)
# What the targets that run device programs share.
row(targets/device support targets)
row(targets/cuda support targets targets/device)
row(targets/vulkan support targets targets/device targets/cpu vulkan)
row(targets/runtime)
# Searching, which has neither MLIR nor a device: from knobs to searches that are measured
# elsewhere.
row(tuning/space support jansson xxhash)
row(tuning/record support tuning/space jansson)
# Arrays that users give.
row(tuning/arrays support formats targets jansson zlib)
row(tuning/strategies support tuning/space)
row(tuning/measure support tuning/space)
row(tuning/database support formats tuning/record jansson sqlite)
row(tuning/evaluators support formats tuning/space tuning/record tuning/measure jansson xxhash)
row(tuning/session support tuning/space tuning/record tuning/strategies tuning/evaluators xxhash)
row(tuning/device support formats tuning/record tuning/database tuning/evaluators jansson)
row(tuning/remote support formats tuning/device tuning/database tuning/evaluators jansson)
# IR: from words over the C API to passes.
row(dialects support mlir-c mlir)
row(transforms/ir support formats dialects mlir-c jansson)
row(transforms/structure support dialects transforms/ir mlir-c mlir)
row(transforms/normalize support dialects transforms/ir transforms/structure mlir-c)
row(transforms/normalize/attention support dialects transforms/ir transforms/normalize mlir-c)
row(transforms/normalize/front_ends support dialects transforms/ir transforms/normalize mlir-c)
row(transforms/normalize/images
    support dialects transforms/ir transforms/structure transforms/normalize mlir-c)
row(transforms/normalize/quantized support dialects transforms/ir transforms/normalize mlir-c)
row(transforms/tasks
    support formats dialects transforms/ir transforms/structure transforms/normalize
    transforms/normalize/attention transforms/normalize/front_ends transforms/normalize/images
    transforms/normalize/quantized mlir-c)
row(transforms/schedule
    support tuning/space dialects transforms/ir transforms/structure mlir-c mlir)
row(transforms/rules support formats tuning/space tuning/device transforms/structure jansson mlir-c)
row(transforms/rules/contraction transforms/structure transforms/schedule transforms/rules)
row(transforms/rules/conv transforms/structure transforms/rules transforms/rules/contraction)
row(transforms/rules/reduction transforms/structure transforms/rules transforms/rules/contraction)
row(transforms/rules/gpu
    transforms/structure transforms/rules transforms/rules/contraction
    transforms/rules/reduction)
row(transforms/lower/common support dialects transforms/ir mlir-c llvm-c mlir)
row(transforms/lower/bufferize support transforms/ir transforms/lower/common mlir-c)
row(transforms/lower/cpu/arena support dialects transforms/ir transforms/lower/common mlir-c)
row(transforms/lower/cpu/nests support dialects transforms/ir transforms/lower/common mlir-c)
row(transforms/lower/cpu/weights support dialects transforms/ir transforms/lower/common mlir-c)
row(transforms/lower/cpu/backend
    support dialects transforms/ir transforms/lower/common mlir-c llvm-c)
row(transforms/lower/cpu/vectors
    support dialects transforms/ir transforms/lower/common transforms/lower/cpu/backend mlir-c)
row(transforms/lower/cpu
    support dialects transforms/ir transforms/lower/bufferize transforms/lower/common
    transforms/lower/cpu/arena transforms/lower/cpu/backend transforms/lower/cpu/nests
    transforms/lower/cpu/vectors transforms/lower/cpu/weights mlir-c llvm-c)
row(transforms/lower/gpu
    support formats dialects transforms/ir transforms/lower/common jansson mlir-c)
row(transforms/lower/gpu/host
    support formats dialects transforms/ir transforms/lower/common transforms/lower/gpu jansson
    mlir-c)
row(transforms/lower/gpu/vectors
    support formats dialects transforms/ir transforms/lower/common transforms/lower/gpu mlir-c)
row(transforms/lower/gpu/matmul
    support formats dialects transforms/ir transforms/lower/common transforms/lower/gpu
    transforms/lower/gpu/vectors mlir-c)
row(transforms/lower/cuda
    support formats dialects transforms/ir transforms/lower/common transforms/lower/gpu
    transforms/lower/gpu/matmul mlir-c)
row(transforms/lower/vulkan
    support formats dialects transforms/ir transforms/lower/common transforms/lower/gpu mlir-c
    spirv-tools)
row(transforms/lower
    support formats tuning/device dialects transforms/ir transforms/lower/bufferize
    transforms/lower/common transforms/lower/cpu transforms/lower/gpu transforms/lower/gpu/host
    transforms/lower/gpu/vectors transforms/lower/gpu/matmul transforms/lower/cuda transforms/lower/vulkan jansson mlir-c)
row(transforms/build
    support tuning/space dialects transforms/ir transforms/schedule transforms/lower/common
    transforms/lower mlir-c)
row(transforms/spaces
    support tuning/space tuning/record tuning/database tuning/device dialects transforms/ir
    transforms/tasks transforms/schedule transforms/rules transforms/lower/common
    transforms/lower/vulkan mlir-c)
row(transforms/variants
    support formats dialects transforms/ir transforms/lower/common mlir-c)
row(transforms/search
    support formats tuning/space tuning/database tuning/evaluators tuning/session tuning/device tuning/remote
    dialects transforms/ir transforms/normalize transforms/tasks transforms/spaces
    transforms/variants mlir-c)
row(transforms/precision
    support formats targets tuning/arrays tuning/evaluators tuning/device dialects transforms/ir
    transforms/normalize transforms/normalize/quantized transforms/tasks transforms/spaces
    transforms/lower/common transforms/search jansson mlir-c)
row(transforms/passes
    support formats tuning/space tuning/strategies tuning/device dialects transforms/ir transforms/tasks
    transforms/lower/common transforms/lower transforms/spaces transforms/variants
    transforms/search transforms/precision mlir-c)
# The programs. tune-measure runs on machines without MLIR.
row(tools/common support formats jansson)
row(tools/tune-measure/counts support formats targets tuning jansson)
row(tools/tune-measure
    support formats targets tuning tools/common tools/tune-measure/counts jansson)
row(tools/tune-db support tuning tools/common jansson)
row(tools/tune-run
    support formats targets tuning tools/common jansson)
row(tools/tune-worker support formats tuning dialects transforms tools/common mlir-c llvm-c jansson)
row(tools/plugin dialects transforms mlir)
row(tools/tune-opt support transforms/ir tools/plugin mlir)
# Tests. An emulator of a GPU, and a CUDA driver over it, which has that driver's declarations. A
# library's unit tests see what the library sees.
row(unittests/common support jansson)
row(unittests/ptx support targets unittests/common)
row(unittests/support support unittests/common jansson xxhash)
row(unittests/formats support formats unittests/common jansson)
row(unittests/targets support formats targets unittests/common jansson vulkan)
row(unittests/tuning support formats tuning unittests/common jansson xxhash sqlite)
row(unittests/dialects support dialects unittests/common mlir-c mlir)
row(unittests/transforms
    support formats tuning dialects transforms unittests/common unittests/ptx mlir-c llvm-c mlir
    spirv-tools jansson)
row(unittests/lower
    support formats dialects transforms unittests/common unittests/transforms unittests/ptx mlir-c
    llvm-c mlir spirv-tools jansson)

# The headers of other people's libraries, by how their names begin.
set(library_jansson "^jansson\\.h$")
set(library_xxhash "^xxhash\\.h$")
set(library_zlib "^zlib\\.h$")
set(library_sqlite "^sqlite3\\.h$")
set(library_mlir-c "^mlir-c/")
set(library_llvm-c "^llvm-c/")
set(library_mlir "^(mlir|llvm)/")
set(library_spirv-tools "^spirv-tools/")
set(library_vulkan "^vulkan/")
set(library_names jansson xxhash zlib sqlite mlir-c llvm-c mlir spirv-tools vulkan)

# Which row of the table `path` (a file, or the name in a quoted #include) belongs to.
function(find_folder path out_folder)
  set(${out_folder} "" PARENT_SCOPE)
  get_filename_component(folder ${path} DIRECTORY)
  while(folder)
    if(folder IN_LIST folders)
      set(${out_folder} ${folder} PARENT_SCOPE)
      return()
    endif()
    get_filename_component(folder ${folder} DIRECTORY)
  endwhile()
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

# Whether the row of `folder` has `used`, or a folder that it is in.
function(is_allowed folder used out_allowed)
  set(${out_allowed} FALSE PARENT_SCOPE)
  while(used)
    if(used STREQUAL folder OR used IN_LIST ${folder}_may)
      set(${out_allowed} TRUE PARENT_SCOPE)
      return()
    endif()
    get_filename_component(used ${used} DIRECTORY)
  endwhile()
endfunction()

set(errors "")
set(checked 0)

# The table itself: a row may have what is above it, or stands for folders that all are.
set(above "")
foreach(folder ${folders})
  foreach(used ${${folder}_may})
    if(used IN_LIST library_names OR used IN_LIST above)
      continue()
    endif()
    string(REGEX MATCHALL "(^|;)${used}/[^;]*" inside "${folders}")
    string(REGEX MATCHALL "(^|;)${used}/[^;]*" inside_above "${above}")
    if(NOT inside OR NOT inside STREQUAL inside_above)
      list(APPEND errors "row(${folder}) names ${used}, which is not above it")
    endif()
  endforeach()
  list(APPEND above ${folder})
endforeach()

foreach(top support formats targets tuning dialects transforms tools unittests)
  file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/${top}/*.h ${SOURCE}/${top}/*.c
       ${SOURCE}/${top}/*.cpp)
  foreach(file ${files})
    get_filename_component(directory ${file} DIRECTORY)
    find_folder(${file} folder)
    if(NOT directory STREQUAL folder AND NOT top STREQUAL "unittests")
      list(APPEND errors "${file}: ${directory} has no row in cmake/check_layers.cmake")
      continue()
    elseif(NOT folder)
      continue() # other tests may include what they like
    endif()
    math(EXPR checked "${checked} + 1")
    file(STRINGS ${SOURCE}/${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[^<\"]*[<\"]([^>\"]*).*$" "\\1" name "${line}")
      find_library_of(${name} used)
      if(NOT used AND line MATCHES "\"")
        find_folder(${name} used)
        if(NOT used AND folder MATCHES "^unittests/" AND EXISTS ${SOURCE}/${directory}/${name})
          continue() # what a folder of tests shares is named from there
        endif()
        if(NOT used)
          list(APPEND errors "${file}: \"${name}\" is not named from the top folder, as in \"support/status.h\"")
          continue()
        endif()
      endif()
      is_allowed(${folder} "${used}" allowed)
      if(used AND NOT allowed)
        string(REPLACE ";" ", " may "${${folder}_may}")
        list(APPEND errors "${file}: includes ${name}, but ${folder}/ may use only ${may}")
      endif()
    endforeach()
  endforeach()
endforeach()

if(errors)
  list(JOIN errors "\n  " text)
  message(FATAL_ERROR "Includes against the table in cmake/check_layers.cmake:\n  ${text}")
endif()
if(checked EQUAL 0)
  message(FATAL_ERROR "No source files under ${SOURCE}")
endif()
message(STATUS "Layers: ${checked} files include only what they may")
