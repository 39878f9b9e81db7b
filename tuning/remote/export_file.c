//===- export_file.c ----------------------------------------------------------===//

#include "tuning/remote/export_file.h"

#include "formats/magic.h"
#include "formats/messages.h"
#include "support/file.h"
#include "support/json.h"
#include "support/string_builder.h"
#include "tuning/device/cpu_features.h"
#include "tuning/device/target_name.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define MAGIC_SIZE 8
#define NUMBER_SIZE 4
#define DIGEST_SIZE 32
#define HEAD_SIZE (MAGIC_SIZE + 2 * NUMBER_SIZE + DIGEST_SIZE)

static tune_status out_of_memory(const char *path) {
  return tune_status_out_of_memory("out of memory at the export %s", path);
}

//===- Writing ----------------------------------------------------------------===//

struct tune_export_writer {
  json_t *description;
  tune_string_builder blobs; // one after the other
  size_t measured;           // candidates with an artifact
};

static json_t *tasks_of(const tune_export_writer *writer) {
  return json_object_get(writer->description, "tasks");
}

static json_t *seed_to_json(uint64_t seed) {
  return json_sprintf("%llu", (unsigned long long)seed);
}

// That the machine which measures needs for references, where the target does not say so itself.
static json_t *reference_features(const char *target) {
  return tune_target_kind_of(target) == TUNE_KIND_CPU ? json_array()
                                                      : tune_cpu_reference_features();
}

tune_export_source tune_export_source_of(const tune_process_evaluator_options *options,
                                         const json_t *device) {
  const tune_measuring *measuring = &options->measuring;
  double seconds = measuring->seconds > 0 ? measuring->seconds : TUNE_RUN_SECONDS;
  return (tune_export_source){.target = options->target.name,
                              .device = device,
                              .threads = options->target.threads,
                              .flush_cache = options->target.flush_cache,
                              .counters = measuring->counters,
                              .seed = options->seed,
                              .run_seconds = seconds,
                              .run_bytes = measuring->bytes > 0 ? measuring->bytes : TUNE_RUN_BYTES,
                              .reference_seconds = TUNE_REFERENCE_FACTOR * seconds,
                              .precision = measuring->precision,
                              .budget = measuring->budget};
}

tune_status tune_export_writer_create(const tune_export_source *source,
                                      tune_export_writer **out_writer) {
  *out_writer = NULL;
  tune_export_writer *writer = calloc(1, sizeof *writer);
  if (!writer)
    return out_of_memory("to be written");
  tune_string_builder_init(&writer->blobs);
  struct utsname system;
  const char *machine = uname(&system) == 0 ? system.machine : "unknown";
  writer->description = json_pack(
      "{s:s, s:O?, s:s, s:o, s:I, s:b, s:b, s:I, s:I, s:{s:f, s:f}, s:f, s:{s:f, s:f}, s:[], s:[]}",
      "target", source->target, "device", (json_t *)source->device, "machine", machine,
      "reference_features", reference_features(source->target), "threads",
      (json_int_t)source->threads, "flush_cache", source->flush_cache, "counters", source->counters,
      "seed", (json_int_t)source->seed, "dynamic", (json_int_t)source->dynamic, "limits", "seconds",
      source->run_seconds, "bytes", source->run_bytes, "reference_seconds",
      source->reference_seconds, "measure", "precision", source->precision, "budget",
      source->budget, "tasks", "blobs");
  if (!writer->description) {
    tune_export_writer_destroy(writer);
    return out_of_memory("to be written");
  }
  *out_writer = writer;
  return TUNE_OK;
}

void tune_export_writer_destroy(tune_export_writer *writer) {
  if (!writer)
    return;
  json_decref(writer->description);
  tune_string_builder_deinit(&writer->blobs);
  free(writer);
}

// The number of the blob with these contents, which is added where there is none.
static tune_status add_blob(tune_export_writer *writer, const char *path, json_t **out_index) {
  char *bytes;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(path, &bytes, &size));
  tune_digest digest = tune_digest_of_bytes(bytes, size);
  json_t *blobs = json_object_get(writer->description, "blobs");
  size_t index = 0;
  while (index < json_array_size(blobs) &&
         strcmp(json_string_value(json_object_get(json_array_get(blobs, index), "digest")),
                digest.text) != 0)
    ++index;
  bool is_kept = index < json_array_size(blobs);
  if (!is_kept) {
    size_t before = writer->blobs.length;
    tune_string_builder_append_bytes(&writer->blobs, bytes, size);
    is_kept = !writer->blobs.failed &&
              json_array_append_new(blobs, json_pack("{s:I, s:s}", "bytes", (json_int_t)size,
                                                     "digest", digest.text)) == 0;
    if (!is_kept)
      writer->blobs.length = before;
  }
  free(bytes);
  *out_index = is_kept ? json_integer((json_int_t)index) : NULL;
  return *out_index ? TUNE_OK : out_of_memory(path);
}

tune_status tune_export_writer_add_task(tune_export_writer *writer, const tune_export_task *task,
                                        size_t *out_index) {
  *out_index = json_array_size(tasks_of(writer));
  json_t *reference;
  TUNE_RETURN_IF_ERROR(add_blob(writer, task->reference, &reference));
  json_t *object = tune_json_pack(
      "{s:O, s:s, s:O, s:I, s:s*, s:s*, s:o, s:f, s:[]}", "task", (json_t *)task->line, "schedule",
      task->schedule, "signature", (json_t *)task->signature, "reduction",
      (json_int_t)task->reduction, "accumulator", task->accumulator, "operands", task->operands,
      "reference", reference, "best", task->best, "candidates");
  return json_array_append_new(tasks_of(writer), object) == 0 ? TUNE_OK
                                                              : out_of_memory(task->reference);
}

tune_status tune_export_writer_add_candidate(tune_export_writer *writer, size_t task,
                                             const tune_export_candidate *candidate) {
  json_t *candidates = json_object_get(json_array_get(tasks_of(writer), task), "candidates");
  json_t *artifact = NULL;
  if (candidate->artifact)
    TUNE_RETURN_IF_ERROR(add_blob(writer, candidate->artifact, &artifact));
  const tune_evaluation *build = candidate->build;
  json_t *code = tune_code_features_to_json(&build->code);
  if (!code && build->code.registers > 0) {
    json_decref(artifact);
    return out_of_memory("to be written");
  }
  json_t *object = tune_json_pack(
      "{s:O, s:s, s:o, s:s, s:s*, s:s*, s:o, s:o*, s:I, s:o*}", "config",
      (json_t *)candidate->config, "strategy", candidate->strategy, "seed",
      seed_to_json(candidate->seed), "verdict", tune_verdict_name(build->verdict), "error",
      build->error, "digest", build->digest, "stages", tune_stages_to_json(build->stage_seconds),
      "code", code, "created_ms", (json_int_t)candidate->created_ms, "artifact", artifact);
  if (json_array_append_new(candidates, object) != 0)
    return tune_status_out_of_memory("out of memory, or a text that is not UTF-8, while "
                                     "exporting a candidate");
  writer->measured += artifact != NULL;
  return TUNE_OK;
}

tune_status tune_export_writer_set_compare(tune_export_writer *writer, size_t task,
                                           double confidence) {
  json_t *object = json_array_get(tasks_of(writer), task);
  json_t *compare = json_pack("{s:f}", "confidence", confidence);
  return json_object_set_new(object, "compare", compare) == 0 ? TUNE_OK
                                                              : out_of_memory("to be written");
}

size_t tune_export_writer_count(const tune_export_writer *writer) { return writer->measured; }

static void append_number(tune_string_builder *to, size_t number) {
  char bytes[NUMBER_SIZE];
  for (int i = 0; i < NUMBER_SIZE; ++i)
    bytes[i] = (char)(number >> 8 * i & 0xff);
  tune_string_builder_append_bytes(to, bytes, sizeof bytes);
}

tune_status tune_export_writer_write(const tune_export_writer *writer, const char *path) {
  char *description = tune_json_dump(writer->description, JSON_COMPACT);
  if (!description)
    return out_of_memory(path);
  size_t length = strlen(description);
  if (length > UINT32_MAX) {
    free(description);
    return tune_status_make(TUNE_RESOURCE_EXHAUSTED,
                            "%s: more than an export can hold; export fewer candidates", path);
  }
  tune_digest digest = tune_digest_of_bytes(description, length);
  tune_string_builder file;
  tune_string_builder_init(&file);
  tune_string_builder_append_bytes(&file, TUNE_EXPORT_MAGIC, MAGIC_SIZE);
  append_number(&file, TUNE_EXPORT_VERSION);
  append_number(&file, length);
  tune_string_builder_append_bytes(&file, digest.text, DIGEST_SIZE);
  tune_string_builder_append_bytes(&file, description, length);
  if (writer->blobs.length)
    tune_string_builder_append_bytes(&file, writer->blobs.text, writer->blobs.length);
  free(description);
  tune_status status =
      file.failed ? out_of_memory(path) : tune_file_write(path, file.text, file.length);
  tune_string_builder_deinit(&file);
  return status;
}

//===- Reading ----------------------------------------------------------------===//

static tune_status damaged(const char *path, const char *what) {
  return tune_status_make(TUNE_DATA_LOSS, "%s: %s; copy it here again, or export it again", path,
                          what);
}

static size_t read_number(const char *bytes) {
  size_t number = 0;
  for (int i = 0; i < NUMBER_SIZE; ++i)
    number |= (size_t)(unsigned char)bytes[i] << 8 * i;
  return number;
}

// Where the description begins is known; `*out_length` is how long it is.
static tune_status check_head(const char *path, const tune_export *exported, size_t size,
                              size_t *out_length) {
  size_t seen = size < MAGIC_SIZE ? size : MAGIC_SIZE;
  if (memcmp(exported->bytes, TUNE_EXPORT_MAGIC, seen) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s: no export of candidates; `tune-run export` and tune-search with "
                            "measure=export:FOLDER write such files",
                            path);
  if (size < HEAD_SIZE)
    return damaged(path, "the export is cut");
  size_t version = read_number(exported->bytes + MAGIC_SIZE);
  if (version != TUNE_EXPORT_VERSION)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "%s: an export of version %zu, and this mlir-tune reads version %d; "
                            "use the same mlir-tune on both machines",
                            path, version, TUNE_EXPORT_VERSION);
  *out_length = read_number(exported->bytes + MAGIC_SIZE + NUMBER_SIZE);
  return *out_length <= size - HEAD_SIZE ? TUNE_OK : damaged(path, "the export is cut");
}

static tune_status read_description(const char *path, tune_export *exported, size_t length) {
  const char *digest = exported->bytes + HEAD_SIZE - DIGEST_SIZE;
  exported->digest = tune_digest_of_bytes(exported->bytes + HEAD_SIZE, length);
  if (memcmp(exported->digest.text, digest, DIGEST_SIZE) != 0)
    return damaged(path, "the export's description is damaged");
  json_error_t error;
  exported->description = tune_json_load(exported->bytes + HEAD_SIZE, length, &error);
  if (exported->description)
    return TUNE_OK;
  return tune_json_lacks_memory(&error) ? out_of_memory(path) : damaged(path, error.text);
}

static tune_status check_blobs(const char *path, tune_export *exported, size_t begin, size_t size) {
  const json_t *blobs = json_object_get(exported->description, "blobs");
  exported->blob_count = json_array_size(blobs);
  exported->blob_begin = calloc(exported->blob_count + 1, sizeof *exported->blob_begin);
  if (!exported->blob_begin)
    return out_of_memory(path);
  for (size_t i = 0; i < exported->blob_count; ++i) {
    const json_t *blob = json_array_get(blobs, i);
    json_int_t length = json_integer_value(json_object_get(blob, "bytes"));
    const char *digest = json_string_value(json_object_get(blob, "digest"));
    if (length < 0 || (size_t)length > size - begin)
      return damaged(path, "the export is cut");
    tune_digest found = tune_digest_of_bytes(exported->bytes + begin, (size_t)length);
    if (!digest || strcmp(found.text, digest) != 0) {
      char what[96];
      snprintf(what, sizeof what, "artifact %zu of %zu in the export is damaged", i + 1,
               exported->blob_count);
      return damaged(path, what);
    }
    exported->blob_begin[i] = begin;
    begin += (size_t)length;
  }
  exported->blob_begin[exported->blob_count] = begin;
  return begin == size ? TUNE_OK : damaged(path, "the export has more bytes than it should");
}

static tune_status read_all(const char *path, tune_export *exported) {
  size_t size, length = 0;
  TUNE_RETURN_IF_ERROR(tune_file_read(path, &exported->bytes, &size));
  TUNE_RETURN_IF_ERROR(check_head(path, exported, size, &length));
  TUNE_RETURN_IF_ERROR(read_description(path, exported, length));
  return check_blobs(path, exported, HEAD_SIZE + length, size);
}

tune_status tune_export_read(const char *path, tune_export **out_export) {
  *out_export = NULL;
  tune_export *exported = calloc(1, sizeof *exported);
  if (!exported)
    return out_of_memory(path);
  tune_status status = read_all(path, exported);
  if (!tune_status_is_ok(status)) {
    tune_export_destroy(exported);
    return status;
  }
  *out_export = exported;
  return TUNE_OK;
}

void tune_export_destroy(tune_export *exported) {
  if (!exported)
    return;
  json_decref(exported->description);
  free(exported->bytes);
  free(exported->blob_begin);
  free(exported);
}

tune_status tune_export_extract(const tune_export *exported, const json_t *index,
                                const char *path) {
  json_int_t i = json_is_integer(index) ? json_integer_value(index) : -1;
  if (i < 0 || (size_t)i >= exported->blob_count)
    return tune_status_make(TUNE_DATA_LOSS, "the export names an artifact that it does not have");
  return tune_file_write(path, exported->bytes + exported->blob_begin[i],
                         exported->blob_begin[i + 1] - exported->blob_begin[i]);
}

bool tune_export_has_result(const json_t *candidate) {
  const char *verdict = json_string_value(json_object_get(candidate, "verdict"));
  return json_object_get(candidate, "artifact") || (verdict && strcmp(verdict, "ok") != 0);
}

size_t tune_export_count(const json_t *description) {
  const json_t *tasks = json_object_get(description, "tasks");
  size_t count = 0;
  for (size_t t = 0; t < json_array_size(tasks); ++t) {
    const json_t *candidates = json_object_get(json_array_get(tasks, t), "candidates");
    for (size_t i = 0; i < json_array_size(candidates); ++i)
      count += tune_export_has_result(json_array_get(candidates, i));
  }
  return count;
}

const json_t *tune_export_find_task(const json_t *description, const char *key,
                                    const char *schedule) {
  const json_t *tasks = json_object_get(description, "tasks");
  for (size_t t = 0; t < json_array_size(tasks); ++t) {
    const json_t *task = json_array_get(tasks, t);
    const char *its_key = json_string_value(json_object_get(json_object_get(task, "task"), "key"));
    const char *its_schedule = json_string_value(json_object_get(task, "schedule"));
    if (its_key && its_schedule && strcmp(its_key, key) == 0 && strcmp(its_schedule, schedule) == 0)
      return task;
  }
  return NULL;
}
