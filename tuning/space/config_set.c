//===- config_set.c -----------------------------------------------------------===//

#include "tuning/space/config_set.h"

#include <stdlib.h>

void tune_config_set_init(tune_config_set *set) { *set = (tune_config_set){0}; }

void tune_config_set_deinit(tune_config_set *set) {
  for (size_t i = 0; i < set->count; ++i)
    tune_config_deinit(&set->configs[i]);
  free(set->configs);
  free(set->slots);
  tune_config_set_init(set);
}

// The slot of `config`, or the empty one where it belongs. There is always an empty slot.
static size_t find_slot(const tune_config_set *set, const tune_config *config) {
  size_t mask = set->slot_count - 1;
  size_t slot = (size_t)tune_config_hash(config) & mask;
  while (set->slots[slot] && !tune_config_equal(&set->configs[set->slots[slot] - 1], config))
    slot = (slot + 1) & mask;
  return slot;
}

size_t tune_config_set_find(const tune_config_set *set, const tune_config *config) {
  if (!set->slot_count)
    return SIZE_MAX;
  // The number of an empty slot, 0, becomes SIZE_MAX.
  return set->slots[find_slot(set, config)] - 1;
}

static tune_status reserve_slots(tune_config_set *set) {
  if (2 * (set->count + 1) <= set->slot_count)
    return TUNE_OK;
  size_t slot_count = set->slot_count ? 2 * set->slot_count : 64;
  size_t *slots = calloc(slot_count, sizeof *slots);
  if (!slots)
    return tune_status_out_of_memory("out of memory while remembering configs");
  free(set->slots);
  set->slots = slots;
  set->slot_count = slot_count;
  for (size_t i = 0; i < set->count; ++i)
    set->slots[find_slot(set, &set->configs[i])] = i + 1;
  return TUNE_OK;
}

static tune_status reserve_configs(tune_config_set *set) {
  if (set->count < set->capacity)
    return TUNE_OK;
  size_t capacity = set->capacity ? 2 * set->capacity : 32;
  tune_config *configs = realloc(set->configs, capacity * sizeof *configs);
  if (!configs)
    return tune_status_out_of_memory("out of memory while remembering configs");
  set->configs = configs;
  set->capacity = capacity;
  return TUNE_OK;
}

tune_status tune_config_set_add(tune_config_set *set, const tune_config *config, bool *out_is_new) {
  TUNE_RETURN_IF_ERROR(reserve_slots(set));
  TUNE_RETURN_IF_ERROR(reserve_configs(set));
  size_t slot = find_slot(set, config);
  bool is_new = set->slots[slot] == 0;
  if (is_new) {
    TUNE_RETURN_IF_ERROR(tune_config_init_copy(&set->configs[set->count], config));
    set->slots[slot] = ++set->count;
  }
  if (out_is_new)
    *out_is_new = is_new;
  return TUNE_OK;
}
