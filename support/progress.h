//===- progress.h - Saying how far a search has come --------------------------------===//
//
// On a terminal one live line for each task, drawn over itself at most ten times a second
// and left behind when the task is done:
//
//   [1/3] matmul 512x1024x1024 f32  37/64  best 9.510 ms  94.2 % of peak  3 failed  4 s left
//
// Where the terminal is too narrow for it, the name is cut first. A way (below) stands behind it.
//
// Where the stream is no terminal (or TERM is "dumb"), plain lines: the first of a task,
// then one every so many seconds, and the last. A line goes out in one write, so that
// drawing disturbs as little as can be what is being measured.
//
// Threads: one thread at a time per progress.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_PROGRESS_H
#define TUNE_SUPPORT_PROGRESS_H

#include "support/status.h"

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_progress_style {
  TUNE_PROGRESS_AUTO,  // live on a terminal, plain elsewhere
  TUNE_PROGRESS_LIVE,  //
  TUNE_PROGRESS_PLAIN, //
  TUNE_PROGRESS_QUIET, // nothing at all
} tune_progress_style;

typedef struct tune_progress_options {
  tune_progress_style style;
  double plain_seconds; // between plain lines; less than 0: the default, 10
  double live_seconds;  // between drawings; less than 0: the default, 0.1
  const char *prefix;   // before plain lines: "tune-opt: "; NULL is ""
  size_t width;         // terminal cells of a live line; 0: as wide as the terminal
} tune_progress_options;

// AUTO, with all defaults.
void tune_progress_options_init(tune_progress_options *options);

// How far one task has come. What is 0 is not known and not shown, but for trials and limit.
typedef struct tune_progress_state {
  const char *name;           // of the task, for people
  const char *way;            // how it is done, where that is told: "by rule 'contraction'"
  size_t number, task_count;  // the first task is 1; shown where there are several
  size_t trials, trial_limit; //
  size_t failed;              //
  double best;                // seconds
  double percent_of_peak;     // 0..100
  double speedup;             // over the default
  double seconds_left;        //
  const char *phase;          // what is being done, where it is not trials: "comparing finalists"
} tune_progress_state;

typedef struct tune_progress tune_progress;

// `stream` is borrowed. `options` may be NULL.
tune_status tune_progress_create(FILE *stream, const tune_progress_options *options,
                                 tune_progress **out_progress);
// Leaves the cursor at the start of a line. NULL is fine.
void tune_progress_destroy(tune_progress *progress);

// Shows `state`, if it is time to. Cheap enough to be called for each trial.
void tune_progress_update(tune_progress *progress, const tune_progress_state *state);

// Shows the last state of a task in any case, but no plain line twice in a row; the next update
// begins a new line.
void tune_progress_finish_task(tune_progress *progress, const tune_progress_state *state);

// Takes the live line away, so that something else can be printed to the terminal. The next update
// draws it again.
void tune_progress_clear(tune_progress *progress);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_PROGRESS_H
