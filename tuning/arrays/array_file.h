//===- array_file.h - Several arrays in one file -----------------------------===//
//
// A .npz file of numpy's, or a .safetensors file, unpacked into a .npy file for each array.
//
// Order: where all names are numbers, or end in the same word and numbers ("arr_0", "arg1"), by
// these; else as in the file. (safetensors sorts by type and name when it writes.)
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_ARRAYS_ARRAY_FILE_H
#define TUNE_TUNING_ARRAYS_ARRAY_FILE_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_array_file_item {
  char *name;
  char *path; // of its .npy file
} tune_array_file_item;

typedef struct tune_array_file {
  tune_array_file_item *items;
  size_t count;
} tune_array_file;

// Unpacks `path`, which ends in .npz or .safetensors, into `folder`; names of files there begin
// with `prefix`. INVALID_ARGUMENT for another ending, for types that artifacts do not take,
// for no array at all and for two of one name, DATA_LOSS for what is damaged, with the path. To be
// deinitialized whatever comes of it.
tune_status tune_array_file_unpack(const char *path, const char *folder, const char *prefix,
                                   tune_array_file *out_arrays);
void tune_array_file_deinit(tune_array_file *arrays);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_ARRAYS_ARRAY_FILE_H
