//===- zip.h - Files in a zip archive ----------------------------------------===//
//
// Reads what numpy.savez and savez_compressed write, and other archives whose files are stored or
// deflated, zip64 among them. Strict: what is damaged, encrypted or packed otherwise is an error.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_ARRAYS_ZIP_H
#define TUNE_TUNING_ARRAYS_ZIP_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Called for each file, in the archive's order: its name, which need not end with a zero, and its
// bytes, both borrowed for the call. A failure ends the reading and is returned from it.
typedef tune_status (*tune_zip_visitor)(void *user, const char *name, size_t name_length,
                                        const char *bytes, size_t size);

// DATA_LOSS for what is no archive or a damaged one, INVALID_ARGUMENT for what is not read.
tune_status tune_zip_read(const char *bytes, size_t size, tune_zip_visitor visit, void *user);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_ARRAYS_ZIP_H
