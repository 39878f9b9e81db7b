//===- build_order.h - What is to be built, and the code that comes of it ----===//
//
// The order and the code of every way of lowering: the CPU's (cpu/cpu.h), a device's
// (device_lowering.h), and that which picks one of them (lowering.h).
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_BUILD_ORDER_H
#define TUNE_TRANSFORMS_LOWER_COMMON_BUILD_ORDER_H

#include "transforms/ir/signature.h"
#include "transforms/lower/common/code_report.h"

#include "mlir-c/IR.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// All that it points to is borrowed for the run.
typedef struct tune_build_order {
  MlirOperation module; // used up: it is left as whatever the lowering made of it
  const char *function; // the entry
  const tune_function_signature *signature; // of the function before its schedule
  bool plain;                               // the reference (cpu/cpu.h), whatever is lowered for
  tune_emit emit;
  bool times_tasks; // on CPUs the code times the tasks that it calls (cpu/backend/task_times.h)
} tune_build_order;

// A run sets all of it, also where it fails; tune_code_deinit it in either case.
typedef struct tune_code {
  char *bytes; // with a NUL after them; NULL where the run failed
  size_t size;
  tune_code_report report;
} tune_code;

void tune_code_deinit(tune_code *code);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_BUILD_ORDER_H
