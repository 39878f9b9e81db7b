//===- placements.c ----------------------------------------------------------------===//

#include "tuning/measure/placements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

tune_status tune_placements_init(tune_placements *loads, size_t kernels) {
  *loads = (tune_placements){.kernels = kernels};
  loads->first = calloc(kernels, sizeof *loads->first);
  loads->ratios = calloc(kernels * TUNE_PLACEMENTS, sizeof *loads->ratios);
  if (loads->first && loads->ratios)
    return TUNE_OK;
  tune_placements_deinit(loads);
  return tune_status_out_of_memory("comparing %zu kernels", kernels);
}

void tune_placements_deinit(tune_placements *loads) {
  free(loads->first);
  free(loads->ratios);
  *loads = (tune_placements){0};
}

void tune_placements_add(tune_placements *loads, const double *medians, const tune_ratio *ratios,
                         bool is_whole) {
  size_t load = loads->count++;
  if (load == 0) {
    memcpy(loads->first, ratios, loads->kernels * sizeof *ratios);
    loads->is_whole = is_whole;
  }
  for (size_t k = 0; k < loads->kernels; ++k)
    loads->ratios[k * TUNE_PLACEMENTS + load] = medians[k] / medians[0];
}

static bool was_always_faster(const tune_placements *loads, size_t kernel) {
  for (size_t i = 0; i < loads->count; ++i)
    if (loads->ratios[kernel * TUNE_PLACEMENTS + i] >= 1)
      return false;
  return true;
}

bool tune_placements_are_enough(const tune_placements *loads, bool only_faster) {
  if (loads->kernels < 2 || loads->is_whole || loads->count >= TUNE_PLACEMENTS)
    return loads->count > 0;
  bool is_open = !only_faster;
  for (size_t k = 1; k < loads->kernels && !is_open; ++k)
    is_open = was_always_faster(loads, k);
  return !is_open;
}

// Of fewer loads than there may be all have to agree, too, whatever a distribution would say.
static tune_status find_ratio(const tune_placements *loads, size_t kernel, double confidence,
                              tune_ratio *out_ratio) {
  const double *ratios = &loads->ratios[kernel * TUNE_PLACEMENTS];
  double ones[TUNE_PLACEMENTS];
  for (size_t i = 0; i < TUNE_PLACEMENTS; ++i)
    ones[i] = 1;
  TUNE_RETURN_IF_ERROR(tune_statistics_ratio(ratios, ones, loads->count, confidence, out_ratio));
  for (size_t i = 0; i < loads->count && loads->count < TUNE_PLACEMENTS; ++i) {
    out_ratio->low = fmin(out_ratio->low, ratios[i]);
    out_ratio->high = fmax(out_ratio->high, ratios[i]);
  }
  return TUNE_OK;
}

tune_status tune_placements_get_ratios(const tune_placements *loads, double confidence,
                                       tune_ratio *out_ratios) {
  memcpy(out_ratios, loads->first, loads->kernels * sizeof *out_ratios);
  if (loads->kernels < 2 || loads->count < 2)
    return TUNE_OK;
  double each = 1 - (1 - confidence) / (double)(loads->kernels - 1);
  for (size_t k = 1; k < loads->kernels; ++k)
    TUNE_RETURN_IF_ERROR(find_ratio(loads, k, each, &out_ratios[k]));
  return TUNE_OK;
}
