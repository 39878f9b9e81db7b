//===- accumulator_promotion_test.c - Sums of the reference in wider types
//--------------------------===//

#include "transforms/lower/cpu/accumulator_promotion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// Sums along rows into `OUT`, by `BODY`, which makes %r of %x and %s.
#define SUM(IN, OUT, ELEMENT, RESULT, BODY)                                                        \
  "func.func @f(%a: " IN ", %b: " OUT ") {\n"                                                      \
  "  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],\n" \
  "                  iterator_types = [\"parallel\", \"reduction\"]}\n"                            \
  "      ins(%a : " IN ") outs(%b : " OUT ") {\n"                                                  \
  "  ^bb0(%x: " ELEMENT ", %s: " RESULT "):\n" BODY "    linalg.yield %r : " RESULT "\n"           \
  "  }\n  return\n}\n"

typedef struct sum_case {
  rewrite_case becomes;
  const char *word;
  size_t count;
} sum_case;

static const sum_case CASES[] = {
    {{"bf16",
      SUM("memref<4x8xbf16>", "memref<4xbf16>", "bf16", "bf16",
          "    %r = arith.addf %x, %s : bf16\n"),
      {"memref.alloc() : memref<4xf32>", "^bb0(%in: bf16, %out: f32)", "memref.dealloc"},
      "arith.addf %in, %out : bf16"},
     "linalg.generic",
     3},
    {{"f16 of a size known at run time, strided",
      SUM("memref<?x8xf16>", "memref<?xf16, strided<[3], offset: ?>>", "f16", "f16",
          "    %e = math.exp %x : f16\n    %r = arith.addf %e, %s : f16\n"),
      {"memref.alloc(%dim) : memref<?xf32>", "math.exp %0 : f32", "arith.truncf"},
      "math.exp %in : f16"},
     "linalg.generic",
     3},
    {{"what the body converts itself is rounded as before",
      SUM("memref<4x8xbf16>", "memref<4xbf16>", "bf16", "bf16",
          "    %p = arith.mulf %x, %x : bf16\n    %w = arith.extf %p : bf16 to f32\n"
          "    %n = arith.truncf %w : f32 to bf16\n    %r = arith.addf %n, %s : bf16\n"),
      {"arith.mulf %0, %1 : f32", "arith.extf %3 : bf16 to f32", "arith.truncf %4 : f32 to bf16"},
      "arith.addf %5, %out : bf16"},
     "arith.truncf",
     3},
    {{"bf16 into f32 is as it is",
      SUM("memref<4x8xbf16>", "memref<4xf32>", "bf16", "f32",
          "    %w = arith.extf %x : bf16 to f32\n    %r = arith.addf %w, %s : f32\n"),
      {"linalg.generic"},
      "memref.alloc"},
     "linalg.generic",
     1},
    {{"a long sum of f32",
      SUM("memref<4x65537xf32>", "memref<4xf32>", "f32", "f32",
          "    %r = arith.addf %x, %s : f32\n"),
      {"memref.alloc() : memref<4xf64>", "^bb0(%in: f32, %out: f64)"},
      "arith.addf %in, %out : f32"},
     "linalg.generic",
     3},
    {{"a short sum of f32",
      SUM("memref<4x65536xf32>", "memref<4xf32>", "f32", "f32",
          "    %r = arith.addf %x, %s : f32\n"),
      {"linalg.generic"},
      "memref.alloc"},
     "linalg.generic",
     1},
    {{"long sums into f16 and f32",
      "func.func @f(%a: memref<4x65537xf16>, %b: memref<4xf16>, %c: memref<4xf32>) {\n"
      "  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> "
      "(i)>,\n"
      "                                   affine_map<(i, j) -> (i)>],\n"
      "                  iterator_types = [\"parallel\", \"reduction\"]}\n"
      "      ins(%a : memref<4x65537xf16>) outs(%b, %c : memref<4xf16>, memref<4xf32>) {\n"
      "  ^bb0(%x: f16, %s: f16, %t: f32):\n"
      "    %r = arith.addf %x, %s : f16\n    %w = arith.extf %x : f16 to f32\n"
      "    %u = arith.addf %w, %t : f32\n    linalg.yield %r, %u : f16, f32\n"
      "  }\n  return\n}\n",
      {"memref.alloc() : memref<4xf64>", "memref.alloc() : memref<4xf32>",
       "^bb0(%in: f16, %out: f32, %out_1: f64)"},
      "arith.extf %in : f16 to f64"},
     "linalg.generic",
     5},
    {{"integers",
      SUM("memref<4x99999xi8>", "memref<4xi8>", "i8", "i8", "    %r = arith.addi %x, %s : i8\n"),
      {"linalg.generic"},
      "memref.alloc"},
     "linalg.generic",
     1},
};

static void sums_get_wider_types(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i].becomes, context);
    tune_accumulator_promotion_run(module);
    check_case(&CASES[i].becomes, module, CASES[i].word, CASES[i].count);
  }
}

// What reduces nothing has no sums.
static void elementwise_ops_stay(void **state) {
  (void)state;
  const rewrite_case one = {
      "elementwise",
      "func.func @f(%a: memref<4xbf16>, %b: memref<4xbf16>) {\n"
      "  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],\n"
      "                  iterator_types = [\"parallel\"]}\n"
      "      ins(%a : memref<4xbf16>) outs(%b : memref<4xbf16>) {\n"
      "  ^bb0(%x: bf16, %y: bf16):\n"
      "    %r = arith.addf %x, %x : bf16\n    linalg.yield %r : bf16\n  }\n  return\n}\n",
      {"arith.addf %in, %in : bf16"},
      "memref.alloc"};
  MlirOperation module = parse_case(&one, context);
  tune_accumulator_promotion_run(module);
  check_case(&one, module, NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_get_wider_types),
                                     cmocka_unit_test(elementwise_ops_stay)};
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
