//===- strided_copies_test.c - Strided copies in vectors --------------------------------------===//

#include "transforms/lower/cpu/strided_copies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

#define COPY(SOURCE, TARGET)                                                                       \
  "func.func @f(%s: " SOURCE ", %t: " TARGET ") {\n"                                               \
  "  linalg.copy ins(%s : " SOURCE ") outs(%t : " TARGET ")\n"                                     \
  "  return\n}\n"
#define STRIDED(SHAPE, ELEMENT) "memref<" SHAPE "x" ELEMENT ", strided<[900, 60, 1]>>"

#define FILL(TARGET)                                                                               \
  "func.func @f(%t: " TARGET ") {\n"                                                               \
  "  %v = arith.constant 2.0 : f32\n"                                                              \
  "  linalg.fill ins(%v : f32) outs(%t : " TARGET ")\n"                                            \
  "  return\n}\n"

typedef struct copies_case {
  rewrite_case becomes;
  const char *word;
  size_t count;
} copies_case;

static const copies_case CASES[] = {
    {{"whole vectors",
      COPY(STRIDED("2x3x64", "f32"), "memref<2x3x64xf32>"),
      {"vector.load %arg0[%arg2, %arg3, %arg4]", "vector.store %0, %arg1[%arg2, %arg3, %arg4]",
       "arith.constant 64 : index"},
      "linalg.copy"},
     "scf.for",
     3},
    {{"a rest",
      COPY(STRIDED("2x3x37", "f32"), "memref<2x3x37xf32>"),
      {"vector.load %arg0[%arg2, %arg3, %c32", "%arg1[%arg2, %arg3, %c32", "vector<5xf32>"},
      "linalg.copy"},
     "vector.store",
     2},
    {{"one vector and a rest",
      COPY(STRIDED("2x3x9", "f64"), "memref<2x3x9xf64>"),
      {"vector<8xf64>", "vector<1xf64>"},
      "linalg.copy"},
     "scf.for",
     2},
    {{"less than a vector",
      COPY(STRIDED("2x3x3", "f32"), "memref<2x3x3xf32>"),
      {"vector<3xf32>"},
      "vector<16xf32>"},
     "vector.load",
     1},
    {{"bytes",
      COPY(STRIDED("2x3x50", "i8"), "memref<2x3x50xi8>"),
      {"vector<50xi8>"},
      "linalg.copy"},
     "vector.load",
     1},
    {{"loops are not unrolled",
      COPY(STRIDED("2x3x64", "bf16"), "memref<2x3x64xbf16>"),
      {"vector<32xbf16>", "#llvm.loop_unroll<disable = true>",
       "#llvm.loop_unroll<count = 4 : i32>"},
      "linalg.copy"},
     "scf.for",
     3},
    {{"a line",
      COPY("memref<40xf32, strided<[1], offset: ?>>", "memref<40xf32>"),
      {"vector<16xf32>", "vector<8xf32>"},
      "linalg.copy"},
     "scf.for",
     1},
    {{"a fill of many short runs",
      FILL("memref<17x1x40xf32, strided<[900, 40, 1]>>"),
      {"vector.broadcast %cst : f32 to vector<16xf32>", "vector<8xf32>"},
      "linalg.fill"},
     "scf.for",
     3},
    {{"a fill of as many runs as a register tile has",
      FILL("memref<4x4x40xf32>"),
      {"linalg.fill"},
      "vector"},
     NULL,
     0},
    {{"a stride along the last dimension",
      COPY("memref<4x8xf32, strided<[30, 2]>>", "memref<4x8xf32>"),
      {"linalg.copy"},
      "vector"},
     NULL,
     0},
    {{"a stride in the target",
      COPY("memref<4x8xf32>", "memref<4x8xf32, strided<[1, 4]>>"),
      {"linalg.copy"},
      "vector"},
     NULL,
     0},
    {{"sizes that are not known",
      COPY("memref<?x8xf32>", "memref<?x8xf32>"),
      {"linalg.copy"},
      "vector"},
     NULL,
     0},
    {{"single elements",
      COPY("memref<4x1xf32, strided<[30, 1]>>", "memref<4x1xf32>"),
      {"linalg.copy"},
      "vector"},
     NULL,
     0},
    {{"another type", COPY("memref<4x8xbf16>", "memref<4x8xf32>"), {"linalg.copy"}, "vector"},
     NULL,
     0},
    {{"another size in memory",
      COPY("memref<4x8xi24, strided<[30, 1]>>", "memref<4x8xi24>"),
      {"linalg.copy"},
      "vector"},
     NULL,
     0},
    {{"bits", COPY("memref<4x8xi1>", "memref<4x8xi1>"), {"linalg.copy"}, "vector"}, NULL, 0},
    {{"a scalar", COPY("memref<f32>", "memref<f32>"), {"linalg.copy"}, "vector"}, NULL, 0},
    {{"nothing", COPY("memref<0x8xf32>", "memref<0x8xf32>"), {"vector<8xf32>"}, "linalg.copy"},
     "scf.for",
     1},
};

static void copies_become_vectors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i].becomes, context);
    assert_ok(tune_strided_copies_vectorize(module));
    check_case(&CASES[i].becomes, module, CASES[i].word, CASES[i].count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(copies_become_vectors)};
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
