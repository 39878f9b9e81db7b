//===- extract.h - The tasks of a module -------------------------------------===//
//
// Finds all in a module that can be tuned, and names what cannot with the reason. Works on
// a normalized copy (normalize.h) that the extraction keeps; the module given is not
// changed. What goes into one task is told in fusion_groups.h.
//
// A task's payload is a module of its own,
//
//   module {
//   func.func @tune_task(%in…, %destination…) -> (results…) { … }
//   }
//
// with the anchor marked by the unit attribute `tune.anchor`. All structured ops in it are
// linalg.generic or tensor.pad. Each destination is written by the task and, where the task
// starts from its old contents, read.
//
// Tasks of equal structure are one task with several occurrences.
//
// Threads: as the context of the module. A created extraction may be read by many.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_EXTRACT_H
#define TUNE_TRANSFORMS_TASKS_EXTRACT_H

#include "support/digest.h"
#include "support/status.h"
#include "transforms/tasks/fusion_groups.h"
#include "transforms/tasks/task_function.h"

#include "mlir-c/IR.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The attribute of the anchor in a payload, and of task functions: their key.
#define TUNE_ANCHOR_ATTRIBUTE "tune.anchor"
#define TUNE_TASK_ATTRIBUTE "tune.task"

// Where a task is in the module.
typedef struct tune_task_occurrence {
  // The op of the given module that the anchor comes from; null where upstream's passes lost its
  // place. An op in a function that is called more than once may be the anchor of several.
  MlirOperation anchor;
  MlirLocation location; // of `anchor`; where that is null, of the normalized one
  const char *function;  // the function it is in after normalization; owned by the extraction
} tune_task_occurrence;

typedef struct tune_extracted_task {
  tune_digest key;
  tune_task_kind kind;
  char *name;                              // for people, see task_summary.h
  uint64_t flops, bytes, reduction_length; // see task_summary.h; 0: known only at run time
  unsigned allowances;                     // of its products (dialects/allow.h)
  size_t op_count;                         // structured ops in the payload
  bool is_cut;                             // it is what a cut has left of another one
  char *payload;                           // MLIR, as above
  tune_task_occurrence *occurrences;
  size_t occurrence_count; // at least 1
  int64_t runs;            // of all of them, in a call of their function; task_runs.h
  bool is_empty;           // see task_summary.h
  // Of these, so many threads do at once, where all are in loops that threads share
  // (dialects/threads.h): the task itself is for one thread. 1: threads share it, if there are
  // some.
  int64_t at_once;
  MlirLocation location; // of the first occurrence
} tune_extracted_task;

// How often a call of its function runs the task, one after the other: what threads do at once
// counts once, as does each occurrence where it is not known.
size_t tune_extracted_task_runs(const tune_extracted_task *task);

// An op, or ops of one name in a row, that no task has.
typedef struct tune_left_out {
  MlirLocation location; // of the first
  const char *op_name;   // "linalg.pack"; borrowed from the context
  const char *reason;    // static text
  size_t count;
} tune_left_out;

typedef struct tune_extraction {
  tune_extracted_task *tasks; // in the order of their first occurrence
  size_t task_count;
  tune_left_out *left_out;
  size_t left_out_count;

  tune_fusion_cut *cuts;      // of each node of `groups`, owned; NULL: none is cut
  MlirModule normalized;      // owned
  const char *decomposition;  // what came before the passes, see normalize.h; or NULL
  tune_fusion_groups *groups; // of `normalized`
  size_t cpu_threads;         // that the code runs on; 0: on a device
  size_t *task_of_group;      // index into tasks
} tune_extraction;

// Extracts the tasks of all functions of `module` with a body, in the form that CPUs take best
// on `cpu_threads`, or in that of devices with 0 (normalize.h). A module with nothing to tune gives
// an extraction without tasks. `module` must outlive the extraction, unchanged as far as
// `occurrences` are used. Its context needs the dialects func, arith and tensor loaded.
tune_status tune_extract(MlirModule module, size_t cpu_threads, tune_extraction **out_extraction);

// A task that is to be cut apart: fewer ops are joined in what it becomes (fusion_groups.h).
typedef struct tune_task_cut {
  tune_digest key;
  tune_fusion_cut_form form; // or as far as the task can be cut at all; TUNE_CUT_NONE: so far only
} tune_task_cut;

// The same, where these tasks are cut apart. What they become are tasks like any others. A part of
// one that is to be cut too has its key after that. A task that is a single op stays.
tune_status tune_extract_cut(MlirModule module, size_t cpu_threads, const tune_task_cut *cuts,
                             size_t cut_count, tune_extraction **out_extraction);
// How task `task` is cut apart at first; TUNE_CUT_NONE: it is a single op.
tune_fusion_cut_form tune_extraction_find_cut(const tune_extraction *extraction, size_t task);
// The index of the task with that key, or task_count.
size_t tune_extraction_find(const tune_extraction *extraction, const tune_digest *key);
// Whether all that task `task` reads is constant (dialects/constant.h), so that it can be done
// ahead of the calls of its function.
bool tune_extraction_is_of_constants(const tune_extraction *extraction, size_t task);
// Says on functions of `module`, which was extracted, how many images of their batch take turns,
// and through what (transforms/normalize/batches.h): before choices are written, which are for
// that.
void tune_extraction_pin_batches(const tune_extraction *extraction, MlirOperation module);
void tune_extraction_destroy(tune_extraction *extraction);

// Builds the function of group `group`, named `name`, with the anchor noted.
tune_status tune_extract_build_function(const tune_fusion_groups *groups, size_t group,
                                        const char *name, tune_task_function *out_function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_EXTRACT_H
