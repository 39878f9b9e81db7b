//===- measurement.c ----------------------------------------------------------===//

#include "tools/tune-run/measurement.h"

#include "tuning/evaluators/exchange.h"

#include <stdlib.h>
#include <string.h>

#define RUN_BYTES 1e12 // of address space: no limit but the machine's memory

// Those that "-" stands for are gaps.
static tune_status copy_paths(const tune_option_list *paths, tune_text_list *out_list) {
  *out_list = (tune_text_list){calloc(paths->count + 1, sizeof *out_list->items), paths->count};
  if (!out_list->items)
    return tune_status_out_of_memory("running a module");
  for (size_t i = 0; i < paths->count; ++i)
    out_list->items[i] = strcmp(paths->values[i], "-") == 0 ? NULL : paths->values[i];
  return TUNE_OK;
}

static tune_status list_artifacts(const benchmark *b, size_t first, size_t count,
                                  tune_text_list *out_list) {
  *out_list = (tune_text_list){calloc(count + 1, sizeof *out_list->items), count};
  if (!out_list->items)
    return tune_status_out_of_memory("running a module");
  for (size_t i = 0; i < count; ++i)
    out_list->items[i] = b->subjects[first + i].artifact;
  return TUNE_OK;
}

// What factors may be rounded to in one of them, all are checked for: they are compared in time,
// and one that rounds is no mistake of a module that the other one does not allow it in.
static const char *find_operands(const benchmark *b) {
  for (size_t i = 0; i < b->subject_count; ++i)
    if (b->subjects[i].opened.module.operands)
      return b->subjects[i].opened.module.operands;
  return NULL;
}

tune_check_wanted measurement_check(const benchmark *b) {
  const tune_module_description *module = &b->subjects[0].opened.module;
  bool rounds = tune_target_rounds_operands(b->facts->name.kind);
  return (tune_check_wanted){.reference = b->reference,
                             .reduction = figures_reduction(&module->tasks),
                             .accumulator = module->accumulator,
                             .operands = rounds ? find_operands(b) : NULL,
                             .sensitivity = true};
}

// Files of outputs are those of the module, as it was measured: what is tried writes none.
static tune_status list_outputs(const benchmark *b, bool is_tried, tune_text_list *out_list) {
  static const tune_option_list none;
  TUNE_RETURN_IF_ERROR(copy_paths(is_tried ? &none : &b->settings->outputs, out_list));
  return b->expected && !is_tried ? expected_add_paths(b->expected, out_list) : TUNE_OK;
}

static tune_status make_request(const benchmark *b, const measured_subjects *of,
                                json_t **out_request) {
  size_t first = of->first, count = of->count;
  double seconds = of->seconds;
  const run_settings *s = b->settings;
  tune_run_request wanted = {
      .ticket = 1,
      .of = {.place = {.target = b->facts->name.target,
                       .device = b->facts->name.device,
                       .threads = (int64_t)b->facts->threads,
                       .cpus = {b->cores.measure, b->cores.measure_count}},
             .conditions = {.flush_cache = s->flush_cache, .counters = s->counters},
             .inputs = {.seed = s->seed, .dynamic = s->dynamic},
             .check = measurement_check(b),
             .signature = b->subjects[0].opened.signature,
             .limits = {s->run_seconds + 2 * seconds * (double)count, RUN_BYTES}},
      .measure = {.budget = seconds, .precision = s->precision}};
  wanted.of.inputs.inputs = (tune_text_list){b->inputs.paths, b->inputs.count};
  tune_status status = list_outputs(b, of->is_tried, &wanted.outputs);
  if (tune_status_is_ok(status))
    status = list_artifacts(b, first, count, &wanted.artifacts);
  if (tune_status_is_ok(status))
    status = tune_run_request_to_json(&wanted, out_request);
  free(wanted.outputs.items);
  free(wanted.artifacts.items);
  return status;
}

tune_status measurement_run(const benchmark *b, const measured_subjects *of, json_t **out_reply,
                            tune_run_reply *out_run) {
  json_t *request;
  TUNE_RETURN_IF_ERROR(make_request(b, of, &request));
  tune_status status = tune_exchange_ask(b->measurer, request, NULL, out_reply);
  if (tune_status_get_code(status) == TUNE_DEADLINE_EXCEEDED)
    return tune_status_join(
        tune_status_make(TUNE_DEADLINE_EXCEEDED,
                         "%s; --run-time=SECONDS gives it more, --check=false does without",
                         tune_status_get_message(status)),
        status);
  TUNE_RETURN_IF_ERROR(status);
  status = tune_reply_was_read(tune_run_reply_from_json(*out_reply, out_run));
  if (!tune_status_is_ok(status))
    json_decref(*out_reply);
  return status;
}
