//===- reference.c - Reference outputs of a task -----------------------------===//

#include "tools/tune-measure/reference.h"
#include "formats/measure_replies.h"
#include "targets/random_at.h"
#include "targets/sparse.h"
#include "tools/tune-measure/reference_child.h"
#include "tools/tune-measure/unchecked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A reference that takes longer does not run four times more on each set of inputs.
#define LEANING_SECONDS 1.0
// Of a dense output no more need not be compared; sparse inputs are close to what decides.
#define MOST_EXCUSED 0.25
// A reference that takes longer does not run three times more for each set of sparse inputs.
#define SPARSE_SECONDS 5.0
// Which inputs go up and which down is drawn so often, by a reference that takes less than that.
// What becomes of a sum is near nothing once in five times, if nothing is a quarter of its
// deviation.
#define DISTURBANCES 3
#define DISTURBANCES_SECONDS 0.2
// Nor does it on large inputs, at least three times, where it ran on exact ones.
#define LARGE_SECONDS 0.2
// On inputs of which few are zero, or which are large: in times of what it is on the first ones.
#define WIDE_LEEWAY 16
#define ROUNDED_LEEWAY 4 // the same where factors are rounded to f16, bf16 or bytes
// What the reference's runs on all exact inputs may take together, unless that is the first one
// alone, and what the inputs and outputs of a plan may take.
#define EXACT_SECONDS 2.0
#define EXACT_BYTES 0x1p27
// Of the elements of an output so many have to be compared for a set to be worth its run.
#define LEAST_SHARE_SHOWN 0.125

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

// Inputs of types too coarse to move by so little stay, and so do whole numbers, which would be
// none.
static void disturb_finely(const task_inputs *set, const reference_order *order) {
  double disturbance = order->disturbance.size;
  for (size_t i = 0; i < order->of->signature.argument_count; ++i) {
    const tune_buffer *input = &set->values[i];
    tune_element_type element = input->type.element;
    if (!tune_element_type_is_float(element) || input->type.is_whole ||
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

tune_status reference_run(const reference *r, task *t) {
  reference_forget(t, &t->dense);
  reference_order order = {.of = t, .set = &t->dense, .is_timed = true};
  TUNE_RETURN_IF_ERROR(reference_child_run(r, &order, &t->dense.outputs, &t->reference_seconds));
  t->leans = order.leans;
  return unchecked_note(t);
}

void reference_forget(const task *t, task_inputs *set) {
  reference_destroy_outputs(t, set->outputs);
  for (size_t i = 0; set->leeways && i < tune_signature_output_count(&t->signature); ++i)
    free(set->leeways[i]);
  free(set->leeways);
  free(set->spreads);
  set->outputs = NULL;
  set->leeways = NULL;
  set->spreads = NULL;
  set->exact_limit = 0;
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
    return tune_status_out_of_memory("opening a task");
  reference_order order = {.of = t,
                           .set = &t->dense,
                           .change = disturb_finely,
                           .disturbance.size = choose_disturbance(roundoff)};
  tune_buffer *moved;
  tune_status status = reference_child_run(r, &order, &moved, &seconds);
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    t->dense.spreads[i] =
        find_distance(&moved[i], &t->dense.outputs[i]) * roundoff / order.disturbance.size;
  reference_destroy_outputs(t, moved);
  // An assertion may hold for the inputs alone: the reference is right on them, and how it moves
  // with them is not known.
  if (!tune_reference_is_to_blame(status))
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

static tune_status make_leeways(const task *t, task_inputs *set) {
  if (set->leeways)
    return TUNE_OK;
  size_t count = tune_signature_output_count(&t->signature);
  set->leeways = calloc(count + 1, sizeof *set->leeways);
  for (size_t i = 0; set->leeways && i < count; ++i) {
    size_t size = tune_element_type_size(set->outputs[i].type.element);
    set->leeways[i] = calloc(set->outputs[i].size / size + 1, sizeof **set->leeways);
    if (!set->leeways[i])
      return tune_status_out_of_memory("opening a task");
  }
  return set->leeways ? TUNE_OK : tune_status_out_of_memory("opening a task");
}

//===- Leaning --------------------------------------------------------------------------===//

// The four ways to lean in which any two of the three have all four combinations of signs.
static const double LEANINGS[][TUNE_LEANING_COUNT] = {
    {1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};

static tune_status lean(const reference *r, const task *t, task_inputs *set) {
  if (!t->leans || t->reference_seconds > LEANING_SECONDS)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(make_leeways(t, set));
  for (size_t i = 0; i < sizeof LEANINGS / sizeof *LEANINGS; ++i) {
    reference_order order = {.of = t, .set = set, .leaning = LEANINGS[i]};
    tune_buffer *moved;
    double seconds;
    tune_status status = reference_child_run(r, &order, &moved, &seconds);
    for (size_t j = 0; tune_status_is_ok(status) && j < tune_signature_output_count(&t->signature);
         ++j)
      if (moved[j].size == set->outputs[j].size)
        tune_leeways_raise(&set->outputs[j], &moved[j], set->leeways[j]);
    reference_destroy_outputs(t, moved);
    // An assertion, or an index that was computed, may not hold where numbers lean: nothing is
    // excused for that. What hangs may do so each way.
    bool hangs = tune_status_get_code(status) == TUNE_DEADLINE_EXCEEDED;
    if (tune_reference_is_to_blame(status))
      tune_status_free(status);
    else
      TUNE_RETURN_IF_ERROR(status);
    if (hangs)
      break;
  }
  return TUNE_OK;
}

// Where much of an output would not be compared, leaning tells nothing of it.
static void limit_excuses(const tune_buffer *output, float *leeways) {
  size_t count = output->size / tune_element_type_size(output->type.element), excused = 0;
  for (size_t i = 0; i < count; ++i)
    excused += isinf(leeways[i]) != 0;
  if ((double)excused > MOST_EXCUSED * (double)count + 1)
    memset(leeways, 0, count * sizeof *leeways);
}

tune_status reference_lean(const reference *r, task *t) {
  TUNE_RETURN_IF_ERROR(lean(r, t, &t->dense));
  for (size_t i = 0; t->dense.leeways && i < tune_signature_output_count(&t->signature); ++i)
    limit_excuses(&t->dense.outputs[i], t->dense.leeways[i]);
  return TUNE_OK;
}

//===- Sparse inputs --------------------------------------------------------------------===//

static void disturb_sparse(const task_inputs *set, const reference_order *order) {
  for (size_t i = 0; i < order->of->signature.argument_count; ++i)
    tune_buffer_disturb(&set->values[i], (uint64_t)i << 48 | order->disturbance_seed,
                        &order->disturbance);
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

// Where the reference itself is not finite, sums of narrower types need not be the same.
static void excuse_overflows(const tune_buffer *output, float *leeways) {
  tune_element_type element = output->type.element;
  size_t size = tune_element_type_size(element);
  for (size_t i = 0; tune_element_type_is_float(element) && i < output->size / size; ++i)
    if (!isfinite(tune_element_load(element, (const char *)output->data + i * size)))
      leeways[i] = INFINITY;
}

static tune_status find_leeways(const reference *r, const inputs_source *source, task *t,
                                task_inputs *set) {
  double roundoff = find_roundoff(t), of_argument, seconds;
  if (!has_float_argument(t, &of_argument))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(make_leeways(t, set));
  reference_order order = {.of = t, .set = set, .change = disturb_sparse};
  order.disturbance.is_positive = source->fill == TUNE_FILL_POSITIVE;
  order.disturbance.keeps_zeros = inputs_add_nothing(t);
  // Factors are rounded once, whatever the sum.
  order.disturbance.size = tune_disturbance_size(
      roundoff > 0 ? roundoff : of_argument,
      t->tolerance.factors != TUNE_FACTORS_AS_GIVEN ? 1 : t->tolerance.reduction);
  int runs = 2 * (t->reference_seconds < DISTURBANCES_SECONDS ? DISTURBANCES : 1);
  for (int i = 0; i < runs; ++i) {
    tune_buffer *moved;
    order.disturbance.is_mirrored = i % 2 == 1;
    order.disturbance_seed = (uint64_t)i / 2 << 40;
    tune_status status = reference_child_run(r, &order, &moved, &seconds);
    for (size_t j = 0; tune_status_is_ok(status) && j < tune_signature_output_count(&t->signature);
         ++j)
      if (moved[j].size == set->outputs[j].size)
        tune_sparse_raise_leeways(&set->outputs[j], &moved[j], &order.disturbance, set->leeways[j]);
    reference_destroy_outputs(t, moved);
    TUNE_RETURN_IF_ERROR(status);
  }
  return TUNE_OK;
}

// Where all inputs are moved, one that is amplified may by chance have moved little both times.
// What these values are to show is no matter of roundings. Factors of bf16 are off by so much that
// of millions of elements which a function cuts off (a ReLU6) some are at its other end.
static void widen(const tune_buffer *output, float times, float *leeways) {
  size_t count = output->size / tune_element_type_size(output->type.element);
  for (size_t i = 0; i < count; ++i)
    leeways[i] *= times;
}

// Whether all that roundings decide shows where the reference leans. What is exact does not move
// then, as it does with the inputs: a step that is on a threshold is there for any code.
static bool shows_roundings(const task *t) {
  return inputs_add_nothing(t) && t->reference_seconds <= LEANING_SECONDS;
}

static tune_status run_sparse(const reference *r, const inputs_source *source, inputs_kind kind,
                              task *t, task_inputs *set) {
  double seconds;
  reference_order order = {.of = t, .set = set};
  TUNE_RETURN_IF_ERROR(inputs_make_sparse(source, t, kind, set));
  TUNE_RETURN_IF_ERROR(reference_child_run(r, &order, &set->outputs, &seconds));
  bool is_exact = kind == INPUTS_STEPPED && t->signature.keeps_steps;
  if (!is_exact && !(kind == INPUTS_STEPPED && shows_roundings(t)))
    TUNE_RETURN_IF_ERROR(find_leeways(r, source, t, set));
  if (!is_exact)
    TUNE_RETURN_IF_ERROR(lean(r, t, set));
  bool is_wide = kind == INPUTS_STEPPED || (kind == INPUTS_LARGE && inputs_are_wide(t));
  float times = is_wide                                    ? WIDE_LEEWAY
                : t->tolerance.factors >= TUNE_FACTORS_F16 ? ROUNDED_LEEWAY
                                                           : 1;
  for (size_t i = 0; set->leeways && i < tune_signature_output_count(&t->signature); ++i)
    widen(&set->outputs[i], times, set->leeways[i]);
  if (kind != INPUTS_STEPPED && t->signature.sums_arguments)
    set->reduction = tune_sparse_terms(t->tolerance.reduction);
  for (size_t i = 0;
       kind == INPUTS_LARGE && set->leeways && i < tune_signature_output_count(&t->signature); ++i)
    excuse_overflows(&set->outputs[i], set->leeways[i]);
  return TUNE_OK;
}

static void drop_set(const task *t, task_inputs *set) {
  reference_forget(t, set);
  inputs_destroy(t, set);
}

// Keeps the set that was just made as one more of the task's. What cannot take such inputs does
// without; `*out_hangs`: it did not end on them.
static tune_status keep_set(tune_status status, task *t, bool *out_hangs) {
  *out_hangs = tune_status_get_code(status) == TUNE_DEADLINE_EXCEEDED;
  if (tune_status_is_ok(status)) {
    ++t->sparse_count;
    return TUNE_OK;
  }
  drop_set(t, &t->sparse[t->sparse_count]);
  if (!tune_reference_is_to_blame(status))
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

//===- Exact inputs ---------------------------------------------------------------------===//

// Whether a position may be an output where values of a coarse type are equal: which of them it is
// of is left open.
static bool has_ties(const task *t) {
  bool has_integers = false, has_coarse = false;
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i)
    has_integers |= !tune_element_type_is_float(tune_signature_output(&t->signature, i)->element);
  for (size_t i = 0; i < t->signature.argument_count; ++i) {
    tune_element_type element = t->signature.arguments[i].element;
    has_coarse |= element == TUNE_F16 || element == TUNE_BF16;
  }
  return has_integers && has_coarse;
}

// Below which outputs are exact, however they are rounded on the way; 0 where that is not known.
static double find_exact_limit(const reference *r, const task *t) {
  // A whole number is none of bytes, whose scale the largest one decides.
  if (t->tolerance.factors == TUNE_FACTORS_INT8)
    return 0;
  double roundoff = find_roundoff(t);
  if (inputs_have_file_of_floats(&r->wanted->inputs, t))
    return 0;
  if (t->signature.selects)
    return has_ties(t) ? 0 : INFINITY;
  return roundoff > 0 ? fmin((double)t->signature.exact_limit, 1 / roundoff) : 0;
}

// Whether it may be what a result is added to: zeros there leave sums as long as they are.
static bool has_shape_of_output(const task *t, const tune_value_type *type) {
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i) {
    const tune_value_type *output = &t->dense.outputs[i].type;
    if (output->rank == type->rank &&
        memcmp(output->shape, type->shape, type->rank * sizeof *type->shape) == 0)
      return true;
  }
  return false;
}

static bool is_better_striped(const task *t, const tune_buffer *value, const tune_buffer *other) {
  bool is_result = has_shape_of_output(t, &value->type);
  if (is_result != has_shape_of_output(t, &other->type))
    return !is_result;
  return value->size > other->size;
}

// The largest argument of floats but for those that were it before; those with the shape of an
// output last.
static size_t next_striped(const task *t, const bool *was_striped) {
  size_t count = t->signature.argument_count, best = count;
  for (size_t i = 0; i < count; ++i) {
    const tune_buffer *value = &t->dense.values[i];
    if (tune_element_type_is_float(value->type.element) && !value->type.is_scalar &&
        !was_striped[i] && (best == count || is_better_striped(t, value, &t->dense.values[best])))
      best = i;
  }
  return best;
}

// How often the reference may run on exact inputs, whichever arguments have the zeros.
static size_t count_exact_runs(const task *t) {
  return (size_t)fmax(1, EXACT_SECONDS / fmax(t->reference_seconds, 1e-6));
}

// Fewer sets of a plan where they need more than `runs` or much memory.
static void limit_sets(const task *t, size_t runs, tune_exact_plan *plan) {
  double bytes = 0;
  for (size_t i = 0; i < t->signature.argument_count; ++i)
    bytes += (double)t->dense.values[i].size;
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i)
    bytes += (double)t->dense.outputs[i].size;
  double most = fmax(1, fmin((double)runs, EXACT_BYTES / fmax(bytes, 1)));
  if (most < (double)plan->set_count)
    plan->set_count = (size_t)most;
}

static tune_status run_exact(const reference *r, const inputs_source *source,
                             const tune_exact_plan *plan, size_t number, size_t striped, task *t) {
  task_inputs *set = &t->sparse[t->sparse_count];
  reference_order order = {.of = t, .set = set};
  double seconds;
  set->exact_limit = plan->limit;
  TUNE_RETURN_IF_ERROR(inputs_make_exact(source, t, plan, number, striped, set));
  return reference_child_run(r, &order, &set->outputs, &seconds);
}

// Whether some output of the set that was made last has enough elements that are compared.
static bool shows_enough(const task *t) {
  const task_inputs *set = &t->sparse[t->sparse_count - 1];
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i)
    if (tune_exact_share(&set->outputs[i], set->exact_limit) >= LEAST_SHARE_SHOWN)
      return true;
  return false;
}

// Which argument is summed up over with zeros is found by trying: with those of another one sums
// are too large.
static tune_status run_all_exact(const reference *r, const inputs_source *source, task *t) {
  double limit = find_exact_limit(r, t);
  size_t count = t->signature.argument_count, first = t->sparse_count, striped;
  size_t runs_left = count_exact_runs(t);
  bool *was_striped = calloc(count + 1, sizeof *was_striped);
  if (!was_striped)
    return tune_status_out_of_memory("making inputs");
  tune_status status = TUNE_OK;
  bool hangs = false; // as it may with zeros in any argument
  while (limit > 0 && tune_status_is_ok(status) && !hangs && t->sparse_count == first &&
         runs_left > 0 && (striped = next_striped(t, was_striped)) < count) {
    was_striped[striped] = true;
    tune_exact_plan plan =
        tune_exact_plan_make(limit, t->tolerance.reduction, &t->dense.values[striped].type);
    limit_sets(t, runs_left, &plan);
    for (size_t i = 0; i < plan.set_count && tune_status_is_ok(status); ++i) {
      --runs_left;
      status = keep_set(run_exact(r, source, &plan, i, striped, t), t, &hangs);
      if (t->sparse_count == first || hangs)
        break;
      if (i == 0 && !isinf(limit) && !shows_enough(t)) {
        drop_set(t, &t->sparse[--t->sparse_count]);
        break;
      }
    }
  }
  free(was_striped);
  return status;
}

static tune_status keep_sparse(const reference *r, const inputs_source *source, inputs_kind kind,
                               task *t) {
  bool hangs;
  return keep_set(run_sparse(r, source, kind, t, &t->sparse[t->sparse_count]), t, &hangs);
}

// Sums of such values are not of few terms.
static bool is_worth_steps(const task *t) {
  return inputs_take_special(t) || (!t->signature.is_partial && t->tolerance.reduction <= 1);
}

tune_status reference_run_sparse(const reference *r, const inputs_source *source, task *t) {
  if (t->target == &tune_target_null || t->reference_seconds > SPARSE_SECONDS)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(keep_sparse(r, source, INPUTS_FEW, t));
  if (is_worth_steps(t))
    TUNE_RETURN_IF_ERROR(keep_sparse(r, source, INPUTS_STEPPED, t));
  bool has_exact = t->signature.selects || t->signature.exact_limit > 0;
  if (has_exact)
    TUNE_RETURN_IF_ERROR(run_all_exact(r, source, t));
  // Most of what is large is infinite as f16.
  if (t->signature.is_partial || (has_exact && t->reference_seconds > LARGE_SECONDS) ||
      t->tolerance.has_f16_factors)
    return TUNE_OK;
  return keep_sparse(r, source, INPUTS_LARGE, t);
}
