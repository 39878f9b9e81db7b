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
#include "unittests/targets/cuda_fixture.h"

#include <elf.h>
#include <math.h>

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
  static const cuda_device device = {
      .major = 9,
      .minor = 0,
      .fingerprint = {.model = "H100", .gpu = {.arch = "sm_90", .api = "12.4"}}};
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

// Taken where the word is 0, not where it is not, and always without one; backwards until what is
// copied is 0.
static void branches_are_taken(void **state) {
  fixture *f = *state;
  tune_kernel *kernel = run(
      f, "'buffers': [{'result': 0}, {'bytes': 64, 'data': 64}, {'argument': 0}, {'bytes': 64}],"
         "'steps': [{'copy': 2, 'to': 0, 'bytes': 64}, {'branch': 3, 'unless': 1},"
         " {'copy': 1, 'to': 0, 'bytes': 64}, {'branch': 5, 'unless': 3},"
         " {'copy': 1, 'to': 0, 'bytes': 32}, {'branch': 7},"
         " {'copy': 1, 'to': 0, 'bytes': 64}, {'branch': 10, 'unless': 3},"
         " {'copy': 1, 'to': 3, 'bytes': 64}, {'branch': 7}]");
  const float *result = read_result(kernel), *argument = f->argument.data;
  for (int i = 0; i < COUNT; ++i)
    assert_true(result[i] == (i < COUNT / 2 ? (float)i : argument[i]));
  double seconds;
  assert_ok(tune_target_cuda.time(kernel, 3, &seconds));
  assert_true(seconds > 0);
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
  assert_ok(tune_device_buffer_init(&cuda_memory, &device, 10, true, &buffer.base));
  char bytes[10] = "123456789", found[10];
  bool is_equal;
  assert_ok(tune_device_buffer_equals(&buffer.base, bytes, &is_equal));
  assert_false(is_equal);
  assert_ok(tune_device_buffer_write(&buffer.base, bytes));
  assert_ok(tune_device_buffer_check_guards(&buffer.base));
  assert_ok(tune_device_buffer_equals(&buffer.base, bytes, &is_equal));
  assert_true(is_equal);
  // One who thinks that it is larger, and one who begins too early.
  cuda_buffer larger = buffer, earlier = buffer;
  larger.base.offset += buffer.base.size;
  earlier.base.offset -= 3;
  larger.base.size = 2;
  earlier.base.size = 3;
  assert_ok(tune_device_buffer_write(&larger.base, bytes));
  expect(tune_device_buffer_check_guards(&buffer.base), TUNE_DATA_LOSS,
         "2 bytes after the end were overwritten");
  assert_ok(tune_device_buffer_write(&earlier.base, bytes));
  expect(tune_device_buffer_check_guards(&buffer.base), TUNE_DATA_LOSS,
         "3 bytes before the beginning were overwritten");
  assert_ok(tune_device_buffer_read(&buffer.base, found));
  assert_memory_equal(found, bytes, sizeof bytes);
  tune_device_buffer_deinit(&buffer.base);
  assert_ok(tune_device_buffer_init(&cuda_memory, &device, 0, true, &buffer.base));
  assert_ok(tune_device_buffer_write(&buffer.base, NULL));
  assert_ok(tune_device_buffer_equals(&buffer.base, NULL, &is_equal));
  assert_true(is_equal);
  assert_ok(tune_device_buffer_check_guards(&buffer.base));
  tune_device_buffer_deinit(&buffer.base);
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
      TEST(limits_are_checked),
      TEST(clusters_are_checked),
      TEST(kernels_that_are_missing_are_named),
      TEST(code_for_another_device_is_refused),
      TEST(code_that_does_not_compile_is_refused),
      TEST(constants_and_copies_work),
      TEST(branches_are_taken),
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
