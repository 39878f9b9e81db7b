//===- op_map.c ---------------------------------------------------------------===//

#include "transforms/ir/op_map.h"

#include <stdint.h>
#include <stdlib.h>

struct tune_op_map_entry {
  const void *key;
  size_t index;
};

void tune_op_map_init(tune_op_map *map) { *map = (tune_op_map){0}; }

void tune_op_map_deinit(tune_op_map *map) {
  free(map->entries);
  *map = (tune_op_map){0};
}

// The slot of `key`, or the free slot where it belongs. There is always a free one.
static struct tune_op_map_entry *find_slot(struct tune_op_map_entry *entries, size_t capacity,
                                           const void *key) {
  // The low bits of addresses are all alike; a multiplication spreads the others.
  size_t slot = (size_t)(((uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
  for (slot &= capacity - 1; entries[slot].key && entries[slot].key != key;)
    slot = (slot + 1) & (capacity - 1);
  return &entries[slot];
}

static tune_status grow(tune_op_map *map) {
  size_t capacity = map->capacity ? map->capacity * 2 : 64;
  struct tune_op_map_entry *entries = calloc(capacity, sizeof *entries);
  if (!entries)
    return tune_status_out_of_memory("a map of %zu ops", capacity);
  for (size_t i = 0; i < map->capacity; ++i)
    if (map->entries[i].key)
      *find_slot(entries, capacity, map->entries[i].key) = map->entries[i];
  free(map->entries);
  map->entries = entries;
  map->capacity = capacity;
  return TUNE_OK;
}

tune_status tune_op_map_set(tune_op_map *map, const void *key, size_t index) {
  if (2 * (map->count + 1) > map->capacity)
    TUNE_RETURN_IF_ERROR(grow(map));
  struct tune_op_map_entry *slot = find_slot(map->entries, map->capacity, key);
  map->count += !slot->key;
  *slot = (struct tune_op_map_entry){key, index};
  return TUNE_OK;
}

size_t tune_op_map_get(const tune_op_map *map, const void *key) {
  if (!map->count)
    return TUNE_OP_MAP_NONE;
  const struct tune_op_map_entry *slot = find_slot(map->entries, map->capacity, key);
  return slot->key ? slot->index : TUNE_OP_MAP_NONE;
}
