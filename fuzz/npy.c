//===- npy.c - NumPy's files ---------------------------------------------------------===//
//
// Read as each type of element, with sizes of which the file may decide; what was read is written,
// and read again to the same bytes.
//
//===--------------------------------------------------------------------------===//

#include "targets/npy.h"
#include "fuzz/fuzz.h"

#include <string.h>
#include <unistd.h>

static void check(const char *path, const tune_value_type *type) {
  tune_buffer buffer, again;
  if (!fuzz_accept(tune_npy_read(path, type, &buffer)))
    return;
  char copy_path[FUZZ_PATH];
  fuzz_scratch_path("copy.npy", copy_path);
  if (fuzz_accept(tune_npy_write(copy_path, &buffer))) {
    fuzz_require(fuzz_accept(tune_npy_read(copy_path, &buffer.type, &again)),
                 "what was written can be read");
    fuzz_require(again.size == buffer.size && memcmp(again.data, buffer.data, buffer.size) == 0,
                 "what was written is what is read");
    tune_buffer_deinit(&again);
  }
  tune_buffer_deinit(&buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The last byte says what is expected.
  if (size == 0)
    return 0;
  unsigned choice = data[size - 1];
  tune_value_type type = {.element = (tune_element_type)(choice % TUNE_ELEMENT_TYPE_COUNT),
                          .rank = choice / TUNE_ELEMENT_TYPE_COUNT % 4};
  type.is_scalar = type.rank == 0 && choice & 128;
  for (size_t i = 0; i < type.rank; ++i)
    type.shape[i] = TUNE_DYNAMIC;
  int fd = fuzz_file(data, size - 1);
  char path[FUZZ_PATH];
  fuzz_path(fd, path);
  check(path, &type);
  close(fd);
  return 0;
}
