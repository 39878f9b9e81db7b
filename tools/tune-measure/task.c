//===- task.c - Limits and targets of what a task runs -----------------------------===//

#include "tools/tune-measure/task.h"
#include "support/clock.h"

bool task_takes_time(const tune_target_class *target) { return target != &tune_target_null; }

child_limits task_make_limits(const tune_limits *limits, const task *t, double default_seconds) {
  return (child_limits){.seconds = limits->seconds > 0 ? limits->seconds : default_seconds,
                        .has_candidate = true,
                        .beside = t->flushes_cache ? CHILD_MOST_BESIDE : 0,
                        .bytes = limits->bytes > 0 ? limits->bytes : TUNE_RUN_BYTES,
                        .has_driver = t->target != &tune_target_cpu,
                        .threads = t->threads,
                        .takes_time = task_takes_time(t->target),
                        .cpus = t->cpus,
                        .cpu_count = t->cpu_count};
}

// The smallest step of the clock that kernels are timed with.
static double clock_grain(void) {
  double smallest = 1;
  for (int i = 0; i < 20; ++i) {
    uint64_t start = tune_clock_nanoseconds(), end;
    do
      end = tune_clock_nanoseconds();
    while (end == start);
    if ((double)(end - start) * 1e-9 < smallest)
      smallest = (double)(end - start) * 1e-9;
  }
  return smallest;
}

tune_measure_options task_make_measure_options(const tune_sampling *sampling, double best) {
  return (tune_measure_options){.budget = sampling->budget,
                                .precision = sampling->precision,
                                .sample_limit = (size_t)sampling->sample_limit,
                                .confidence = sampling->confidence,
                                .best = best,
                                .clock_grain = clock_grain()};
}

tune_target_options task_target_options(const task *t) {
  return (tune_target_options){
      .threads = t->threads, .cpus = t->cpus, .cpu_count = t->cpu_count, .device = t->device};
}

tune_status task_open_target(const task *t, tune_target **out_target) {
  tune_target_options options = task_target_options(t);
  return t->target->open(&options, out_target);
}

bool task_is_inconclusive(const task *t) {
  return t->has_reference && t->unchecked_share > TASK_MOST_UNCHECKED;
}
