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
// TUNE_FAKE_CUDA_FAULT, looked at in each call, makes it fail:
//   no-device      there is none
//   old-driver     of CUDA 10.2, which takes PTX up to version 6.5
//   out-of-memory  none is left
//   launch-failed  kernels fail (CUDA_ERROR_LAUNCH_FAILED)
//   lost           kernels fail (CUDA_ERROR_ILLEGAL_ADDRESS)
//   hang           kernels never end
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------------------===//

#include "targets/cuda/cuda_api.h"
#include "targets/cuda/cuda_architecture.h"
#include "unittests/ptx/ptx.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma GCC visibility push(default)
CUDA_FUNCTIONS(CUDA_DEFINE_PROTOTYPE)
#pragma GCC visibility pop

#define ADDRESSES (UINT64_C(1) << 40)    // reserved, as drivers do
#define SHARED_PLAIN 49152               // of a group that has not asked for more
#define MEMORY_BYTES (UINT64_C(1) << 30) // of the device
#define ALIGNMENT 256                    // of what cuMemAlloc gives
#define SECONDS_LEAST 1e-6               // of a launch
#define SECONDS_OF_INSTRUCTION 1e-7      // the emulator needs 10 to 100 ns
#define SECONDS_OF_TIMED_GROUP 1e-6      // of the roofline's
#define INSTRUCTIONS_MOST 20000000000u   // of a launch: a loop without end
#define PARAMETERS_MOST 64

struct CUmod_st {
  ptx_module *module;
  struct CUfunc_st *functions; // that were asked for
};

struct CUfunc_st {
  ptx_kernel *kernel;
  bool is_only_timed; // not run
  int dynamic_bytes;  // that a launch may ask for
  struct node *idle;  // the last launch that has left memory as it was
  uint64_t idle_version;
  double idle_seconds;
  struct CUfunc_st *next;
};

// A launch, or (without a kernel) a copy.
typedef struct node {
  CUfunction function;
  ptx_launch launch;
  void *parameters[PARAMETERS_MOST]; // each on the heap
  size_t parameter_count;
  void *to;
  const void *from;
  size_t bytes;
  struct node *next;
} node;

struct CUgraph_st {
  node *first, **last;
};

struct CUgraphExec_st {
  CUgraph graph; // a copy of what it was made from
};

struct CUstream_st {
  CUgraph capturing;
  double seconds; // since it was made
};

struct CUevent_st {
  double seconds;
};

struct CUctx_st {
  int unused;
};

// The device.
static struct {
  bool is_initialized;
  ptx_memory *memory;
  size_t used;
  CUresult failure;          // for good
  struct CUstream_st stream; // NULL's
  uint64_t version;          // of the memory: another one after each change
} driver;

static struct CUctx_st primary_context;
static char failure_text[1024];

static bool has_fault(const char *name) {
  const char *fault = getenv("TUNE_FAKE_CUDA_FAULT");
  return fault && !strcmp(fault, name);
}

static const cuda_architecture *architecture(void) {
  const char *name = getenv("TUNE_FAKE_CUDA_ARCH");
  const cuda_architecture *found = NULL;
  tune_status_free(cuda_architecture_find(name && *name ? name : "sm_90", &found));
  return found;
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

static CUresult state(void) {
  return driver.is_initialized ? driver.failure : CUDA_ERROR_NOT_INITIALIZED;
}

#define RETURN_IF_FAILED()                                                                         \
  do {                                                                                             \
    CUresult state_ = state();                                                                     \
    if (state_ != CUDA_SUCCESS)                                                                    \
      return state_;                                                                               \
  } while (0)

static CUresult error_of(ptx_fault fault) {
  switch (fault) {
  case PTX_FAULT_NONE:
    return CUDA_SUCCESS;
  case PTX_FAULT_LAUNCH:
    return CUDA_ERROR_INVALID_VALUE;
  case PTX_FAULT_ADDRESS:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case PTX_FAULT_MISALIGNED:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case PTX_FAULT_DEADLOCK:
  case PTX_FAULT_LIMIT:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case PTX_FAULT_MEMORY:
    return CUDA_ERROR_OUT_OF_MEMORY;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

//===- The device ---------------------------------------------------------------------===//

CUresult cuInit(unsigned int flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (has_fault("no-device") || !architecture())
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
  *version = has_fault("old-driver") ? 10020 : 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return state();
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = 0;
  return ordinal ? CUDA_ERROR_INVALID_DEVICE : state();
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  const cuda_architecture *a = architecture();
  snprintf(name, (size_t)size, "PTX emulator sm_%d%d", a->major, a->minor);
  return device ? CUDA_ERROR_INVALID_DEVICE : state();
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device) {
  snprintf(id, (size_t)size, "0000:00:00.0");
  return device ? CUDA_ERROR_INVALID_DEVICE : state();
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  *bytes = MEMORY_BYTES;
  return device ? CUDA_ERROR_INVALID_DEVICE : state();
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  const cuda_architecture *a = architecture();
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
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, SHARED_PLAIN},
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
      return state();
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = &primary_context;
  return device ? CUDA_ERROR_INVALID_DEVICE : state();
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return device ? CUDA_ERROR_INVALID_DEVICE : state();
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return !context || context == &primary_context ? state() : CUDA_ERROR_INVALID_CONTEXT;
}

//===- Memory -------------------------------------------------------------------------===//

// What lies before each allocation.
typedef struct header {
  size_t size;
} header;

static void *pointer(CUdeviceptr address) { return (void *)(uintptr_t)address; }

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  RETURN_IF_FAILED();
  *address = 0;
  if (!size)
    return CUDA_ERROR_INVALID_VALUE;
  if (has_fault("out-of-memory") || size > MEMORY_BYTES - driver.used)
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
  tune_status status = ptx_memory_remove(driver.memory, pointer(address));
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    return CUDA_ERROR_INVALID_VALUE;
  }
  uint8_t *memory = (uint8_t *)pointer(address) - ALIGNMENT;
  driver.used -= ((header *)memory)->size;
  free(memory);
  return driver.failure;
}

static bool is_there(CUdeviceptr address, size_t size) {
  return ptx_memory_has(driver.memory, pointer(address), size);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
  RETURN_IF_FAILED();
  if (!is_there(to, size))
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(pointer(to), from, size);
  driver.version++;
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
  RETURN_IF_FAILED();
  if (!is_there(from, size))
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(to, pointer(from), size);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char byte, size_t size) {
  RETURN_IF_FAILED();
  if (!is_there(to, size))
    return CUDA_ERROR_INVALID_VALUE;
  memset(pointer(to), byte, size);
  driver.version++;
  return CUDA_SUCCESS;
}

//===- Modules ------------------------------------------------------------------------===//

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
  const cuda_architecture *a = architecture();
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

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                            CUjit_option *options, void **values) {
  RETURN_IF_FAILED();
  *module = NULL;
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

static void destroy_node(node *work);

CUresult cuModuleUnload(CUmodule module) {
  while (module->functions) {
    CUfunction function = module->functions;
    module->functions = function->next;
    if (function->idle)
      destroy_node(function->idle);
    free(function);
  }
  ptx_module_destroy(module->module);
  free(module);
  return state();
}

static bool is_of_roofline(const char *name) {
  static const char *const names[] = {"fma_f32", "fma_f64",  "read",
                                      "mma_f16", "mma_bf16", "mma_i8"};
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
                                .dynamic_bytes = fixed < SHARED_PLAIN ? SHARED_PLAIN - fixed : 0,
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
      architecture()->shared_bytes_most - (int64_t)ptx_kernel_shared_bytes(function->kernel);
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > most)
    return CUDA_ERROR_INVALID_VALUE;
  function->dynamic_bytes = value;
  return CUDA_SUCCESS;
}

//===- Work ---------------------------------------------------------------------------===//

static void fail(CUresult result, const char *text) {
  driver.failure = result;
  snprintf(failure_text, sizeof failure_text, "%s", text);
}

static void destroy_node(node *work) {
  for (size_t i = 0; i < work->parameter_count; i++)
    free(work->parameters[i]);
  free(work);
}

static node *copy_node(const node *work) {
  node *copy = malloc(sizeof *copy);
  if (!copy)
    return NULL;
  *copy = *work;
  copy->next = NULL;
  copy->parameter_count = 0;
  for (size_t i = 0; i < work->parameter_count; i++) {
    size_t bytes = ptx_kernel_parameter_bytes(work->function->kernel, i);
    copy->parameters[i] = malloc(bytes);
    if (!copy->parameters[i]) {
      destroy_node(copy);
      return NULL;
    }
    memcpy(copy->parameters[i], work->parameters[i], bytes);
    copy->parameter_count++;
  }
  return copy;
}

static bool is_same_launch(const node *one, const node *other) {
  const ptx_launch *a = &one->launch, *b = &other->launch;
  if (memcmp(a->groups, b->groups, sizeof a->groups) ||
      memcmp(a->group_size, b->group_size, sizeof a->group_size) ||
      a->dynamic_bytes != b->dynamic_bytes)
    return false;
  for (size_t i = 0; i < one->parameter_count; i++)
    if (memcmp(one->parameters[i], other->parameters[i],
               ptx_kernel_parameter_bytes(one->function->kernel, i)))
      return false;
  return true;
}

// Remembers that the launch has changed nothing.
static void keep_idle(const node *work, double seconds) {
  CUfunction function = work->function;
  node *copy = copy_node(work);
  if (!copy)
    return;
  if (function->idle)
    destroy_node(function->idle);
  function->idle = copy;
  function->idle_version = driver.version;
  function->idle_seconds = seconds;
}

static void run_kernel(const node *work, CUstream stream) {
  CUfunction function = work->function;
  if (has_fault("hang"))
    for (;;)
      pause();
  if (has_fault("launch-failed") || has_fault("lost")) {
    fail(has_fault("lost") ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_ERROR_LAUNCH_FAILED, "");
    return;
  }
  if (function->is_only_timed) {
    stream->seconds += SECONDS_LEAST + work->launch.groups[0] * SECONDS_OF_TIMED_GROUP;
    return;
  }
  if (function->idle && function->idle_version == driver.version &&
      is_same_launch(work, function->idle)) {
    stream->seconds += function->idle_seconds;
    return;
  }
  ptx_launch launch = work->launch;
  launch.parameters = work->parameters;
  ptx_report report;
  tune_status status = ptx_kernel_launch(function->kernel, &launch, &report);
  double seconds = SECONDS_LEAST + (double)report.instructions * SECONDS_OF_INSTRUCTION;
  stream->seconds += seconds;
  if (!tune_status_is_ok(status))
    fail(error_of(report.fault), tune_status_get_message(status));
  else if (report.has_changed_memory)
    driver.version++;
  else
    keep_idle(work, seconds);
  tune_status_free(status);
}

static void run_node(const node *work, CUstream stream) {
  if (driver.failure != CUDA_SUCCESS)
    return;
  if (work->function) {
    run_kernel(work, stream);
    return;
  }
  if (memcmp(work->to, work->from, work->bytes))
    driver.version++;
  memmove(work->to, work->from, work->bytes);
  stream->seconds += SECONDS_LEAST + (double)work->bytes * 1e-11;
}

static bool append(CUgraph graph, const node *work) {
  node *copy = copy_node(work);
  if (!copy)
    return false;
  *graph->last = copy;
  graph->last = &copy->next;
  return true;
}

static CUstream stream_of(CUstream stream) { return stream ? stream : &driver.stream; }

// Done at once, or when the graph that is being captured is launched.
static CUresult submit(const node *work, CUstream stream) {
  stream = stream_of(stream);
  if (stream->capturing)
    return append(stream->capturing, work) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  run_node(work, stream);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                        void **parameters, void **extra) {
  RETURN_IF_FAILED();
  ptx_kernel *kernel = function->kernel;
  uint64_t threads = (uint64_t)block_x * block_y * block_z;
  if (extra || !grid_x || !grid_y || !grid_z || !threads || grid_y > 65535 || grid_z > 65535 ||
      threads > ptx_kernel_group_limit(kernel) || (int64_t)shared_bytes > function->dynamic_bytes ||
      ptx_kernel_parameter_count(kernel) > PARAMETERS_MOST)
    return CUDA_ERROR_INVALID_VALUE;
  node work = {.function = function,
               .launch = {.groups = {grid_x, grid_y, grid_z},
                          .group_size = {block_x, block_y, block_z},
                          .dynamic_bytes = shared_bytes,
                          .memory = driver.memory,
                          .limit = INSTRUCTIONS_MOST},
               .parameter_count = ptx_kernel_parameter_count(kernel)};
  for (size_t i = 0; i < work.parameter_count; i++)
    work.parameters[i] = parameters[i];
  return submit(&work, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  RETURN_IF_FAILED();
  if (!is_there(to, size) || !is_there(from, size))
    return CUDA_ERROR_INVALID_VALUE;
  node work = {.to = pointer(to), .from = pointer(from), .bytes = size};
  return submit(&work, stream);
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  RETURN_IF_FAILED();
  *stream = calloc(1, sizeof **stream);
  return flags & ~1u ? CUDA_ERROR_INVALID_VALUE : *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  if (stream->capturing)
    cuGraphDestroy(stream->capturing);
  free(stream);
  return state();
}

CUresult cuStreamSynchronize(CUstream stream) {
  return stream_of(stream)->capturing ? CUDA_ERROR_INVALID_VALUE : state();
}

//===- Graphs -------------------------------------------------------------------------===//

static CUgraph create_graph(void) {
  CUgraph graph = calloc(1, sizeof *graph);
  if (graph)
    graph->last = &graph->first;
  return graph;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  RETURN_IF_FAILED();
  if (!stream || stream->capturing || mode < 0 || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  stream->capturing = create_graph();
  return stream->capturing ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  *graph = stream->capturing;
  stream->capturing = NULL;
  return *graph ? state() : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroy(CUgraph graph) {
  while (graph->first) {
    node *work = graph->first;
    graph->first = work->next;
    destroy_node(work);
  }
  free(graph);
  return state();
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long flags) {
  RETURN_IF_FAILED();
  *executable = NULL;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphExec made = calloc(1, sizeof *made);
  if (made)
    made->graph = create_graph();
  bool is_whole = made && made->graph;
  for (const node *work = graph->first; work && is_whole; work = work->next)
    is_whole = append(made->graph, work);
  if (is_whole) {
    *executable = made;
    return CUDA_SUCCESS;
  }
  if (made && made->graph)
    cuGraphDestroy(made->graph);
  free(made);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
  (void)executable;
  (void)stream;
  return state();
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  RETURN_IF_FAILED();
  for (const node *work = executable->graph->first; work; work = work->next)
    run_node(work, stream_of(stream));
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  cuGraphDestroy(executable->graph);
  free(executable);
  return state();
}

//===- Events -------------------------------------------------------------------------===//

CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  RETURN_IF_FAILED();
  *event = calloc(1, sizeof **event);
  return flags ? CUDA_ERROR_INVALID_VALUE : *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy_v2(CUevent event) {
  free(event);
  return state();
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  RETURN_IF_FAILED();
  event->seconds = stream_of(stream)->seconds;
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
  (void)event;
  return state();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent stop) {
  RETURN_IF_FAILED();
  *milliseconds = (float)((stop->seconds - start->seconds) * 1e3);
  return CUDA_SUCCESS;
}
