//===- batch_turns.h - How many images of a batch go at once, and through what -------===//
//
// The layers of a batch, and an estimate of what turns gain: what lies between layers stays in the
// caches, and threads that have images of their own do not wait for each other after each layer;
// against weights that are read in each turn.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_BATCH_TURNS_H
#define TUNE_TRANSFORMS_NORMALIZE_BATCH_TURNS_H

#include "support/status.h"
#include "transforms/normalize/batch_values.h"

#ifdef __cplusplus
extern "C" {
#endif

// A product with weights, or a window (of which ops have a tensor, too). What lies between two of
// them, as norms and attention, goes with one of them.
typedef struct tune_batch_layer {
  size_t at;         // among the ops of the batch
  double read, left; // bytes of one image
  double weights;    // bytes
  double packed;     // those of them that are no constants
  double products;   // of one image
} tune_batch_layer;

typedef struct tune_batch {
  double threads; // of the code
  tune_batch_values values;
  MlirBlock block;
  tune_batch_layer *layers;
  size_t layer_count;
  tune_op_map place_of; // of each op, among these
  // Of each op: the last one that reads what it leaves; their number where other ops do.
  size_t *last_reader;
  // Of all images, in bytes: what one of the first ops leaves, as many as the place in the array
  // says, and something behind these reads.
  double *crossing;
} tune_batch;

typedef struct tune_turns {
  int64_t images; // at once
  size_t layers;  // the first ones, of which images take their turns; 0: none
  bool is_shared; // the turns are, by threads; else each layer of a turn is
  double gain;    // seconds
} tune_turns;

// Reads the batch of `function` (batch_values.h, `only_first`), for code that runs on `threads`.
// False where memory ran out; to be deinitialized anyway.
bool tune_batch_read(MlirOperation function, size_t threads, bool only_first, tune_batch *out);
void tune_batch_deinit(tune_batch *b);

// The place of `op`, or of what it is in, among the ops of the batch; their number: in none.
size_t tune_batch_find_place(const tune_batch *b, MlirOperation op);

// How many ops go with the first `layers`: borders and reshapes before the layer behind these
// belong to that.
size_t tune_batch_count_ops(const tune_batch *b, size_t layers);

// What `function` asks for by its attribute (batches.h), or what pays. `out->layers` is 0 where all
// images are computed at once.
tune_status tune_batch_decide(const tune_batch *b, MlirOperation function, tune_turns *out);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_BATCH_TURNS_H
