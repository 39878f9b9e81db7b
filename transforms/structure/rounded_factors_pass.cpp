//===- rounded_factors_pass.cpp - The pass by its name, for which there is no C API -===//

#include "transforms/structure/rounded_factors.h"

#include "mlir/CAPI/Pass.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

#include <memory>
#include <mutex>

extern "C" void tune_rounded_factors_register(void) {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerPass(
        [] { return std::unique_ptr<mlir::Pass>(unwrap(tune_rounded_factors_create_pass())); });
  });
}
