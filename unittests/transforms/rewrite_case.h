//===- rewrite_case.h - What becomes of a module -------------------------------------===//
//
// A case of a test that goes over many small modules. To be included after cmocka.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TRANSFORMS_REWRITE_CASE_H
#define TUNE_UNITTESTS_TRANSFORMS_REWRITE_CASE_H

#include "transforms/ir/ir.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unittests/common/assert_ok.h"

typedef struct rewrite_case {
  const char *name, *text;
  const char *has[3], *lacks; // of what becomes of it; NULL: nothing more
} rewrite_case;

static inline size_t count_words(const char *text, const char *word) {
  size_t found = 0;
  for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
    ++found;
  return found;
}

static inline MlirOperation parse_case(const rewrite_case *one, MlirContext in) {
  MlirOperation module;
  assert_ok(tune_ir_parse(in, one->text, "in.mlir", &module));
  return module;
}

// Checks what the case has become, which is destroyed. Where `word` is not NULL, it is in there
// `count` times.
static inline void check_case(const rewrite_case *one, MlirOperation module, const char *word,
                              size_t count) {
  char *text;
  if (!mlirOperationVerify(module))
    fail_msg("%s: what became of it is not valid", one->name);
  assert_ok(tune_ir_print(module, false, &text));
  bool is_right =
      (!one->lacks || !strstr(text, one->lacks)) && (!word || count_words(text, word) == count);
  for (size_t i = 0; i < 3 && one->has[i]; ++i)
    is_right = is_right && strstr(text, one->has[i]);
  if (!is_right)
    fail_msg("%s: became\n%s", one->name, text);
  free(text);
  mlirOperationDestroy(module);
}

#endif // TUNE_UNITTESTS_TRANSFORMS_REWRITE_CASE_H
