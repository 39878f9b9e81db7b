//===- results_file.c ---------------------------------------------------------===//

#include "tuning/remote/results_file.h"

#include "support/file.h"
#include "support/json.h"
#include "tuning/database/database_transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tune_status out_of_memory(const char *path) {
  return tune_status_out_of_memory("out of memory at the results %s", path);
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

//===- What is in them --------------------------------------------------------===//

const char *tune_results_export(const tune_results *results) {
  return results->header ? text_of(results->header, "export") : NULL;
}

tune_status tune_results_key(const char *task, const char *schedule, const json_t *config,
                             char **out_key) {
  char *text = tune_json_dump(config, JSON_COMPACT | JSON_SORT_KEYS);
  int length = text ? asprintf(out_key, "%s %s %s", task, schedule, text) : -1;
  free(text);
  if (length >= 0)
    return TUNE_OK;
  *out_key = NULL;
  return tune_status_out_of_memory("looking for a config");
}

tune_status tune_results_find(const tune_results *results, const char *task, const char *schedule,
                              const json_t *config, const json_t **out_trial) {
  char *key;
  *out_trial = NULL;
  TUNE_RETURN_IF_ERROR(tune_results_key(task, schedule, config, &key));
  *out_trial = json_object_get(results->trials, key);
  free(key);
  return TUNE_OK;
}

static const json_t *find_line(const json_t *lines, const char *task, const char *schedule) {
  for (size_t i = 0; i < json_array_size(lines); ++i) {
    const json_t *line = json_array_get(lines, i);
    if (strcmp(text_of(line, "task"), task) == 0 &&
        strcmp(text_of(line, "schedule"), schedule) == 0)
      return line;
  }
  return NULL;
}

const char *tune_results_failure(const tune_results *results, const char *task,
                                 const char *schedule) {
  const json_t *failure = find_line(results->failures, task, schedule);
  return failure ? text_of(failure, "error") : NULL;
}

const json_t *tune_results_comparison(const tune_results *results, const char *task,
                                      const char *schedule) {
  return find_line(results->comparisons, task, schedule);
}

//===- Reading ----------------------------------------------------------------===//

static tune_status damaged(const tune_results *results, const char *what) {
  return tune_status_make(TUNE_DATA_LOSS,
                          "%s: the results are damaged: %s; copy them here again, or move the file "
                          "away and measure again",
                          results->path, what);
}

static tune_status take_header(tune_results *results, json_t *line) {
  json_int_t version = json_integer_value(json_object_get(line, "version"));
  if (strcmp(text_of(line, "kind"), "header") != 0 ||
      strcmp(text_of(line, "format"), TUNE_DATABASE_FORMAT) != 0 ||
      !json_object_get(line, "export"))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s: no results of measuring an export; name a file that tune-measure "
                            "wrote, or one that is not there",
                            results->path);
  if (version != TUNE_DATABASE_FORMAT_VERSION)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "%s: results of version %lld, and this mlir-tune reads version %d; use "
                            "the same mlir-tune on both machines",
                            results->path, (long long)version, TUNE_DATABASE_FORMAT_VERSION);
  results->header = json_incref(line);
  return TUNE_OK;
}

static tune_status take_trial(tune_results *results, json_t *line) {
  char *key;
  TUNE_RETURN_IF_ERROR(tune_results_key(text_of(line, "task"), text_of(line, "schedule"),
                                        json_object_get(line, "config"), &key));
  int failed = json_object_set(results->trials, key, line);
  free(key);
  return failed ? out_of_memory(results->path) : TUNE_OK;
}

// Results that were measured by builds from before 2026-11-24 have "loads" for placements.
static tune_status take_comparison(tune_results *results, json_t *line) {
  json_t *loads = json_object_get(line, "loads");
  bool is_old = loads && !json_object_get(line, "placements");
  if ((is_old && json_object_set(line, "placements", loads) != 0) ||
      json_array_append(results->comparisons, line) != 0)
    return out_of_memory(results->path);
  return TUNE_OK;
}

// `bytes` are all that come before the line.
static tune_status take_end(tune_results *results, const json_t *line, const char *bytes) {
  tune_digest digest = tune_digest_of_bytes(bytes, results->size);
  json_int_t records = json_integer_value(json_object_get(line, "records"));
  if (strcmp(digest.text, text_of(line, "digest")) != 0 ||
      records != (json_int_t)json_object_size(results->trials))
    return damaged(results, "they are not what their last line says");
  results->is_complete = true;
  return TUNE_OK;
}

static tune_status take_line(tune_results *results, json_t *line, const char *bytes) {
  const char *kind = text_of(line, "kind");
  if (!results->header)
    return take_header(results, line);
  if (results->is_complete)
    return damaged(results, "they go on after their end");
  if (strcmp(kind, "trial") == 0)
    return take_trial(results, line);
  if (strcmp(kind, "end") == 0)
    return take_end(results, line, bytes);
  if (strcmp(kind, "fingerprint") == 0) {
    json_decref(results->fingerprint);
    results->fingerprint = json_incref(line);
  } else if (strcmp(kind, "failure") == 0) {
    return json_array_append(results->failures, line) == 0 ? TUNE_OK : out_of_memory(results->path);
  } else if (strcmp(kind, "comparison") == 0) {
    return take_comparison(results, line);
  } else if (strcmp(kind, "task") != 0) {
    return damaged(results, "a line of a kind that results do not have");
  }
  return TUNE_OK;
}

// What comes after the last line end is part of a line that was being written.
static tune_status take_lines(tune_results *results, const char *bytes, size_t size) {
  while (results->size < size) {
    const char *line = bytes + results->size;
    const char *end = memchr(line, '\n', size - results->size);
    if (!end)
      return TUNE_OK;
    json_error_t error;
    json_t *object = tune_json_load(line, (size_t)(end - line), &error);
    if (!object && tune_json_lacks_memory(&error))
      return out_of_memory(results->path);
    if (!object && results->header)
      return damaged(results, "a line is no JSON");
    tune_status status = take_line(results, object, bytes);
    json_decref(object);
    TUNE_RETURN_IF_ERROR(status);
    results->size += (size_t)(end - line) + 1;
  }
  return TUNE_OK;
}

static tune_status create(const char *path, tune_results **out_results) {
  tune_results *results = calloc(1, sizeof *results);
  *out_results = results;
  if (!results)
    return out_of_memory(path);
  results->fd = -1;
  results->path = strdup(path);
  results->trials = json_object();
  results->failures = json_array();
  results->comparisons = json_array();
  bool ok = results->path && results->trials && results->failures && results->comparisons;
  return ok ? TUNE_OK : out_of_memory(path);
}

static tune_status read_file(tune_results *results) {
  char *bytes;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(results->path, &bytes, &size));
  tune_status status = take_lines(results, bytes, size);
  free(bytes);
  return status;
}

// Hands over or, after a failure, destroys.
static tune_status conclude(tune_status status, tune_results **results) {
  if (tune_status_is_ok(status))
    return TUNE_OK;
  tune_results_destroy(*results);
  *results = NULL;
  return status;
}

tune_status tune_results_read(const char *path, tune_results **out_results) {
  tune_status status = create(path, out_results);
  if (tune_status_is_ok(status))
    status = read_file(*out_results);
  return conclude(status, out_results);
}

void tune_results_destroy(tune_results *results) {
  if (!results)
    return;
  if (results->fd >= 0)
    close(results->fd);
  json_decref(results->header);
  json_decref(results->fingerprint);
  json_decref(results->trials);
  json_decref(results->failures);
  json_decref(results->comparisons);
  free(results->path);
  free(results);
}

//===- Writing ----------------------------------------------------------------===//

static tune_status cut_to_size(const tune_results *results) {
  if (TEMP_FAILURE_RETRY(ftruncate(results->fd, (off_t)results->size)) == 0)
    return TUNE_OK;
  return tune_status_from_errno(errno, "%s cannot be written", results->path);
}

// Adds what `text` is of to the file and, where it is not the end, to the results.
static tune_status add_line(tune_results *results, json_t *line, const char *text, size_t length) {
  TUNE_RETURN_IF_ERROR(tune_status_annotate(
      tune_file_append(results->fd, (off_t)results->size, text, length), "%s", results->path));
  // The end is known to be right, and no bytes are here to compare it with.
  bool is_end = strcmp(text_of(line, "kind"), "end") == 0;
  tune_status status = is_end ? TUNE_OK : take_line(results, line, NULL);
  if (!tune_status_is_ok(status)) // or what is counted is not what is there
    return tune_status_join(status, cut_to_size(results));
  results->size += length;
  results->is_complete = results->is_complete || is_end;
  return TUNE_OK;
}

tune_status tune_results_append(tune_results *results, json_t *line) {
  if (results->is_complete) {
    json_decref(line);
    return tune_status_make(TUNE_FAILED_PRECONDITION, "%s: nothing can be added after the end",
                            results->path);
  }
  char *text = line ? tune_json_dump(line, JSON_COMPACT) : NULL;
  if (!text) {
    json_decref(line);
    return out_of_memory(results->path);
  }
  size_t length = strlen(text);
  text[length] = '\n'; // in place of the NUL: a line goes out in one write
  tune_status status = add_line(results, line, text, length + 1);
  free(text);
  json_decref(line);
  return status;
}

tune_status tune_results_finish(tune_results *results) {
  char *bytes;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(results->path, &bytes, &size));
  tune_digest digest = tune_digest_of_bytes(bytes, size);
  free(bytes);
  return tune_results_append(results, json_pack("{s:s, s:I, s:s}", "kind", "end", "records",
                                                (json_int_t)json_object_size(results->trials),
                                                "digest", digest.text));
}

static tune_status check_export(const tune_results *results, const char *digest) {
  if (strcmp(tune_results_export(results), digest) == 0)
    return TUNE_OK;
  return tune_status_make(
      TUNE_FAILED_PRECONDITION,
      "%s: results of another export (%.8s, and this one is %.8s); name another "
      "file by -o",
      results->path, tune_results_export(results), digest);
}

static tune_status open_file(tune_results *results, const char *digest, size_t candidates) {
  results->fd =
      TEMP_FAILURE_RETRY(open(results->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (results->fd < 0)
    return tune_status_from_errno(errno, "%s cannot be written", results->path);
  bool is_taken;
  TUNE_RETURN_IF_ERROR(
      tune_status_annotate(tune_file_lock(results->fd, &is_taken), "%s", results->path));
  if (is_taken)
    return tune_status_make(TUNE_ALREADY_EXISTS,
                            "%s: another tune-measure writes to it; wait for it, or name another "
                            "file by -o",
                            results->path);
  TUNE_RETURN_IF_ERROR(read_file(results));
  if (results->header)
    TUNE_RETURN_IF_ERROR(check_export(results, digest));
  TUNE_RETURN_IF_ERROR(cut_to_size(results));
  if (results->header)
    return TUNE_OK;
  return tune_results_append(results, json_pack("{s:s, s:s, s:i, s:s, s:I}", "kind", "header",
                                                "format", TUNE_DATABASE_FORMAT, "version",
                                                TUNE_DATABASE_FORMAT_VERSION, "export", digest,
                                                "candidates", (json_int_t)candidates));
}

tune_status tune_results_open(const char *path, const char *digest, size_t candidates,
                              tune_results **out_results) {
  tune_status status = create(path, out_results);
  if (tune_status_is_ok(status))
    status = open_file(*out_results, digest, candidates);
  return conclude(status, out_results);
}
