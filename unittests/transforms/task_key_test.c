//===- task_key_test.c - What the key of a task depends on --------------------------===//

#include "unittests/transforms/extract_fixture.h"

// Names, the order of independent ops, locations, argument order, named or generic form,
// attributes that mean nothing here, and what else is in the function, are not in the key.
static void key_depends_on_nothing_around_the_task(void **state) {
  (void)state;
  static const char *const rewritten =
      "func.func @other(%bias: tensor<8xf32>, %unused: index, %right: tensor<8x8xf32>,\n"
      "                 %left: tensor<8x8xf32>) -> (index, tensor<8x8xf32>) {\n"
      "  %d = tensor.empty() : tensor<8x8xf32> loc(\"a place\")\n"
      "  %m = arith.constant 1.0 : f32\n"
      "  %z = arith.constant 0.0 : f32\n"
      "  %f = linalg.fill ins(%z : f32) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,\n"
      "      affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],\n"
      "      iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}\n"
      "      ins(%left, %right : tensor<8x8xf32>, tensor<8x8xf32>)\n"
      "      outs(%f : tensor<8x8xf32>) attrs = {my.note = \"fast\"} {\n"
      "    ^bb0(%a: f32, %b: f32, %c: f32):\n"
      "      %q = arith.mulf %a, %b : f32\n"
      "      %s = arith.addf %c, %q : f32\n"
      "      linalg.yield %s : f32\n"
      "  } -> tensor<8x8xf32>\n"
      "  %r = linalg.generic {indexing_maps = [" IDENTITY ", " COLUMN ", " IDENTITY "],\n"
      "      iterator_types = [\"parallel\", \"parallel\"]}\n"
      "      ins(%p, %bias : tensor<8x8xf32>, tensor<8xf32>) outs(%d : tensor<8x8xf32>) {\n"
      "    ^bb0(%x: f32, %y: f32, %o: f32):\n"
      "      %s = arith.addf %x, %y : f32\n"
      "      %t = arith.maximumf %s, %m : f32\n"
      "      linalg.yield %t : f32\n"
      "  } -> tensor<8x8xf32>\n"
      "  return %unused, %r : index, tensor<8x8xf32>\n"
      "}\n";
  tune_digest key = key_of(DENSE("dense", "8", "f32", "0.0", "1.0"));
  tune_digest other = key_of(rewritten);
  assert_string_equal(key.text, other.text);
  // The same in every run of every process, or records would not be found again. Changed by a
  // change of the canonical form, of which all databases must then be told.
  assert_string_equal(key.text, "8e964da2417b79b94bead3031021070d");
}

static void key_depends_on_structure(void **state) {
  (void)state;
  static const char *const texts[] = {
      DENSE("f", "8", "f32", "0.0", "1.0"),  DENSE("f", "16", "f32", "0.0", "1.0"), // shape
      DENSE("f", "8", "f64", "0.0", "1.0"),                                         // type
      DENSE("f", "8", "f32", "0.0", "2.0"),  // a constant in a body
      DENSE("f", "8", "f32", "-0.0", "1.0"), // one outside
  };
  enum { count = sizeof texts / sizeof *texts };
  tune_digest keys[count];
  for (size_t i = 0; i < count; ++i) {
    keys[i] = key_of(texts[i]);
    for (size_t k = 0; k < i; ++k)
      assert_string_not_equal(keys[i].text, keys[k].text);
  }
}

// Weights in the module are arguments of the task, not part of it: other weights, same key.
static void key_depends_on_no_data(void **state) {
  (void)state;
  static const char format[] =
      "func.func @f(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %%w = arith.constant dense<[1.0, 2.0, 3.0, %s]> : tensor<4xf32>\n"
      "  %%e = tensor.empty() : tensor<4xf32>\n"
      "  %%r = linalg.mul ins(%%x, %%w : tensor<4xf32>, tensor<4xf32>) outs(%%e : tensor<4xf32>)\n"
      "      -> tensor<4xf32>\n"
      "  return %%r : tensor<4xf32>\n"
      "}\n";
  char text[1024];
  snprintf(text, sizeof text, format, "4.0");
  tune_digest key = key_of(text);
  snprintf(text, sizeof text, format, "5.0");
  tune_digest other = key_of(text);
  assert_string_equal(key.text, other.text);
}

static const char matvec_format[] =
    "func.func @f(%%a: tensor<8x8xf32>, %%x: tensor<8xf32>, %%y: tensor<8xf32>) -> tensor<8xf32> "
    "{\n"
    "  %%r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (%s)>,\n"
    "      affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],\n"
    "      iterator_types = [\"parallel\", \"reduction\"]}\n"
    "      ins(%%a, %%x : tensor<8x8xf32>, tensor<8xf32>) outs(%%y : tensor<8xf32>) {\n"
    "    ^bb0(%%p: f32, %%q: f32, %%o: f32):\n"
    "      %%m = arith.mulf %%p, %%q : f32\n"
    "      %%s = arith.%s %%o, %%m : f32\n"
    "      linalg.yield %%s : f32\n"
    "  } -> tensor<8xf32>\n"
    "  return %%r : tensor<8xf32>\n"
    "}\n";

// An indexing map and a body are structure too.
static void key_depends_on_maps_and_bodies(void **state) {
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, matvec_format, "i, k", "addf");
  tune_digest plain = key_of(text);
  snprintf(text, sizeof text, matvec_format, "k, i", "addf");
  tune_digest transposed = key_of(text);
  snprintf(text, sizeof text, matvec_format, "i, k", "maximumf");
  tune_digest tropical = key_of(text);
  assert_string_not_equal(plain.text, transposed.text);
  assert_string_not_equal(plain.text, tropical.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(key_depends_on_nothing_around_the_task),
      cmocka_unit_test(key_depends_on_structure),
      cmocka_unit_test(key_depends_on_no_data),
      cmocka_unit_test(key_depends_on_maps_and_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
