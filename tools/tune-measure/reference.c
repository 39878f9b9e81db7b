//===- reference.c - What is right for a task's inputs ---------------------------------===//

#include "tools/tune-measure/reference.h"
#include "targets/random_at.h"
#include "targets/sparse.h"
#include "tools/tune-measure/inputs.h"
#include "tools/tune-measure/transfer.h"

#include <math.h>
#include <stdlib.h>

#define REFERENCE_SECONDS 120
// A reference that takes longer does not run three times more.
#define SPARSE_SECONDS 5.0

// One run, in a child, whose copies of the inputs it may change.
typedef struct reference_order reference_order;
struct reference_order {
  const task *of;
  const task_inputs *set;
  const char *path;
  void (*change)(const task_inputs *set, const reference_order *order); // NULL: none
  tune_disturbance disturbance;                                         // of the inputs
  int fd;                                                               // where outputs go
};

// The unit roundoff of what values are rounded to on the way; 0 where there are no floats.
static double find_roundoff(const task *t) {
  if (t->tolerance.has_accumulator)
    return tune_tolerance_roundoff(&t->tolerance, t->tolerance.accumulator);
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i) {
    tune_element_type element = tune_signature_output(&t->signature, i)->element;
    if (tune_element_type_is_float(element))
      return tune_tolerance_roundoff(&t->tolerance, element);
  }
  return 0;
}

// Inputs of types too coarse to move by so little stay.
static void disturb_finely(const task_inputs *set, const reference_order *order) {
  double disturbance = order->disturbance.size;
  for (size_t i = 0; i < order->of->signature.argument_count; ++i) {
    const tune_buffer *input = &set->values[i];
    tune_element_type element = input->type.element;
    if (!tune_element_type_is_float(element) ||
        tune_element_type_unit_roundoff(element) > disturbance)
      continue;
    size_t size = tune_element_type_size(element), count = input->size / size;
    for (size_t at = 0; at < count; ++at) {
      char *bytes = (char *)input->data + at * size;
      // It has to look random, or they would move each sum together.
      bool up = tune_random_at((uint64_t)i << 48, at) >> 63;
      double value = tune_element_load(element, bytes);
      tune_element_store(element, value * (up ? 1 + disturbance : 1 - disturbance), bytes);
    }
  }
}

// Whatever the target, what is right is what the CPU computes.
static tune_status open_reference_target(const task *t, tune_target **out_target) {
  tune_target_options options = task_target_options(t);
  if (t->target == &tune_target_null)
    return t->target->open(&options, out_target);
  options.device = NULL;
  return tune_target_cpu.open(&options, out_target);
}

// In a child.
static tune_status run_here(void *context, child_notes *notes, json_t **out_report) {
  const reference_order *order = context;
  const task *t = order->of;
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
  notes->kernel = kernel;
  notes->phase = "running the reference";
  double seconds;
  TUNE_RETURN_IF_ERROR(methods->time(kernel, 1, &seconds));
  TUNE_RETURN_IF_ERROR(tune_status_annotate(
      methods->check(kernel), "the reference, which is the plain lowering, writes outside of its "
                              "arguments"));
  notes->phase = "reading the reference's outputs";
  json_t *outputs;
  TUNE_RETURN_IF_ERROR(transfer_outputs(kernel, &t->signature, order->fd, &outputs));
  *out_report = json_pack("{sfso}", "seconds", seconds, "outputs", outputs);
  return *out_report ? TUNE_OK : tune_status_make(TUNE_OUT_OF_MEMORY, "reporting");
}

static void count_nan(task *t) {
  size_t count = 0, nan_count = 0;
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i) {
    tune_element_type element = t->dense.outputs[i].type.element;
    size_t size = tune_element_type_size(element);
    if (!tune_element_type_is_float(element))
      continue;
    for (size_t at = 0; at < t->dense.outputs[i].size; at += size)
      nan_count += isnan(tune_element_load(element, (char *)t->dense.outputs[i].data + at));
    count += t->dense.outputs[i].size / size;
  }
  t->nan_share = count ? (double)nan_count / (double)count : 0;
}

static void destroy_outputs(const task *t, tune_buffer *outputs) {
  for (size_t i = 0; outputs && i < tune_signature_output_count(&t->signature); ++i)
    tune_buffer_deinit(&outputs[i]);
  free(outputs);
}

// `*out_outputs` is to be destroyed whatever comes of it.
static tune_status run_in_child(const reference *r, reference_order *order,
                                tune_buffer **out_outputs, double *out_seconds) {
  const task *t = order->of;
  child_limits limits;
  *out_outputs = calloc(tune_signature_output_count(&t->signature) + 1, sizeof **out_outputs);
  if (!*out_outputs)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "opening a task");
  TUNE_RETURN_IF_ERROR(task_read_limits(r->request, t, REFERENCE_SECONDS, &limits));
  order->path = r->path;
  TUNE_RETURN_IF_ERROR(transfer_open(&order->fd));
  limits.kept_fd = order->fd;
  limits.has_driver = false;
  child_outcome outcome;
  tune_status status = child_run(run_here, order, &limits, r->watch, &outcome);
  if (tune_status_is_ok(status)) {
    if (outcome.end == CHILD_CANCELLED)
      status = tune_status_make(TUNE_CANCELLED, "stopped");
    else if (outcome.end != CHILD_REPORTED)
      status = tune_status_make(TUNE_INTERNAL, "the reference failed: %s", outcome.error);
    else
      status = transfer_read(order->fd, json_object_get(outcome.report, "outputs"), &t->signature,
                             *out_outputs);
  }
  if (tune_status_is_ok(status))
    status = request_get_number(outcome.report, "seconds", 0, out_seconds);
  child_outcome_deinit(&outcome);
  transfer_close(order->fd);
  return status;
}

tune_status reference_run(const reference *r, task *t) {
  reference_forget(t, &t->dense);
  reference_order order = {.of = t, .set = &t->dense};
  TUNE_RETURN_IF_ERROR(run_in_child(r, &order, &t->dense.outputs, &t->reference_seconds));
  count_nan(t);
  return TUNE_OK;
}

void reference_forget(const task *t, task_inputs *set) {
  destroy_outputs(t, set->outputs);
  for (size_t i = 0; set->leeways && i < tune_signature_output_count(&t->signature); ++i)
    free(set->leeways[i]);
  free(set->leeways);
  free(set->spreads);
  set->outputs = NULL;
  set->leeways = NULL;
  set->spreads = NULL;
}

// The root mean square of the differences of finite elements.
static double find_distance(const tune_buffer *a, const tune_buffer *b) {
  tune_element_type element = a->type.element;
  size_t size = tune_element_type_size(element), count = 0;
  double sum = 0;
  if (!tune_element_type_is_float(element) || a->size != b->size)
    return 0;
  for (size_t at = 0; at < a->size; at += size) {
    double difference = tune_element_load(element, (char *)a->data + at) -
                        tune_element_load(element, (char *)b->data + at);
    if (!isfinite(difference))
      continue;
    sum += difference * difference;
    ++count;
  }
  return count ? sqrt(sum / (double)count) : 0;
}

// By how much inputs are moved: so far that what the reference itself rounds does not show, where
// the type is fine enough for that; at least so far that it is not lost in their own rounding.
static double choose_disturbance(double roundoff) {
  return fmax(2 * roundoff, fmin(1024 * roundoff, 0x1p-12));
}

tune_status reference_find_spreads(const reference *r, task *t) {
  double roundoff = find_roundoff(t), seconds = 0;
  size_t count = tune_signature_output_count(&t->signature);
  if (!(roundoff > 0))
    return TUNE_OK;
  t->dense.spreads = calloc(count + 1, sizeof *t->dense.spreads);
  if (!t->dense.spreads)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "opening a task");
  reference_order order = {.of = t,
                           .set = &t->dense,
                           .change = disturb_finely,
                           .disturbance.size = choose_disturbance(roundoff)};
  tune_buffer *moved;
  tune_status status = run_in_child(r, &order, &moved, &seconds);
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    t->dense.spreads[i] =
        find_distance(&moved[i], &t->dense.outputs[i]) * roundoff / order.disturbance.size;
  destroy_outputs(t, moved);
  return status;
}

//===- Sparse inputs --------------------------------------------------------------------===//

static void disturb_sparse(const task_inputs *set, const reference_order *order) {
  for (size_t i = 0; i < order->of->signature.argument_count; ++i)
    tune_buffer_disturb(&set->values[i], (uint64_t)i << 48, &order->disturbance);
}

static bool has_float_argument(const task *t, double *out_roundoff) {
  bool has_one = false;
  for (size_t i = 0; i < t->signature.argument_count && !has_one; ++i) {
    tune_element_type element = t->signature.arguments[i].element;
    has_one = tune_element_type_is_float(element);
    *out_roundoff = tune_element_type_unit_roundoff(element);
  }
  return has_one;
}

static tune_status make_leeways(const task *t, task_inputs *set) {
  size_t count = tune_signature_output_count(&t->signature);
  set->leeways = calloc(count + 1, sizeof *set->leeways);
  for (size_t i = 0; set->leeways && i < count; ++i) {
    size_t size = tune_element_type_size(set->outputs[i].type.element);
    set->leeways[i] = calloc(set->outputs[i].size / size + 1, sizeof **set->leeways);
    if (!set->leeways[i])
      return tune_status_make(TUNE_OUT_OF_MEMORY, "opening a task");
  }
  return set->leeways ? TUNE_OK : tune_status_make(TUNE_OUT_OF_MEMORY, "opening a task");
}

static tune_status find_leeways(const reference *r, tune_fill fill, task *t) {
  double roundoff = find_roundoff(t), of_argument, seconds;
  if (!has_float_argument(t, &of_argument))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(make_leeways(t, &t->sparse));
  reference_order order = {.of = t, .set = &t->sparse, .change = disturb_sparse};
  order.disturbance.is_positive = fill == TUNE_FILL_POSITIVE;
  // Factors are rounded to tf32 once, whatever the sum.
  order.disturbance.size = tune_disturbance_size(
      roundoff > 0 ? roundoff : of_argument, t->tolerance.has_tf32 ? 1 : t->tolerance.reduction);
  for (int i = 0; i < 2; ++i) {
    tune_buffer *moved;
    order.disturbance.is_mirrored = i == 1;
    tune_status status = run_in_child(r, &order, &moved, &seconds);
    for (size_t j = 0; tune_status_is_ok(status) && j < tune_signature_output_count(&t->signature);
         ++j)
      if (moved[j].size == t->sparse.outputs[j].size)
        tune_sparse_raise_leeways(&t->sparse.outputs[j], &moved[j], &order.disturbance,
                                  t->sparse.leeways[j]);
    destroy_outputs(t, moved);
    TUNE_RETURN_IF_ERROR(status);
  }
  return TUNE_OK;
}

static tune_status run_sparse(const reference *r, uint64_t seed, tune_fill fill, task *t) {
  double seconds;
  reference_order order = {.of = t, .set = &t->sparse};
  TUNE_RETURN_IF_ERROR(inputs_make_sparse(r->request, seed, fill, t));
  TUNE_RETURN_IF_ERROR(run_in_child(r, &order, &t->sparse.outputs, &seconds));
  return find_leeways(r, fill, t);
}

tune_status reference_run_sparse(const reference *r, uint64_t seed, tune_fill fill, task *t) {
  if (t->target == &tune_target_null || t->reference_seconds > SPARSE_SECONDS)
    return TUNE_OK;
  tune_status status = run_sparse(r, seed, fill, t);
  if (tune_status_is_ok(status))
    return TUNE_OK;
  reference_forget(t, &t->sparse);
  inputs_destroy(t, &t->sparse);
  // What cannot take such inputs does without.
  if (tune_status_get_code(status) != TUNE_INTERNAL)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}
