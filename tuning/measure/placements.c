//===- placements.c ----------------------------------------------------------------===//

#include "tuning/measure/placements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

tune_status tune_placements_init(tune_placements *placements, size_t kernels) {
  *placements = (tune_placements){.kernels = kernels};
  placements->first = calloc(kernels, sizeof *placements->first);
  placements->ratios = calloc(kernels * TUNE_PLACEMENTS, sizeof *placements->ratios);
  if (placements->first && placements->ratios)
    return TUNE_OK;
  tune_placements_deinit(placements);
  return tune_status_out_of_memory("comparing %zu kernels", kernels);
}

void tune_placements_deinit(tune_placements *placements) {
  free(placements->first);
  free(placements->ratios);
  *placements = (tune_placements){0};
}

void tune_placements_add(tune_placements *placements, const double *medians,
                         const tune_ratio *ratios, bool is_whole) {
  size_t placement = placements->count++;
  if (placement == 0) {
    memcpy(placements->first, ratios, placements->kernels * sizeof *ratios);
    placements->is_whole = is_whole;
  }
  for (size_t k = 0; k < placements->kernels; ++k)
    placements->ratios[k * TUNE_PLACEMENTS + placement] = medians[k] / medians[0];
}

static bool was_always_faster(const tune_placements *placements, size_t kernel) {
  for (size_t i = 0; i < placements->count; ++i)
    if (placements->ratios[kernel * TUNE_PLACEMENTS + i] >= 1)
      return false;
  return true;
}

bool tune_placements_are_enough(const tune_placements *placements, bool only_faster) {
  if (placements->kernels < 2 || placements->is_whole || placements->count >= TUNE_PLACEMENTS)
    return placements->count > 0;
  bool is_open = !only_faster;
  for (size_t k = 1; k < placements->kernels && !is_open; ++k)
    is_open = was_always_faster(placements, k);
  return !is_open;
}

// Of fewer placements than there may be all have to agree, too, whatever a distribution would say.
static tune_status find_ratio(const tune_placements *placements, size_t kernel, double confidence,
                              tune_ratio *out_ratio) {
  const double *ratios = &placements->ratios[kernel * TUNE_PLACEMENTS];
  double ones[TUNE_PLACEMENTS];
  for (size_t i = 0; i < TUNE_PLACEMENTS; ++i)
    ones[i] = 1;
  TUNE_RETURN_IF_ERROR(
      tune_statistics_ratio(ratios, ones, placements->count, confidence, out_ratio));
  for (size_t i = 0; i < placements->count && placements->count < TUNE_PLACEMENTS; ++i) {
    out_ratio->low = fmin(out_ratio->low, ratios[i]);
    out_ratio->high = fmax(out_ratio->high, ratios[i]);
  }
  return TUNE_OK;
}

tune_status tune_placements_get_ratios(const tune_placements *placements, double confidence,
                                       tune_ratio *out_ratios) {
  memcpy(out_ratios, placements->first, placements->kernels * sizeof *out_ratios);
  if (placements->kernels < 2 || placements->count < 2)
    return TUNE_OK;
  double each = 1 - (1 - confidence) / (double)(placements->kernels - 1);
  for (size_t k = 1; k < placements->kernels; ++k)
    TUNE_RETURN_IF_ERROR(find_ratio(placements, k, each, &out_ratios[k]));
  return TUNE_OK;
}
