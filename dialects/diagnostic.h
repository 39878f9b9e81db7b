//===- diagnostic.h - MLIR diagnostics as statuses, and back -----------------===//
//
// MLIR reports through handlers on a context, we return statuses. At the border, one
// becomes the other, and the place in the IR is kept as text, in the form that
// compilers use and editors understand:
//
//   in.mlir:14:8: error: tune.choices: "mc": expected i64 or a string
//   in.mlir:3:1: note: the function is here
//
// so that a status can pass through code that knows no MLIR, and be emitted as a
// located diagnostic again at the end.
//
// Threads: one thread at a time per object. MLIR calls a handler from any thread that
// works on the context, one at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_DIAGNOSTIC_H
#define TUNE_DIALECTS_DIAGNOSTIC_H

#include "support/status.h"
#include "support/string_builder.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

//===--------------------------------------------------------------------------===//
// Locations
//===--------------------------------------------------------------------------===//

// Appends the place in a source file that `location` stands for, "in.mlir:14:8". Names are seen
// through to what they name, calls to the callee, fusions to the first part that has a place.
// "<unknown>" where there is none.
void tune_location_append(tune_string_builder *builder, MlirLocation location);

// Where `op` is. A module without braces, which MLIR says is at line 0 of its file, is where the
// first op in it is, or at line 1 where it is empty.
MlirLocation tune_location_get(MlirOperation op);

// Makes a status whose message is "in.mlir:14:8: error: <formatted>", or just what is formatted
// where `location` has no place in a file.
tune_status tune_status_make_located(tune_status_code code, MlirLocation location,
                                     const char *format, ...) __attribute__((format(printf, 3, 4)));
// The same at the location of `op`.
tune_status tune_status_make_at(tune_status_code code, MlirOperation op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Puts "in.mlir:14:8: error: " before the message of `status`, unless the message tells a place
// already or `location` has none. TUNE_OK stays TUNE_OK.
tune_status tune_status_locate(tune_status status, MlirLocation location);

// Whether the message of `status` tells a place.
bool tune_status_is_located(tune_status status);

//===--------------------------------------------------------------------------===//
// From MLIR to statuses
//===--------------------------------------------------------------------------===//

// Collects the diagnostics of a context from begin to end, instead of letting them reach the
// handlers attached before. Nests, in the manner of a stack.
typedef struct tune_diagnostics {
  MlirContext context;
  MlirDiagnosticHandlerID id;
  bool attached;
  bool only_this_thread;
  pthread_t thread;
  size_t error_count;
  size_t warning_count;
  tune_string_builder errors;   // as above, one per line, with their notes
  tune_string_builder warnings; // the same for warnings; remarks are not kept
} tune_diagnostics;

// `diagnostics` must not move until the end. Collects what any thread says about the context.
void tune_diagnostics_begin(tune_diagnostics *diagnostics, MlirContext context);
// The same, but what other threads say passes on to the handlers attached before.
void tune_diagnostics_begin_thread(tune_diagnostics *diagnostics, MlirContext context);

// Stops collecting. Where `failed`, makes a status with `code` and the errors collected, or with
// "<what> failed" where there were none; otherwise TUNE_OK. The texts stay until deinit.
tune_status tune_diagnostics_end(tune_diagnostics *diagnostics, bool failed, tune_status_code code,
                                 const char *what);
// Also ends, where that was not done.
void tune_diagnostics_deinit(tune_diagnostics *diagnostics);

//===--------------------------------------------------------------------------===//
// From statuses to MLIR
//===--------------------------------------------------------------------------===//

// Emits the message of `status` at the place that it tells, or at `fallback` where it tells none.
// What follows "note: " at the begin of a later line becomes a note. `status` stays the caller's;
// nothing is emitted for TUNE_OK.
void tune_status_emit(tune_status status, MlirLocation fallback);

// Emits a remark or a warning.
void tune_remark_emit(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tune_warning_emit(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_DIAGNOSTIC_H
