# Warnings and sanitizers, for our own targets only (an interface library, not global flags).
add_library(tune_flags INTERFACE)
target_compile_options(tune_flags INTERFACE
  -Wall -Wextra -Werror
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wshadow>)
target_compile_definitions(tune_flags INTERFACE _GNU_SOURCE)
target_include_directories(tune_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(TUNE_SANITIZE)
  target_compile_options(tune_flags INTERFACE
    -fsanitize=${TUNE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tune_flags INTERFACE -fsanitize=${TUNE_SANITIZE})
endif()
if(TUNE_COVERAGE)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TUNE_COVERAGE is for clang: cmake --preset coverage")
  endif()
  # The counters are a mapping of the file, so that what a child ran counts that was killed, or that
  # the sandbox keeps from opening files.
  set(counted -fprofile-instr-generate=${PROJECT_BINARY_DIR}/profiles/%m.profraw -fprofile-continuous)
  target_compile_options(tune_flags INTERFACE ${counted} -fcoverage-mapping)
  target_link_options(tune_flags INTERFACE ${counted})
endif()
if(TUNE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TUNE_FUZZ is for clang: cmake --preset fuzz")
  endif()
  target_compile_options(tune_flags INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  target_link_options(tune_flags INTERFACE -fsanitize=address,undefined)
endif()
