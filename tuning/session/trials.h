//===- trials.h - The trials of a session ------------------------------------===//
//
// Every config that a session knows, with what came of it, and the ranking of the best.
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SESSION_TRIALS_H
#define TUNE_TUNING_SESSION_TRIALS_H

#include "tuning/record/record.h"
#include "tuning/space/config_set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_trial_state {
  TUNE_TRIAL_NEW, // also: of the store, and held
  TUNE_TRIAL_BUILDING,
  TUNE_TRIAL_BUILT, // what it is to be measured against is not known yet
  TUNE_TRIAL_MEASURING,
  TUNE_TRIAL_WAITING, // for a trial with the same artifact, which is being measured
  TUNE_TRIAL_SETTLED, // what came of it is known; that of a proposal before it is not
  TUNE_TRIAL_DONE,    // counted
} tune_trial_state;

typedef struct tune_trial {
  tune_trial_state state;
  bool is_known;     // it came from the store
  bool is_held;      // it is counted, and the strategy told of it, when the strategy proposes it
  bool is_kept;      // in the store
  bool has_artifact; // the evaluator still has it
  bool is_twin;      // its figures are those of the trial `twin`, with the same artifact
  size_t twin;
  size_t turn;  // its place among the proposals, from 1 on; 0: known before the first one;
                // SIZE_MAX: it was not proposed
  size_t after; // it is measured when so many proposals had their turn: see session_limits.c
  tune_verdict verdict;
  double median, low, high; // seconds, divided by `drift`; 0 where there is no time
  double drift;             // as in tune_record
  uint64_t measured_at;     // how many timings there were with it; 0 where it came from the store
  tune_timing time;         // as it was measured, until the trial is counted
  char *digest;             // NULL where it was not built
  char *error;              // NULL where it did not fail
  char *settled_from;       // the config of the record that it is of, where that has another value
                            // for a knob that does nothing; else NULL
  tune_run_figures run;
  tune_code_features code;
  double stage_seconds[TUNE_STAGE_COUNT];
  int64_t created_ms; // Unix time in milliseconds; 0: now
} tune_trial;

typedef struct tune_trials {
  tune_config_set configs; // configs.configs[i] belongs to items[i]
  tune_trial *items;
  size_t capacity;
  size_t done;
  size_t verdicts[TUNE_VERDICT_COUNT]; // of those done
  // The trials with the least medians, best first, without duplicates and cut ones.
  size_t *best;
  size_t best_count, best_limit;
} tune_trials;

// Ranks the best `best_limit` >= 1.
tune_status tune_trials_init(tune_trials *trials, size_t best_limit);
void tune_trials_deinit(tune_trials *trials);

// Whether it was correct, and timed to the end.
bool tune_trial_is_timed(const tune_trial *trial);

void tune_trial_drop_samples(tune_trial *trial);

// Divides the times of a trial by `drift` in place of what they were divided by. 0 is as 1.
void tune_trial_put_right(tune_trial *trial, double drift);

// Adds `config` as a new trial; its number is that of the config, also where it was there already.
tune_status tune_trials_add(tune_trials *trials, const tune_config *config, size_t *out_number);

// The trial, other than `number`, with the artifact `digest` that is being measured or was, no
// twin itself unless that is counted, or SIZE_MAX; one of the store that is held where there is no
// other, and a duplicate of the store where there is none of these alone.
size_t tune_trials_find_twin(const tune_trials *trials, size_t number, const char *digest);

// A trial that was done, or is held, and went well turns out to be a failure: it gets `verdict` and
// `error` (NULL: no reason is known), loses its times, and leaves the ranking. OUT_OF_MEMORY alone;
// nothing has changed then.
tune_status tune_trials_discard(tune_trials *trials, size_t number, tune_verdict verdict,
                                const char *error);

// A trial that is done, or of the store and not counted yet, takes another verdict that is no
// failure; the ranking is made anew.
void tune_trials_change(tune_trials *trials, size_t number, tune_verdict verdict);

// Ranks all of them anew: their times have changed.
void tune_trials_rank_again(tune_trials *trials);

// Counts and ranks a trial whose verdict and times are filled in. `*out_dropped` is the number of
// the one that left the ranking or did not get into it, SIZE_MAX where none did.
void tune_trials_finish(tune_trials *trials, size_t number, size_t *out_dropped);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SESSION_TRIALS_H
