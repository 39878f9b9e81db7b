//===- subject.h - A candidate that is loaded, checked and timed in this process ----------===//
//
// What a child has of each artifact that it runs: the kernel, what the first run left, and what is
// wrong with it so far. Looked at are the outputs of the first run on each set of inputs, those
// between samples where threads may race, and those after timing. What is wrong with it is its own
// `error`; a status is a failure of what runs it, or of loading or running it at all.
//
// Threads: one.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_SUBJECT_H
#define TUNE_TOOLS_TUNE_MEASURE_SUBJECT_H

#include "support/digest.h"
#include "tools/tune-measure/counts/counters.h"
#include "tools/tune-measure/counts/task_times.h"
#include "tools/tune-measure/task.h"
#include "tuning/record/check_result.h"

// What is the same later need not be compared with the reference again, which takes longer.
typedef struct seen_output {
  tune_value_type type;
  tune_digest digest; // of its bytes
} seen_output;

// A candidate in this process. Nothing of it is released where the child ends anyway.
typedef struct subject {
  const task *of;
  child_notes *notes;
  size_t index;
  tune_target *target; // that it runs on
  tune_kernel *kernel;
  seen_output *seen;       // by the first check, one for each output
  uint64_t timed_runs;     // how often it was asked to run to be timed
  bool is_settled;         // whether `rewinds` is known
  bool rewinds;            // a run on what the last one left differs from one on the first contents
  const task_inputs *set;  // that it runs on
  bool is_timed;           // what is wrong from now on was right in the first run
  bool is_harmful;         // it wrote to what is not its own: it is not run again
  char *error;             // why it is wrong, or NULL
  tune_check_result check; // the worst so far
  counters counters;       // of runs of their own, where the task counts
  task_times task_times;   // of samples, where they are taken
  tune_task_seconds_list tasks; // what came of these
} subject;

// The phase of a child that loads an artifact, to be compared as a pointer.
extern const char subject_loading[];

// Loads `artifact` and runs it once on each set of inputs; `s` has `of`, `notes`, `index` and
// `target`, and zeroes. What it leaves of the dense set is written to `outputs` (.npy files, gaps
// for none; or NULL). Where it wrote to what is not its own, it has not run on the dense set.
tune_status subject_load_and_check(subject *s, const char *artifact, const tune_text_list *outputs);

// Empties the caches where the task wants that ahead of each run, and says how long it took; no
// limit of the child counts that.
tune_status subject_flush(subject *s, double *out_seconds);
// Runs it, of type tune_measure_run: `context` is the subject.
tune_status subject_run(void *context, uint64_t repeats, double *out_seconds);
// Counts in runs of their own, as many for each pass as a sample has, so that no sample pays for
// it. Not of what was cut, where that takes long.
tune_status subject_count_runs(subject *s, const tune_measurement *measurement);

// Whether it wrote outside of its arguments, which is an error of its own.
tune_status subject_check_guards(subject *s);
// Looks at the outputs once more after timing: code that races, or that keeps something from run to
// run, may be right at first. Where runs add up, what they left says nothing: then one more run on
// the first contents is looked at.
tune_status subject_check_again(subject *s);

#endif // TUNE_TOOLS_TUNE_MEASURE_SUBJECT_H
