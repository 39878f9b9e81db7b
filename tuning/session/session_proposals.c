//===- session_proposals.c - Proposals: what is asked of the strategy, and told to it -===//
//
// Outcomes come in any order, some here and some there sooner. The strategy sees none of that: it
// is told them in the order of its proposals, and proposes the n-th config when it knows those
// before the (n - LAG)-th, no more and no less. What it proposes is then the same however many
// candidates are built at once; LAG of them may be under way.
//
// What an earlier session with the same strategy and seed has measured is held back until it is
// proposed once more: it is neither told nor counted before. So a session that was killed is gone
// through again, without measuring, up to where it was, also where something was known then, and
// kept, of which it was not the turn. At that point fewer than LAG configs were under way; where
// more than that are proposed which the store does not know, while something of it is still held
// back, the proposals are other ones than they were then (options, rules or the rest of the store
// have changed), and what is held is told at once.
//
//===--------------------------------------------------------------------------------===//

#include "support/clock.h"
#include "tuning/session/session_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Of the artifact, for a strategy; 0 where there is none.
static uint64_t code_of(const tune_trial *trial) {
  return trial->digest ? XXH3_64bits(trial->digest, strlen(trial->digest)) : 0;
}

static tune_status tell(struct session *session, size_t number) {
  const tune_trial *trial = &session->trials.items[number];
  tune_outcome outcome = {.failed = tune_verdict_is_failure(trial->verdict),
                          .seconds = trial->median,
                          .code = code_of(trial)};
  return tune_strategy_tell(session->strategy, &session->trials.configs.configs[number], outcome);
}

// How many of what was proposed is to be told before the next proposal. A round is proposed knowing
// all of those before it. A strategy that waits is to know all.
static size_t count_due(const struct session *session) {
  if (tune_strategy_waits(session->strategy))
    return session->asked_count;
  if (session->options->round)
    return session->outstanding ? session->told_count : session->asked_count;
  return session->asked_count < TUNE_SESSION_LAG ? 0 : session->asked_count + 1 - TUNE_SESSION_LAG;
}

bool tune_session_may_ask(const struct session *session) {
  if (!tune_strategy_learns(session->strategy))
    return true;
  size_t due = count_due(session);
  for (size_t i = session->told_count; i < due; ++i)
    if (session->trials.items[session->asked[i]].state != TUNE_TRIAL_DONE)
      return false;
  return true;
}

static tune_status tell_due(struct session *session) {
  size_t due = tune_strategy_learns(session->strategy) ? count_due(session) : 0;
  for (; session->told_count < due; ++session->told_count)
    TUNE_RETURN_IF_ERROR(tell(session, session->asked[session->told_count]));
  return TUNE_OK;
}

// Counts what is held; nothing is from then on.
tune_status tune_session_take_held(struct session *session) {
  for (size_t i = 0; i < session->trials.configs.count; ++i) {
    tune_trial *trial = &session->trials.items[i];
    size_t dropped;
    if (!trial->is_held)
      continue;
    trial->is_held = false;
    trial->turn = session->asked_count;
    tune_trials_finish(&session->trials, i, &dropped);
    tune_session_note_gain(session, i);
    TUNE_RETURN_IF_ERROR(tell(session, i));
  }
  session->held_count = 0;
  return TUNE_OK;
}

tune_status tune_session_take_known(struct session *session, size_t number) {
  if (!session->trials.items[number].is_held) {
    session->trials.items[number].turn = 0;
    tune_session_note_gain(session, number);
    return tell(session, number);
  }
  ++session->held_count;
  return TUNE_OK;
}

static tune_status remember(struct session *session, size_t number) {
  if (session->asked_count == session->asked_capacity) {
    size_t capacity = session->asked_capacity ? 2 * session->asked_capacity : 64;
    size_t *asked = realloc(session->asked, capacity * sizeof *asked);
    if (!asked)
      return tune_status_out_of_memory("out of memory while proposing configs");
    session->asked = asked;
    session->asked_capacity = capacity;
  }
  if (!session->outstanding)
    session->round_began = session->asked_count;
  session->asked[session->asked_count++] = number;
  tune_session_give_turn(session, number);
  tune_trial *trial = &session->trials.items[number];
  session->held_count -= trial->is_held;
  session->unheld += !trial->is_held;
  if (trial->is_held)
    trial->state = TUNE_TRIAL_SETTLED;
  trial->is_held = false;
  return TUNE_OK;
}

void tune_session_take_back_proposal(struct session *session) {
  session->trials.items[session->asked[--session->asked_count]].turn = SIZE_MAX;
}

static void note_time(struct session *session) {
  double seconds = session->options->seconds;
  if (seconds > 0)
    tune_strategy_note_time(session->strategy,
                            fmin((tune_clock_seconds() - session->began) / seconds, 1));
}

tune_status tune_session_ask(struct session *session, size_t *out_number, bool *out_any) {
  tune_config config;
  size_t count;
  TUNE_RETURN_IF_ERROR(tell_due(session));
  size_t window = session->options->round ? session->options->round : TUNE_SESSION_LAG;
  // One that does not learn proposes the same whatever it knows.
  if (tune_strategy_learns(session->strategy) && session->held_count && session->unheld >= window)
    TUNE_RETURN_IF_ERROR(tune_session_take_held(session));
  note_time(session);
  TUNE_RETURN_IF_ERROR(tune_strategy_ask(session->strategy, 1, &config, &count));
  // It waits for what is known already, and only was not told.
  if (!count && tune_strategy_waits(session->strategy) && tune_session_may_ask(session)) {
    TUNE_RETURN_IF_ERROR(tell_due(session));
    TUNE_RETURN_IF_ERROR(tune_strategy_ask(session->strategy, 1, &config, &count));
  }
  *out_any = count == 1;
  if (!count)
    return TUNE_OK;
  tune_status status = tune_trials_add(&session->trials, &config, out_number);
  tune_config_deinit(&config);
  return tune_status_is_ok(status) ? remember(session, *out_number) : status;
}
