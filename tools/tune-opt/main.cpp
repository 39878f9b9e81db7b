//===- main.cpp - tune-opt: mlir-opt with our passes and dialect -----------------===//
//
// All that upstream has is registered, so that every flag of mlir-opt works and everything
// that mlir-opt reads can be tuned. docs/tune-opt.md is the manual.
//
//===--------------------------------------------------------------------------===//

#include "tools/plugin/registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  tune::registerDialect(registry);
  tune::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tune-opt: mlir-opt that tunes\n", registry));
}
