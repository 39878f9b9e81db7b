//===- nest_loops.h - A linalg.generic on buffers as loops, and how it becomes vectors ---===//
//
// What nest_vectors.h makes of an op follows from how its operands lie in memory. Of all loops one
// becomes the lanes of vectors. Either it is parallel, and each lane has results of its own:
//
//   for    outer parallel loops
//     for    `vectors` vectors of `lanes` elements of the lane loop; the last in part
//       for    `rows` steps of another loop, which share what does not depend on it
//         results, in registers
//         for    the loops that reduce, in their order
//           the body, on vectors
//
// Where there are more results in a line than registers hold, and each element is read once, lines
// are read on end, a few at a time ("streamed"): results stay in the cache, and the loops that
// reduce go around the lane loop.
//
// Or it reduces ("along"), where every result is a sum, product or extremum: lanes hold parts of
// it, which are combined at the end. Where two parallel loops share what the other one goes over,
// as those of a product of lines with lines, results are made in blocks: of `rows` steps of one,
// and of the other, the column loop, as many as there are vectors. An operand that lies along
// another loop than the lane loop is read in squares, which are turned in registers: then that loop
// is the innermost.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_LOOPS_H
#define TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_LOOPS_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_NEST_MAX_LOOPS 12
#define TUNE_NEST_MAX_OPERANDS 24
#define TUNE_NEST_MAX_RANK 12
#define TUNE_NEST_MAX_LANES 64
#define TUNE_NEST_NO_LOOP SIZE_MAX

// How the elements of an operand lie that a vector takes.
typedef enum tune_nest_access {
  TUNE_NEST_SAME,       // one element for all lanes
  TUNE_NEST_CONTIGUOUS, // beside each other
  TUNE_NEST_STRIDED,    // `stride` apart, 2 to 4, or -1
  TUNE_NEST_TURNED,     // beside each other along the turned loop
  TUNE_NEST_APART,      // anyhow: one after the other
} tune_nest_access;

typedef struct tune_nest_operand {
  MlirValue value;  // a buffer, or a scalar
  MlirType element; //
  MlirAffineMap map;
  bool is_buffer;
  bool is_dense;  // the elements of its last dimension lie beside each other
  bool is_needed; // the body uses it
  bool is_cold;   // an input that comes out of memory (nest_cold.h); not known before that is found
  size_t rank;
  bool is_linear[TUNE_NEST_MAX_RANK];
  int64_t coefficient[TUNE_NEST_MAX_RANK][TUNE_NEST_MAX_LOOPS];
} tune_nest_operand;

typedef struct tune_nest_loops {
  MlirOperation op;
  MlirBlock body;
  size_t loop_count, input_count, operand_count;
  bool is_reduction[TUNE_NEST_MAX_LOOPS];
  int64_t extent[TUNE_NEST_MAX_LOOPS]; // negative where not known
  // The operand and the dimension of it that is as long as the loop.
  size_t extent_operand[TUNE_NEST_MAX_LOOPS], extent_dimension[TUNE_NEST_MAX_LOOPS];
  tune_nest_operand operands[TUNE_NEST_MAX_OPERANDS];
  bool combines;   // each result is a sum, product or extremum, whose neutral element is known
  bool is_guarded; // the body may only see elements that are there: it divides, or reads by them
} tune_nest_loops;

// What a schedule says; zeroes: as the nest needs it.
typedef struct tune_nest_wishes {
  int64_t bits; // of a vector register; 0: no nest is for vectors
  int64_t registers;
  int64_t choice; // the best way (0), the next
  int64_t vectors, rows;
} tune_nest_wishes;

typedef struct tune_nest_plan {
  size_t lane_loop;
  bool is_along;    // it reduces
  bool is_streamed; // then the turned loop is the one of which a few steps are done at a time
  size_t turned_loop, row_loop;
  size_t column_loop; // `vectors` counts steps of it, not vectors of the lane loop
  int64_t lanes, vectors, rows;
  bool stores_pieces; // of a vector that is not all there: masks would be slow
  tune_nest_access access[TUNE_NEST_MAX_OPERANDS];
  int64_t stride[TUNE_NEST_MAX_OPERANDS];
  // Loops from the outermost to the innermost.
  size_t parallel_count, reduction_count;
  size_t parallel[TUNE_NEST_MAX_LOOPS], reduction[TUNE_NEST_MAX_LOOPS];
} tune_nest_plan;

// Reads `op`, a linalg.generic on buffers. False where its body or operands are not for vectors.
bool tune_nest_loops_read(MlirOperation op, tune_nest_loops *out_nest);

// Whether all extents are known.
bool tune_nest_is_static(const tune_nest_loops *nest);

// Whether operand `operand` is indexed by `loop`.
bool tune_nest_depends(const tune_nest_loops *nest, size_t operand, size_t loop);

// Bits of an element: 8 for i1, 64 for index, 32 for f16 and bf16, which are so in registers.
int64_t tune_nest_element_bits(MlirType element);

// The op that makes result number `result` from what it was so far, if that is one with a neutral
// element, else a null one.
MlirOperation tune_nest_combiner(const tune_nest_loops *nest, size_t result);

// Finds the way that `wishes` asks for. False where there is none that beats loops.
bool tune_nest_plan_make(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                         tune_nest_plan *out_plan);

// The plan with lanes along the parallel loop `loop`, one vector of one row at a time; of a nest
// where all is known. False where results do not lie for it, or not half of a vector is of use.
bool tune_nest_plan_lanes(const tune_nest_loops *nest, size_t loop, int64_t bits,
                          tune_nest_plan *out_plan);
// The same along the loop `loop`, which reduces.
bool tune_nest_plan_along(const tune_nest_loops *nest, size_t loop, int64_t lanes,
                          tune_nest_plan *out_plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_LOOPS_H
