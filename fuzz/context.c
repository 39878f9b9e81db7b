//===- context.c - One context for all inputs ------------------------------------------===//

#include "fuzz/context.h"

#include "dialects/tune_dialect.h"
#include "fuzz/fuzz.h"
#include "unittests/transforms/mlir_context.h"

#define DEEPEST 64

MlirContext fuzz_context(void) {
  static MlirContext context;
  if (!mlirContextIsNull(context))
    return context;
  context = make_full_context();
  mlirContextLoadAllAvailableDialects(context);
  fuzz_require(fuzz_accept(tune_dialect_load(context)), "our dialect");
  return context;
}

bool fuzz_nests_deep(const char *text) {
  int depth = 0;
  for (; *text; ++text) {
    depth += *text == '(' || *text == '[' || *text == '{' || *text == '<';
    depth -= *text == ')' || *text == ']' || *text == '}';
    if (depth > DEEPEST)
      return true;
  }
  return false;
}
