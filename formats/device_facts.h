//===- device_facts.h - Facts of a device that code for it rests on ----------===//
//
// Read off a device's fingerprint (formats/fingerprint.h), by rules and lowerings alike; what is to
// run on a device that is not here takes what every one of its kind has.
//
// Threads: none of its own; a plain value.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_DEVICE_FACTS_H
#define TUNE_FORMATS_DEVICE_FACTS_H

#include "support/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What to do about sizes that are known at run time only, for errors about them.
#define TUNE_DEVICE_FIXED_SIZES                                                                    \
  "kernels for a device have fixed sizes, and this one does not follow from those of the "         \
  "arguments (docs/tasks.md, \"Sizes known at run time only\")"

// Cooperative matrices that subgroups multiply: rows x depth by depth x cols, of one type, and
// their sum. Types are "f16", "f32", "s8", "u8", "s32", "u32".
typedef struct tune_device_matrix {
  int64_t rows, cols, depth;
  char input[8], sum[8];
} tune_device_matrix;

enum { TUNE_DEVICE_MATRICES = 32 };

typedef struct tune_device {
  int api_major, api_minor; // of Vulkan
  int arch;                 // of CUDA: 90 for sm_90; 0 for Vulkan (tune_device_is_vulkan)
  bool is_software;         // it is the CPU in disguise
  int64_t multiprocessors;  // of CUDA; 0: not known
  int64_t group_invocations;
  int64_t group_size[3];
  int64_t group_count[3];
  int64_t shared_bytes;      // of a group
  int64_t shared_bytes_most; // where a launch asks for more than that; 0: it cannot
  int64_t group_registers;   // of 32 bits; 0: not known
  int64_t storage_buffer_bytes, texel_buffer_elements; // most of one buffer
  int64_t subgroup_size;                               // 0: not known
  int64_t loop_limit; // iterations after which loops stop, see kernel_loops.h; 0: none
  // Types in arithmetic.
  bool has_float16, has_bfloat16, has_float64, has_int8, has_int16, has_int64;
  // Types in storage buffers; those of 32 bits always are.
  bool has_storage8, has_storage16;
  // What invocations of a subgroup do together.
  bool has_subgroup_vote, has_subgroup_arithmetic, has_subgroup_ballot, has_subgroup_shuffle,
      has_subgroup_shuffle_relative, has_subgroup_clustered, has_subgroup_quad;
  bool has_cooperative_matrix, has_memory_model;
  // Whether code with cooperative matrices can be told from invalid code here, which is no matter
  // of the device: false until whoever has the tools says so
  // (transforms/lower/vulkan/spirv_tools.h).
  bool can_validate_matrices;
  tune_device_matrix matrices[TUNE_DEVICE_MATRICES];
  size_t matrix_count;
  // Dot products of four bytes in a word, and what of them has instructions of its own.
  bool has_int8_dot, is_signed_dot_fast, is_unsigned_dot_fast, is_mixed_dot_fast;
} tune_device;

// What every Vulkan 1.1 device has.
tune_device tune_device_least(void);
// What every CUDA device of compute capability 8.0 has.
tune_device tune_device_least_cuda(void);

// Whether code for it is SPIR-V of Vulkan; if not, it is PTX of CUDA.
bool tune_device_is_vulkan(const tune_device *device);

// Reads the fingerprint of a device; a member that it lacks is as above, for its target.
// INVALID_ARGUMENT where one is not what it should be.
tune_status tune_device_read(const json_t *fingerprint, tune_device *out_device);

// The largest cooperative matrices of these types that divide a part of `rows` x `cols` of a
// product, `depth` deep, and of which each lane of a subgroup has fours of the sum; NULL: none.
const tune_device_matrix *tune_device_find_matrix(const tune_device *device, const char *input,
                                                  const char *sum, int64_t rows, int64_t cols,
                                                  int64_t depth);

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_DEVICE_FACTS_H
