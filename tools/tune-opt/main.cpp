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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

// MLIR empties the output before it reads the input.
static bool wouldLoseInput(llvm::StringRef input, llvm::StringRef output) {
  return llvm::sys::fs::is_regular_file(output) && llvm::sys::fs::equivalent(input, output);
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  tune::registerDialect(registry);
  tune::registerPasses();
  llvm::cl::AddExtraVersionPrinter(
      [](llvm::raw_ostream &stream) { stream << "tune-opt " TUNE_VERSION "\n"; });
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "tune-opt: mlir-opt that tunes\n", registry);
  if (wouldLoseInput(input, output)) {
    llvm::errs() << "tune-opt: the output " << output
                 << " is the input, which would be lost; give another name to -o\n";
    return 1;
  }
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
