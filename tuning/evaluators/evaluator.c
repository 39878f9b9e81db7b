//===- evaluator.c ------------------------------------------------------------===//

#include "tuning/evaluators/evaluator.h"

#include <stdlib.h>

void tune_evaluation_deinit(tune_evaluation *evaluation) {
  free(evaluation->error);
  free(evaluation->digest);
  free(evaluation->time.samples);
  for (size_t i = 0; evaluation->parts && i < evaluation->part_count; ++i)
    free(evaluation->parts[i].function);
  free(evaluation->parts);
  *evaluation = (tune_evaluation){0};
}

void tune_comparison_deinit(tune_comparison *comparison) {
  for (size_t i = 0; comparison->times && i < comparison->count; ++i)
    free(comparison->times[i].samples);
  free(comparison->times);
  free(comparison->ratios);
  free(comparison->error);
  *comparison = (tune_comparison){0};
}

void tune_evaluator_destroy(tune_evaluator *evaluator) {
  if (evaluator->methods)
    evaluator->methods->destroy(evaluator->self);
  *evaluator = (tune_evaluator){0};
}
