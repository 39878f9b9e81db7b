//===- search_variants.c ------------------------------------------------------===//

#include "transforms/search/search_variants.h"

#include "dialects/diagnostic.h"
#include "formats/signature.h"
#include "support/clock.h"
#include "transforms/ir/ir.h"
#include "transforms/search/search_sizes.h"
#include "transforms/search/whole_task.h"
#include "transforms/spaces/sized_module.h"
#include "transforms/variants/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of the time that is given, looking at sizes has so much.
#define SIZES_SHARE 0.2
// The same for how many images of a batch go at once.
#define TURNS_SHARE 0.25

static tune_status search_module(MlirOperation module, const tune_search_options *options,
                                 const tune_search_reporting *reporting) {
  tune_search_report *report;
  TUNE_RETURN_IF_ERROR(tune_search_report_create(reporting, &report));
  tune_search_observer observer = tune_search_report_get_observer(report);
  tune_status status = tune_search_module(mlirModuleFromOperation(module), options, &observer);
  tune_search_report_destroy(report);
  return status;
}

// Searches the module, or where it leaves sizes open to a device one that is made for a size.
static tune_status search_at(MlirOperation module, const tune_search_options *options, int64_t size,
                             const tune_search_reporting *reporting) {
  tune_sized_module sized;
  TUNE_RETURN_IF_ERROR(tune_sized_module_init(&sized, module, options->tasks.target, size));
  tune_status status = search_module(sized.module, options, reporting);
  tune_sized_module_take_choices(&sized); // also of a search that was interrupted
  tune_sized_module_deinit(&sized);
  return status;
}

static tune_status search_variant(MlirOperation module, MlirOperation function,
                                  const tune_search_options *options, int64_t dynamic,
                                  const tune_variant_plan *plan, size_t variant,
                                  const tune_search_reporting *reporting) {
  tune_sized_module sized;
  int64_t *sizes = calloc(plan->open_count + 1, sizeof *sizes);
  if (!sizes)
    return tune_status_out_of_memory("searching a variant");
  for (size_t i = 0; i < plan->open_count; ++i) {
    int64_t size = tune_variant_plan_size_at(plan, &plan->variants[variant], i);
    sizes[i] = size ? size : dynamic;
  }
  tune_status status =
      tune_sized_module_init_function(&sized, module, function, sizes, plan->open_count);
  free(sizes);
  TUNE_RETURN_IF_ERROR(status);
  status = search_module(sized.module, options, reporting);
  tune_sized_module_take_choices(&sized); // also of a search that was interrupted
  tune_sized_module_deinit(&sized);
  return status;
}

// Kernels have fixed sizes: each variant is searched in a module that is made for its own.
static tune_status search_each(MlirOperation module, const tune_search_options *options,
                               int64_t dynamic, const tune_variant_plan *plan,
                               const tune_search_reporting *reporting) {
  tune_search_options own = *options;
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, options->function, &function));
  own.seconds /= (double)plan->count;
  for (size_t v = 0; v < plan->count; ++v) {
    char text[TUNE_VARIANT_TEXT];
    tune_variant_plan_describe(plan, &plan->variants[v], text);
    if (reporting->style != TUNE_PROGRESS_QUIET)
      fprintf(reporting->stream, "tune-search: variant %zu of %zu: %s\n", v + 1, plan->count, text);
    TUNE_RETURN_IF_ERROR(search_variant(module, function, &own, dynamic, plan, v, reporting));
  }
  return TUNE_OK;
}

static bool has_variants(MlirOperation module, const tune_search_options *options) {
  MlirOperation function;
  tune_status status = tune_ir_find_function(module, options->function, &function);
  bool has_them = tune_status_is_ok(status) &&
                  !mlirAttributeIsNull(tune_ir_attribute(function, TUNE_VARIANTS_ATTRIBUTE));
  tune_status_free(status);
  return has_them;
}

// As the module as a whole is looked at.
static bool looks_at_sizes(const tune_search_options *options) {
  return options->checks_whole && !options->export_folder &&
         strcmp(options->tasks.target, "null") != 0;
}

static tune_status look_at_sizes(MlirOperation module, const tune_search_options *options,
                                 double deadline, tune_variant_plan *plan,
                                 const tune_search_reporting *reporting) {
  tune_size_rows rows;
  tune_status status =
      tune_search_sizes_run(mlirModuleFromOperation(module), options, deadline, plan, &rows);
  if (!tune_status_is_ok(status) && tune_status_get_code(status) != TUNE_OUT_OF_MEMORY) {
    tune_warning_emit(tune_location_get(module), "not all sizes were measured: %s",
                      tune_status_get_message(status));
    tune_status_free(status);
    status = TUNE_OK;
  }
  if (tune_status_is_ok(status) && reporting->style != TUNE_PROGRESS_QUIET)
    status = tune_size_rows_print(&rows, reporting->stream);
  tune_size_rows_deinit(&rows);
  return status;
}

// How many images go at once; what that takes goes off `options->seconds`.
static tune_status find_turns(MlirOperation module, const tune_turns_wanted *turns,
                              tune_search_options *options,
                              const tune_search_reporting *reporting) {
  double begin = tune_clock_seconds(), given = options->seconds;
  double deadline =
      given > 0 ? begin + TURNS_SHARE * given : tune_whole_task_deadline(options, begin);
  if (!tune_module_tasks_is_for_cpu(&options->tasks) || !looks_at_sizes(options))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'images-at-once' is for CPUs, measured here, and for whole "
                            "modules; take it away");
  TUNE_RETURN_IF_ERROR(tune_search_turns(module, options, turns, deadline, reporting));
  if (given > 0)
    options->seconds = fmax(given - (tune_clock_seconds() - begin), given / 2);
  return TUNE_OK;
}

tune_status tune_search_variants(MlirOperation module, const tune_search_options *options,
                                 int64_t dynamic, const tune_turns_wanted *turns,
                                 tune_variant_plan *plan, const tune_search_reporting *reporting) {
  double begin = tune_clock_seconds();
  tune_search_options own = *options;
  bool is_for_cpu = tune_module_tasks_is_for_cpu(&options->tasks);
  if (!plan->count && !is_for_cpu && has_variants(module, options))
    tune_warning_emit(tune_location_get(module),
                      "the variants by size that are there are not searched once more on a device: "
                      "all is searched at the size %lld; for others begin with the module as it "
                      "was before",
                      (long long)dynamic);
  if (!plan->count) {
    if (turns->count)
      TUNE_RETURN_IF_ERROR(find_turns(module, turns, &own, reporting));
    return search_at(module, &own, dynamic, reporting);
  }
  if (turns->count)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'images-at-once' is for modules without variants by size; take "
                            "it away");
  if (looks_at_sizes(options))
    own.seconds *= 1 - SIZES_SHARE;
  tune_search_reporting of_variants = *reporting;
  of_variants.of_variants = true;
  TUNE_RETURN_IF_ERROR(is_for_cpu ? search_at(module, &own, dynamic, &of_variants)
                                  : search_each(module, &own, dynamic, plan, reporting));
  return looks_at_sizes(options)
             ? look_at_sizes(module, options, tune_whole_task_deadline(options, begin), plan,
                             reporting)
             : TUNE_OK;
}
