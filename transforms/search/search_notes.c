//===- search_notes.c ---------------------------------------------------------===//

#include "transforms/search/search_notes.h"

#include "support/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of so many tasks each has its line.
#define LINES_OF_A_KIND 3

// What one note is about.
typedef enum kind {
  KIND_OTHER,      // its own line, always
  KIND_STOP,       // by why
  KIND_INERT,      // by knob
  KIND_PLACEMENTS, //
  KIND_STORED,     //
  KIND_DRIFT,      //
  KIND_RULE,       //
  KIND_GROUPING,   //
} kind;

// Notes of one kind about one thing.
typedef struct notes_of {
  kind kind;
  char about[64];
  size_t count;
  double least, most; // of the figures that are in them
  tune_string_builder lines;
} notes_of;

struct tune_search_notes {
  notes_of *items;
  size_t count, capacity;
};

static notes_of *find_kind(tune_search_notes *notes, kind of_kind, const char *about) {
  for (size_t i = 0; i < notes->count; i++)
    if (notes->items[i].kind == of_kind && of_kind != KIND_OTHER &&
        strcmp(notes->items[i].about, about) == 0)
      return &notes->items[i];
  if (notes->count == notes->capacity) {
    size_t capacity = notes->capacity ? 2 * notes->capacity : 16;
    notes_of *grown = realloc(notes->items, capacity * sizeof *grown);
    if (!grown)
      return NULL;
    notes->items = grown;
    notes->capacity = capacity;
  }
  notes_of *added = &notes->items[notes->count++];
  *added = (notes_of){.kind = of_kind, .least = INFINITY, .most = -INFINITY};
  snprintf(added->about, sizeof added->about, "%s", about);
  tune_string_builder_init(&added->lines);
  return added;
}

// Adds a note, of a kind that `about` and `figure` belong to.
__attribute__((format(printf, 5, 6))) static void note(tune_search_notes *notes, kind of_kind,
                                                       const char *about, double figure,
                                                       const char *format, ...) {
  notes_of *found = find_kind(notes, of_kind, about);
  char *line;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&line, format, arguments);
  va_end(arguments);
  if (length < 0)
    return;
  if (found) {
    found->count++;
    found->least = fmin(found->least, figure);
    found->most = fmax(found->most, figure);
    tune_string_builder_append(&found->lines, line);
  }
  free(line);
}

// Why a task has fewer trials than were asked for; NULL where it has them.
static const char *reason_of_stop(tune_session_stop stop) {
  switch (stop) {
  case TUNE_STOP_TRIALS:
    return NULL;
  case TUNE_STOP_EXHAUSTED:
    return "every valid config was tried";
  case TUNE_STOP_LAYERS:
    return "from what was found no level alone has anything new";
  case TUNE_STOP_TIME:
    return "time was up";
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
  case TUNE_STOP_AHEAD:
    return "all that is read is constant, which is done ahead";
  case TUNE_STOP_SHARE:
    return "there is too little to gain for the time; a longer time= has some for them, too";
  }
  return NULL;
}

static void note_stop(tune_search_notes *notes, const tune_task *task,
                      const tune_session_result *result) {
  const char *reason = reason_of_stop(result->stop);
  if (reason)
    note(notes, KIND_STOP, reason, 0, "%s: ended after %zu trial%s: %s\n", task->name,
         result->trials, result->trials == 1 ? "" : "s", reason);
}

static void note_doubt(tune_search_notes *notes, const tune_target_facts *facts,
                       const tune_task *task, double seconds) {
  if (tune_task_percent_of_peak(task, seconds) > TUNE_SEARCH_HIGHEST_PERCENT)
    note(notes, KIND_OTHER, "", 0,
         "%s: its share of the peak is over 100 %%: it needs fewer products than the task counts "
         "(Winograd does), or the peak was measured too low, since something else ran meanwhile; "
         "the next search measures it again\n",
         task->name);
  else if (tune_target_facts_percent_of_roofline(facts, task, seconds) >
           TUNE_SEARCH_HIGHEST_PERCENT)
    note(notes, KIND_OTHER, "", 0,
         "%s: its share of the roofline is too high: the bandwidth was measured too low, or much "
         "of its data is in a nearer cache than holds all of them\n",
         task->name);
}

// A candidate that failed is no loss where another one won; else it may be why none did.
static void note_failures(tune_search_notes *notes, const tune_task *task,
                          const tune_session_result *result) {
  bool goes_on = result->stop == TUNE_STOP_SUSPENDED || result->stop == TUNE_STOP_INTERRUPTED;
  if (goes_on || !result->has_best || !result->is_default || !result->failures.kind_count)
    return;
  const size_t *verdicts = result->verdicts;
  size_t worked =
      verdicts[TUNE_VERDICT_OK] + verdicts[TUNE_VERDICT_CUT] + verdicts[TUNE_VERDICT_DUPLICATE];
  tune_string_builder why;
  tune_string_builder_init(&why);
  tune_failures_append(&result->failures, &why);
  note(notes, KIND_OTHER, "", 0, "%s: %s: %s\n", task->name,
       worked > 1 ? "the default stays, and of the others" : "nothing but the default worked",
       why.text ? why.text : "");
  tune_string_builder_deinit(&why);
}

static void note_inert(tune_search_notes *notes, const tune_task *task,
                       const tune_session_result *result) {
  for (size_t i = 0; i < result->inert_count; i++) {
    const tune_inert_knob *inert = &result->inert[i];
    const tune_knob *knob = tune_space_knob(task->space, inert->knob);
    note(notes, KIND_INERT, knob->name, 0,
         "%s: %s changed nothing in %zu trials: those that differ in it alone are the same code "
         "(%zu of its %zu values%s%s)\n",
         task->name, knob->name, inert->trials, inert->values, knob->value_count,
         inert->forms ? ", all with " : "", inert->forms ? inert->forms : "");
  }
}

// What was found in one place alone need not hold in another.
static void note_placements(tune_search_notes *notes, const tune_task *task,
                            const tune_session_result *result) {
  if (result->placements > 0 && !result->is_default)
    note(notes, KIND_PLACEMENTS, "", (double)result->placements,
         "%s: the best were compared in %zu placement%s\n", task->name, result->placements,
         result->placements == 1 ? "" : "s");
}

// Somebody else's loops would do.
static void note_slower(tune_search_notes *notes, const tune_task *task,
                        const tune_session_result *result) {
  double plain = result->plain_seconds, best = result->time.median;
  if (result->has_best && plain > 0 && best > 1.1 * plain)
    note(notes, KIND_OTHER, "", 0,
         "%s: the best is slower than plain loops on the CPU, which take %s; `schedule=` takes a "
         "script of yours\n",
         task->name, tune_figure_seconds(plain).text);
}

static const char *direction(double ratio) { return ratio > 1 ? "slower" : "faster"; }

static void note_drift(tune_search_notes *notes, const tune_task *task, double drift) {
  if (drift != 1)
    note(notes, KIND_DRIFT, "", drift,
         "%s: the machine was once %.0f %% %s than at the beginning; times were put right\n",
         task->name, 100 * fabs(drift - 1), direction(drift));
}

static void note_stored(tune_search_notes *notes, const tune_task *task,
                        const tune_session_result *result) {
  if (result->stored_move > 0)
    note(notes, KIND_STORED, "", result->stored_move,
         "%s: the machine is %.0f %% %s than when the database's times were taken; they were put "
         "right\n",
         task->name, 100 * fabs(result->stored_move - 1), direction(result->stored_move));
  if (result->disbelieved)
    note(notes, KIND_OTHER, "", 0,
         "%s: %zu time%s of the database did not hold, and %s measured again\n", task->name,
         result->disbelieved, result->disbelieved == 1 ? "" : "s",
         result->disbelieved == 1 ? "was" : "were");
}

void tune_search_notes_add(tune_search_notes *notes, const tune_target_facts *facts,
                           const tune_task *task, const tune_session_result *result) {
  if (result->has_best && result->default_error)
    note(notes, KIND_OTHER, "", 0, "%s: the default failed: %s\n", task->name,
         result->default_error);
  note_failures(notes, task, result);
  note_inert(notes, task, result);
  note_placements(notes, task, result);
  note_slower(notes, task, result);
  note_stored(notes, task, result);
  note_drift(notes, task, result->drift);
  note_stop(notes, task, result);
  note_doubt(notes, facts, task, result->time.median);
}

void tune_search_notes_add_rule(tune_search_notes *notes, const tune_task *task, const char *from,
                                const char *to, double first_seconds, double seconds) {
  tune_figure before = tune_figure_seconds(first_seconds), after = tune_figure_seconds(seconds);
  note(notes, KIND_RULE, "", first_seconds / seconds,
       "%s: searched by %s, whose default takes %s; by %s it takes %s\n", task->name, to,
       after.text, from, before.text);
}

void tune_search_notes_add_grouping(tune_search_notes *notes, const tune_task *task,
                                    const char *grouping, size_t parts, double whole_seconds,
                                    double seconds) {
  tune_figure whole = tune_figure_seconds(whole_seconds), apart = tune_figure_seconds(seconds);
  note(notes, KIND_GROUPING, "", whole_seconds / seconds,
       "%s: cut apart (grouping = \"%s\"): its %zu parts take %s, the best of it as a whole %s\n",
       task->name, grouping, parts, apart.text, whole.text);
}

//===--------------------------------------------------------------------------===//
// Many tasks alike
//===--------------------------------------------------------------------------===//

// "up to 9 % slower", "up to 23 % faster", or both.
static void append_moves(const notes_of *of, tune_string_builder *text) {
  bool is_slower = of->most > 1, is_faster = of->least < 1;
  if (is_slower)
    tune_string_builder_appendf(text, "up to %.0f %% slower%s", 100 * (of->most - 1),
                                is_faster ? " and " : "");
  if (is_faster)
    tune_string_builder_appendf(text, "up to %.0f %% faster", 100 * (1 - of->least));
}

static void append_summary(const notes_of *of, tune_string_builder *text) {
  tune_string_builder_append(text, "tune-search: ");
  switch (of->kind) {
  case KIND_STOP:
    tune_string_builder_appendf(text, "%zu tasks ended before all trials: %s\n", of->count,
                                of->about);
    break;
  case KIND_INERT:
    tune_string_builder_appendf(
        text, "%s changed nothing in %zu tasks: trials that differ in it alone are the same code\n",
        of->about, of->count);
    break;
  case KIND_PLACEMENTS:
    tune_string_builder_appendf(text, "the best of %zu tasks were compared in up to %.0f places\n",
                                of->count, of->most);
    break;
  case KIND_STORED:
    tune_string_builder_appendf(text, "for %zu tasks the machine was ", of->count);
    append_moves(of, text);
    tune_string_builder_append(text, " than when the database's times were taken; they were put "
                                     "right\n");
    break;
  case KIND_DRIFT:
    tune_string_builder_appendf(text, "during %zu tasks the machine was once ", of->count);
    append_moves(of, text);
    tune_string_builder_append(text, " than at their beginning; times were put right\n");
    break;
  case KIND_RULE:
    tune_string_builder_appendf(
        text,
        "%zu tasks are searched by another rule than the first: its default is %.2f to %.2f "
        "times as fast\n",
        of->count, of->least, of->most);
    break;
  case KIND_GROUPING:
    tune_string_builder_appendf(text,
                                "%zu tasks are cut apart: their parts are %.2f to %.2f times as "
                                "fast as the best of them as a whole\n",
                                of->count, of->least, of->most);
    break;
  case KIND_OTHER:
    break;
  }
}

void tune_search_notes_append(const tune_search_notes *notes, tune_string_builder *text) {
  for (size_t i = 0; i < notes->count; i++) {
    const notes_of *of = &notes->items[i];
    if (of->count > LINES_OF_A_KIND)
      append_summary(of, text);
    else
      tune_string_builder_append(text, of->lines.text ? of->lines.text : "");
  }
}

tune_status tune_search_notes_create(tune_search_notes **out_notes) {
  *out_notes = calloc(1, sizeof **out_notes);
  return *out_notes ? TUNE_OK : tune_status_out_of_memory("notes of a search");
}

void tune_search_notes_destroy(tune_search_notes *notes) {
  for (size_t i = 0; notes && i < notes->count; i++)
    tune_string_builder_deinit(&notes->items[i].lines);
  if (notes)
    free(notes->items);
  free(notes);
}
