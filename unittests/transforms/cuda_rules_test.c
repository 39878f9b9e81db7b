//===- cuda_rules_test.c - What the rules make for CUDA is taken by NVIDIA's assembler ----===//
//
// The default of every task, and some configs drawn at random, for devices that are not here. Where
// the assembler is, the lowering asks it, and refuses what spills (lower/cuda/nvvm.h).
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "transforms/build/build.h"
#include "transforms/lower/cuda/ptxas.h"
#include "transforms/lower/lowering.h"
#include "transforms/spaces/rule_registry.h"
#include "tuning/space/constraint.h"
#include "tuning/space/sampler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/gpu_payloads.h"

// A product of bytes, both in rows, so that tensor cores have them turned.
static const char BYTES[] =
    "func.func @f(%a: tensor<512x1024xi8>, %b: tensor<512x1024xi8>) -> tensor<1024x1024xi32> {\n"
    "  %zero = arith.constant 0 : i32\n  %e = tensor.empty() : tensor<1024x1024xi32>\n"
    "  %c = linalg.fill ins(%zero : i32) outs(%e : tensor<1024x1024xi32>) -> "
    "tensor<1024x1024xi32>\n"
    "  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, "
    "affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] "
    "ins(%a, %b : tensor<512x1024xi8>, tensor<512x1024xi8>) outs(%c : tensor<1024x1024xi32>) -> "
    "tensor<1024x1024xi32>\n"
    "  return %0 : tensor<1024x1024xi32>\n}\n";

// Products of f32 that may be of tf32: B as it lies, and along the depth.
#define TF32(MAPS, B)                                                                              \
  PAYLOAD("1024x512xf32", B, "1024x1024xf32",                                                      \
          "linalg.matmul " MAPS " {tune.allow = [\"tf32\"]} ins(%a, %b : tensor<1024x512xf32>, "   \
          "tensor<" B ">) outs(%c : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>")
#define TURNED                                                                                     \
  "indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "            \
  "affine_map<(m, n, k) -> (m, n)>]"

static const payload_case PAYLOADS[] = {
    {"gpu_tiles", PRODUCT("1024x512xf16", "512x1024xf16", "1024x1024xf32")},
    {"gpu_tiles", PRODUCT("1024x512xbf16", "512x1024xbf16", "1024x1024xf32")},
    {"gpu_tiles", PRODUCT("127x65xf16", "65x129xf16", "127x129xf32")},
    {"gpu_tiles", BYTES},
    {"gpu_tiles", PRODUCT("64x8192xf16", "8192x128xf16", "64x128xf32")},
    {"gpu_tiles", PRODUCT("1024x512xf32", "512x1024xf32", "1024x1024xf32")},
    {"gpu_tiles", PRODUCT("127x33xf32", "33x129xf32", "127x129xf32")},
    {"gpu_tiles", TF32("", "512x1024xf32")},
    {"gpu_tiles", TF32(TURNED, "1024x512xf32")},
    {"gpu_tiles", PAYLOAD("1x34x34x64xf16", "3x3x64x128xf16", "1x32x32x128xf32",
                          "linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x34x34x64xf16>, "
                          "tensor<3x3x64x128xf16>) outs(%c : tensor<1x32x32x128xf32>) -> "
                          "tensor<1x32x32x128xf32>")},
    {"gpu_tiles", PAYLOAD("1x34x66x64xf16", "128x3x3x64xf16", "1x32x64x128xf32",
                          "linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<1x34x66x64xf16>, "
                          "tensor<128x3x3x64xf16>) outs(%c : tensor<1x32x64x128xf32>) -> "
                          "tensor<1x32x64x128xf32>")},
    {"gpu_contraction", PRODUCT("8x16xf32", "16x4xf32", "8x4xf32")},
    {"gpu_contraction",
     PAYLOAD("1x10x10x16xf32", "3x3x16x32xf32", "1x8x8x32xf32",
             "linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x10x10x16xf32>, "
             "tensor<3x3x16x32xf32>) outs(%c : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>")},
    {"gpu_rows", SUM("300x128xf32", "300xf32", "1")},
    {"gpu_rows", SUM("64x2000xf32", "2000xf32", "0")},
    {"gpu_rows", PAYLOAD("40x36xf32", "1xf32", "40x36xf32",
                         "linalg.softmax dimension(1) ins(%a : tensor<40x36xf32>) outs(%c : "
                         "tensor<40x36xf32>) -> tensor<40x36xf32>")},
    {"gpu_elements", PAYLOAD("48x40xf32", "48x40xf32", "48x40xf32",
                             "linalg.add ins(%a, %b : tensor<48x40xf32>, tensor<48x40xf32>) "
                             "outs(%c : tensor<48x40xf32>) -> tensor<48x40xf32>")},
};
#define PAYLOAD_COUNT (sizeof PAYLOADS / sizeof *PAYLOADS)

static json_t *make_device(const char *arch, int shared_bytes_most) {
  json_t *device = json_pack(
      "{s:s, s:s, s:s, s:s, s:[ssss], s:[sssss], s:i, s:i, s:i, s:i, s:i, s:[iii], s:[iii], s:i}",
      "target", "cuda", "arch", arch, "device_type", "discrete", "api", "13.0", "features",
      "bfloat16", "float16", "int64", "storage16", "subgroup_operations", "basic", "vote",
      "arithmetic", "shuffle", "ballot", "subgroup_size", 32, "shared_bytes", 49152,
      "shared_bytes_most", shared_bytes_most, "multiprocessors", 108, "group_invocations", 1024,
      "group_size", 1024, 1024, 64, "group_count", 2147483647, 65535, 65535, "group_registers",
      65536);
  assert_non_null(device);
  return device;
}

typedef struct candidates {
  tune_build_task *task;
  tune_lowering *lowering;
  char *schedule;
} candidates;

static void open_candidates(const payload_case *payload, const json_t *device, candidates *c) {
  tune_machine machine;
  tune_machine_init(&machine);
  tune_machine_read_fingerprint(&machine, device);
  tune_rule_taken taken;
  assert_ok(tune_rules_make_schedule(context, payload->text, &machine, NULL, &c->schedule, &taken));
  assert_string_equal(taken.rule->name, payload->rule);
  tune_build_source source = {.payload = payload->text,
                              .payload_source = "p.mlir",
                              .schedule = c->schedule,
                              .schedule_source = "s.mlir"};
  assert_ok(tune_build_task_create(context, &source, &c->task));
  tune_lowering_options options = {.kind = TUNE_KIND_CUDA, .cpu.threads = 1, .device = device};
  assert_ok(tune_lowering_create(context, &options, &c->lowering));
}

static void close_candidates(candidates *c) {
  tune_lowering_destroy(c->lowering);
  tune_build_task_destroy(c->task);
  free(c->schedule);
}

static void build(const candidates *c, const tune_config *config, const payload_case *payload) {
  const tune_space *space = tune_build_task_get_space(c->task);
  const tune_constraint *violated = NULL;
  if (!tune_config_is_valid(config, space, &violated))
    fail_msg("the config breaks %s, of\n%s", tune_constraint_text(violated), payload->text);
  tune_code code;
  tune_status status = tune_build_task_run(c->task, c->lowering, config, TUNE_EMIT_OBJECT, &code);
  if (!tune_status_is_ok(status)) {
    for (size_t i = 0; i < tune_space_knob_count(space); ++i)
      print_message("%s: choice %u\n", tune_space_knob(space, i)->name,
                    (unsigned)config->choices[i]);
    fail_msg("%s, of\n%s", tune_status_get_message(status), payload->text);
  }
  tune_code_deinit(&code);
}

static void build_default(const candidates *c, const payload_case *payload) {
  tune_config config = {0};
  assert_ok(tune_config_init_default(&config, tune_build_task_get_space(c->task)));
  build(c, &config, payload);
  tune_config_deinit(&config);
}

// With several groups on a multiprocessor each has fewer registers, and many a tile does not fit; a
// compiler that goes less far takes more of them: that is for the search to find out.
static void leave_registers(const tune_space *space, tune_config *config) {
  size_t groups = tune_space_find_knob(space, "groups"),
         level = tune_space_find_knob(space, "ptx_opt_level");
  assert_true(groups != SIZE_MAX && level != SIZE_MAX);
  config->choices[groups] = 0;
  config->choices[level] = 1; // of 1 and 4
}

static void build_drawn(const candidates *c, const payload_case *payload, int count) {
  const tune_space *space = tune_build_task_get_space(c->task);
  tune_sampler *sampler;
  assert_ok(tune_sampler_create(space, &sampler));
  tune_random random;
  tune_random_init(&random, 1);
  tune_config config = {0};
  assert_ok(tune_config_init_default(&config, space));
  for (int i = 0; i < count; ++i) {
    assert_true(tune_sampler_draw(sampler, &random, &config));
    leave_registers(space, &config);
    build(c, &config, payload);
  }
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
}

static void build_all(const char *arch, int shared_bytes_most, int drawn) {
  json_t *device = make_device(arch, shared_bytes_most);
  for (size_t i = 0; i < PAYLOAD_COUNT; ++i) {
    candidates c;
    open_candidates(&PAYLOADS[i], device, &c);
    build_default(&c, &PAYLOADS[i]);
    build_drawn(&c, &PAYLOADS[i], drawn);
    close_candidates(&c);
  }
  json_decref(device);
}

// Which candidates are refused depends on the assembler, where there is one; PTX comes of all.
static void candidates_are_made(void **state) {
  (void)state;
  build_all("sm_80", 166912, 0);
  build_all("sm_90", 232448, 8);
}

// What was built above went through it, if this does not say otherwise.
static void the_assembler_was_asked(void **state) {
  (void)state;
  tune_ptxas *ptxas;
  tune_status status = tune_ptxas_create(&ptxas);
  if (tune_status_get_code(status) == TUNE_UNAVAILABLE) {
    print_message("nothing was assembled: %s\n", tune_status_get_message(status));
    tune_status_free(status);
    skip();
  }
  assert_ok(status);
  tune_ptxas_destroy(ptxas);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_assembler_was_asked),
      cmocka_unit_test(candidates_are_made),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
