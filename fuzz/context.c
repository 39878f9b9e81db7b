//===- context.c - One context for all inputs ------------------------------------------===//

#include "fuzz/context.h"

#include "dialects/tune_dialect.h"
#include "fuzz/fuzz.h"

#include "mlir-c/RegisterEverything.h"

#define DEEPEST 64

MlirContext fuzz_context(void) {
  static MlirContext context;
  if (!mlirContextIsNull(context))
    return context;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  tune_dialect_register(registry);
  mlirRegisterAllPasses();
  context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
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
