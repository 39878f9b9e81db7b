//===- npy.h - NumPy's file format for one array -----------------------------------===//
//
// Reads and writes .npy files of version 1 and 2 (numpy.lib.format), little-endian, for the types
// of the ABI. Those in Fortran order are read, too; what is written is in C order. NumPy has no
// bf16: it is written as uint16 ('<u2', the bits), and read from that or from '|V2', which is what
// ml_dtypes' bfloat16 saves as. Where the ABI has a signless integer, both the signed and the
// unsigned type of its size are read, and the signed is written; i1 is bool; index is int64.
//
// Strict: a file that is damaged, of another type or shape, or has bytes left over is an error that
// says so, with the path.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_NPY_H
#define TUNE_TARGETS_NPY_H

#include "targets/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads the array at `path` as a value of `expected`, whose dynamic dimensions take the file's
// sizes. NOT_FOUND; DATA_LOSS for a damaged file; INVALID_ARGUMENT for a type or shape that
// `expected` does not allow, of a type with what numpy makes the right one of it. The caller
// deinits `*out_buffer` after success.
tune_status tune_npy_read(const char *path, const tune_value_type *expected,
                          tune_buffer *out_buffer);

// The same of what users know by another name, which errors tell: "'x' of in.npz".
tune_status tune_npy_read_named(const char *path, const char *name, const tune_value_type *expected,
                                tune_buffer *out_buffer);

// Writes `buffer`, replacing what is at `path`. A failure leaves no half-written file behind.
tune_status tune_npy_write(const char *path, const tune_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_NPY_H
