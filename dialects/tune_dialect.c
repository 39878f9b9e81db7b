//===- tune_dialect.c - The tune dialect in a context ---------------------------===//

#include "dialects/tune_dialect.h"

#include "dialects/domain.h"
#include "dialects/extensible.h"

extern const char tune_dialect_irdl[]; // embedded from tune.irdl.mlir by the build

static MlirStringRef dialect_namespace(void) {
  return mlirStringRefCreateFromCString(TUNE_DIALECT_NAMESPACE);
}

void tune_dialect_register(MlirDialectRegistry registry) {
  tune_extensible_register_dialect(registry, TUNE_DIALECT_NAMESPACE, tune_dialect_irdl,
                                   tune_domain_verify_parameters);
}

static MlirDialect load(MlirContext context) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tune_dialect_register(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  return mlirContextGetOrLoadDialect(context, dialect_namespace());
}

tune_status tune_dialect_load(MlirContext context) {
  if (mlirDialectIsNull(load(context)))
    return tune_status_make(TUNE_INTERNAL, "the tune dialect could not be loaded");
  return TUNE_OK;
}

// What a handle points to: the layout of MlirDialectRegistrationHooks in mlir/CAPI/Registration.h,
// which is a C++ header, for lack of a C one.
static const struct {
  void (*insert)(MlirDialectRegistry registry);
  MlirDialect (*load)(MlirContext context);
  MlirStringRef (*get_namespace)(void);
} hooks = {tune_dialect_register, load, dialect_namespace};

MlirDialectHandle tune_dialect_get_handle(void) { return (MlirDialectHandle){&hooks}; }
