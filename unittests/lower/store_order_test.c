//===- store_order_test.c - Stores of vectors in the order of their places -----------------===//

#include "transforms/lower/cpu/store_order.h"

#include "transforms/lower/cpu/backend/llvm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "llvm-c/Core.h"
#include "llvm-c/IRReader.h"

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// Stores of %v, %w and %u with constants %c0, %c1, %c4 and %c8, and an index %i.
#define FUNCTION(BODY)                                                                             \
  "func.func @f(%v: vector<8xf32>, %w: vector<8xf32>, %u: vector<8xf32>,\n"                        \
  "             %m: memref<2x16xf32>, %i: index) -> vector<16xf32> {\n"                            \
  "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"                           \
  "  %c4 = arith.constant 4 : index\n  %c8 = arith.constant 8 : index\n"                           \
  "  %a = memref.alloca() : memref<2x16xf32>\n"                                                    \
  "  %b = memref.alloca() : memref<2x16xf32>\n" BODY                                               \
  "  %r = vector.load %a[%c0, %c0] : memref<2x16xf32>, vector<16xf32>\n"                           \
  "  return %r : vector<16xf32>\n}\n"
#define STORE(VALUE, PLACE)                                                                        \
  "  vector.store " VALUE ", " PLACE " : memref<2x16xf32>, vector<8xf32>\n"
#define PRINTED(VALUE, PLACE) "  " STORE(VALUE, PLACE)

static const rewrite_case CASES[] = {
    {"from the last to the first",
     FUNCTION(STORE("%u", "%a[%c1, %c0]") STORE("%w", "%a[%c0, %c8]") STORE("%v", "%a[%c0, %c0]")),
     {PRINTED("%arg0", "%alloca[%c0, %c0]") PRINTED("%arg1", "%alloca[%c0, %c8]")
          PRINTED("%arg2", "%alloca[%c1, %c0]")},
     NULL},
    {"in a loop",
     FUNCTION("  scf.for %j = %c0 to %c8 step %c1 {\n" STORE("%w", "%a[%c0, %c8]")
                  STORE("%v", "%a[%c0, %c0]") "  }\n"),
     {"  " PRINTED("%arg0", "%alloca[%c0, %c0]") "  " PRINTED("%arg1", "%alloca[%c0, %c8]")},
     NULL},
    {"two buffers, one after the other",
     FUNCTION(STORE("%w", "%a[%c0, %c8]") STORE("%v", "%a[%c0, %c0]") STORE("%w", "%b[%c1, %c8]")
                  STORE("%u", "%b[%c0, %c0]")),
     {PRINTED("%arg0", "%alloca[%c0, %c0]") PRINTED("%arg1", "%alloca[%c0, %c8]")
          PRINTED("%arg2", "%alloca_0[%c0, %c0]") PRINTED("%arg1", "%alloca_0[%c1, %c8]")},
     NULL},
    {"stores that overlap: the later one wins",
     FUNCTION(STORE("%w", "%a[%c0, %c4]") STORE("%v", "%a[%c0, %c0]")),
     {PRINTED("%arg1", "%alloca[%c0, %c4]") PRINTED("%arg0", "%alloca[%c0, %c0]")},
     NULL},
    {"a load between",
     FUNCTION(STORE("%w", "%a[%c0, %c8]") "  %x = vector.load %a[%c0, %c0] : memref<2x16xf32>, "
                                          "vector<8xf32>\n" STORE("%v", "%a[%c0, %c0]")
                                              STORE("%x", "%a[%c1, %c0]")),
     {PRINTED("%arg1", "%alloca[%c0, %c8]") "    %0 = vector.load"},
     NULL},
    {"places that are not known",
     FUNCTION(STORE("%w", "%a[%c0, %i]") STORE("%v", "%a[%c0, %c0]")),
     {PRINTED("%arg1", "%alloca[%c0, %arg4]") PRINTED("%arg0", "%alloca[%c0, %c0]")},
     NULL},
    {"memory that is not of the stack",
     FUNCTION(STORE("%w", "%m[%c0, %c8]") STORE("%v", "%m[%c0, %c0]")),
     {PRINTED("%arg1", "%arg3[%c0, %c8]") PRINTED("%arg0", "%arg3[%c0, %c0]")},
     NULL},
};

static void stores_are_in_the_order_of_their_places(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i], context);
    assert_ok(tune_store_order_run(module));
    check_case(&CASES[i], module, NULL, 0);
  }
}

// What store_order.h tells of: LLVM puts %low and %high together where %high is stored.
static const char BROKEN_BY_SROA[] =
    "define <16 x float> @f(<8 x float> %low, <8 x float> %high) {\n"
    "  %memory = alloca [16 x float], align 64\n"
    "  %upper = getelementptr i8, ptr %memory, i64 32\n"
    "  %a = fmul <8 x float> %high, %high\n"
    "  store <8 x float> %a, ptr %upper, align 32\n"
    "  %b = fmul <8 x float> %low, %a\n"
    "  store <8 x float> %b, ptr %memory, align 32\n"
    "  %all = load <16 x float>, ptr %memory, align 64\n"
    "  ret <16 x float> %all\n"
    "}\n";

static void code_that_llvm_breaks_is_an_error(void **state) {
  (void)state;
  tune_llvm_target target;
  assert_ok(tune_llvm_target_init(&target, NULL, "x86-64-v3", NULL));
  LLVMContextRef llvm = LLVMContextCreate();
  LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRange(
      BROKEN_BY_SROA, sizeof BROKEN_BY_SROA - 1, "in.ll", true);
  LLVMModuleRef module;
  char *message = NULL;
  if (LLVMParseIRInContext(llvm, text, &module, &message))
    fail_msg("%s", message);
  tune_llvm_options options = tune_llvm_options_default();
  tune_status status = tune_llvm_optimize(module, &target, &options);
  assert_int_equal(tune_status_get_code(status), TUNE_INTERNAL);
  assert_non_null(strstr(tune_status_get_message(status), "does not dominate"));
  tune_status_free(status);
  LLVMDisposeModule(module);
  LLVMContextDispose(llvm);
  tune_llvm_target_deinit(&target);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stores_are_in_the_order_of_their_places),
      cmocka_unit_test(code_that_llvm_breaks_is_an_error),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
