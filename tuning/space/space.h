//===- space.h - The decisions of a schedule and what they may be ------------===//
//
// A space is a list of knobs, each with a finite domain of 64-bit integers, and a list
// of constraints over their values. It knows nothing of IR: transforms/ reads one off a
// schedule (knobs from transform.tune.knob and transform.tune.alternatives, constraints
// from transform.smt.constrain_params), tests write them by hand.
//
// A config picks one entry of each domain, by index; see config.h.
//
// Threads: immutable once built; may then be read by many.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_SPACE_H
#define TUNE_TUNING_SPACE_SPACE_H

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
  char *name;           // unique in its space
  tune_level level;     //
  bool is_ordered;      // neighbours in the domain behave alike: tile sizes, unroll factors
  size_t value_count;   // at least 1
  int64_t *values;      // distinct; ascending where is_ordered
  char **labels;        // NULL, or a word per value ("outerproduct"), for printing and parsing
  size_t default_index; // the analytic default
} tune_knob;

typedef struct tune_constraint tune_constraint; // constraint.h

typedef struct tune_space tune_space;

tune_status tune_space_create(tune_space **out_space);
void tune_space_destroy(tune_space *space);

// Adds a copy of `knob`. ALREADY_EXISTS where the name is taken; INVALID_ARGUMENT where the domain
// is empty or has more than 65535 values, has a value twice, is not ascending though ordered, or
// the default is outside it; where a name is empty or has a space, comma, '=' or quote in it; where
// labels are not distinct words of that kind, or could be taken for integers.
tune_status tune_space_add_knob(tune_space *space, const tune_knob *knob);

// Adds a constraint given as an expression over knob names, true where the config is legal:
//   "mr * nr <= 384 && mc % mr == 0"
// Grammar in constraint.h. INVALID_ARGUMENT points at the place; NOT_FOUND names the unknown knob.
// `why` (may be NULL) is said to the user when the constraint rejects a value of theirs.
tune_status tune_space_add_constraint(tune_space *space, const char *expression, const char *why);

// Says that the knob number `knob` does something only where `expression` holds: it belongs to an
// alternative. Elsewhere valid configs have its default, so that there is one config for what is
// the same code, and no trial is spent on a knob that does nothing. To be called when all knobs are
// there, once for each knob; errors as above.
tune_status tune_space_add_condition(tune_space *space, size_t knob, const char *expression);

size_t tune_space_knob_count(const tune_space *space);
const tune_knob *tune_space_knob(const tune_space *space, size_t index); // borrowed
// The index of the knob named `name`, or SIZE_MAX.
size_t tune_space_find_knob(const tune_space *space, const char *name);
// The knob whose name is nearest to `name`, for "did you mean"; NULL where none is near. Borrowed.
const char *tune_space_nearest_knob(const tune_space *space, const char *name);
size_t tune_space_constraint_count(const tune_space *space);
const tune_constraint *tune_space_constraint(const tune_space *space, size_t index);
// Whether that constraint was not added as such but follows from a knob's condition.
bool tune_space_constraint_is_implied(const tune_space *space, size_t index);
// Where the knob does something; NULL: everywhere. Borrowed.
const tune_constraint *tune_space_condition(const tune_space *space, size_t knob);

// The product of the domains' sizes, saturated at UINT64_MAX; constraints are not counted in.
uint64_t tune_space_size(const tune_space *space);

// The index of `value` in the domain of `knob`, or SIZE_MAX.
size_t tune_knob_find_value(const tune_knob *knob, int64_t value);
// Appends entry number `index` of the domain as people write it: its label, or else the value.
void tune_knob_append_value(tune_string_builder *text, const tune_knob *knob, size_t index);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_SPACE_H
