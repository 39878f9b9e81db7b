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

#include <csignal>

// MLIR empties the output before it reads the input.
static bool wouldLoseInput(llvm::StringRef input, llvm::StringRef output) {
  return llvm::sys::fs::is_regular_file(output) && llvm::sys::fs::equivalent(input, output);
}

// A shell has jobs in the background ignore Ctrl-C, nohup a terminal that is gone. LLVM takes such
// signals all the same, removes the output over them, and goes on, since they are ignored.
static void blockIgnoredSignals() {
  sigset_t ignored;
  sigemptyset(&ignored);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction found;
    if (sigaction(number, nullptr, &found) == 0 && found.sa_handler == SIG_IGN)
      sigaddset(&ignored, number);
  }
  pthread_sigmask(SIG_BLOCK, &ignored, nullptr);
}

int main(int argc, char **argv) {
  blockIgnoredSignals(); // before there are threads, which inherit it
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
