# cmake -DSCRIPT=<cmake/digest_sources.cmake> -DFOLDER=<scratch folder> -P lowering_version_test.cmake
#
# The version of the lowering is the same for the same sources, and another one after any change.
function(digest_of text out_contents)
  file(WRITE ${FOLDER}/a.c "int a;\n")
  file(WRITE ${FOLDER}/b.c "${text}")
  execute_process(COMMAND ${CMAKE_COMMAND} "-DSOURCES=${FOLDER}/a.c;${FOLDER}/b.c"
                  -DOUTPUT=${FOLDER}/out.c -DSYMBOL=version -P ${SCRIPT}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${FOLDER}/out.c contents)
  set(${out_contents} "${contents}" PARENT_SCOPE)
endfunction()

digest_of("int b;\n" first)
digest_of("int b;\n" same)
digest_of("int c;\n" other)
if(NOT first MATCHES "const char version\\[\\] = \"[0-9a-f]+\";")
  message(FATAL_ERROR "Not a definition of a digest: ${first}")
endif()
if(NOT first STREQUAL same)
  message(FATAL_ERROR "The same sources have two versions:\n${first}${same}")
endif()
if(first STREQUAL other)
  message(FATAL_ERROR "Two sources have the version:\n${first}")
endif()
