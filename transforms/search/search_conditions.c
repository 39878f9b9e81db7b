//===- search_conditions.c - Conditions of the machine during a search -------===//

#include "transforms/search/search_state.h"

tune_status tune_search_look_around(struct tune_search *s) {
  if (!s->takes_time)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_cores_init(&s->cores, s->tasks.facts->threads));
  s->warnings = json_array();
  if (!s->warnings)
    return tune_status_out_of_memory("looking at the machine");
  tune_conditions_look_around(&s->cores, &s->conditions, s->warnings);
  return TUNE_OK;
}

void tune_search_tell_conditions(const struct tune_search *s) {
  if (s->takes_time && s->observer->conditions)
    s->observer->conditions(s->observer->user, &s->cores, &s->conditions, false, s->warnings);
}

bool tune_search_keep_conditions(const struct tune_search *s, tune_kept_conditions *out_kept) {
  if (!s->takes_time)
    return false;
  tune_conditions now;
  tune_conditions_read(&s->cores, &now);
  tune_conditions_keep(&s->conditions, &now, &s->cores, out_kept);
  return true;
}

void tune_search_look_back(struct tune_search *s) {
  if (!s->takes_time || !s->observer->conditions)
    return;
  // What its servers have taken is known when they have ended.
  tune_evaluator_destroy(&s->evaluator);
  if (s->of_one_thread.methods)
    tune_evaluator_destroy(&s->of_one_thread);
  tune_search_ahead_deinit(&s->ahead);
  tune_search_stop_servers(s);
  tune_conditions now;
  tune_conditions_read(&s->cores, &now);
  json_array_clear(s->warnings);
  tune_conditions_find_stolen(&s->conditions, &now, s->warnings);
  tune_conditions_find_company(&s->conditions, &now, s->warnings);
  s->observer->conditions(s->observer->user, &s->cores, &now, true, s->warnings);
}
