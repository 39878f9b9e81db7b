//===- device_kernel.h - Kernels of a device program -----------------------------------===//
//
// What the way to a device's code (spirv.h) hands to the one that writes the program down
// (device_program.h).
//
// Threads: none of its own; a plain value.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_DEVICE_KERNEL_H
#define TUNE_TRANSFORMS_LOWER_DEVICE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_device_kernel {
  char *name;
  void *code; // a module with this kernel alone
  size_t code_size;
  size_t argument_count;
  bool *is_written;      // which arguments it may write to
  int64_t subgroup_size; // that it is written for; 0: any
} tune_device_kernel;

typedef struct tune_device_kernels {
  tune_device_kernel *items;
  size_t count;
} tune_device_kernels;

// Of what starts as {0}.
void tune_device_kernels_deinit(tune_device_kernels *kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_DEVICE_KERNEL_H
