//===- lanes_test.c - Several invocations at one row -----------------------------------===//

#include "transforms/lower/gpu/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// 36 rows, with what `ATTRIBUTES` say of them, around `BODY`.
#define ROWS(ATTRIBUTES, BODY)                                                                     \
  "func.func @f(%a: memref<36x40xf32>, %b: memref<36xf32>, %c: memref<36x40xf32>) {\n"             \
  "  %c0 = arith.constant 0 : index\n  %c4 = arith.constant 4 : index\n"                           \
  "  %c40 = arith.constant 40 : index\n  %start = arith.constant 1.5 : f32\n"                      \
  "  %four = arith.constant dense<0.0> : vector<4xf32>\n"                                          \
  "  scf.forall (%i) in (36) {\n" BODY "  } {" ATTRIBUTES "}\n  return\n}\n"
#define LANES "tune.lanes = 8 : i64, tune.group_x = 16 : i64"
#define READ                                                                                       \
  "%v = vector.transfer_read %a[%i, %k], %start {in_bounds = [true]} : memref<36x40xf32>, "        \
  "vector<4xf32>\n"
// A loop along the row that carries `TYPE`, from `START` to %r.
#define LOOP(TYPE, START, BODY)                                                                    \
  "%r = scf.for %k = %c0 to %c40 step %c4 iter_args(%x = " START ") -> (" TYPE ") {\n" READ BODY   \
  "scf.yield %y : " TYPE "\n} {tune.shared}\n"
#define REDUCE(KIND)                                                                               \
  LOOP("f32", "%start", "%y = vector.reduction <" KIND ">, %v, %x : vector<4xf32> into f32\n")
// Rows of integers of `TYPE`, combined by `KIND`.
#define INTEGERS(TYPE, KIND)                                                                       \
  "func.func @f(%a: memref<36x40x" TYPE ">, %b: memref<36x" TYPE ">) {\n"                          \
  "  %c0 = arith.constant 0 : index\n  %c4 = arith.constant 4 : index\n"                           \
  "  %c40 = arith.constant 40 : index\n  %start = arith.constant 7 : " TYPE "\n"                   \
  "  scf.forall (%i) in (36) {\n"                                                                  \
  "    %r = scf.for %k = %c0 to %c40 step %c4 iter_args(%x = %start) -> (" TYPE ") {\n"            \
  "      %v = vector.transfer_read %a[%i, %k], %start {in_bounds = [true]} : memref<36x40x" TYPE   \
  ">, vector<4x" TYPE ">\n"                                                                        \
  "      %y = vector.reduction <" KIND ">, %v, %x : vector<4x" TYPE "> into " TYPE "\n"            \
  "      scf.yield %y : " TYPE "\n    } {tune.shared}\n"                                           \
  "    memref.store %r, %b[%i] : memref<36x" TYPE ">\n"                                            \
  "  } {tune.lanes = 8 : i64}\n  return\n}\n"
// 36 rows of 128, of which each step of a loop to `END` takes 8 for a lane.
#define LONG_ROWS(END, BODY)                                                                       \
  "func.func @f(%a: memref<36x128xf32>, %b: memref<36xf32>, %c: memref<36x128xf32>) {\n"           \
  "  %c0 = arith.constant 0 : index\n  %c8 = arith.constant 8 : index\n"                           \
  "  %end = arith.constant " END " : index\n  %start = arith.constant 1.5 : f32\n"                 \
  "  scf.forall (%i) in (36) {\n" BODY "  } {" LANES "}\n  return\n}\n"
#define LONG_READ                                                                                  \
  "%v = vector.transfer_read %a[%i, %k], %start {in_bounds = [true]} : memref<36x128xf32>, "       \
  "vector<8xf32>\n"
#define LONG_WRITE                                                                                 \
  "vector.transfer_write %v, %c[%i, %k] {in_bounds = [true]} : vector<8xf32>, "                    \
  "memref<36x128xf32>\n"
#define LONG_LOOP(BODY) "scf.for %k = %c0 to %end step %c8 {\n" LONG_READ BODY "} {tune.shared}\n"
#define LONG_SUM(KIND)                                                                             \
  "%r = scf.for %k = %c0 to %end step %c8 iter_args(%x = %start) -> (f32) {\n" LONG_READ           \
  "%y = vector.reduction <" KIND ">, %v, %x : vector<8xf32> into f32\n"                            \
  "scf.yield %y : f32\n} {tune.shared}\n"
#define STORE "memref.store %r, %b[%i] : memref<36xf32>\n"

typedef struct lanes_case {
  rewrite_case becomes;
  const char *word;
  size_t count;
} lanes_case;

static const lanes_case CASES[] = {
    {{"lanes are one dimension more, a group wide",
      ROWS(LANES ", tune.group_y = 2 : i64, tune.other", REDUCE("add") STORE),
      {"in (36, 8)", "tune.group_x = 8 : i64, tune.group_y = 16 : i64", "tune.other"},
      "tune.lanes"},
     "tune.group",
     2},
    {{"without groups there is no other size",
      ROWS("tune.lanes = 8 : i64", REDUCE("add") STORE),
      {"in (36, 8)", "{tune.group_x = 8 : i64}"},
      "tune.group_y"},
     "scf.forall",
     1},
    {{"a lane begins at its place, and goes on by as many steps as there are lanes",
      ROWS(LANES, REDUCE("add") STORE),
      {"arith.muli %arg4, %c4 : index", "arith.muli %c4, %c8 : index", "arith.addi %c0, "},
      NULL},
     "scf.for ",
     1},
    {{"a sum begins in the first lane, and the sums of all meet after the loop",
      ROWS(LANES, REDUCE("add") STORE),
      {"arith.select", "gpu.subgroup_reduce  add", NULL},
      NULL},
     "gpu.subgroup_reduce",
     1},
    {{"a product begins with one in the others",
      ROWS(LANES, REDUCE("mul") STORE),
      {"gpu.subgroup_reduce  mul", "arith.constant 1.000000e+00 : f32", "arith.select"},
      NULL},
     NULL,
     0},
    {{"a maximum begins alike in all lanes",
      ROWS(LANES, REDUCE("maxnumf") STORE),
      {"gpu.subgroup_reduce  maxnumf", "iter_args(%arg6 = %cst)"},
      "arith.select"},
     "gpu.subgroup_reduce",
     1},
    {{"a maximum that is NaN where one is asks all lanes for one",
      ROWS(LANES, REDUCE("maximumf") STORE),
      {"arith.cmpf uno", "gpu.subgroup_reduce  maxui", "arith.select"},
      "maximumf %"},
     "gpu.subgroup_reduce",
     2},
    {{"so does such a minimum",
      ROWS(LANES, REDUCE("minimumf") STORE),
      {"arith.cmpf uno", "gpu.subgroup_reduce  minnumf"},
      NULL},
     "gpu.subgroup_reduce",
     2},
    {{"so does a minimum",
      ROWS(LANES, REDUCE("minnumf") STORE),
      {"gpu.subgroup_reduce  minnumf"},
      "arith.select"},
     NULL,
     0},
    {{"vectors of one element are carried as such",
      ROWS(LANES,
           "%one = arith.constant dense<0.0> : vector<1xf32>\n" LOOP(
               "vector<1xf32>", "%one",
               "%e = vector.extract %x[0] : f32 from vector<1xf32>\n"
               "%s = vector.reduction <add>, %v, %e : vector<4xf32> into f32\n"
               "%y = vector.broadcast %s : f32 to vector<1xf32>\n") "vector.transfer_write %r, "
                                                                    "%b[%i] {in_bounds = [true]} : "
                                                                    "vector<1xf32>, "
                                                                    "memref<36xf32>\n"),
      {"vector.extract", "gpu.subgroup_reduce  add", "to vector<1xf32>"},
      NULL},
     "vector.broadcast",
     2},
    {{"each of several sums",
      ROWS(LANES,
           "%r:2 = scf.for %k = %c0 to %c40 step %c4 iter_args(%x = %start, %m = %start) -> "
           "(f32, f32) {\n" READ "%y = vector.reduction <add>, %v, %x : vector<4xf32> into f32\n"
           "%z = vector.reduction <maxnumf>, %v, %m : vector<4xf32> into f32\n"
           "scf.yield %y, %z : f32, f32\n} {tune.shared}\n"
           "memref.store %r#0, %b[%i] : memref<36xf32>\n"
           "memref.store %r#1, %b[%i] : memref<36xf32>\n"),
      {"gpu.subgroup_reduce  add", "gpu.subgroup_reduce  maxnumf"},
      NULL},
     "arith.select",
     1},
    {{"integers",
      INTEGERS("i32", "add"),
      {"gpu.subgroup_reduce  add", "arith.select", "%c0_i32"},
      NULL},
     NULL,
     0},
    {{"bits that all have", INTEGERS("i32", "and"), {"gpu.subgroup_reduce  and"}, "arith.select"},
     NULL,
     0},
    {{"bits that an odd number has begin once",
      INTEGERS("i32", "xor"),
      {"gpu.subgroup_reduce  xor", "arith.select"},
      NULL},
     NULL,
     0},
    {{"less than 32 bits meet in 32",
      INTEGERS("i8", "minui"),
      {"arith.extui", "gpu.subgroup_reduce  minui", "arith.trunci"},
      "arith.select"},
     NULL,
     0},
    {{"a loop that lanes share may write to memory of its own",
      ROWS(LANES, "scf.for %k = %c0 to %c40 step %c4 {\n%m = memref.alloca() : memref<f32>\n"
                  "memref.store %start, %m[] : memref<f32>\n} {tune.shared}\n"),
      {"memref.store %cst, %alloca[]"},
      "scf.if"},
     NULL,
     0},
    {{"what is made of the row is written by the first lane",
      ROWS(LANES, REDUCE("maximumf") STORE),
      {"scf.if", "memref.store"},
      NULL},
     "scf.if",
     1},
    {{"what a divided loop writes is written by each lane",
      ROWS(LANES, "scf.for %k = %c0 to %c40 step %c4 {\n" READ
                  "vector.transfer_write %v, %c[%i, %k] {in_bounds = [true]} : vector<4xf32>, "
                  "memref<36x40xf32>\n} {tune.shared}\n"),
      {"arith.muli %c4, %c8 : index", "vector.transfer_write"},
      "scf.if"},
     "subgroup",
     0},
    {{"what a loop that is not marked writes is not divided",
      ROWS(LANES, "scf.for %k = %c0 to %c40 step %c4 {\n" READ
                  "vector.transfer_write %v, %c[%i, %k] {in_bounds = [true]} : vector<4xf32>, "
                  "memref<36x40xf32>\n}\n"),
      {"scf.for %arg5 = %c0 to %c40 step %c4 {", "scf.if", "vector.transfer_write"},
      "arith.muli"},
     "scf.if",
     1},
    {{"each lane has memory of its own, and writes there",
      ROWS(LANES, "%m = memref.alloca() : memref<f32>\nmemref.store %start, %m[] : memref<f32>\n"
                  "%s = memref.load %m[] : memref<f32>\n"
                  "vector.store %four, %c[%i, %c0] : memref<36x40xf32>, vector<4xf32>\n"),
      {"memref.store %cst, %alloca[]", "scf.if", "vector.store"},
      NULL},
     "scf.if",
     1},
    {{"a lane has fours of a step, with those of the other lanes between",
      LONG_ROWS("128", LONG_LOOP(LONG_WRITE)),
      {"arith.muli %arg4, %c4 : index", "arith.addi %arg5, %c32",
       "{offsets = [4], sizes = [4], strides = [1]}"},
      "memref<36x128xf32>, vector<8xf32>"},
     "vector.transfer_write",
     2},
    {{"and sums them up",
      LONG_ROWS("128", LONG_SUM("add") STORE),
      {"scf.for ", "memref<36x128xf32>, vector<4xf32>", "vector.insert_strided_slice"},
      NULL},
     "vector.transfer_read",
     2},
    {{"where the last step is not one of all lanes each has neighbours",
      LONG_ROWS("120", LONG_LOOP(LONG_WRITE)),
      {"arith.muli %arg4, %c8 : index", "vector.transfer_write", NULL},
      "strided_slice"},
     "vector.transfer_read",
     1},
    {{"so it is where a place counts",
      LONG_ROWS("128", LONG_LOOP("%n = vector.step : vector<8xindex>\n"
                                 "%m = arith.index_cast %n : vector<8xindex> to vector<8xi32>\n"
                                 "%w = arith.sitofp %m : vector<8xi32> to vector<8xf32>\n"
                                 "vector.transfer_write %w, %c[%i, %k] {in_bounds = [true]} : "
                                 "vector<8xf32>, memref<36x128xf32>\n")),
      {"arith.muli %arg4, %c8 : index", NULL},
      "strided_slice"},
     "vector.transfer_read",
     1},
    {{"so it is where constants of places are added",
      LONG_ROWS("128",
                "%n = arith.constant dense<[0., 1., 2., 3., 4., 5., 6., 7.]> : vector<8xf32>\n"
                "scf.for %k = %c0 to %end step %c8 {\n" LONG_READ
                "%w = arith.addf %v, %n : vector<8xf32>\n"
                "vector.transfer_write %w, %c[%i, %k] {in_bounds = [true]} : "
                "vector<8xf32>, memref<36x128xf32>\n} {tune.shared}\n"),
      {"arith.muli %arg4, %c8 : index", NULL},
      "strided_slice"},
     "vector.transfer_read",
     1},
    {{"so it is where the index itself is read",
      LONG_ROWS("128", LONG_LOOP("%n = arith.index_cast %k : index to i32\n"
                                 "%m = arith.sitofp %n : i32 to f32\n"
                                 "memref.store %m, %c[%i, %k] : memref<36x128xf32>\n")),
      {"arith.muli %arg4, %c8 : index", NULL},
      "strided_slice"},
     "vector.transfer_read",
     1},
    {{"so it is where only some elements are read",
      LONG_ROWS("128",
                LONG_LOOP("%w = vector.extract_strided_slice %v {offsets = [0], sizes = [4], "
                          "strides = [1]} : vector<8xf32> to vector<4xf32>\n"
                          "vector.transfer_write %w, %c[%i, %k] {in_bounds = [true]} : "
                          "vector<4xf32>, memref<36x128xf32>\n")),
      {"arith.muli %arg4, %c8 : index", NULL},
      "insert_strided_slice"},
     "vector.transfer_read",
     1},
    {{"one step for each lane is no loop",
      LONG_ROWS("64", LONG_SUM("maxnumf") STORE LONG_LOOP(LONG_WRITE)),
      {"arith.muli %arg4, %c4 : index", "vector.reduction <maxnumf>, ",
       "gpu.subgroup_reduce  maxnumf"},
      "scf.for "},
     "vector.transfer_read",
     4},
    {{"nor where a sum begins in the first lane",
      LONG_ROWS("64", LONG_SUM("add") STORE),
      {"arith.select", "gpu.subgroup_reduce  add", "scf.if"},
      "scf.for "},
     "vector.transfer_read",
     2},
    {{"rows of several dimensions",
      "func.func @f(%a: memref<3x5xf32>) {\n  %zero = arith.constant 0.0 : f32\n"
      "  scf.forall (%i, %j) in (3, 5) {\n    memref.store %zero, %a[%i, %j] : memref<3x5xf32>\n"
      "  } {tune.lanes = 8 : i64, tune.group_x = 2 : i64}\n  return\n}\n",
      {"(%arg1, %arg2, %arg3) in (3, 5, 8)", "tune.group_x = 8 : i64, tune.group_y = 2 : i64",
       "%arg0[%arg1, %arg2]"},
      NULL},
     NULL,
     0},
    {{"several subgroups meet in memory of their group",
      ROWS("tune.lanes = 16 : i64, tune.group_x = 1 : i64", REDUCE("add") STORE),
      {"in (36, 16)", "tune.group_x = 16 : i64, tune.group_y = 1 : i64",
       "memref.alloc() : memref<2xf32, #gpu.address_space<workgroup>>"},
      NULL},
     "gpu.barrier",
     2},
    {{"one lane is no other than an invocation",
      ROWS("tune.lanes = 1 : i64, tune.group_x = 16 : i64", REDUCE("add") STORE),
      {"in (36)", "tune.group_x = 16 : i64", "scf.for %arg4 = %c0 to %c40 step %c4"},
      "tune.lanes"},
     "subgroup",
     0},
    {{"nor is a loop without the attribute",
      ROWS("tune.group_x = 16 : i64", REDUCE("add") STORE),
      {"in (36)", "tune.shared"},
      "subgroup"},
     NULL,
     0},
};

static void lanes_share_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation function, module = parse_case(&CASES[i].becomes, context);
    assert_ok(tune_ir_find_function(module, "f", &function));
    tune_status status = tune_lanes_lower(function, 8);
    if (!tune_status_is_ok(status))
      fail_msg("%s: %s", CASES[i].becomes.name, tune_status_get_message(status));
    check_case(&CASES[i].becomes, module, CASES[i].word, CASES[i].count);
  }
}

// One lane a row is an invocation, whatever the device has.
static void devices_without_subgroups_have_rows(void **state) {
  (void)state;
  MlirOperation function;
  const rewrite_case rows = {
      "rows of one lane",
      ROWS("tune.lanes = 1 : i64, tune.group_x = 16 : i64", REDUCE("add") STORE),
      {"in (36)", "tune.group_x = 16 : i64", NULL},
      "tune.lanes"};
  MlirOperation module = parse_case(&rows, context);
  assert_ok(tune_ir_find_function(module, "f", &function));
  assert_ok(tune_lanes_lower(function, 0));
  check_case(&rows, module, NULL, 0);
}

// What lanes cannot share is refused, with the place and the reason.
static void the_rest_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } REFUSED[] = {
      {ROWS("tune.lanes = 0 : i64", ""), "expected a positive integer"},
      {ROWS("tune.lanes = -8 : i64", ""), "expected a positive integer"},
      {ROWS("tune.lanes = 4 : i64", ""), "4 lanes, where the device adds up in subgroups of 8"},
      {ROWS("tune.lanes = 12 : i64", ""), "12 lanes"},
      {ROWS("tune.lanes = 16 : i64, tune.group_x = 2 : i64", ""), "a group of their own"},
      {ROWS(LANES, LOOP("f32", "%start",
                        "%s = arith.mulf %x, %start : f32\n"
                        "%y = vector.reduction <add>, %v, %s : vector<4xf32> into f32\n") STORE),
       "something other than a sum"},
      {ROWS(LANES, LOOP("f32", "%start",
                        "memref.store %x, %b[%i] : memref<36xf32>\n"
                        "%y = vector.reduction <add>, %v, %x : vector<4xf32> into f32\n") STORE),
       "writes here in each of its steps"},
      {ROWS(LANES, "scf.for %k = %c0 to %c40 step %c4 {\n" READ
                   "vector.transfer_write %v, %c[%i, %c0] {in_bounds = [true]} : vector<4xf32>, "
                   "memref<36x40xf32>\n} {tune.shared}\n"),
       "writes here in each of its steps"},
      {ROWS(LANES, "scf.for %k = %c0 to %c40 step %c4 {\n"
                   "linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = "
                   "[\"parallel\"]} outs(%b : memref<36xf32>) {\n^bb0(%x: f32):\n"
                   "linalg.yield %start : f32\n}\n} {tune.shared}\n"),
       "writes here in each of its steps"},
      {ROWS("tune.lanes = \"8\"", ""), "expected a positive integer"},
      {"func.func @f(%n: index) {\n  scf.forall (%i) in (%n) {\n  } {tune.lanes = 8 : i64}\n"
       "  return\n}\n",
       "constant bounds"},
      {"func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {\n"
       "  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<4xf32> {\n"
       "    scf.forall.in_parallel {}\n  } {tune.lanes = 8 : i64}\n  return %r : "
       "tensor<4xf32>\n}\n",
       "a loop on buffers"},
      {ROWS(LANES, LOOP("vector<4xf32>", "%four", "%y = arith.addf %x, %v : vector<4xf32>\n")),
       "something other than a sum"},
      {ROWS(LANES, LOOP("vector<4xf32>", "%four",
                        "%w = vector.broadcast %v : vector<4xf32> to vector<2x4xf32>\n"
                        "%y = vector.multi_reduction <add>, %w, %x [0] : vector<2x4xf32> to "
                        "vector<4xf32>\n")),
       "a loop that carries vectors"},
      {ROWS(LANES, LOOP("f32", "%start", "%y = arith.negf %x : f32\n")),
       "something other than a sum"},
      {ROWS(LANES, LOOP("f32", "%start", "%y = arith.addf %start, %start : f32\n")),
       "something other than a sum"},
      {ROWS(LANES, LOOP("f32", "%start",
                        "%s = vector.bitcast %v : vector<4xf32> to vector<4xi32>\n"
                        "%t = vector.reduction <xor>, %s : vector<4xi32> into i32\n"
                        "%y = arith.bitcast %t : i32 to f32\n")),
       "something other than a sum"},
  };
  for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; ++i) {
    MlirOperation module, function;
    assert_ok(tune_ir_parse(context, REFUSED[i].text, "in.mlir", &module));
    assert_ok(tune_ir_find_function(module, "f", &function));
    tune_status status = tune_lanes_lower(function, 8);
    const char *message = tune_status_get_message(status);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    if (!strstr(message, ": error: ") || !strstr(message, REFUSED[i].message))
      fail_msg("refused with \"%s\":\n%s", message, REFUSED[i].text);
    tune_status_free(status);
    mlirOperationDestroy(module);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_share_rows),
      cmocka_unit_test(devices_without_subgroups_have_rows),
      cmocka_unit_test(the_rest_is_refused),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
