//===- compare_placements.c --------------------------------------------------------===//

#include "tools/tune-measure/compare_placements.h"
#include "tuning/measure/placements.h"

#include <stdlib.h>
#include <string.h>

void placements_compared_deinit(placements_compared *compared) {
  tune_compare_reply_deinit(&compared->reply);
  json_decref(compared->report);
  *compared = (placements_compared){.report = NULL};
}

static bool is_ok(const placements_compared *compared) {
  return strcmp(compared->reply.verdict, TUNE_SAID_OK) == 0;
}

// What a child says is not trusted.
static tune_status check_report(const placements_compared *placement, size_t kernels) {
  const tune_compare_reply *reply = &placement->reply;
  if (!reply->verdict)
    return tune_status_make(TUNE_DATA_LOSS, "the report of a comparison lacks a verdict");
  bool is_whole = reply->results.count == kernels && reply->ratios.count == kernels;
  for (size_t i = 0; is_whole && i < kernels; ++i)
    is_whole = reply->results.items[i].is_timed && reply->results.items[i].times.median > 0;
  return is_whole || !is_ok(placement)
             ? TUNE_OK
             : tune_status_make(TUNE_DATA_LOSS, "the report of a comparison lacks a result");
}

static tune_status run_placement(trial_order *order, const child_limits *limits,
                                 const child_watch *watch, placements_compared *out_placement) {
  child_outcome outcome;
  *out_placement = (placements_compared){.report = NULL};
  TUNE_RETURN_IF_ERROR(child_run(trial_compare, order, limits, watch, &outcome));
  tune_status status = trial_reply(&outcome, true, &out_placement->report);
  child_outcome_deinit(&outcome);
  TUNE_RETURN_IF_ERROR(status);
  out_placement->head = tune_reply_head_of(out_placement->report);
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(
      tune_compare_reply_from_json(out_placement->report, &out_placement->reply)));
  return check_report(out_placement, order->artifact_count);
}

// Adds what a placement found to those before it.
static tune_status note_ratios(tune_placements *placements, const tune_compare_reply *reply) {
  tune_ratio *ratios = calloc(placements->kernels, sizeof *ratios);
  double *medians = calloc(placements->kernels, sizeof *medians);
  for (size_t i = 0; ratios && medians && i < placements->kernels; ++i) {
    const tune_ratio_said *said = &reply->ratios.items[i];
    medians[i] = reply->results.items[i].times.median;
    ratios[i] = (tune_ratio){said->ratio, said->low, said->high};
  }
  tune_status status =
      ratios && medians ? TUNE_OK : tune_status_out_of_memory("comparing candidates");
  if (tune_status_is_ok(status))
    tune_placements_add(placements, medians, ratios, reply->is_whole);
  free(medians);
  free(ratios);
  return status;
}

static tune_status append_samples(tune_number_list *samples, const tune_number_list *more) {
  double *items = realloc(samples->items, (samples->count + more->count + 1) * sizeof *items);
  if (!items)
    return tune_status_out_of_memory("comparing candidates");
  samples->items = items;
  memcpy(items + samples->count, more->items, more->count * sizeof *items);
  samples->count += more->count;
  return TUNE_OK;
}

// The samples, the waiting and the second try of `placement` go into those of the first one.
static tune_status append_placement(placements_compared *first,
                                    const placements_compared *placement) {
  for (size_t i = 0; i < first->reply.results.count; ++i)
    TUNE_RETURN_IF_ERROR(append_samples(&first->reply.results.items[i].times.samples,
                                        &placement->reply.results.items[i].times.samples));
  first->head.waited += placement->head.waited;
  first->head.run_again = first->head.run_again || placement->head.run_again;
  return TUNE_OK;
}

// Puts what the samples of all placements say in place of what the first one's did.
static tune_status summarize(tune_times *times) {
  tune_summary summary;
  TUNE_RETURN_IF_ERROR(
      tune_statistics_summarize(times->samples.items, times->samples.count, &summary));
  trial_set_summary(&summary, times);
  return TUNE_OK;
}

// Of a reply that has ratios.
static void say_placements(tune_compare_reply *reply, size_t count) {
  reply->is_whole = false;
  reply->placements = reply->ratios.count ? (int64_t)count : 0;
}

static tune_status finish(tune_compare_reply *reply, const tune_placements *placements,
                          double confidence) {
  tune_ratio *ratios = calloc(placements->kernels, sizeof *ratios);
  tune_status status = ratios ? tune_placements_get_ratios(placements, confidence, ratios)
                              : tune_status_out_of_memory("comparing candidates");
  for (size_t i = 0; i < placements->kernels && tune_status_is_ok(status); ++i) {
    reply->ratios.items[i] = (tune_ratio_said){ratios[i].ratio, ratios[i].low, ratios[i].high};
    status = summarize(&reply->results.items[i].times);
  }
  free(ratios);
  say_placements(reply, placements->count);
  return status;
}

// Leaves in `compared` what the first placement found with the samples of all, or one that failed.
static tune_status run_placements(trial_order *order, bool only_faster, const child_limits *limits,
                                  const child_watch *watch, tune_placements *placements,
                                  placements_compared *compared) {
  while (!tune_placements_are_enough(placements, only_faster)) {
    placements_compared placement;
    order->placement = placements->count;
    tune_status status = run_placement(order, limits, watch, &placement);
    order->outputs = NULL;
    bool has_failed = tune_status_is_ok(status) && !is_ok(&placement);
    if (tune_status_is_ok(status) && !has_failed)
      status = note_ratios(placements, &placement.reply);
    if (has_failed || !compared->report) {
      placements_compared_deinit(compared);
      *compared = placement;
    } else {
      if (tune_status_is_ok(status))
        status = append_placement(compared, &placement);
      placements_compared_deinit(&placement);
    }
    TUNE_RETURN_IF_ERROR(status);
    if (has_failed) {
      say_placements(&compared->reply, 1);
      return TUNE_OK;
    }
  }
  return finish(&compared->reply, placements, order->options.confidence);
}

tune_status compare_in_placements(const trial_order *order, bool only_faster,
                                  const child_limits *limits, const child_watch *watch,
                                  placements_compared *out_compared) {
  *out_compared = (placements_compared){.report = NULL};
  trial_order each = *order;
  // A kernel alone has no ratio that the place could change.
  each.options.placements = order->artifact_count > 1 ? TUNE_PLACEMENTS : 1;
  if (!(each.options.confidence > 0))
    each.options.confidence = 0.95;
  tune_placements placements;
  TUNE_RETURN_IF_ERROR(tune_placements_init(&placements, order->artifact_count));
  tune_status status = run_placements(&each, only_faster, limits, watch, &placements, out_compared);
  tune_placements_deinit(&placements);
  return status;
}
