//===- code.h - Translation of the LLVM dialect to machine code --------------===//
//
// The second half of a build: the lowered module becomes LLVM IR, gets the entry (entry.h) and
// is optimised and emitted. Parts (function_modules.h) are optimised each by its own decisions,
// before they are linked to the rest; nothing is optimised across them, as nothing was when they
// were measured.
//
// Threads: one at a time per MLIR context; LLVM's context is made for the call.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_CODE_H
#define TUNE_TRANSFORMS_LOWER_CPU_CODE_H

#include "transforms/lower/cpu/cpu.h"
#include "transforms/lower/cpu/function_modules.h"
#include "transforms/lower/cpu/weights/prepack.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_code_source {
  MlirOperation module; // in the LLVM dialect
  const tune_function_modules *parts;
  const char *function; // the entry
  const tune_function_signature *signature;
  const tune_prepack *prepack;
  const tune_llvm_options *options; // of what is no part
  bool is_unordered;                // unordered.h
  bool times_tasks;                 // calls of parts are timed (backend/task_times.h)
} tune_code_source;

// Emits LLVM IR, assembly or an object file into `code`, and adds to its report. INVALID_ARGUMENT
// with MLIR's diagnostics for what cannot be translated.
tune_status tune_code_generate(const tune_code_source *source, const tune_llvm_target *target,
                               tune_emit emit, tune_code *code);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_CODE_H
