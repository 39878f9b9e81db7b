//===- process_jobs.c ---------------------------------------------------------===//

#include "tuning/evaluators/process_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job *tune_jobs_find(struct process_evaluator *evaluator, uint64_t ticket) {
  for (size_t i = 0; i < evaluator->job_count; ++i)
    if (evaluator->jobs[i].ticket == ticket)
      return &evaluator->jobs[i];
  return NULL;
}

size_t tune_jobs_count(const struct process_evaluator *evaluator, enum job_state state) {
  size_t count = 0;
  for (size_t i = 0; i < evaluator->job_count; ++i)
    count += evaluator->jobs[i].state == state;
  return count;
}

void tune_jobs_remove(struct process_evaluator *evaluator, struct job *job) {
  // It may not be there, if it is not built. What is being read goes with the scratch folder.
  if (!job->is_read && job->state != JOB_MEASURING)
    unlink(job->path);
  tune_config_deinit(&job->config);
  free(job->path);
  size_t index = (size_t)(job - evaluator->jobs);
  memmove(job, job + 1, (--evaluator->job_count - index) * sizeof *job);
}

tune_status tune_jobs_make_path(const struct process_evaluator *evaluator, uint64_t wire,
                                char **out_path) {
  const char *folder = tune_scratch_get_path(evaluator->scratch);
  if (asprintf(out_path, "%s/%llu.so", folder, (unsigned long long)wire) < 0)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  return TUNE_OK;
}

tune_status tune_jobs_add(struct process_evaluator *evaluator, uint64_t ticket,
                          const tune_config *config) {
  if (evaluator->job_count == evaluator->job_capacity) {
    size_t capacity = evaluator->job_capacity ? 2 * evaluator->job_capacity : 16;
    struct job *jobs = realloc(evaluator->jobs, capacity * sizeof *jobs);
    if (!jobs)
      return tune_status_out_of_memory("out of memory while evaluating configs");
    evaluator->jobs = jobs;
    evaluator->job_capacity = capacity;
  }
  struct job job = {.ticket = ticket, .wire = ++evaluator->last_wire, .state = JOB_TO_BUILD};
  TUNE_RETURN_IF_ERROR(tune_jobs_make_path(evaluator, job.wire, &job.path));
  tune_status status = tune_config_init_copy(&job.config, config);
  if (!tune_status_is_ok(status)) {
    free(job.path);
    return status;
  }
  evaluator->jobs[evaluator->job_count++] = job;
  return TUNE_OK;
}
