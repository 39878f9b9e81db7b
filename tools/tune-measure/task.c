//===- task.c - An opened task: inputs, references, limits -------------------===//

#include "tools/tune-measure/task.h"
#include "support/clock.h"
#include "tools/tune-measure/inputs.h"
#include "tools/tune-measure/reference.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_BYTES 8e9

//===- Members of requests ---------------------------------------------------------------===//

const json_t *request_get_member(const json_t *request, const char *name) {
  const json_t *member = json_object_get(request, name);
  return json_is_null(member) ? NULL : member;
}

tune_status request_get_number(const json_t *request, const char *name, double least,
                               double *out_value) {
  const json_t *member = request_get_member(request, name);
  if (!member)
    return TUNE_OK;
  if (!json_is_number(member) || !(json_number_value(member) >= least))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\" is not a number of at least %g", name,
                            least);
  *out_value = json_number_value(member);
  return TUNE_OK;
}

tune_status request_get_integer(const json_t *request, const char *name, int64_t least,
                                int64_t *out_value) {
  const json_t *member = request_get_member(request, name);
  if (!member)
    return TUNE_OK;
  if (!json_is_integer(member) || json_integer_value(member) < least)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\" is not an integer of at least %lld",
                            name, (long long)least);
  *out_value = json_integer_value(member);
  return TUNE_OK;
}

tune_status request_get_text(const json_t *request, const char *name, const char **out_text) {
  *out_text = json_string_value(json_object_get(request, name));
  return *out_text ? TUNE_OK
                   : tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\" is missing or no text", name);
}

tune_status request_get_optional_text(const json_t *request, const char *name,
                                      const char **out_text) {
  *out_text = NULL;
  return request_get_member(request, name) ? request_get_text(request, name, out_text) : TUNE_OK;
}

tune_status request_get_cpus(const json_t *request, int **out_cpus, size_t *out_count) {
  *out_cpus = NULL;
  *out_count = 0;
  const json_t *cpus = request_get_member(request, "cpus");
  if (!cpus)
    return TUNE_OK;
  size_t count = json_array_size(cpus);
  for (size_t i = 0; i < count; ++i) {
    const json_t *cpu = json_array_get(cpus, i);
    if (!json_is_integer(cpu) || json_integer_value(cpu) < 0 || json_integer_value(cpu) > 1 << 20)
      count = 0;
  }
  if (count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"cpus\" is not an array of CPU numbers");
  int *numbers = calloc(count, sizeof *numbers);
  if (!numbers)
    return tune_status_out_of_memory("reading a request");
  for (size_t i = 0; i < count; ++i)
    numbers[i] = (int)json_integer_value(json_array_get(cpus, i));
  *out_cpus = numbers;
  *out_count = count;
  return TUNE_OK;
}

bool task_takes_time(const tune_target_class *target) { return target != &tune_target_null; }

tune_status task_read_limits(const json_t *request, const task *t, double default_seconds,
                             child_limits *out_limits) {
  *out_limits = (child_limits){.seconds = default_seconds,
                               .has_candidate = true,
                               .bytes = DEFAULT_BYTES,
                               .has_driver = t->target != &tune_target_cpu,
                               .threads = t->threads,
                               .takes_time = task_takes_time(t->target),
                               .cpus = t->cpus,
                               .cpu_count = t->cpu_count};
  const json_t *limits = request_get_member(request, "limits");
  TUNE_RETURN_IF_ERROR(request_get_number(limits, "seconds", 1e-3, &out_limits->seconds));
  return request_get_number(limits, "bytes", 0, &out_limits->bytes);
}

// The smallest step of the clock that kernels are timed with.
static double clock_grain(void) {
  double smallest = 1;
  for (int i = 0; i < 20; ++i) {
    uint64_t start = tune_clock_nanoseconds(), end;
    do
      end = tune_clock_nanoseconds();
    while (end == start);
    if ((double)(end - start) * 1e-9 < smallest)
      smallest = (double)(end - start) * 1e-9;
  }
  return smallest;
}

tune_status task_read_measure_options(const json_t *request, tune_measure_options *out_options) {
  *out_options = (tune_measure_options){.clock_grain = clock_grain()};
  const json_t *measure = request_get_member(request, "measure");
  int64_t sample_limit = 0;
  TUNE_RETURN_IF_ERROR(request_get_number(measure, "budget", 0, &out_options->budget));
  TUNE_RETURN_IF_ERROR(request_get_number(measure, "precision", 0, &out_options->precision));
  TUNE_RETURN_IF_ERROR(request_get_integer(measure, "sample_limit", 0, &sample_limit));
  TUNE_RETURN_IF_ERROR(request_get_number(measure, "confidence", 0.5, &out_options->confidence));
  if (!(out_options->confidence < 1))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"confidence\" is not below 1");
  out_options->sample_limit = (size_t)sample_limit;
  return request_get_number(request, "best", 0, &out_options->best);
}

static tune_status read_tolerance(const json_t *request, task *t) {
  t->tolerance.reduction = 1;
  TUNE_RETURN_IF_ERROR(request_get_integer(request, "reduction", 0, &t->tolerance.reduction));
  const char *operands;
  TUNE_RETURN_IF_ERROR(request_get_optional_text(request, "operands", &operands));
  t->tolerance.has_tf32 = operands && strcmp(operands, "tf32") == 0;
  if (operands && !t->tolerance.has_tf32)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"operands\" is \"%s\"; \"tf32\" is known",
                            operands);
  if (!request_get_member(request, "accumulator"))
    return TUNE_OK;
  const char *accumulator;
  TUNE_RETURN_IF_ERROR(request_get_text(request, "accumulator", &accumulator));
  t->tolerance.has_accumulator = true;
  return tune_element_type_parse(accumulator, &t->tolerance.accumulator);
}

static tune_status read_device(const json_t *request, task *t) {
  const char *device;
  TUNE_RETURN_IF_ERROR(request_get_optional_text(request, "device", &device));
  t->device = device ? strdup(device) : NULL;
  return device && !t->device ? tune_status_out_of_memory("reading a request") : TUNE_OK;
}

static tune_status read_members(const json_t *request, task *t) {
  const char *target;
  int64_t threads = 1;
  TUNE_RETURN_IF_ERROR(request_get_text(request, "target", &target));
  TUNE_RETURN_IF_ERROR(tune_target_find(target, &t->target));
  TUNE_RETURN_IF_ERROR(read_device(request, t));
  TUNE_RETURN_IF_ERROR(request_get_integer(request, "threads", 1, &threads));
  t->threads = (size_t)threads;
  t->flushes_cache = json_is_true(json_object_get(request, "flush_cache"));
  t->counts = json_is_true(json_object_get(request, "counters"));
  if (t->counts && t->target != &tune_target_cpu)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "counters are those of the CPU: there are none for the target %s",
                            t->target->name);
  TUNE_RETURN_IF_ERROR(request_get_cpus(request, &t->cpus, &t->cpu_count));
  TUNE_RETURN_IF_ERROR(read_tolerance(request, t));
  return tune_signature_from_json(json_object_get(request, "signature"), &t->signature);
}

tune_target_options task_target_options(const task *t) {
  return (tune_target_options){
      .threads = t->threads, .cpus = t->cpus, .cpu_count = t->cpu_count, .device = t->device};
}

tune_status task_open_target(const task *t, tune_target **out_target) {
  tune_target_options options = task_target_options(t);
  return t->target->open(&options, out_target);
}

static tune_status prepare(const json_t *request, const child_watch *watch, task *t) {
  int64_t seed = 0;
  TUNE_RETURN_IF_ERROR(read_members(request, t));
  TUNE_RETURN_IF_ERROR(request_get_integer(request, "seed", INT64_MIN, &seed));
  TUNE_RETURN_IF_ERROR(inputs_make(request, t));
  inputs_fill(request, (uint64_t)seed, TUNE_FILL_SIGNED, t);
  if (!request_get_member(request, "reference"))
    return TUNE_OK;
  reference of = {.request = request, .watch = watch};
  TUNE_RETURN_IF_ERROR(request_get_text(request, "reference", &of.path));
  TUNE_RETURN_IF_ERROR(reference_run(&of, t));
  tune_fill fill = t->nan_share > 0.5 ? TUNE_FILL_POSITIVE : TUNE_FILL_SIGNED;
  if (fill == TUNE_FILL_POSITIVE) {
    inputs_fill(request, (uint64_t)seed, fill, t);
    TUNE_RETURN_IF_ERROR(reference_run(&of, t));
  }
  if (json_is_true(json_object_get(request, "sensitivity")) || t->tolerance.has_tf32)
    TUNE_RETURN_IF_ERROR(reference_find_spreads(&of, t));
  inputs_source source = {.request = request, .seed = (uint64_t)seed, .fill = fill};
  TUNE_RETURN_IF_ERROR(reference_run_sparse(&of, &source, t));
  t->has_reference = true;
  return TUNE_OK;
}

tune_status task_create(const json_t *request, const child_watch *watch, task **out_task) {
  *out_task = NULL;
  task *t = calloc(1, sizeof *t);
  if (!t)
    return tune_status_out_of_memory("opening a task");
  tune_status status = prepare(request, watch, t);
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
  tune_signature_deinit(&t->signature);
  free(t->cpus);
  free(t->device);
  free(t->id);
  free(t);
}
