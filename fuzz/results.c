//===- results.c - Results of candidates that were measured elsewhere ----------------===//

#include "fuzz/fuzz.h"
#include "tuning/remote/results_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void look_into(const tune_results *results) {
  fuzz_require(!results->header || tune_results_export(results), "a header names the export");
  const char *key;
  json_t *trial;
  json_object_foreach(results->trials, key, trial) {
    const char *task = json_string_value(json_object_get(trial, "task"));
    const char *schedule = json_string_value(json_object_get(trial, "schedule"));
    if (!task || !schedule)
      continue; // for tune-db import to refuse
    const json_t *found = NULL;
    fuzz_require(fuzz_accept(tune_results_find(results, task, schedule,
                                               json_object_get(trial, "config"), &found)) &&
                     found,
                 "a trial that was read is found");
    tune_results_failure(results, task, schedule);
    tune_results_comparison(results, task, schedule);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  fuzz_scratch_path("fuzz.results", path);
  FILE *file = fopen(path, "w");
  fuzz_require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "a new file");
  tune_results *results = NULL;
  if (fuzz_accept(tune_results_read(path, &results))) {
    look_into(results);
    char *digest = results->header ? strdup(tune_results_export(results)) : NULL;
    tune_results_destroy(results);
    if (digest && fuzz_accept(tune_results_open(path, digest, 3, &results))) {
      bool is_complete = results->is_complete;
      bool is_added = fuzz_accept(
          tune_results_append(results, json_pack("{s:s, s:s, s:s, s:s}", "kind", "failure", "task",
                                                 "t", "schedule", "s", "error", "fuzzed")));
      fuzz_require(is_added != is_complete, "nothing is added to what is complete");
      look_into(results);
      tune_results_destroy(results);
      fuzz_require(fuzz_accept(tune_results_read(path, &results)), "what was added can be read");
      tune_results_destroy(results);
    }
    free(digest);
  }
  unlink(path);
  return 0;
}
