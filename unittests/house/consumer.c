//===- consumer.c - A program that uses what was installed ---------------------------===//
//
// Built by install_test.cmake against the CMake package and against the pkg-config file.
//
//===--------------------------------------------------------------------------===//

#include <mlir-tune/dialects/tune_dialect.h>
#include <mlir-tune/support/status.h>
#include <mlir-tune/transforms/passes/passes.h>
#include <mlir-tune/tuning/space/config.h>

#include <mlir-c/Diagnostics.h>
#include <mlir-c/IR.h>
#include <mlir-c/Pass.h>
#include <mlir-c/RegisterEverything.h>
#include <stdio.h>

static const char module_text[] =
    "func.func @main(%a: tensor<32x64xf32>, %b: tensor<64x32xf32>, %c: tensor<32x32xf32>)\n"
    "    -> tensor<32x32xf32> {\n"
    "  %r = linalg.matmul ins(%a, %b : tensor<32x64xf32>, tensor<64x32xf32>)\n"
    "                     outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>\n"
    "  return %r : tensor<32x32xf32>\n"
    "}\n";

static void print_text(MlirStringRef text, void *user_data) {
  (void)user_data;
  fwrite(text.data, 1, text.length, stdout);
}

static MlirLogicalResult print_error(MlirDiagnostic diagnostic, void *user_data) {
  mlirDiagnosticPrint(diagnostic, print_text, user_data);
  printf("\n");
  return mlirLogicalResultSuccess();
}

// Tunes the module, with made-up times, and prints what became of it, or what is wrong.
static tune_status tune_module(MlirContext context) {
  MlirPass pass;
  TUNE_RETURN_IF_ERROR(
      tune_pass_create("tune-search", "target=null trials=4 db=:memory: report=quiet", &pass));
  MlirPassManager manager = mlirPassManagerCreate(context);
  mlirPassManagerAddOwnedPass(manager, pass);
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(module_text));
  MlirOperation op = mlirModuleGetOperation(module);
  if (mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, op)))
    mlirOperationPrint(op, print_text, NULL);
  mlirModuleDestroy(module);
  mlirPassManagerDestroy(manager);
  return TUNE_OK;
}

// Without upstream's passes it says so, with them it tunes.
static tune_status tune_in_vain_and_right(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  mlirContextAttachDiagnosticHandler(context, print_error, NULL, NULL);
  tune_status status = tune_dialect_load(context);
  if (tune_status_is_ok(status))
    status = tune_module(context);
  if (tune_status_is_ok(status)) {
    mlirRegisterAllPasses();
    status = tune_module(context);
  }
  mlirContextDestroy(context);
  return status;
}

// One call into each of tuning/, dialects/ and MLIR, and a message that says it went well.
static tune_status use_everything(void) {
  tune_space *space;
  TUNE_RETURN_IF_ERROR(tune_space_create(&space));
  int64_t values[] = {8, 16, 32};
  const tune_knob knob = {.name = (char *)"mr",
                          .level = TUNE_LEVEL_LINALG,
                          .is_ordered = true,
                          .value_count = 3,
                          .values = values};
  tune_status status = tune_space_add_knob(space, &knob);
  if (tune_status_is_ok(status))
    printf("a space of %llu\n", (unsigned long long)tune_space_size(space));
  tune_space_destroy(space);
  TUNE_RETURN_IF_ERROR(status);

  MlirContext context = mlirContextCreate();
  status = tune_dialect_load(context);
  if (tune_status_is_ok(status)) {
    MlirAttribute attribute =
        mlirAttributeParseGet(context, mlirStringRefCreateFromCString("#tune.tile<[8, 16]>"));
    printf("a domain %s\n", mlirAttributeIsNull(attribute) ? "that does not parse" : "parsed");
  }
  mlirContextDestroy(context);
  TUNE_RETURN_IF_ERROR(status);
  return tune_in_vain_and_right();
}

int main(void) {
  tune_status status = use_everything();
  if (!tune_status_is_ok(status))
    fprintf(stderr, "consumer: %s\n", tune_status_get_message(status));
  int failed = !tune_status_is_ok(status);
  tune_status_free(status);
  return failed;
}
