//===- context.c - The MLIR context of processes that build ------------------===//

#include "tools/tune-worker/context.h"

#include "dialects/tune_dialect.h"
#include "transforms/schedule/quick_messages.h"

#include "mlir-c/RegisterEverything.h"

tune_status tune_worker_context_create(MlirContext *out_context) {
  tune_quick_messages_allow();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  tune_dialect_register(registry);
  mlirRegisterAllPasses();
  *out_context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(*out_context);
  return tune_dialect_load(*out_context);
}
