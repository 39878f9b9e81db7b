//===- tool.h - Version, help and errors of the tools ------------------------===//
//
// Threads: no shared state but the streams.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_COMMON_TOOL_H
#define TUNE_TOOLS_COMMON_TOOL_H

#include "support/status.h"

#include <stdio.h>

// Prints "<program>: <message>" and a line end on `stream`, and frees
// `status`. Nothing is printed for TUNE_OK. A message that already begins with a place in a file
// ("in.mlir:14:8: error: …") is printed without the program's name, so that editors find the place.
void tune_tool_report(const char *program, tune_status status, FILE *stream);

// "<program> <version of mlir-tune>" and a line end.
void tune_tool_print_version(const char *program, FILE *stream);

#endif // TUNE_TOOLS_COMMON_TOOL_H
