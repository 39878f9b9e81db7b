//===- cuda_architecture.h - Features of NVIDIA's architectures --------------===//
//
// Of each architecture that code is made for, what all of its devices have: the table of
// technical specifications per compute capability in NVIDIA's CUDA programming guide. So
// code can be made for a device that is not here.
//
// Threads: any; immutable.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_ARCHITECTURE_H
#define TUNE_TARGETS_CUDA_CUDA_ARCHITECTURE_H

#include "support/status.h"

#include <stdbool.h>
#include <stdint.h>

// The least that is "any device": what came before it has no tensor cores that kernels here use.
#define CUDA_ARCHITECTURE_LEAST "sm_80"

typedef struct cuda_architecture {
  int major, minor; // compute capability
  int64_t multiprocessor_invocations;
  int64_t shared_bytes_multiprocessor;
  int64_t shared_bytes_most; // of a group that asks for it
} cuda_architecture;

// What all of them have.
enum {
  CUDA_SUBGROUP_SIZE = 32,
  CUDA_SHARED_BYTES = 49152, // of a group that does not ask for more
  CUDA_REGISTERS = 65536,    // of a multiprocessor, and of a group
  CUDA_GROUP_INVOCATIONS = 1024,
};

// The architecture called `name`, "sm_90". NOT_FOUND lists those there are.
tune_status cuda_architecture_find(const char *name, const cuda_architecture **out_architecture);

// Whether `text` is the name of an architecture, known or not: "sm_" and a number, which is put to
// `*out_number` (90 for 9.0).
bool cuda_architecture_parse(const char *text, int *out_number);

#endif // TUNE_TARGETS_CUDA_CUDA_ARCHITECTURE_H
