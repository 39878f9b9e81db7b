//===- openmp_noalias_test.c - Memory that threads know not to overlap --------------------===//

#include "transforms/lower/cpu/backend/openmp_noalias.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llvm-c/Core.h"
#include "llvm-c/IRReader.h"

// Memory %x and %y goes from @f to @work, which reads the one and writes the other.
#define CALLER(ARGUMENTS, X, Y, MORE)                                                              \
  "declare void @__kmpc_fork_call(ptr, i32, ptr, ...)\n"                                           \
  "declare noalias ptr @take(i64)\n"                                                               \
  "declare ptr @find(i64)\n"                                                                       \
  "define void @f(" ARGUMENTS ") {\n"                                                              \
  "  %x.0 = insertvalue {ptr, ptr, i64} poison, ptr null, 0\n"                                     \
  "  %x.kept = alloca {ptr, ptr, i64}\n"                                                           \
  "  %y.kept = alloca {ptr, ptr, i64}\n"                                                           \
  "  %struct = alloca {ptr, ptr}\n" X "  %x.1 = insertvalue {ptr, ptr, i64} %x.0, ptr %x, 1\n" Y   \
  "  %y.1 = insertvalue {ptr, ptr, i64} poison, ptr %y, 1\n"                                       \
  "  store {ptr, ptr, i64} %x.1, ptr %x.kept\n"                                                    \
  "  store {ptr, ptr, i64} %y.1, ptr %y.kept\n" MORE                                               \
  "  %first = getelementptr {ptr, ptr}, ptr %struct, i32 0, i32 0\n"                               \
  "  store ptr %x.kept, ptr %first\n"                                                              \
  "  %second = getelementptr {ptr, ptr}, ptr %struct, i32 0, i32 1\n"                              \
  "  store ptr %y.kept, ptr %second\n"                                                             \
  "  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr null, i32 1, ptr @work, ptr %struct)\n"  \
  "  ret void\n"                                                                                   \
  "}\n"
#define WORK                                                                                       \
  "define internal void @work(ptr %id, ptr %zero, ptr %struct) {\n"                                \
  "  %first = getelementptr {ptr, ptr}, ptr %struct, i32 0, i32 0\n"                               \
  "  %x.kept = load ptr, ptr %first\n"                                                             \
  "  %second = getelementptr {ptr, ptr}, ptr %struct, i32 0, i32 1\n"                              \
  "  %y.kept = load ptr, ptr %second\n"                                                            \
  "  %x.memory = load {ptr, ptr, i64}, ptr %x.kept\n"                                              \
  "  %y.memory = load {ptr, ptr, i64}, ptr %y.kept\n"                                              \
  "  %x = extractvalue {ptr, ptr, i64} %x.memory, 1\n"                                             \
  "  %y = extractvalue {ptr, ptr, i64} %y.memory, 1\n"                                             \
  "  %x.at = getelementptr float, ptr %x, i64 4\n"                                                 \
  "  %value = load float, ptr %x.at\n"                                                             \
  "  store float %value, ptr %y\n"                                                                 \
  "  ret void\n"                                                                                   \
  "}\n"
#define BOTH "ptr noalias %x, ptr noalias %y"
#define TAKE(NAME) "  %" NAME " = call ptr @take(i64 8)\n"
#define FIND(NAME) "  %" NAME " = call ptr @find(i64 8)\n"
#define X_SCOPES "load float, ptr %x.at, align 4, !alias.scope !0, !noalias !3"
#define Y_SCOPES "store float %value, ptr %y, align 4, !alias.scope !3, !noalias !0"

typedef struct outlined_case {
  const char *name, *text;
  bool is_told;
} outlined_case;

static const outlined_case CASES[] = {
    {"arguments that overlap with nothing", CALLER(BOTH, "", "", "") WORK, true},
    {"memory that was taken", CALLER("", TAKE("x"), TAKE("y"), "") WORK, true},
    {"one of each", CALLER("ptr noalias %x", "", TAKE("y"), "") WORK, true},
    {"arguments that may overlap", CALLER("ptr %x, ptr %y", "", "", "") WORK, false},
    {"one argument that may overlap", CALLER("ptr noalias %x, ptr %y", "", "", "") WORK, false},
    {"memory that was found", CALLER("", TAKE("x"), FIND("y"), "") WORK, false},
    {"the same memory twice",
     CALLER("ptr noalias %x", "", "  %y = getelementptr i8, ptr %x, i64 0\n", "") WORK, false},
    {"written again", CALLER(BOTH, "", "", "  store {ptr, ptr, i64} %x.1, ptr %y.kept\n") WORK,
     false},
};

static void memory_is_told_apart(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    const outlined_case *one = &CASES[i];
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(one->text, strlen(one->text), "in.ll");
    if (LLVMParseIRInContext(context, buffer, &module, &message))
      fail_msg("%s: %s", one->name, message);
    tune_openmp_noalias_declare(module);
    char *text = LLVMPrintModuleToString(module);
    bool is_told = strstr(text, X_SCOPES) && strstr(text, Y_SCOPES);
    if (is_told != one->is_told || (!is_told && strstr(text, "!alias.scope")))
      fail_msg("%s: became\n%s", one->name, text);
    LLVMDisposeMessage(text);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
