//===- measure_compare.c ------------------------------------------------------===//

#include "tools/tune-measure/measure_compare.h"
#include "tools/tune-measure/compare_loads.h"

#include <stdlib.h>
#include <unistd.h>

static tune_status extract(const tune_export *exported, const json_t *candidates,
                           const char *folder, const char **paths) {
  for (size_t i = 0; i < json_array_size(candidates); ++i) {
    const json_t *artifact = json_object_get(json_array_get(candidates, i), "artifact");
    char *path;
    if (!artifact)
      return tune_status_make(TUNE_DATA_LOSS, "a finalist without an artifact");
    if (asprintf(&path, "%s/finalist-%zu", folder, i) < 0)
      return tune_status_out_of_memory("comparing candidates");
    paths[i] = path;
    TUNE_RETURN_IF_ERROR(tune_export_extract(exported, artifact, path));
  }
  return TUNE_OK;
}

static tune_status run(const task *of, const tune_export *exported, const json_t *entry,
                       const char **paths, size_t count, const child_watch *watch,
                       json_t **out_reply) {
  // As a request says it.
  json_t *request = json_pack("{s:O, s:O}", "measure", json_object_get(entry, "compare"), "limits",
                              json_object_get(exported->description, "limits"));
  child_limits limits = {0};
  trial_order order = {.of = of, .artifacts = paths, .artifact_count = count};
  tune_status status = request ? task_read_measure_options(request, &order.options)
                               : tune_status_make(TUNE_DATA_LOSS, "an export that lacks limits");
  if (tune_status_is_ok(status))
    status = task_read_limits(request, of, 0, &limits);
  json_decref(request);
  limits.seconds *= (double)count;
  if (tune_status_is_ok(status))
    status = compare_in_loads(&order, true, &limits, watch, out_reply);
  return status;
}

tune_status measure_compare(const task *of, const tune_export *exported, const json_t *entry,
                            const char *folder, const child_watch *watch, json_t **out_reply) {
  *out_reply = NULL;
  const json_t *candidates = json_object_get(entry, "candidates");
  size_t count = json_array_size(candidates);
  if (count == 0)
    return tune_status_make(TUNE_DATA_LOSS, "an export with finalists of which there are none");
  const char **paths = calloc(count + 1, sizeof *paths);
  tune_status status = paths ? extract(exported, candidates, folder, paths)
                             : tune_status_out_of_memory("comparing candidates");
  if (tune_status_is_ok(status))
    status = run(of, exported, entry, paths, count, watch, out_reply);
  for (size_t i = 0; paths && i < count && paths[i]; ++i) {
    unlink(paths[i]);
    free((char *)paths[i]);
  }
  free(paths);
  return status;
}
