//===- device_kernel.c - Kernels of a device program -----------------------------------===//

#include "transforms/lower/device_kernel.h"

#include <stdlib.h>

void tune_device_kernels_deinit(tune_device_kernels *kernels) {
  for (size_t i = 0; i < kernels->count; ++i) {
    free(kernels->items[i].name);
    free(kernels->items[i].code);
    free(kernels->items[i].is_written);
  }
  free(kernels->items);
  *kernels = (tune_device_kernels){0};
}
