//===- best_rule.c -------------------------------------------------------------===//

#include "transforms/spaces/best_rule.h"

#include <stdlib.h>
#include <string.h>

typedef struct last_winner {
  const char *first; // schedule of the first rule
  bool has_first;    // it has been tried
  char *schedule;    // of the last winner; NULL: none
} last_winner;

static tune_status visit_winner(void *user, const tune_record *record) {
  last_winner *last = user;
  last->has_first = last->has_first || strcmp(record->schedule, last->first) == 0;
  if (record->verdict != TUNE_VERDICT_OK || record->kind != TUNE_RECORD_WINNER)
    return TUNE_OK;
  free(last->schedule);
  last->schedule = strdup(record->schedule);
  return last->schedule ? TUNE_OK : tune_status_out_of_memory("looking for a winner");
}

// The digest of the last winner's schedule, to be freed; NULL: there is none, or it is of the first
// rule.
static tune_status find_schedule(tune_database *database, const tune_task_space *space,
                                 const tune_target_facts *facts, char **out_schedule) {
  last_winner last = {.first = space->schedule_digest.text};
  *out_schedule = NULL;
  tune_status status =
      tune_database_load(database, space->task->key.text, facts->digest.text, visit_winner, &last);
  bool is_other = tune_status_is_ok(status) && last.schedule && last.has_first &&
                  strcmp(last.schedule, last.first) != 0;
  if (is_other)
    *out_schedule = last.schedule;
  else
    free(last.schedule);
  return status;
}

// Makes the space of the rule whose schedule has the digest `schedule`; `*space` stays where no
// rule has that any more.
static tune_status take_rule_of(tune_module_tasks *tasks, size_t task, const char *schedule,
                                tune_task_space **space) {
  tune_task_attempt *attempt = &tasks->attempts[task], first = *attempt;
  for (attempt->passed_over = 1; attempt->passed_over < TUNE_BEST_RULE_MOST;
       ++attempt->passed_over) {
    tune_task_space *other;
    tune_status status = tune_module_tasks_make_space(tasks, task, &other);
    if (!tune_status_is_ok(status)) {
      *attempt = first;
      if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
        return status;
      tune_status_free(status); // no rule is left
      return TUNE_OK;
    }
    if (strcmp(other->schedule_digest.text, schedule) == 0) {
      tune_task_space_destroy(*space);
      *space = other;
      return TUNE_OK;
    }
    tune_task_space_destroy(other);
  }
  *attempt = first;
  return TUNE_OK;
}

tune_status tune_best_rule_follow(tune_module_tasks *tasks, tune_database *database,
                                  tune_task_space **space) {
  size_t task = (size_t)((*space)->task - tasks->extraction->tasks);
  char *schedule;
  if (tasks->attempts[task].passed_over || !tune_task_space_is_free(*space))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(find_schedule(database, *space, (*space)->facts, &schedule));
  tune_status status = schedule ? take_rule_of(tasks, task, schedule, space) : TUNE_OK;
  free(schedule);
  return status;
}
