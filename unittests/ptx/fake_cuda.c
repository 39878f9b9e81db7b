//===- fake_cuda.c - A CUDA driver that runs PTX on the processor
//-----------------------------------===//
//
// A stand-in for libcuda.so.1 with the functions of targets/cuda/cuda_api.h, over the emulator of
// ptx.h: TUNE_CUDA_LOADER=…/libtune_fake_cuda.so makes everything that uses CUDA here run without a
// GPU. There is one device, of the architecture TUNE_FAKE_CUDA_ARCH (sm_90 without), small in
// everything but what one group may have. Its memory is that of the process.
//
// Work is done when it is asked for; what goes wrong then is told where a driver tells it: by what
// waits for the work, and by everything after that. What the emulator has found (the instruction,
// the thread) is the error's text. Time is made up, from the instructions executed, so that it
// is the same each time, and no less than running them took here.
//
// A launch that is asked for again, in the very memory it left untouched the last time, would leave
// it untouched again: it takes its time, but is not run. So measuring a kernel again and again
// costs two runs. Kernels of targets/cuda/roofline*.ptx, which do nothing but take time, are never
// run.
//
// TUNE_FAKE_CUDA_JIT is a file that gets a line for each module that is loaded, of the options that
// its compiler was told; the code is run as it is.
//
// TUNE_FAKE_CUDA_FAULT, looked at in each call, makes it fail:
//   no-device      there is none
//   old-driver     of CUDA 10.2, which takes PTX up to version 6.5
//   out-of-memory  none is left
//   launch-failed  kernels fail (CUDA_ERROR_LAUNCH_FAILED)
//   lost           kernels fail (CUDA_ERROR_ILLEGAL_ADDRESS)
//   hang           kernels never end
//   bank-conflicts kernels whose ldmatrix meets a bank twice fail
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/fake_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ADDRESSES (UINT64_C(1) << 40)    // reserved, as drivers do
#define MEMORY_BYTES (UINT64_C(1) << 30) // of the device
#define ALIGNMENT 256                    // of what cuMemAlloc gives

fake_driver driver;
static struct CUctx_st primary_context;
static char failure_text[1024];

bool fake_has_fault(const char *name) {
  const char *fault = getenv("TUNE_FAKE_CUDA_FAULT");
  return fault && !strcmp(fault, name);
}

const cuda_architecture *fake_architecture(void) {
  const char *name = getenv("TUNE_FAKE_CUDA_ARCH");
  const cuda_architecture *found = NULL;
  tune_status_free(cuda_architecture_find(name && *name ? name : "sm_90", &found));
  return found;
}

void fake_fail(CUresult result, const char *text) {
  driver.failure = result;
  snprintf(failure_text, sizeof failure_text, "%s", text);
}

CUresult fake_state(void) {
  return driver.is_initialized ? driver.failure : CUDA_ERROR_NOT_INITIALIZED;
}

//===- Errors -------------------------------------------------------------------------===//

static const struct {
  CUresult result;
  const char *name, *text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT",
     "the launch timed out and was terminated"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

static int find_error(CUresult result) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].result == result)
      return (int)i;
  return -1;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  int index = find_error(error);
  *name = index < 0 ? NULL : errors[index].name;
  return index < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Of the error that a kernel has left, what the emulator says.
CUresult cuGetErrorString(CUresult error, const char **text) {
  int index = find_error(error);
  *text = index < 0 ? NULL : errors[index].text;
  if (index >= 0 && error != CUDA_SUCCESS && error == driver.failure && *failure_text)
    *text = failure_text;
  return index < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

//===- The device ---------------------------------------------------------------------===//

CUresult cuInit(unsigned int flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (fake_has_fault("no-device") || !fake_architecture())
    return CUDA_ERROR_NO_DEVICE;
  if (driver.is_initialized)
    return CUDA_SUCCESS;
  // As drivers do for the addresses of their devices, which limits of address space do not bear.
  void *reserved =
      mmap(NULL, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  tune_status status = ptx_memory_create(&driver.memory);
  driver.is_initialized = tune_status_is_ok(status);
  tune_status_free(status);
  if (driver.is_initialized)
    return CUDA_SUCCESS;
  munmap(reserved, ADDRESSES);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDriverGetVersion(int *version) {
  *version = fake_has_fault("old-driver") ? 10020 : 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return fake_state();
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = 0;
  return ordinal ? CUDA_ERROR_INVALID_DEVICE : fake_state();
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  const cuda_architecture *a = fake_architecture();
  snprintf(name, (size_t)size, "PTX emulator sm_%d%d", a->major, a->minor);
  return device ? CUDA_ERROR_INVALID_DEVICE : fake_state();
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device) {
  snprintf(id, (size_t)size, "0000:00:00.0");
  return device ? CUDA_ERROR_INVALID_DEVICE : fake_state();
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  *bytes = MEMORY_BYTES;
  return device ? CUDA_ERROR_INVALID_DEVICE : fake_state();
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  const cuda_architecture *a = fake_architecture();
  const struct {
    CUdevice_attribute attribute;
    int64_t value;
  } attributes[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, INT32_MAX},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, CUDA_SHARED_BYTES},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 2},
      {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 128},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, a->multiprocessor_invocations},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, a->major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, a->minor},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, a->shared_bytes_multiprocessor},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, a->shared_bytes_most},
  };
  if (device)
    return CUDA_ERROR_INVALID_DEVICE;
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (attributes[i].attribute == attribute) {
      *value = (int)attributes[i].value;
      return fake_state();
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = &primary_context;
  return device ? CUDA_ERROR_INVALID_DEVICE : fake_state();
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return device ? CUDA_ERROR_INVALID_DEVICE : fake_state();
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return !context || context == &primary_context ? fake_state() : CUDA_ERROR_INVALID_CONTEXT;
}

//===- Memory -------------------------------------------------------------------------===//

// What lies before each allocation.
typedef struct header {
  size_t size;
} header;

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  RETURN_IF_FAILED();
  *address = 0;
  if (!size)
    return CUDA_ERROR_INVALID_VALUE;
  if (fake_has_fault("out-of-memory") || size > MEMORY_BYTES - driver.used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  uint8_t *memory = aligned_alloc(ALIGNMENT, ALIGNMENT + rounded);
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *(header *)memory = (header){size};
  memset(memory + ALIGNMENT, 0xff, size);
  tune_status status = ptx_memory_add(driver.memory, memory + ALIGNMENT, size);
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    free(memory);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  driver.used += size;
  driver.version++;
  *address = (CUdeviceptr)(uintptr_t)(memory + ALIGNMENT);
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  if (!driver.is_initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!address)
    return driver.failure;
  tune_status status = ptx_memory_remove(driver.memory, fake_pointer(address));
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    return CUDA_ERROR_INVALID_VALUE;
  }
  uint8_t *memory = (uint8_t *)fake_pointer(address) - ALIGNMENT;
  driver.used -= ((header *)memory)->size;
  free(memory);
  return driver.failure;
}

bool fake_is_there(CUdeviceptr address, size_t size) {
  return ptx_memory_has(driver.memory, fake_pointer(address), size);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
  RETURN_IF_FAILED();
  if (!fake_is_there(to, size))
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(fake_pointer(to), from, size);
  driver.version++;
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
  RETURN_IF_FAILED();
  if (!fake_is_there(from, size))
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(to, fake_pointer(from), size);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char byte, size_t size) {
  RETURN_IF_FAILED();
  if (!fake_is_there(to, size))
    return CUDA_ERROR_INVALID_VALUE;
  memset(fake_pointer(to), byte, size);
  driver.version++;
  return CUDA_SUCCESS;
}

// Memory that is so already stays as it is, and what launches find in it: what flushes caches does
// not make them run again.
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t size, CUstream stream) {
  RETURN_IF_FAILED();
  (void)stream; // they all run at once, and nothing here is captured
  if (!fake_is_there(to, size))
    return CUDA_ERROR_INVALID_VALUE;
  unsigned char *bytes = fake_pointer(to);
  bool is_so = size == 0 || (bytes[0] == byte && memcmp(bytes, bytes + 1, size - 1) == 0);
  return is_so ? CUDA_SUCCESS : cuMemsetD8_v2(to, byte, size);
}
