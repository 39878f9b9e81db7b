//===- wrong_tasks.c ----------------------------------------------------------===//

#include "tools/tune-run/wrong_tasks.h"

#include "support/json.h"
#include "tools/tune-run/measurement.h"

#include <stdlib.h>
#include <string.h>

// A task has fewer schedules than that: it gets the last one.
#define ALL_BUT_LAST 1000
// And fewer than that: where none of so many is right, two runs of one build do not agree.
#define MOST_SCHEDULES 64
// For timing, where only the check is looked at.
#define TRY_SECONDS 0.001

typedef struct mender {
  benchmark *benchmark;
  size_t index;          // of the subject
  int64_t *counts;       // of each task: how many of its schedules are set aside for good
  bool *is_cut;          // of each task: it is cut apart for good, and they are those of its parts
  bool cuts;             // tasks that are tried are cut apart
  tune_set_aside *items; // room for all tasks
} mender;

static size_t count_tasks(const mender *m) {
  return m->benchmark->subjects[m->index].opened.module.tasks.count;
}

// Those that are set aside for good, and all but the last of the first `count` of the other tasks.
static tune_set_aside_list list_first(const mender *m, size_t count) {
  tune_set_aside_list list = {.items = m->items};
  for (size_t i = 0; i < count_tasks(m); ++i) {
    bool is_settled = m->counts[i] || m->is_cut[i];
    if (is_settled)
      list.items[list.count++] = (tune_set_aside){(int64_t)i, m->counts[i], m->is_cut[i]};
    else if (i < count)
      list.items[list.count++] = (tune_set_aside){(int64_t)i, ALL_BUT_LAST, m->cuts};
  }
  return list;
}

// Whether the check says `verdict` of the artifact.
static tune_status check(const mender *m, const char *verdict, bool *out_says) {
  const measured_subjects one = {
      .first = m->index, .count = 1, .seconds = TRY_SECONDS, .is_tried = true};
  json_t *reply;
  tune_run_reply run;
  TUNE_RETURN_IF_ERROR(measurement_run(m->benchmark, &one, &reply, &run));
  *out_says = run.compared.verdict && strcmp(run.compared.verdict, verdict) == 0;
  tune_run_reply_deinit(&run);
  json_decref(reply);
  return TUNE_OK;
}

static tune_status build(const mender *m, tune_set_aside_list set_aside, bool is_tried) {
  benchmark *b = m->benchmark;
  subject *s = &b->subjects[m->index];
  const subject_build one = {
      .of = s, .form = "so", .output = s->artifact, .set_aside = set_aside, .is_tried = is_tried};
  return subject_build_all(b->worker, &one, 1, b->settings->build_seconds);
}

static tune_status is_right(const mender *m, size_t first, bool *out_is_right) {
  *out_is_right = false;
  tune_status status = build(m, list_first(m, first), true);
  if (tune_status_get_code(status) == TUNE_INVALID_ARGUMENT) { // it does not build
    tune_status_free(status);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(status);
  return check(m, TUNE_SAID_OK, out_is_right);
}

// Whether the plain lowering of the module is wrong.
static tune_status is_plainly_wrong(const mender *m, bool *out_is_wrong) {
  benchmark *b = m->benchmark;
  subject *s = &b->subjects[m->index];
  const subject_build one = {
      .of = s, .plain = true, .form = "so", .output = s->artifact, .is_tried = true};
  TUNE_RETURN_IF_ERROR(subject_build_all(b->worker, &one, 1, b->settings->build_seconds));
  return check(m, "wrong", out_is_wrong);
}

// Whether the module says what the first one says, of which the reference is. Its plain lowering
// tells, which only a CPU runs; where that is wrong, no schedule is to blame. One that does not
// build, crashes or takes too long says nothing.
static tune_status says_the_same(const mender *m, bool *out_says) {
  benchmark *b = m->benchmark;
  bool is_wrong = false;
  *out_says = true;
  if (m->index == 0 || b->facts->name.kind != TUNE_KIND_CPU)
    return TUNE_OK;
  tune_status status = is_plainly_wrong(m, &is_wrong);
  tune_status_code code = tune_status_get_code(status);
  if (code == TUNE_INVALID_ARGUMENT || code == TUNE_DEADLINE_EXCEEDED) {
    tune_status_free(status);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(status);
  *out_says = !is_wrong;
  if (is_wrong)
    tune_json_append_text(b->notes,
                          "%s says something else than %s: it is wrong in plain loops, too",
                          b->subjects[m->index].path, b->subjects[0].path);
  return TUNE_OK;
}

// Whether the module is right with the last schedules of all tasks, or else of all their parts.
static tune_status can_be_right(mender *m, bool *out_is_right) {
  m->cuts = false;
  TUNE_RETURN_IF_ERROR(is_right(m, count_tasks(m), out_is_right));
  if (*out_is_right)
    return TUNE_OK;
  m->cuts = true;
  return is_right(m, count_tasks(m), out_is_right);
}

// Sets aside as few schedules of `task` as will do where all tasks before it have their last ones.
static tune_status settle(mender *m, size_t task) {
  bool right = false;
  m->is_cut[task] = m->cuts;
  if (m->cuts)
    TUNE_RETURN_IF_ERROR(is_right(m, task, &right));
  // Each step takes one more: where none is left it is the last again, which was right.
  while (!right && m->counts[task] < MOST_SCHEDULES) {
    ++m->counts[task];
    TUNE_RETURN_IF_ERROR(is_right(m, task, &right));
  }
  return TUNE_OK;
}

// Sets aside schedules of the task that is to blame, of those that are left. `*out_found` is false
// where nothing helps.
static tune_status mend_one(mender *m, bool *out_found) {
  size_t low = 0, high = count_tasks(m);
  TUNE_RETURN_IF_ERROR(can_be_right(m, out_found));
  if (!*out_found)
    return TUNE_OK;
  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;
    bool right;
    TUNE_RETURN_IF_ERROR(is_right(m, middle, &right));
    *(right ? &high : &low) = middle;
  }
  return settle(m, high - 1);
}

static tune_status mend(mender *m, bool *out_is_right) {
  bool found;
  *out_is_right = false;
  TUNE_RETURN_IF_ERROR(says_the_same(m, &found));
  for (size_t i = 0; i < count_tasks(m) && found && !*out_is_right; ++i) {
    TUNE_RETURN_IF_ERROR(mend_one(m, &found));
    if (found)
      TUNE_RETURN_IF_ERROR(is_right(m, 0, out_is_right));
  }
  if (!*out_is_right) {
    memset(m->counts, 0, count_tasks(m) * sizeof *m->counts);
    memset(m->is_cut, 0, count_tasks(m) * sizeof *m->is_cut);
  }
  return build(m, list_first(m, 0), !*out_is_right);
}

tune_status wrong_tasks_mend(benchmark *b, size_t index, bool *out_is_right) {
  mender m = {.benchmark = b, .index = index};
  m.counts = calloc(count_tasks(&m) + 1, sizeof *m.counts);
  m.is_cut = calloc(count_tasks(&m) + 1, sizeof *m.is_cut);
  m.items = calloc(count_tasks(&m) + 1, sizeof *m.items);
  tune_status status = m.counts && m.is_cut && m.items
                           ? mend(&m, out_is_right)
                           : tune_status_out_of_memory("looking for what is wrong");
  free(m.counts);
  free(m.is_cut);
  free(m.items);
  return status;
}
