//===- c_header.h - A C header for an artifact ----------------------------------------===//
//
// C and C++ programs call an artifact through `void tune_entry(void **arguments)`. The header says
// what the pointers are, declares descriptors of the ranks that occur, and has a typed function
// around the entry.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_C_HEADER_H
#define TUNE_TOOLS_TUNE_RUN_C_HEADER_H

#include "support/status.h"

#include <jansson.h>
#include <stdint.h>

typedef struct c_header_options {
  const json_t *signature; // as in docs/protocol.md
  const char *function;    // of the module; names the typed function
  const char *module;      // file that it is from
  const char *output;      // file that it is for
  const char *form;        // "so", "obj", "llvm", "asm"
  int64_t threads;
  bool packs_ahead; // the code has tune_prepack
} c_header_options;

// The text of the header; the caller's, to free.
tune_status c_header_make(const c_header_options *options, char **out_text);

#endif // TUNE_TOOLS_TUNE_RUN_C_HEADER_H
