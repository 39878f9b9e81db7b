//===- cuda_nvml.c - Clocks and load of a device, by NVIDIA's management library -===//

#include "targets/cuda/cuda_nvml.h"
#include "targets/cuda/nvml_api.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvml_functions {
  NVML_FUNCTIONS(NVML_DEFINE_POINTER)
} nvml_functions;

static bool find_functions(void *library, nvml_functions *out) {
  bool is_whole = true;
  void *found;
  // ISO C has no cast from an object to a function; POSIX has this.
#define FIND(name, symbol, parameters)                                                             \
  found = dlsym(library, #symbol);                                                                 \
  memcpy(&out->name, &found, sizeof found);                                                        \
  is_whole &= found != NULL;
  NVML_FUNCTIONS(FIND)
#undef FIND
  return is_whole;
}

static int64_t read_clock(const nvml_functions *f, nvmlDevice_t device, nvmlClockType_t type) {
  unsigned int clock = 0;
  return f->DeviceGetMaxClockInfo(device, type, &clock) == NVML_SUCCESS ? clock : 0;
}

static void ask(const nvml_functions *f, const char *bus_id, cuda_nvml_facts *out) {
  if (f->SystemGetDriverVersion(out->driver_version, sizeof out->driver_version) != NVML_SUCCESS)
    out->driver_version[0] = '\0';
  nvmlDevice_t device;
  if (f->DeviceGetHandleByPciBusId(bus_id, &device) != NVML_SUCCESS)
    return;
  out->clock_mhz = read_clock(f, device, NVML_CLOCK_SM);
  out->memory_clock_mhz = read_clock(f, device, NVML_CLOCK_MEM);
}

void cuda_nvml_ask(const char *bus_id, cuda_nvml_facts *out_facts) {
  *out_facts = (cuda_nvml_facts){0};
  const char *path = getenv("TUNE_CUDA_NVML");
  void *library = dlopen(path && *path ? path : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  nvml_functions f;
  if (find_functions(library, &f) && f.Init() == NVML_SUCCESS) {
    ask(&f, bus_id, out_facts);
    f.Shutdown();
  }
  dlclose(library);
}
