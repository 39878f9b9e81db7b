//===- search_budget.c - What of the time each task gets -----------------------===//
//
// What a search of a task gains is about proportional to what the task takes of a run of the
// module, and falls with the trials that were made: the next trial is worth the same everywhere
// where each task gets time as it takes time. Ansor's gradient scheduler (Zheng et al., "Ansor:
// Generating High-Performance Tensor Programs for Deep Learning", 2020, section 6) comes to this
// where all tasks improve alike. It asks for times of each task in turns; here a task's reference,
// inputs and parsed text are made once, so that each has its turn once, the longest first.
//
//===--------------------------------------------------------------------------===//

#include "support/clock.h"
#include "transforms/search/search_state.h"

// What a task without a roofline counts as, and what each counts as at least: calling it.
#define UNKNOWN_SECONDS 1e-5
#define LEAST_SECONDS 1e-6
// Of an even share, what each task gets at least: some time to build and time the default.
#define LEAST_SHARE 0.15
// Of the module as a whole: by default, with the winners, and what is not built. At most so much of
// the time is kept for that.
#define WHOLE_BUILDS 2.5
#define MOST_FOR_WHOLE 0.4
// A session that may run for no time at all would have no limit.
#define LEAST_SESSION 0.001

typedef struct tune_search search;

static bool is_to_come(const search *s, size_t task) {
  return s->spaces[task] && !s->winners[task].is_begun;
}

// What all calls of a task take at best, in seconds.
static double weight(const search *s, size_t index) {
  tune_task task;
  tune_task_space_get_task(s->spaces[index], s->tasks.extraction, s->tasks.facts, &task);
  double seconds = tune_target_facts_find_place(s->tasks.facts, &task).seconds;
  if (!(seconds > 0))
    seconds = UNKNOWN_SECONDS;
  return (double)s->tasks.extraction->tasks[index].occurrence_count * (seconds + LEAST_SECONDS);
}

void tune_search_budget_begin(search *s) {
  if (!(s->options->seconds > 0))
    return;
  bool keeps_some = s->options->checks_whole && s->takes_time;
  s->end = s->begin + s->options->seconds * (keeps_some ? 1 - TUNE_SEARCH_WHOLE_SHARE : 1);
}

bool tune_search_budget_next(const search *s, size_t *out_task) {
  bool found = false;
  double most = 0;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    if (!is_to_come(s, i))
      continue;
    double of_task = s->end > 0 ? weight(s, i) : 1;
    if (!found || of_task > most) {
      *out_task = i;
      most = of_task;
    }
    found = true;
  }
  return found;
}

void tune_search_budget_note_builds(search *s, const tune_session_result *result) {
  double seconds = 0;
  for (int stage = 0; stage < TUNE_STAGE_LINK; stage++)
    seconds += result->stage_seconds[stage];
  if (result->new_trials == 0)
    return;
  s->build_seconds += seconds / (double)result->new_trials;
  s->built_tasks++;
}

// What is kept beyond the end for the module as a whole, which is built by default and with the
// winners: as long as its tasks take to build, where that is more than there is.
static double kept_for_whole(const search *s) {
  double kept = s->options->seconds * TUNE_SEARCH_WHOLE_SHARE;
  if (s->built_tasks == 0 || !s->options->checks_whole || s->is_of_parts)
    return 0;
  double all = s->build_seconds / (double)s->built_tasks * (double)s->tasks.extraction->task_count;
  double wanted = WHOLE_BUILDS * all, most = s->options->seconds * MOST_FOR_WHOLE;
  wanted = wanted > most ? most : wanted;
  return wanted > kept ? wanted - kept : 0;
}

double tune_search_budget_share(const search *s) {
  double own = s->options->session.seconds;
  if (!(s->end > 0))
    return own;
  double present = weight(s, s->index), all = present;
  size_t count = 1;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    if (is_to_come(s, i)) {
      all += weight(s, i);
      count++;
    }
  double even = 1 / (double)count, part = LEAST_SHARE * even + (1 - LEAST_SHARE) * present / all;
  double seconds = part * (s->end - kept_for_whole(s) - tune_clock_seconds());
  if (seconds < LEAST_SESSION)
    seconds = LEAST_SESSION;
  return own > 0 && own < seconds ? own : seconds;
}
