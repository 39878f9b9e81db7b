//===- mlir_context.h - A context for tests that parse and build --------------------===//

#ifndef TUNE_UNITTESTS_TRANSFORMS_MLIR_CONTEXT_H
#define TUNE_UNITTESTS_TRANSFORMS_MLIR_CONTEXT_H

#include "dialects/tune_dialect.h"

#include "mlir-c/RegisterEverything.h"

// A single-threaded context with all of upstream and the tune dialect; once per program.
static inline MlirContext make_full_context(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  tune_dialect_register(registry);
  mlirRegisterAllPasses();
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(context);
  return context;
}

#endif // TUNE_UNITTESTS_TRANSFORMS_MLIR_CONTEXT_H
