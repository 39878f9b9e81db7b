//===- common.c - Shared parts of the commands of tune-db --------------------===//

#include "tools/tune-db/tune_db.h"

#include <string.h>

const char *const tune_db_formats[] = {"text", "json", NULL};

tune_figure tune_db_target(const char *target, const char *fingerprint) {
  tune_figure figure = {"-"};
  if (*fingerprint)
    snprintf(figure.text, sizeof figure.text, "%.14s:%.6s", target, fingerprint);
  return figure;
}

tune_status tune_db_is_flushed(tune_database *database, const char *fingerprint,
                               bool *out_flushed) {
  json_t *object;
  *out_flushed = false;
  if (!*fingerprint)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_database_get_device(database, fingerprint, NULL, &object));
  *out_flushed = json_is_true(json_object_get(object, "flush_cache"));
  json_decref(object);
  return TUNE_OK;
}

tune_status tune_db_target_of_records(tune_database *database, const char *target,
                                      const char *fingerprint, tune_figure *out_figure) {
  bool is_flushed;
  *out_figure = tune_db_target(target, fingerprint);
  TUNE_RETURN_IF_ERROR(tune_db_is_flushed(database, fingerprint, &is_flushed));
  size_t length = strlen(out_figure->text);
  if (is_flushed)
    snprintf(out_figure->text + length, sizeof out_figure->text - length, " flushed");
  return TUNE_OK;
}

tune_figure tune_db_short_key(const char *key) {
  tune_figure figure;
  snprintf(figure.text, sizeof figure.text, "%.8s", key);
  return figure;
}

tune_figure tune_db_count(uint64_t count, const char *noun) {
  tune_figure figure;
  snprintf(figure.text, sizeof figure.text, "%llu %s%s", (unsigned long long)count, noun,
           count == 1 ? "" : "s");
  return figure;
}

tune_status tune_db_print_json(json_t *value) {
  if (!value)
    return tune_status_out_of_memory("making JSON");
  bool failed = json_dumpf(value, stdout, JSON_INDENT(2)) != 0;
  json_decref(value);
  putchar('\n');
  return failed ? tune_status_make(TUNE_RESOURCE_EXHAUSTED, "the output could not be written")
                : TUNE_OK;
}
