//===- compare_loads.c --------------------------------------------------------===//

#include "tools/tune-measure/compare_loads.h"
#include "tuning/measure/placements.h"

#include <stdlib.h>
#include <string.h>

static bool is_ok(const json_t *reply) {
  const char *verdict = json_string_value(json_object_get(reply, "verdict"));
  return verdict && strcmp(verdict, "ok") == 0;
}

static tune_status run_load(trial_order *order, const child_limits *limits,
                            const child_watch *watch, json_t **out_reply) {
  child_outcome outcome;
  TUNE_RETURN_IF_ERROR(child_run(trial_compare, order, limits, watch, &outcome));
  *out_reply = trial_reply(&outcome, true);
  child_outcome_deinit(&outcome);
  return *out_reply ? TUNE_OK : tune_status_out_of_memory("comparing candidates");
}

// Adds what `reply` found to the loads.
static tune_status note_ratios(tune_placements *loads, const json_t *reply) {
  tune_ratio *ratios = calloc(loads->kernels, sizeof *ratios);
  double *medians = calloc(loads->kernels, sizeof *medians);
  for (size_t i = 0; ratios && medians && i < loads->kernels; ++i) {
    const json_t *result = json_array_get(json_object_get(reply, "results"), i);
    medians[i] = json_number_value(json_object_get(result, "median"));
    const json_t *ratio = json_array_get(json_object_get(reply, "ratios"), i);
    ratios[i] = (tune_ratio){json_number_value(json_object_get(ratio, "ratio")),
                             json_number_value(json_object_get(ratio, "low")),
                             json_number_value(json_object_get(ratio, "high"))};
  }
  tune_status status =
      ratios && medians ? TUNE_OK : tune_status_out_of_memory("comparing candidates");
  if (tune_status_is_ok(status))
    tune_placements_add(loads, medians, ratios, json_is_true(json_object_get(reply, "whole")));
  free(medians);
  free(ratios);
  return status;
}

// The samples, the waiting and the second try of `reply` go into that of the first load.
static tune_status append_load(json_t *first, const json_t *reply) {
  json_t *results = json_object_get(first, "results");
  for (size_t i = 0; i < json_array_size(results); ++i) {
    json_t *samples = json_object_get(json_array_get(results, i), "samples");
    const json_t *more = json_array_get(json_object_get(reply, "results"), i);
    if (json_array_extend(samples, json_object_get(more, "samples")) != 0)
      return tune_status_out_of_memory("comparing candidates");
  }
  double waited = json_number_value(json_object_get(first, "waited")) +
                  json_number_value(json_object_get(reply, "waited"));
  if (waited > 0)
    json_object_set_new(first, "waited", json_real(waited));
  if (json_is_true(json_object_get(reply, "run_again")))
    json_object_set_new(first, "run_again", json_true());
  return TUNE_OK;
}

// Puts what the samples of all loads say in place of what the first one's did.
static tune_status summarize(json_t *result) {
  const json_t *samples = json_object_get(result, "samples");
  size_t count = json_array_size(samples);
  double *seconds = calloc(count + 1, sizeof *seconds);
  if (!seconds)
    return tune_status_out_of_memory("comparing candidates");
  for (size_t i = 0; i < count; ++i)
    seconds[i] = json_number_value(json_array_get(samples, i));
  tune_summary summary;
  tune_status status = tune_statistics_summarize(seconds, count, &summary);
  free(seconds);
  TUNE_RETURN_IF_ERROR(status);
  return json_object_update_new(result, trial_summary_to_json(&summary)) == 0
             ? TUNE_OK
             : tune_status_out_of_memory("comparing candidates");
}

// Of a reply that has ratios.
static tune_status say_loads(json_t *reply, size_t count) {
  json_object_del(reply, "whole");
  if (json_object_get(reply, "ratios") &&
      json_object_set_new(reply, "loads", json_integer((json_int_t)count)) != 0)
    return tune_status_out_of_memory("comparing candidates");
  return TUNE_OK;
}

static tune_status finish(json_t *reply, const tune_placements *loads, double confidence) {
  tune_ratio *ratios = calloc(loads->kernels, sizeof *ratios);
  json_t *array = json_array(), *results = json_object_get(reply, "results");
  tune_status status =
      ratios && array ? TUNE_OK : tune_status_out_of_memory("comparing candidates");
  if (tune_status_is_ok(status))
    status = tune_placements_get_ratios(loads, confidence, ratios);
  for (size_t i = 0; i < loads->kernels && tune_status_is_ok(status); ++i) {
    if (json_array_append_new(array, trial_ratio_to_json(&ratios[i])) != 0)
      status = tune_status_out_of_memory("comparing candidates");
    else
      status = summarize(json_array_get(results, i));
  }
  free(ratios);
  if (json_object_set_new(reply, "ratios", array) != 0)
    return tune_status_join(status, tune_status_out_of_memory("comparing candidates"));
  return tune_status_join(status, say_loads(reply, loads->count));
}

// Leaves in `*out_reply` that of the first load with the samples of all, or one that failed.
static tune_status run_loads(trial_order *order, bool only_faster, const child_limits *limits,
                             const child_watch *watch, tune_placements *loads, json_t **out_reply) {
  while (!tune_placements_are_enough(loads, only_faster)) {
    json_t *reply;
    order->load = loads->count;
    TUNE_RETURN_IF_ERROR(run_load(order, limits, watch, &reply));
    order->outputs = NULL;
    if (!is_ok(reply)) {
      json_decref(*out_reply);
      *out_reply = reply;
      return say_loads(reply, 1);
    }
    tune_status status = note_ratios(loads, reply);
    if (!*out_reply) {
      *out_reply = reply;
      TUNE_RETURN_IF_ERROR(status);
      continue;
    }
    if (tune_status_is_ok(status))
      status = append_load(*out_reply, reply);
    json_decref(reply);
    TUNE_RETURN_IF_ERROR(status);
  }
  return finish(*out_reply, loads, order->options.confidence);
}

tune_status compare_in_loads(const trial_order *order, bool only_faster, const child_limits *limits,
                             const child_watch *watch, json_t **out_reply) {
  *out_reply = NULL;
  trial_order each = *order;
  // A kernel alone has no ratio that the place could change.
  each.options.loads = order->artifact_count > 1 ? TUNE_PLACEMENTS : 1;
  if (!(each.options.confidence > 0))
    each.options.confidence = 0.95;
  tune_placements loads;
  TUNE_RETURN_IF_ERROR(tune_placements_init(&loads, order->artifact_count));
  tune_status status = run_loads(&each, only_faster, limits, watch, &loads, out_reply);
  tune_placements_deinit(&loads);
  if (!tune_status_is_ok(status)) {
    json_decref(*out_reply);
    *out_reply = NULL;
  }
  return status;
}
