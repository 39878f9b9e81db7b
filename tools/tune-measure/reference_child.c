//===- reference_child.c - One run of a reference ---------------------------------===//

#include "tools/tune-measure/reference_child.h"
#include "support/string_builder.h"
#include "tools/tune-measure/inputs.h"
#include "tools/tune-measure/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LONG_RUN 1.0 // in seconds

// Whatever the target, what is right is what the CPU computes.
static tune_status open_reference_target(const task *t, tune_target **out_target) {
  tune_target_options options = task_target_options(t);
  if (t->reference_cpu_count) {
    options.threads = 1;
    options.cpus = t->reference_cpus;
    options.cpu_count = t->reference_cpu_count;
  }
  if (t->target == &tune_target_null)
    return t->target->open(&options, out_target);
  options.device = NULL;
  return tune_target_cpu.open(&options, out_target);
}

static double processor_seconds(void) {
  struct timespec now;
  return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0
             ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec
             : 0;
}

// Beside others a run may have to wait, and takes no longer than the processor had of it.
static tune_status time_once(const task *t, tune_kernel *kernel, double *out_seconds) {
  double before = processor_seconds();
  TUNE_RETURN_IF_ERROR(kernel->methods->time(kernel, 1, out_seconds));
  if (t->reference_cpu_count)
    *out_seconds = fmin(*out_seconds, processor_seconds() - before);
  return TUNE_OK;
}

// The first run is of guarded memory, which takes its time.
static tune_status time_again(const task *t, tune_kernel *kernel, double *seconds) {
  if (*seconds >= LONG_RUN)
    return TUNE_OK;
  kernel->methods->rewind(kernel);
  TUNE_RETURN_IF_ERROR(time_once(t, kernel, seconds));
  for (int run = 1; run < TUNE_SHORT_REFERENCE_RUNS && *seconds < TUNE_SHORT_REFERENCE; ++run) {
    double again;
    kernel->methods->rewind(kernel);
    TUNE_RETURN_IF_ERROR(time_once(t, kernel, &again));
    *seconds = fmin(*seconds, again);
  }
  return TUNE_OK;
}

// In a child.
static tune_status run_here(void *context, child_notes *notes, json_t **out_report) {
  const reference_order *order = context;
  const task *t = order->of;
  if (t->reference_cpu_count)
    (void)!nice(TUNE_BESIDE_NICENESS);
  notes->phase = "loading the reference";
  tune_target *target;
  tune_kernel *kernel;
  TUNE_RETURN_IF_ERROR(open_reference_target(t, &target));
  const tune_target_class *methods = target->methods;
  tune_artifact artifact = {order->path, &t->signature};
  TUNE_RETURN_IF_ERROR(methods->load(target, &artifact, &kernel));
  if (order->change)
    order->change(order->set, order);
  TUNE_RETURN_IF_ERROR(methods->bind(kernel, order->set->values, t->signature.argument_count));
  for (size_t i = 0; order->leaning && kernel->leaning && i < TUNE_LEANING_COUNT; ++i)
    kernel->leaning[i] = order->leaning[i];
  notes->kernel = kernel;
  notes->phase = "running the reference";
  tune_reference_report report = {.leans = kernel->leaning != NULL};
  TUNE_RETURN_IF_ERROR(time_once(t, kernel, &report.seconds));
  TUNE_RETURN_IF_ERROR(tune_status_annotate(
      methods->check(kernel), "the reference, which is the plain lowering, writes outside of its "
                              "arguments"));
  notes->phase = "reading the reference's outputs";
  TUNE_RETURN_IF_ERROR(transfer_outputs(kernel, &t->signature, order->fd, &report.outputs));
  notes->phase = "running the reference again";
  tune_status status = order->is_timed ? time_again(t, kernel, &report.seconds) : TUNE_OK;
  if (tune_status_is_ok(status))
    status = tune_reference_report_to_json(&report, out_report);
  tune_reference_report_deinit(&report);
  return status;
}

void reference_destroy_outputs(const task *t, tune_buffer *outputs) {
  for (size_t i = 0; outputs && i < tune_signature_output_count(&t->signature); ++i)
    tune_buffer_deinit(&outputs[i]);
  free(outputs);
}

static tune_status take_report(reference_order *order, const json_t *object, tune_buffer *outputs,
                               double *out_seconds) {
  tune_reference_report report;
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_reference_report_from_json(object, &report)));
  *out_seconds = report.seconds;
  order->leans = report.leans;
  tune_status status = transfer_read(order->fd, &report.outputs, &order->of->signature, outputs);
  tune_reference_report_deinit(&report);
  return status;
}

// The numbers among the arguments, of which one may say how often a loop turns.
static void append_numbers(const task *t, const task_inputs *set, tune_string_builder *text) {
  const char *separator = ", where ";
  for (size_t i = 0; i < t->signature.argument_count; ++i) {
    const tune_buffer *value = &set->values[i];
    if (!inputs_are_number(value))
      continue;
    tune_string_builder_appendf(text, "%sargument %zu is %.17g", separator, i,
                                tune_element_load(value->type.element, value->data));
    separator = ", ";
  }
}

static tune_status make_timeout(const reference_order *order, const char *error) {
  tune_string_builder text;
  char *numbers;
  tune_string_builder_init(&text);
  append_numbers(order->of, order->set, &text);
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&text, &numbers));
  tune_status status = tune_status_make(
      TUNE_DEADLINE_EXCEEDED, "the reference, which is the plain lowering: %s%s", error, numbers);
  free(numbers);
  return status;
}

// What it takes on other inputs than those that its time is known of, moved or leaning, is no more
// than so many times that: whatever the limits, each of these runs may be given up.
#define SECONDS_BESIDE 5.0
#define TIMES_AS_LONG 50.0

static double find_seconds(const reference_order *order, double limit) {
  const task *t = order->of;
  bool is_first = order->set == &t->dense && !order->change && !order->leaning;
  return is_first ? limit : fmin(limit, SECONDS_BESIDE + TIMES_AS_LONG * t->reference_seconds);
}

tune_status reference_child_run(const reference *r, reference_order *order,
                                tune_buffer **out_outputs, double *out_seconds) {
  const task *t = order->of;
  *out_outputs = calloc(tune_signature_output_count(&t->signature) + 1, sizeof **out_outputs);
  if (!*out_outputs)
    return tune_status_out_of_memory("opening a task");
  child_limits limits = task_make_limits(&r->wanted->limits, t, TUNE_UNASKED_REFERENCE_SECONDS);
  limits.seconds = find_seconds(order, limits.seconds);
  order->path = r->wanted->check.reference;
  TUNE_RETURN_IF_ERROR(transfer_open(&order->fd));
  limits.kept_fd = order->fd;
  limits.has_driver = false;
  // What runs beside others does not keep them waiting.
  limits.takes_time = limits.takes_time && !t->reference_cpu_count;
  child_outcome outcome;
  tune_status status = child_run(run_here, order, &limits, r->watch, &outcome);
  if (tune_status_is_ok(status)) {
    if (outcome.end == CHILD_CANCELLED)
      status = tune_status_make(TUNE_CANCELLED, "stopped");
    else if (outcome.end == CHILD_TIMED_OUT)
      status = make_timeout(order, outcome.error);
    else if (outcome.end != CHILD_REPORTED)
      status = tune_status_make(TUNE_INTERNAL, "the reference failed: %s", outcome.error);
    else
      status = take_report(order, outcome.report, *out_outputs, out_seconds);
  }
  child_outcome_deinit(&outcome);
  transfer_close(order->fd);
  return status;
}
