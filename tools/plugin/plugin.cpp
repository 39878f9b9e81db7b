//===- plugin.cpp - Our passes and dialect as a plugin of stock mlir-opt ---------===//
//
//   mlir-opt --load-dialect-plugin=tune_plugin.so --load-pass-plugin=tune_plugin.so
//            --pass-pipeline='builtin.module(tune-annotate)' in.mlir
//
// One file is both plugins. mlir-opt reads its command line before it loads them, so that there the
// passes are known in --pass-pipeline only, not as flags of their own.
//
//===--------------------------------------------------------------------------===//

#include "tools/plugin/registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "mlir-tune", TUNE_VERSION, tune::registerPasses};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "mlir-tune", TUNE_VERSION,
          [](mlir::DialectRegistry *registry) { tune::registerDialect(*registry); }};
}
