//===- passes.h - Our passes, in C -------------------------------------------===//
//
// A pass is a row of a table: name, summary, options and a function that runs on a
// module. From the table they are registered by name (tools/plugin/registration.cpp), or
// created from C:
//
//   MlirPass pass;
//   tune_status status = tune_pass_create("tune-annotate", "target=cpu", &pass);
//   if (tune_status_is_ok(status))
//     mlirPassManagerAddOwnedPass(manager, pass);
//
// The program registers upstream's dialects in its context (mlirRegisterAllDialects) and, once,
// upstream's passes (mlirRegisterAllPasses): schedules name them. tune-search, and whatever else
// starts servers, finds tune-worker and tune-measure as support/process.h says.
//
// All of them run on builtin.module. Before a pass runs, the choices in the module are
// verified; what the pass returns as a failure becomes an error of MLIR at the place that
// the status tells, and the pass manager stops.
//
// A new pass implements one tune_pass_class and adds one line here and one to the table in
// passes.c.
//
// Threads: the table is constant. A created pass follows MLIR's rules for passes; its run
// function may be called by several threads on different modules.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PASSES_PASSES_H
#define TUNE_TRANSFORMS_PASSES_PASSES_H

#include "transforms/ir/ir.h"
#include "transforms/passes/pass_options.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_pass_class {
  const char *name;                // "tune-annotate"
  const char *summary;             // one line, for --help
  const tune_pass_option *options; // may be NULL
  size_t option_count;
  // The dialects that the pass makes ops, types or attributes of, besides tune: they are loaded
  // before it runs, because nothing may be loaded while passes run. NULL, or NULL-terminated.
  const tune_dialect_getter *dialects;
  // Runs on a builtin.module, which it may change. A failure should tell its place
  // (dialects/diagnostic.h); the module's is taken otherwise.
  tune_status (*run)(MlirOperation module, const tune_pass_options *options);
} tune_pass_class;

size_t tune_pass_class_count(void);
const tune_pass_class *tune_pass_class_at(size_t index);

// Makes the pass `name` with `options` (as in pass_options.h; NULL for none). It belongs to the
// caller until it is added to a pass manager. INVALID_ARGUMENT for wrong options; NOT_FOUND for a
// wrong name lists the passes, and the nearest to it.
tune_status tune_pass_create(const char *name, const char *options, MlirPass *out_pass);
// The same for a class, which need not be in the table and must outlive the pass.
tune_status tune_pass_create_of_class(const tune_pass_class *pass_class, const char *options,
                                      MlirPass *out_pass);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PASSES_PASSES_H
