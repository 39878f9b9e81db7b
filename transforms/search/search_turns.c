//===- search_turns.c ---------------------------------------------------------===//

#include "transforms/search/search_turns.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "support/units.h"
#include "transforms/ir/ir.h"
#include "transforms/normalize/batches.h"
#include "transforms/search/module_trials.h"
#include "transforms/tasks/normalize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// By less than so much nobody is faster.
#define LEAST_GAIN 0.02

tune_status tune_turns_wanted_parse(const char *text, tune_turns_wanted *out_wanted) {
  *out_wanted = (tune_turns_wanted){.count = 0};
  for (const char *next = text; *next;) {
    char *end;
    errno = 0;
    long long images = strtoll(next, &end, 10);
    if (end == next || errno || images < 1 || (*end && *end != ',') || (*end && !end[1]))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "'%s' is no list of numbers above 0, as 1,2,8",
                              text);
    if (out_wanted->count == TUNE_MOST_TURNS)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "'%s' has more than %d numbers", text,
                              TUNE_MOST_TURNS);
    out_wanted->images[out_wanted->count++] = images;
    next = *end ? end + 1 : end;
  }
  return TUNE_OK;
}

//===--- Forms -------------------------------------------------------------------------===//

typedef struct turns_search {
  const tune_search_options *options;
  const tune_turns_wanted *wanted;
  tune_module_form forms[TUNE_MOST_TURNS]; // of each number
  size_t count;                            // of forms
} turns_search;

static void set_images(MlirOperation function, int64_t images) {
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(function), 64);
  mlirOperationSetAttributeByName(function, tune_ir_string(TUNE_IMAGES_AT_ONCE_ATTRIBUTE),
                                  mlirIntegerAttrGet(i64, images));
}

static tune_status check_module(MlirOperation module) {
  if (!mlirAttributeIsNull(tune_ir_attribute(module, TUNE_STOCK_ATTRIBUTE)))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'images-at-once' is not for ops in their stock form");
  return tune_choices_are_in(module)
             ? tune_status_make(TUNE_INVALID_ARGUMENT,
                                "option 'images-at-once' is for a module without choices, as these "
                                "are for the tasks that it has now; begin with the module as it "
                                "was before, or take the option away")
             : TUNE_OK;
}

// A copy of `module` with `images` at once. INVALID_ARGUMENT where that cannot be.
static tune_status add_form(turns_search *s, MlirOperation module, int64_t images) {
  MlirOperation copy = mlirOperationClone(module), function;
  tune_extraction *extraction = NULL;
  s->forms[s->count++] = (tune_module_form){.module = copy};
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(copy, s->options->function, &function));
  set_images(function, images);
  tune_status status = tune_extract(mlirModuleFromOperation(copy),
                                    tune_module_tasks_cpu_threads(&s->options->tasks), &extraction);
  tune_extraction_destroy(extraction);
  return tune_status_annotate(status, "option 'images-at-once', %" PRId64, images);
}

//===--- What comes of it -----------------------------------------------------------------===//

// The first one, unless another one is faster.
static size_t find_fastest(const turns_search *s) {
  size_t fastest = 0;
  for (size_t i = 1; i < s->count; ++i) {
    double now = s->forms[fastest].seconds, other = s->forms[i].seconds;
    if (other > 0 && (!(now > 0) || other < (1 - LEAST_GAIN) * now))
      fastest = i;
  }
  return fastest;
}

static void tell(const turns_search *s, size_t fastest, FILE *stream) {
  fputs("tune-search: images at once:", stream);
  for (size_t i = 0; i < s->count; ++i)
    fprintf(stream, "%s %" PRId64 " %s%s", i ? "," : "", s->wanted->images[i],
            s->forms[i].seconds > 0 ? tune_figure_seconds(s->forms[i].seconds).text
                                    : "not measured",
            i == fastest && s->forms[i].seconds > 0 ? " (taken)" : "");
  fputc('\n', stream);
}

static tune_status compare(turns_search *s, MlirOperation function, double deadline,
                           const tune_search_reporting *reporting) {
  tune_target_facts *facts;
  bool ended;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_get_facts(&s->options->tasks, &facts));
  const tune_module_trials trials = {.options = s->options, .facts = facts, .deadline = deadline};
  tune_status status = tune_target_facts_require_device(facts);
  if (tune_status_is_ok(status))
    status = tune_module_trials_run(&trials, s->forms, s->count, &ended);
  tune_target_facts_destroy(facts);
  TUNE_RETURN_IF_ERROR(status);
  size_t fastest = find_fastest(s);
  if (reporting->style != TUNE_PROGRESS_QUIET)
    tell(s, fastest, reporting->stream);
  if (s->forms[fastest].seconds > 0)
    set_images(function, s->wanted->images[fastest]);
  else
    tune_warning_emit(tune_location_get(function),
                      "none of the numbers of images at once was measured: %s; the estimate stays",
                      ended ? "no time was left" : "none of the modules works");
  return TUNE_OK;
}

static tune_status run(turns_search *s, MlirOperation module, MlirOperation function,
                       double deadline, const tune_search_reporting *reporting) {
  for (size_t i = 0; i < s->wanted->count; ++i)
    TUNE_RETURN_IF_ERROR(add_form(s, module, s->wanted->images[i]));
  if (s->wanted->count > 1)
    return compare(s, function, deadline, reporting);
  set_images(function, s->wanted->images[0]);
  return TUNE_OK;
}

tune_status tune_search_turns(MlirOperation module, const tune_search_options *options,
                              const tune_turns_wanted *wanted, double deadline,
                              const tune_search_reporting *reporting) {
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, options->function, &function));
  if (!mlirAttributeIsNull(tune_ir_attribute(function, TUNE_IMAGES_AT_ONCE_ATTRIBUTE)))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(check_module(module));
  turns_search s = {.options = options, .wanted = wanted};
  tune_status status = run(&s, module, function, deadline, reporting);
  for (size_t i = 0; i < s.count; ++i)
    mlirOperationDestroy(s.forms[i].module);
  return status;
}
