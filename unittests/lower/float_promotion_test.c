//===- float_promotion_test.c - What a CPU keeps of f16 and bf16 in registers -----------------===//

#include "transforms/lower/cpu/float_promotion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// `BODY` with an index %i, and buffers of `TYPE`.
#define FUNCTION(TYPE, BODY)                                                                       \
  "func.func @f(%a: memref<64x" TYPE ">, %b: memref<64x" TYPE ">, %i: index) {\n"                  \
  "  %c0 = arith.constant 0 : index\n  %c8 = arith.constant 8 : index\n"                           \
  "  %c64 = arith.constant 64 : index\n" BODY "  return\n}\n"
#define LOAD(VALUE, FROM, TYPE)                                                                    \
  "  " VALUE " = vector.load " FROM "[%i] : memref<64x" TYPE ">, vector<8x" TYPE ">\n"
#define STORE(VALUE, TYPE)                                                                         \
  "  vector.store " VALUE ", %b[%i] : memref<64x" TYPE ">, vector<8x" TYPE ">\n"

// The word that is counted, and how often it is in what becomes of the module.
typedef struct value_case {
  rewrite_case becomes;
  const char *word;
  size_t count;
} value_case;

static const value_case CASES[] = {
    {{"a sum that a loop carries is rounded once, after it",
      FUNCTION(
          "bf16",
          "  %zero = arith.constant dense<0.0> : vector<8xbf16>\n"
          "  %s = scf.for %j = %c0 to %c64 step %c8 iter_args(%t = %zero) -> (vector<8xbf16>) {\n"
          "    %x = vector.load %a[%j] : memref<64xbf16>, vector<8xbf16>\n"
          "    %u = arith.addf %x, %t : vector<8xbf16>\n"
          "    scf.yield %u : vector<8xbf16>\n  }\n" STORE("%s", "bf16")),
      {"-> (vector<8xf32>)", "arith.extf %3 : vector<8xbf16> to vector<8xf32>",
       "arith.addf %4, %arg4"},
      "vector<8x2xf32>"},
     "arith.truncf",
     1},
    {{"a row of a tile that two loops carry",
      FUNCTION(
          "bf16",
          "  %zero = arith.constant dense<0.0> : vector<2x8xbf16>\n"
          "  %s = scf.for %j = %c0 to %c64 step %c8 iter_args(%t = %zero) -> (vector<2x8xbf16>) {\n"
          "    %v = scf.for %k = %c0 to %c64 step %c8 iter_args(%w = %t) -> (vector<2x8xbf16>) {\n"
          "      %x = vector.load %a[%j] : memref<64xbf16>, vector<8xbf16>\n"
          "      %r = vector.extract %w[0] : vector<8xbf16> from vector<2x8xbf16>\n"
          "      %p = vector.fma %x, %x, %r : vector<8xbf16>\n"
          "      %n = vector.insert %p, %w [0] : vector<8xbf16> into vector<2x8xbf16>\n"
          "      scf.yield %n : vector<2x8xbf16>\n    }\n"
          "    scf.yield %v : vector<2x8xbf16>\n  }\n"
          "  %l = vector.extract %s[0] : vector<8xbf16> from vector<2x8xbf16>\n" STORE("%l",
                                                                                       "bf16")),
      {"vector.fma", "vector.insert %8, %arg6 [0] : vector<8xf32> into vector<2x8xf32>",
       "arith.truncf %2 : vector<8xf32> to vector<8xbf16>"},
      NULL},
     "arith.extf",
     2}, // of the zeroes, and of what is loaded
    {{"of a rule that adds up in f32 the conversions of each turn fall away",
      FUNCTION(
          "bf16",
          "  %zero = arith.constant dense<0.0> : vector<8xbf16>\n"
          "  %s = scf.for %j = %c0 to %c64 step %c8 iter_args(%t = %zero) -> (vector<8xbf16>) {\n"
          "    %x = vector.load %a[%j] : memref<64xbf16>, vector<16xbf16>\n"
          "    %u = arith.extf %t fastmath<contract> : vector<8xbf16> to vector<8xf32>\n"
          "    %v = x86vector.avx512.dot %u, %x, %x : vector<16xbf16> -> vector<8xf32>\n"
          "    %w = arith.truncf %v fastmath<contract> : vector<8xf32> to vector<8xbf16>\n"
          "    scf.yield %w : vector<8xbf16>\n  }\n" STORE("%s", "bf16")),
      {"-> (vector<8xf32>)", "x86vector.avx512.dot %arg4,", "arith.truncf %1 : vector<8xf32>"},
      "fastmath"},
     "arith.truncf",
     1},
    {{"sums in memory of the stack that a loop goes on with are as if it carried them",
      FUNCTION("bf16", "  %m = memref.alloca() : memref<11xbf16>\n"
                       "  %x = vector.load %b[%i] : memref<64xbf16>, vector<11xbf16>\n"
                       "  vector.store %x, %m[%c0] : memref<11xbf16>, vector<11xbf16>\n"
                       "  scf.for %j = %c0 to %c64 step %c8 {\n"
                       "    %y = vector.load %a[%j] : memref<64xbf16>, vector<8xbf16>\n"
                       "    %t = vector.load %m[%c0] : memref<11xbf16>, vector<8xbf16>\n"
                       "    %u = arith.addf %t, %y : vector<8xbf16>\n"
                       "    vector.store %u, %m[%c0] : memref<11xbf16>, vector<8xbf16>\n  }\n"
                       "  %z = vector.load %m[%c0] : memref<11xbf16>, vector<11xbf16>\n"
                       "  vector.store %z, %b[%i] : memref<64xbf16>, vector<11xbf16>\n"),
      {"memref.alloca() : memref<11xf32>", "vector.store %1, %alloca", "arith.truncf %2"},
      "memref<11xbf16>"},
     "arith.truncf",
     1},
    {{"what a loop only writes there is rounded",
      FUNCTION("bf16",
               "  %m = memref.alloca() : memref<64xbf16>\n"
               "  scf.for %j = %c0 to %c64 step %c8 {\n"
               "    %y = vector.load %a[%j] : memref<64xbf16>, vector<8xbf16>\n"
               "    %u = arith.addf %y, %y : vector<8xbf16>\n"
               "    vector.store %u, %m[%j] : memref<64xbf16>, vector<8xbf16>\n  }\n"
               "  %z = vector.load %m[%i] : memref<64xbf16>, vector<8xbf16>\n" STORE("%z", "bf16")),
      {"memref.alloca() : memref<64xbf16>"},
      "memref<64xf32>"},
     "arith.truncf",
     1},
    {{"and memory that something else sees stays as it is",
      FUNCTION("bf16", "  %m = memref.alloca() : memref<64xbf16>\n"
                       "  memref.copy %a, %m : memref<64xbf16> to memref<64xbf16>\n"
                       "  scf.for %j = %c0 to %c64 step %c8 {\n"
                       "    %t = vector.load %m[%c0] : memref<64xbf16>, vector<8xbf16>\n"
                       "    %u = arith.addf %t, %t : vector<8xbf16>\n"
                       "    vector.store %u, %m[%c0] : memref<64xbf16>, vector<8xbf16>\n  }\n"
                       "  memref.copy %m, %b : memref<64xbf16> to memref<64xbf16>\n"),
      {"memref.alloca() : memref<64xbf16>"},
      "memref<64xf32>"},
     "arith.truncf",
     1},
    {{"those between two steps of a module fall away",
      FUNCTION("bf16",
               LOAD("%x", "%a",
                    "bf16") "  %u = arith.extf %x : vector<8xbf16> to vector<8xf32>\n"
                            "  %p = arith.addf %u, %u : vector<8xf32>\n"
                            "  %v = arith.truncf %p : vector<8xf32> to vector<8xbf16>\n"
                            "  %w = arith.extf %v : vector<8xbf16> to vector<8xf32>\n"
                            "  %q = arith.mulf %w, %u : vector<8xf32>\n"
                            "  %r = arith.truncf %q : vector<8xf32> to vector<8xbf16>\n" STORE(
                                "%r", "bf16")),
      {"arith.mulf %2, %1"},
      NULL},
     "arith.truncf",
     1},
    {{"not where somebody looks at what is rounded: parts of a number",
      FUNCTION("bf16",
               LOAD("%x", "%a",
                    "bf16") "  %u = arith.extf %x : vector<8xbf16> to vector<8xf32>\n"
                            "  %p = math.sqrt %u : vector<8xf32>\n"
                            "  %v = arith.truncf %p : vector<8xf32> to vector<8xbf16>\n"
                            "  %w = arith.extf %v : vector<8xbf16> to vector<8xf32>\n"
                            "  %q = arith.subf %p, %w : vector<8xf32>\n"
                            "  %r = arith.truncf %q : vector<8xf32> to vector<8xbf16>\n" STORE(
                                "%r", "bf16")),
      {"arith.truncf %2 : vector<8xf32>"},
      NULL},
     "arith.truncf",
     2},
    {{"nor of what is read, which may be read again",
      FUNCTION("bf16",
               "  %m = memref.alloc() : memref<64xf32>\n"
               "  %u = vector.load %m[%i] : memref<64xf32>, vector<8xf32>\n"
               "  %v = arith.truncf %u : vector<8xf32> to vector<8xbf16>\n"
               "  %w = arith.extf %v : vector<8xbf16> to vector<8xf32>\n"
               "  %z = vector.load %m[%i] : memref<64xf32>, vector<8xf32>\n"
               "  %q = arith.subf %z, %w : vector<8xf32>\n"
               "  %r = arith.truncf %q : vector<8xf32> to vector<8xbf16>\n" STORE("%r", "bf16")),
      {"arith.extf %1 : vector<8xbf16>"},
      NULL},
     "arith.truncf",
     2},
    {{"nor in f16, where what is too large is infinite",
      FUNCTION("f16", LOAD("%x", "%a",
                           "f16") "  %u = arith.extf %x : vector<8xf16> to vector<8xf32>\n"
                                  "  %p = arith.addf %u, %u : vector<8xf32>\n"
                                  "  %v = arith.truncf %p : vector<8xf32> to vector<8xf16>\n"
                                  "  %w = arith.extf %v : vector<8xf16> to vector<8xf32>\n"
                                  "  %q = arith.mulf %w, %u : vector<8xf32>\n"
                                  "  %r = arith.truncf %q : vector<8xf32> to vector<8xf16>\n" STORE(
                                      "%r", "f16")),
      {"arith.truncf %2 : vector<8xf32>"},
      NULL},
     "arith.truncf",
     2},
    {{"what only moves stays narrow",
      FUNCTION("bf16",
               LOAD("%x", "%a", "bf16") "  %r = vector.shuffle %x, %x [7, 6, 5, 4, 3, 2, 1, 0] : "
                                        "vector<8xbf16>, vector<8xbf16>\n" STORE("%r", "bf16")),
      {"vector.shuffle"},
      "f32"},
     "arith.extf",
     0},
    {{"numbers beside each other are widened at once",
      FUNCTION("bf16",
               LOAD("%x", "%a", "bf16") "  %p = vector.extract %x[1] : bf16 from vector<8xbf16>\n"
                                        "  %q = vector.extract %x[2] : bf16 from vector<8xbf16>\n"
                                        "  %r = arith.mulf %p, %q : bf16\n"
                                        "  memref.store %r, %b[%i] : memref<64xbf16>\n"),
      {"arith.extf %0 : vector<8xbf16>", "vector.extract %1[1] : f32 from vector<8xf32>"},
      NULL},
     "arith.extf",
     1},
    {{"what is the same everywhere is widened once",
      FUNCTION("f16", LOAD("%x", "%a",
                           "f16") "  %y = memref.load %a[%c0] : memref<64xf16>\n"
                                  "  %v = vector.broadcast %y : f16 to vector<8xf16>\n"
                                  "  %r = arith.addf %x, %v : vector<8xf16>\n" STORE("%r", "f16")),
      {"vector.broadcast %3 : f32 to vector<8xf32>", "arith.extf %2 : f16 to f32"},
      NULL},
     "arith.extf",
     2},
    {{"bf16 goes on as it is computed",
      FUNCTION("bf16", LOAD("%x", "%a", "bf16") "  %p = arith.addf %x, %x : vector<8xbf16>\n"
                                                "  %q = math.exp %p : vector<8xbf16>\n"
                                                "  %r = arith.mulf %q, %p : vector<8xbf16>\n" STORE(
                                                    "%r", "bf16")),
      {"math.exp %2 : vector<8xf32>"},
      NULL},
     "arith.truncf",
     1},
    {{"f16 is rounded where it leaves a sum for other arithmetic",
      FUNCTION("f16",
               LOAD("%x", "%a", "f16") "  %p = arith.addf %x, %x : vector<8xf16>\n"
                                       "  %q = arith.addf %p, %x : vector<8xf16>\n"
                                       "  %r = math.exp %q : vector<8xf16>\n" STORE("%r", "f16")),
      {"arith.addf %2, %1 : vector<8xf32>", "arith.truncf %3 : vector<8xf32>",
       "arith.extf %4 : vector<8xf16>"},
      NULL},
     "arith.truncf",
     2},
    {{"what is compared is rounded, but with zero",
      FUNCTION("bf16",
               LOAD("%x", "%a", "bf16") LOAD(
                   "%y", "%b",
                   "bf16") "  %zero = arith.constant dense<0.0> : vector<8xbf16>\n"
                           "  %p = arith.addf %x, %y : vector<8xbf16>\n"
                           "  %q = arith.cmpf ugt, %p, %zero : vector<8xbf16>\n"
                           "  %s = arith.select %q, %p, %zero : vector<8xi1>, vector<8xbf16>\n"
                           "  %c = arith.cmpf ugt, %s, %y : vector<8xbf16>\n"
                           "  %r = arith.select %c, %x, %y : vector<8xi1>, vector<8xbf16>\n" STORE(
                               "%r", "bf16")),
      {"arith.cmpf ugt, %5,", "arith.truncf %7 : vector<8xf32>", "arith.select %10, %0, %2"},
      NULL},
     "arith.truncf",
     1},
    {{"what a maximum and a sign give of what is bf16 is so, and needs no rounding before it is "
      "compared",
      FUNCTION("bf16",
               LOAD("%x", "%a", "bf16") LOAD(
                   "%y", "%b",
                   "bf16") "  %zero = arith.constant dense<0.0> : vector<8xbf16>\n"
                           "  %p = arith.maximumf %x, %zero : vector<8xbf16>\n"
                           "  %n = arith.negf %p : vector<8xbf16>\n"
                           "  %q = arith.cmpf ult, %n, %y : vector<8xbf16>\n"
                           "  %r = arith.select %q, %x, %y : vector<8xi1>, vector<8xbf16>\n" STORE(
                               "%r", "bf16")),
      {"arith.cmpf ult, "},
      NULL},
     "arith.truncf",
     0},
    {{"nor in f16, where it goes on into other arithmetic",
      FUNCTION("f16", LOAD("%x", "%a", "f16") LOAD(
                          "%y", "%b",
                          "f16") "  %m = arith.maximumf %x, %y : vector<8xf16>\n"
                                 "  %r = arith.subf %x, %m : vector<8xf16>\n" STORE("%r", "f16")),
      {"arith.subf "},
      NULL},
     "arith.truncf",
     1},
    {{"zero may be on either side",
      FUNCTION("bf16",
               LOAD("%x", "%a", "bf16") "  %zero = arith.constant dense<0.0> : vector<8xbf16>\n"
                                        "  %p = arith.addf %x, %x : vector<8xbf16>\n"
                                        "  %q = arith.cmpf ult, %zero, %p : vector<8xbf16>\n"
                                        "  %r = arith.select %q, %p, %x : vector<8xi1>, "
                                        "vector<8xbf16>\n" STORE("%r", "bf16")),
      {"arith.cmpf ult, "},
      NULL},
     "arith.truncf",
     1},
    {{"in f16 a guard against zero sees what is divided by",
      FUNCTION("f16",
               LOAD("%x", "%a", "f16") LOAD(
                   "%y", "%b",
                   "f16") "  %zero = arith.constant dense<0.0> : vector<8xf16>\n"
                          "  %p = arith.mulf %x, %y : vector<8xf16>\n"
                          "  %q = arith.cmpf oeq, %p, %zero : vector<8xf16>\n"
                          "  %d = arith.divf %y, %p : vector<8xf16>\n"
                          "  %r = arith.select %q, %zero, %d : vector<8xi1>, vector<8xf16>\n" STORE(
                              "%r", "f16")),
      {"arith.cmpf oeq, %7, %4", "arith.divf %3, %7"},
      NULL},
     "arith.truncf",
     2},
    {{"what is given by an if",
      FUNCTION("bf16", "  %x = memref.load %a[%i] : memref<64xbf16>\n"
                       "  %c = arith.cmpi eq, %i, %c8 : index\n"
                       "  %r = scf.if %c -> (bf16) {\n"
                       "    %y = arith.addf %x, %x : bf16\n    scf.yield %y : bf16\n"
                       "  } else {\n    scf.yield %x : bf16\n  }\n"
                       "  memref.store %r, %b[%i] : memref<64xbf16>\n"),
      {"-> (f32)", "arith.truncf %3 : f32 to bf16"},
      "-> (bf16)"},
     "arith.extf",
     1},
    {{"a conversion of what was computed is another step",
      FUNCTION("bf16", "  %x = memref.load %a[%i] : memref<64xbf16>\n"
                       "  %y = arith.addf %x, %x : bf16\n"
                       "  %w = arith.extf %y : bf16 to f32\n"
                       "  %n = arith.truncf %w : f32 to bf16\n"
                       "  memref.store %n, %b[%i] : memref<64xbf16>\n"),
      {"arith.truncf %2 : f32 to bf16"},
      NULL},
     "arith.truncf",
     1},
    {{"what is compared to be chosen from is rounded once, behind that",
      FUNCTION("bf16",
               LOAD("%x", "%a", "bf16") "  %six = arith.constant dense<6.0> : vector<8xbf16>\n"
                                        "  %p = arith.addf %x, %x : vector<8xbf16>\n"
                                        "  %q = arith.cmpf olt, %p, %six : vector<8xbf16>\n"
                                        "  %r = arith.select %q, %p, %six : vector<8xi1>, "
                                        "vector<8xbf16>\n" STORE("%r", "bf16")),
      {"arith.cmpf olt, "},
      NULL},
     "arith.truncf",
     1},
    {{"a masked op stands alone",
      FUNCTION("bf16",
               LOAD("%x", "%a", "bf16") "  %one = arith.constant 1.0 : bf16\n"
                                        "  %m = vector.create_mask %i : vector<8xi1>\n"
                                        "  %r = vector.mask %m { vector.reduction <add>, %x, %one "
                                        ": vector<8xbf16> into bf16 } : vector<8xi1> -> bf16\n"
                                        "  memref.store %r, %b[%i] : memref<64xbf16>\n"),
      {"vector.reduction <add>, %0, %cst : vector<8xbf16> into bf16"},
      "f32"},
     NULL,
     0},
    {{"f32 and integers",
      FUNCTION("f32", LOAD("%x", "%a",
                           "f32") "  %r = arith.addf %x, %x : vector<8xf32>\n" STORE("%r", "f32")),
      {"arith.addf %0, %0 : vector<8xf32>"},
      "arith.extf"},
     NULL,
     0},
};

static void values_stay_wide(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i].becomes, context);
    assert_ok(tune_float_promotion_run(module));
    check_case(&CASES[i].becomes, module, CASES[i].word, CASES[i].count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_stay_wide)};
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
