# cmake -DCHECK=check_layers.cmake -DSCRATCH=folder -P check_layers_test.cmake
#
# check_layers.cmake lets through what the table allows and names what it does not.

function(expect_layers contents expected)
  file(REMOVE_RECURSE ${SCRATCH})
  file(WRITE ${SCRATCH}/tuning/space.c "${contents}")
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

expect_layers("#include \"tuning/space.h\"\n#include \"support/status.h\"\n#include <math.h>\n" ok)
expect_layers("#include <sqlite3.h>\n" ok)
expect_layers("#include \"dialects/choices.h\"\n" "tuning/space.c: includes dialects/choices.h")
expect_layers("  #  include \"targets/target.h\"\n" "includes targets/target.h")
expect_layers("#include <mlir-c/IR.h>\n" "includes mlir-c/IR.h")
expect_layers("#include \"mlir-c/IR.h\"\n" "includes mlir-c/IR.h")
expect_layers("#include \"space.h\"\n" "not named from the top folder")
file(REMOVE_RECURSE ${SCRATCH})
