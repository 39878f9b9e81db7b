//===- search_budget.c - What of the time each task gets -----------------------===//
//
// First the default of each task is timed. What a search of a task may gain is what all its calls
// take by default, less what they take at best; so tasks get time in proportion to that, and those
// that would not get enough for some candidates get none. Ansor's gradient scheduler (Zheng et al.,
// "Ansor: Generating High-Performance Tensor Programs for Deep Learning", 2020, section 6) also
// looks at what a task has gained last. It asks for times of each task in turns; here a task's
// reference, inputs and parsed text are made once for its search, so that each has its turn once,
// and ends early where nothing is gained any more. What it leaves goes to those after it.
//
//===--------------------------------------------------------------------------===//

#include "support/clock.h"
#include "transforms/search/search_state.h"
#include "transforms/tasks/task_runs.h"

#include <math.h>
#include <stdlib.h>

// What a task without a roofline counts as, and what each counts as at least: calling it.
#define UNKNOWN_SECONDS 1e-5
#define LEAST_SECONDS 1e-6
// Of what a task takes, what there is to gain at least, however near the roofline it is.
#define LEAST_GAIN 0.05
// A search of fewer candidates than that finds nothing.
#define LEAST_TRIALS 6
// The last one has the rest of the time, where that is enough for the default and another one.
#define LEAST_BUILDS 2
// Seconds that its reference and inputs take, where nobody knows, and how many calls' time that and
// the candidates do: plain loops take 20 to 50 times as long.
#define BEFORE_TRIALS 0.3
#define CALLS 80
// The share of the time in which defaults are looked at.
#define MOST_FOR_LOOKS 0.25
#define LEAST_FOR_LOOKS 0.1
// The same of the profile, without which most of that would be spent for nothing.
#define MOST_FOR_PROFILE 0.4
// Of what a task takes at best, what there is to gain where nothing more is known.
#define UNKNOWN_GAIN 0.2
// Of the module as a whole: by default and with the winners, at once, each of which takes longer
// than its tasks one by one, and then both are timed. At most so much of the time is kept for that.
#define WHOLE_BUILDS 3
#define MOST_FOR_WHOLE 0.4
// Seconds for starting it and timing it, of a time that is not shorter itself; what it is checked
// against takes CALLS runs besides.
#define AROUND_WHOLE 1.0
#define MOST_AROUND_WHOLE 0.05

typedef struct tune_search search;

static bool is_to_come(const search *s, size_t task) {
  return s->spaces[task] && !s->winners[task].is_begun;
}

double tune_search_seconds_at_best(const search *s, size_t index) {
  tune_task task;
  tune_task_space_get_task(s->spaces[index], s->tasks.extraction, &task);
  return tune_target_facts_find_place(s->spaces[index]->facts, &task).seconds;
}

// How much there is to gain at a task, in seconds of a run; while defaults are looked at, what one
// that is to come takes at best.
static double weight(const search *s, size_t index) {
  const tune_search_look *look = &s->looks[index];
  double runs = (double)tune_extracted_task_runs(&s->tasks.extraction->tasks[index]);
  double best = tune_search_seconds_at_best(s, index);
  if (!(best > 0))
    best = UNKNOWN_SECONDS;
  if (look->is_ahead)
    return 0;
  bool is_seen = look->in_place > 0;
  if (!is_seen && !look->has_result)
    return s->is_looking ? runs * (best + LEAST_SECONDS)
                         : UNKNOWN_GAIN * runs * (best + LEAST_SECONDS);
  double now = is_seen ? look->in_place : runs * look->result.time.median;
  double at_best = (is_seen ? look->calls : runs) * best;
  double gain = now - at_best;
  return gain > LEAST_GAIN * now ? gain : LEAST_GAIN * now;
}

// What a build of a task takes: as those that were searched, or in the whole module.
static double seconds_of_build(const search *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    count += s->looks[i].in_place > 0;
  return s->built_tasks ? s->build_seconds / (double)s->built_tasks
                        : s->profile_build_seconds / (double)(count ? count : 1);
}

// What a search of the task takes at least that is worth it: its reference and inputs, and some
// candidates. Where the task's default is not known, as those of others; 0: nobody knows.
static double least_seconds(const search *s, size_t task) {
  const tune_search_look *own = &s->looks[task];
  if (s->has_profile)
    return BEFORE_TRIALS + LEAST_TRIALS * seconds_of_build(s) +
           (own->calls > 0 ? CALLS * own->in_place / own->calls : 0);
  double seconds = 0;
  size_t count = 0;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    const tune_search_look *look = &s->looks[i];
    if (!look->has_result || (i != task && s->looks[task].has_result))
      continue;
    seconds += look->result.seconds;
    for (int stage = 0; stage < TUNE_STAGE_COUNT; stage++)
      seconds += (LEAST_TRIALS - 1) * look->result.stage_seconds[stage];
    count++;
  }
  return count ? seconds / (double)count : 0;
}

bool tune_search_is_interrupted(const search *s) {
  const volatile sig_atomic_t *flag = s->options->session.interrupted;
  return flag && *flag;
}

void tune_search_budget_begin(search *s) {
  if (!(s->options->seconds > 0))
    return;
  bool keeps_some = s->options->checks_whole && s->takes_time;
  s->end = s->begin + s->options->seconds * (keeps_some ? 1 - TUNE_SEARCH_WHOLE_SHARE : 1);
}

double tune_search_budget_end_of_profile(const search *s) {
  return s->begin + MOST_FOR_PROFILE * s->options->seconds;
}

bool tune_search_budget_has_looked(const search *s) {
  // After a profile that came to nothing there are some looks, at those that take most.
  double end = s->begin + MOST_FOR_LOOKS * s->options->seconds;
  double least = s->looks_begin + LEAST_FOR_LOOKS * s->options->seconds;
  return tune_clock_seconds() > (end > least ? end : least);
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

// What a run takes by default, of the tasks whose default is known.
static double seconds_of_run(const search *s) {
  double seconds = 0;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    const tune_search_look *look = &s->looks[i];
    double runs = (double)tune_extracted_task_runs(&s->tasks.extraction->tasks[i]);
    seconds += look->in_place > 0 ? look->in_place
               : look->has_result ? runs * look->result.time.median
                                  : runs * s->winners[i].default_time;
  }
  return seconds;
}

// What is kept beyond the end for the module as a whole, which is built by default and with the
// winners: as long as its tasks take to build, where that is more than there is.
static double kept_for_whole(const search *s) {
  double kept = s->options->seconds * TUNE_SEARCH_WHOLE_SHARE;
  if (!s->options->checks_whole || !s->takes_time || s->is_of_parts)
    return 0;
  double all = s->has_profile   ? s->profile_build_seconds
               : s->built_tasks ? s->build_seconds / (double)s->built_tasks *
                                      (double)s->tasks.extraction->task_count
                                : 0;
  double around = fmin(AROUND_WHOLE, MOST_AROUND_WHOLE * s->options->seconds);
  double wanted = around + WHOLE_BUILDS * all + CALLS * seconds_of_run(s);
  double most = s->options->seconds * MOST_FOR_WHOLE;
  wanted = wanted > most ? most : wanted;
  return wanted > kept ? wanted - kept : 0;
}

// A task that is to come, or the present one.
typedef struct claim {
  double weight, least; // seconds of it
} claim;

static int by_weight(const void *a, const void *b) {
  const claim *one = a, *other = b;
  return one->weight < other->weight ? 1 : one->weight > other->weight ? -1 : 0;
}

static size_t list_claims(const search *s, claim *claims) {
  size_t count = 0;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    if (i == s->index || is_to_come(s, i))
      claims[count++] = (claim){weight(s, i), least_seconds(s, i)};
  qsort(claims, count, sizeof *claims, by_weight);
  return count;
}

// The sum of the weights of the tasks that share `seconds`: as many, by weight, as get enough.
static double sum_of_sharers(const search *s, double seconds) {
  claim *claims = malloc((s->tasks.extraction->task_count + 1) * sizeof *claims);
  double sum = 0, found = 0;
  size_t count = claims ? list_claims(s, claims) : 0;
  for (size_t i = 0; i < count; i++) {
    sum += claims[i].weight;
    if (i == 0 || seconds * claims[i].weight >= claims[i].least * sum)
      found = sum;
  }
  free(claims);
  return found;
}

// What the present task gets of the time that is left, in seconds; below 0 where none is.
static double part_of_time(const search *s, bool *out_is_last) {
  double present = weight(s, s->index);
  double left = s->end - kept_for_whole(s) - tune_clock_seconds();
  double all = sum_of_sharers(s, left);
  *out_is_last = present >= all;
  return all > 0 ? present / all * left : 0;
}

bool tune_search_budget_is_enough(const search *s) {
  bool is_last;
  double seconds = part_of_time(s, &is_last);
  return seconds > 0 && seconds >= least_seconds(s, s->index);
}

double tune_search_budget_share(const search *s) {
  double own = s->options->session.seconds;
  if (!(s->end > 0))
    return own;
  bool is_last;
  double seconds = part_of_time(s, &is_last);
  // The last one has what is left, unless nothing could be built in that.
  bool is_enough = seconds >= least_seconds(s, s->index) ||
                   (is_last && seconds > LEAST_BUILDS * seconds_of_build(s));
  if ((!is_enough && !s->is_of_parts) || s->looks[s->index].is_ahead)
    return -1;
  if (seconds < TUNE_SEARCH_LEAST_SESSION)
    seconds = TUNE_SEARCH_LEAST_SESSION;
  return own > 0 && own < seconds ? own : seconds;
}
