//===- padding_test.c - Borders that are filled around a copy -----------------------===//

#include "transforms/lower/padding.h"

#include "transforms/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"

#define FUNC(BODY)                                                                                 \
  "func.func @f(%s: memref<4x6xf32>, %l: memref<300x200xf32>, %v: f32, %n: index) {\n" BODY        \
  "  return\n}\n"
#define ALLOC "%m = memref.alloc() : memref<7x9xf32>\n"
#define FILL "linalg.fill ins(%v : f32) outs(%m : memref<7x9xf32>)\n"
#define PART "memref<4x6xf32, strided<[9, 1], offset: 11>>"
#define VIEW "%p = memref.subview %m[1, 2] [4, 6] [1, 1] : memref<7x9xf32> to " PART "\n"
#define COPY "memref.copy %s, %p : memref<4x6xf32> to " PART "\n"
#define LARGE                                                                                      \
  "%m = memref.alloc() : memref<302x200xf32>\n"                                                    \
  "linalg.fill ins(%v : f32) outs(%m : memref<302x200xf32>)\n"                                     \
  "%p = memref.subview %m[1, 0] [300, 200] [1, 1] : memref<302x200xf32> to memref<300x200xf32, "   \
  "strided<[200, 1], offset: 200>>\n"                                                              \
  "linalg.copy ins(%l : memref<300x200xf32>) outs(%p : memref<300x200xf32, strided<[200, 1], "     \
  "offset: 200>>)\n"
#define LARGE_FILL "linalg.fill ins(%v : f32) outs(%l : memref<300x200xf32>)\n"
#define WHOLE "outs(%alloc : memref<7x9xf32>)"

typedef struct padding_case {
  const char *name, *text;
  bool has_threads;
  size_t fills;               // that are left
  const char *has[3], *lacks; // NULL: nothing more
} padding_case;

static const padding_case CASES[] = {
    {"all four sides",
     FUNC(ALLOC FILL VIEW COPY),
     false,
     4,
     {"%alloc[0, 0] [1, 9] [1, 1]", "%alloc[5, 0] [2, 9] [1, 1]", "%alloc[1, 0] [4, 2] [1, 1]"},
     WHOLE},
    {"the last side", FUNC(ALLOC FILL VIEW COPY), false, 4, {"%alloc[1, 8] [4, 1] [1, 1]"}, WHOLE},
    {"the copy is linalg's",
     FUNC(ALLOC FILL VIEW "linalg.copy ins(%s : memref<4x6xf32>) outs(%p : " PART ")\n"),
     false,
     4,
     {"linalg.copy"},
     WHOLE},
    {"sides of nothing",
     FUNC(ALLOC FILL "%p = memref.subview %m[0, 2] [7, 6] [1, 1] : memref<7x9xf32> to "
                     "memref<7x6xf32, strided<[9, 1], offset: 2>>\n"
                     "%q = memref.alloc() : memref<7x6xf32>\n"
                     "memref.copy %q, %p : memref<7x6xf32> to memref<7x6xf32, strided<[9, 1], "
                     "offset: 2>>\n"),
     false,
     2,
     {"%alloc[0, 0] [7, 2] [1, 1]", "%alloc[0, 8] [7, 1] [1, 1]"},
     WHOLE},
    {"it is read before the copy",
     FUNC(ALLOC FILL VIEW "%x = memref.load %m[%n, %n] : memref<7x9xf32>\n"
                          "memref.store %x, %s[%n, %n] : memref<4x6xf32>\n" COPY),
     false,
     1,
     {WHOLE},
     NULL},
    {"it is read before the copy, through a view",
     FUNC(ALLOC FILL VIEW "%x = memref.load %p[%n, %n] : " PART "\n"
                          "memref.store %x, %s[%n, %n] : memref<4x6xf32>\n" COPY),
     false,
     1,
     {WHOLE},
     NULL},
    {"the copy is from itself",
     FUNC(ALLOC FILL VIEW "%q = memref.subview %m[0, 0] [4, 6] [1, 1] : memref<7x9xf32> to "
                          "memref<4x6xf32, strided<[9, 1]>>\n"
                          "memref.copy %q, %p : memref<4x6xf32, strided<[9, 1]>> to " PART "\n"),
     false,
     1,
     {WHOLE},
     NULL},
    {"a copy to a place known at run time",
     FUNC(ALLOC FILL "%p = memref.subview %m[%n, 2] [4, 6] [1, 1] : memref<7x9xf32> to "
                     "memref<4x6xf32, strided<[9, 1], offset: ?>>\n"
                     "memref.copy %s, %p : memref<4x6xf32> to memref<4x6xf32, strided<[9, 1], "
                     "offset: ?>>\n"),
     false,
     1,
     {WHOLE},
     NULL},
    {"every other element",
     FUNC(ALLOC FILL "%p = memref.subview %m[1, 0] [4, 4] [1, 2] : memref<7x9xf32> to "
                     "memref<4x4xf32, strided<[9, 2], offset: 9>>\n"
                     "%q = memref.alloc() : memref<4x4xf32>\n"
                     "memref.copy %q, %p : memref<4x4xf32> to memref<4x4xf32, strided<[9, 2], "
                     "offset: 9>>\n"),
     false,
     1,
     {WHOLE},
     NULL},
    {"something else is a view of it",
     FUNC("%m = memref.alloc() : memref<8x8xf32>\n"
          "%t = memref.transpose %m (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, "
          "strided<[1, 8]>>\n"
          "linalg.fill ins(%v : f32) outs(%m : memref<8x8xf32>)\n"
          "%x = memref.load %t[%n, %n] : memref<8x8xf32, strided<[1, 8]>>\n"
          "memref.store %x, %s[%n, %n] : memref<4x6xf32>\n"
          "%p = memref.subview %m[1, 1] [4, 6] [1, 1] : memref<8x8xf32> to memref<4x6xf32, "
          "strided<[8, 1], offset: 9>>\n"
          "memref.copy %s, %p : memref<4x6xf32> to memref<4x6xf32, strided<[8, 1], offset: 9>>\n"),
     false,
     1,
     {"outs(%alloc : memref<8x8xf32>)"},
     NULL},
    {"both are filled, then both copied",
     FUNC(ALLOC FILL "%m2 = memref.alloc() : memref<302x200xf32>\n"
                     "linalg.fill ins(%v : f32) outs(%m2 : memref<302x200xf32>)\n" VIEW
                     "%p2 = memref.subview %m2[1, 0] [300, 200] [1, 1] : memref<302x200xf32> to "
                     "memref<300x200xf32, strided<[200, 1], offset: 200>>\n"
                     "linalg.copy ins(%l : memref<300x200xf32>) outs(%p2 : memref<300x200xf32, "
                     "strided<[200, 1], offset: 200>>)\n" COPY),
     true,
     6,
     {"scf.parallel (%arg4) = (%c0) to (%c300)"},
     WHOLE},
    {"a copy of a shape that is not known",
     FUNC("%m = memref.alloc() : memref<302x200xf32>\n"
          "linalg.fill ins(%v : f32) outs(%m : memref<302x200xf32>)\n"
          "%p = memref.subview %m[1, 0] [300, 200] [1, 1] : memref<302x200xf32> to "
          "memref<300x200xf32, strided<[200, 1], offset: 200>>\n"
          "%u = memref.cast %l : memref<300x200xf32> to memref<*xf32>\n"
          "memref.copy %u, %p : memref<*xf32> to memref<300x200xf32, strided<[200, 1], offset: "
          "200>>\n"),
     true,
     2,
     {"memref.copy %cast"},
     "scf.parallel"},
    {"large, in rows of a few bytes",
     FUNC("%w = memref.alloc() : memref<40000x2xf32>\n"
          "linalg.fill ins(%v : f32) outs(%w : memref<40000x2xf32>)\n"),
     true,
     1,
     {"outs(%alloc"},
     "scf.parallel"},
    {"the copy comes in a loop",
     FUNC(ALLOC FILL VIEW "scf.for %i = %n to %n step %n {\n" COPY "}\n"),
     false,
     1,
     {WHOLE},
     NULL},
    {"large, on one thread", FUNC(LARGE), false, 2, {"linalg.copy ins(%arg1 : "}, "scf.parallel"},
    {"large, among threads",
     FUNC(LARGE),
     true,
     2,
     {"scf.parallel (%arg4) = (%c0) to (%c300)", "subview %arg1[%arg4, 0] [1, 200] [1, 1]",
      "linalg.copy"},
     NULL},
    {"small, among threads", FUNC(ALLOC FILL VIEW COPY), true, 4, {"memref.copy"}, "scf.parallel"},
    {"a large fill, among threads",
     FUNC(LARGE_FILL),
     true,
     1,
     {"scf.parallel (%arg4) = (%c0) to (%c300)", "outs(%subview : memref<1x200xf32"},
     NULL},
    {"among threads already",
     FUNC("scf.forall (%i) in (8) {\n" LARGE_FILL "}\n"),
     true,
     1,
     {"outs(%arg1"},
     "scf.parallel"},
    {"what is packed ahead",
     "func.func @f(%l: memref<300x200xf32>, %v: f32) attributes {tune.ahead} {\n" LARGE_FILL
     "return\n}\n",
     true,
     1,
     {"outs(%arg0"},
     "scf.parallel"},
};

static size_t count(const char *text, const char *word) {
  size_t found = 0;
  for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
    ++found;
  return found;
}

static void borders_are_filled(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    const padding_case *one = &CASES[i];
    MlirOperation module;
    char *text;
    assert_ok(tune_ir_parse(context, one->text, "in.mlir", &module));
    assert_ok(tune_padding_open(module, one->has_threads));
    if (!mlirOperationVerify(module))
      fail_msg("%s: what became of it is not valid", one->name);
    assert_ok(tune_ir_print(module, false, &text));
    bool is_right =
        count(text, "linalg.fill") == one->fills && (!one->lacks || !strstr(text, one->lacks));
    for (size_t j = 0; j < 3 && one->has[j]; ++j)
      is_right = is_right && strstr(text, one->has[j]);
    if (!is_right)
      fail_msg("%s: became\n%s", one->name, text);
    free(text);
    mlirOperationDestroy(module);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(borders_are_filled),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
