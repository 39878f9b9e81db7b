# cmake -DBUILD=<build folder> -DSCRATCH=<folder> -DGENERATOR=<name> -P install_test.cmake
#
# Installs the build into a fresh prefix, moves that, and builds and runs a C program against it: with
# find_package, with pkg-config, and as C++. Then every installed header is compiled on its own, as C
# and as C++, and the installed tools and plugin are asked to do something.
#
# Tier: check-all
cmake_minimum_required(VERSION 3.25)

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect what)
  if(NOT output MATCHES "${what}")
    message(FATAL_ERROR "'${what}' is not in:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/first)
file(RENAME ${SCRATCH}/first ${SCRATCH}/prefix)
set(prefix ${SCRATCH}/prefix)

# The CMake package.
file(WRITE ${SCRATCH}/project/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(MlirTune 0.1 REQUIRED)
add_executable(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer.c)
target_link_libraries(consumer PRIVATE MlirTune::tune)
")
run("configuring" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SCRATCH}/project -B ${SCRATCH}/project/build
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_C_FLAGS=-Wall\ -Wextra\ -Werror)
run("building" ${CMAKE_COMMAND} --build ${SCRATCH}/project/build)
run("running" ${SCRATCH}/project/build/consumer)
expect("a space of 3\na domain parsed")
expect("has not registered the passes of MLIR.*mlirRegisterAllPasses")
expect("tune.chosen<\"tile\", [0-9]+ : i64, \"search:evolutionary\">")

# The pkg-config file.
set(ENV{PKG_CONFIG_PATH} ${prefix}/lib/pkgconfig)
run("asking pkg-config" pkg-config --cflags --libs mlir-tune)
string(STRIP "${output}" flags)
separate_arguments(flags UNIX_COMMAND "${flags}")
run("compiling" cc -std=c11 -Wall -Wextra -Werror ${CMAKE_CURRENT_LIST_DIR}/consumer.c
    ${flags} -Wl,-rpath,${prefix}/lib -o ${SCRATCH}/consumer)
run("running" ${SCRATCH}/consumer)
expect("a space of 3\na domain parsed")

# The same as C++: the names that are linked are those of C. (C++20 is what designated initializers take.)
run("compiling as C++" c++ -x c++ -std=c++20 -Wall -Werror ${CMAKE_CURRENT_LIST_DIR}/consumer.c
    ${flags} -Wl,-rpath,${prefix}/lib -o ${SCRATCH}/consumer-cpp)
run("running" ${SCRATCH}/consumer-cpp)
expect("a space of 3\na domain parsed")

# Each header stands alone.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/mlir-tune/*.h)
list(LENGTH headers count)
if(count LESS 10)
  message(FATAL_ERROR "only these headers are installed: ${headers}")
endif()
foreach(header ${headers})
  file(WRITE ${SCRATCH}/header.c "#include <${header}>\nint unused;\n")
  run("compiling ${header} alone" cc -std=c11 -Wall -Wextra -Werror -fsyntax-only ${flags}
      ${SCRATCH}/header.c)
  run("compiling ${header} alone as C++" c++ -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only
      ${flags} ${SCRATCH}/header.c)
  file(READ ${prefix}/include/${header} text)
  if(NOT text MATCHES "\nextern \"C\" {\n")
    message(FATAL_ERROR "${header}: C++ programs need extern \"C\" around what it declares")
  endif()
endforeach()

# What is installed beside the library.
foreach(tool tune-opt tune-run tune-worker tune-measure tune-db)
  if(EXISTS ${BUILD}/bin/${tool})
    run("${tool}" ${prefix}/bin/${tool} --help)
  endif()
endforeach()
if(EXISTS ${BUILD}/lib/tune_plugin.so)
  file(WRITE ${SCRATCH}/in.mlir "module attributes {tune.sizes = #tune.tile<[8, 16]>} {}\n")
  run("the plugin" ${MLIR_OPT} --load-pass-plugin=${prefix}/lib/tune_plugin.so
      --load-dialect-plugin=${prefix}/lib/tune_plugin.so ${SCRATCH}/in.mlir)
  expect("tune.sizes = #tune.tile<\\[8, 16\\]>")
endif()
file(REMOVE_RECURSE ${SCRATCH})
