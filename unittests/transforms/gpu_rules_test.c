//===- gpu_rules_test.c - Which rules a machine without the CPU's registers has ---===//

#include "dialects/tune_dialect.h"
#include "transforms/lower/lowering.h"
#include "transforms/rules/rule.h"

#include "mlir-c/RegisterEverything.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static MlirContext context;

static int make_context(void **state) {
  (void)state;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  tune_dialect_register(registry);
  mlirRegisterAllPasses();
  context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(context);
  return 0;
}

static int destroy_context(void **state) {
  (void)state;
  mlirContextDestroy(context);
  return 0;
}

static tune_machine read_machine(const char *fingerprint) {
  json_t *object = json_loads(fingerprint, 0, NULL);
  assert_non_null(object);
  tune_machine machine;
  tune_machine_init(&machine);
  tune_machine_read_fingerprint(&machine, object);
  json_decref(object);
  return machine;
}

static void fingerprints_of_devices_are_read(void **state) {
  (void)state;
  tune_machine machine =
      read_machine("{\"target\": \"vulkan\", \"device_type\": \"cpu\", \"subgroup_size\": 8,"
                   " \"features\": [\"float16\", \"int64\", \"storage16\"],"
                   " \"subgroup_operations\": [\"basic\", \"arithmetic\"], \"shared_bytes\": 32768,"
                   " \"group_invocations\": 1024, \"group_size\": [1024, 512, 256],"
                   " \"group_count\": [65535, 65534, 65533], \"storage_buffer_bytes\": 134217728,"
                   " \"texel_buffer_elements\": 134217727, \"loop_limit\": 65535}");
  const tune_device *gpu = &machine.gpu;
  assert_int_equal(machine.kind, TUNE_KIND_VULKAN);
  assert_true(gpu->is_software && gpu->has_float16 && gpu->has_int64 && gpu->has_storage16);
  assert_false(gpu->has_int8 || gpu->has_int16 || gpu->has_float64 || gpu->has_storage8);
  assert_true(gpu->has_subgroup_arithmetic && !gpu->has_subgroup_shuffle);
  assert_false(gpu->has_cooperative_matrix);
  assert_int_equal(gpu->subgroup_size, 8);
  assert_int_equal(gpu->group_invocations, 1024);
  assert_int_equal(gpu->group_size[1], 512);
  assert_int_equal(gpu->group_count[2], 65533);
  assert_int_equal(gpu->shared_bytes, 32768);
  assert_int_equal(gpu->storage_buffer_bytes, 134217728);
  assert_int_equal(gpu->texel_buffer_elements, 134217727);
  assert_int_equal(gpu->loop_limit, 65535);
}

// Of any device only that is known which the specification asks of all.
static void any_device_has_the_required_limits(void **state) {
  (void)state;
  tune_machine machine = read_machine("{\"target\": \"vulkan\"}");
  assert_int_equal(machine.kind, TUNE_KIND_VULKAN);
  assert_int_equal(machine.gpu.group_invocations, 128);
  assert_int_equal(machine.gpu.group_size[2], 64);
  assert_int_equal(machine.gpu.loop_limit, 0);
  assert_false(machine.gpu.has_float16 || machine.gpu.is_software);
  assert_int_equal(read_machine("{\"target\": \"cuda\"}").kind, TUNE_KIND_CUDA);
  assert_int_equal(read_machine("{\"target\": \"null\"}").kind, TUNE_KIND_CPU);
}

static const char *find_rule(const tune_machine *machine, const char *payload,
                             char **out_schedule) {
  const tune_rule *rule;
  assert_ok(tune_rules_make_schedule(context, payload, machine, out_schedule, &rule));
  assert_true(rule->kinds & 1u << machine->kind);
  return rule->name;
}

// No machine is given the schedule of another kind, also where a task has nothing to do.
static void rules_are_of_the_machines_kind(void **state) {
  (void)state;
  static const char MATMUL[] =
      "func.func @f(%a: tensor<64x128xf32>, %b: tensor<128x32xf32>, %c: tensor<64x32xf32>)"
      " -> tensor<64x32xf32> {\n"
      "  %0 = linalg.matmul ins(%a, %b : tensor<64x128xf32>, tensor<128x32xf32>)\n"
      "                     outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>\n"
      "  return %0 : tensor<64x32xf32>\n"
      "}\n";
  static const char EMPTY[] =
      "func.func @f(%a: tensor<0x4xf32>, %c: tensor<0x4xf32>) -> tensor<0x4xf32> {\n"
      "  %0 = linalg.exp ins(%a : tensor<0x4xf32>) outs(%c : tensor<0x4xf32>) -> "
      "tensor<0x4xf32>\n"
      "  return %0 : tensor<0x4xf32>\n"
      "}\n";
  tune_machine cpu = read_machine("{\"target\": \"cpu\", \"vector_bits\": 512}");
  tune_machine gpu = read_machine("{\"target\": \"vulkan\"}");
  char *schedule;
  assert_string_equal(find_rule(&cpu, MATMUL, &schedule), "contraction");
  assert_null(strstr(schedule, "spirv"));
  free(schedule);
  assert_string_not_equal(find_rule(&gpu, MATMUL, &schedule), "contraction");
  assert_null(strstr(schedule, "llvm"));
  assert_non_null(strstr(schedule, "tune.spirv.opt"));
  free(schedule);
  assert_string_equal(find_rule(&cpu, EMPTY, &schedule), "general");
  free(schedule);
  assert_string_equal(find_rule(&gpu, EMPTY, &schedule), "gpu_general");
  free(schedule);
}

// The plain lowering is the CPU's whatever the target.
static void lowerings_are_chosen_by_kind(void **state) {
  (void)state;
  tune_lowering *lowering;
  tune_lowering_options options = {.kind = TUNE_KIND_CPU, .cpu.threads = 1};
  assert_ok(tune_lowering_create(context, &options, &lowering));
  assert_true(tune_lowering_makes_objects(lowering, false));
  assert_true(tune_lowering_makes_objects(lowering, true));
  tune_lowering_destroy(lowering);
  static const tune_target_kind DEVICES[] = {TUNE_KIND_VULKAN, TUNE_KIND_CUDA};
  for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; ++i) {
    options.kind = DEVICES[i];
    assert_ok(tune_lowering_create(context, &options, &lowering));
    assert_false(tune_lowering_makes_objects(lowering, false));
    assert_true(tune_lowering_makes_objects(lowering, true));
    tune_lowering_destroy(lowering);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fingerprints_of_devices_are_read),
      cmocka_unit_test(any_device_has_the_required_limits),
      cmocka_unit_test(rules_are_of_the_machines_kind),
      cmocka_unit_test(lowerings_are_chosen_by_kind),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
