//===- padding_test.c - Borders that are filled around a copy -----------------------===//

#include "transforms/lower/cpu/padding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

#define FUNC(BODY)                                                                                 \
  "func.func @f(%s: memref<4x6xf32>, %l: memref<300x200xf32>, %v: f32, %n: index) {\n" BODY        \
  "  return\n}\n"
#define ALLOC "%m = memref.alloc() : memref<7x9xf32>\n"
#define FILL "linalg.fill ins(%v : f32) outs(%m : memref<7x9xf32>)\n"
#define MAP(YIELDED)                                                                               \
  "linalg.map outs(%m : memref<7x9xf32>) (%o: f32) {\n"                                            \
  "  %i = linalg.index 0 : index\n  linalg.yield " YIELDED " : f32\n}\n"
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
  rewrite_case becomes;
  bool has_threads;
  size_t fills; // that are left
} padding_case;

static const padding_case CASES[] = {
    {{"all four sides",
      FUNC(ALLOC FILL VIEW COPY),
      {"%alloc[0, 0] [1, 9] [1, 1]", "%alloc[5, 0] [2, 9] [1, 1]", "%alloc[1, 0] [4, 2] [1, 1]"},
      WHOLE},
     false,
     4},
    {{"what tensor.pad becomes without a schedule",
      FUNC(ALLOC MAP("%v") VIEW COPY),
      {"%alloc[0, 0] [1, 9] [1, 1]", "%alloc[1, 8] [4, 1] [1, 1]"},
      "linalg.map"},
     false,
     4},
    {{"a map of what was there", FUNC(ALLOC MAP("%o") VIEW COPY), {"linalg.map"}, "linalg.fill"},
     false,
     0},
    {{"the last side", FUNC(ALLOC FILL VIEW COPY), {"%alloc[1, 8] [4, 1] [1, 1]"}, WHOLE},
     false,
     4},
    {{"the copy is linalg's",
      FUNC(ALLOC FILL VIEW "linalg.copy ins(%s : memref<4x6xf32>) outs(%p : " PART ")\n"),
      {"linalg.copy"},
      WHOLE},
     false,
     4},
    {{"sides of nothing",
      FUNC(ALLOC FILL "%p = memref.subview %m[0, 2] [7, 6] [1, 1] : memref<7x9xf32> to "
                      "memref<7x6xf32, strided<[9, 1], offset: 2>>\n"
                      "%q = memref.alloc() : memref<7x6xf32>\n"
                      "memref.copy %q, %p : memref<7x6xf32> to memref<7x6xf32, strided<[9, 1], "
                      "offset: 2>>\n"),
      {"%alloc[0, 0] [7, 2] [1, 1]", "%alloc[0, 8] [7, 1] [1, 1]"},
      WHOLE},
     false,
     2},
    {{"it is read before the copy",
      FUNC(ALLOC FILL VIEW "%x = memref.load %m[%n, %n] : memref<7x9xf32>\n"
                           "memref.store %x, %s[%n, %n] : memref<4x6xf32>\n" COPY),
      {WHOLE},
      NULL},
     false,
     1},
    {{"it is read before the copy, through a view",
      FUNC(ALLOC FILL VIEW "%x = memref.load %p[%n, %n] : " PART "\n"
                           "memref.store %x, %s[%n, %n] : memref<4x6xf32>\n" COPY),
      {WHOLE},
      NULL},
     false,
     1},
    {{"the copy is from itself",
      FUNC(ALLOC FILL VIEW "%q = memref.subview %m[0, 0] [4, 6] [1, 1] : memref<7x9xf32> to "
                           "memref<4x6xf32, strided<[9, 1]>>\n"
                           "memref.copy %q, %p : memref<4x6xf32, strided<[9, 1]>> to " PART "\n"),
      {WHOLE},
      NULL},
     false,
     1},
    {{"a copy to a place known at run time",
      FUNC(ALLOC FILL "%p = memref.subview %m[%n, 2] [4, 6] [1, 1] : memref<7x9xf32> to "
                      "memref<4x6xf32, strided<[9, 1], offset: ?>>\n"
                      "memref.copy %s, %p : memref<4x6xf32> to memref<4x6xf32, strided<[9, 1], "
                      "offset: ?>>\n"),
      {WHOLE},
      NULL},
     false,
     1},
    {{"every other element",
      FUNC(ALLOC FILL "%p = memref.subview %m[1, 0] [4, 4] [1, 2] : memref<7x9xf32> to "
                      "memref<4x4xf32, strided<[9, 2], offset: 9>>\n"
                      "%q = memref.alloc() : memref<4x4xf32>\n"
                      "memref.copy %q, %p : memref<4x4xf32> to memref<4x4xf32, strided<[9, 2], "
                      "offset: 9>>\n"),
      {WHOLE},
      NULL},
     false,
     1},
    {{"something else is a view of it",
      FUNC("%m = memref.alloc() : memref<8x8xf32>\n"
           "%t = memref.transpose %m (i, j) -> (j, i) : memref<8x8xf32> to memref<8x8xf32, "
           "strided<[1, 8]>>\n"
           "linalg.fill ins(%v : f32) outs(%m : memref<8x8xf32>)\n"
           "%x = memref.load %t[%n, %n] : memref<8x8xf32, strided<[1, 8]>>\n"
           "memref.store %x, %s[%n, %n] : memref<4x6xf32>\n"
           "%p = memref.subview %m[1, 1] [4, 6] [1, 1] : memref<8x8xf32> to memref<4x6xf32, "
           "strided<[8, 1], offset: 9>>\n"
           "memref.copy %s, %p : memref<4x6xf32> to memref<4x6xf32, strided<[8, 1], offset: 9>>\n"),
      {"outs(%alloc : memref<8x8xf32>)"},
      NULL},
     false,
     1},
    {{"both are filled, then both copied",
      FUNC(ALLOC FILL "%m2 = memref.alloc() : memref<302x200xf32>\n"
                      "linalg.fill ins(%v : f32) outs(%m2 : memref<302x200xf32>)\n" VIEW
                      "%p2 = memref.subview %m2[1, 0] [300, 200] [1, 1] : memref<302x200xf32> to "
                      "memref<300x200xf32, strided<[200, 1], offset: 200>>\n"
                      "linalg.copy ins(%l : memref<300x200xf32>) outs(%p2 : memref<300x200xf32, "
                      "strided<[200, 1], offset: 200>>)\n" COPY),
      {"scf.parallel (%arg4) = (%c0) to (%c300)"},
      WHOLE},
     true,
     6},
    {{"a copy of a shape that is not known",
      FUNC("%m = memref.alloc() : memref<302x200xf32>\n"
           "linalg.fill ins(%v : f32) outs(%m : memref<302x200xf32>)\n"
           "%p = memref.subview %m[1, 0] [300, 200] [1, 1] : memref<302x200xf32> to "
           "memref<300x200xf32, strided<[200, 1], offset: 200>>\n"
           "%u = memref.cast %l : memref<300x200xf32> to memref<*xf32>\n"
           "memref.copy %u, %p : memref<*xf32> to memref<300x200xf32, strided<[200, 1], offset: "
           "200>>\n"),
      {"memref.copy %cast"},
      "scf.parallel"},
     true,
     2},
    {{"large, in rows of a few bytes",
      FUNC("%w = memref.alloc() : memref<40000x2xf32>\n"
           "linalg.fill ins(%v : f32) outs(%w : memref<40000x2xf32>)\n"),
      {"outs(%alloc"},
      "scf.parallel"},
     true,
     1},
    {{"the copy comes in a loop",
      FUNC(ALLOC FILL VIEW "scf.for %i = %n to %n step %n {\n" COPY "}\n"),
      {WHOLE},
      NULL},
     false,
     1},
    {{"large, on one thread", FUNC(LARGE), {"linalg.copy ins(%arg1 : "}, "scf.parallel"}, false, 2},
    {{"large, among threads",
      FUNC(LARGE),
      {"scf.parallel (%arg4) = (%c0) to (%c300)", "subview %arg1[%arg4, 0] [1, 200] [1, 1]",
       "linalg.copy"},
      NULL},
     true,
     2},
    {{"small, among threads", FUNC(ALLOC FILL VIEW COPY), {"memref.copy"}, "scf.parallel"},
     true,
     4},
    {{"a large fill, among threads",
      FUNC(LARGE_FILL),
      {"scf.parallel (%arg4) = (%c0) to (%c300)", "outs(%subview : memref<1x200xf32"},
      NULL},
     true,
     1},
    {{"among threads already",
      FUNC("scf.forall (%i) in (8) {\n" LARGE_FILL "}\n"),
      {"outs(%arg1"},
      "scf.parallel"},
     true,
     1},
    {{"what is packed ahead",
      "func.func @f(%l: memref<300x200xf32>, %v: f32) attributes {tune.ahead} {\n" LARGE_FILL
      "return\n}\n",
      {"outs(%arg0"},
      "scf.parallel"},
     true,
     1},
};

static void borders_are_filled(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    const padding_case *one = &CASES[i];
    MlirOperation module = parse_case(&one->becomes, context);
    assert_ok(tune_padding_lower(module, one->has_threads));
    check_case(&one->becomes, module, "linalg.fill", one->fills);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(borders_are_filled),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
