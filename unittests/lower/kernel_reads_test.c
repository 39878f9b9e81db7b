//===- kernel_reads_test.c - What kernels broadcast, read while they multiply -----------===//

#include "transforms/lower/cpu/vectors/kernel_reads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

#define FUNCTION(TYPE, BODY)                                                                       \
  "func.func @f(%m: memref<9x40x" TYPE ">, %i: index, %n: memref<40x" TYPE ">) {\n"                \
  "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"                           \
  "  scf.for %k = %c0 to %i step %c1 {\n" BODY "  }\n  return\n}\n"
#define LOAD(SIZE, TYPE)                                                                           \
  "  %v = vector.load %m[%i, %k] : memref<9x40x" TYPE ">, vector<" SIZE "x" TYPE ">\n"
#define USE(NAME, ELEMENT, SIZE, TYPE)                                                             \
  "  " NAME " = vector.extract %v[" ELEMENT "] : " TYPE " from vector<" SIZE "x" TYPE ">\n"        \
  "  memref.store " NAME ", %n[%k] : memref<40x" TYPE ">\n"
#define PREFETCH(INDEX)                                                                            \
  "  memref.prefetch %m[%i, " INDEX "], read, locality<2>, data : memref<9x40xf32>\n"

static const rewrite_case CASES[] = {
    {"elements of two",
     FUNCTION("f32", LOAD("2", "f32") USE("%a", "0", "2", "f32") USE("%b", "1", "2", "f32")),
     {"memref.load %arg0[%arg1, %arg3]", "arith.addi %arg3, %c1_0", "memref.load %arg0[%arg1, %"},
     "vector"},
    {"an element that is read twice is read once",
     FUNCTION("f32", LOAD("4", "f32") USE("%a", "3", "4", "f32") USE("%b", "3", "4", "f32")),
     {"memref.load"},
     "vector"},
    {"a vector that something else reads, too",
     FUNCTION("f32", LOAD("2", "f32") USE("%a", "0", "2", "f32") "  vector.store %v, %n[%k] : "
                                                                 "memref<40xf32>, vector<2xf32>\n"),
     {"vector.load"},
     "memref.load"},
    {"many elements",
     FUNCTION("f32", LOAD("32", "f32") USE("%a", "0", "32", "f32")),
     {"vector.load"},
     "memref.load"},
    {"elements that are multiplied by pairs",
     FUNCTION("bf16", LOAD("2", "bf16") USE("%a", "0", "2", "bf16")),
     {"vector.load"},
     "memref.load"},
    {"a prefetch between",
     FUNCTION("f32", LOAD("32", "f32") "  %p = arith.addi %k, %i : index\n" PREFETCH("%p")
                         USE("%a", "0", "32", "f32")),
     {"arith.addi %arg3, %arg1 : index\n      memref.prefetch %arg0[%arg1, %0], read, "
      "locality<2>, data : memref<9x40xf32>\n      %1 = vector.load"},
     NULL},
    {"whose place is read from memory",
     FUNCTION("f32", LOAD("32", "f32") "  %e = memref.load %n[%k] : memref<40xf32>\n"
                                       "  %j = arith.fptosi %e : f32 to i64\n"
                                       "  %p = arith.index_cast %j : i64 to index\n" PREFETCH("%p")
                                           USE("%a", "0", "32", "f32")),
     {"arith.index_cast %2 : i64 to index\n      memref.prefetch"},
     NULL},
};

static void elements_are_read_and_prefetches_come_first(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i], context);
    assert_ok(tune_kernel_reads_run(module));
    check_case(&CASES[i], module, NULL, 0);
  }
}

static void an_element_is_read_once(void **state) {
  (void)state;
  MlirOperation module = parse_case(&CASES[1], context);
  assert_ok(tune_kernel_reads_run(module));
  check_case(&CASES[1], module, "memref.load", 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_are_read_and_prefetches_come_first),
      cmocka_unit_test(an_element_is_read_once),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
