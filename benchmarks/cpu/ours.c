//===- ours.c - The contestant of tune-run --emit=so -------------------------===//
//
//   ours output-bytes=N input=a.bin … artifact=x.so shape=512x1024 … result=512x1024
//
// A `shape` for each input, in order, and one for the result; all are tensors. The result's memory
// comes from the artifact and goes back to it after each call, as the ABI has it
// (docs/protocol.md): that is part of the time. What is packed ahead is so before, once.
//
//===--------------------------------------------------------------------------===//

#include "contestant.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_LIMIT = 8 };

// MLIR's memref descriptor of any rank: the sizes, then the strides, follow the offset.
typedef struct descriptor {
  void *allocated, *aligned;
  int64_t offset;
  int64_t sizes_and_strides[2 * RANK_LIMIT];
} descriptor;

typedef struct artifact {
  tune_contest *contest;
  void (*entry)(void **arguments);
  void (*release)(void *memory);
  descriptor tensors[TUNE_CONTEST_INPUTS];
  descriptor result;
  void *arguments[TUNE_CONTEST_INPUTS + 2]; // the result, and what is packed
  void *to_release; // the memory of the last result, if it has not gone back
} artifact;

static descriptor describe(void *data, const char *shape) {
  descriptor tensor = {.allocated = data, .aligned = data};
  int64_t sizes[RANK_LIMIT];
  int rank = 0;
  for (const char *at = shape; *at; ++rank) {
    char *end;
    if (rank == RANK_LIMIT)
      tune_contest_fail("the rank of %s is above %d", shape, RANK_LIMIT);
    sizes[rank] = strtoll(at, &end, 10);
    if (end == at || (*end && *end != 'x'))
      tune_contest_fail("%s is no shape", shape);
    at = *end ? end + 1 : end;
  }
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    tensor.sizes_and_strides[i] = sizes[i];
    tensor.sizes_and_strides[rank + i] = stride;
    stride *= sizes[i];
  }
  return tensor;
}

static void call(void *state) {
  artifact *self = state;
  self->release(self->to_release);
  self->entry(self->arguments);
  self->to_release = self->result.allocated;
}

static void finish(void *state) {
  artifact *self = state;
  memcpy(self->contest->output, self->result.aligned, self->contest->output_size);
}

static void *symbol(void *library, const char *name) {
  void *address = dlsym(library, name);
  if (!address)
    tune_contest_fail("%s", dlerror());
  return address;
}

int main(int argc, char **argv) {
  tune_contest contest;
  tune_contest_init(&contest, argc, argv);
  artifact self = {.contest = &contest};
  void *library = dlopen(tune_contest_text(&contest, "artifact"), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    tune_contest_fail("%s", dlerror());
  // A conversion ISO C leaves out and POSIX makes.
  *(void **)&self.entry = symbol(library, "tune_entry");
  *(void **)&self.release = symbol(library, "tune_runtime_free");

  size_t count = 0;
  for (int i = 0; i < contest.pair_count; ++i) {
    if (strncmp(contest.pairs[i], "shape=", 6) != 0)
      continue;
    if (count == contest.input_count)
      tune_contest_fail("more shapes than inputs");
    self.tensors[count] = describe(contest.inputs[count], contest.pairs[i] + 6);
    self.arguments[count] = &self.tensors[count];
    ++count;
  }
  if (count != contest.input_count)
    tune_contest_fail("%zu shapes for %zu inputs", count, contest.input_count);
  self.arguments[count] = &self.result;
  void *(*prepack)(void **arguments);
  *(void **)&prepack = dlsym(library, "tune_prepack");
  if (prepack)
    self.arguments[count + 1] = prepack(self.arguments);

  tune_contest_entry entry = {.state = &self, .call = call, .finish = finish};
  int status = tune_contest_serve(&contest, "tuned", &entry);
  self.release(self.to_release);
  dlclose(library);
  return status;
}
