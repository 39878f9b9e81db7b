//===- task.c - What candidates are run on and compared with --------------------------===//

#include "tools/tune-measure/task.h"
#include "support/clock.h"
#include "targets/npy.h"
#include "tools/tune-measure/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What stands in for a dimension that is known only at run time, where nothing else says.
#define DEFAULT_DYNAMIC 64
// Integers that may index something are below the smallest dimension, and this.
#define LARGEST_INDEX 64
#define DEFAULT_BYTES 8e9
#define REFERENCE_SECONDS 120

//===- Members of requests ---------------------------------------------------------------===//

static const json_t *get_member(const json_t *request, const char *name) {
  const json_t *member = json_object_get(request, name);
  return json_is_null(member) ? NULL : member;
}

tune_status request_get_number(const json_t *request, const char *name, double least,
                               double *out_value) {
  const json_t *member = get_member(request, name);
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
  const json_t *member = get_member(request, name);
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
  return get_member(request, name) ? request_get_text(request, name, out_text) : TUNE_OK;
}

tune_status request_get_cpus(const json_t *request, int **out_cpus, size_t *out_count) {
  *out_cpus = NULL;
  *out_count = 0;
  const json_t *cpus = get_member(request, "cpus");
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
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reading a request");
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
  const json_t *limits = get_member(request, "limits");
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
  const json_t *measure = get_member(request, "measure");
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
  if (!get_member(request, "accumulator"))
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
  return device && !t->device ? tune_status_make(TUNE_OUT_OF_MEMORY, "reading a request") : TUNE_OK;
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

static tune_target_options options_of(const task *t) {
  return (tune_target_options){
      .threads = t->threads, .cpus = t->cpus, .cpu_count = t->cpu_count, .device = t->device};
}

tune_status task_open_target(const task *t, tune_target **out_target) {
  tune_target_options options = options_of(t);
  return t->target->open(&options, out_target);
}

//===- Inputs ------------------------------------------------------------------------------===//

// Below every dimension but those of size 1, so that the value can index any of them.
static int64_t find_index_limit(const task *t) {
  int64_t limit = LARGEST_INDEX;
  for (size_t i = 0; i < t->signature.argument_count; ++i)
    for (size_t d = 0; d < t->inputs[i].type.rank; ++d) {
      int64_t size = t->inputs[i].type.shape[d];
      if (size > 1 && size < limit)
        limit = size;
    }
  return limit;
}

static tune_value_type with_static_shape(const tune_value_type *type, int64_t dynamic) {
  tune_value_type fixed = *type;
  for (size_t i = 0; i < fixed.rank; ++i)
    if (fixed.shape[i] == TUNE_DYNAMIC)
      fixed.shape[i] = dynamic;
  return fixed;
}

// A file's path for each argument that comes from one, null or nothing for the others.
static const char *input_path(const json_t *inputs, size_t index) {
  return json_string_value(json_array_get(inputs, index));
}

static tune_status check_inputs(const json_t *inputs, const tune_signature *signature) {
  if (inputs && !json_is_array(inputs))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"inputs\" is not an array");
  if (json_array_size(inputs) > signature->argument_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu inputs where there are %zu arguments",
                            json_array_size(inputs), signature->argument_count);
  for (size_t i = 0; i < json_array_size(inputs); ++i)
    if (!input_path(inputs, i) && !json_is_null(json_array_get(inputs, i)))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "input %zu is neither a path nor null", i);
  return TUNE_OK;
}

// What an unknown dimension is where nobody says: that of the first input from a file which has
// one unknown, since they most often are the same (the size of a batch).
static void adopt_dynamic(const tune_value_type *type, const tune_buffer *buffer,
                          int64_t *dynamic) {
  for (size_t d = 0; d < type->rank && *dynamic == 0; ++d)
    if (type->shape[d] == TUNE_DYNAMIC)
      *dynamic = buffer->type.shape[d];
}

static tune_status make_inputs(const json_t *request, task *t) {
  const tune_signature *signature = &t->signature;
  const json_t *inputs = get_member(request, "inputs");
  int64_t dynamic = 0;
  TUNE_RETURN_IF_ERROR(check_inputs(inputs, signature));
  TUNE_RETURN_IF_ERROR(request_get_integer(request, "dynamic", 1, &dynamic));
  t->inputs = calloc(signature->argument_count + 1, sizeof *t->inputs);
  if (!t->inputs)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making inputs");
  for (size_t i = 0; i < signature->argument_count; ++i) {
    const char *path = input_path(inputs, i);
    if (!path)
      continue;
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        tune_npy_read(path, &signature->arguments[i], &t->inputs[i]), "input %zu", i));
    adopt_dynamic(&signature->arguments[i], &t->inputs[i], &dynamic);
  }
  for (size_t i = 0; i < signature->argument_count; ++i) {
    if (t->inputs[i].data)
      continue;
    tune_value_type type =
        with_static_shape(&signature->arguments[i], dynamic ? dynamic : DEFAULT_DYNAMIC);
    TUNE_RETURN_IF_ERROR(
        tune_status_annotate(tune_buffer_init(&t->inputs[i], &type), "input %zu", i));
  }
  return TUNE_OK;
}

static void fill_inputs(const json_t *request, uint64_t seed, tune_fill fill, task *t) {
  const json_t *inputs = get_member(request, "inputs");
  int64_t limit = find_index_limit(t);
  for (size_t i = 0; i < t->signature.argument_count; ++i)
    if (!input_path(inputs, i))
      tune_buffer_fill(&t->inputs[i], seed + i, fill, limit);
}

//===- The reference -------------------------------------------------------------------------===//

typedef struct reference_run {
  const task *of;
  const char *path;
  double disturbance; // of the inputs, relative; 0: none
  int fd;             // where outputs go
} reference_run;

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

// Which inputs move up and which down has to look random, or they would move each sum together.
// SplitMix64 (Steele, Lea, Flood 2014).
static uint64_t hash(size_t argument, size_t at) {
  uint64_t x = (((uint64_t)argument << 48) + at + 1) * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

// In a child, whose copies they are. Inputs of types too coarse to move by so little stay.
static void disturb_inputs(const task *t, double disturbance) {
  for (size_t i = 0; i < t->signature.argument_count; ++i) {
    const tune_buffer *input = &t->inputs[i];
    tune_element_type element = input->type.element;
    if (!tune_element_type_is_float(element) ||
        tune_element_type_unit_roundoff(element) > disturbance)
      continue;
    size_t size = tune_element_type_size(element), count = input->size / size;
    for (size_t at = 0; at < count; ++at) {
      char *bytes = (char *)input->data + at * size;
      bool up = hash(i, at) >> 63;
      double value = tune_element_load(element, bytes);
      tune_element_store(element, value * (up ? 1 + disturbance : 1 - disturbance), bytes);
    }
  }
}

// Whatever the target, what is right is what the CPU computes.
static tune_status open_reference_target(const task *t, tune_target **out_target) {
  tune_target_options options = options_of(t);
  if (t->target == &tune_target_null)
    return t->target->open(&options, out_target);
  options.device = NULL;
  return tune_target_cpu.open(&options, out_target);
}

// In a child.
static tune_status run_reference(void *context, child_notes *notes, json_t **out_report) {
  const reference_run *run = context;
  const task *t = run->of;
  notes->phase = "loading the reference";
  tune_target *target;
  tune_kernel *kernel;
  TUNE_RETURN_IF_ERROR(open_reference_target(t, &target));
  const tune_target_class *methods = target->methods;
  tune_artifact artifact = {run->path, &t->signature};
  TUNE_RETURN_IF_ERROR(methods->load(target, &artifact, &kernel));
  if (run->disturbance > 0)
    disturb_inputs(t, run->disturbance);
  TUNE_RETURN_IF_ERROR(methods->bind(kernel, t->inputs, t->signature.argument_count));
  notes->kernel = kernel;
  notes->phase = "running the reference";
  double seconds;
  TUNE_RETURN_IF_ERROR(methods->time(kernel, 1, &seconds));
  TUNE_RETURN_IF_ERROR(methods->check(kernel));
  notes->phase = "reading the reference's outputs";
  json_t *outputs;
  TUNE_RETURN_IF_ERROR(transfer_outputs(kernel, &t->signature, run->fd, &outputs));
  *out_report = json_pack("{sfso}", "seconds", seconds, "outputs", outputs);
  return *out_report ? TUNE_OK : tune_status_make(TUNE_OUT_OF_MEMORY, "reporting");
}

static void count_nan(task *t) {
  size_t count = 0, nan_count = 0;
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i) {
    tune_element_type element = t->outputs[i].type.element;
    size_t size = tune_element_type_size(element);
    if (!tune_element_type_is_float(element))
      continue;
    for (size_t at = 0; at < t->outputs[i].size; at += size)
      nan_count += isnan(tune_element_load(element, (char *)t->outputs[i].data + at));
    count += t->outputs[i].size / size;
  }
  t->nan_share = count ? (double)nan_count / (double)count : 0;
}

static void destroy_outputs(const task *t, tune_buffer *outputs) {
  for (size_t i = 0; outputs && i < tune_signature_output_count(&t->signature); ++i)
    tune_buffer_deinit(&outputs[i]);
  free(outputs);
}

// Runs the reference in a child; `*out_outputs` is to be destroyed whatever comes of it.
static tune_status run_in_child(const json_t *request, const char *path, double disturbance,
                                const child_watch *watch, const task *t, tune_buffer **out_outputs,
                                double *out_seconds) {
  child_limits limits;
  *out_outputs = calloc(tune_signature_output_count(&t->signature) + 1, sizeof **out_outputs);
  if (!*out_outputs)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "opening a task");
  TUNE_RETURN_IF_ERROR(task_read_limits(request, t, REFERENCE_SECONDS, &limits));
  reference_run run = {.of = t, .path = path, .disturbance = disturbance};
  TUNE_RETURN_IF_ERROR(transfer_open(&run.fd));
  limits.kept_fd = run.fd;
  limits.has_driver = false;
  child_outcome outcome;
  tune_status status = child_run(run_reference, &run, &limits, watch, &outcome);
  if (tune_status_is_ok(status)) {
    if (outcome.end == CHILD_CANCELLED)
      status = tune_status_make(TUNE_CANCELLED, "stopped");
    else if (outcome.end != CHILD_REPORTED)
      status = tune_status_make(TUNE_INTERNAL, "the reference failed: %s", outcome.error);
    else
      status = transfer_read(run.fd, json_object_get(outcome.report, "outputs"), &t->signature,
                             *out_outputs);
  }
  if (tune_status_is_ok(status))
    status = request_get_number(outcome.report, "seconds", 0, out_seconds);
  child_outcome_deinit(&outcome);
  transfer_close(run.fd);
  return status;
}

static tune_status obtain_reference(const json_t *request, const char *path,
                                    const child_watch *watch, task *t) {
  destroy_outputs(t, t->outputs);
  t->outputs = NULL;
  TUNE_RETURN_IF_ERROR(
      run_in_child(request, path, 0, watch, t, &t->outputs, &t->reference_seconds));
  count_nan(t);
  return TUNE_OK;
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

// Runs the reference once more, on inputs that are a little off.
static tune_status obtain_spreads(const json_t *request, const char *path, const child_watch *watch,
                                  task *t) {
  double roundoff = find_roundoff(t), seconds = 0;
  size_t count = tune_signature_output_count(&t->signature);
  if (!(roundoff > 0))
    return TUNE_OK;
  t->spreads = calloc(count + 1, sizeof *t->spreads);
  if (!t->spreads)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "opening a task");
  double disturbance = choose_disturbance(roundoff);
  tune_buffer *moved;
  tune_status status = run_in_child(request, path, disturbance, watch, t, &moved, &seconds);
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    t->spreads[i] = find_distance(&moved[i], &t->outputs[i]) * roundoff / disturbance;
  destroy_outputs(t, moved);
  return status;
}

static tune_status prepare(const json_t *request, const child_watch *watch, task *t) {
  int64_t seed = 0;
  TUNE_RETURN_IF_ERROR(read_members(request, t));
  TUNE_RETURN_IF_ERROR(request_get_integer(request, "seed", INT64_MIN, &seed));
  TUNE_RETURN_IF_ERROR(make_inputs(request, t));
  fill_inputs(request, (uint64_t)seed, TUNE_FILL_SIGNED, t);
  if (!get_member(request, "reference"))
    return TUNE_OK;
  const char *path;
  TUNE_RETURN_IF_ERROR(request_get_text(request, "reference", &path));
  TUNE_RETURN_IF_ERROR(obtain_reference(request, path, watch, t));
  if (t->nan_share > 0.5) {
    fill_inputs(request, (uint64_t)seed, TUNE_FILL_POSITIVE, t);
    TUNE_RETURN_IF_ERROR(obtain_reference(request, path, watch, t));
  }
  if (json_is_true(json_object_get(request, "sensitivity")) || t->tolerance.has_tf32)
    TUNE_RETURN_IF_ERROR(obtain_spreads(request, path, watch, t));
  t->has_reference = true;
  return TUNE_OK;
}

tune_status task_create(const json_t *request, const child_watch *watch, task **out_task) {
  *out_task = NULL;
  task *t = calloc(1, sizeof *t);
  if (!t)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "opening a task");
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
  destroy_outputs(t, t->outputs);
  free(t->spreads);
  for (size_t i = 0; t->inputs && i < t->signature.argument_count; ++i)
    tune_buffer_deinit(&t->inputs[i]);
  free(t->inputs);
  tune_signature_deinit(&t->signature);
  free(t->cpus);
  free(t->device);
  free(t->id);
  free(t);
}
