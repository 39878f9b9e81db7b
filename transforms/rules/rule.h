//===- rule.h - Making the space of a task -----------------------------------------===//
//
// A rule knows one class of work on one kind of target: given what a task does
// (structure.h) and what the machine has, it writes a schedule with its decisions left
// open. The first rule in the registry that is for the machine's kind and applies is taken;
// the last ones, `gpu_general` and `general`, apply to all.
//
// A new rule is one file here, declared below, and one line in registry.c and CMakeLists.txt.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_RULE_H
#define TUNE_TRANSFORMS_RULES_RULE_H

#include "support/status.h"
#include "transforms/lower/device.h"
#include "transforms/rules/schedule_writer.h"
#include "transforms/rules/structure.h"
#include "tuning/target_name.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

// What rules need of a fingerprint. Zeroes stand for unknown; tune_machine_init gives a plain
// x86-64 without AVX, and of a device what each with Vulkan 1.1 has.
typedef struct tune_machine {
  tune_target_kind kind;
  unsigned vector_bits;      // of a register: 128, 256, 512
  unsigned vector_registers; // 16, 32
  int64_t l1_bytes, l2_bytes, l3_bytes;
  unsigned threads;                // that the candidate may use
  bool has_bf16_dot, has_int8_dot; // instructions that add up products of narrow elements
  tune_device gpu;                 // where `kind` is not TUNE_KIND_CPU
} tune_machine;

void tune_machine_init(tune_machine *machine);
// Reads the fingerprint that a target gave (targets/fingerprint.h); fields it lacks stay as they
// are.
void tune_machine_read_fingerprint(tune_machine *machine, const json_t *fingerprint);

// Sets of kinds.
#define TUNE_KINDS_CPU (1u << TUNE_KIND_CPU)
#define TUNE_KINDS_GPU (1u << TUNE_KIND_VULKAN | 1u << TUNE_KIND_CUDA)

typedef struct tune_rule {
  const char *name;
  const char *summary;
  unsigned kinds; // of machines that it is for
  bool (*applies)(const tune_structure *structure, const tune_machine *machine);
  // Writes the whole schedule module.
  void (*write)(const tune_structure *structure, const tune_machine *machine, tune_writer *writer);
} tune_rule;

extern const tune_rule tune_rule_attention;       // attention.c
extern const tune_rule tune_rule_winograd_nchw;   // winograd_nchw.c
extern const tune_rule tune_rule_conv_blocked;    // conv_blocked.c
extern const tune_rule tune_rule_depthwise;       // depthwise.c
extern const tune_rule tune_rule_dot_contraction; // dot_contraction.c
extern const tune_rule tune_rule_winograd;        // winograd.c
extern const tune_rule tune_rule_contraction;     // contraction.c
extern const tune_rule tune_rule_im2col;          // im2col.c
extern const tune_rule tune_rule_reduction;       // reduction.c
extern const tune_rule tune_rule_elementwise;     // elementwise.c
extern const tune_rule tune_rule_general;         // general.c
extern const tune_rule tune_rule_gpu_tiles;       // gpu_tiles.c
extern const tune_rule tune_rule_gpu_contraction; // gpu_contraction.c
extern const tune_rule tune_rule_gpu_elements;    // gpu_elements.c
extern const tune_rule tune_rule_gpu_rows;        // gpu_rows.c
extern const tune_rule tune_rule_gpu_general;     // gpu_general.c

// The rule that takes `structure`; never NULL.
const tune_rule *tune_rule_find(const tune_structure *structure, const tune_machine *machine);

// Makes the space of the task whose payload (a module with one function) is `payload`, as the text
// of a schedule module; free() it. `out_rule` (may be NULL) is the rule that wrote it.
tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, char **out_schedule,
                                     const tune_rule **out_rule);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_RULE_H
