//===- search_notes.c ---------------------------------------------------------===//

#include "transforms/search/search_notes.h"

#include "support/units.h"

#include <math.h>

// Why a task has fewer trials than were asked for; NULL where it has them.
static const char *reason_of_stop(tune_session_stop stop) {
  switch (stop) {
  case TUNE_STOP_TRIALS:
    return NULL;
  case TUNE_STOP_EXHAUSTED:
    return "every valid config was tried";
  case TUNE_STOP_TIME:
    return "its time was up";
  case TUNE_STOP_TARGET:
    return "the wanted share of the peak was reached";
  case TUNE_STOP_PLATEAU:
    return "there was no gain for long";
  case TUNE_STOP_HOPELESS:
    return "none of the first ones went well";
  case TUNE_STOP_INTERRUPTED:
    return "interrupted; the same command goes on from here";
  case TUNE_STOP_SUSPENDED:
    return "the next ones are measured elsewhere; the same command goes on from here";
  }
  return NULL;
}

static void append_stop(tune_string_builder *notes, const tune_task *task,
                        const tune_session_result *result) {
  const char *reason = reason_of_stop(result->stop);
  if (reason)
    tune_string_builder_appendf(notes, "%s: ended after %zu trial%s: %s\n", task->name,
                                result->trials, result->trials == 1 ? "" : "s", reason);
}

static void append_doubt(tune_string_builder *notes, const tune_target_facts *facts,
                         const tune_task *task, double seconds) {
  if (tune_task_percent_of_peak(task, seconds) > TUNE_SEARCH_HIGHEST_PERCENT)
    tune_string_builder_appendf(
        notes,
        "%s: its share of the peak is over 100 %%: it needs fewer products "
        "than the task counts (Winograd does), or the peak was measured too "
        "low, since something else ran meanwhile; the next search measures "
        "it again\n",
        task->name);
  else if (tune_target_facts_percent_of_roofline(facts, task, seconds) >
           TUNE_SEARCH_HIGHEST_PERCENT)
    tune_string_builder_appendf(notes,
                                "%s: its share of the roofline is too high: the bandwidth was "
                                "measured too low, or much of its data is in a nearer cache than "
                                "holds all of them\n",
                                task->name);
}

// A candidate that failed is no loss where another one won; else it may be why none did.
static void append_failures(tune_string_builder *notes, const tune_task *task,
                            const tune_session_result *result) {
  bool goes_on = result->stop == TUNE_STOP_SUSPENDED || result->stop == TUNE_STOP_INTERRUPTED;
  if (goes_on || !result->has_best || !result->is_default || !result->failures.kind_count)
    return;
  const size_t *verdicts = result->verdicts;
  size_t worked =
      verdicts[TUNE_VERDICT_OK] + verdicts[TUNE_VERDICT_CUT] + verdicts[TUNE_VERDICT_DUPLICATE];
  tune_string_builder_appendf(notes, "%s: %s: ", task->name,
                              worked > 1 ? "the default stays, and of the others"
                                         : "nothing but the default worked");
  tune_failures_append(&result->failures, notes);
  tune_string_builder_append(notes, "\n");
}

static void append_inert(tune_string_builder *notes, const tune_task *task,
                         const tune_session_result *result) {
  for (size_t i = 0; i < result->inert_count; i++) {
    const tune_inert_knob *inert = &result->inert[i];
    const tune_knob *knob = tune_space_knob(task->space, inert->knob);
    tune_string_builder_appendf(notes,
                                "%s: %s changed nothing in %zu trials: those that differ in it "
                                "alone are the same code (%zu of its %zu values%s%s)\n",
                                task->name, knob->name, inert->trials, inert->values,
                                knob->value_count, inert->forms ? ", all with " : "",
                                inert->forms ? inert->forms : "");
  }
}

// What was found in one place alone need not hold in another.
static void append_placements(tune_string_builder *notes, const tune_task *task,
                              const tune_session_result *result) {
  if (result->placements > 0 && !result->is_default)
    tune_string_builder_appendf(notes, "%s: the best were compared in %zu placement%s\n",
                                task->name, result->placements, result->placements == 1 ? "" : "s");
}

// Somebody else's loops would do.
static void append_slower(tune_string_builder *notes, const tune_task *task,
                          const tune_session_result *result) {
  double plain = result->plain_seconds, best = result->time.median;
  if (result->has_best && plain > 0 && best > 1.1 * plain)
    tune_string_builder_appendf(notes,
                                "%s: the best is slower than plain loops on the CPU, which take "
                                "%s; `schedule=` takes a script of yours\n",
                                task->name, tune_figure_seconds(plain).text);
}

static void append_drift(tune_string_builder *notes, const tune_task *task, double drift) {
  if (drift != 1)
    tune_string_builder_appendf(
        notes, "%s: the machine was once %.0f %% %s than at the beginning; times were put right\n",
        task->name, 100 * fabs(drift - 1), drift > 1 ? "slower" : "faster");
}

static void append_stored(tune_string_builder *notes, const tune_task *task,
                          const tune_session_result *result) {
  if (result->stored_move > 0)
    tune_string_builder_appendf(notes,
                                "%s: the machine is %.0f %% %s than when the database's times were "
                                "taken; they were put right\n",
                                task->name, 100 * fabs(result->stored_move - 1),
                                result->stored_move > 1 ? "slower" : "faster");
  if (result->disbelieved)
    tune_string_builder_appendf(
        notes, "%s: %zu time%s of the database did not hold, and %s measured again\n", task->name,
        result->disbelieved, result->disbelieved == 1 ? "" : "s",
        result->disbelieved == 1 ? "was" : "were");
}

void tune_search_notes_append(tune_string_builder *notes, const tune_target_facts *facts,
                              const tune_task *task, const tune_session_result *result) {
  if (result->has_best && result->default_error)
    tune_string_builder_appendf(notes, "%s: the default failed: %s\n", task->name,
                                result->default_error);
  append_failures(notes, task, result);
  append_inert(notes, task, result);
  append_placements(notes, task, result);
  append_slower(notes, task, result);
  append_stored(notes, task, result);
  append_drift(notes, task, result->drift);
  append_stop(notes, task, result);
  append_doubt(notes, facts, task, result->time.median);
}
