//===- session_state.h - State that the files of a session share -------------===//
//
// From what knows least to what knows most, each calls those before it only:
//
//   session_state         questions about the whole, building, progress
//   session_drift         the speed of the machine
//   session_records       handing trials to the store
//   session_limits        what trials are measured against
//   session_duplicates    which of those with the same code is the one
//   session_outcomes      what came of trials, in their order; stop rules
//   session_measurements  what is measured next, and events of the evaluator
//   session_proposals     what the strategy is asked and told
//   session_stored        whether the store's times hold
//   session_loading       what the store has
//   session_finalists     the end
//   session_summary       what there is to tell of it
//   session               the search
//
// A trial's ticket is its number plus 1.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SESSION_SESSION_STATE_H
#define TUNE_TUNING_SESSION_SESSION_STATE_H

#include "tuning/session/session.h"
#include "tuning/session/trials.h"

#ifdef __cplusplus
extern "C" {
#endif

// How the speed of the machine has moved, by a candidate that is timed now and then.
struct drift {
  bool has_reference;
  size_t reference;         // the trial; its artifact is kept
  double reference_seconds; // when it was a trial
  double factor;            // how much slower the machine is than then
  uint64_t timings;         // of trials and of it, so far
  uint64_t settled_at;      // after which of them the factor was last found to hold
  double doubted;           // another factor, seen once; 0: none
  size_t since;             // trials measured since it was timed
  bool is_probing;          // it is being timed
};

struct session {
  const tune_task *task;
  const tune_session_options *options;
  tune_evaluator *evaluator;
  const tune_record_store *store; // may be NULL
  tune_strategy *strategy;
  tune_trials trials;
  bool is_open; // the task, with the evaluator
  size_t default_number;
  size_t building;    // trials whose build is not done
  size_t outstanding; // trials begun, of which is not known what came of them
  size_t begun;       // trials, those of the store included
  size_t *asked;      // the trials that the strategy proposed, in that order
  size_t asked_count, asked_capacity;
  size_t told_count;  // of `asked`, the first so many were told to the strategy
  size_t round_began; // the first proposal of the present round
  size_t taken_count; // of `asked`, the first so many had their turn: see session_outcomes.c
  size_t held_count;  // trials of the store that are counted, and told, when it proposes them
  size_t unheld;      // proposals that were not in the store
  size_t new_trials;
  size_t since_gain;    // trials since the best got better by plateau_percent
  bool has_gain;        // there is a trial that did that:
  size_t gain_number;   // the last one
  bool is_exhausted;    // the strategy has nothing more
  bool has_winner;      // in the store
  size_t winner_number; // the last winner in the store
  tune_timing winner_time;
  double began;
  struct drift drift;
  tune_session_result *result;
};

// What is known when the strategy proposes: all but the last LAG - 1. Builds beside one
// measurement; more than so many wait for it, most of the time.
#define TUNE_SESSION_LAG ((size_t)8)

static inline uint64_t tune_session_ticket(size_t number) { return (uint64_t)number + 1; }

//===- session_state.c -------------------------------------------------------------------===//

bool tune_session_is_interrupted(const struct session *session);
bool tune_session_time_is_up(const struct session *session); // of the session's own, if it has any
void tune_session_report(const struct session *session, tune_session_phase phase);
// Of the trials counted; 0 where none went well.
double tune_session_best_time(const struct session *session);

// Has the config of a trial built. Opens the task first if nothing was built before: a session that
// finds everything in the store costs the evaluator nothing.
tune_status tune_session_build(struct session *session, size_t number);

//===- session_drift.c -------------------------------------------------------------------===//

// By which times that are taken now are longer than those known.
double tune_session_drift_now(const struct session *session);
// Takes in the time of a trial that was measured just now: puts it right by the drift known, and
// makes the first one that went well the reference.
void tune_session_drift_put_right(struct session *session, size_t number);
// Has the reference timed, if that is due.
tune_status tune_session_drift_probe(struct session *session);
// Whether an event is that of the reference timed once more, and no trial's.
bool tune_session_drift_owns(const struct session *session, const tune_evaluation *event);
// Takes it in. Where the speed has moved, all times since it was known not to have are put right.
tune_status tune_session_drift_take(struct session *session, const tune_evaluation *event);

//===- session_records.c -----------------------------------------------------------------===//

// Hands a trial to the store. `time` has the samples; of a failure it is all zero.
tune_status tune_session_keep_trial(struct session *session, size_t number,
                                    const tune_timing *time);
// Hands the winner to the store, with its script. `drift`: how much slower the machine was when
// `time` was taken than when the session began.
tune_status tune_session_keep_winner(struct session *session, size_t number, double drift,
                                     const tune_timing *time);

//===- session_limits.c ------------------------------------------------------------------===//

// Has a trial that was proposed just now its place among the others.
void tune_session_give_turn(struct session *session, size_t number);
// The least time of the first `count` proposals, and of what was known before; 0: none.
double tune_session_best_of_first(const struct session *session, size_t count);
// Whether what came of `twin`, which has the same code and was proposed later, may be otherwise for
// `number`, which is measured against another time.
bool tune_session_has_own_limit(const struct session *session, size_t number, size_t twin);
tune_status tune_session_measure(struct session *session, size_t number);

//===- session_duplicates.c --------------------------------------------------------------===//

// Of code that was built.
bool tune_session_has_same_code(const tune_trial *a, const tune_trial *b);
// Takes over what was found out by measuring `other`.
void tune_session_copy_figures(tune_trial *trial, const tune_trial *other);
// Of two trials with the same code the one that was proposed first is the one that is measured, as
// far as anybody is told: `number`, which is settled now, where the other was so before.
void tune_session_order_settled(struct session *session, size_t number);
// The same where the other came from the store. `number` is counted.
void tune_session_order_known(struct session *session, size_t number);

//===- session_outcomes.c ----------------------------------------------------------------===//

// What came of a trial is known, and kept; its turn may not be there yet.
tune_status tune_session_settle(struct session *session, size_t number);

// Counts and ranks the trials whose turn it is, up to one at which a stop rule holds.
void tune_session_take_turns(struct session *session);
// The same with all of which is known what came of them, where a clock ended the search.
void tune_session_take_rest(struct session *session);
// Forgets them, where a stop rule did.
void tune_session_drop_rest(struct session *session);
// Whether a stop rule holds that is about what was found.
bool tune_session_rule_holds(const struct session *session, tune_session_stop *out_stop);
// Looks whether a trial that is counted is enough of a gain to go on.
void tune_session_note_gain(struct session *session, size_t number);

//===- session_measurements.c ------------------------------------------------------------===//

// Measures all that are built, and of which is known what they are measured against; or has them
// wait for, or take over the figures of, one with their code.
tune_status tune_session_measure_due(struct session *session);

// Takes in what an event says of a trial, and then all trials whose turn it is.
tune_status tune_session_handle_event(struct session *session, tune_evaluation *event);

//===- session_proposals.c ---------------------------------------------------------------===//

// Whether the outcomes are there that the strategy is to know before it proposes more.
bool tune_session_may_ask(const struct session *session);
// Has the strategy propose; `*out_number` is the trial, done or settled already where it is one of
// the store. Clears `*out_any` where there is nothing more to try.
tune_status tune_session_ask(struct session *session, size_t *out_number, bool *out_any);
// The last proposal, a trial that is new, is not to be made.
void tune_session_take_back_proposal(struct session *session);
// Counts the trials of the store that the strategy has not proposed again, and tells it of them.
tune_status tune_session_take_held(struct session *session);
// Takes in a trial of the store: told at once, or, where it `is_held`, since an earlier session of
// the same strategy and seed has made it, counted and told when it is proposed.
tune_status tune_session_take_known(struct session *session, size_t number);

//===- session_stored.c ------------------------------------------------------------------===//

// Times the default and the best of the store once more, and puts right, or does not believe, what
// the store has (session_stored.c). Does nothing where there is nothing left to try: the store has
// as many trials as were asked for, or all that there are in a space of some ten thousands. To be
// called before the strategy is told of it, and before anything but the store's has a time.
tune_status tune_session_check_stored(struct session *session);
// Gives a trial of the store, and those with its code, another time, to be divided by `drift` (0:
// as 1). A winner that was so by its old time is none any more.
void tune_session_take_new_time(struct session *session, size_t number, const tune_timing *time,
                                double drift);

//===- session_loading.c, _finalists.c, _summary.c ---------------------------------------===//

// Takes the records of the task from the store: trials done, and the last winner.
tune_status tune_session_load(struct session *session);
// Decides which config is the best, and fills in that part of the result.
tune_status tune_session_decide(struct session *session);
// Fills in the rest of it.
tune_status tune_session_summarize(struct session *session);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SESSION_SESSION_STATE_H
