//===- session_stored.c - Validation of times that the database has ----------===//
//
// A session that goes on from times of another day, or another machine's that is like this one,
// would cut whatever is slower than they say. So before it tries anything, and where there is
// something left to try, it times two of them once more: the default and the best. Where both have
// moved the same way the machine has, and all times of the store are put right by the smaller move;
// what is kept by this session says so, and is of the store's scale. One that has not moved with it
// is not believed: its time is the new one, which is kept as a record that says why, and the next
// best is looked at. What seems to have moved is timed twice, and the time nearer to the old one
// counts.
//
//===------------------------------------------------------------------------------------===//

#include "support/units.h"
#include "tuning/session/session_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_SECONDS 0.1
#define MOVED 0.03
// No machine moves by more; a record does that was made elsewhere, or made up.
#define MOST_MOVED 3.0
// By which a single time may be off, beyond the intervals, and is believed all the same.
#define OFF 1.25
#define MOST_WITNESSES 4
// Spaces of so many configs, constraints or not, are walked to see whether all are in the store.
#define MOST_WALKED ((uint64_t)1 << 16)

// A trial of the store, timed now: by how much longer it takes than its record says.
typedef struct witness {
  size_t number;
  tune_timing now;
  double ratio, low, high;
} witness;

// The number nearest to `from` that is between `low` and `high`, relative to it.
static double sure_move(const witness *w, double from) {
  return fmax(w->low, fmin(from, w->high)) / from;
}

static bool is_move(double ratio, double limit) { return ratio > limit || ratio < 1 / limit; }

//===- Timing ---------------------------------------------------------------------------===//

static bool is_over(const struct session *session) {
  return tune_session_is_interrupted(session) || tune_session_time_is_up(session);
}

// Waits for what was asked for; `*out_event` is empty where the session ends before.
static tune_status wait_for(struct session *session, tune_evaluation *out_event) {
  const tune_evaluator *evaluator = session->evaluator;
  bool any = false;
  *out_event = (tune_evaluation){.verdict = TUNE_VERDICT_CANCELLED};
  while (!any && !is_over(session))
    TUNE_RETURN_IF_ERROR(evaluator->methods->wait(evaluator->self, WAIT_SECONDS, out_event, &any));
  if (!any)
    *out_event = (tune_evaluation){.verdict = TUNE_VERDICT_CANCELLED};
  return any ? TUNE_OK : evaluator->methods->cancel(evaluator->self);
}

static tune_status build(struct session *session, size_t number) {
  tune_evaluation event;
  TUNE_RETURN_IF_ERROR(tune_session_build(session, number));
  TUNE_RETURN_IF_ERROR(wait_for(session, &event));
  session->trials.items[number].has_artifact = event.verdict == TUNE_VERDICT_OK;
  tune_evaluation_deinit(&event);
  return TUNE_OK;
}

// Takes the samples of `time`, unless what `w` has is nearer to the time of the store.
static void note_time(const struct session *session, witness *w, tune_timing *time) {
  const tune_trial *trial = &session->trials.items[w->number];
  double ratio = time->median / trial->median;
  if (w->ratio > 0 && fabs(log(ratio)) >= fabs(log(w->ratio)))
    return;
  free(w->now.samples);
  w->now = *time;
  *time = (tune_timing){0};
  w->ratio = ratio;
  w->low = w->now.low / trial->high;
  w->high = w->now.high / trial->low;
}

// Fills in `w` for a trial; its ratio is 0 where it cannot be timed.
static tune_status hear(struct session *session, size_t number, witness *w) {
  const tune_evaluator *evaluator = session->evaluator;
  const tune_trial *trial = &session->trials.items[number];
  *w = (witness){.number = number};
  if (!trial->has_artifact)
    TUNE_RETURN_IF_ERROR(build(session, number));
  bool is_again = true;
  for (int i = 0; i < 2 && is_again && trial->has_artifact; ++i) {
    tune_evaluation event;
    TUNE_RETURN_IF_ERROR(
        evaluator->methods->measure(evaluator->self, tune_session_ticket(number), 0));
    TUNE_RETURN_IF_ERROR(wait_for(session, &event));
    session->result->waited_seconds += event.waited;
    bool is_timed = event.verdict == TUNE_VERDICT_OK && event.time.median > 0;
    if (is_timed)
      note_time(session, w, &event.time);
    is_again = is_timed && is_move(sure_move(w, 1), 1 + MOVED);
    tune_evaluation_deinit(&event);
  }
  return TUNE_OK;
}

//===- Judging --------------------------------------------------------------------------===//

static bool is_witness(const witness *w) { return w->ratio > 0 && !is_move(w->ratio, MOST_MOVED); }

// How much slower the machine is now than when the store's times were taken.
static double find_move(const witness *fallback, const witness *best) {
  bool one = is_witness(fallback), other = is_witness(best);
  if (!one && !other)
    return 1;
  const witness *w = one ? fallback : best;
  if (one && other) {
    bool same_way = (fallback->ratio > 1) == (best->ratio > 1);
    if (!same_way)
      return 1;
    w = fabs(log(best->ratio)) < fabs(log(fallback->ratio)) ? best : fallback;
  }
  return is_move(sure_move(w, 1), 1 + MOVED) ? w->ratio : 1;
}

static void put_all_right(struct session *session, double move) {
  for (size_t i = 0; i < session->trials.configs.count; ++i) {
    tune_trial *trial = &session->trials.items[i];
    if (trial->is_known && trial->median > 0)
      tune_trial_put_right(trial, (trial->drift > 0 ? trial->drift : 1) / move);
  }
  session->result->stored_move = move;
}

void tune_session_take_new_time(struct session *session, size_t number, const tune_timing *time,
                                double drift) {
  const char *digest = session->trials.items[number].digest;
  for (size_t i = 0; i < session->trials.configs.count; ++i) {
    tune_trial *trial = &session->trials.items[i];
    bool is_same = digest && trial->digest && strcmp(trial->digest, digest) == 0;
    if (i != number && !(is_same && trial->is_known && trial->median > 0))
      continue;
    trial->median = time->median;
    trial->low = time->low;
    trial->high = time->high;
    trial->drift = 0;
    tune_trial_put_right(trial, drift);
    // It won by a time that does not hold.
    if (session->has_winner && session->winner_number == i)
      session->has_winner = false;
  }
  tune_trials_rank_again(&session->trials);
}

// Where the time of the store is off by more than the machine has moved.
static tune_status disbelieve(struct session *session, const witness *w, double move) {
  tune_trial *trial = &session->trials.items[w->number];
  if (!(w->ratio > 0) || !is_move(sure_move(w, move), OFF))
    return TUNE_OK;
  char *reason;
  if (asprintf(&reason, "the time of an earlier record, %s, does not hold",
               tune_figure_seconds(w->now.median / w->ratio).text) < 0)
    return tune_status_out_of_memory("out of memory while looking at stored times");
  tune_session_take_new_time(session, w->number, &w->now, 0);
  ++session->result->disbelieved;
  char *before = trial->error;
  trial->error = reason;
  tune_status status = tune_session_keep_trial(session, w->number, &w->now);
  trial->error = before;
  free(reason);
  return status;
}

// The drift of this session is counted from here on.
static void begin_drift(struct session *session, const witness *w) {
  if (w->ratio > 0)
    session->drift = (struct drift){.has_reference = true,
                                    .reference = w->number,
                                    .reference_seconds = w->now.median,
                                    .factor = 1};
}

// The fastest of the store's, whether they count already or not; SIZE_MAX: none has a time.
static size_t find_best(const tune_trials *trials) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < trials->configs.count; ++i) {
    const tune_trial *trial = &trials->items[i];
    if (tune_trial_is_timed(trial) &&
        (best == SIZE_MAX || trial->median < trials->items[best].median))
      best = i;
  }
  return best;
}

// The best, where it was not heard yet; SIZE_MAX: it was, or there is none.
static size_t next_best(const struct session *session, const witness *heard, size_t count) {
  const tune_trials *trials = &session->trials;
  size_t best = is_over(session) ? SIZE_MAX : find_best(trials);
  for (size_t i = 0; i < count && best != SIZE_MAX; ++i) {
    const char *one = trials->items[heard[i].number].digest, *other = trials->items[best].digest;
    if (heard[i].number == best || (one && other && strcmp(one, other) == 0))
      best = SIZE_MAX;
  }
  return best;
}

static tune_status hear_all(struct session *session, witness *heard, size_t *count) {
  if (tune_trial_is_timed(&session->trials.items[session->default_number]))
    TUNE_RETURN_IF_ERROR(hear(session, session->default_number, &heard[(*count)++]));
  size_t best = next_best(session, heard, *count);
  if (best != SIZE_MAX)
    TUNE_RETURN_IF_ERROR(hear(session, best, &heard[(*count)++]));
  if (!*count || is_over(session))
    return TUNE_OK;
  double move = find_move(&heard[0], &heard[*count - 1]);
  // Each is judged by the time that its record has.
  if (move != 1)
    put_all_right(session, move);
  for (size_t i = 0; i < *count; ++i)
    TUNE_RETURN_IF_ERROR(disbelieve(session, &heard[i], move));
  while (*count < MOST_WITNESSES && (best = next_best(session, heard, *count)) != SIZE_MAX) {
    witness *w = &heard[(*count)++];
    TUNE_RETURN_IF_ERROR(hear(session, best, w));
    TUNE_RETURN_IF_ERROR(disbelieve(session, w, 1));
  }
  tune_trials_rank_again(&session->trials);
  begin_drift(session, &heard[0]);
  return TUNE_OK;
}

//===- Whether that is needed ---------------------------------------------------------------===//

// Whether the store has each valid config. Clears `*out_is_all` at the first that it lacks.
static tune_status walk_space(const struct session *session, tune_sampler *sampler,
                              tune_config *config, bool *out_is_all) {
  const tune_trials *trials = &session->trials;
  tune_sampler_walk walk = {0};
  bool is_more = true;
  tune_status status = TUNE_OK;
  while (tune_status_is_ok(status) && is_more && *out_is_all) {
    status = tune_sampler_walk_next(sampler, &walk, config, &is_more);
    size_t number = is_more ? tune_config_set_find(&trials->configs, config) : 0;
    if (is_more)
      *out_is_all = number != SIZE_MAX && trials->items[number].is_known;
  }
  tune_sampler_walk_deinit(&walk);
  return status;
}

// Whether there is nothing left to try: what a finale compares it times side by side.
static tune_status has_all(const struct session *session, bool *out_has_all) {
  const tune_space *space = session->task->space;
  *out_has_all = session->begun >= session->options->trials;
  if (*out_has_all || !session->begun || tune_space_size(space) > MOST_WALKED)
    return TUNE_OK;
  tune_sampler *sampler;
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, space));
  tune_status status = tune_sampler_create(space, &sampler);
  if (tune_status_is_ok(status)) {
    *out_has_all = true;
    status = walk_space(session, sampler, &config, out_has_all);
    tune_sampler_destroy(sampler);
  }
  tune_config_deinit(&config);
  return status;
}

tune_status tune_session_check_stored(struct session *session) {
  if (!session->options->drift_trials) // times do not drift
    return TUNE_OK;
  bool is_idle;
  TUNE_RETURN_IF_ERROR(has_all(session, &is_idle));
  if (is_idle)
    return TUNE_OK;
  witness heard[MOST_WITNESSES] = {{0}};
  size_t count = 0;
  tune_status status = hear_all(session, heard, &count);
  for (size_t i = 0; i < MOST_WITNESSES; ++i)
    free(heard[i].now.samples);
  return tune_status_annotate(status, "timing what the store has of %s", session->task->name);
}
