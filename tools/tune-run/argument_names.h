//===- argument_names.h - What a module's text calls arguments ---------------===//
//
// MLIR forgets the names of values (`%x`) when it parses them, and a function's arguments are what
// users know their arrays by. So they are read off the text.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_ARGUMENT_NAMES_H
#define TUNE_TOOLS_TUNE_RUN_ARGUMENT_NAMES_H

#include "support/status.h"

#include <stddef.h>

// Finds the names of the `count` arguments of @`function` in `text`, without the `%`. `*out_names`
// is NULL where they are not found: bytecode, the generic form, a name in quotes. Free each, and
// the array.
tune_status argument_names_find(const char *text, size_t size, const char *function, size_t count,
                                char ***out_names);
void argument_names_destroy(char **names, size_t count);

#endif // TUNE_TOOLS_TUNE_RUN_ARGUMENT_NAMES_H
