//===- pad_folding_test.c - Padding that is checked for where it is read --------------===//

#include "transforms/lower/gpu/edge_peeling.h"
#include "transforms/lower/gpu/pad_folding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// %a, of 5 x 7, goes to 8 x 8 with %pad around it, and %b, of 5 x 6, is the corner of what a kernel
// writes; `BETWEEN` comes before the kernel, `BODY` is in it.
#define PADDED(ATTRIBUTES, BETWEEN, BODY, AFTER)                                                   \
  "func.func @f(%a: memref<5x7xf32>, %b: memref<5x6xf32>, %pad: f32) attributes {" ATTRIBUTES      \
  "} {\n  %c0 = arith.constant 0 : index\n  %zero = arith.constant 0.0 : f32\n"                    \
  "  %m = memref.alloc() : memref<8x8xf32>\n"                                                      \
  "  linalg.fill ins(%pad : f32) outs(%m : memref<8x8xf32>)\n"                                     \
  "  %s = memref.subview %m[0, 0] [5, 7] [1, 1] : memref<8x8xf32> to "                             \
  "memref<5x7xf32, strided<[8, 1]>>\n"                                                             \
  "  linalg.copy ins(%a : memref<5x7xf32>) outs(%s : memref<5x7xf32, strided<[8, 1]>>)\n"          \
  "  %n = memref.alloc() : memref<5x8xf32>\n" BETWEEN "  scf.forall (%i) in (8) {\n" BODY          \
  "  }\n  %t = memref.subview %n[0, 0] [5, 6] [1, 1] : memref<5x8xf32> to "                        \
  "memref<5x6xf32, strided<[8, 1]>>\n"                                                             \
  "  linalg.copy ins(%t : memref<5x6xf32, strided<[8, 1]>>) outs(%b : memref<5x6xf32>)\n" AFTER    \
  "  return\n}\n"
#define EDGES "tune.gpu.edges = 1 : i64"
#define READ                                                                                       \
  "%v = vector.transfer_read %m[%i, %c0], %zero {in_bounds = [true, true]} : memref<8x8xf32>, "    \
  "vector<2x4xf32>\n"
#define WRITE                                                                                      \
  "vector.transfer_write %v, %n[%i, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, "           \
  "memref<5x8xf32>\n"

typedef struct edges_case {
  rewrite_case becomes;
  const char *word;
  size_t count;
} edges_case;

static const edges_case CASES[] = {
    {{"operands are read out of bounds, as what they are filled with",
      PADDED(EDGES, "", READ WRITE, ""),
      {"vector.transfer_read %arg0[%arg3, %c0], %arg2 : memref<5x7xf32>, vector<2x4xf32>"},
      "linalg.fill"},
     "memref.alloc",
     0},
    {{"of results only what there is is written, where a dimension is not whole",
      PADDED(EDGES, "", READ WRITE, ""),
      {"vector.transfer_write %0, %arg1[%arg3, %c0] {in_bounds = [true, false]} : "
       "vector<2x4xf32>, memref<5x6xf32>"},
      "linalg.copy"},
     "memref.subview",
     0},
    {{"operands are copied where the function does not say so, results never",
      PADDED("tune.gpu.edges = 0 : i64", "", READ WRITE, ""),
      {"linalg.fill", "vector.transfer_read %alloc", "vector.transfer_write %0, %arg1"},
      NULL},
     "linalg.copy",
     1},
    {{"what is written is no copy any more",
      PADDED(EDGES, "memref.store %zero, %a[%c0, %c0] : memref<5x7xf32>\n", READ WRITE, ""),
      {"vector.transfer_read %alloc"},
      NULL},
     "linalg.copy",
     1},
    {{"nor is what is read in other ways padded by vectors",
      PADDED(EDGES, "", READ WRITE "%x = memref.load %m[%i, %c0] : memref<8x8xf32>\n", ""),
      {"vector.transfer_read %alloc", "memref.load"},
      NULL},
     "linalg.copy",
     1},
    {{"a place without a dimension of the vector is not checked, and has to be there",
      PADDED(EDGES, "",
             "%v = vector.transfer_read %m[%i, %c0], %zero {in_bounds = [true]} : "
             "memref<8x8xf32>, vector<4xf32>\n"
             "vector.transfer_write %v, %n[%c0, %c0] {in_bounds = [true]} : vector<4xf32>, "
             "memref<5x8xf32>\n",
             ""),
      {"vector.transfer_read %alloc", "vector.transfer_write %0, %arg1"},
      NULL},
     "linalg.copy",
     1},
    {{"a result that is looked at before stays as it was until then",
      PADDED("", "%x = memref.load %b[%c0, %c0] : memref<5x6xf32>\n", READ WRITE, ""),
      {"vector.transfer_write %1, %alloc"},
      NULL},
     "linalg.copy",
     2},
    {{"after it is what it is",
      PADDED("", "", READ WRITE, "%x = memref.load %b[%c0, %c0] : memref<5x6xf32>\n"),
      {"vector.transfer_write %1, %arg1"},
      NULL},
     "linalg.copy",
     1},
};

static void padding_goes_where_it_is_read(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation function, module = parse_case(&CASES[i].becomes, context);
    assert_ok(tune_ir_find_function(module, "f", &function));
    assert_ok(tune_pad_folding_lower(function));
    check_case(&CASES[i].becomes, module, CASES[i].word, CASES[i].count);
  }
}

//===--------------------------------------------------------------------------===//
// edge_loops
//===--------------------------------------------------------------------------===//

// Products of tiles of 4 x 4, in steps of four to `END`, of %a (9 rows of `DEPTH`) and %b (6
// columns); what becomes of them is in `AFTER`.
#define PRODUCT(DEPTH, END, OUT, AFTER)                                                            \
  "func.func @f(%a: memref<9x" DEPTH "xf32>, %b: memref<" DEPTH "x6xf32>, %c: memref<" OUT         \
  "xf32>, %i: index, %j: index) {\n"                                                               \
  "  %c0 = arith.constant 0 : index\n  %c4 = arith.constant 4 : index\n"                           \
  "  %end = arith.constant " END " : index\n  %zero = arith.constant 0.0 : f32\n"                  \
  "  %none = arith.constant dense<0.0> : vector<4x4xf32>\n"                                        \
  "  %r = scf.for %k = %c0 to %end step %c4 iter_args(%x = %none) -> (vector<4x4xf32>) {\n"        \
  "    %p = vector.transfer_read %a[%i, %k], %zero : memref<9x" DEPTH "xf32>, vector<4x4xf32>\n"   \
  "    %q = vector.transfer_read %b[%k, %j], %zero : memref<" DEPTH "x6xf32>, vector<4x4xf32>\n"   \
  "    %y = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, " \
  "k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = [\"parallel\", "              \
  "\"parallel\", \"reduction\"], kind = #vector.kind<add>} %p, %q, %x : vector<4x4xf32>, "         \
  "vector<4x4xf32> into vector<4x4xf32>\n    scf.yield %y : vector<4x4xf32>\n  }\n" AFTER          \
  "  return\n}\n"
#define WRITE_AT(I, J, OUT)                                                                        \
  "  vector.transfer_write %r, %c[" I ", " J "] : vector<4x4xf32>, memref<" OUT "xf32>\n"

static const edges_case LOOP_CASES[] = {
    {{"the last step asks, the others do not",
      PRODUCT("7", "8", "9x6", WRITE_AT("%i", "%j", "9x6")),
      {"scf.for %arg5 = %c0 to %c4_1 step %c4", "scf.for %arg5 = %c4_1 to %c8 step %c4",
       "iter_args(%arg6 = %0)"},
      NULL},
     "in_bounds = [",
     2},
    {{"what is beyond the edges of rows and columns is written nowhere",
      PRODUCT("7", "8", "9x6", WRITE_AT("%i", "%j", "9x6")),
      {"{in_bounds = [false, true], tune.outside.any = [true, false]} : memref<9x7xf32>",
       "{in_bounds = [true, false], tune.outside.any = [false, true]} : memref<7x6xf32>",
       "{tune.outside.any = [true, false]} : memref<9x7xf32>"},
      NULL},
     "tune.outside.any",
     4},
    {{"whole steps are left together",
      PRODUCT("8", "8", "9x6", WRITE_AT("%i", "%j", "9x6")),
      {"scf.for %arg5 = %c0 to %c8 step %c4", NULL},
      "in_bounds"},
     "scf.for",
     1},
    {{"so is one step alone",
      PRODUCT("3", "4", "9x6", WRITE_AT("%i", "%j", "9x6")),
      {"scf.for %arg5 = %c0 to %c4_0 step %c4", NULL},
      "in_bounds"},
     "scf.for",
     1},
    {{"and steps with nothing there",
      PRODUCT("7", "12", "9x6", WRITE_AT("%i", "%j", "9x6")),
      {"scf.for %arg5 = %c0 to %c12 step %c4", NULL},
      "in_bounds"},
     "scf.for",
     1},
    {{"rows that are written are padded as they were",
      PRODUCT("7", "8", "12x6", WRITE_AT("%i", "%j", "12x6")),
      {"tune.outside.any = [false, true]", NULL},
      "tune.outside.any = [true, false]"},
     "tune.outside.any",
     2},
    {{"so are those written elsewhere",
      PRODUCT("7", "8", "9x6", WRITE_AT("%c0", "%c4", "9x6")),
      {"in_bounds = [", NULL},
      "tune.outside.any"},
     NULL,
     0},
    {{"and those that something else reads",
      PRODUCT("7", "8", "9x6",
              "  %s = vector.multi_reduction <add>, %r, %zero [0, 1] : vector<4x4xf32> to f32\n"
              "  memref.store %s, %c[%c0, %c0] : memref<9x6xf32>\n" WRITE_AT("%i", "%j", "9x6")),
      {"in_bounds = [", NULL},
      "tune.outside.any"},
     NULL,
     0},
};

static void loops_reach_edges_in_their_last_step(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof LOOP_CASES / sizeof *LOOP_CASES; ++i) {
    MlirOperation function, module = parse_case(&LOOP_CASES[i].becomes, context);
    assert_ok(tune_ir_find_function(module, "f", &function));
    assert_ok(tune_edge_peeling_lower(function));
    check_case(&LOOP_CASES[i].becomes, module, LOOP_CASES[i].word, LOOP_CASES[i].count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(padding_goes_where_it_is_read),
      cmocka_unit_test(loops_reach_edges_in_their_last_step),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
