//===- remote_builder.h - Builds of artifacts for other machines -------------===//
//
// tune-worker as one sees it who only builds: the artifacts of a task's configs, and the
// reference that they are compared with, which runs where they do. Builds run
// side by side on all cores. Artifacts lie in a scratch folder that goes with the builder.
// A tune-worker that ends is not started again: whatever talks to it is UNAVAILABLE then, with how
// it ended and what it said.
//
// Threads: one thread at a time per builder, and the one that created it has to live as long
// as it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_REMOTE_REMOTE_BUILDER_H
#define TUNE_TUNING_REMOTE_REMOTE_BUILDER_H

#include "tuning/evaluators/process.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_remote_builder tune_remote_builder;

// Starts tune-worker. What `options` point to is borrowed; what is about measuring is not looked
// at, and limits of 0 are as in process.h. UNAVAILABLE where the program is not found.
tune_status tune_remote_builder_create(const tune_process_evaluator_options *options,
                                       tune_remote_builder **out_builder);
void tune_remote_builder_destroy(tune_remote_builder *builder);

// Makes `task` (its texts; borrowed until the next one) the one to build, and builds its reference,
// which takes tenths of a second. FAILED_PRECONDITION where that does not build. What was built
// for the one before is removed.
tune_status tune_remote_builder_open(tune_remote_builder *builder, const tune_task *task);
// The paths and the signature are borrowed, until the next task is opened.
const json_t *tune_remote_builder_signature(const tune_remote_builder *builder);
const char *tune_remote_builder_reference(const tune_remote_builder *builder);

// Has `config` built, of which it takes a reference. `ticket` is new in this task, and not 0.
tune_status tune_remote_builder_add(tune_remote_builder *builder, uint64_t ticket, json_t *config);
// The next outcome of a build, in any order, after at most `seconds`; `*out_any` is false where
// there was none by then, or a signal came. It is the caller's, to deinit.
tune_status tune_remote_builder_wait(tune_remote_builder *builder, double seconds,
                                     tune_evaluation *out_event, bool *out_any);
// The path of an artifact that was built, or NULL.
const char *tune_remote_builder_artifact(const tune_remote_builder *builder, uint64_t ticket);
// Stops what is not built yet; no outcome comes of it.
tune_status tune_remote_builder_cancel(tune_remote_builder *builder);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_REMOTE_REMOTE_BUILDER_H
