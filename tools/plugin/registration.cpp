//===- registration.cpp - Our passes and dialect in MLIR's C++ registries --------===//

#include "tools/plugin/registration.h"

#include "dialects/tune_dialect.h"
#include "transforms/passes/passes.h"
#include "transforms/structure/rounded_factors.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include <memory>
#include <string>
#include <vector>

using namespace mlir;

namespace {

const char *describe(tune_pass_option_type type) {
  switch (type) {
  case TUNE_PASS_OPTION_STRING:
    return "text";
  case TUNE_PASS_OPTION_INTEGER:
    return "integer";
  case TUNE_PASS_OPTION_SECONDS:
    return "time";
  case TUNE_PASS_OPTION_PERCENT:
    return "percent";
  case TUNE_PASS_OPTION_FLAG:
    return "true|false";
  case TUNE_PASS_OPTION_ENUM:
    return "word";
  }
  return "value";
}

// The options of a pass as MLIR's --help wants them; never parsed into.
struct HelpOptions : PassPipelineOptions<HelpOptions> {
  explicit HelpOptions(const tune_pass_class *passClass) {
    for (size_t i = 0; i < passClass->option_count; ++i)
      options.push_back(std::make_unique<Option<std::string>>(
          *this, passClass->options[i].name, llvm::cl::desc(passClass->options[i].summary),
          llvm::cl::value_desc(describe(passClass->options[i].type))));
  }
  std::vector<std::unique_ptr<Option<std::string>>> options;
};

LogicalResult addPass(const tune_pass_class *passClass, OpPassManager &manager, StringRef options,
                      function_ref<LogicalResult(const Twine &)> emitError) {
  MlirPass pass;
  tune_status status = tune_pass_create_of_class(passClass, options.str().c_str(), &pass);
  if (!tune_status_is_ok(status)) {
    std::string message = tune_status_get_message(status);
    tune_status_free(status);
    return emitError(message);
  }
  manager.addPass(std::unique_ptr<Pass>(unwrap(pass)));
  return success();
}

} // namespace

void tune::registerPasses() {
  tune_rounded_factors_register(); // schedules run it by name
  for (size_t i = 0; i < tune_pass_class_count(); ++i) {
    const tune_pass_class *passClass = tune_pass_class_at(i);
    registerPassPipeline(
        passClass->name, passClass->summary,
        [passClass](OpPassManager &manager, StringRef options,
                    function_ref<LogicalResult(const Twine &)> emitError) {
          return addPass(passClass, manager, options, emitError);
        },
        [passClass](function_ref<void(const mlir::detail::PassOptions &)> show) {
          show(HelpOptions(passClass));
        });
  }
}

void tune::registerDialect(DialectRegistry &registry) { tune_dialect_register(wrap(&registry)); }
