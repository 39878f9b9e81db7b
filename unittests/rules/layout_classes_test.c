//===- layout_classes_test.c - No layout of a product is left to plain loops ---===//
//
// Classes of convolutions and contractions: layouts of image, filter and result, one to three
// dimensions, strides, dilations, groups, odd sizes, types, wide and narrow vectors. Of each, a
// rule that is made for products takes it. Nothing is built here; rules_test.c has some of each
// class, and what they compute.
//
//===--------------------------------------------------------------------------===//

#include "transforms/spaces/rule_registry.h"
#include "unittests/rules/payload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"
#include "unittests/transforms/mlir_context.h"

static MlirContext context;
static size_t tried, left; // classes, and those of them that no rule for products takes

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

static bool is_for_products(const char *rule) {
  static const char *const others[] = {"general", "plain", "reduction", "elementwise"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(rule, others[i]) == 0)
      return false;
  return true;
}

// Vectors are wide and narrow in turn.
static void try_class(const char *loops, const char *inputs, const char *output, const char *type) {
  bool is_wide = tried++ % 2 == 0;
  tune_machine machine = {.vector_bits = is_wide ? 512 : 256,
                          .vector_registers = is_wide ? 32 : 16,
                          .l1_bytes = 32 << 10,
                          .l2_bytes = 1 << 20,
                          .l3_bytes = 16 << 20,
                          .threads = 1};
  payload_spec spec = {.loops = loops,
                       .inputs = inputs,
                       .output = output,
                       .in = type,
                       .out = strcmp(type, "i8") == 0 ? "i32" : NULL};
  char *payload, *schedule;
  int64_t reduction;
  const tune_rule *rule;
  assert_ok(payload_write(&spec, &payload, &reduction));
  assert_ok(tune_rules_make_schedule(context, payload, &machine, NULL, &schedule, &rule));
  if (!is_for_products(rule->name)) {
    left++;
    print_error("%s: %s -> %s, %s, %u bits: rule '%s'\n", type, inputs, output, loops,
                machine.vector_bits, rule->name);
  }
  free(schedule);
  free(payload);
}

// Dimensions of windows (o, p, q), and of what they slide over.
typedef struct window_space {
  const char *sizes, *pixels, *slid, *windows;
} window_space;

static const window_space LINE = {"w=50 q=3", "w", "w + q", "q"};
static const window_space PLANE = {"h=7 w=13 p=3 q=3", "h, w", "h + p, w + q", "p, q"};
static const window_space VOLUME = {"d=5 h=7 w=13 o=3 p=3 q=3", "d, h, w", "d + o, h + p, w + q",
                                    "o, p, q"};
static const window_space STRIDED = {"h=7 w=13 p=3 q=5", "h, w", "h * 2 + p, w * 2 + q", "p, q"};
static const window_space DILATED = {"h=7 w=13 p=3 q=3", "h, w", "h + p * 2, w + q * 3", "p, q"};

// Channels first or last in the image, in the result, and the four orders of a filter that keep the
// order of its windows; `group` is "", or a loop that comes before the channels everywhere.
static void try_layouts(const window_space *space, const char *channels, const char *group,
                        const char *type) {
  for (int way = 0; way < 16; way++) {
    bool image_last = way & 1, output_last = way & 2;
    char loops[128], inputs[192], filter[96], output[96];
    snprintf(loops, sizeof loops, "n=2 %s %s", channels, space->sizes);
    const char *comma = *group ? ", " : "";
    switch (way >> 2) {
    case 0:
      snprintf(filter, sizeof filter, "%s%sf, c, %s", group, comma, space->windows);
      break;
    case 1:
      snprintf(filter, sizeof filter, "%s%sf, %s, c", group, comma, space->windows);
      break;
    case 2:
      snprintf(filter, sizeof filter, "%s, %s%sc, f", space->windows, group, comma);
      break;
    default:
      snprintf(filter, sizeof filter, "%s%s%s, f, c", group, comma, space->windows);
    }
    if (image_last)
      snprintf(inputs, sizeof inputs, "n, %s, %s%sc | %s", space->slid, group, comma, filter);
    else
      snprintf(inputs, sizeof inputs, "n, %s%sc, %s | %s", group, comma, space->slid, filter);
    if (output_last)
      snprintf(output, sizeof output, "n, %s, %s%sf", space->pixels, group, comma);
    else
      snprintf(output, sizeof output, "n, %s%sf, %s", group, comma, space->pixels);
    try_class(loops, inputs, output, type);
  }
}

static void expect_none_left(void) {
  print_message("%zu classes\n", tried);
  assert_true(tried > 0);
  assert_int_equal(left, 0);
}

static void convolutions_of_f32_have_rules(void **state) {
  (void)state;
  tried = left = 0;
  try_layouts(&LINE, "f=29 c=17", "", "f32");
  try_layouts(&PLANE, "f=64 c=32", "", "f32");
  try_layouts(&PLANE, "f=29 c=17", "", "f32");
  try_layouts(&VOLUME, "f=64 c=32", "", "f32");
  try_layouts(&STRIDED, "f=64 c=17", "", "f32");
  try_layouts(&DILATED, "f=50 c=32", "", "f32");
  expect_none_left();
}

static void convolutions_of_other_types_have_rules(void **state) {
  (void)state;
  tried = left = 0;
  try_layouts(&PLANE, "f=29 c=17", "", "f16");
  try_layouts(&LINE, "f=64 c=32", "", "bf16");
  try_layouts(&PLANE, "f=29 c=16", "", "i8");
  expect_none_left();
}

static void grouped_convolutions_have_rules(void **state) {
  (void)state;
  tried = left = 0;
  try_layouts(&PLANE, "g=4 f=32 c=16", "g", "f32");
  try_layouts(&PLANE, "g=8 f=4 c=4", "g", "f16");
  expect_none_left();
}

static void depthwise_convolutions_have_rules(void **state) {
  (void)state;
  static const char *const images[] = {"n, g, h + p, w + q", "n, h + p, w + q, g"};
  static const char *const filters[] = {"g, p, q", "p, q, g"};
  static const char *const outputs[] = {"n, g, h, w", "n, h, w, g"};
  tried = left = 0;
  for (int way = 0; way < 16; way++) {
    char inputs[96];
    snprintf(inputs, sizeof inputs, "%s | %s", images[way & 1], filters[way >> 1 & 1]);
    try_class(way & 8 ? "n=2 g=29 h=14 w=13 p=3 q=3" : "n=2 g=64 h=14 w=13 p=3 q=3", inputs,
              outputs[way >> 2 & 1], way % 3 == 0 ? "i8" : "f32");
  }
  expect_none_left();
}

static void contractions_have_rules(void **state) {
  (void)state;
  static const char *const loops = "m=48 n=64 k=96 b=6 i=13 j=17 l=50 h=8";
  static const char *const classes[][2] = {
      {"m, k | k, n", "m, n"},
      {"k, m | n, k", "m, n"},
      {"m, k | k, n", "n, m"},
      {"b, m, k | b, n, k", "b, m, n"},
      {"m, b, k | k, b, n", "m, b, n"},
      {"m, k, b | k, n, b", "m, n, b"},
      {"m, h, k | n, h, k", "h, m, n"},
      {"i, m, j, k | k, n", "i, m, j, n"},
      {"m, k | k, i, n, j", "m, i, n, j"},
      {"m, k, l | l, k, n", "m, n"},
      {"m, k | k, n, i", "m, n, i"},
      {"i, j | j, l", "i, l"},
      {"m, b, k | k, n", "b, n, m"},
      {"m, i, k | j, k, n", "j, m, i, n"},
      {"m, k, i | k, n, i", "i, m, n"},
      {"m, k, j | k, n, j", "n, m, j"},
  };
  tried = left = 0;
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    // The loops that a class has.
    char own[96] = "";
    for (const char *at = loops; *at;) {
      size_t length = strcspn(at, " ");
      if (strchr(classes[i][0], *at))
        snprintf(own + strlen(own), sizeof own - strlen(own), "%s%.*s", *own ? " " : "",
                 (int)length, at);
      at += length + (at[length] == ' ');
    }
    try_class(own, classes[i][0], classes[i][1], "f32");
    try_class(own, classes[i][0], classes[i][1], "bf16");
  }
  expect_none_left();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convolutions_of_f32_have_rules),
      cmocka_unit_test(convolutions_of_other_types_have_rules),
      cmocka_unit_test(grouped_convolutions_have_rules),
      cmocka_unit_test(depthwise_convolutions_have_rules),
      cmocka_unit_test(contractions_have_rules),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
