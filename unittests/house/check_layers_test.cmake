# cmake -DCHECK=check_layers.cmake -DSCRATCH=folder -P check_layers_test.cmake
#
# check_layers.cmake lets through what the table allows and names what it does not.

function(expect_layers contents expected)
  file(REMOVE_RECURSE ${SCRATCH})
  file(WRITE ${SCRATCH}/tuning/database/space.c "${contents}")
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${SCRATCH} -P ${CHECK}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(expected STREQUAL "ok")
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "refused: ${contents}\n${output}")
    endif()
  elseif(result EQUAL 0)
    message(FATAL_ERROR "let through: ${contents}")
  elseif(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "does not say '${expected}':\n${output}")
  endif()
endfunction()

expect_layers("#include \"tuning/record/record.h\"\n#include \"support/status.h\"\n#include <math.h>\n" ok)
expect_layers("#include <sqlite3.h>\n" ok)
expect_layers("#include \"dialects/choices.h\"\n" "tuning/database/space.c: includes dialects/choices.h")
expect_layers("  #  include \"targets/target.h\"\n" "includes targets/target.h")
expect_layers("#include <mlir-c/IR.h>\n" "includes mlir-c/IR.h")
expect_layers("#include \"mlir-c/IR.h\"\n" "includes mlir-c/IR.h")
expect_layers("#include \"space.h\"\n" "not named from the top folder")
# A folder further down the table.
expect_layers("#include \"tuning/session/session.h\"\n" "includes tuning/session/session.h")

# Sources lie in folders that have a row.
file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/tuning/new/a.c "")
execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${SCRATCH} -P ${CHECK}
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "tuning/new has no row")
  message(FATAL_ERROR "a folder without a row passed:\n${output}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
