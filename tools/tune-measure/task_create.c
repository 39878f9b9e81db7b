//===- task_create.c - Opening a task, and closing it --------------------------===//

#include "tools/tune-measure/inputs.h"
#include "tools/tune-measure/reference.h"
#include "tools/tune-measure/task.h"

#include <stdlib.h>
#include <string.h>

static tune_status copy_cpus(const tune_int_list *cpus, int **out_cpus, size_t *out_count) {
  *out_cpus = cpus->count ? calloc(cpus->count, sizeof **out_cpus) : NULL;
  if (cpus->count && !*out_cpus)
    return tune_status_out_of_memory("opening a task");
  *out_count = cpus->count;
  for (size_t i = 0; i < cpus->count; ++i)
    (*out_cpus)[i] = cpus->items[i];
  return TUNE_OK;
}

static tune_status take_check(const tune_check_wanted *check, task *t) {
  TUNE_RETURN_IF_ERROR(
      copy_cpus(&check->reference_cpus, &t->reference_cpus, &t->reference_cpu_count));
  t->tolerance.reduction = check->reduction;
  TUNE_RETURN_IF_ERROR(tune_tolerance_take_factors(&t->tolerance, check->operands));
  t->tolerance.has_accumulator = check->accumulator != NULL;
  return check->accumulator ? tune_element_type_parse(check->accumulator, &t->tolerance.accumulator)
                            : TUNE_OK;
}

static tune_status take_place(const tune_place *place, task *t) {
  TUNE_RETURN_IF_ERROR(tune_target_find(place->target, &t->target));
  t->threads = (size_t)place->threads;
  t->device = place->device ? strdup(place->device) : NULL;
  if (place->device && !t->device)
    return tune_status_out_of_memory("opening a task");
  return copy_cpus(&place->cpus, &t->cpus, &t->cpu_count);
}

static tune_status take_wanted(const tune_measured_task *wanted, task *t) {
  TUNE_RETURN_IF_ERROR(take_place(&wanted->place, t));
  t->flushes_cache = wanted->conditions.flush_cache;
  t->counts = wanted->conditions.counters;
  if (t->counts && t->target != &tune_target_cpu)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "counters are those of the CPU: there are none for the target %s",
                            t->target->name);
  TUNE_RETURN_IF_ERROR(take_check(&wanted->check, t));
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(wanted->signature, &t->signature));
  t->tolerance.has_sums = t->signature.has_sum_type;
  t->tolerance.sums = t->signature.sum_type;
  return TUNE_OK;
}

// A deep chain may leave its type's range whatever its arguments' uses say.
#define SHRINKAGE 16
#define SHRINKINGS 2

static tune_status run_reference(const reference *of, inputs_source *source, task *t) {
  inputs_fill(source, t);
  TUNE_RETURN_IF_ERROR(reference_run(of, t));
  if (t->nan_share > 0.5) {
    source->fill = TUNE_FILL_POSITIVE;
    inputs_fill(source, t);
    TUNE_RETURN_IF_ERROR(reference_run(of, t));
  }
  source->shrinkage = 1;
  for (int i = 0; i < SHRINKINGS && t->unchecked_share > TASK_MOST_UNCHECKED; ++i) {
    source->shrinkage *= SHRINKAGE;
    inputs_fill(source, t);
    TUNE_RETURN_IF_ERROR(reference_run(of, t));
  }
  return TUNE_OK;
}

static tune_status prepare(const tune_measured_task *wanted, const child_watch *watch, task *t) {
  TUNE_RETURN_IF_ERROR(take_wanted(wanted, t));
  TUNE_RETURN_IF_ERROR(inputs_make(&wanted->inputs, t));
  inputs_source source = {.wanted = &wanted->inputs, .fill = TUNE_FILL_SIGNED};
  if (!wanted->check.reference) {
    inputs_fill(&source, t);
    return TUNE_OK;
  }
  reference of = {.wanted = wanted, .watch = watch};
  TUNE_RETURN_IF_ERROR(run_reference(&of, &source, t));
  if (wanted->check.sensitivity || t->tolerance.factors != TUNE_FACTORS_AS_GIVEN)
    TUNE_RETURN_IF_ERROR(reference_find_spreads(&of, t));
  TUNE_RETURN_IF_ERROR(reference_lean(&of, t));
  TUNE_RETURN_IF_ERROR(reference_run_sparse(&of, &source, t));
  t->has_reference = true;
  return TUNE_OK;
}

tune_status task_create(const tune_measured_task *wanted, const child_watch *watch,
                        task **out_task) {
  *out_task = NULL;
  task *t = calloc(1, sizeof *t);
  if (!t)
    return tune_status_out_of_memory("opening a task");
  tune_status status = prepare(wanted, watch, t);
  if (!tune_status_is_ok(status)) {
    task_destroy(t);
    return status;
  }
  *out_task = t;
  return TUNE_OK;
}

void task_destroy(task *t) {
  if (!t)
    return;
  reference_forget(t, &t->dense);
  inputs_destroy(t, &t->dense);
  for (size_t i = 0; i < t->sparse_count; ++i) {
    reference_forget(t, &t->sparse[i]);
    inputs_destroy(t, &t->sparse[i]);
  }
  free(t->unchecked);
  tune_signature_deinit(&t->signature);
  free(t->cpus);
  free(t->reference_cpus);
  free(t->device);
  free(t->id);
  free(t);
}
