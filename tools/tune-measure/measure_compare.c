//===- measure_compare.c ------------------------------------------------------===//

#include "tools/tune-measure/measure_compare.h"
#include "tools/tune-measure/compare_placements.h"

#include <stdlib.h>
#include <unistd.h>

static tune_status extract(const tune_export *exported, const tune_exported_candidates *candidates,
                           const char *folder, const char **paths) {
  for (size_t i = 0; i < candidates->count; ++i) {
    int64_t artifact = candidates->items[i].artifact;
    char *path;
    if (artifact < 0)
      return tune_status_make(TUNE_DATA_LOSS, "a finalist without an artifact");
    if (asprintf(&path, "%s/finalist-%zu", folder, i) < 0)
      return tune_status_out_of_memory("comparing candidates");
    paths[i] = path;
    TUNE_RETURN_IF_ERROR(tune_export_extract(exported, artifact, path));
  }
  return TUNE_OK;
}

static tune_status run(const task *of, const tune_export *exported, const tune_exported_task *entry,
                       const char **paths, size_t count, const child_watch *watch,
                       json_t **out_reply) {
  tune_sampling sampling = {.confidence = entry->compare.confidence};
  trial_order order = {.of = of,
                       .artifacts = paths,
                       .artifact_count = count,
                       .options = task_make_measure_options(&sampling, 0)};
  child_limits limits = task_make_limits(&exported->read.limits, of, 0);
  limits.seconds *= (double)count;
  placements_compared compared;
  tune_status status = compare_in_placements(&order, true, &limits, watch, &compared);
  if (tune_status_is_ok(status))
    status = tune_compare_reply_to_json(&compared.reply, out_reply);
  if (tune_status_is_ok(status))
    status = tune_reply_add_head(&compared.head, *out_reply);
  placements_compared_deinit(&compared);
  return status;
}

tune_status measure_compare(const task *of, const tune_export *exported,
                            const tune_exported_task *entry, const char *folder,
                            const child_watch *watch, json_t **out_reply) {
  *out_reply = NULL;
  const tune_exported_candidates *candidates = &entry->candidates;
  size_t count = candidates->count;
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
