//===- program.h - Reading device programs -----------------------------------===//
//
// The artifact of such a device is one file: code, buffers, and the steps to take with
// them. Its format is in docs/protocol.md (Device programs). What is read here is
// checked wholly: every index is in range, every size is known, nothing is written that
// is only to be read, so that a target can do what the steps say. What the code itself
// does is not looked at.
//
// Threads: immutable once read.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_PROGRAM_H
#define TUNE_TARGETS_PROGRAM_H

#include "formats/signature.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a driver's compiler of PTX has loads of memory that a kernel also writes cached.
typedef enum tune_program_load_cache {
  TUNE_PROGRAM_CACHE_DEFAULT, // as it does by itself
  TUNE_PROGRAM_CACHE_CG,      // in the second cache alone
  TUNE_PROGRAM_CACHE_CA,      // in both
} tune_program_load_cache;

typedef struct tune_program_module {
  void *code; // aligned as malloc(3) aligns
  size_t size;
  // What the driver's compiler is told where the code is PTX.
  uint32_t opt_level; // 1 to 4; 0: nothing
  tune_program_load_cache load_cache;
  bool is_host; // a shared object of the host's, with a tune_entry
} tune_program_module;

typedef enum tune_program_buffer_kind {
  TUNE_PROGRAM_ARGUMENT, // of the signature
  TUNE_PROGRAM_RESULT,   // of the signature
  TUNE_PROGRAM_SCRATCH,  // contents unknown before each run
  TUNE_PROGRAM_CONSTANT,
} tune_program_buffer_kind;

typedef struct tune_program_buffer {
  tune_program_buffer_kind kind;
  size_t index;      // of the argument or result
  size_t size;       // bytes; 0 for a tensor without elements
  void *data;        // of a constant, else NULL
  bool is_read_only; // arguments that are not "readwrite", and constants
} tune_program_buffer;

typedef enum tune_program_argument_kind {
  TUNE_PROGRAM_STORAGE,    // the buffer as it is
  TUNE_PROGRAM_TEXEL_F32,  // seen as texels of one f32
  TUNE_PROGRAM_TEXEL_4F32, // or four
  TUNE_PROGRAM_I32,        // by value
  TUNE_PROGRAM_F32,
  TUNE_PROGRAM_TENSOR_MAP, // what copies of boxes of the buffer need to know, on CUDA
} tune_program_argument_kind;

#define TUNE_PROGRAM_TENSOR_RANK 5

// A buffer as a dense tensor of elements of `element_bytes` (1, 2 or 4), and the boxes of it that
// are copied at once to shared memory. Dimensions from the innermost on.
typedef struct tune_program_tensor_map {
  uint32_t rank, element_bytes;
  uint32_t swizzle; // bytes of a row of the pattern: 0, 32, 64 or 128
  uint32_t sizes[TUNE_PROGRAM_TENSOR_RANK], box[TUNE_PROGRAM_TENSOR_RANK];
} tune_program_tensor_map;

typedef struct tune_program_argument {
  tune_program_argument_kind kind;
  size_t buffer; // of the program's, for the first three kinds and tensor maps
  tune_program_tensor_map map;
  bool is_written;
  int32_t i32;
  float f32;
} tune_program_argument;

typedef enum tune_program_step_kind {
  TUNE_PROGRAM_LAUNCH,
  TUNE_PROGRAM_COPY,
  TUNE_PROGRAM_BRANCH, // goes on at another step
  TUNE_PROGRAM_HOST,   // the host computes
} tune_program_step_kind;

typedef struct tune_program_step {
  tune_program_step_kind kind;
  // Of a launch, and the module and the arguments of a step on the host:
  char *entry; // the kernel's name
  size_t module;
  uint32_t groups[3], group_size[3];
  size_t shared_bytes;    // dynamic shared memory
  uint32_t subgroup_size; // that the kernel was written for; 0: any
  tune_program_argument *arguments;
  size_t argument_count;
  // Of a copy, whose buffers differ:
  size_t from, to;
  size_t bytes; // > 0, from the start of both
  // Of a branch:
  size_t target;      // the step; step_count: the end
  bool has_condition; // it is taken only where the first word of `from` is 0
} tune_program_step;

#define TUNE_PROGRAM_CONDITION_BYTES 4

typedef struct tune_program {
  tune_program_module *modules;
  size_t module_count;
  tune_program_buffer *buffers;
  size_t buffer_count;
  tune_program_step *steps;
  size_t step_count;
  bool is_unordered; // two runs may differ by the order of sums
  bool has_stops;    // there are steps that the driver does not take: branches, and the host's
} tune_program;

// Reads the file `path` for the target named `target`, and checks it against `signature`, whose
// shapes are to be static. NOT_FOUND if it is not there; FAILED_PRECONDITION for another version;
// INVALID_ARGUMENT, saying what is wrong, for everything else that is no such program.
tune_status tune_program_read(const char *path, const char *target, const tune_signature *signature,
                              tune_program *out_program);
// The same from `size` bytes in memory.
tune_status tune_program_parse(const void *bytes, size_t size, const char *target,
                               const tune_signature *signature, tune_program *out_program);
void tune_program_deinit(tune_program *program);

// The buffer that output `output` of the signature is read from. There is one, but while the
// program is still being checked: then buffer_count where there is none.
size_t tune_program_find_output(const tune_program *program, const tune_signature *signature,
                                size_t output);

// The first step from `first` on that is a branch, or the host's; step_count where there is none.
size_t tune_program_find_stop(const tune_program *program, size_t first);

// "argument 2", "result 0" or "buffer 5", into `out_name`.
void tune_program_buffer_name(const tune_program *program, size_t buffer, char out_name[32]);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_PROGRAM_H
