//===- rounds.c ---------------------------------------------------------------===//

#include "tuning/remote/rounds.h"

#include "support/file.h"
#include "support/json.h"
#include "tuning/device/device_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct round {
  char *export_path, *results_path;
  char digest[33];
  json_t *finalists;     // [key, schedule] of each task whose candidates are finalists
  json_t *candidates;    // from tune_results_key to candidates
  size_t count;          // of them that something comes of
  tune_results *results; // NULL while there are none
};

struct tune_rounds {
  char *folder;
  int lock; // search.json
  json_t *device;
  struct round *items;
  size_t count;
  tune_export_writer *writer;
};

static tune_status out_of_memory(const tune_rounds *rounds) {
  return tune_status_out_of_memory("out of memory at the rounds in %s", rounds->folder);
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

tune_status tune_rounds_path(const tune_rounds *rounds, const char *name, char **out_path) {
  if (asprintf(out_path, "%s/%s", rounds->folder, name) >= 0)
    return TUNE_OK;
  *out_path = NULL;
  return out_of_memory(rounds);
}

//===- Reading one round ------------------------------------------------------===//

static tune_status index_task(struct round *round, const json_t *task) {
  const json_t *candidates = json_object_get(task, "candidates");
  const char *key = text_of(json_object_get(task, "task"), "key");
  if (json_object_get(task, "compare") &&
      json_array_append_new(round->finalists,
                            json_pack("[s, s]", key, text_of(task, "schedule"))) != 0)
    return tune_status_out_of_memory("reading a round");
  for (size_t i = 0; i < json_array_size(candidates); ++i) {
    json_t *candidate = json_array_get(candidates, i);
    char *name;
    TUNE_RETURN_IF_ERROR(tune_results_key(key, text_of(task, "schedule"),
                                          json_object_get(candidate, "config"), &name));
    int failed = json_object_set(round->candidates, name, candidate);
    free(name);
    if (failed)
      return tune_status_out_of_memory("reading a round");
  }
  return TUNE_OK;
}

static tune_status read_export(struct round *round) {
  tune_export *exported;
  TUNE_RETURN_IF_ERROR(tune_export_read(round->export_path, &exported));
  memcpy(round->digest, exported->digest.text, sizeof round->digest);
  round->count = tune_export_count(&exported->read);
  round->candidates = json_object();
  round->finalists = json_array();
  const json_t *tasks = json_object_get(exported->description, "tasks");
  tune_status status = round->candidates && round->finalists
                           ? TUNE_OK
                           : tune_status_out_of_memory("reading a round");
  for (size_t i = 0; i < json_array_size(tasks) && tune_status_is_ok(status); ++i)
    status = index_task(round, json_array_get(tasks, i));
  tune_export_destroy(exported);
  return status;
}

static tune_status check_results(const tune_rounds *rounds, const struct round *round) {
  const tune_results *results = round->results;
  if (results->header && strcmp(tune_results_export(results), round->digest) != 0)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "%s: results of another export than %s; measure that one: tune-measure "
                            "%s -o %s",
                            round->results_path, round->export_path, round->export_path,
                            round->results_path);
  const json_t *first = tune_rounds_fingerprint(rounds);
  const json_t *fingerprint = results->fingerprint;
  if (fingerprint && first && strcmp(text_of(fingerprint, "digest"), text_of(first, "digest")) != 0)
    return tune_status_make(
        TUNE_FAILED_PRECONDITION,
        "%s: results of another machine or device (%s) than those before (%s); a search is of one",
        round->results_path, text_of(json_object_get(fingerprint, "description"), "model"),
        text_of(json_object_get(first, "description"), "model"));
  return TUNE_OK;
}

static tune_status read_results(const tune_rounds *rounds, struct round *round) {
  tune_results_destroy(round->results);
  tune_status status = tune_results_read(round->results_path, &round->results);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    return TUNE_OK;
  }
  return tune_status_is_ok(status) ? check_results(rounds, round) : status;
}

static void round_deinit(struct round *round) {
  free(round->export_path);
  free(round->results_path);
  json_decref(round->candidates);
  json_decref(round->finalists);
  tune_results_destroy(round->results);
}

static tune_status read_round(const tune_rounds *rounds, struct round *round) {
  TUNE_RETURN_IF_ERROR(read_export(round));
  return read_results(rounds, round);
}

//===- The folder -------------------------------------------------------------===//

// The paths of the round after the last.
static tune_status name_next(const tune_rounds *rounds, struct round *round) {
  *round = (struct round){0};
  if (asprintf(&round->export_path, "%s/round-%zu.export", rounds->folder, rounds->count + 1) < 0)
    round->export_path = NULL;
  if (asprintf(&round->results_path, "%s/round-%zu.results", rounds->folder, rounds->count + 1) < 0)
    round->results_path = NULL;
  if (round->export_path && round->results_path)
    return TUNE_OK;
  round_deinit(round);
  return out_of_memory(rounds);
}

// Takes over `round`, whatever comes of it.
static tune_status add_round(tune_rounds *rounds, struct round *round) {
  tune_status status = read_round(rounds, round);
  struct round *items = realloc(rounds->items, (rounds->count + 1) * sizeof *items);
  if (items)
    rounds->items = items;
  else if (tune_status_is_ok(status))
    status = out_of_memory(rounds);
  if (tune_status_is_ok(status))
    rounds->items[rounds->count++] = *round;
  else
    round_deinit(round);
  return status;
}

static tune_status read_rounds(tune_rounds *rounds) {
  struct round round;
  for (;;) {
    bool is_there;
    TUNE_RETURN_IF_ERROR(name_next(rounds, &round));
    tune_status looked = tune_file_is_there(round.export_path, &is_there);
    if (!is_there) {
      round_deinit(&round);
      return looked;
    }
    size_t count = rounds->count;
    if (count && !tune_rounds_has_results(rounds, count - 1)) {
      tune_status status = tune_status_make(
          TUNE_FAILED_PRECONDITION,
          "%s is there, but the results of the round before are not all in %s; put them back, or "
          "remove this and later rounds",
          round.export_path, rounds->items[count - 1].results_path);
      round_deinit(&round);
      return status;
    }
    TUNE_RETURN_IF_ERROR(add_round(rounds, &round));
  }
}

static tune_status read_device(tune_rounds *rounds) {
  char *path;
  TUNE_RETURN_IF_ERROR(tune_rounds_path(rounds, "device.json", &path));
  bool is_there;
  tune_status status = tune_file_is_there(path, &is_there);
  if (is_there)
    status = tune_device_file_read(path, &rounds->device);
  free(path);
  return status;
}

static tune_status lock_folder(tune_rounds *rounds) {
  char *path;
  TUNE_RETURN_IF_ERROR(tune_rounds_path(rounds, "search.json", &path));
  rounds->lock = TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  bool is_taken = false;
  tune_status status =
      rounds->lock < 0 ? tune_status_from_errno(errno, "%s cannot be written", path)
                       : tune_status_annotate(tune_file_lock(rounds->lock, &is_taken), "%s", path);
  if (is_taken)
    status = tune_status_make(TUNE_ALREADY_EXISTS,
                              "another search works in %s; wait for it, or take another folder",
                              rounds->folder);
  free(path);
  return status;
}

tune_status tune_rounds_open(const char *folder, tune_rounds **out_rounds) {
  *out_rounds = NULL;
  tune_rounds *rounds = calloc(1, sizeof *rounds);
  if (!rounds || !(rounds->folder = strdup(folder))) {
    free(rounds);
    return tune_status_out_of_memory("opening %s", folder);
  }
  rounds->lock = -1;
  tune_status status = tune_file_make_folders(folder, 0777);
  if (tune_status_is_ok(status))
    status = lock_folder(rounds);
  if (tune_status_is_ok(status))
    status = read_device(rounds);
  if (tune_status_is_ok(status))
    status = read_rounds(rounds);
  if (!tune_status_is_ok(status)) {
    tune_rounds_destroy(rounds);
    return status;
  }
  *out_rounds = rounds;
  return TUNE_OK;
}

// What the folder's search was asked for and `identity` was not.
static tune_status refuse_identity(const tune_rounds *rounds, const json_t *theirs,
                                   const json_t *identity) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)identity, name, value) {
    const json_t *other = json_object_get(theirs, name);
    if (json_equal(value, other))
      continue;
    if (json_is_array(value))
      return tune_status_make(TUNE_FAILED_PRECONDITION,
                              "%s is the folder of a search of another module; take an empty one",
                              rounds->folder);
    char *here = tune_json_dump(value, JSON_ENCODE_ANY),
         *there = other ? tune_json_dump(other, JSON_ENCODE_ANY) : strdup("nothing");
    tune_status status =
        here && there
            ? tune_status_make(TUNE_FAILED_PRECONDITION,
                               "%s is the folder of a search with %s=%s, and this one has %s; give "
                               "it the same, or take an empty folder",
                               rounds->folder, name, there, here)
            : out_of_memory(rounds);
    free(here);
    free(there);
    return status;
  }
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "%s is the folder of a search by another mlir-tune; take an empty one",
                          rounds->folder);
}

// Into the file that is locked, and empty: another one in its place would not be.
static tune_status write_identity(const tune_rounds *rounds, const char *path,
                                  const json_t *identity) {
  char *text = tune_json_dump(identity, JSON_INDENT(2) | JSON_SORT_KEYS);
  if (!text)
    return out_of_memory(rounds);
  tune_status status = tune_file_append(rounds->lock, 0, text, strlen(text));
  free(text);
  return tune_status_annotate(status, "%s cannot be written", path);
}

tune_status tune_rounds_claim(tune_rounds *rounds, const json_t *identity) {
  char *path, *text = NULL;
  size_t size = 0;
  json_error_t error;
  TUNE_RETURN_IF_ERROR(tune_rounds_path(rounds, "search.json", &path));
  tune_status status = tune_file_read(path, &text, &size);
  json_t *theirs = NULL;
  if (tune_status_is_ok(status) && size > 0) {
    theirs = tune_json_load(text, size, &error);
    if (!theirs && tune_json_lacks_memory(&error))
      status = out_of_memory(rounds);
    else if (!theirs)
      status = tune_status_make(TUNE_DATA_LOSS, "%s:%d: %s; remove it if the rounds are yours",
                                path, error.line, error.text);
    else if (!json_equal(theirs, identity))
      status = refuse_identity(rounds, theirs, identity);
  } else if (tune_status_is_ok(status)) {
    status = write_identity(rounds, path, identity);
  }
  json_decref(theirs);
  free(path);
  free(text);
  return status;
}

void tune_rounds_destroy(tune_rounds *rounds) {
  if (!rounds)
    return;
  if (rounds->lock >= 0)
    close(rounds->lock);
  for (size_t i = 0; i < rounds->count; ++i)
    round_deinit(&rounds->items[i]);
  tune_export_writer_destroy(rounds->writer);
  json_decref(rounds->device);
  free(rounds->items);
  free(rounds->folder);
  free(rounds);
}

//===- What is known ----------------------------------------------------------===//

const json_t *tune_rounds_device(const tune_rounds *rounds) { return rounds->device; }

const json_t *tune_rounds_fingerprint(const tune_rounds *rounds) {
  for (size_t i = 0; i < rounds->count; ++i)
    if (rounds->items[i].results && rounds->items[i].results->fingerprint)
      return rounds->items[i].results->fingerprint;
  return NULL;
}

size_t tune_rounds_count(const tune_rounds *rounds) { return rounds->count; }

bool tune_rounds_has_results(const tune_rounds *rounds, size_t round) {
  return rounds->items[round].results && rounds->items[round].results->is_complete;
}

tune_status tune_rounds_find_candidate(const tune_rounds *rounds, size_t round, const char *task,
                                       const char *schedule, const json_t *config,
                                       const json_t **out_candidate) {
  char *key;
  *out_candidate = NULL;
  TUNE_RETURN_IF_ERROR(tune_results_key(task, schedule, config, &key));
  *out_candidate = json_object_get(rounds->items[round].candidates, key);
  free(key);
  return TUNE_OK;
}

tune_status tune_rounds_find_result(const tune_rounds *rounds, size_t round, const char *task,
                                    const char *schedule, const json_t *config,
                                    const json_t **out_trial) {
  return tune_results_find(rounds->items[round].results, task, schedule, config, out_trial);
}

const char *tune_rounds_failure(const tune_rounds *rounds, size_t round, const char *task,
                                const char *schedule) {
  return tune_results_failure(rounds->items[round].results, task, schedule);
}

bool tune_rounds_has_finalists(const tune_rounds *rounds, size_t round, const char *task,
                               const char *schedule) {
  const json_t *finalists = rounds->items[round].finalists;
  for (size_t i = 0; i < json_array_size(finalists); ++i) {
    const json_t *names = json_array_get(finalists, i);
    if (strcmp(json_string_value(json_array_get(names, 0)), task) == 0 &&
        strcmp(json_string_value(json_array_get(names, 1)), schedule) == 0)
      return true;
  }
  return false;
}

const json_t *tune_rounds_comparison(const tune_rounds *rounds, size_t round, const char *task,
                                     const char *schedule) {
  return tune_results_comparison(rounds->items[round].results, task, schedule);
}

//===- The next one -----------------------------------------------------------===//

tune_status tune_rounds_begin(tune_rounds *rounds, const tune_export_source *source,
                              tune_export_writer **out_writer) {
  if (!rounds->writer)
    TUNE_RETURN_IF_ERROR(tune_export_writer_create(source, &rounds->writer));
  *out_writer = rounds->writer;
  return TUNE_OK;
}

tune_status tune_rounds_export(tune_rounds *rounds) {
  if (!rounds->writer)
    return TUNE_OK;
  struct round round;
  TUNE_RETURN_IF_ERROR(name_next(rounds, &round));
  tune_status status = tune_export_writer_write(rounds->writer, round.export_path);
  tune_export_writer_destroy(rounds->writer);
  rounds->writer = NULL;
  if (tune_status_is_ok(status))
    return add_round(rounds, &round);
  round_deinit(&round);
  return status;
}

tune_rounds_pending tune_rounds_get_pending(const tune_rounds *rounds) {
  if (!rounds->count || tune_rounds_has_results(rounds, rounds->count - 1))
    return (tune_rounds_pending){0};
  const struct round *last = &rounds->items[rounds->count - 1];
  return (tune_rounds_pending){.number = rounds->count,
                               .export_path = last->export_path,
                               .results_path = last->results_path,
                               .candidates = last->count,
                               .measured =
                                   last->results ? json_object_size(last->results->trials) : 0};
}

tune_status tune_rounds_refresh(tune_rounds *rounds) {
  return rounds->count ? read_results(rounds, &rounds->items[rounds->count - 1]) : TUNE_OK;
}
