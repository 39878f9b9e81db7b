//===- search_looks.c - What the defaults of all tasks are like ------------------===//

#include "support/clock.h"
#include "transforms/search/search_state.h"

#include <stdlib.h>

typedef struct tune_search search;

// Where all are, none is: they are what there is to search.
static void find_ahead(search *s) {
  size_t count = s->tasks.extraction->task_count, ahead = 0;
  for (size_t i = 0; i < count; i++)
    ahead += s->looks[i].is_ahead = tune_extraction_is_of_constants(s->tasks.extraction, i);
  for (size_t i = 0; ahead == count && i < count; i++)
    s->looks[i].is_ahead = false;
}

static tune_status look_at(search *s) {
  tune_search_look *look = &s->looks[s->index];
  double seconds;
  TUNE_RETURN_IF_ERROR(tune_search_time_default(s, &look->result, &seconds));
  look->has_result = seconds > 0;
  if (!look->has_result)
    tune_session_result_deinit(&look->result);
  return TUNE_OK;
}

tune_status tune_search_look_at_defaults(search *s) {
  size_t task;
  find_ahead(s);
  TUNE_RETURN_IF_ERROR(tune_search_profile(s, tune_search_budget_end_of_profile(s)));
  s->is_looking = true;
  s->looks_begin = tune_clock_seconds();
  while (!s->has_profile && !tune_search_budget_has_looked(s) && !tune_search_is_interrupted(s) &&
         tune_search_budget_next(s, &task)) {
    tune_search_turn_to(s, task);
    if (!s->looks[task].is_ahead)
      TUNE_RETURN_IF_ERROR(look_at(s));
  }
  s->is_looking = false;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    s->winners[i].is_begun = false;
  return TUNE_OK;
}

void tune_search_take_look(search *s, tune_session_result *out_result) {
  tune_search_look *look = &s->looks[s->index];
  const tune_session_result nothing = {.stop = look->is_ahead                  ? TUNE_STOP_AHEAD
                                               : tune_clock_seconds() < s->end ? TUNE_STOP_SHARE
                                                                               : TUNE_STOP_TIME,
                                       .drift = 1};
  *out_result = look->has_result ? look->result : nothing;
  // A look is one trial long; why there were no others is another matter.
  if (out_result->stop == TUNE_STOP_TRIALS && s->options->session.trials > 1)
    out_result->stop = nothing.stop;
  look->has_result = false;
}
