//===- op_map.h - A hash map from pointers to indices ------------------------===//
//
// A hash map from the address of an op, a value or a block to an index: what graph
// algorithms over IR need where MLIR itself keeps no numbers.
//
// Threads: one thread at a time per map.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_OP_MAP_H
#define TUNE_TRANSFORMS_IR_OP_MAP_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_op_map {
  struct tune_op_map_entry *entries; // open addressing, capacity a power of two
  size_t count;
  size_t capacity;
} tune_op_map;

#define TUNE_OP_MAP_NONE ((size_t)-1)

void tune_op_map_init(tune_op_map *map);
void tune_op_map_deinit(tune_op_map *map);

// Sets the index of `key` (not NULL), replacing an earlier one. OUT_OF_MEMORY only.
tune_status tune_op_map_set(tune_op_map *map, const void *key, size_t index);
// The index of `key`, or TUNE_OP_MAP_NONE.
size_t tune_op_map_get(const tune_op_map *map, const void *key);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_OP_MAP_H
