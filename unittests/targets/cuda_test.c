//===- cuda_test.c - What only the cuda target does -------------------------------------------===//
//
// On a device, or on what stands in for the driver; faults of the driver's on the latter alone.
// What every target does is in conformance_test.c, what happens when a kernel hangs in
// unittests/tune-measure/cuda_test.c.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "targets/cuda/cuda_architecture.h"
#include "targets/cuda/cuda_fingerprint.h"
#include "targets/cuda/cuda_memory.h"
#include "targets/cuda/cuda_module.h"
#include "targets/target.h"
#include "unittests/common/program_file.h"

#include <elf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"
#include "unittests/common/cuda_driver.h"

#define COUNT 16 // floats of the one argument and the one result

static bool is_stand_in;

typedef struct fixture {
  tune_target *target;
  tune_signature signature;
  tune_buffer argument;
  char path[64];
} fixture;

static int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  assert_ok(tune_target_cuda.open(&(tune_target_options){.threads = 1}, &f.target));
  json_t *signature =
      json_pack("{ss s[{ss ss s[i] ss}] s[{ss ss s[i]}]}", "entry", "tune_entry", "arguments",
                "kind", "tensor", "type", "f32", "shape", COUNT, "access", "read", "results",
                "kind", "tensor", "type", "f32", "shape", COUNT);
  assert_ok(tune_signature_from_json(signature, &f.signature));
  json_decref(signature);
  assert_ok(tune_buffer_init(&f.argument, &f.signature.arguments[0]));
  tune_buffer_fill(&f.argument, 1, TUNE_FILL_SIGNED, 1);
  snprintf(f.path, sizeof f.path, "cuda-test-%d.program", (int)getpid());
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  unsetenv("TUNE_FAKE_CUDA_FAULT");
  tune_buffer_deinit(&f->argument);
  tune_signature_deinit(&f->signature);
  tune_target_cuda.close(f->target);
  unlink(f->path);
  return 0;
}

static void write_program(const fixture *f, const char *rest, const char *module) {
  char json[2048], path[512];
  snprintf(json, sizeof json, "{'target': 'cuda', %s}", rest);
  snprintf(path, sizeof path, PROGRAM_FILE_PTX "/%s", module);
  const char *const modules[] = {path, NULL};
  float constant[COUNT];
  for (int i = 0; i < COUNT; ++i)
    constant[i] = (float)i;
  bool has_constant = strstr(rest, "'data'");
  program_file_write(f->path, json, modules, constant, has_constant ? sizeof constant : 0);
}

// Writes `text` to a file in the present folder, and a program of it, which is `rest` besides.
static void write_text(const fixture *f, const char *rest, const char *text) {
  const char path[] = "cuda-test.ptx";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  char json[1024];
  snprintf(json, sizeof json, "{'target': 'cuda', %s}", rest);
  program_file_write(f->path, json, (const char *const[]){path, NULL}, NULL, 0);
  unlink(path);
}

static tune_status load(const fixture *f, tune_kernel **out_kernel) {
  return tune_target_cuda.load(f->target, &(tune_artifact){f->path, &f->signature}, out_kernel);
}

static void expect(tune_status status, tune_status_code code, const char *message) {
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), message))
    print_error("expected %s, got: %s\n", message, tune_status_get_message(status));
  assert_int_equal(tune_status_get_code(status), code);
  assert_non_null(strstr(tune_status_get_message(status), message));
  tune_status_free(status);
}

// Loads the program and binds the argument.
static tune_kernel *bind(const fixture *f, const char *rest) {
  tune_kernel *kernel;
  write_program(f, rest, "bad.ptx");
  assert_ok(load(f, &kernel));
  assert_ok(tune_target_cuda.bind(kernel, &f->argument, 1));
  return kernel;
}

// And runs once.
static tune_kernel *run(const fixture *f, const char *rest) {
  tune_kernel *kernel = bind(f, rest);
  double seconds;
  assert_ok(tune_target_cuda.time(kernel, 1, &seconds));
  assert_true(seconds > 0 && seconds < 60);
  return kernel;
}

static float *read_result(const tune_kernel *kernel) {
  static float values[COUNT];
  tune_buffer output;
  assert_ok(tune_target_cuda.read(kernel, 0, &output));
  assert_int_equal(output.size, sizeof values);
  memcpy(values, output.data, sizeof values);
  tune_buffer_deinit(&output);
  return values;
}

#define TWO_BUFFERS "'buffers': [{'argument': 0}, {'result': 0}],"
#define LAUNCH(entry, groups, size, subgroup, shared, arguments)                                   \
  "'steps': [{'launch': '" entry "', 'module': 0, 'groups': " groups ", 'group_size': " size       \
  ", 'subgroup_size': " subgroup ", 'shared_bytes': " shared ", 'arguments': [" arguments "]}]"
#define OUTSIDE(groups, arguments)                                                                 \
  LAUNCH("outside", "[" groups ", 1, 1]", "[8, 1, 1]", "0", "0", arguments)
#define RESULT "{'buffer': 1, 'written': true}"
#define SHARED(bytes, first)                                                                       \
  LAUNCH("shared", "[1, 1, 1]", "[16, 1, 1]", "32", bytes,                                         \
         "{'buffer': 0}, " RESULT ", {'i32': " first "}, {'f32': 0.5}")

//===- Fingerprints and devices
//----------------------------------------------------------------===//

static void the_fingerprint_makes_sense(void **state) {
  fixture *f = *state;
  const tune_fingerprint *fingerprint = tune_target_cuda.fingerprint(f->target);
  const tune_gpu *gpu = fingerprint->gpu;
  assert_string_equal(fingerprint->vendor, "NVIDIA");
  for (size_t i = 1; i < fingerprint->feature_count; ++i)
    assert_true(strcmp(fingerprint->features[i - 1], fingerprint->features[i]) < 0);
  assert_true(tune_fingerprint_has_feature(fingerprint, "float16"));
  assert_true(strncmp(gpu->driver, "CUDA ", 5) == 0 && strcmp(gpu->driver + 5, gpu->api) == 0);
  assert_true(strlen(gpu->driver_version) > 0);
  assert_int_equal(gpu->subgroup_size, 32);
  assert_true(gpu->multiprocessors > 0 && gpu->memory_bytes > 0 && gpu->clock_mhz > 0);
  assert_true(gpu->shared_bytes == 49152 && gpu->shared_bytes_most >= 65536);
  // What is known of its architecture is what it says of itself.
  const cuda_architecture *architecture;
  assert_ok(cuda_architecture_find(gpu->arch, &architecture));
  tune_fingerprint known;
  assert_ok(tune_target_cuda.describe(gpu->arch, &known));
  const tune_gpu *any = known.gpu;
  assert_int_equal(gpu->shared_bytes_most, any->shared_bytes_most);
  assert_int_equal(gpu->shared_bytes_multiprocessor, any->shared_bytes_multiprocessor);
  assert_int_equal(gpu->multiprocessor_invocations, any->multiprocessor_invocations);
  assert_int_equal(gpu->group_registers, any->group_registers);
  assert_int_equal(gpu->multiprocessor_registers, any->multiprocessor_registers);
  assert_int_equal(gpu->group_invocations, any->group_invocations);
  assert_memory_equal(gpu->group_size, any->group_size, sizeof gpu->group_size);
  assert_memory_equal(gpu->group_count, any->group_count, sizeof gpu->group_count);
  assert_int_equal(fingerprint->feature_count, known.feature_count);
  tune_fingerprint_deinit(&known);
}

// A device has all members of its kind and none of others; an architecture those that its devices
// have in common.
static void its_json_is_that_of_its_kind(void **state) {
  fixture *f = *state;
  json_t *device, *any;
  tune_fingerprint known;
  assert_ok(tune_fingerprint_to_json(tune_target_cuda.fingerprint(f->target), &device));
  assert_ok(tune_target_cuda.describe(NULL, &known));
  assert_ok(tune_fingerprint_to_json(&known, &any));
  const char *const all[] = {"arch", "subgroup_operations", "shared_bytes_most", "group_registers"};
  const char *const own[] = {"driver", "device_type", "multiprocessors", "l2_bytes",
                             "memory_bytes"};
  const char *const none[] = {"caches", "bindings", "texel_buffer_elements", "timestamp_period_ns"};
  for (size_t i = 0; i < 4; ++i) {
    assert_true(json_object_get(device, all[i]) && json_object_get(any, all[i]));
    assert_false(json_object_get(device, none[i]) || json_object_get(any, none[i]));
  }
  for (size_t i = 0; i < 5; ++i) {
    assert_non_null(json_object_get(device, own[i]));
    assert_null(json_object_get(any, own[i]));
  }
  assert_string_equal(json_string_value(json_object_get(any, "model")), "any sm_80");
  tune_fingerprint_deinit(&known);
  json_decref(device);
  json_decref(any);
}

static void architectures_that_are_none_are_refused(void **state) {
  (void)state;
  const char *const wrong[] = {"sm_99", "sm_", "sm_90a", "90", "sm_00090"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    tune_fingerprint fingerprint;
    expect(tune_target_cuda.describe(wrong[i], &fingerprint), TUNE_NOT_FOUND,
           "there are: sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120");
  }
}

static void expect_closed(const char *device, tune_status_code code, const char *message) {
  tune_target *target;
  const tune_target_options options = {.threads = 1, .device = device};
  expect(tune_target_cuda.open(&options, &target), code, message);
  assert_null(target);
}

static void what_is_missing_is_said(void **state) {
  (void)state;
  setenv("TUNE_CUDA_LOADER", "/nowhere/libcuda.so", 1);
  expect_closed(NULL, TUNE_UNAVAILABLE, "install NVIDIA's driver");
  setenv("TUNE_CUDA_LOADER", "libm.so.6", 1);
  expect_closed(NULL, TUNE_UNAVAILABLE, "libm.so.6 has no cu");
  cuda_driver_stand_in();
  setenv("TUNE_FAKE_CUDA_FAULT", "no-device", 1);
  expect_closed(NULL, TUNE_UNAVAILABLE, "there is no NVIDIA GPU here");
  setenv("TUNE_FAKE_CUDA_FAULT", "old-driver", 1);
  expect_closed(NULL, TUNE_UNAVAILABLE, "11.4 is needed; install NVIDIA's driver 470");
  unsetenv("TUNE_FAKE_CUDA_FAULT");
  unsetenv("TUNE_CUDA_LOADER");
  if (is_stand_in)
    cuda_driver_stand_in();
}

static void devices_are_chosen(void **state) {
  fixture *f = *state;
  const tune_fingerprint *fingerprint = tune_target_cuda.fingerprint(f->target);
  expect_closed("no such thing", TUNE_NOT_FOUND, fingerprint->model);
  expect_closed("99", TUNE_NOT_FOUND, "no CUDA device '99'; there are: 0: ");
  expect_closed("sm_30", TUNE_NOT_FOUND, fingerprint->gpu->arch);
  const char *const right[] = {"0", fingerprint->model, fingerprint->gpu->arch, ""};
  for (size_t i = 0; i < 4; ++i) {
    tune_target *target;
    const tune_target_options options = {.threads = 1, .device = right[i]};
    assert_ok(tune_target_cuda.open(&options, &target));
    assert_string_equal(tune_target_cuda.fingerprint(target)->model, fingerprint->model);
    tune_target_cuda.close(target);
  }
  setenv("TUNE_CUDA_DEVICE", "99", 1);
  expect_closed(NULL, TUNE_NOT_FOUND, "'99'");
  unsetenv("TUNE_CUDA_DEVICE");
}

// A quick one. (The stand-in makes its times up.)
static void the_roofline_makes_sense(void **state) {
  fixture *f = *state;
  tune_roofline roofline;
  assert_ok(tune_target_cuda.roofline(f->target, true, &roofline));
  assert_true(roofline.f32 > 0.1 && roofline.f64 > 0.1 && roofline.f16 > 0.1);
  assert_true(roofline.bf16 > 0.1 && roofline.i8 > 0.1 && roofline.tf32 > 0.1);
  assert_int_equal(roofline.level_count, 1);
  assert_string_equal(roofline.levels[0].name, "L2");
  assert_true(roofline.levels[0].gbytes_per_s > 0.1);
  json_t *object;
  assert_ok(tune_roofline_to_json(&roofline, &object));
  assert_non_null(json_object_get(json_object_get(object, "peak"), "f16"));
  assert_non_null(json_object_get(json_object_get(object, "peak"), "tf32"));
  json_decref(object);
}

extern const char tune_cuda_roofline_wgmma[];

// As `text`, with "512" as "  2" and "wgmma_" of names as "short_", which the stand-in runs;
// free().
static char *shorten(const char *text) {
  char *copy = strdup(text);
  assert_non_null(copy);
  for (char *at = copy; (at = strstr(at, "%left, 512")) != NULL; ++at)
    memcpy(at, "%left,   2", strlen("%left, 512"));
  for (char *at = copy; (at = strstr(at, "wgmma_")) != NULL; ++at)
    memcpy(at, "short_", strlen("short_"));
  return copy;
}

// Kernels of the peaks by four warps wait for what has to be waited for, and sum up what is there.
static void peaks_by_four_warps_run(void **state) {
  fixture *f = *state;
  static const char *const TYPES[] = {"f16", "bf16", "tf32", "i8"};
  if (strcmp(tune_target_cuda.fingerprint(f->target)->gpu->arch, "sm_90"))
    skip();
  char *text = shorten(tune_cuda_roofline_wgmma);
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; ++i) {
    char rest[512];
    snprintf(
        rest, sizeof rest,
        "'buffers': [{'argument': 0}, {'result': 0}, {'bytes': 1024}]," LAUNCH(
            "short_%s", "[1, 1, 1]", "[256, 1, 1]", "32", "0", "{'buffer': 2, 'written': true}"),
        TYPES[i]);
    char *end = strrchr(rest, ']');
    snprintf(end, sizeof rest - (size_t)(end - rest), ", {'copy': 2, 'to': 1, 'bytes': 64}]");
    write_text(f, rest, text);
    tune_kernel *kernel;
    double seconds;
    assert_ok(load(f, &kernel));
    assert_ok(tune_target_cuda.bind(kernel, &f->argument, 1));
    assert_ok(tune_target_cuda.time(kernel, 1, &seconds));
    const float *sums = read_result(kernel);
    // Sums of products that are not all zero, of the pattern that the kernel puts there.
    for (int k = 0; k < COUNT; ++k)
      assert_true(sums[k] != 0);
    tune_target_cuda.unload(kernel);
  }
  free(text);
}

//===- What is refused
//-------------------------------------------------------------------------===//

static void limits_are_checked(void **state) {
  fixture *f = *state;
  static const struct {
    const char *rest, *message;
  } wrong[] = {
      {TWO_BUFFERS OUTSIDE("4294967295", RESULT),
       "step 0: groups in x: 4294967295, the device's limit is 2147483647"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[1, 1, 65]", "0", "0", RESULT),
       "group size in z: 65, the device's limit is 64"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[64, 64, 1]", "0", "0", RESULT),
       "invocations in a group: 4096, the device's limit is 1024"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[8, 1, 1]", "16", "0", RESULT),
       "a subgroup size of 16, the device has those of 32"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[8, 1, 1]", "0", "0", ""),
       "0 arguments where outside takes 1"},
      {TWO_BUFFERS LAUNCH("fault", "[1, 1, 1]", "[8, 1, 1]", "0", "0", RESULT),
       "1 arguments where fault takes 0"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[4, 2, 1]", "0", "0", RESULT),
       "outside is made for groups of 8 x 1 x 1, not 4 x 2 x 1"},
      {TWO_BUFFERS OUTSIDE("1", "{'buffer': 0, 'texels': 'r32f'}"),
       "argument 0 is read as texels, which this target has not"},
      {TWO_BUFFERS SHARED("1000000000", "0"),
       "bytes of dynamic shared memory: 1000000000, the device's limit is "},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    tune_kernel *kernel;
    write_program(f, wrong[i].rest, "bad.ptx");
    expect(load(f, &kernel), TUNE_INVALID_ARGUMENT, wrong[i].message);
    assert_null(kernel);
  }
}

// They are the kernel's own, and have to divide the groups.
static void clusters_are_checked(void **state) {
  (void)state;
  static const char TEXT[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                             ".visible .entry pairs()\n.explicitcluster\n"
                             ".reqnctapercluster 1, 2, 1\n{ ret; }\n";
  const tune_program_module module = {.code = (void *)TEXT, .size = sizeof TEXT};
  tune_program_step launch = {
      .entry = (char *)"pairs", .groups = {3, 4, 1}, .group_size = {32, 1, 1}};
  assert_ok(cuda_module_check_launch(&module, &launch));
  launch.groups[1] = 3;
  expect(cuda_module_check_launch(&module, &launch), TUNE_INVALID_ARGUMENT,
         "pairs is made for clusters of 1 x 2 x 1 groups, which do not divide 3 x 3 x 1");
}

static void kernels_that_are_missing_are_named(void **state) {
  fixture *f = *state;
  tune_kernel *kernel;
  // A beginning of a name is none.
  write_program(f, TWO_BUFFERS LAUNCH("out", "[1, 1, 1]", "[8, 1, 1]", "0", "0", RESULT),
                "bad.ptx");
  expect(load(f, &kernel), TUNE_NOT_FOUND, "no kernel out");
}

static const cuda_device *device_of_sm_90(void) {
  static tune_gpu gpu = {.arch = (char *)"sm_90", .api = (char *)"12.4"};
  static const cuda_device device = {
      .major = 9, .minor = 0, .fingerprint = {.model = (char *)"H100", .gpu = &gpu}};
  return &device;
}

static void expect_refused(const tune_program_module *made, const char *message) {
  CUmodule module;
  expect(cuda_module_load(device_of_sm_90(), made, &module), TUNE_INVALID_ARGUMENT, message);
  assert_null(module);
}

static void expect_module(const void *code, size_t size, const char *message) {
  expect_refused(&(tune_program_module){.code = (void *)code, .size = size}, message);
}

#define PTX(target) ".version 7.0\n.target " target "\n.address_size 64\n"

// What is seen before the driver is asked.
static void code_for_another_device_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } wrong[] = {
      {PTX("sm_100"),
       "the PTX is for sm_100, and the device is sm_90 (H100): make it for cuda:sm_90"},
      {PTX("sm_80a"), "the PTX is for sm_80a"},
      {PTX("sm_80f"), "the PTX is for sm_80f"},
      {".version 7.0\n", "the PTX has no .target"},
      {"// .version\n.target sm_90\n", "it is neither PTX, with a NUL at its end, nor a cubin"},
      {"", "it is neither PTX"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    expect_module(wrong[i].text, strlen(wrong[i].text) + 1, wrong[i].message);
  expect_module(PTX("sm_90"), strlen(PTX("sm_90")), "with a NUL at its end");
  // Cubins as CUDA 12 and 13 have them, and an ELF file of another machine's.
  Elf64_Ehdr header = {.e_ident = ELFMAG, .e_machine = 190, .e_flags = 0x500550};
  header.e_ident[EI_ABIVERSION] = 7;
  expect_module(&header, sizeof header, "the cubin is for sm_80, and the device is sm_90");
  header.e_ident[EI_ABIVERSION] = 8;
  header.e_flags = 0x6005a02;
  expect_refused(&(tune_program_module){.code = &header, .size = sizeof header, .opt_level = 4},
                 "\"opt_level\" and \"load_cache\" are for PTX, and it is a cubin");
  header.e_flags = 0x6006402;
  expect_module(&header, sizeof header, "the cubin is for sm_100");
  header.e_machine = EM_X86_64;
  expect_module(&header, sizeof header, "it is an ELF file, but no cubin");
}

// The driver's own words are kept.
static void code_that_does_not_compile_is_refused(void **state) {
  fixture *f = *state;
  tune_kernel *kernel;
  write_text(f, TWO_BUFFERS OUTSIDE("1", RESULT),
             PTX("sm_75") ".visible .entry outside(.param .u64 p)\n{\n  nonsense.u32;\n}\n");
  tune_status status = load(f, &kernel);
  assert_non_null(strstr(tune_status_get_message(status), "nonsense"));
  expect(status, TUNE_INVALID_ARGUMENT, "module 0: the driver refuses the code: CUDA_ERROR_");
  // One that no driver knows yet.
  write_text(f, TWO_BUFFERS OUTSIDE("1", RESULT),
             ".version 99.9\n.target sm_75\n.address_size 64\n");
  status = load(f, &kernel);
  assert_non_null(strstr(tune_status_get_message(status), "update NVIDIA's driver"));
  expect(status, TUNE_INVALID_ARGUMENT, "the PTX is of version 99.9, which the driver, of CUDA ");
}

//===- What runs
//-------------------------------------------------------------------------------===//

static void constants_and_copies_work(void **state) {
  fixture *f = *state;
  tune_kernel *kernel =
      run(f, "'buffers': [{'result': 0}, {'bytes': 64, 'data': 64}, {'argument': 0}],"
             "'steps': [{'copy': 2, 'to': 0, 'bytes': 64}, {'copy': 1, 'to': 0, 'bytes': 32}]");
  const float *result = read_result(kernel), *argument = f->argument.data;
  for (int i = 0; i < COUNT; ++i)
    assert_true(result[i] == (i < COUNT / 2 ? (float)i : argument[i]));
  assert_ok(tune_target_cuda.check(kernel));
  tune_target_cuda.unload(kernel);
}

// What nobody has written is NaN.
static void scratch_that_is_only_read_shows(void **state) {
  fixture *f = *state;
  tune_kernel *kernel = run(f, "'buffers': [{'result': 0}, {'bytes': 64}],"
                               "'steps': [{'copy': 1, 'to': 0, 'bytes': 64}]");
  const float *result = read_result(kernel);
  for (int i = 0; i < COUNT; ++i)
    assert_true(isnan(result[i]));
  tune_target_cuda.unload(kernel);
}

// It ends, gives what nobody wrote, and the more repeats the longer they take: whoever measures
// looks for so many that it takes a while.
static void programs_without_steps_run(void **state) {
  fixture *f = *state;
  tune_kernel *kernel = run(f, TWO_BUFFERS "'steps': []");
  double few, many;
  assert_ok(tune_target_cuda.time(kernel, 10, &few));
  assert_ok(tune_target_cuda.time(kernel, 10000, &many));
  assert_true(few > 0 && many > few);
  assert_true(isnan(read_result(kernel)[0]));
  assert_ok(tune_target_cuda.check(kernel));
  tune_target_cuda.unload(kernel);
}

static void assert_turned(const fixture *f, const tune_kernel *kernel, float more) {
  const float *result = read_result(kernel), *argument = f->argument.data;
  for (int i = 0; i < COUNT; ++i)
    assert_true(result[i] == argument[COUNT - 1 - i] + more);
}

// Values come as parameters, and shared memory beyond 48 KiB where it is asked for, also by one of
// two steps that launch the same kernel.
static void values_and_much_shared_memory_are_there(void **state) {
  fixture *f = *state;
  tune_kernel *kernel = run(f, TWO_BUFFERS SHARED("64", "0"));
  assert_turned(f, kernel, 0.5f);
  tune_target_cuda.unload(kernel);
  kernel = run(f, TWO_BUFFERS SHARED("65536", "65472"));
  assert_turned(f, kernel, 0.5f);
  tune_target_cuda.unload(kernel);
#define STEP(bytes, first)                                                                         \
  "{'launch': 'shared', 'module': 0, 'groups': [1, 1, 1], 'group_size': [16, 1, 1],"               \
  " 'subgroup_size': 0, 'shared_bytes': " bytes ", 'arguments': [{'buffer': 0}, " RESULT           \
  ", {'i32': " first "}, {'f32': -1}]}"
  kernel = run(f, TWO_BUFFERS "'steps': [" STEP("65536", "65472") ", " STEP("128", "64") "]");
  assert_turned(f, kernel, -1);
  tune_target_cuda.unload(kernel);
}

// More than are in one graph, and the buffer is right afterwards.
static void repeats_are_many(void **state) {
  fixture *f = *state;
  tune_kernel *kernel = run(f, TWO_BUFFERS OUTSIDE("2", RESULT));
  double few, many;
  assert_ok(tune_target_cuda.time(kernel, 75, &few));
  assert_ok(tune_target_cuda.time(kernel, 5000, &many));
  assert_true(many > few);
  assert_true(read_result(kernel)[COUNT - 1] == 1);
  assert_ok(tune_target_cuda.check(kernel));
  tune_target_cuda.unload(kernel);
}

static void writes_outside_are_found(void **state) {
  fixture *f = *state;
  tune_kernel *kernel = run(f, TWO_BUFFERS OUTSIDE("64", RESULT));
  expect(tune_target_cuda.check(kernel), TUNE_DATA_LOSS, "result 0: ");
  assert_true(read_result(kernel)[0] == 1);
  tune_target_cuda.unload(kernel);
}

// The program says that it reads, the code writes.
static void arguments_that_are_read_stay_as_they_are(void **state) {
  fixture *f = *state;
  tune_kernel *kernel = run(f, TWO_BUFFERS OUTSIDE("2", "{'buffer': 0}"));
  expect(tune_target_cuda.check(kernel), TUNE_DATA_LOSS, "argument 0: it was written");
  tune_target_cuda.unload(kernel);
}

static void guards_notice(void **state) {
  (void)state;
  cuda_device device;
  cuda_buffer buffer;
  assert_ok(cuda_device_open(NULL, &device));
  assert_ok(cuda_buffer_init(&device, 10, true, &buffer));
  char bytes[10] = "123456789", found[10];
  bool is_equal;
  assert_ok(cuda_buffer_equals(&device, &buffer, bytes, &is_equal));
  assert_false(is_equal);
  assert_ok(cuda_buffer_write(&device, &buffer, bytes));
  assert_ok(cuda_buffer_check_guards(&device, &buffer));
  assert_ok(cuda_buffer_equals(&device, &buffer, bytes, &is_equal));
  assert_true(is_equal);
  // One who thinks that it is larger, and one who begins too early.
  cuda_buffer larger = buffer, earlier = buffer;
  larger.data += buffer.size;
  earlier.data -= 3;
  larger.size = 2;
  earlier.size = 3;
  assert_ok(cuda_buffer_write(&device, &larger, bytes));
  expect(cuda_buffer_check_guards(&device, &buffer), TUNE_DATA_LOSS,
         "2 bytes after the end were overwritten");
  assert_ok(cuda_buffer_write(&device, &earlier, bytes));
  expect(cuda_buffer_check_guards(&device, &buffer), TUNE_DATA_LOSS,
         "3 bytes before the beginning were overwritten");
  assert_ok(cuda_buffer_read(&device, &buffer, found));
  assert_memory_equal(found, bytes, sizeof bytes);
  cuda_buffer_deinit(&device, &buffer);
  assert_ok(cuda_buffer_init(&device, 0, true, &buffer));
  assert_ok(cuda_buffer_write(&device, &buffer, NULL));
  assert_ok(cuda_buffer_equals(&device, &buffer, NULL, &is_equal));
  assert_true(is_equal);
  assert_ok(cuda_buffer_check_guards(&device, &buffer));
  cuda_buffer_deinit(&device, &buffer);
  cuda_device_close(&device);
}

//===- Faults
//----------------------------------------------------------------------------------===//

static void memory_that_is_not_there_is_said(void **state) {
  fixture *f = *state;
  if (!is_stand_in)
    skip();
  tune_kernel *kernel;
  write_program(f, TWO_BUFFERS OUTSIDE("1", RESULT), "bad.ptx");
  assert_ok(load(f, &kernel));
  setenv("TUNE_FAKE_CUDA_FAULT", "out-of-memory", 1);
  expect(tune_target_cuda.bind(kernel, &f->argument, 1), TUNE_OUT_OF_MEMORY,
         "a buffer of 64 bytes");
  unsetenv("TUNE_FAKE_CUDA_FAULT");
  tune_target_cuda.unload(kernel);
}

// The last test, since it costs this process the device.
static void faults_of_kernels_lose_the_device(void **state) {
  fixture *f = *state;
  tune_kernel *kernel =
      bind(f, TWO_BUFFERS LAUNCH("fault", "[1, 1, 1]", "[1, 1, 1]", "0", "0", ""));
  double seconds;
  tune_status status = tune_target_cuda.time(kernel, 1, &seconds);
  assert_non_null(strstr(tune_status_get_message(status), "CUDA_ERROR_ILLEGAL_ADDRESS"));
  expect(status, TUNE_DATA_LOSS, "the device was lost");
  // So it is for whatever comes next.
  tune_target_cuda.rewind(kernel);
  expect(tune_target_cuda.time(kernel, 1, &seconds), TUNE_DATA_LOSS, "the device was lost");
  expect(tune_target_cuda.check(kernel), TUNE_DATA_LOSS, "the device was lost");
  tune_target_cuda.unload(kernel);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  is_stand_in = cuda_driver_choose();
  const struct CMUnitTest tests[] = {
      TEST(the_fingerprint_makes_sense),
      TEST(its_json_is_that_of_its_kind),
      TEST(architectures_that_are_none_are_refused),
      TEST(what_is_missing_is_said),
      TEST(devices_are_chosen),
      TEST(the_roofline_makes_sense),
      TEST(peaks_by_four_warps_run),
      TEST(limits_are_checked),
      TEST(clusters_are_checked),
      TEST(kernels_that_are_missing_are_named),
      TEST(code_for_another_device_is_refused),
      TEST(code_that_does_not_compile_is_refused),
      TEST(constants_and_copies_work),
      TEST(scratch_that_is_only_read_shows),
      TEST(programs_without_steps_run),
      TEST(values_and_much_shared_memory_are_there),
      TEST(repeats_are_many),
      TEST(writes_outside_are_found),
      TEST(arguments_that_are_read_stay_as_they_are),
      TEST(guards_notice),
      TEST(memory_that_is_not_there_is_said),
      TEST(faults_of_kernels_lose_the_device),
  };
  return cmocka_run_group_tests_name("targets/cuda", tests, NULL, NULL);
}
