//===- fake_cuda_test.c - The driver that tests use in the place of NVIDIA's
//-----------------------===//
//
// As a program finds it: by dlopen, one function after the other. Each test has a process of its
// own, as what goes wrong on a device stays.
//
//===--------------------------------------------------------------------------------------===//

#include "targets/cuda/cuda_api.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct { CUDA_FUNCTIONS(CUDA_DEFINE_POINTER) } cuda;

static void find_functions(void) {
  void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail_msg("%s", dlerror());
  void *found;
#define FIND(name, symbol, parameters)                                                             \
  found = dlsym(library, #symbol);                                                                 \
  assert_non_null(found);                                                                          \
  memcpy(&cuda.name, &found, sizeof found);
  CUDA_FUNCTIONS(FIND)
#undef FIND
}

// In a child, which must not go on with the parent's other tests.
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

#define OK(call) CHECK((call) == CUDA_SUCCESS)

// add: out[i] = in[i] + 1 for one group; count: adds 1 to out[0]; outside: writes behind out;
// slow: needs time, and changes nothing.
static const char *const text =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add(.param .u64 in, .param .u64 out) {\n"
    ".reg .b64 %rd<4>; .reg .b32 %r<3>;\n"
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;\n"
    "mad.wide.u32 %rd1, %r1, 4, %rd1; mad.wide.u32 %rd2, %r1, 4, %rd2;\n"
    "ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.global.u32 [%rd2], %r2; ret; }\n"
    ".visible .entry count(.param .u64 in, .param .u64 out) {\n"
    ".reg .b64 %rd<4>; ld.param.u64 %rd2, [out]; red.global.add.u32 [%rd2], 1; ret; }\n"
    ".visible .entry outside(.param .u64 in, .param .u64 out) {\n"
    ".reg .b64 %rd<4>; ld.param.u64 %rd2, [out]; st.global.u32 [%rd2+256], 1; ret; }\n"
    ".extern .shared .align 16 .b8 more[];\n"
    ".visible .entry shared() { ret; }\n";

#define COUNT 64

typedef struct fixture {
  CUmodule module;
  CUstream stream;
  CUdeviceptr in, out;
  uint32_t host[COUNT];
} fixture;

static void begin(fixture *f) {
  CUdevice device;
  CUcontext context;
  OK(cuda.Init(0));
  OK(cuda.DeviceGet(&device, 0));
  OK(cuda.DevicePrimaryCtxRetain(&context, device));
  OK(cuda.CtxSetCurrent(context));
  OK(cuda.ModuleLoadDataEx(&f->module, text, 0, NULL, NULL));
  OK(cuda.StreamCreate(&f->stream, CU_STREAM_DEFAULT));
  OK(cuda.MemAlloc(&f->in, sizeof f->host));
  OK(cuda.MemAlloc(&f->out, sizeof f->host));
  for (uint32_t i = 0; i < COUNT; i++)
    f->host[i] = 10 * i;
  OK(cuda.MemcpyHtoD(f->in, f->host, sizeof f->host));
  OK(cuda.MemsetD8(f->out, 0, sizeof f->host));
}

static CUresult launch(fixture *f, const char *name, unsigned threads, unsigned shared_bytes) {
  CUfunction function;
  OK(cuda.ModuleGetFunction(&function, f->module, name));
  void *parameters[] = {&f->in, &f->out};
  return cuda.LaunchKernel(function, 1, 1, 1, threads, 1, 1, shared_bytes, f->stream, parameters,
                           NULL);
}

static void read_back(fixture *f) {
  OK(cuda.StreamSynchronize(f->stream));
  OK(cuda.MemcpyDtoH(f->host, f->out, sizeof f->host));
}

// Runs `body` in a child with the fault `fault`; it fails if that does.
static void in_child(const char *fault, void (*body)(fixture *)) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    if (fault)
      setenv("TUNE_FAKE_CUDA_FAULT", fault, 1);
    static fixture f;
    body(&f);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void run_and_time(fixture *f) {
  begin(f);
  CUevent start, stop;
  CHECK(!cuda.EventCreate(&start, CU_EVENT_DEFAULT) && !cuda.EventCreate(&stop, CU_EVENT_DEFAULT));
  CHECK(!cuda.EventRecord(start, f->stream));
  CHECK(!launch(f, "add", COUNT, 0));
  CHECK(!cuda.EventRecord(stop, f->stream));
  CHECK(!cuda.EventSynchronize(stop));
  read_back(f);
  for (uint32_t i = 0; i < COUNT; i++)
    CHECK(f->host[i] == 10 * i + 1);
  float once = 0, again = 0;
  CHECK(!cuda.EventElapsedTime(&once, start, stop));
  CHECK(once >= 1e-3f);
  // The same again, and a third time when nothing is left to change: the same time.
  for (int k = 0; k < 2; k++) {
    CHECK(!cuda.EventRecord(start, f->stream) && !launch(f, "add", COUNT, 0));
    CHECK(!cuda.EventRecord(stop, f->stream));
    CHECK(!cuda.EventElapsedTime(&again, start, stop));
    CHECK(again > 0.999f * once && again < 1.001f * once);
  }
  // But not where something has been changed.
  CHECK(!cuda.MemsetD8(f->in, 0, sizeof f->host) && !launch(f, "add", COUNT, 0));
  read_back(f);
  CHECK(f->host[7] == 1);
  CHECK(!cuda.EventDestroy(start) && !cuda.EventDestroy(stop));
  CHECK(!cuda.MemFree(f->in) && !cuda.MemFree(f->out) && !cuda.StreamDestroy(f->stream));
  CHECK(!cuda.ModuleUnload(f->module) && !cuda.DevicePrimaryCtxRelease(0));
}

// Graphs keep what was given when they were captured, and a kernel that counts counts each launch.
static void run_graphs(fixture *f) {
  begin(f);
  CUgraph graph;
  CUgraphExec executable;
  CHECK(!cuda.StreamBeginCapture(f->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  for (int k = 0; k < 5; k++)
    CHECK(!launch(f, "count", 3, 0));
  CHECK(!cuda.MemcpyDtoDAsync(f->out + 4, f->out, 4, f->stream));
  CHECK(!cuda.StreamEndCapture(f->stream, &graph));
  read_back(f);
  CHECK(f->host[0] == 0); // nothing has run
  CHECK(!cuda.GraphInstantiate(&executable, graph, 0));
  CHECK(!cuda.GraphDestroy(graph));
  CHECK(!cuda.GraphUpload(executable, f->stream));
  for (int k = 0; k < 3; k++)
    CHECK(!cuda.GraphLaunch(executable, f->stream));
  read_back(f);
  CHECK(f->host[0] == 45 && f->host[1] == 45);
  CHECK(!cuda.GraphExecDestroy(executable));
}

static void find_outside(fixture *f) {
  begin(f);
  CHECK(!launch(f, "outside", 1, 0)); // told later
  CHECK(cuda.StreamSynchronize(f->stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(cuda.MemcpyDtoH(f->host, f->in, 4) == CUDA_ERROR_ILLEGAL_ADDRESS); // and for good
  const char *why;
  CHECK(!cuda.GetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &why));
  CHECK(
      strstr(why, "kernel outside, PTX line 12, `st.global.u32 [%rd2+256], 1`, thread (0, 0, 0)"));
}

static void refuse_launches(fixture *f) {
  begin(f);
  CUfunction function;
  CHECK(launch(f, "add", 1025, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(f, "shared", 1, 50000) == CUDA_ERROR_INVALID_VALUE);
  CHECK(!cuda.ModuleGetFunction(&function, f->module, "shared"));
  CHECK(cuda.FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300000) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(!cuda.FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 50000));
  CHECK(!launch(f, "shared", 1, 50000));
  CHECK(!cuda.StreamSynchronize(f->stream));
  CHECK(cuda.ModuleGetFunction(&function, f->module, "none") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuda.MemcpyHtoD(f->in + 4, f->host, sizeof f->host) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda.MemFree(f->in + 4) == CUDA_ERROR_INVALID_VALUE);
}

static CUresult load(const char *code, char *log, size_t log_size) {
  CUmodule module;
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)log_size};
  *log = 0;
  return cuda.ModuleLoadDataEx(&module, code, 2, options, values);
}

static void refuse_modules(fixture *f) {
  begin(f);
  char log[256];
  CHECK(load("\177ELF and so on", log, sizeof log) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(load(".version 99.9\n.target sm_80\n", log, sizeof log) ==
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  CHECK(load(".version 8.0\n.target sm_100\n", log, sizeof log) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(load(".version 8.0\n.target sm_80\n.nonsense\n", log, sizeof log) ==
        CUDA_ERROR_INVALID_PTX);
  CHECK(strstr(log, "PTX line 3, `.nonsense`"));
}

static CUresult load_with(CUjit_option option, uintptr_t value) {
  CUmodule module;
  void *values[] = {(void *)value};
  return cuda.ModuleLoadDataEx(&module, text, 1, &option, values);
}

static void check_options(fixture *f) {
  begin(f);
  CHECK(!load_with(CU_JIT_OPTIMIZATION_LEVEL, 1) && !load_with(CU_JIT_OPTIMIZATION_LEVEL, 4));
  CHECK(load_with(CU_JIT_OPTIMIZATION_LEVEL, 5) == CUDA_ERROR_INVALID_VALUE);
  CHECK(!load_with(CU_JIT_CACHE_MODE, CU_JIT_CACHE_OPTION_CA));
  CHECK(load_with(CU_JIT_CACHE_MODE, 3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(load_with(99, 0) == CUDA_ERROR_INVALID_VALUE);
}

static void have_no_device(fixture *f) {
  (void)f;
  CHECK(cuda.Init(0) == CUDA_ERROR_NO_DEVICE);
}

static void have_old_driver(fixture *f) {
  (void)f;
  int version;
  char log[64];
  CHECK(!cuda.Init(0) && !cuda.DriverGetVersion(&version) && version == 10020);
  CHECK(load(text, log, sizeof log) == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

static void have_no_memory(fixture *f) {
  CHECK(!cuda.Init(0) && cuda.MemAlloc(&f->in, 4) == CUDA_ERROR_OUT_OF_MEMORY);
}

static void have_kernels_fail(fixture *f) {
  begin(f);
  CHECK(!launch(f, "add", COUNT, 0));
  CHECK(cuda.StreamSynchronize(f->stream) == CUDA_ERROR_LAUNCH_FAILED);
}

static void lose_the_device(fixture *f) {
  begin(f);
  CHECK(!launch(f, "add", COUNT, 0));
  CHECK(cuda.StreamSynchronize(f->stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(cuda.MemAlloc(&f->in, 4) == CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void leave_on_alarm(int signal) {
  (void)signal;
  _exit(0);
}

static void hang(fixture *f) {
  begin(f);
  signal(SIGALRM, leave_on_alarm);
  alarm(1);
  launch(f, "add", COUNT, 0);
  CHECK(!"it came back");
}

static void be_of_another_architecture(fixture *f) {
  (void)f;
  setenv("TUNE_FAKE_CUDA_ARCH", "sm_75", 1);
  char log[64], name[64];
  int minor;
  CHECK(!cuda.Init(0));
  CHECK(!cuda.DeviceGetName(name, sizeof name, 0) && !strcmp(name, "PTX emulator sm_75"));
  CHECK(!cuda.DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
  CHECK(minor == 5);
  CHECK(load(text, log, sizeof log) == CUDA_ERROR_NO_BINARY_FOR_GPU);
}

#define TEST(name, fault, body)                                                                    \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    in_child(fault, body);                                                                         \
  }
TEST(kernels_run_and_take_time, NULL, run_and_time)
TEST(graphs_run_what_was_captured, NULL, run_graphs)
TEST(what_goes_wrong_stays, NULL, find_outside)
TEST(launches_beyond_limits_are_refused, NULL, refuse_launches)
TEST(code_of_other_kinds_is_refused, NULL, refuse_modules)
TEST(options_of_the_compiler_are_looked_at, NULL, check_options)
TEST(no_device, "no-device", have_no_device)
TEST(old_driver, "old-driver", have_old_driver)
TEST(out_of_memory, "out-of-memory", have_no_memory)
TEST(launch_failed, "launch-failed", have_kernels_fail)
TEST(lost, "lost", lose_the_device)
TEST(hangs, "hang", hang)
TEST(architectures, NULL, be_of_another_architecture)

int main(void) {
  find_functions();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_run_and_take_time),
      cmocka_unit_test(graphs_run_what_was_captured),
      cmocka_unit_test(what_goes_wrong_stays),
      cmocka_unit_test(launches_beyond_limits_are_refused),
      cmocka_unit_test(code_of_other_kinds_is_refused),
      cmocka_unit_test(options_of_the_compiler_are_looked_at),
      cmocka_unit_test(no_device),
      cmocka_unit_test(old_driver),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(launch_failed),
      cmocka_unit_test(lost),
      cmocka_unit_test(hangs),
      cmocka_unit_test(architectures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
