//===- search_turns.c ---------------------------------------------------------===//

#include "transforms/search/search_turns.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "support/units.h"
#include "transforms/ir/ir.h"
#include "transforms/normalize/batch_values.h"
#include "transforms/normalize/batches.h"
#include "transforms/search/module_trials.h"

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
  tune_module_form forms[TUNE_MOST_TURNS];
  int64_t images[TUNE_MOST_TURNS]; // of each; 0: as the estimate has it
  size_t count;
} turns_search;

static void set_images(MlirOperation function, int64_t images) {
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(function), 64);
  mlirOperationSetAttributeByName(function, tune_ir_string(TUNE_IMAGES_AT_ONCE_ATTRIBUTE),
                                  mlirIntegerAttrGet(i64, images));
}

// A copy of `module` without choices, with `images` at once (0: as it comes).
static tune_status add_form(turns_search *s, MlirOperation module, int64_t images) {
  MlirOperation copy = mlirOperationClone(module), function;
  s->forms[s->count] = (tune_module_form){.module = copy};
  s->images[s->count++] = images;
  tune_choices_strip(copy);
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(copy, s->options->function, &function));
  if (images)
    set_images(function, images);
  return TUNE_OK;
}

// Whether the tasks of two modules are the same.
static tune_status has_same_tasks(MlirOperation a, MlirOperation b, bool *out_same) {
  tune_extraction *of_a = NULL, *of_b = NULL;
  tune_status status = tune_extract(mlirModuleFromOperation(a), true, &of_a);
  if (tune_status_is_ok(status))
    status = tune_extract(mlirModuleFromOperation(b), true, &of_b);
  *out_same = tune_status_is_ok(status) && of_a->task_count == of_b->task_count;
  for (size_t i = 0; *out_same && i < of_a->task_count; ++i)
    *out_same = tune_digest_equal(&of_a->tasks[i].key, &of_b->tasks[i].key);
  tune_extraction_destroy(of_a);
  tune_extraction_destroy(of_b);
  return status;
}

// The estimate's way, and the other one: all at once where images take turns by that, else one by
// one. `*out_any`: the module has both.
static tune_status add_both_ways(turns_search *s, MlirOperation module, int64_t batch,
                                 bool *out_any) {
  bool is_whole;
  *out_any = false;
  TUNE_RETURN_IF_ERROR(add_form(s, module, 0));
  TUNE_RETURN_IF_ERROR(add_form(s, module, batch));
  TUNE_RETURN_IF_ERROR(has_same_tasks(s->forms[0].module, s->forms[1].module, &is_whole));
  *out_any = true;
  if (!is_whole)
    return TUNE_OK;
  MlirOperation function;
  bool is_still_whole;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(s->forms[1].module, s->options->function, &function));
  set_images(function, s->images[1] = 1);
  tune_status status = has_same_tasks(s->forms[0].module, s->forms[1].module, &is_still_whole);
  *out_any = tune_status_is_ok(status);
  if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT)
    return status;
  tune_status_free(status); // nothing in it could take turns
  return TUNE_OK;
}

// Numbers that are asked for have to be possible.
static tune_status add_wanted(turns_search *s, MlirOperation module,
                              const tune_turns_wanted *wanted) {
  for (size_t i = 0; i < wanted->count; ++i) {
    bool same;
    TUNE_RETURN_IF_ERROR(add_form(s, module, wanted->images[i]));
    MlirOperation form = s->forms[s->count - 1].module;
    TUNE_RETURN_IF_ERROR(has_same_tasks(form, form, &same));
  }
  return TUNE_OK;
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
  for (size_t i = 0; i < s->count; ++i) {
    if (s->images[i])
      fprintf(stream, "%s %" PRId64, i ? "," : "", s->images[i]);
    else
      fputs(" by the estimate", stream);
    fprintf(stream, " %s%s", tune_figure_seconds(s->forms[i].seconds).text,
            i == fastest ? " (taken)" : "");
  }
  fputc('\n', stream);
}

static tune_status compare(turns_search *s, MlirOperation function, double deadline,
                           const tune_search_reporting *reporting) {
  tune_target_facts *facts;
  bool ended;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_get_facts(&s->options->tasks, &facts));
  const tune_module_trials trials = {.options = s->options, .facts = facts, .deadline = deadline};
  tune_status status = tune_module_trials_run(&trials, s->forms, s->count, &ended);
  tune_target_facts_destroy(facts);
  TUNE_RETURN_IF_ERROR(status);
  size_t fastest = find_fastest(s);
  if (reporting->style != TUNE_PROGRESS_QUIET)
    tell(s, fastest, reporting->stream);
  if (s->forms[fastest].seconds > 0 && s->images[fastest])
    set_images(function, s->images[fastest]);
  return TUNE_OK;
}

tune_status tune_search_turns(MlirOperation module, const tune_search_options *options,
                              const tune_turns_wanted *wanted, double deadline,
                              const tune_search_reporting *reporting) {
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, options->function, &function));
  int64_t batch = tune_batch_values_count(function);
  bool is_said = !mlirAttributeIsNull(tune_ir_attribute(function, TUNE_IMAGES_AT_ONCE_ATTRIBUTE));
  if (is_said || (batch < 2 && !wanted->count))
    return TUNE_OK;
  turns_search s = {.options = options};
  bool any = true;
  tune_status status =
      wanted->count ? add_wanted(&s, module, wanted) : add_both_ways(&s, module, batch, &any);
  if (tune_status_is_ok(status) && any)
    status = compare(&s, function, deadline, reporting);
  for (size_t i = 0; i < s.count; ++i)
    mlirOperationDestroy(s.forms[i].module);
  return status;
}
