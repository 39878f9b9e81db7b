//===- arrays.c - .npz and .safetensors ----------------------------------------------===//
//
// Files of several arrays, as tune-run --inputs and --expect take them: zip archives with their
// compressed members, and the header of safetensors. What is unpacked is there to be read.
//
//===--------------------------------------------------------------------------===//

#include "fuzz/fuzz.h"
#include "tuning/arrays/array_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The last byte says which of the two it is.
  if (size == 0)
    return 0;
  char path[FUZZ_PATH], folder[FUZZ_PATH];
  fuzz_scratch_path(data[size - 1] & 1 ? "in.npz" : "in.safetensors", path);
  snprintf(folder, sizeof folder, "%s", path);
  *strrchr(folder, '/') = 0;
  FILE *file = fopen(path, "wb");
  fuzz_require(file && fwrite(data, 1, size - 1, file) == size - 1 && fclose(file) == 0,
               "the input can be written");
  tune_array_file arrays;
  if (fuzz_accept(tune_array_file_unpack(path, folder, "out", &arrays)))
    for (size_t i = 0; i < arrays.count; ++i)
      fuzz_require(access(arrays.items[i].path, R_OK) == 0, "what was unpacked is there");
  for (size_t i = 0; i < arrays.count; ++i)
    if (arrays.items[i].path)
      unlink(arrays.items[i].path);
  tune_array_file_deinit(&arrays);
  return 0;
}
