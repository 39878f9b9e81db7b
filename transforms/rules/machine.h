//===- machine.h - The machine as rules see it -------------------------------===//
//
// Threads: a plain value.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_MACHINE_H
#define TUNE_TRANSFORMS_RULES_MACHINE_H

#include "formats/device_facts.h"
#include "tuning/device/target_name.h"

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
  unsigned threads;     // that the candidate may use
  bool has_bf16_dot;    // adds up products of bf16, by more at a time than those of f32
  bool has_int8_dot;    // adds up products of bytes
  bool has_int16_pairs; // vpmaddwd in registers of that width: sums of two products of 16 bits
  tune_device gpu;      // where `kind` is not TUNE_KIND_CPU
} tune_machine;

void tune_machine_init(tune_machine *machine);
// Reads the fingerprint that a target gave (formats/fingerprint.h); fields it lacks stay as they
// are.
void tune_machine_read_fingerprint(tune_machine *machine, const json_t *fingerprint);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_MACHINE_H
