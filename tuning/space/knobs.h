//===- knobs.h - Decisions, each with a finite domain of integers ------------===//
//
// The half of a space (space.h) that constraints are about: what may be decided, by name and
// number.
//
// Threads: plain values; one thread at a time while knobs are added, then any number.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_KNOBS_H
#define TUNE_TUNING_SPACE_KNOBS_H

#include "support/status.h"
#include "support/string_builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where in the flow of the IR a decision acts.
typedef enum tune_level {
  TUNE_LEVEL_GRAPH,  // what is fused with what
  TUNE_LEVEL_LINALG, // tiles, packing, padding, loop order
  TUNE_LEVEL_VECTOR, // vector shapes and lowerings
  TUNE_LEVEL_LOOP,   // unrolling, affine transformations
  TUNE_LEVEL_BUFFER, // bufferization and where memory is taken from
  TUNE_LEVEL_GPU,    // mapping to blocks and threads
  TUNE_LEVEL_TARGET, // options of the backend: LLVM, ptxas, SPIR-V
} tune_level;

#define TUNE_LEVEL_COUNT (TUNE_LEVEL_TARGET + 1)

const char *tune_level_name(tune_level level); // "graph", "linalg", ...
// INVALID_ARGUMENT lists the levels.
tune_status tune_level_parse(const char *text, tune_level *out_level);

typedef struct tune_knob {
  char *name;           // unique in its space; a word without spaces, commas, '=' and quotes
  tune_level level;     //
  bool is_ordered;      // neighbours in the domain behave alike: tile sizes, unroll factors
  size_t value_count;   // at least 1
  int64_t *values;      // distinct; ascending where is_ordered
  char **labels;        // NULL, or a word per value ("outerproduct"), for printing and parsing
  size_t default_index; // the analytic default
  // Where the domain is part of another one (narrowed.h): how many values that has, and the place
  // of each value in it. 0 and NULL: it is whole.
  size_t whole_count;
  size_t *places;
} tune_knob;

// The index of `value` in the domain of `knob`, or SIZE_MAX.
size_t tune_knob_find_value(const tune_knob *knob, int64_t value);
// How many values the whole domain has, and the place of value number `index` in it.
size_t tune_knob_whole_count(const tune_knob *knob);
size_t tune_knob_place(const tune_knob *knob, size_t index);
// Appends entry number `index` of the domain as people write it: its label, or else the value.
void tune_knob_append_value(tune_string_builder *text, const tune_knob *knob, size_t index);

// Knobs by their numbers; no name twice. Zeroed, it has none.
typedef struct tune_knobs {
  tune_knob *knobs;
  size_t count, capacity;
} tune_knobs;

// Adds a copy of `knob`. ALREADY_EXISTS where the name is taken; INVALID_ARGUMENT where the domain
// is empty or has more than 65535 values, has a value twice, is not ascending though ordered, or
// the default is outside it; where a name is empty or has a space, comma, '=' or quote in it; where
// labels are not distinct words of that kind, or could be taken for integers.
tune_status tune_knobs_add(tune_knobs *knobs, const tune_knob *knob);
void tune_knobs_deinit(tune_knobs *knobs);

// The index of the knob named `name`, or SIZE_MAX.
size_t tune_knobs_find(const tune_knobs *knobs, const char *name);
// The knob whose name is nearest to `name`, for "did you mean"; NULL where none is near. Borrowed.
const char *tune_knobs_nearest(const tune_knobs *knobs, const char *name);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_KNOBS_H
