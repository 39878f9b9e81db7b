//===- nest_emitter.h - What the files that write a nest in vectors share ----------------===//
//
// Inside: nest_vectors.c makes the loops (nest_windows.c those of windows that slide, nest_places.c
// those of the best element and its place), nest_body.c the body in them, and nest_operands.c reads
// and writes operands.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_EMITTER_H
#define TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_EMITTER_H

#include "transforms/ir/ir_builder.h"
#include "transforms/lower/cpu/nests/nest_loops.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_NEST_MAX_VECTORS 8
#define TUNE_NEST_MAX_ROWS 8

// A value of the body: one for all lanes, or a vector. Neighbouring numbers, as of linalg.index,
// are a vector only where they have to: `first` is that of lane 0.
typedef struct tune_nest_value {
  MlirValue one, vector, first;
} tune_nest_value;

// Which copy of the body: of vector `vector`, row `row`, step `turned` of a square.
typedef struct tune_nest_copy {
  int64_t vector, row, turned;
} tune_nest_copy;

// What the results are so far, of each row and vector.
typedef struct tune_nest_sums {
  MlirValue of[TUNE_NEST_MAX_OPERANDS][TUNE_NEST_MAX_ROWS][TUNE_NEST_MAX_VECTORS];
} tune_nest_sums;

typedef struct tune_nest_emitter {
  const tune_nest_loops *nest;
  const tune_nest_plan *plan;
  MlirValue buffers[TUNE_NEST_MAX_OPERANDS]; // of operands, those of i1 as bytes
  MlirValue extents[TUNE_NEST_MAX_LOOPS];
  MlirValue at[TUNE_NEST_MAX_LOOPS]; // where each loop is
  // What is computed at once, in the loops that are being written.
  int64_t vectors, rows, steps;
  MlirValue chunk;  // where the part of the turned loop begins that is being written, or null
  int64_t chunk_at; // the same, where it is the last one; else negative
  bool is_short;    // the turned loop ends within the square
  bool is_part;     // the lane loop ends within the vector:
  MlirValue mask;   // these lanes are there,
  int64_t left;     // so many, the first; 0 where that is known at run time only,
  MlirValue last;   // and this is the last step of the loop
  // What has been read in the block that is being written; by operand and copy.
  tune_nest_value *read;
  tune_ir_builder builder;
  bool failed; // memory ran out
} tune_nest_emitter;

MlirType tune_nest_vector_type(const tune_nest_emitter *emitter, MlirType element);
// `value` in all lanes, if it is not a vector already.
MlirValue tune_nest_as_vector(const tune_nest_emitter *emitter, const tune_nest_value *value);
// Where the loop `loop` is in this copy.
MlirValue tune_nest_place(const tune_nest_emitter *emitter, size_t loop, tune_nest_copy copy);
// Steps of the lane loop, one a lane; with `clamped` none beyond its end.
MlirValue tune_nest_lane_places(const tune_nest_emitter *emitter, MlirValue first, bool clamped);

// In which lanes the copy may not read what lies behind the last element.
bool tune_nest_clamps(const tune_nest_emitter *emitter);

// Has the emitter write a vector of which the first `left` lanes are there, as long as is_part:
// `known` of them, or 0 where that is not known.
void tune_nest_begin_part(tune_nest_emitter *emitter, MlirValue left, int64_t known);

// A loop that the emitter writes into the body of.
typedef struct tune_nest_open_loop {
  tune_ir_builder outside;
  MlirOperation op;
  intptr_t count; // of what it carries
} tune_nest_open_loop;

// Begins one of `steps` steps, and gives its index. It carries the `count` values `carried`, which
// are those of its body then; after the end, those that come out of it.
MlirValue tune_nest_begin_loop(tune_nest_emitter *emitter, int64_t steps, intptr_t count,
                               MlirValue *carried, tune_nest_open_loop *out_loop);
void tune_nest_end_loop(tune_nest_emitter *emitter, const tune_nest_open_loop *loop,
                        MlirValue *carried);
// Begins one along the lane loop, of known extent: of steps of `vectors` vectors from element
// `*done` on, as far as they are whole; `*done` is their end then. False where there is none.
bool tune_nest_begin_vectors(tune_nest_emitter *emitter, int64_t vectors, int64_t *done,
                             intptr_t count, MlirValue *carried, tune_nest_open_loop *out_loop);

// A vector at `indices` of `buffer`, whose elements are `element`, in part where the lanes are.
MlirValue tune_nest_load(const tune_nest_emitter *emitter, MlirValue buffer, MlirType element,
                         const MlirValue *indices, size_t rank);

// An input, or what a result was before. Read once for all copies that read the same.
tune_nest_value tune_nest_read(tune_nest_emitter *emitter, size_t operand, tune_nest_copy copy);
void tune_nest_write(tune_nest_emitter *emitter, size_t operand, tune_nest_copy copy,
                     MlirValue value);
// Asks for what comes some steps after what has been read at `indices`, of weights that are read
// once.
void tune_nest_fetch_ahead(const tune_nest_emitter *emitter, size_t operand, tune_nest_copy copy,
                           const MlirValue *indices);
// Nothing has been read yet.
void tune_nest_forget(tune_nest_emitter *emitter);

// A vector of lanes of `a` and `b`, which have one length: lane `lanes[i]` of both on end.
MlirValue tune_nest_shuffle(const tune_nest_emitter *emitter, MlirValue a, MlirValue b,
                            const int64_t *lanes);
// `count` lanes of a vector, from lane `at` on.
MlirValue tune_nest_take_lanes(const tune_nest_emitter *emitter, MlirValue vector, int64_t at,
                               int64_t count);

// Of a result that combines: what changes no value, in all lanes; and `a` and `b` together.
MlirValue tune_nest_neutral(const tune_nest_emitter *emitter, size_t result);
MlirValue tune_nest_combine_two(const tune_nest_emitter *emitter, size_t result, MlirValue a,
                                MlirValue b);

// What a result is before the first step of what reduces: a vector.
MlirValue tune_nest_start(tune_nest_emitter *emitter, size_t result, tune_nest_copy copy);
// All lanes of a result that are parts of it, and what it was before: a scalar.
MlirValue tune_nest_combine(tune_nest_emitter *emitter, size_t result, tune_nest_copy copy,
                            const tune_nest_sums *lanes);

// The same of two to four columns of a row, whose lanes four divides: a tree that takes a third of
// the ops.
void tune_nest_combine_four(tune_nest_emitter *emitter, size_t result, int64_t row,
                            const tune_nest_sums *lanes, MlirValue out[4]);

// The body on `arguments`, one for each operand; `results` are vectors.
void tune_nest_write_body(tune_nest_emitter *emitter, tune_nest_copy copy,
                          const tune_nest_value *arguments, MlirValue *results);
// `value` of the body, which depends on inputs alone: a vector.
MlirValue tune_nest_write_value(tune_nest_emitter *emitter, tune_nest_copy copy,
                                const tune_nest_value *arguments, MlirValue value);
// The body on scalars, at the places of the loops; as many results as it yields.
void tune_nest_write_scalars(const tune_nest_emitter *emitter, const MlirValue *arguments,
                             MlirValue *results);

// One element of an operand, at the places of the loops.
MlirValue tune_nest_read_one(const tune_nest_emitter *emitter, size_t operand);
void tune_nest_write_one(const tune_nest_emitter *emitter, size_t operand, MlirValue value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_EMITTER_H
