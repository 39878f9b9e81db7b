//===- cuda_fingerprint.c - The fingerprint of a CUDA device -----------------===//

#include "targets/cuda/cuda_fingerprint.h"
#include "targets/cuda/cuda_architecture.h"
#include "targets/cuda/cuda_nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB (INT64_C(1) << 30)

// What a compute capability decides: sorted, as fingerprints have them.
static bool name_features(int major, tune_fingerprint *out) {
  static const struct {
    const char *name;
    int since; // major number
  } features[] = {{"bfloat16", 8}, {"float16", 0}, {"float64", 0},   {"int16", 0},
                  {"int64", 0},    {"int8", 0},    {"storage16", 0}, {"storage8", 0}};
  const size_t count = sizeof features / sizeof *features;
  out->features.items = calloc(count, sizeof *out->features.items);
  for (size_t i = 0; i < count && out->features.items; ++i)
    if (major >= features[i].since)
      out->features.items[out->features.count++] = features[i].name;
  return out->features.items != NULL;
}

// What all devices have alike, and names; `out` has been zeroed.
static tune_status begin(int major, int minor, tune_fingerprint *out) {
  static const char *const operations[] = {"basic",  "vote",    "arithmetic",
                                           "ballot", "shuffle", "shuffle_relative"};
  tune_gpu *gpu = &out->gpu;
  out->target = "cuda";
  out->vendor = "NVIDIA";
  gpu->subgroup_operations.items = malloc(sizeof operations);
  bool is_whole = gpu->subgroup_operations.items && name_features(major, out) &&
                  tune_fingerprint_print(out, &gpu->arch, "sm_%d%d", major, minor);
  if (!is_whole)
    return tune_status_out_of_memory("describing the device");
  gpu->subgroup_operations.count = sizeof operations / sizeof *operations;
  memcpy(gpu->subgroup_operations.items, operations, sizeof operations);
  return TUNE_OK;
}

//===- Of an architecture -----------------------------------------------------------===//

static tune_status describe(const cuda_architecture *a, tune_fingerprint *out) {
  TUNE_RETURN_IF_ERROR(begin(a->major, a->minor, out));
  tune_gpu *gpu = &out->gpu;
  if (!tune_fingerprint_print(out, &out->model, "any sm_%d%d", a->major, a->minor))
    return tune_status_out_of_memory("describing an architecture");
  gpu->subgroup_size = CUDA_SUBGROUP_SIZE;
  gpu->shared_bytes = CUDA_SHARED_BYTES;
  gpu->shared_bytes_most = a->shared_bytes_most;
  gpu->shared_bytes_multiprocessor = a->shared_bytes_multiprocessor;
  gpu->group_registers = gpu->multiprocessor_registers = CUDA_REGISTERS;
  gpu->multiprocessor_invocations = a->multiprocessor_invocations;
  gpu->group_invocations = CUDA_GROUP_INVOCATIONS;
  const int64_t size[3] = {1024, 1024, 64}, count[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
  memcpy(gpu->group_size, size, sizeof size);
  memcpy(gpu->group_count, count, sizeof count);
  return TUNE_OK;
}

tune_status cuda_fingerprint_describe(const char *architecture, tune_fingerprint *out_fingerprint) {
  *out_fingerprint = (tune_fingerprint){0};
  const cuda_architecture *found;
  TUNE_RETURN_IF_ERROR(
      cuda_architecture_find(architecture ? architecture : CUDA_ARCHITECTURE_LEAST, &found));
  tune_status status = describe(found, out_fingerprint);
  if (!tune_status_is_ok(status))
    tune_fingerprint_deinit(out_fingerprint);
  return status;
}

//===- Of a device ------------------------------------------------------------------===//

static tune_status read_attribute(const cuda_device *device, CUdevice_attribute attribute,
                                  int64_t *out_value) {
  const cuda_functions *f = &device->functions;
  int value = 0;
  CUresult result = f->DeviceGetAttribute(&value, attribute, device->device);
  *out_value = value;
  return cuda_status(f, result, "asking for the device's attribute %d", attribute);
}

static tune_status read_limits(const cuda_device *device, tune_gpu *out) {
  const struct {
    CUdevice_attribute attribute;
    int64_t *value;
  } limits[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &out->group_invocations},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &out->group_size[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &out->group_size[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &out->group_size[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &out->group_count[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &out->group_count[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &out->group_count[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &out->shared_bytes},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &out->shared_bytes_most},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &out->shared_bytes_multiprocessor},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &out->subgroup_size},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &out->group_registers},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &out->multiprocessor_registers},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &out->multiprocessor_invocations},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &out->multiprocessors},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &out->l2_bytes},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &out->memory_bus_bits},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &out->clock_mhz}, // these two in kHz
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &out->memory_clock_mhz},
  };
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
    TUNE_RETURN_IF_ERROR(read_attribute(device, limits[i].attribute, limits[i].value));
  out->clock_mhz /= 1000;
  out->memory_clock_mhz /= 1000;
  return TUNE_OK;
}

// In whole GiB, if there is one: what systems report varies a little.
static tune_status read_memory(const cuda_device *device, tune_gpu *out) {
  const cuda_functions *f = &device->functions;
  size_t bytes = 0;
  TUNE_RETURN_IF_ERROR(
      cuda_status(f, f->DeviceTotalMem(&bytes, device->device), "asking for the device's memory"));
  int64_t memory = (int64_t)bytes;
  out->memory_bytes = memory >= GIB ? (memory + GIB / 2) / GIB * GIB : memory;
  out->storage_buffer_bytes = out->memory_bytes;
  return TUNE_OK;
}

static tune_status read_names(const cuda_device *device, tune_fingerprint *out) {
  const cuda_functions *f = &device->functions;
  char model[256] = "", bus_id[32] = "";
  CUresult result = f->DeviceGetName(model, sizeof model - 1, device->device);
  if (result == CUDA_SUCCESS)
    result = f->DeviceGetPCIBusId(bus_id, sizeof bus_id - 1, device->device);
  TUNE_RETURN_IF_ERROR(cuda_status(f, result, "asking for the device's name"));
  int64_t is_integrated;
  TUNE_RETURN_IF_ERROR(read_attribute(device, CU_DEVICE_ATTRIBUTE_INTEGRATED, &is_integrated));
  cuda_nvml_facts facts;
  cuda_nvml_ask(bus_id, &facts);
  tune_gpu *gpu = &out->gpu;
  gpu->device_type = is_integrated ? "integrated" : "discrete";
  gpu->clock_mhz = facts.clock_mhz ? facts.clock_mhz : gpu->clock_mhz;
  gpu->memory_clock_mhz = facts.memory_clock_mhz ? facts.memory_clock_mhz : gpu->memory_clock_mhz;
  bool is_whole = tune_fingerprint_print(out, &out->model, "%s", model) &&
                  tune_fingerprint_print(out, &gpu->api, "%d.%d", device->version / 1000,
                                         device->version % 1000 / 10) &&
                  tune_fingerprint_print(out, &gpu->driver, "CUDA %s", gpu->api) &&
                  tune_fingerprint_print(out, &gpu->driver_version, "%s",
                                         facts.driver_version[0] ? facts.driver_version : gpu->api);
  return is_whole ? TUNE_OK : tune_status_out_of_memory("describing the device");
}

tune_status cuda_fingerprint_read(const cuda_device *device, tune_fingerprint *out_fingerprint) {
  *out_fingerprint = (tune_fingerprint){0};
  tune_status status = begin(device->major, device->minor, out_fingerprint);
  if (tune_status_is_ok(status))
    status = read_limits(device, &out_fingerprint->gpu);
  if (tune_status_is_ok(status))
    status = read_memory(device, &out_fingerprint->gpu);
  if (tune_status_is_ok(status))
    status = read_names(device, out_fingerprint);
  if (!tune_status_is_ok(status))
    tune_fingerprint_deinit(out_fingerprint);
  return status;
}
