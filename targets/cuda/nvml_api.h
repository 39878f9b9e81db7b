//===- nvml_api.h - Declarations of NVIDIA's management library --------------===//
//
// As cuda_api.h, of libnvidia-ml.so.1 (NVML API Reference Guide).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_NVML_API_H
#define TUNE_TARGETS_CUDA_NVML_API_H

typedef struct nvmlDevice_st *nvmlDevice_t;

// Enums are ints of C's ABI.
typedef int nvmlReturn_t;
enum { NVML_SUCCESS = 0 };

typedef int nvmlClockType_t;
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };

// X(name, symbol, parameters): each function returns an nvmlReturn_t. Clocks are in MHz.
#define NVML_FUNCTIONS(X)                                                                          \
  X(Init, nvmlInit_v2, (void))                                                                     \
  X(Shutdown, nvmlShutdown, (void))                                                                \
  X(SystemGetDriverVersion, nvmlSystemGetDriverVersion, (char *version, unsigned int size))        \
  X(DeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2,                                   \
    (const char *bus_id, nvmlDevice_t *device))                                                    \
  X(DeviceGetMaxClockInfo, nvmlDeviceGetMaxClockInfo,                                              \
    (nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock))

// NVML_FUNCTIONS(NVML_DEFINE_POINTER) within a struct: a pointer for each, named as in the table.
#define NVML_DEFINE_POINTER(name, symbol, parameters) nvmlReturn_t(*name) parameters;
// NVML_FUNCTIONS(NVML_DEFINE_PROTOTYPE): the prototypes of a library that is NVML.
#define NVML_DEFINE_PROTOTYPE(name, symbol, parameters) nvmlReturn_t symbol parameters;

#endif // TUNE_TARGETS_CUDA_NVML_API_H
