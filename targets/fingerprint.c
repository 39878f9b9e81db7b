//===- fingerprint.c - Fingerprints in the making ----------------------------===//

#include "targets/fingerprint.h"
#include "support/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tune_fingerprint_print(tune_fingerprint *fingerprint, const char **out, const char *format,
                            ...) {
  tune_text_list *made = &fingerprint->made;
  *out = NULL;
  const char **items = realloc(made->items, (made->count + 1) * sizeof *items);
  if (!items)
    return false;
  made->items = items;
  char *text;
  va_list arguments;
  va_start(arguments, format);
  bool is_made = vasprintf(&text, format, arguments) >= 0;
  va_end(arguments);
  if (is_made)
    *out = made->items[made->count++] = text;
  return is_made;
}

tune_status tune_fingerprint_digest(const tune_fingerprint *fingerprint, tune_digest *out_digest) {
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_to_json(fingerprint, &object));
  tune_status status = tune_json_digest(object, out_digest);
  json_decref(object);
  return status;
}

bool tune_fingerprint_has_feature(const tune_fingerprint *fingerprint, const char *feature) {
  for (size_t i = 0; i < fingerprint->features.count; ++i)
    if (strcmp(fingerprint->features.items[i], feature) == 0)
      return true;
  return false;
}
