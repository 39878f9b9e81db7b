//===- fake_cuda_module.c - Modules and their kernels
//---------------------------------------------===//

#include "unittests/ptx/fake_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether the driver is older than the PTX. CUDA 10.2 is the first with PTX 6.5, 11.x has 7.x, and
// so on.
static bool is_too_new(const char *text) {
  int driver_version, major = 0, minor = 0;
  cuDriverGetVersion(&driver_version);
  const char *version = strstr(text, ".version");
  if (!version || sscanf(version, ".version %d.%d", &major, &minor) != 2)
    return false; // no PTX
  int known =
      driver_version < 11000 ? 65 : (driver_version / 1000 - 4) * 10 + driver_version % 1000 / 10;
  return 10 * major + minor > known;
}

static CUresult read_module(const char *text, ptx_module **out_module, tune_status *out_status) {
  const cuda_architecture *a = fake_architecture();
  *out_status = TUNE_OK;
  if (is_too_new(text))
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  *out_status = ptx_module_create(text, strlen(text), out_module);
  if (!tune_status_is_ok(*out_status))
    return CUDA_ERROR_INVALID_PTX;
  if (ptx_module_architecture(*out_module) > (unsigned)(10 * a->major + a->minor))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  return CUDA_SUCCESS;
}

static void write_log(const char *text, unsigned int count, const CUjit_option *options,
                      void *const *values) {
  char *log = NULL;
  size_t size = 0;
  for (unsigned int i = 0; i < count; i++) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      size = (uintptr_t)values[i];
  }
  if (log && size)
    snprintf(log, size, "%s", text);
}

// A line for each module that is loaded: which options it came with.
static void note_options(unsigned int count, const CUjit_option *options, void *const *values) {
  const char *path = getenv("TUNE_FAKE_CUDA_JIT");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  for (unsigned int i = 0; i < count; i++) {
    if (options[i] == CU_JIT_OPTIMIZATION_LEVEL)
      fprintf(file, "CU_JIT_OPTIMIZATION_LEVEL=%u ", (unsigned)(uintptr_t)values[i]);
    if (options[i] == CU_JIT_CACHE_MODE)
      fprintf(file, "CU_JIT_CACHE_MODE=%u ", (unsigned)(uintptr_t)values[i]);
  }
  fprintf(file, "\n");
  fclose(file);
}

static bool are_good(unsigned int count, const CUjit_option *options, void *const *values) {
  bool good = true;
  for (unsigned int i = 0; i < count && good; i++)
    switch (options[i]) {
    case CU_JIT_ERROR_LOG_BUFFER:
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      break;
    case CU_JIT_OPTIMIZATION_LEVEL:
      good = (uintptr_t)values[i] <= 4;
      break;
    case CU_JIT_CACHE_MODE:
      good = (uintptr_t)values[i] <= CU_JIT_CACHE_OPTION_CA;
      break;
    default: // there are more, which nothing here hands over
      good = false;
    }
  return good;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                            CUjit_option *options, void **values) {
  RETURN_IF_FAILED();
  *module = NULL;
  if (!are_good(count, options, values))
    return CUDA_ERROR_INVALID_VALUE;
  note_options(count, options, values);
  if (!memcmp(image, "\177ELF", 4)) // machine code, for other machines
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  CUmodule loaded = calloc(1, sizeof *loaded);
  if (!loaded)
    return CUDA_ERROR_OUT_OF_MEMORY;
  tune_status status;
  CUresult result = read_module(image, &loaded->module, &status);
  if (result == CUDA_SUCCESS) {
    *module = loaded;
    return CUDA_SUCCESS;
  }
  if (!tune_status_is_ok(status))
    write_log(tune_status_get_message(status), count, options, values);
  tune_status_free(status);
  ptx_module_destroy(loaded->module);
  free(loaded);
  return result;
}

CUresult cuModuleUnload(CUmodule module) {
  while (module->functions) {
    CUfunction function = module->functions;
    module->functions = function->next;
    if (function->idle)
      fake_node_destroy(function->idle);
    free(function);
  }
  ptx_module_destroy(module->module);
  free(module);
  return fake_state();
}

static bool is_of_roofline(const char *name) {
  static const char *const names[] = {"fma_f32",    "fma_f64",    "read",    "mma_f16",
                                      "mma_bf16",   "mma_tf32",   "mma_i8",  "wgmma_f16",
                                      "wgmma_bf16", "wgmma_tf32", "wgmma_i8"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  RETURN_IF_FAILED();
  ptx_kernel *kernel;
  tune_status status = ptx_module_find_kernel(module->module, name, &kernel);
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    return CUDA_ERROR_NOT_FOUND;
  }
  CUfunction found = module->functions;
  while (found && found->kernel != kernel)
    found = found->next;
  if (!found) {
    found = calloc(1, sizeof *found);
    if (!found)
      return CUDA_ERROR_OUT_OF_MEMORY;
    int fixed = (int)ptx_kernel_shared_bytes(kernel);
    *found = (struct CUfunc_st){.kernel = kernel,
                                .is_only_timed = is_of_roofline(name),
                                .dynamic_bytes =
                                    fixed < CUDA_SHARED_BYTES ? CUDA_SHARED_BYTES - fixed : 0,
                                .next = module->functions};
    module->functions = found;
  }
  *function = found;
  return CUDA_SUCCESS;
}

// Registers are those that a kernel with few has: what a compiler would make of it is not known.
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  RETURN_IF_FAILED();
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = (int)ptx_kernel_group_limit(function->kernel);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = (int)ptx_kernel_shared_bytes(function->kernel);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = (int)ptx_kernel_local_bytes(function->kernel);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->dynamic_bytes;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  RETURN_IF_FAILED();
  int64_t most =
      fake_architecture()->shared_bytes_most - (int64_t)ptx_kernel_shared_bytes(function->kernel);
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > most)
    return CUDA_ERROR_INVALID_VALUE;
  function->dynamic_bytes = value;
  return CUDA_SUCCESS;
}

//===- Tensor maps --------------------------------------------------------------------===//

// "…Tiled" as the reference manual bounds it, for what is not interleaved.
static bool is_tensor(const ptx_tensor_map *map, const uint64_t *sizes, const uint32_t *box,
                      const uint32_t *element_strides) {
  bool is_good = map->rank && map->rank <= PTX_TENSOR_RANK && map->element_bytes && map->address &&
                 map->address % 16 == 0;
  for (unsigned d = 0; is_good && d < map->rank; d++)
    is_good = sizes[d] && sizes[d] <= UINT32_MAX && box[d] && box[d] <= 256 &&
              element_strides[d] == 1 &&
              (!d || (map->strides[d - 1] % 16 == 0 && map->strides[d - 1] < UINT64_C(1) << 40));
  uint32_t row = is_good ? box[0] * map->element_bytes : 1;
  return is_good && row % 16 == 0 && (!map->swizzle || row <= map->swizzle);
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, int element, uint32_t rank, void *address,
                                const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                                const uint32_t *element_strides, int interleave, int swizzle,
                                int l2_promotion, int fill) {
  static const uint16_t BYTES[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2}, WIDTHS[] = {0, 32, 64, 128};
  RETURN_IF_FAILED();
  ptx_tensor_map map = {.magic = PTX_TENSOR_MAGIC, .address = (uint64_t)(uintptr_t)address};
  if ((uintptr_t)out % 64 || rank > PTX_TENSOR_RANK || interleave || l2_promotion < 0 ||
      l2_promotion > 3 || fill || element < 0 || element > 9 || swizzle < 0 || swizzle > 3)
    return CUDA_ERROR_INVALID_VALUE;
  map.rank = (uint16_t)rank;
  map.element_bytes = BYTES[element];
  map.swizzle = WIDTHS[swizzle];
  for (unsigned d = 0; d + 1 < rank; d++)
    map.strides[d] = strides[d];
  if (!is_tensor(&map, sizes, box, element_strides))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned d = 0; d < rank; d++) {
    map.sizes[d] = (uint32_t)sizes[d];
    map.box[d] = (uint16_t)box[d];
  }
  memcpy(out, &map, sizeof map);
  return CUDA_SUCCESS;
}
