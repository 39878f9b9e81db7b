//===- null_target.c - Artifacts that only have a time ------------------------------===//
//
// For tests of everything around a device: no device, deterministic. The artifact is a JSON file,
// either {"seconds": 0.001}, or {"config": {"mc": 64, …}} with, optionally,
// "objective": {"seconds": s, "knobs": {"mc": {"best": 64, "weight": 0.5}, …}}, which takes
//
//     s * product over the knobs of (1 + weight * |log2((value + 1) / (best + 1))|)
//
// and without an objective a time between 1 and 2 ms that is a digest of the config. "noise": n
// (with "seed": k) makes each sample up to 1 + n times as long. Arguments that are written keep
// what they were given, results are zeros (1 for a dynamic dimension).
//
//===--------------------------------------------------------------------------===//

#include "support/file.h"

#include "support/json.h"
#include "targets/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct null_target {
  tune_target base;
  tune_fingerprint fingerprint;
} null_target;

typedef struct null_kernel {
  tune_kernel base;
  const tune_signature *signature;
  const tune_buffer *buffers; // as bound; borrowed
  double seconds;
  double noise;
  uint64_t random;
  bool has_run;
} null_kernel;

static void null_close(tune_target *target) {
  if (!target)
    return;
  tune_fingerprint_deinit(&((null_target *)target)->fingerprint);
  free(target);
}

static tune_status null_open(const tune_target_options *options, tune_target **out_target) {
  (void)options; // a time is a time, on however many threads
  *out_target = NULL;
  null_target *null = calloc(1, sizeof *null);
  if (!null)
    return tune_status_out_of_memory("opening the null target");
  null->base.methods = &tune_target_null;
  tune_fingerprint *f = &null->fingerprint;
  f->target = "null";
  f->vendor = "none";
  f->model = "synthetic times";
  f->cores = 1;
  f->vector_bits = 512;
  f->vector_registers = 32;
  f->has_fma = true;
  f->caches.items = calloc(2, sizeof *f->caches.items);
  if (!f->caches.items) {
    null_close(&null->base);
    return tune_status_out_of_memory("opening the null target");
  }
  f->caches.items[f->caches.count++] = (tune_cache){1, 32 << 10, 64, 1};
  f->caches.items[f->caches.count++] = (tune_cache){2, 1 << 20, 64, 1};
  *out_target = &null->base;
  return TUNE_OK;
}

static const tune_fingerprint *null_fingerprint(const tune_target *target) {
  return &((const null_target *)target)->fingerprint;
}

static tune_status null_roofline(tune_target *target, bool quick, tune_roofline *out_roofline) {
  (void)target, (void)quick;
  *out_roofline = (tune_roofline){
      .threads = 1,
      .f32 = 100,
      .f64 = 50,
      .levels = {{"L1", 32 << 10, 200}, {"L2", 1 << 20, 100}, {"memory", 64 << 20, 20}},
      .level_count = 3};
  return TUNE_OK;
}

//===- The artifact ------------------------------------------------------------------===//

static tune_status objective_seconds(const json_t *objective, const json_t *config,
                                     double *out_seconds) {
  *out_seconds = json_number_value(json_object_get(objective, "seconds"));
  const char *name;
  json_t *knob;
  json_object_foreach(json_object_get(objective, "knobs"), name, knob) {
    const json_t *value = json_object_get(config, name);
    if (!json_is_integer(value))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "the config has no knob '%s'", name);
    double best = json_number_value(json_object_get(knob, "best"));
    double weight = json_number_value(json_object_get(knob, "weight"));
    double ratio = (json_number_value(value) + 1) / (best + 1);
    if (!(ratio > 0))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "knob '%s' is below 0", name);
    *out_seconds *= 1 + weight * fabs(log2(ratio));
  }
  return TUNE_OK;
}

static tune_status config_seconds(const json_t *config, double *out_seconds) {
  tune_digest digest;
  TUNE_RETURN_IF_ERROR(tune_json_digest(config, &digest));
  digest.text[12] = '\0'; // 48 bits are exact in a double
  *out_seconds = 1e-3 * (1 + (double)strtoull(digest.text, NULL, 16) * 0x1p-48);
  return TUNE_OK;
}

static tune_status read_artifact(const json_t *object, null_kernel *kernel) {
  const json_t *seconds = json_object_get(object, "seconds");
  const json_t *config = json_object_get(object, "config");
  const json_t *objective = json_object_get(object, "objective");
  if (json_is_number(seconds))
    kernel->seconds = json_number_value(seconds);
  else if (!json_is_object(config))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "neither \"seconds\" nor \"config\" is there");
  else if (objective)
    TUNE_RETURN_IF_ERROR(objective_seconds(objective, config, &kernel->seconds));
  else
    TUNE_RETURN_IF_ERROR(config_seconds(config, &kernel->seconds));
  if (!(kernel->seconds > 0))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a time of %g s is not positive",
                            kernel->seconds);
  kernel->noise = json_number_value(json_object_get(object, "noise"));
  kernel->random = (uint64_t)json_integer_value(json_object_get(object, "seed"));
  return TUNE_OK;
}

static tune_status null_load(tune_target *target, const tune_artifact *artifact,
                             tune_kernel **out_kernel) {
  (void)target;
  *out_kernel = NULL;
  char *text;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(artifact->path, &text, &size));
  json_error_t error;
  json_t *object = tune_json_load(text, size, &error);
  free(text);
  if (!object && tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("loading %s", artifact->path);
  if (!object)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "not an artifact: %s: %s", artifact->path,
                            error.text);
  null_kernel *kernel = calloc(1, sizeof *kernel);
  tune_status status =
      kernel ? read_artifact(object, kernel) : tune_status_out_of_memory("loading");
  json_decref(object);
  if (!tune_status_is_ok(status)) {
    free(kernel);
    return tune_status_annotate(status, "not an artifact: %s", artifact->path);
  }
  kernel->base.methods = &tune_target_null;
  kernel->signature = artifact->signature;
  *out_kernel = &kernel->base;
  return TUNE_OK;
}

static void null_unload(tune_kernel *kernel) { free(kernel); }

//===- Running -----------------------------------------------------------------------===//

static tune_status null_bind(tune_kernel *base, const tune_buffer *buffers, size_t count) {
  null_kernel *kernel = (null_kernel *)base;
  if (count != kernel->signature->argument_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu arguments where there should be %zu", count,
                            kernel->signature->argument_count);
  for (size_t i = 0; i < count; ++i) {
    const tune_value_type *type = &kernel->signature->arguments[i];
    if (buffers[i].type.element != type->element || buffers[i].type.is_scalar != type->is_scalar ||
        !tune_value_type_allows(type, buffers[i].type.rank, buffers[i].type.shape))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "argument %zu is of another type", i);
  }
  kernel->buffers = buffers;
  return TUNE_OK;
}

static void null_rewind(tune_kernel *kernel) { (void)kernel; }

static tune_status null_time(tune_kernel *base, uint64_t repeats, double *out_seconds) {
  null_kernel *kernel = (null_kernel *)base;
  // Knuth's MMIX generator; its high bits are good enough for noise.
  kernel->random = kernel->random * 6364136223846793005u + 1442695040888963407u;
  double unit = (double)(kernel->random >> 11) * 0x1p-53;
  *out_seconds = kernel->seconds * (double)repeats * (1 + kernel->noise * unit);
  kernel->has_run = true;
  return TUNE_OK;
}

static tune_status null_read(const tune_kernel *base, size_t output, tune_buffer *out_buffer) {
  memset(out_buffer, 0, sizeof *out_buffer);
  const null_kernel *kernel = (const null_kernel *)base;
  if (!kernel->has_run)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the kernel has not run yet");
  size_t result;
  size_t argument = tune_signature_output_argument(kernel->signature, output, &result);
  if (argument != SIZE_MAX)
    return tune_buffer_init_copy(out_buffer, &kernel->buffers[argument]);
  tune_value_type type = kernel->signature->results[result];
  for (size_t i = 0; i < type.rank; ++i)
    if (type.shape[i] == TUNE_DYNAMIC)
      type.shape[i] = 1;
  return tune_buffer_init(out_buffer, &type);
}

static tune_status null_check(const tune_kernel *kernel) {
  (void)kernel;
  return TUNE_OK;
}

static tune_buffer_place null_locate(const tune_kernel *kernel, const void *address,
                                     size_t *out_argument) {
  (void)kernel, (void)address, (void)out_argument;
  return TUNE_BUFFER_ELSEWHERE;
}

const tune_target_class tune_target_null = {
    .name = "null",
    .summary = "no device: times computed from the config, for tests",
    .open = null_open,
    .close = null_close,
    .fingerprint = null_fingerprint,
    .roofline = null_roofline,
    .load = null_load,
    .unload = null_unload,
    .bind = null_bind,
    .rewind = null_rewind,
    .time = null_time,
    .read = null_read,
    .check = null_check,
    .locate = null_locate,
};
