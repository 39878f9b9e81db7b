//===- vulkan_test.c - What only the vulkan target does ---------------------------------------===//
//
// With the validation layer watching: its first complaint fails whatever comes next. What every
// target does is in conformance_test.c, what happens when a kernel hangs in
// unittests/tune-measure/vulkan_test.c.
//
// Somewhat over 500 lines, as all tests share the device that the layer watches.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "targets/target.h"
#include "targets/vulkan/vulkan_memory.h"
#include "targets/vulkan/vulkan_module.h"
#include "unittests/common/program_file.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"
#include "unittests/common/keep_drivers.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1 // it keeps for a while what was freed
#else
#define HAS_SANITIZER 0
#endif

#define COUNT 16 // floats of the one argument and the one result

typedef struct fixture {
  tune_target *target;
  tune_signature signature;
  tune_buffer argument;
  char path[64];
} fixture;

static int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  tune_status status = tune_target_vulkan.open(&(tune_target_options){.threads = 1}, &f.target);
  if (tune_status_get_code(status) == TUNE_UNAVAILABLE) {
    print_message("skipped: %s\n", tune_status_get_message(status));
    tune_status_free(status);
    *state = NULL;
    return 0;
  }
  assert_ok(status);
  json_t *signature =
      json_pack("{ss s[{ss ss s[i] ss}] s[{ss ss s[i]}]}", "entry", "tune_entry", "arguments",
                "kind", "tensor", "type", "f32", "shape", COUNT, "access", "read", "results",
                "kind", "tensor", "type", "f32", "shape", COUNT);
  assert_ok(tune_signature_from_json(signature, &f.signature));
  json_decref(signature);
  assert_ok(tune_buffer_init(&f.argument, &f.signature.arguments[0]));
  tune_buffer_fill(&f.argument, 1, TUNE_FILL_SIGNED, 1);
  snprintf(f.path, sizeof f.path, "vulkan-test-%d.program", (int)getpid());
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  if (!f)
    return 0;
  tune_buffer_deinit(&f->argument);
  tune_signature_deinit(&f->signature);
  tune_target_vulkan.close(f->target);
  unlink(f->path);
  return 0;
}

// The fixture, or a skip.
static fixture *of(void **state) {
  if (!*state)
    skip();
  return *state;
}

static void write_program(const fixture *f, const char *rest, const char *module) {
  char json[2048], path[512];
  snprintf(json, sizeof json, "{'target': 'vulkan', %s}", rest);
  snprintf(path, sizeof path, PROGRAM_FILE_SPIRV "/%s.spv", module);
  const char *const modules[] = {path, NULL};
  float constant[COUNT];
  for (int i = 0; i < COUNT; ++i)
    constant[i] = (float)i;
  bool has_constant = strstr(rest, "'data'");
  program_file_write(f->path, json, modules, constant, has_constant ? sizeof constant : 0);
}

static tune_status load(const fixture *f, tune_kernel **out_kernel) {
  return tune_target_vulkan.load(f->target, &(tune_artifact){f->path, &f->signature}, out_kernel);
}

static void expect(tune_status status, tune_status_code code, const char *message) {
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), message))
    print_error("expected %s, got: %s\n", message, tune_status_get_message(status));
  assert_int_equal(tune_status_get_code(status), code);
  assert_non_null(strstr(tune_status_get_message(status), message));
  tune_status_free(status);
}

// Loads the program, binds the argument and runs once.
static tune_kernel *run(const fixture *f, const char *rest, const char *module) {
  tune_kernel *kernel;
  double seconds;
  write_program(f, rest, module);
  assert_ok(load(f, &kernel));
  assert_ok(tune_target_vulkan.bind(kernel, &f->argument, 1));
  assert_ok(tune_target_vulkan.time(kernel, 1, &seconds));
  assert_true(seconds > 0 && seconds < 60);
  return kernel;
}

static float *read_result(const tune_kernel *kernel) {
  static float values[COUNT];
  tune_buffer output;
  assert_ok(tune_target_vulkan.read(kernel, 0, &output));
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

//===- Fingerprints and devices
//----------------------------------------------------------------===//

static void the_fingerprint_makes_sense(void **state) {
  fixture *f = of(state);
  const tune_fingerprint *fingerprint = tune_target_vulkan.fingerprint(f->target);
  const tune_gpu *gpu = &fingerprint->gpu;
  assert_string_equal(fingerprint->target, "vulkan");
  assert_true(strlen(fingerprint->vendor) > 0 && strlen(fingerprint->model) > 0);
  for (size_t i = 1; i < fingerprint->features.count; ++i)
    assert_true(strcmp(fingerprint->features.items[i - 1], fingerprint->features.items[i]) < 0);
  assert_true(gpu->cooperative_matrices.count == 0 ||
              tune_fingerprint_has_feature(fingerprint, "cooperative_matrix"));
  // What Vulkan promises of any device.
  assert_true(gpu->shared_bytes >= 16384 && gpu->group_invocations >= 128);
  assert_true(gpu->group_count[2] >= 65535 && gpu->storage_buffer_bytes >= 1 << 27);
  assert_true(gpu->texel_buffer_elements >= 65536 && gpu->push_constant_bytes >= 128);
  assert_true(gpu->subgroup_size >= 1 && gpu->bindings >= 4 && gpu->memory_bytes > 0);
  assert_string_equal(gpu->subgroup_operations.items[0], "basic");
  bool is_software = strcmp(gpu->device_type, "cpu") == 0;
  assert_true((gpu->host != NULL) == is_software);
  if (strstr(gpu->driver, "llvmpipe"))
    assert_int_equal(gpu->loop_limit, 65535);
}

static void its_json_has_no_members_of_a_cpu(void **state) {
  fixture *f = of(state);
  json_t *object;
  assert_ok(tune_fingerprint_to_json(tune_target_vulkan.fingerprint(f->target), &object));
  const char *const there[] = {"target", "driver", "api", "subgroup_size", "group_count"};
  const char *const absent[] = {"caches", "cores", "family", "vector_bits", "has_fma"};
  for (size_t i = 0; i < 5; ++i) {
    assert_non_null(json_object_get(object, there[i]));
    assert_null(json_object_get(object, absent[i]));
  }
  json_decref(object);
}

// One driver, loader or device that is not there at a time.
static void what_is_missing_is_said(void **state) {
  of(state);
  tune_target *target;
  const tune_target_options options = {.threads = 1};
  setenv("TUNE_VULKAN_LOADER", "/nowhere/libvulkan.so", 1);
  expect(tune_target_vulkan.open(&options, &target), TUNE_UNAVAILABLE, "install libvulkan1");
  assert_null(target);
  setenv("TUNE_VULKAN_LOADER", "libm.so.6", 1);
  expect(tune_target_vulkan.open(&options, &target), TUNE_UNAVAILABLE, "is no Vulkan loader");
  unsetenv("TUNE_VULKAN_LOADER");
  setenv("VK_ICD_FILENAMES", "/nonexistent", 1);
  expect(tune_target_vulkan.open(&options, &target), TUNE_UNAVAILABLE, "mesa-vulkan-drivers");
  unsetenv("VK_ICD_FILENAMES");
}

static void devices_are_chosen(void **state) {
  fixture *f = of(state);
  const char *model = tune_target_vulkan.fingerprint(f->target)->model;
  tune_target *target;
  tune_target_options options = {.threads = 1, .device = "no such thing"};
  tune_status status = tune_target_vulkan.open(&options, &target);
  assert_non_null(strstr(tune_status_get_message(status), "no such thing"));
  expect(status, TUNE_NOT_FOUND, model);
  options.device = "99";
  expect(tune_target_vulkan.open(&options, &target), TUNE_NOT_FOUND, "there are: 0: ");
  const char *const right[] = {"0", model, ""};
  for (size_t i = 0; i < 3; ++i) {
    options.device = right[i];
    assert_ok(tune_target_vulkan.open(&options, &target));
    assert_string_equal(tune_target_vulkan.fingerprint(target)->model, model);
    tune_target_vulkan.close(target);
  }
  options.device = NULL;
  setenv("TUNE_VULKAN_DEVICE", "99", 1);
  expect(tune_target_vulkan.open(&options, &target), TUNE_NOT_FOUND, "'99'");
  unsetenv("TUNE_VULKAN_DEVICE");
  options.device = "0";
  expect(tune_target_cpu.open(&options, &target), TUNE_NOT_FOUND, "no CPU '0'");
}

// A quick one; the layer watches that, too.
static void the_roofline_makes_sense(void **state) {
  fixture *f = of(state);
  tune_roofline roofline;
  assert_ok(tune_target_vulkan.roofline(f->target, true, &roofline));
  assert_true(roofline.f32 > 0.1 && roofline.f32 < 1e6);
  assert_int_equal(roofline.threads, 1);
  assert_int_equal(roofline.level_count, 1);
  assert_string_equal(roofline.levels[0].name, "L2");
  assert_true(roofline.levels[0].gbytes_per_s > 0.1 && roofline.levels[0].gbytes_per_s < 1e5);
}

//===- What is refused
//-------------------------------------------------------------------------===//

static void limits_are_checked(void **state) {
  fixture *f = of(state);
  static const struct {
    const char *rest, *message;
  } wrong[] = {
      {TWO_BUFFERS OUTSIDE("4294967295", RESULT),
       "step 0: groups in x: 4294967295, the device's limit is "},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[1, 1, 65536]", "0", "0", RESULT),
       "group size in z: 65536"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[64, 64, 64]", "0", "0", RESULT),
       "invocations in a group: 262144"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[8, 1, 1]", "3", "0", RESULT),
       "a subgroup size of 3, the device has those from"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[8, 1, 1]", "0", "64", RESULT),
       "64 bytes of dynamic shared memory"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[8, 1, 1]", "0", "0", "{'i32': 5}"),
       "argument 0 is handed over by value"},
      {"'buffers': [{'argument': 0}, {'result': 0}, {'bytes': 4294967296}]," OUTSIDE(
           "1", "{'buffer': 2}"),
       "argument 0: bytes of a storage buffer: 4294967296, the device's limit is "},
      {"'buffers': [{'argument': 0}, {'result': 0}, {'bytes': 22}]," OUTSIDE(
           "1", "{'buffer': 2, 'texels': 'rgba32f'}"),
       "22 bytes of texels are no f32"},
      {TWO_BUFFERS LAUNCH("outside", "[1, 1, 1]", "[4, 2, 1]", "0", "0", RESULT),
       "outside is made for groups of 8 x 1 x 1, not 4 x 2 x 1"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    tune_kernel *kernel;
    write_program(f, wrong[i].rest, "bad");
    expect(load(f, &kernel), TUNE_INVALID_ARGUMENT, wrong[i].message);
    assert_null(kernel);
  }
}

static void kernels_that_are_missing_are_named(void **state) {
  fixture *f = of(state);
  tune_kernel *kernel;
  // A beginning of a name is none.
  write_program(f, TWO_BUFFERS LAUNCH("out", "[1, 1, 1]", "[8, 1, 1]", "0", "0", RESULT), "bad");
  expect(load(f, &kernel), TUNE_NOT_FOUND, "no compute kernel out");
}

static void what_is_no_spirv_is_refused(void **state) {
  fixture *f = of(state);
  vulkan_device nothing = {.features = 0};
  uint32_t words[] = {0x07230203, 0x10300, 0, 9, 0, 2u << 16 | 17, 9 /* Float16 */};
  tune_program_module module = {.code = words, .size = sizeof words};
  expect(vulkan_module_check(&nothing, &module), TUNE_INVALID_ARGUMENT, "it needs float16");
  nothing.features = 1u << VULKAN_FLOAT16;
  assert_ok(vulkan_module_check(&nothing, &module));
  module.size -= 4;
  expect(vulkan_module_check(&nothing, &module), TUNE_INVALID_ARGUMENT, "word 5 is no instruction");
  module.size -= 2;
  expect(vulkan_module_check(&nothing, &module), TUNE_INVALID_ARGUMENT, "it is no SPIR-V");
  words[0] = 0x03022307; // of a machine of the other byte order
  module.size = sizeof words;
  expect(vulkan_module_check(&nothing, &module), TUNE_INVALID_ARGUMENT, "it is no SPIR-V");
  (void)f;
}

// One complaint is one error, told once. (A test of the tests: they rely on the layer.)
static void complaints_of_the_layer_are_errors(void **state) {
  of(state);
  vulkan_device device;
  assert_ok(vulkan_device_open(NULL, &device));
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, // without a size
                             .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer buffer = VK_NULL_HANDLE;
  device.functions.CreateBuffer(device.device, &info, NULL, &buffer);
  device.functions.DestroyBuffer(device.device, buffer, NULL);
  tune_status other = tune_status_make(TUNE_NOT_FOUND, "something else");
  expect(vulkan_device_validate(&device, other), TUNE_NOT_FOUND, "something else");
  expect(vulkan_device_validate(&device, TUNE_OK), TUNE_INTERNAL, "VUID");
  assert_ok(vulkan_device_validate(&device, TUNE_OK));
  vulkan_device_close(&device);
}

//===- What runs
//-------------------------------------------------------------------------------===//

static void constants_and_copies_work(void **state) {
  fixture *f = of(state);
  tune_kernel *kernel =
      run(f,
          "'buffers': [{'result': 0}, {'bytes': 64, 'data': 64}, {'argument': 0}],"
          "'steps': [{'copy': 2, 'to': 0, 'bytes': 64}, {'copy': 1, 'to': 0, 'bytes': 32}]",
          "bad");
  const float *result = read_result(kernel), *argument = f->argument.data;
  for (int i = 0; i < COUNT; ++i)
    assert_true(result[i] == (i < COUNT / 2 ? (float)i : argument[i]));
  assert_ok(tune_target_vulkan.check(kernel));
  tune_target_vulkan.unload(kernel);
}

// Taken where the word is 0, not where it is not, and always without one; backwards until what is
// copied is 0.
static void branches_are_taken(void **state) {
  fixture *f = of(state);
  tune_kernel *kernel =
      run(f,
          "'buffers': [{'result': 0}, {'bytes': 64, 'data': 64}, {'argument': 0}, {'bytes': 64}],"
          "'steps': [{'copy': 2, 'to': 0, 'bytes': 64}, {'branch': 3, 'unless': 1},"
          " {'copy': 1, 'to': 0, 'bytes': 64}, {'branch': 5, 'unless': 3},"
          " {'copy': 1, 'to': 0, 'bytes': 32}, {'branch': 7},"
          " {'copy': 1, 'to': 0, 'bytes': 64}, {'branch': 10, 'unless': 3},"
          " {'copy': 1, 'to': 3, 'bytes': 64}, {'branch': 7}]",
          "bad");
  const float *result = read_result(kernel), *argument = f->argument.data;
  for (int i = 0; i < COUNT; ++i)
    assert_true(result[i] == (i < COUNT / 2 ? (float)i : argument[i]));
  double seconds;
  assert_ok(tune_target_vulkan.time(kernel, 3, &seconds));
  assert_true(seconds > 0);
  assert_ok(tune_target_vulkan.check(kernel));
  tune_target_vulkan.unload(kernel);
}

// What nobody has written is NaN.
static void scratch_that_is_only_read_shows(void **state) {
  fixture *f = of(state);
  tune_kernel *kernel = run(f,
                            "'buffers': [{'result': 0}, {'bytes': 64}],"
                            "'steps': [{'copy': 1, 'to': 0, 'bytes': 64}]",
                            "bad");
  const float *result = read_result(kernel);
  for (int i = 0; i < COUNT; ++i)
    assert_true(isnan(result[i]));
  tune_target_vulkan.unload(kernel);
}

// More than are handed in at once, and the buffer is right afterwards.
static void repeats_are_many(void **state) {
  fixture *f = of(state);
  tune_kernel *kernel = run(f, TWO_BUFFERS OUTSIDE("2", RESULT), "bad");
  double few, many;
  assert_ok(tune_target_vulkan.time(kernel, 100, &few));
  assert_ok(tune_target_vulkan.time(kernel, 10000, &many));
  assert_true(many > few);
  assert_true(read_result(kernel)[COUNT - 1] == 1);
  assert_ok(tune_target_vulkan.check(kernel));
  tune_target_vulkan.unload(kernel);
}

// A kernel that writes behind its buffer is kept from it by the device, or the guards tell.
static void writes_outside_are_found_or_prevented(void **state) {
  fixture *f = of(state);
  tune_kernel *kernel = run(f, TWO_BUFFERS OUTSIDE("64", RESULT), "bad");
  tune_status status = tune_target_vulkan.check(kernel);
  if (!tune_status_is_ok(status))
    expect(status, TUNE_DATA_LOSS, "result 0: ");
  assert_true(read_result(kernel)[0] == 1);
  tune_target_vulkan.unload(kernel);
}

// The program says that it reads, the code writes.
static void arguments_that_are_read_stay_as_they_are(void **state) {
  fixture *f = of(state);
  tune_kernel *kernel = run(f, TWO_BUFFERS OUTSIDE("2", "{'buffer': 0}"), "bad");
  expect(tune_target_vulkan.check(kernel), TUNE_DATA_LOSS, "argument 0: it was written");
  tune_target_vulkan.unload(kernel);
}

// The zones around a buffer, in memory that is mapped, and in memory that is not.
static void guards_notice(void **state) {
  of(state);
  for (int stages = 0; stages < 2; ++stages) {
    setenv("TUNE_VULKAN_STAGING", stages ? "1" : "0", 1);
    vulkan_device device;
    vulkan_buffer buffer;
    assert_ok(vulkan_device_open(NULL, &device));
    assert_ok(tune_device_buffer_init(&vulkan_memory, &device, 10, true, &buffer.base));
    char bytes[10] = "123456789", found[10];
    bool is_equal;
    assert_ok(tune_device_buffer_write(&buffer.base, bytes));
    assert_ok(tune_device_buffer_check_guards(&buffer.base));
    assert_ok(tune_device_buffer_equals(&buffer.base, bytes, &is_equal));
    assert_true(is_equal);
    assert_true(!stages || buffer.mapped == NULL);
    // One who thinks that it is larger, and one who begins too early.
    vulkan_buffer larger = buffer, earlier = buffer;
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
    assert_ok(tune_device_buffer_poison(&buffer.base));
    assert_ok(tune_device_buffer_equals(&buffer.base, bytes, &is_equal));
    assert_false(is_equal);
    assert_ok(vulkan_device_validate(&device, TUNE_OK));
    tune_device_buffer_deinit(&buffer.base);
    vulkan_device_close(&device);
  }
  unsetenv("TUNE_VULKAN_STAGING");
}

// Larger than what is staged at once.
static void staging_goes_in_parts(void **state) {
  of(state);
  setenv("TUNE_VULKAN_STAGING", "1", 1);
  const size_t size = (9 << 20) + 5;
  char *bytes = malloc(size), *found = malloc(size);
  assert_true(bytes && found);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = (char)(i * 2654435761u >> 13);
  vulkan_device device;
  vulkan_buffer buffer;
  assert_ok(vulkan_device_open(NULL, &device));
  assert_ok(tune_device_buffer_init(&vulkan_memory, &device, size, true, &buffer.base));
  assert_null(buffer.mapped);
  assert_ok(tune_device_buffer_write(&buffer.base, bytes));
  assert_ok(tune_device_buffer_read(&buffer.base, found));
  assert_memory_equal(found, bytes, size);
  assert_ok(tune_device_buffer_check_guards(&buffer.base));
  tune_device_buffer_deinit(&buffer.base);
  vulkan_device_close(&device);
  unsetenv("TUNE_VULKAN_STAGING");
  free(bytes);
  free(found);
}

static size_t count_files(void) {
  size_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  assert_non_null(folder);
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

static long resident_pages(void) {
  long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%ld %ld", &all, &resident), 2);
  fclose(file);
  return resident;
}

// Many kernels, one after the other, leave nothing behind; so do targets.
static void nothing_is_left_behind(void **state) {
  fixture *f = of(state);
  size_t files = 0;
  long pages = 0;
  for (int i = 0; i < 60; ++i) {
    if (i == 10) { // what is made once is made
      files = count_files();
      pages = resident_pages();
    }
    tune_target_vulkan.unload(run(f, TWO_BUFFERS OUTSIDE("2", RESULT), "bad"));
  }
  assert_int_equal(count_files(), files);
  if (!HAS_SANITIZER)
    assert_true(resident_pages() < pages + 1000);
  tune_target *target;
  for (int i = 0; i < 3; ++i) {
    assert_ok(tune_target_vulkan.open(&(tune_target_options){.threads = 1}, &target));
    tune_target_vulkan.close(target);
  }
  assert_int_equal(count_files(), files);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  keep_drivers();
  setenv("TUNE_VULKAN_VALIDATION", "1", 1);
  const struct CMUnitTest tests[] = {
      TEST(the_fingerprint_makes_sense),
      TEST(its_json_has_no_members_of_a_cpu),
      TEST(what_is_missing_is_said),
      TEST(devices_are_chosen),
      TEST(the_roofline_makes_sense),
      TEST(limits_are_checked),
      TEST(kernels_that_are_missing_are_named),
      TEST(what_is_no_spirv_is_refused),
      TEST(complaints_of_the_layer_are_errors),
      TEST(constants_and_copies_work),
      TEST(branches_are_taken),
      TEST(scratch_that_is_only_read_shows),
      TEST(repeats_are_many),
      TEST(writes_outside_are_found_or_prevented),
      TEST(arguments_that_are_read_stay_as_they_are),
      TEST(guards_notice),
      TEST(staging_goes_in_parts),
      TEST(nothing_is_left_behind),
  };
  return cmocka_run_group_tests_name("targets/vulkan", tests, NULL, NULL);
}
