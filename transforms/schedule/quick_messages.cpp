//===- quick_messages.cpp - What the C API does not have of printing ops ----------===//

#include "transforms/schedule/quick_messages.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/CommandLine.h"

static bool isAllowed = false, isQuick = false;

// An option that upstream does not have any more costs time, and nothing else.
static void set(llvm::StringRef name, llvm::StringRef value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found == options.end())
    return;
  found->second->reset();
  found->second->addOccurrence(0, name, value);
}

static void setQuick(bool quick) {
  if (!isAllowed || isQuick == quick)
    return;
  set("mlir-print-assume-verified", quick ? "true" : "false");
  set("mlir-print-skip-regions", quick ? "true" : "false");
  isQuick = quick;
}

void tune_quick_messages_allow(void) {
  mlir::registerAsmPrinterCLOptions();
  isAllowed = true;
}

void tune_quick_messages_begin(void) { setQuick(true); }

bool tune_quick_messages_end(void) {
  bool wasQuick = isQuick;
  setQuick(false);
  return wasQuick;
}
