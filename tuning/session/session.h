//===- session.h - Tuning one task -------------------------------------------===//
//
// A session finds the best config of one task. In order:
//
// 1. Records of the task on this target are loaded from the store: they are trials, are
//    never measured again, and are counted and told to the strategy: those of another strategy or
//    seed at once, those of an earlier session with the same ones when they are proposed
//    again. So what was killed and is started again proposes what it would have proposed.
//    Where speeds drift and there is something left to try, the default and the best of the store
//    are timed first: where the machine is slower or faster than then, all are put right, and what
//    does not hold is not believed.
// 2. The analytic default is tried, then the seeds, then, for strategies that learn, the
//    default with one other form (a knob of two or three labels, down to the level of
//    vectors), then what the strategy proposes, until a stop rule holds. Configs that build
//    to an artifact seen before take over its figures. Each trial is handed to the store as
//    soon as it is known what came of it. A candidate is cut, or killed, where it is surely
//    slower than the best of those that were proposed before it by a fixed distance
//    (session_limits.c). Where the speed of the machine moves meanwhile, times are put right.
// 3. The best few and the default are measured again side by side. The default stays unless
//    one of them is faster beyond doubt: intervals of ratios are so wide that in 95 of 100
//    sessions none that is looked at is wrong, and that of the winner excludes 1. One
//    that looks faster, but on a noisy machine not beyond doubt, is compared again. The
//    winner is handed to the store as such. Where nothing new was tried and the store has a
//    winner, that one is taken as it is.
//
// Determinism: the strategy is told outcomes in the order of its proposals, and the same number
// of proposals late whatever is done first; trials are counted in that order, too, and rules that
// stop a search by what it found drop what was proposed after that, though the store may have it.
// Records of this strategy and seed count when they are proposed again, those that are not at the
// end, unless such a rule holds. So the same seed and the same measurements give the same trials
// and the same winner, whatever the evaluator's capacity. Only time and an interrupt stop it
// wherever it is; what is known then is counted, also ahead of what was proposed before it, and a
// session that goes on from there comes to the same winner and the same verdicts as one that was
// not stopped.
//
// A failed candidate is a trial. A failed store, worker or measurer ends the session with a
// status; what was measured until then is in the store.
//
// Where an evaluator is suspended, since candidates are measured elsewhere, the session ends with
// the best so far. Run again from the start, by an evaluator that knows more, it proposes the same
// and comes further.
//
// Threads: one thread at a time per session; `interrupted` may be set from a signal handler
// or another thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SESSION_SESSION_H
#define TUNE_TUNING_SESSION_SESSION_H

#include "tuning/evaluators/evaluator.h"
#include "tuning/session/failures.h"
#include "tuning/session/inert.h"
#include "tuning/strategies/layered.h"

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_session_phase {
  TUNE_SESSION_SEARCHING,
  TUNE_SESSION_COMPARING, // finalists
  TUNE_SESSION_DONE,
} tune_session_phase;

typedef enum tune_session_stop {
  TUNE_STOP_TRIALS,    // as many as were asked for
  TUNE_STOP_EXHAUSTED, // every valid config was tried
  TUNE_STOP_LAYERS,    // from the best one no level alone has anything that was not tried
  TUNE_STOP_TIME,
  TUNE_STOP_TARGET,   // the wanted percent of the peak
  TUNE_STOP_PLATEAU,  // no improvement for long
  TUNE_STOP_HOPELESS, // of many trials none went well
  TUNE_STOP_INTERRUPTED,
  TUNE_STOP_SUSPENDED, // what it asked for is measured elsewhere, and not known yet
  TUNE_STOP_AHEAD,     // no session was run: the task is done once, ahead of what is to be fast
  TUNE_STOP_SHARE,     // the same: others had more to gain in the time that there was
} tune_session_stop;

// Where a session stands, for showing it.
typedef struct tune_session_progress {
  const tune_task *task;
  tune_session_phase phase;
  size_t trials;       // done, those of the store included
  size_t trial_limit;  // as asked for; `trials` where the store has more than that
  size_t known;        // of `trials`, those that came from the store
  size_t failed;       // of `trials`
  size_t duplicates;   // of `trials`
  double best;         // seconds; 0 while there is none
  double default_time; // seconds; 0 while it is not known, or failed
  double seconds;      // since the session began
  double eta;          // seconds the search will still take, guessed; 0 where there is nothing to
                       // guess from
} tune_session_progress;

typedef struct tune_session_options {
  const char *strategy; // name
  tune_strategy_options strategy_options;
  tune_layers layers;      // the levels that are searched one after the other; none: all together
  const char *fingerprint; // see tune_record
  const tune_kept_conditions *conditions; // of the machine, kept with the records; NULL: not known
  size_t trials;         // stop rule: all in all, records of the store and the default counted in
  double seconds;        // stop rule: of this session; 0: none
  double target_percent; // stop rule: of the peak; 0: none
  size_t
      plateau_trials; // stop rule: so many trials in a row without a gain of `plateau_percent`; 0:
  double plateau_percent; // none
  size_t hopeless_trials; // stop rule: none of so many first trials went well; 0: none
  size_t round; // so many configs are proposed at once, and then none until all of them are done;
                // 0: as many as the evaluator has room for
  size_t drift_trials; // the first candidate that went well is timed again after so many trials
                       // (session_drift.c); 0: never
  size_t finalists;    // compared with the default at the end; 0 trusts the trials
  const tune_config *seeds; // tried after the default: winners of similar tasks; made valid first
  size_t seed_count;
  const volatile sig_atomic_t *interrupted; // stop rule: not 0; NULL: none
  // Called after each trial and on each change of phase. May be NULL.
  void (*progress)(void *user, const tune_session_progress *progress);
  // Writes down the schedule with `config` selected, to be kept with the winner. May be NULL.
  tune_status (*write_script)(void *user, const tune_task *task, const tune_config *config,
                              char **out_script);
  void *user; // of the callbacks
} tune_session_options;

// evolutionary, 64 trials, 4 finalists, no other stop rule. The fingerprint has to be set.
void tune_session_options_init(tune_session_options *options);

typedef struct tune_session_result {
  bool has_best;       // else every trial failed
  bool is_default;     // the best is the default
  tune_config best;    //
  tune_timing time;    // of the best; measured beside the default where `was_compared`
  double default_time; // seconds; 0 where the default failed. Where the winner was taken from the
                       // store: that of the winner times their trials' ratio
  // How much faster the best is than the default, with an interval of 95 % at least; 0 where the
  // default failed.
  double speedup, speedup_low, speedup_high;
  bool was_compared; // interleaved; else the figures are those of single trials
  size_t placements; // in how many placements that was (tuning/measure/placements.h); 0: not known
  double percent_of_peak; // of the best; 0 where unknown
  double plain_seconds;   // of the task's plain lowering on the CPU; 0 where unknown
  tune_session_stop stop;
  size_t trials;     // done, those of the store included
  size_t new_trials; // done in this session
  size_t verdicts[TUNE_VERDICT_COUNT];
  tune_verdict default_verdict;
  char *default_error;    // why the default failed; NULL where it did not
  tune_failures failures; // of all trials, those of the store included
  // Share of the variance of the log time that goes with each knob, 0..1, in the space's order;
  // NULL where fewer than 3 trials went well.
  double *importance;
  tune_inert_knob *inert; // knobs that changed nothing in the trials that were built
  size_t inert_count;
  double seconds; // of the session
  double drift; // how much slower the machine once was than at the beginning, or, below 1, faster:
                // the most that was seen. 1: it did not move
  double stored_move;    // how much slower it is than when the store's times were taken; 0: not, or
                         // nobody knows
  size_t disbelieved;    // times of the store that did not hold
  double waited_seconds; // of these for other searches that timed on the same cores
  double first_seconds;  // until the first new measurement was there; 0: none
  double stage_seconds[TUNE_STAGE_COUNT]; // of all new trials; stages overlap, so their sum may be
                                          // more than `seconds`
} tune_session_result;

// Tunes `task`. `store` may be NULL. INVALID_ARGUMENT and NOT_FOUND for options,
// FAILED_PRECONDITION where no config satisfies the constraints; otherwise errors are
// those of the evaluator and the store. An interrupt is no error. `*out_result` is the caller's, to
// deinit.
tune_status tune_session_run(const tune_task *task, const tune_session_options *options,
                             tune_evaluator *evaluator, const tune_record_store *store,
                             tune_session_result *out_result);
void tune_session_result_deinit(tune_session_result *result);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SESSION_SESSION_H
