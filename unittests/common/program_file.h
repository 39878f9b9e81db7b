//===- program_file.h - Device programs for tests ------------------------------------------===//
//
// Writes the files that targets/program.h reads. The code comes from programs/ beside this file:
// PTX as it is, in the folder PROGRAM_FILE_PTX, and SPIR-V assembled, in the folder
// PROGRAM_FILE_SPIRV; each text says what its kernels do.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_COMMON_PROGRAM_FILE_H
#define TUNE_UNITTESTS_COMMON_PROGRAM_FILE_H

#include <stddef.h>

// Writes the program `json` (in single quotes for double ones; "version" and "modules" are added)
// to `path`, with the contents of the files `modules`, NULL-terminated, as its modules (and a NUL
// after PTX), and `data_size` bytes of constants. Fails the test where it cannot.
void program_file_write(const char *path, const char *json, const char *const *modules,
                        const void *data, size_t data_size);

#endif // TUNE_UNITTESTS_COMMON_PROGRAM_FILE_H
