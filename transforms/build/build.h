//===- build.h - Building a task: from its text and a config to code ---------===//
//
// A tune_build_task is what a worker keeps of a task: payload and schedule parsed once,
// the space and the signature read off them. Each build works on clones, so that a task
// can be built any number of times, by one process or by forked children.
//
// Threads: one at a time; as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_BUILD_BUILD_H
#define TUNE_TRANSFORMS_BUILD_BUILD_H

#include "transforms/ir/signature.h"
#include "transforms/lower/lowering.h"
#include "tuning/space/config.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_build_source {
  const char *payload;         // the text of a module; NULL: read payload_source
  const char *payload_source;  // its file, or what messages call it
  const char *schedule;        // the text of a transform module; NULL: read schedule_source
  const char *schedule_source; // its file or name; NULL with NULL above: nothing is scheduled
  const char *allowed_passes;  // that it may run beside those listed (schedule_passes.h), or NULL
  const char *function;        // the entry; NULL: see tune_ir_find_function
  bool is_run; // by tune-measure, which takes no scalar results (lower/common/scalar_results.h)
  // What arguments leave open gets these sizes (lower/common/fixed_sizes.h); none: it stays.
  const int64_t *sizes;
  size_t size_count;
} tune_build_source;

typedef struct tune_build_task tune_build_task;

// Parses and reads `source`. Errors tell the place in the payload or the schedule.
tune_status tune_build_task_create(MlirContext context, const tune_build_source *source,
                                   tune_build_task **out_task);
void tune_build_task_destroy(tune_build_task *task);

// Borrowed. The space has no knobs where there is no schedule or nothing is open in it.
const tune_space *tune_build_task_get_space(const tune_build_task *task);
const tune_function_signature *tune_build_task_get_signature(const tune_build_task *task);
const char *tune_build_task_get_function(const tune_build_task *task);
// The payload, prepared: a module of the entry and what it calls.
MlirOperation tune_build_task_get_payload(const tune_build_task *task);

// The schedule decided by `config`; mlirOperationDestroy it. FAILED_PRECONDITION without a
// schedule.
tune_status tune_build_task_decide(const tune_build_task *task, const tune_config *config,
                                   MlirOperation *out_schedule);
// The payload with the decided schedule applied to it; mlirOperationDestroy it. A NULL `config`, or
// no schedule, gives the payload as it is.
tune_status tune_build_task_transform(const tune_build_task *task, const tune_config *config,
                                      MlirOperation *out_module);

// Transforms and lowers. A NULL `config` builds the plain lowering (lower/cpu/cpu.h), whatever the
// lowering is for. tune_code_deinit what comes of it, also where it fails.
tune_status tune_build_task_run(const tune_build_task *task, tune_lowering *lowering,
                                const tune_config *config, tune_emit emit, tune_code *out_code);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_BUILD_BUILD_H
