//===- figures.c --------------------------------------------------------------===//

#include "tools/tune-run/figures.h"

#include <math.h>

#define UNKNOWN_REDUCTION 4096

static double number(const json_t *task, const char *name) {
  return json_number_value(json_object_get(task, name));
}

// Adds what `count` runs of a task take at best.
static void add_best_times(const tune_target_facts *facts, const char *type, double flops,
                           double bytes, double count, figures *sum) {
  double peak = tune_target_facts_peak(facts, type);
  double bandwidth = tune_target_facts_bandwidth(facts, bytes);
  // What only moves data needs no arithmetic, whatever its type.
  double computing = flops > 0 ? flops / peak : 0;
  double moving = bytes / bandwidth;
  if (flops > 0 && !(peak > 0))
    computing = NAN;
  sum->peak_seconds += count * computing;
  sum->roofline_seconds +=
      count * (isnan(computing) || !(bandwidth > 0) ? NAN : fmax(computing, moving));
}

figures figures_of_tasks(const json_t *tasks, const tune_target_facts *facts) {
  static const figures UNKNOWN = {NAN, NAN, NAN, NAN};
  figures sum = {0};
  for (size_t i = 0; i < json_array_size(tasks); ++i) {
    const json_t *task = json_array_get(tasks, i);
    double flops = number(task, "flops"), bytes = number(task, "bytes");
    double count = number(task, "count");
    // There is no task without traffic: this is how an unknown dimension shows.
    if (!(bytes > 0))
      return UNKNOWN;
    sum.flops += count * flops;
    sum.bytes += count * bytes;
    if (facts && facts->roofline)
      add_best_times(facts, json_string_value(json_object_get(task, "type")), flops, bytes, count,
                     &sum);
    else
      sum.peak_seconds = sum.roofline_seconds = NAN;
  }
  return json_array_size(tasks) ? sum : UNKNOWN;
}

int64_t figures_reduction(const json_t *tasks) {
  json_int_t longest = 1;
  for (size_t i = 0; i < json_array_size(tasks); ++i) {
    json_int_t length = json_integer_value(json_object_get(json_array_get(tasks, i), "reduction"));
    if (length < 1)
      length = UNKNOWN_REDUCTION;
    if (length > longest)
      longest = length;
  }
  return longest;
}
