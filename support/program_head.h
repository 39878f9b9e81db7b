//===- program_head.h - The head of a device program's file ------------------===//
//
// A device program (docs/protocol.md) is one file: a magic, the length of a JSON object, that
// object, then bytes that it tells of. Who writes programs, runs them and takes them apart agree
// here on the beginning.
//
// Threads: no shared state.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_PROGRAM_HEAD_H
#define TUNE_SUPPORT_PROGRAM_HEAD_H

#include "support/status.h"
#include "support/string_builder.h"

#include <jansson.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_PROGRAM_VERSION 1 // "version" of the object

// Takes the head off the `*size` bytes at `*bytes`, of which what follows is left. `*out_object`
// (json_decref it) is NULL on errors: INVALID_ARGUMENT, saying what is wrong.
tune_status tune_program_head_take(const char **bytes, size_t *size, json_t **out_object);

// Appends the head of a program with the JSON object `text`.
void tune_program_head_append(tune_string_builder *program, const char *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_PROGRAM_HEAD_H
