//===- export_file.c ----------------------------------------------------------===//

#include "tuning/remote/export_file.h"

#include "formats/export_description.h"
#include "formats/magic.h"
#include "formats/messages.h"
#include "support/file.h"
#include "support/json.h"
#include "support/string_builder.h"
#include "tuning/device/cpu_features.h"
#include "tuning/device/target_name.h"

#include <stdio.h>
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

// What the machine which measures needs for references, where the target does not say so itself.
static tune_status describe_source(const tune_export_source *source, json_t **out_description) {
  struct utsname system;
  json_t *features = tune_cpu_reference_features();
  const char *names[8];
  tune_export_description described = {
      .target = source->target,
      .device = source->device,
      .machine = uname(&system) == 0 ? system.machine : "unknown",
      .reference_features = {.items = names},
      .threads = (int64_t)source->threads,
      .flush_cache = source->flush_cache,
      .counters = source->counters,
      .seed = (int64_t)source->seed,
      .dynamic = source->dynamic,
      .limits = {source->run_seconds, source->run_bytes},
      .reference_seconds = source->reference_seconds,
      .measure = {.precision = source->precision, .budget = source->budget}};
  if (tune_target_kind_of(source->target) != TUNE_KIND_CPU)
    for (size_t i = 0; i < json_array_size(features) && i < sizeof names / sizeof *names; ++i)
      names[described.reference_features.count++] = json_string_value(json_array_get(features, i));
  tune_status status = features ? tune_export_description_to_json(&described, out_description)
                                : out_of_memory("to be written");
  json_decref(features);
  return status;
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
  tune_status status = describe_source(source, &writer->description);
  if (!tune_status_is_ok(status)) {
    tune_export_writer_destroy(writer);
    return status;
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
static tune_status add_blob(tune_export_writer *writer, const char *path, int64_t *out_index) {
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
  tune_status status = TUNE_OK;
  if (index == json_array_size(blobs)) {
    size_t before = writer->blobs.length;
    tune_string_builder_append_bytes(&writer->blobs, bytes, size);
    tune_exported_blob blob = {.bytes = (int64_t)size, .digest = digest.text};
    json_t *object = NULL;
    status =
        writer->blobs.failed ? out_of_memory(path) : tune_exported_blob_to_json(&blob, &object);
    if (tune_status_is_ok(status) && json_array_append_new(blobs, object) != 0)
      status = out_of_memory(path);
    if (!tune_status_is_ok(status))
      writer->blobs.length = before;
  }
  free(bytes);
  *out_index = (int64_t)index;
  return status;
}

tune_status tune_export_writer_add_task(tune_export_writer *writer, const tune_export_task *task,
                                        size_t *out_index) {
  *out_index = json_array_size(tasks_of(writer));
  tune_exported_task described = {.task = task->line,
                                  .schedule = task->schedule,
                                  .signature = task->signature,
                                  .reduction = task->reduction,
                                  .accumulator = task->accumulator,
                                  .operands = task->operands,
                                  .best = task->best};
  json_t *object;
  TUNE_RETURN_IF_ERROR(add_blob(writer, task->reference, &described.reference));
  TUNE_RETURN_IF_ERROR(tune_exported_task_to_json(&described, &object));
  return json_array_append_new(tasks_of(writer), object) == 0 ? TUNE_OK
                                                              : out_of_memory(task->reference);
}

tune_status tune_export_writer_add_candidate(tune_export_writer *writer, size_t task,
                                             const tune_export_candidate *candidate) {
  json_t *candidates = json_object_get(json_array_get(tasks_of(writer), task), "candidates");
  tune_exported_candidate described = {.config = candidate->config,
                                       .strategy = candidate->strategy,
                                       .verdict = tune_verdict_name(candidate->build->verdict),
                                       .error = candidate->build->error,
                                       .digest = candidate->build->digest,
                                       .created_ms = candidate->created_ms,
                                       .artifact = -1};
  if (candidate->artifact)
    TUNE_RETURN_IF_ERROR(add_blob(writer, candidate->artifact, &described.artifact));
  const tune_code_features *features = &candidate->build->code;
  json_t *code = tune_code_features_to_json(features);
  json_t *stages = tune_stages_to_json(candidate->build->stage_seconds);
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)candidate->seed);
  described.seed = seed;
  described.code = code;
  described.stages = stages;
  json_t *object = NULL;
  tune_status status = (!code && features->registers > 0) || !stages
                           ? out_of_memory("to be written")
                           : tune_exported_candidate_to_json(&described, &object);
  json_decref(code);
  json_decref(stages);
  TUNE_RETURN_IF_ERROR(tune_status_annotate(status, "exporting a candidate"));
  if (json_array_append_new(candidates, object) != 0)
    return out_of_memory("to be written");
  writer->measured += candidate->artifact != NULL;
  return TUNE_OK;
}

tune_status tune_export_writer_set_compare(tune_export_writer *writer, size_t task,
                                           double confidence) {
  json_t *object = json_array_get(tasks_of(writer), task);
  tune_exported_finalists finalists = {.confidence = confidence};
  json_t *compare;
  TUNE_RETURN_IF_ERROR(tune_exported_finalists_to_json(&finalists, &compare));
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
  if (!exported->description)
    return tune_json_lacks_memory(&error) ? out_of_memory(path) : damaged(path, error.text);
  tune_status status = tune_export_description_from_json(exported->description, &exported->read);
  if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT)
    return status;
  tune_status lost = damaged(path, tune_status_get_message(status));
  tune_status_free(status);
  return lost;
}

static tune_status check_blobs(const char *path, tune_export *exported, size_t begin, size_t size) {
  const tune_exported_blobs *blobs = &exported->read.blobs;
  exported->blob_count = blobs->count;
  exported->blob_begin = calloc(exported->blob_count + 1, sizeof *exported->blob_begin);
  if (!exported->blob_begin)
    return out_of_memory(path);
  for (size_t i = 0; i < exported->blob_count; ++i) {
    size_t length = (size_t)blobs->items[i].bytes;
    if (length > size - begin)
      return damaged(path, "the export is cut");
    tune_digest found = tune_digest_of_bytes(exported->bytes + begin, length);
    if (strcmp(found.text, blobs->items[i].digest) != 0) {
      char what[96];
      snprintf(what, sizeof what, "artifact %zu of %zu in the export is damaged", i + 1,
               exported->blob_count);
      return damaged(path, what);
    }
    exported->blob_begin[i] = begin;
    begin += length;
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
  tune_export_description_deinit(&exported->read);
  json_decref(exported->description);
  free(exported->bytes);
  free(exported->blob_begin);
  free(exported);
}

tune_status tune_export_extract(const tune_export *exported, int64_t i, const char *path) {
  if (i < 0 || (size_t)i >= exported->blob_count)
    return tune_status_make(TUNE_DATA_LOSS, "the export names an artifact that it does not have");
  return tune_file_write(path, exported->bytes + exported->blob_begin[i],
                         exported->blob_begin[i + 1] - exported->blob_begin[i]);
}

bool tune_export_has_result(const tune_exported_candidate *candidate) {
  return candidate->artifact >= 0 || (candidate->verdict && strcmp(candidate->verdict, "ok") != 0);
}

size_t tune_export_count(const tune_export_description *described) {
  size_t count = 0;
  for (size_t t = 0; t < described->tasks.count; ++t) {
    const tune_exported_candidates *candidates = &described->tasks.items[t].candidates;
    for (size_t i = 0; i < candidates->count; ++i)
      count += tune_export_has_result(&candidates->items[i]);
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
