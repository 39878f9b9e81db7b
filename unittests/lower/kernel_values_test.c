//===- kernel_values_test.c - What kernels read once, divide once and make late ------------===//

#include "transforms/lower/gpu/load_elimination.h"
#include "transforms/lower/gpu/reciprocal_division.h"
#include "transforms/lower/gpu/value_sinking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// A launch of one group of 8 with the body `BODY`, over two buffers.
#define LAUNCH(BODY)                                                                               \
  "func.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32, %y: f32) {\n"                       \
  "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"                           \
  "  %c8 = arith.constant 8 : index\n"                                                             \
  "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)\n"                      \
  "      threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {\n" BODY                     \
  "    gpu.terminator\n  }\n  return\n}\n"
#define READ(NAME, PLACE) NAME " = memref.load %a[" PLACE "] : memref<8xf32>\n"
#define WRITE(NAME, PLACE) "memref.store " NAME ", %b[" PLACE "] : memref<8xf32>\n"
#define SUM_OF_LANES "%s = gpu.subgroup_reduce add %p : (f32) -> (f32)\n"

typedef struct value_case {
  rewrite_case becomes;
  const char *word;
  size_t count;
} value_case;

typedef tune_status (*value_pass)(MlirOperation);

static void check_all(const value_case *cases, size_t count, value_pass pass) {
  for (size_t i = 0; i < count; ++i) {
    MlirOperation module = parse_case(&cases[i].becomes, context);
    tune_status status = pass(module);
    if (!tune_status_is_ok(status))
      fail_msg("%s: %s", cases[i].becomes.name, tune_status_get_message(status));
    check_case(&cases[i].becomes, module, cases[i].word, cases[i].count);
  }
}

#define CHECK_ALL(CASES, PASS) check_all(CASES, sizeof(CASES) / sizeof *(CASES), PASS)

// Reads stay where they are; what is checked is who uses them.
static tune_status merge_reads(MlirOperation module) {
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, "f", &function));
  return tune_load_elimination_run(function);
}

static void what_stays_the_same_is_read_once(void **state) {
  (void)state;
  static const value_case CASES[] = {
      {{"across a sum over the lanes",
        LAUNCH(READ("%p", "%tx") SUM_OF_LANES READ("%q", "%tx") "%r = arith.subf %q, %s : f32\n" //
               WRITE("%r", "%tx")),
        {"arith.subf %0, %1"},
        NULL},
       NULL,
       0},
      {{"all reads of three",
        LAUNCH(READ("%p", "%tx") SUM_OF_LANES READ("%q", "%tx")
                   READ("%o", "%tx") "%r = arith.subf %q, %o : f32\n" WRITE("%r", "%tx")),
        {"arith.subf %0, %0"},
        NULL},
       NULL,
       0},
      {{"not of another place",
        LAUNCH(READ("%p", "%tx") SUM_OF_LANES READ("%q", "%c1") "%r = arith.subf %q, %s : f32\n" //
               WRITE("%r", "%tx")),
        {"arith.subf %2, %1"},
        NULL},
       NULL,
       0},
      {{"not what the kernel writes",
        LAUNCH(READ("%p", "%tx") SUM_OF_LANES "memref.store %s, %a[%tx] : memref<8xf32>\n" //
               READ("%q", "%tx") "%r = arith.subf %q, %s : f32\n" WRITE("%r", "%tx")),
        {"arith.subf %2, %1"},
        NULL},
       NULL,
       0},
      {{"not what a view of it may write",
        LAUNCH(READ("%p", "%tx") SUM_OF_LANES
               "%w = memref.cast %a : memref<8xf32> to memref<?xf32>\n"
               "memref.store %s, %w[%tx] : memref<?xf32>\n" //
               READ("%q", "%tx") "%r = arith.subf %q, %s : f32\n" WRITE("%r", "%tx")),
        {"arith.subf %2, %1"},
        NULL},
       NULL,
       0},
      {{"vectors with other values outside are others",
        LAUNCH("%p = vector.transfer_read %a[%tx], %x : memref<8xf32>, vector<4xf32>\n"
               "%q = vector.transfer_read %a[%tx], %y : memref<8xf32>, vector<4xf32>\n"
               "%r = arith.subf %p, %q : vector<4xf32>\n"
               "vector.transfer_write %r, %b[%c0] : vector<4xf32>, memref<8xf32>\n"),
        {"arith.subf %0, %1"},
        NULL},
       NULL,
       0},
      {{"so are others of another kind",
        LAUNCH("%p = vector.transfer_read %a[%c0], %x : memref<8xf32>, vector<4xf32>\n"
               "%q = vector.transfer_read %a[%c0], %x {in_bounds = [true]} : memref<8xf32>, "
               "vector<4xf32>\n"
               "%r = arith.subf %p, %q : vector<4xf32>\n"
               "vector.transfer_write %r, %b[%c0] : vector<4xf32>, memref<8xf32>\n"),
        {"arith.subf %0, %1"},
        NULL},
       NULL,
       0},
      {{"another block reads again",
        LAUNCH(READ("%p", "%tx") "scf.for %i = %c0 to %c8 step %c1 {\n" READ(
            "%q", "%tx") "%r = arith.subf %q, %p : f32\n" WRITE("%r", "%i") "}\n"),
        {"arith.subf %1, %0"},
        NULL},
       NULL,
       0},
  };
  CHECK_ALL(CASES, merge_reads);
}

static void one_divisor_of_many_is_divided_by_once(void **state) {
  (void)state;
  static const value_case CASES[] = {
      {{"two of a block",
        LAUNCH("%p = arith.divf %x, %y : f32\n%q = arith.divf %p, %y : f32\n" WRITE("%q", "%tx")),
        {"arith.mulf %arg3, ", "arith.divf %cst, ", "arith.mulf %arg2, "},
        NULL},
       "arith.divf",
       1},
      {{"very small and very large divisors are scaled, and what they divide",
        LAUNCH("%p = arith.divf %x, %y : f32\n%q = arith.divf %p, %y : f32\n" WRITE("%q", "%tx")),
        {"math.absf %arg3", "arith.cmpf olt", "arith.cmpf ogt"},
        NULL},
       "arith.select",
       2},
      {{"one stays",
        LAUNCH("%p = arith.divf %x, %y : f32\n" WRITE("%p", "%tx")), //
        {"arith.divf %arg2, %arg3"},
        "mulf"},
       "arith.divf",
       1},
      {{"so do two by others",
        LAUNCH("%p = arith.divf %x, %y : f32\n%q = arith.divf %p, %x : f32\n" WRITE("%q", "%tx")),
        {"arith.divf %arg2, %arg3"},
        "mulf"},
       "arith.divf",
       2},
      {{"and those of f64",
        LAUNCH("%v = arith.extf %x : f32 to f64\n%p = arith.divf %v, %v : f64\n"
               "%q = arith.divf %p, %v : f64\n%r = arith.truncf %q : f64 to f32\n" //
               WRITE("%r", "%tx")),
        {"arith.divf"},
        "mulf"},
       "arith.divf",
       2},
      {{"a loop divides before it begins, for those after it as well",
        LAUNCH("scf.for %i = %c0 to %c8 step %c1 {\n" READ(
            "%p", "%i") "%q = arith.divf %p, %y : f32\n%r = arith.divf %q, %y : f32\n" //
               WRITE("%r", "%i") "}\n"),
        {" : f32\n      scf.for", "arith.divf %cst, ", "arith.mulf"},
        NULL},
       "arith.divf",
       1},
  };
  CHECK_ALL(CASES, tune_reciprocal_division_run);
}

static void values_are_made_where_they_are_needed(void **state) {
  (void)state;
  static const value_case CASES[] = {
      {{"stage by stage becomes value by value",
        LAUNCH(READ("%p", "%c0") READ("%q", "%c1") "%o = math.exp %p : f32\n"
                                                   "%r = math.exp2 %q : f32\n" //
               WRITE("%o", "%c0") WRITE("%r", "%c1")),
        {"%2 = math.exp %0 : f32\n      memref.store %2, %arg1[%c0] : memref<8xf32>\n      %3 = "
         "math.exp2 %1"},
        NULL},
       NULL,
       0},
      {{"with what they are made of",
        LAUNCH(READ("%p", "%c0") "%o = math.exp %p : f32\n%q = math.absf %o : f32\n" //
               WRITE("%p", "%c1") WRITE("%q", "%c0")),
        {"memref.store %0, %arg1[%c1] : memref<8xf32>\n      %1 = math.exp %0 : f32\n      %2 = "
         "math.absf"},
        NULL},
       NULL,
       0},
      {{"before a loop that needs them, not in it",
        LAUNCH(READ("%p", "%c0") "%o = math.exp %p : f32\n" WRITE(
            "%p", "%c1") "scf.for %i = %c0 to %c8 step %c1 {\n" WRITE("%o", "%i") "}\n"),
        {"%1 = math.exp %0 : f32\n      scf.for"},
        NULL},
       NULL,
       0},
      {{"the first that needs a value has it",
        LAUNCH(READ("%p", "%c0") "%o = math.exp %p : f32\n" WRITE("%p", "%c1")
                   WRITE("%o", "%c0") "%q = arith.addf %o, %o : f32\n" WRITE("%q", "%tx")),
        {"memref.store %0, %arg1[%c1] : memref<8xf32>\n      %1 = math.exp %0 : f32\n      "
         "memref.store %1"},
        NULL},
       NULL,
       0},
      {{"what reads stays",
        LAUNCH(READ("%p", "%c0") WRITE("%x", "%c1") WRITE("%p", "%c0")),
        {"%0 = memref.load %arg0[%c0] : memref<8xf32>\n      memref.store %arg2"},
        NULL},
       NULL,
       0},
  };
  CHECK_ALL(CASES, tune_value_sinking_run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_stays_the_same_is_read_once),
      cmocka_unit_test(one_divisor_of_many_is_divided_by_once),
      cmocka_unit_test(values_are_made_where_they_are_needed),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
