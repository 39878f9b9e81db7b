//===- trials.c ---------------------------------------------------------------===//

#include "tuning/session/trials.h"

#include <stdlib.h>
#include <string.h>

tune_status tune_trials_init(tune_trials *trials, size_t best_limit) {
  *trials = (tune_trials){.best_limit = best_limit};
  tune_config_set_init(&trials->configs);
  trials->best = calloc(best_limit + 1, sizeof *trials->best);
  return trials->best ? TUNE_OK : tune_status_out_of_memory("out of memory while keeping trials");
}

void tune_trials_deinit(tune_trials *trials) {
  for (size_t i = 0; i < trials->configs.count; ++i) {
    free(trials->items[i].digest);
    free(trials->items[i].error);
    free(trials->items[i].settled_from);
    free(trials->items[i].time.samples);
  }
  free(trials->items);
  free(trials->best);
  tune_config_set_deinit(&trials->configs);
  *trials = (tune_trials){0};
}

bool tune_trial_is_timed(const tune_trial *trial) {
  return trial->verdict == TUNE_VERDICT_OK && trial->median > 0;
}

void tune_trial_drop_samples(tune_trial *trial) {
  free(trial->time.samples);
  trial->time = (tune_timing){0};
}

void tune_trial_put_right(tune_trial *trial, double drift) {
  double scale = (trial->drift > 0 ? trial->drift : 1) / (drift > 0 ? drift : 1);
  trial->drift = drift;
  trial->median *= scale;
  trial->low *= scale;
  trial->high *= scale;
}

tune_status tune_trials_add(tune_trials *trials, const tune_config *config, size_t *out_number) {
  // Room comes first, so that there is never a config without its trial.
  if (trials->configs.count == trials->capacity) {
    size_t capacity = trials->capacity ? 2 * trials->capacity : 64;
    tune_trial *items = realloc(trials->items, capacity * sizeof *items);
    if (!items)
      return tune_status_out_of_memory("out of memory while keeping trials");
    trials->items = items;
    trials->capacity = capacity;
  }
  bool is_new;
  TUNE_RETURN_IF_ERROR(tune_config_set_add(&trials->configs, config, &is_new));
  *out_number = tune_config_set_find(&trials->configs, config);
  if (is_new)
    trials->items[*out_number] = (tune_trial){.state = TUNE_TRIAL_NEW, .turn = SIZE_MAX};
  return TUNE_OK;
}

size_t tune_trials_find_twin(const tune_trials *trials, size_t number, const char *digest) {
  size_t duplicate = SIZE_MAX, held = SIZE_MAX;
  for (size_t i = 0; i < trials->configs.count; ++i) {
    const tune_trial *trial = &trials->items[i];
    bool is_measured = trial->is_held || trial->state == TUNE_TRIAL_MEASURING ||
                       trial->state == TUNE_TRIAL_DONE ||
                       (trial->state == TUNE_TRIAL_SETTLED && !trial->is_twin);
    if (i == number || !is_measured || !trial->digest || strcmp(trial->digest, digest) != 0)
      continue;
    bool may_be_duplicate = trial->state == TUNE_TRIAL_DONE || trial->is_known;
    if (may_be_duplicate && trial->verdict == TUNE_VERDICT_DUPLICATE)
      duplicate = i;
    else if (!trial->is_held)
      return i;
    else
      held = i;
  }
  return held != SIZE_MAX ? held : duplicate;
}

// The one that there is no place for, or SIZE_MAX.
static size_t rank(tune_trials *trials, size_t number) {
  // `best` has room for one more than it keeps.
  size_t at = trials->best_count++;
  for (; at > 0 && trials->items[trials->best[at - 1]].median > trials->items[number].median; --at)
    trials->best[at] = trials->best[at - 1];
  trials->best[at] = number;
  return trials->best_count > trials->best_limit ? trials->best[--trials->best_count] : SIZE_MAX;
}

void tune_trials_finish(tune_trials *trials, size_t number, size_t *out_dropped) {
  tune_trial *trial = &trials->items[number];
  trial->state = TUNE_TRIAL_DONE;
  ++trials->done;
  ++trials->verdicts[trial->verdict];
  *out_dropped = number;
  if (trial->verdict != TUNE_VERDICT_OK)
    return;
  *out_dropped = rank(trials, number);
}

void tune_trials_rank_again(tune_trials *trials) {
  trials->best_count = 0;
  for (size_t i = 0; i < trials->configs.count; ++i)
    if (trials->items[i].state == TUNE_TRIAL_DONE && trials->items[i].verdict == TUNE_VERDICT_OK)
      (void)rank(trials, i);
}

static void set_verdict(tune_trials *trials, size_t number, tune_verdict verdict) {
  tune_trial *trial = &trials->items[number];
  if (trial->state == TUNE_TRIAL_DONE) {
    --trials->verdicts[trial->verdict];
    ++trials->verdicts[verdict];
  }
  trial->verdict = verdict;
}

void tune_trials_change(tune_trials *trials, size_t number, tune_verdict verdict) {
  set_verdict(trials, number, verdict);
  tune_trials_rank_again(trials);
}

tune_status tune_trials_discard(tune_trials *trials, size_t number, tune_verdict verdict,
                                const char *error) {
  tune_trial *trial = &trials->items[number];
  char *copy = error ? strdup(error) : NULL;
  if (error && !copy)
    return tune_status_out_of_memory("out of memory while keeping trials");
  free(trial->error);
  trial->error = copy;
  trial->median = trial->low = trial->high = 0;
  set_verdict(trials, number, verdict);
  size_t kept = 0;
  for (size_t i = 0; i < trials->best_count; ++i)
    if (trials->best[i] != number)
      trials->best[kept++] = trials->best[i];
  trials->best_count = kept;
  return TUNE_OK;
}
