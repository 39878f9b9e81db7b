//===- whole_task.c -----------------------------------------------------------===//

#include "transforms/search/whole_task.h"

#include "support/clock.h"
#include "support/file.h"
#include "transforms/ir/ir.h"
#include "transforms/tasks/module_precision.h"
#include "tuning/device/process_target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where no time was given for the search, that of looking at the module: as long as the search
// took, within these, in seconds.
#define LEAST_SECONDS 120.0
#define MOST_SECONDS 1200.0
// Of one build of it, and of one run: more than that of a task.
#define BUILD_SECONDS 600.0
#define RUN_SECONDS 120.0

tune_task tune_whole_task_describe(const tune_search_options *options,
                                   const tune_target_facts *facts,
                                   const tune_extraction *extraction, const tune_space *space,
                                   const tune_task_module *module) {
  const bool rounds = tune_target_rounds_operands(facts->name.kind);
  return (tune_task){.key = "module",
                     .name = "the module",
                     .function = options->function,
                     .allowed_passes = options->tasks.allowed_passes,
                     .space = space,
                     .reduction = tune_module_reduction(extraction),
                     .accumulator = tune_module_accumulator(extraction),
                     .operands = rounds ? tune_module_operands(extraction) : NULL,
                     .module = module};
}

void tune_search_describe_evaluator(const tune_search_options *options,
                                    const tune_target_facts *facts,
                                    tune_process_evaluator_options *out_options) {
  tune_process_evaluator_options_init(out_options);
  out_options->target = tune_process_target_of(facts);
  out_options->building = options->building;
  out_options->measuring = options->measuring;
  out_options->seed = options->session.strategy_options.seed;
}

void tune_whole_task_set_limits(tune_process_evaluator_options *options) {
  options->building.seconds = BUILD_SECONDS;
  options->building.on_all_cores = true;
  options->measuring.counters = false;
  options->measuring.seconds = RUN_SECONDS;
}

tune_status tune_whole_task_write(MlirModule module, const tune_scratch *scratch, const char *name,
                                  char **out_path) {
  char *text = NULL;
  if (asprintf(out_path, "%s/%s.mlir", tune_scratch_get_path(scratch), name) < 0) {
    *out_path = NULL;
    return tune_status_out_of_memory("looking at a module as a whole");
  }
  TUNE_RETURN_IF_ERROR(tune_ir_print(mlirModuleGetOperation(module), false, &text));
  tune_status status = tune_file_write(*out_path, text, strlen(text));
  free(text);
  return status;
}

double tune_whole_task_deadline(const tune_search_options *options, double begin) {
  if (options->seconds > 0)
    return begin + options->seconds;
  double now = tune_clock_seconds();
  return now + fmin(fmax(now - begin, LEAST_SECONDS), MOST_SECONDS);
}
