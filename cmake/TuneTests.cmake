# Unit tests, and the tier that each test belongs to.
#
# A test's first lines say its tier: `// Tier: check-all` or `// Tier: nightly`, in a script with #. Without
# such a line it is `check`. ctest knows the tier as the test's label, so that `make check` runs
# `ctest -L '^check$'`. A sanitizer's build is for check-all, and so are all of its quick tests. lit
# tests say the same by `REQUIRES:` (lit_tests/lit.cfg.py). A tier that is written into a file that had
# none counts from the next run of cmake on.
set(TUNE_TIERS check check-all nightly)

# tune_find_tier(FILE OUT): the tier that the first lines of FILE say.
function(tune_find_tier file out_tier)
  set(tier check)
  file(STRINGS ${file} lines LIMIT_COUNT 1 REGEX "^(//|#) Tier: ")
  if(lines)
    list(GET lines 0 line)
    string(REGEX REPLACE "^(//|#) Tier: ([a-z-]*).*$" "\\2" tier "${line}")
    if(NOT tier IN_LIST TUNE_TIERS)
      message(FATAL_ERROR "${file}: no tier '${tier}'; there are ${TUNE_TIERS}")
    endif()
    get_filename_component(path ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endif()
  if(TUNE_SANITIZE AND tier STREQUAL check)
    set(tier check-all)
  endif()
  set(${out_tier} ${tier} PARENT_SCOPE)
endfunction()

# tune_add_test(NAME FILE COMMAND...): a test that ctest runs, in the tier that FILE says. Those of
# nightly are there with `ctest -C nightly` only.
function(tune_add_test name file)
  tune_find_tier(${file} tier)
  if(tier STREQUAL nightly)
    add_test(NAME ${name} CONFIGURATIONS nightly COMMAND ${ARGN})
  else()
    add_test(NAME ${name} COMMAND ${ARGN})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${tier})
endfunction()

# tune_add_unit_test(NAME SOURCES file... USES library...): a cmocka program of its own, for a test that
# takes the place of functions of libc or is built from other parts. The first source says the tier.
function(tune_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_USES} PkgConfig::CMOCKA tune_flags)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unittests)
  list(GET ARG_SOURCES 0 first)
  tune_add_test(${name} ${first} ${name})
endfunction()

# tune_add_unit_tests(PREFIX TESTS noun... [SOURCES file...] USES library...): one program, PREFIX_tests,
# of the files NOUN_test.c, as linking takes longer than compiling them. Each of these is written as a
# program of its own: its `main` becomes a function NOUN_test_main, which unittests/common/driver.c calls.
# ctest runs each of them by itself, as PREFIX_NOUN_test, in a process of its own.
function(tune_add_unit_tests prefix)
  cmake_parse_arguments(ARG "" "" "TESTS;SOURCES;USES" ${ARGN})
  set(program ${prefix}_tests)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}.inc)
  set(entries "")
  set(prototypes "")
  set(sources "")
  foreach(noun ${ARG_TESTS})
    string(APPEND entries "TEST(${noun}_test)\n")
    string(APPEND prototypes "int ${noun}_test_main(void);\n")
    list(APPEND sources ${noun}_test.c)
    set_source_files_properties(${noun}_test.c PROPERTIES
      COMPILE_OPTIONS "-Dmain=${noun}_test_main;-include;${list}.h")
  endforeach()
  file(CONFIGURE OUTPUT ${list} CONTENT "${entries}")
  file(CONFIGURE OUTPUT ${list}.h CONTENT "${prototypes}")
  add_executable(${program} ${sources} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/unittests/common/driver.c)
  target_compile_definitions(${program} PRIVATE TUNE_TEST_LIST="${list}")
  target_link_libraries(${program} PRIVATE ${ARG_USES} PkgConfig::CMOCKA tune_flags)
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unittests)
  foreach(noun ${ARG_TESTS})
    tune_add_test(${prefix}_${noun}_test ${noun}_test.c ${program} ${noun}_test)
  endforeach()
endfunction()
