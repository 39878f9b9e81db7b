//===- fuzz.h - What the fuzz targets share ------------------------------------------===//
//
// A fuzz target is a program that hands any bytes to one of our readers; libFuzzer makes up the
// bytes, from those in corpus/<target>/, and the sanitizers watch. That the reader refuses what it
// is given is no finding; that it crashes, leaks or hangs is one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FUZZ_FUZZ_H
#define TUNE_FUZZ_FUZZ_H

#include "support/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What libFuzzer calls.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Ends the program where memory runs out in the fuzz target itself.
void *fuzz_allocate(size_t size);
// The bytes with a NUL after them; free() it.
char *fuzz_text(const uint8_t *data, size_t size);
// The same cut into at most `count` parts at `separator`; what is missing is empty. free() the
// first.
void fuzz_split(const uint8_t *data, size_t size, char separator, size_t count, char **out_parts);

// A file in memory with these bytes, to be read from its start; close() it.
int fuzz_file(const void *data, size_t size);
// The path of an open file, into `out_path`.
#define FUZZ_PATH 256
void fuzz_path(int fd, char out_path[FUZZ_PATH]);
// The path of `name` in a folder for what is written, which goes with the process.
void fuzz_scratch_path(const char *name, char out_path[FUZZ_PATH]);

// Whether it is OK. A failure has a message, which is read, and is freed.
bool fuzz_accept(tune_status status);
// Ends the program with `what` where `condition`, which our own code promises, does not hold.
void fuzz_require(bool condition, const char *what);

#endif // TUNE_FUZZ_FUZZ_H
