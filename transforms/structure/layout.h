//===- layout.h - A product's operands brought into another layout ------------===//
//
// What joined a product may be what a rule cannot take: a filter whose output channels come first,
// an image whose channels do not come last, a transpose before its borders, an op after it that
// turns the output. A layout says in which order the product is to have the dimensions of its
// operands instead, and what stands beside it. After the preparation it is made so:
//
//   operands   copied once, in blocks that are turned in registers, ahead of all else; what depends
//              on constants alone is packed ahead of time then
//              (transforms/lower/cpu/weights/prepack.h)
//   output     turned back by the op that follows
//   channels   filled up with zeroes to whole vectors, and cut off again
//   beside     ops that do not see the product, and on demand the one after it, become loops of
//              vectors by themselves, which no rule looks at
//
// It is a transform script of upstream's ops, a part of @tune_prepare: a linalg.pack by one element
// carries any order of the outer dimensions with it.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_STRUCTURE_LAYOUT_H
#define TUNE_TRANSFORMS_STRUCTURE_LAYOUT_H

#include "support/string_builder.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_MAX_LOOPS 12
#define TUNE_LAYOUT_MAX_OPS 16

// Tile sizes of an op that becomes vectors; without loops where it is left as it is.
typedef struct tune_layout_tile {
  size_t loop_count;
  int64_t extent[TUNE_MAX_LOOPS];
  int64_t size[TUNE_MAX_LOOPS];
  size_t order[TUNE_MAX_LOOPS]; // of its loops, the outermost first
} tune_layout_tile;

typedef struct tune_layout_operand {
  bool moves;
  size_t rank;
  size_t order[TUNE_MAX_LOOPS]; // which dimension comes first, second, ...
  tune_layout_tile copy;        // of the copy in that order
} tune_layout_operand;

// An op of the task, found from another one: the order of ops that do not depend on each other is
// not the same in a module as in its tasks.
typedef struct tune_layout_op {
  size_t from;           // which of the ops before it
  size_t operand;        // of `from`, that it makes; SIZE_MAX: it is what uses the result of `from`
  tune_layout_tile tile; // it becomes vectors
} tune_layout_op;

typedef struct tune_layout {
  const char *name;                        // "filter": what moves (rules/layouts.h); static text
  size_t op_count;                         // 0: nothing changes
  tune_layout_op ops[TUNE_LAYOUT_MAX_OPS]; // the product first

  bool has_threads; // which divide the outermost loops of what becomes vectors
  bool has_math;    // some of those that become vectors compute functions such as exp

  size_t loop_count;                 // of the product, which is found by its loops
  bool is_reduction[TUNE_MAX_LOOPS]; //
  bool is_unit[TUNE_MAX_LOOPS];      // of one step: folded away with what packing adds
  bool packs;                        // some operand moves or is filled up
  int64_t packed[TUNE_MAX_LOOPS];    // for each loop: 0, or how many steps are packed together;
                                     // 1 where dimensions along it are to move
  size_t filled;                     // the loop that is filled up, or SIZE_MAX
  tune_layout_operand operands[3];
  bool packs_output;      // the output among them
  bool starts_filled;     // linalg.fill starts the sums
  tune_layout_tile after; // of what follows the product, once the output has moved
} tune_layout;

// Appends the lines, in which %fused is the function before. Returns its handle after them.
const char *tune_layout_write(const tune_layout *layout, tune_string_builder *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_STRUCTURE_LAYOUT_H
