//===- export_fixture.h - Candidates to be exported -------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNING_EXPORT_FIXTURE_H
#define TUNE_UNITTESTS_TUNING_EXPORT_FIXTURE_H

#include "tuning/remote/export_file.h"

static const tune_export_source export_source = {
    .target = "vulkan", .threads = 1, .seed = 3, .run_seconds = 30, .run_bytes = 8e9};

static inline tune_status add_candidate(tune_export_writer *writer, size_t task, int value,
                                        const char *artifact, tune_verdict verdict) {
  tune_evaluation build = {.verdict = verdict,
                           .error = verdict == TUNE_VERDICT_OK ? NULL : (char *)"no such op",
                           .digest = verdict == TUNE_VERDICT_OK ? (char *)"d1" : NULL,
                           .stage_seconds = {0.25, 0.5, 0.125},
                           .code = {.registers = 32, .shared_bytes = 1024}};
  json_t *config = json_pack("{s:i}", "mc", value);
  if (!config)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making a config");
  tune_export_candidate candidate = {.config = config,
                                     .strategy = "random",
                                     .seed = UINT64_MAX,
                                     .build = &build,
                                     .created_ms = 1700000000000,
                                     .artifact = artifact};
  tune_status status = tune_export_writer_add_candidate(writer, task, &candidate);
  json_decref(config);
  return status;
}

// A task with a candidate that is to be measured, one that is the same as another one of before,
// one with the first one's artifact, and one that failed.
static inline tune_status add_task(tune_export_writer *writer, const tune_export_task *task,
                                   const char *artifact) {
  size_t index;
  TUNE_RETURN_IF_ERROR(tune_export_writer_add_task(writer, task, &index));
  TUNE_RETURN_IF_ERROR(add_candidate(writer, index, 1, artifact, TUNE_VERDICT_OK));
  TUNE_RETURN_IF_ERROR(add_candidate(writer, index, 2, NULL, TUNE_VERDICT_OK));
  TUNE_RETURN_IF_ERROR(add_candidate(writer, index, 3, artifact, TUNE_VERDICT_OK));
  return add_candidate(writer, index, 4, NULL, TUNE_VERDICT_BUILD_FAILED);
}

#endif // TUNE_UNITTESTS_TUNING_EXPORT_FIXTURE_H
