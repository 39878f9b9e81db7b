//===- gpu_rules_test.c - Which rules a machine without the CPU's registers has ---===//
// Tier: check-all

#include "transforms/build/build.h"
#include "transforms/lower/lowering.h"
#include "transforms/spaces/rule_registry.h"
#include "tuning/space/constraint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"
#include "unittests/transforms/gpu_payloads.h"
#include "unittests/transforms/mlir_context.h"

static MlirContext context;

static int make_context(void **state) {
  (void)state;
  context = make_full_context();
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

// Of those that divide the part of a product the largest is taken; one that does not give each lane
// fours of the sum, or of other types, is none.
static void matrices_of_devices_are_found(void **state) {
  (void)state;
  tune_machine machine =
      read_machine("{\"target\": \"vulkan\", \"subgroup_size\": 32,"
                   " \"features\": [\"cooperative_matrix\", \"float16\", \"memory_model\"],"
                   " \"cooperative_matrices\": [\"16x8x8 f16 f32\", \"16x16x16 f16 f32\","
                   " \"8x8x32 f16 f16\", \"16x8x16 f16 f32\", \"16x16x32 s8 s32\"]}");
  const tune_device *gpu = &machine.gpu;
  assert_true(gpu->has_cooperative_matrix && gpu->has_memory_model);
  assert_int_equal(gpu->matrix_count, 5);
  const tune_device_matrix *found = tune_device_find_matrix(gpu, "f16", "f32", 64, 32, 32);
  assert_ptr_equal(found, &gpu->matrices[1]);
  assert_true(found->rows == 16 && found->cols == 16 && found->depth == 16);
  assert_ptr_equal(tune_device_find_matrix(gpu, "f16", "f32", 64, 8, 32), &gpu->matrices[3]);
  assert_ptr_equal(tune_device_find_matrix(gpu, "f16", "f32", 64, 32, 8), &gpu->matrices[0]);
  assert_null(tune_device_find_matrix(gpu, "f16", "f32", 8, 32, 32));
  assert_null(tune_device_find_matrix(gpu, "f16", "f16", 64, 32, 32));
  assert_ptr_equal(tune_device_find_matrix(gpu, "s8", "s32", 16, 16, 32), &gpu->matrices[4]);
  json_t *object = json_loads(
      "{\"target\": \"vulkan\", \"cooperative_matrices\": [\"16x16 f16 f32\"]}", 0, NULL);
  tune_device device;
  tune_status status = tune_device_read(object, &device);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  tune_status_free(status);
  json_decref(object);
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
  assert_ok(tune_rules_make_schedule(context, payload, machine, NULL, out_schedule, &rule));
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

//===--------------------------------------------------------------------------===//
// Devices that are not here
//===--------------------------------------------------------------------------===//

static const payload_case PAYLOADS[] = {
    {"gpu_contraction", PRODUCT("64x128xf32", "128x96xf32", "64x96xf32")},
    {"gpu_contraction", PRODUCT("8x16xf32", "16x4xf32", "8x4xf32")},
    {"gpu_contraction", PRODUCT("127x33xf32", "33x129xf32", "127x129xf32")},
    {"gpu_contraction",
     PAYLOAD("1x10x10x16xf32", "3x3x16x32xf32", "1x8x8x32xf32",
             "linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x10x10x16xf32>, "
             "tensor<3x3x16x32xf32>) outs(%c : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>")},
    {"gpu_contraction",
     PAYLOAD("1x10x10x16xf32", "32x3x3x16xf32", "1x8x8x32xf32",
             "linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<1x10x10x16xf32>, "
             "tensor<32x3x3x16xf32>) outs(%c : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>")},
    {"gpu_rows", SUM("300x128xf32", "300xf32", "1")},
    {"gpu_rows", SUM("3x1000xf32", "3xf32", "1")},
    {"gpu_rows", SUM("64x4xf32", "4xf32", "0")},
    {"gpu_rows", SUM("64x2000xf32", "2000xf32", "0")},
    {"gpu_rows", PAYLOAD("40x36xf32", "1xf32", "40x36xf32",
                         "linalg.softmax dimension(1) ins(%a : tensor<40x36xf32>) outs(%c : "
                         "tensor<40x36xf32>) -> tensor<40x36xf32>")},
    {"gpu_elements", PAYLOAD("48x40xf32", "48x40xf32", "48x40xf32",
                             "linalg.add ins(%a, %b : tensor<48x40xf32>, tensor<48x40xf32>) "
                             "outs(%c : tensor<48x40xf32>) -> tensor<48x40xf32>")},
};

// Builds the default of `payload` for the device `object`, a fingerprint; whatever fails says so.
static void build_default(const payload_case *payload, const json_t *object) {
  tune_machine machine;
  tune_machine_init(&machine);
  tune_machine_read_fingerprint(&machine, object);
  char *schedule;
  assert_string_equal(find_rule(&machine, payload->text, &schedule), payload->rule);
  tune_build_source source = {.payload = payload->text,
                              .payload_source = "p.mlir",
                              .schedule = schedule,
                              .schedule_source = "s.mlir"};
  tune_build_task *task;
  assert_ok(tune_build_task_create(context, &source, &task));
  const tune_space *space = tune_build_task_get_space(task);
  tune_config config = {0};
  assert_ok(tune_config_init_default(&config, space));
  const tune_constraint *violated = NULL;
  if (!tune_config_is_valid(&config, space, &violated))
    fail_msg("the default breaks %s, of\n%s", tune_constraint_text(violated), payload->text);
  tune_lowering_options options = {.kind = TUNE_KIND_VULKAN, .cpu.threads = 1, .device = object};
  tune_lowering *lowering;
  assert_ok(tune_lowering_create(context, &options, &lowering));
  tune_code code;
  assert_ok(tune_build_task_run(task, lowering, &config, TUNE_EMIT_OBJECT, &code));
  tune_code_deinit(&code);
  tune_lowering_destroy(lowering);
  tune_config_deinit(&config);
  tune_build_task_destroy(task);
  free(schedule);
}

// Whatever the size of a subgroup and the largest group, the default keeps to its constraints, and
// the lowering takes it.
static void defaults_are_valid_on_other_devices(void **state) {
  (void)state;
  static const int64_t SUBGROUPS[] = {4, 32, 64}, GROUPS[] = {128, 1024};
  for (size_t s = 0; s < sizeof SUBGROUPS / sizeof *SUBGROUPS; ++s)
    for (size_t g = 0; g < sizeof GROUPS / sizeof *GROUPS; ++g) {
      json_t *object = json_pack(
          "{s:s, s:s, s:s, s:[sss], s:[sssss], s:I, s:i, s:I, s:[IIi], s:[iii], s:i, s:i}",
          "target", "vulkan", "device_type", s ? "discrete" : "cpu", "api", "1.3.0", "features",
          "int64", "float16", "storage16", "subgroup_operations", "basic", "vote", "arithmetic",
          "shuffle", "ballot", "subgroup_size", SUBGROUPS[s], "shared_bytes", 32768,
          "group_invocations", GROUPS[g], "group_size", GROUPS[g], GROUPS[g], 64, "group_count",
          65535, 65535, 65535, "storage_buffer_bytes", 1 << 27, "texel_buffer_elements", 1 << 27);
      assert_non_null(object);
      for (size_t i = 0; i < sizeof PAYLOADS / sizeof *PAYLOADS; ++i)
        build_default(&PAYLOADS[i], object);
      json_decref(object);
    }
}

// Products of bytes go by dot products of words where a device has these, by default where it says
// that it has instructions for them of these signs; other types do not ask.
static void bytes_go_by_dot_products(void **state) {
  (void)state;
  static const payload_case OF_BYTES = {
      "gpu_contraction",
      "func.func @f(%a: tensor<32x64xi8>, %b: tensor<64x32xi8>, %c: tensor<32x32xi32>) -> "
      "tensor<32x32xi32> {\n"
      "  %0 = linalg.matmul ins(%a, %b : tensor<32x64xi8>, tensor<64x32xi8>) outs(%c : "
      "tensor<32x32xi32>) -> tensor<32x32xi32>\n  return %0 : tensor<32x32xi32>\n}\n"};
  static const struct {
    const char *features;
    bool is_offered, is_default;
  } DEVICES[] = {{"\"int8\"", false, false},
                 {"\"integer_dot_product\"", true, false},
                 {"\"integer_dot_product\", \"packed_dot_unsigned\"", true, false},
                 {"\"integer_dot_product\", \"packed_dot_signed\"", true, true}};
  for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; ++i) {
    char text[256], *schedule;
    snprintf(text, sizeof text, "{\"target\": \"vulkan\", \"api\": \"1.3.0\", \"features\": [%s]}",
             DEVICES[i].features);
    tune_machine machine = read_machine(text);
    find_rule(&machine, OF_BYTES.text, &schedule);
    const char *knob = strstr(schedule, "\"int8_dot\"");
    assert_int_equal(knob != NULL, DEVICES[i].is_offered);
    if (knob)
      assert_int_equal(strncmp(strstr(knob, "tune.default = "), "tune.default = 1", 16) == 0,
                       DEVICES[i].is_default);
    free(schedule);
    find_rule(&machine, PAYLOADS[0].text, &schedule);
    assert_null(strstr(schedule, "int8_dot"));
    free(schedule);
    json_t *object = json_loads(text, 0, NULL);
    build_default(&OF_BYTES, object);
    json_decref(object);
  }
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
      cmocka_unit_test(matrices_of_devices_are_found),
      cmocka_unit_test(any_device_has_the_required_limits),
      cmocka_unit_test(rules_are_of_the_machines_kind),
      cmocka_unit_test(defaults_are_valid_on_other_devices),
      cmocka_unit_test(bytes_go_by_dot_products),
      cmocka_unit_test(lowerings_are_chosen_by_kind),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
