//===- process_messages.h - Messages to tune-worker and tune-measure ---------===//
//
// Requests made and replies read; docs/protocol.md has the tables. Internal to
// process.c and remote_builder.c.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_PROCESS_MESSAGES_H
#define TUNE_TUNING_EVALUATORS_PROCESS_MESSAGES_H

#include "tuning/evaluators/cores.h"
#include "tuning/evaluators/process.h"

#ifdef __cplusplus
extern "C" {
#endif

// All requests are new references.

tune_status tune_request_open_worker(const tune_process_evaluator_options *options,
                                     const tune_task *task, const char *id, json_t **out_request);
// `config` NULL: the plainest lowering.
tune_status tune_request_build(const tune_process_evaluator_options *options,
                               const tune_cores *cores, const char *id, uint64_t ticket,
                               const tune_task *task, const tune_config *config, const char *output,
                               json_t **out_request);
// The same with the config as JSON; `yields`: other builds go first.
tune_status tune_request_build_values(const tune_process_evaluator_options *options,
                                      const tune_cores *cores, const char *id, uint64_t ticket,
                                      const json_t *values, const char *output, bool yields,
                                      json_t **out_request);
// `signature` is borrowed. `is_beside`: the reference runs where builds do.
tune_status tune_request_open_measurer(const tune_process_evaluator_options *options,
                                       const tune_cores *cores, const tune_task *task,
                                       const char *id, const json_t *signature,
                                       const char *reference, bool is_beside, json_t **out_request);
tune_status tune_request_measure(const tune_process_evaluator_options *options, const char *id,
                                 uint64_t ticket, const char *artifact, double best,
                                 json_t **out_request);
tune_status tune_request_compare(const tune_process_evaluator_options *options, const char *id,
                                 uint64_t ticket, const char *const *artifacts, size_t count,
                                 double confidence, json_t **out_request);
tune_status tune_request_close(const char *id, json_t **out_request);
tune_status tune_request_cancel(json_t **out_request);

// The ticket of a reply, or 0 where it has none.
uint64_t tune_reply_ticket(const json_t *reply);
// The signature of a task that tune-worker has opened, a new reference. DATA_LOSS where it has
// none.
tune_status tune_reply_read_signature(const json_t *reply, json_t **out_signature);
// Reads a reply to a build or measure request; all but `event->ticket` and the time of measuring.
// DATA_LOSS where it lacks what it has to have; the failure it tells of where it is one.
tune_status tune_reply_read_build(const json_t *reply, tune_evaluation *event);
tune_status tune_reply_read_measure(const json_t *reply, tune_evaluation *event);
// Reads a reply to a compare request of `count` artifacts.
tune_status tune_reply_read_compare(const json_t *reply, size_t count, tune_comparison *comparison);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_PROCESS_MESSAGES_H
