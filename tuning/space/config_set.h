//===- config_set.h - A set of configs, with their positions -----------------===//
//
// A set of configs of one space, numbered in the order they were added. Adding and
// finding take constant time; a config of n knobs costs 2 n bytes and some 16 more.
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_CONFIG_SET_H
#define TUNE_TUNING_SPACE_CONFIG_SET_H

#include "tuning/space/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_config_set {
  tune_config *configs; // configs[i] is the i-th added; borrowed by all others
  size_t count;
  size_t capacity;
  size_t *slots;     // open addressing; the number of a config plus 1, or 0
  size_t slot_count; // a power of two, at least twice `count`
} tune_config_set;

void tune_config_set_init(tune_config_set *set);
void tune_config_set_deinit(tune_config_set *set);

// Adds a copy of `config` unless it is there. `*out_is_new` (may be NULL) says which.
tune_status tune_config_set_add(tune_config_set *set, const tune_config *config, bool *out_is_new);
// The number of `config`, or SIZE_MAX.
size_t tune_config_set_find(const tune_config_set *set, const tune_config *config);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_CONFIG_SET_H
