//===- schedule_result.h - The check of what a schedule left -----------------===//
//
// A schedule is data, yet its ops can write attributes of any name (transform.annotate), and make
// any op (PDL's rewrites, transform.structured.replace). Some of that goes to the assembler and the
// linker as it is: assembly of a module (`llvm.module_asm`) may include files or add constructors,
// `passthrough` and `section` say what becomes of a function, a declaration binds to whatever the
// process has of that name. So what a schedule has left is compared with what it was given. New
// may be:
//
//   ops         of dialects that reach LLVM as they are (llvm, nvvm, func, gpu, ...) those that
//               compute, access memory, branch and call what is named; the assembly that our own
//               rules write
//   attributes  of modules, functions and globals those that such ops always have, and `tune.*`; of
//               other ops all but `llvm.*`
//   symbols     functions with a body, globals with a value; of declarations what upstream's
//               conversions ask libm and the C library for
//
// and public functions stay under their names, of their types (a tensor may be a memref). What the
// payload had is the payload's.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_RESULT_H
#define TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_RESULT_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Refuses, with the place, what in `schedule` would give functions other names or types, or calls
// other callees, with nothing else following: upstream's bufferization takes for granted that they
// agree, and crashes where they don't.
tune_status tune_schedule_check_annotations(MlirOperation schedule);

// What was there before a schedule. The names and attributes are those of the context, so that it
// stays valid when the payload changes.
typedef struct tune_schedule_given {
  MlirOperation payload;
  struct tune_given_item *items; // what is not everybody's to have
  size_t count, capacity;
  struct tune_given_function *functions; // all symbols, of which some are functions
  size_t function_count, function_capacity;
  bool failed; // no memory
} tune_schedule_given;

// Notes down what `payload` has. OUT_OF_MEMORY.
tune_status tune_schedule_given_init(tune_schedule_given *given, MlirOperation payload);
void tune_schedule_given_deinit(tune_schedule_given *given);

// Refuses what `payload` has by now and a schedule may not add or change: INVALID_ARGUMENT, at the
// op of `schedule` that names it, or where none does at the payload's.
tune_status tune_schedule_given_compare(const tune_schedule_given *given, MlirOperation payload,
                                        MlirOperation schedule);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_RESULT_H
