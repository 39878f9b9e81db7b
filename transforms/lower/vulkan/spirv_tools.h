//===- spirv_tools.h - Khronos' tools for SPIR-V -----------------------------===//
//
// Validates, optimizes and disassembles modules by SPIRV-Tools. Its optimizer has no C API in the
// version we build against: spirv_tools.cpp is C++ for that alone.
//
// A schedule decides by a discardable attribute on the function (transform.annotate):
//
//   tune.spirv.opt = "none"           as upstream's conversion writes it; the default
//                  = "performance"    spirv-opt -O
//                  = "size"           spirv-opt -Os
//                  = "unroll"         spirv-opt -O, then innermost loops that end at a constant
//                                      of up to 64 unrolled in full, then -O
//
// Threads: any, each with its own modules.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_TOOLS_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_TOOLS_H

#include "formats/device_facts.h"
#include "support/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_spirv_opt {
  TUNE_SPIRV_OPT_NONE,
  TUNE_SPIRV_OPT_PERFORMANCE,
  TUNE_SPIRV_OPT_SIZE,
  TUNE_SPIRV_OPT_UNROLL,
} tune_spirv_opt;

// False where there is no such word.
bool tune_spirv_opt_parse(const char *word, size_t length, tune_spirv_opt *out_opt);

// A module in memory, as 32-bit words; free() them.
typedef struct tune_spirv_code {
  uint32_t *words;
  size_t word_count;
} tune_spirv_code;

// INTERNAL with the validator's message where Vulkan, in the version of `device`, may not take the
// module `name`.
tune_status tune_spirv_validate(const tune_spirv_code *code, const tune_device *device,
                                const char *name);
// Whether they know SPV_KHR_cooperative_matrix: those of 2025.1 do, those of 2023.1 do not, and to
// these no module that has it is valid.
bool tune_spirv_tools_know_matrices(void);
// Optimizes in place. INTERNAL with its message where the optimizer fails.
tune_status tune_spirv_optimize(tune_spirv_code *code, const tune_device *device,
                                tune_spirv_opt opt);
// As text; free() it.
tune_status tune_spirv_disassemble(const tune_spirv_code *code, const tune_device *device,
                                   char **out_text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_TOOLS_H
