//===- cuda_loader.c - The functions of CUDA's driver -----------------------------------===//

#include "targets/cuda/cuda_loader.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tune_status cuda_functions_load(cuda_functions *out_functions) {
  *out_functions = (cuda_functions){0};
  const char *path = getenv("TUNE_CUDA_LOADER");
  bool is_named = path && *path;
  if (!is_named)
    path = "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return tune_status_make(TUNE_UNAVAILABLE, "no CUDA: %s%s; install NVIDIA's driver", dlerror(),
                            is_named ? " (TUNE_CUDA_LOADER names it)" : "");
  const char *missing = NULL;
  void *found;
  // ISO C has no cast from an object to a function; POSIX has this.
#define FIND(name, symbol, parameters)                                                             \
  found = dlsym(library, #symbol);                                                                 \
  memcpy(&out_functions->name, &found, sizeof found);                                              \
  missing = found ? missing : #symbol;
  CUDA_FUNCTIONS(FIND)
  const char *needed = missing;
  CUDA_LATER_FUNCTIONS(FIND)
  missing = needed;
#undef FIND
  dlclose(library); // which RTLD_NODELETE makes do nothing but count
  if (!missing)
    return TUNE_OK;
  return tune_status_make(TUNE_UNAVAILABLE,
                          "%s has no %s: CUDA 11.4 is needed; install NVIDIA's driver 470 or later",
                          path, missing);
}

const char *cuda_result_name(const cuda_functions *functions, CUresult result) {
  const char *name = NULL;
  if (functions->GetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return "an unknown CUresult";
  return name;
}

// After these every call fails, until the process ends.
static bool loses_device(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_EXTERNAL_DEVICE:
    return true;
  default:
    return false;
  }
}

tune_status cuda_status(const cuda_functions *functions, CUresult result, const char *format, ...) {
  if (result == CUDA_SUCCESS)
    return TUNE_OK;
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  const char *text = NULL;
  if (functions->GetErrorString(result, &text) != CUDA_SUCCESS || !text)
    text = "no more is known";
  const char *name = cuda_result_name(functions, result);
  if (loses_device(result))
    return tune_status_make(TUNE_DATA_LOSS, "%s: the device was lost: %s (%d): %s", what, name,
                            result, text);
  bool is_short =
      result == CUDA_ERROR_OUT_OF_MEMORY || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  return tune_status_make(is_short ? TUNE_OUT_OF_MEMORY : TUNE_INTERNAL, "%s: %s (%d): %s", what,
                          name, result, text);
}
