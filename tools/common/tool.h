//===- tool.h - Version, help and errors of the tools ------------------------===//
//
// Threads: no shared state but the streams.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_COMMON_TOOL_H
#define TUNE_TOOLS_COMMON_TOOL_H

#include "tools/common/options.h"

#include <stdio.h>

// Prints "<program>: <message>" and a line end on `stream`, and frees
// `status`. Nothing is printed for TUNE_OK. A message that already begins with a place in a file
// ("in.mlir:14:8: error: …") is printed without the program's name, so that editors find the place.
void tune_tool_report(const char *program, tune_status status, FILE *stream);

// Reads the command line (tune_options_parse), and gives what --help or --version ask for on
// stdout: then `*out_is_done`, and nothing else is to be done.
tune_status tune_tool_parse(const tune_command *command, int argc, char **argv,
                            tune_arguments *out_arguments, bool *out_is_done);

// "<program> <version of mlir-tune>" and a line end. `program` may go on with the name of a
// command.
void tune_tool_print_version(const char *program, FILE *stream);

#endif // TUNE_TOOLS_COMMON_TOOL_H
