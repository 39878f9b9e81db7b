//===- odd_vectors_test.c - Vectors of 24 elements as 16 and 8 --------------------------===//

#include "transforms/lower/cpu/vectors/odd_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// A loop from 0 to 8 that carries `TYPE`, in a function with a matrix, a row and a number.
#define FUNCTION(BEFORE, TYPE, BODY, AFTER)                                                        \
  "func.func @f(%m: memref<9x40xf32>, %v: vector<24xf32>, %x: f32) {\n"                            \
  "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"                           \
  "  %c8 = arith.constant 8 : index\n" BEFORE                                                      \
  "  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %init) -> (" TYPE ") {\n" BODY           \
  "  }\n" AFTER "  return\n}\n"

#define ZERO(TYPE) "  %init = arith.constant dense<0.0> : " TYPE "\n"
#define LOAD "  %l = vector.load %m[%k, %c8] : memref<9x40xf32>, vector<24xf32>\n"
#define STORE(VALUE) "  vector.store " VALUE ", %m[%c8, %c8] : memref<9x40xf32>, vector<24xf32>\n"

static const rewrite_case CASES[] = {
    {"a row",
     FUNCTION(ZERO("vector<24xf32>"), "vector<24xf32>",
              LOAD "  %b = vector.broadcast %x : f32 to vector<24xf32>\n"
                   "  %t = vector.fma %l, %b, %s : vector<24xf32>\n"
                   "  scf.yield %t : vector<24xf32>\n",
              STORE("%r")),
     {": memref<9x40xf32>, vector<16xf32>", ": vector<8xf32>",
      "-> (vector<24xf32>, vector<16xf32>, vector<8xf32>)"},
     "vector.fma %2, %3, %arg4 : vector<24xf32>"},
    {"rows of a tile, as upstream puts them together",
     FUNCTION(ZERO("vector<2x12xf32>"), "vector<2x12xf32>",
              "  %0 = vector.extract %s[0] : vector<12xf32> from vector<2x12xf32>\n"
              "  %1 = vector.extract %s[1] : vector<12xf32> from vector<2x12xf32>\n"
              "  %2 = arith.addf %0, %1 : vector<12xf32>\n"
              "  %3:12 = vector.to_elements %2 : vector<12xf32>\n"
              "  %4:12 = vector.to_elements %0 : vector<12xf32>\n"
              "  %t = vector.from_elements %3#0, %3#1, %3#2, %3#3, %3#4, %3#5, %3#6, %3#7, %3#8, "
              "%3#9, %3#10, %3#11, %4#0, %4#1, %4#2, %4#3, %4#4, %4#5, %4#6, %4#7, %4#8, %4#9, "
              "%4#10, %4#11 : vector<2x12xf32>\n"
              "  scf.yield %t : vector<2x12xf32>\n",
              "  %e = vector.extract %r[1] : vector<12xf32> from vector<2x12xf32>\n"
              "  vector.store %e, %m[%c8, %c8] : memref<9x40xf32>, vector<12xf32>\n"),
     {"vector<8xf32>, vector<4xf32>, vector<8xf32>, vector<4xf32>)", "arith.addf",
      "vector.store %"},
     "elements"},
    {"rows that are put in one by one",
     FUNCTION(ZERO("vector<2x24xf32>"), "vector<2x24xf32>",
              "  %0 = vector.extract %s[1] : vector<24xf32> from vector<2x24xf32>\n"
              "  %t = vector.insert %0, %s [0] : vector<24xf32> into vector<2x24xf32>\n"
              "  scf.yield %t : vector<2x24xf32>\n",
              "  %e = vector.extract %r[0] : vector<24xf32> from vector<2x24xf32>\n" STORE("%e")),
     {"vector<16xf32>, vector<8xf32>, vector<16xf32>, vector<8xf32>)"},
     "vector.insert"},
    {"what comes from elsewhere is taken apart",
     FUNCTION("  %init = vector.broadcast %x : f32 to vector<24xf32>\n", "vector<24xf32>",
              "  %t = arith.mulf %s, %v : vector<24xf32>\n"
              "  scf.yield %t : vector<24xf32>\n",
              STORE("%r")),
     {"vector.extract_strided_slice %arg1 {offsets = [0], sizes = [16]",
      "vector.extract_strided_slice %arg1 {offsets = [16], sizes = [8]",
      "vector.broadcast %arg2 : f32 to vector<8xf32>"},
     NULL},
    {"what takes no pieces gets the whole",
     FUNCTION(ZERO("vector<24xf32>"), "vector<24xf32>",
              LOAD "  %t = arith.addf %l, %s : vector<24xf32>\n"
                   "  scf.yield %t : vector<24xf32>\n",
              "  %w = vector.reduction <add>, %r : vector<24xf32> into f32\n"
              "  memref.store %w, %m[%c0, %c0] : memref<9x40xf32>\n"),
     {"vector.insert_strided_slice", "vector.reduction <add>"},
     NULL},
    {"other types beside",
     FUNCTION(ZERO("vector<24xf32>"), "vector<24xf32>",
              LOAD "  %q = arith.cmpf olt, %l, %s : vector<24xf32>\n"
                   "  %t = arith.select %q, %l, %s : vector<24xi1>, vector<24xf32>\n"
                   "  scf.yield %t : vector<24xf32>\n",
              STORE("%r")),
     {": vector<16xi1>, vector<16xf32>", ": vector<8xi1>, vector<8xf32>"},
     "vector<24xi1>"},
    {"a loop around, and sums that stay in memory",
     "func.func @f(%m: memref<9x40xf32>, %x: f32) {\n"
     "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
     "  %c8 = arith.constant 8 : index\n"
     "  scf.for %i = %c0 to %c8 step %c1 {\n"
     "    %l = vector.load %m[%i, %c0] : memref<9x40xf32>, vector<40xf32>\n"
     "    %b = vector.broadcast %x : f32 to vector<40xf32>\n"
     "    %t = vector.fma %l, %b, %l : vector<40xf32>\n"
     "    vector.store %t, %m[%i, %c0] : memref<9x40xf32>, vector<40xf32>\n"
     "  }\n  return\n}\n",
     {"memref<9x40xf32>, vector<32xf32>", "memref<9x40xf32>, vector<8xf32>"},
     "vector<40xf32>"},
    {"a power of two stays",
     FUNCTION(ZERO("vector<2x32xf32>"), "vector<2x32xf32>", "  scf.yield %s : vector<2x32xf32>\n",
              ""),
     {"iter_args(%arg4 = %cst) -> (vector<2x32xf32>)"},
     NULL},
    {"and so do pieces below four",
     FUNCTION(ZERO("vector<6xf32>"), "vector<6xf32>", "  scf.yield %s : vector<6xf32>\n", ""),
     {"iter_args(%arg4 = %cst) -> (vector<6xf32>)"},
     NULL},
};

static void odd_vectors_are_in_pieces(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i], context);
    assert_ok(tune_odd_vectors_split(module));
    check_case(&CASES[i], module, NULL, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(odd_vectors_are_in_pieces)};
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
