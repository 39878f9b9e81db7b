//===- registry.c - The targets there are -------------------------------------------===//

#include "formats/target_list.h"
#include "support/nearest.h"
#include "targets/target.h"

#include <string.h>

#define DECLARE(name, kind) extern const tune_target_class tune_target_##name;
TUNE_FOR_EACH_TARGET(DECLARE)

#define ROW(name, kind) &tune_target_##name,
static const tune_target_class *const classes[] = {TUNE_FOR_EACH_TARGET(ROW)};

#define CLASS_COUNT (sizeof classes / sizeof *classes)

const tune_target_class *tune_target_at(size_t index) {
  return index < CLASS_COUNT ? classes[index] : NULL;
}

tune_status tune_target_find(const char *name, const tune_target_class **out_class) {
  tune_nearest nearest;
  tune_nearest_init(&nearest, name);
  for (size_t i = 0; i < CLASS_COUNT; ++i) {
    if (strcmp(classes[i]->name, name) == 0) {
      *out_class = classes[i];
      return TUNE_OK;
    }
    tune_nearest_offer(&nearest, classes[i]->name);
  }
  *out_class = NULL;
  if (nearest.best)
    return tune_status_make(TUNE_NOT_FOUND, "no target '%s'; did you mean '%s'? (there are: %s)",
                            name, nearest.best, TUNE_TARGET_NAMES);
  return tune_status_make(TUNE_NOT_FOUND, "no target '%s'; there are: %s", name, TUNE_TARGET_NAMES);
}
