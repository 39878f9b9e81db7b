//===- cuda_nvml.h - Clocks and load of a device, by NVIDIA's management library -===//
//
// Of its driver's own version and clocks, which the driver API does not tell, or not well.
// The library (libnvidia-ml.so.1) comes with the driver, but containers may lack it: then
// nothing is said. The environment variable TUNE_CUDA_NVML names another library in its
// place.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_NVML_H
#define TUNE_TARGETS_CUDA_CUDA_NVML_H

#include <stdint.h>

typedef struct cuda_nvml_facts {
  char driver_version[80];             // "580.65.06"; empty: not known
  int64_t clock_mhz, memory_clock_mhz; // at most; 0: not known
} cuda_nvml_facts;

// Of the device at the PCI address `bus_id`.
void cuda_nvml_ask(const char *bus_id, cuda_nvml_facts *out_facts);

#endif // TUNE_TARGETS_CUDA_CUDA_NVML_H
