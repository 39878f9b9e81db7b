//===- program_files.h - A device program in pieces ---------------------------------===//
//
// A device program (docs/protocol.md) is one file for our own runner. Other loaders
// take the code by itself, and people read how it is launched: here it comes apart.
//
// Threads: no shared state.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_COMMON_PROGRAM_FILES_H
#define TUNE_TOOLS_COMMON_PROGRAM_FILES_H

#include "support/status.h"

#include <stddef.h>

// Writes the code of the program in `bytes` to the file `output`, or with several modules, each to
// a file of its own: "k.spv" gives "k.0.spv", "k.1.spv"; PTX without its NUL. What the program says
// of launches and buffers goes to "k.spv.json", the bytes of constants, if any, to "k.spv.data".
// Of an earlier program, which the "k.spv.json" that was there describes, no file is left.
// DATA_LOSS for what is no program.
tune_status tune_program_files_write(const char *bytes, size_t size, const char *output);

#endif // TUNE_TOOLS_COMMON_PROGRAM_FILES_H
