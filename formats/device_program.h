//===- device_program.h - The description of a device program ----------------===//
//
// The JSON at the head of a device program's file (support/program_head.h): what code, buffers and
// steps it has; docs/protocol.md says what they mean. transforms/lower/gpu/host/device_program.h
// makes it of a function, targets/program.h reads it and checks that it makes sense.
//
// Ownership: members.h. Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_DEVICE_PROGRAM_H
#define TUNE_FORMATS_DEVICE_PROGRAM_H

#include "formats/members.h"

#ifdef __cplusplus
extern "C" {
#endif

// Names in it.
#define TUNE_TEXELS_F32 "r32f"
#define TUNE_TEXELS_4F32 "rgba32f"

typedef struct tune_described_module {
  int64_t bytes;
  int64_t opt_level; // 1 to 4; 0: nothing
  const char *load_cache;
  bool host; // a shared object for steps on the host
} tune_described_module;

// Of the signature's.
typedef struct tune_described_argument_buffer {
  int64_t argument;
} tune_described_argument_buffer;

typedef struct tune_described_result_buffer {
  int64_t result;
} tune_described_result_buffer;

// The program's own.
typedef struct tune_described_memory {
  int64_t bytes;
  int64_t data; // bytes of its contents
  bool has_data;
} tune_described_memory;

// One of the three, and the first that is there.
typedef struct tune_described_buffer {
  tune_described_memory own;
  tune_described_argument_buffer argument;
  tune_described_result_buffer result;
  bool is_argument, is_result, is_own;
} tune_described_buffer;

typedef struct tune_described_map {
  int64_t element_bytes;
  tune_shape sizes, box;
  int64_t swizzle;
} tune_described_map;

typedef struct tune_described_use {
  int64_t buffer;
  const char *texels; // NULL: storage
  bool written;
  tune_described_map tensor_map;
  bool has_map;
} tune_described_use;

typedef struct tune_described_f32 {
  double f32;
} tune_described_f32;

typedef struct tune_described_i32 {
  int64_t i32;
} tune_described_i32;

// What a kernel is handed: one of the three, and the first that is there.
typedef struct tune_described_argument {
  tune_described_use use;
  tune_described_f32 f32;
  tune_described_i32 i32;
  bool is_f32, is_i32, is_use;
} tune_described_argument;

typedef struct tune_described_arguments {
  tune_described_argument *items;
  size_t count;
} tune_described_arguments;

typedef struct tune_described_copy {
  int64_t copy, to; // buffers
  int64_t bytes;
} tune_described_copy;

typedef struct tune_described_launch {
  const char *launch; // the kernel
  int64_t module;
  int64_t groups[3], group_size[3];
  int64_t shared_bytes, subgroup_size;
  tune_described_arguments arguments;
} tune_described_launch;

// Goes on at another step.
typedef struct tune_described_branch {
  int64_t branch; // the step; as many as there are: the end
  int64_t unless; // the buffer whose first 4 bytes have to be 0 for that
  bool has_unless;
} tune_described_branch;

// Is done by the host, on copies of the arguments there.
typedef struct tune_described_host {
  int64_t host; // the module
  tune_described_arguments arguments;
} tune_described_host;

// One of the four, and the first that is there.
typedef struct tune_described_step {
  tune_described_copy copy;
  tune_described_launch launch;
  tune_described_branch branch;
  tune_described_host host;
  bool is_copy, is_launch, is_branch, is_host;
} tune_described_step;

typedef struct tune_described_modules {
  tune_described_module *items;
  size_t count;
} tune_described_modules;

typedef struct tune_described_buffers {
  tune_described_buffer *items;
  size_t count;
} tune_described_buffers;

typedef struct tune_described_steps {
  tune_described_step *items;
  size_t count;
} tune_described_steps;

typedef struct tune_described_program {
  int64_t version; // TUNE_PROGRAM_VERSION, which the writer sees to
  const char *target;
  bool unordered;
  tune_described_modules modules;
  tune_described_buffers buffers;
  tune_described_steps steps;
} tune_described_program;

tune_status tune_described_program_to_json(const tune_described_program *value,
                                           json_t **out_object);
// FAILED_PRECONDITION for another version.
tune_status tune_described_program_from_json(const json_t *object,
                                             tune_described_program *out_value);
void tune_described_program_deinit(tune_described_program *value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_DEVICE_PROGRAM_H
