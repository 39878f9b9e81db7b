//===- op_facts.h - Facts of a structured op, read off its maps and body -----===//
//
// Facts about one op, taken from iterator types, indexing maps, operand types and body,
// never from its name: a matmul is one whether it was written as linalg.matmul, as a
// linalg.generic in any operand order, or came out of StableHLO. Meant for normalized IR
// (normalize.h), where all structured ops on tensors are linalg.generic.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_OP_FACTS_H
#define TUNE_TRANSFORMS_IR_OP_FACTS_H

#include "support/status.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_op_class {
  TUNE_OP_UNTUNABLE,   // a structured op that we leave alone: see `reason`
  TUNE_OP_FOREIGN,     // not a structured op
  TUNE_OP_CONTRACTION, // sum of products, with rows or columns of its own: matmul to matrix-vector
  TUNE_OP_CONVOLUTION, // sum of products over a window
  TUNE_OP_POOLING,     // another reduction over a window
  TUNE_OP_REDUCTION,   // any other reduction
  TUNE_OP_ELEMENTWISE, // all loops parallel, computes something
  TUNE_OP_MOVEMENT,    // all loops parallel, only moves, repeats or converts elements
  TUNE_OP_PAD,         // tensor.pad by constants
} tune_op_class;

#define TUNE_OP_MAX_LOOPS 16
// No loop: the result of a map that is not a plain dimension.
#define TUNE_OP_NO_LOOP 0xff

typedef struct tune_op_facts {
  tune_op_class op_class;
  const char *reason; // why UNTUNABLE; static text

  // For all but FOREIGN and UNTUNABLE. A pad has a parallel loop for each dimension.
  size_t loop_count;
  int64_t sizes[TUNE_OP_MAX_LOOPS]; // -1: known only at run time
  bool is_reduction[TUNE_OP_MAX_LOOPS];
  size_t input_count;  // operands read: ins
  size_t result_count; // results and the outs before them: operands [input_count, …)
  MlirAttribute maps;  // the array of indexing maps; null for pads

  // Of the body.
  bool reads_destination; // the old element of an outs operand is used
  bool reads_index;       // linalg.index
  bool reads_tensor;      // tensor.extract: a gather
  bool has_math;          // the math dialect, or a division: too dear to be computed twice
  bool has_f64_function;  // one of the math dialect gives f64: kernels of devices may have none
  bool only_converts;     // one cast and nothing else (only MOVEMENT)
  bool is_fill;           // writes a scalar everywhere, rank 1 at least: linalg.fill or its generic
  uint32_t arithmetic;    // ops that compute, counted once each, per point of the loops
} tune_op_facts;

// Attributes compared against, looked up once per context.
typedef struct tune_op_words {
  MlirAttribute parallel;
} tune_op_words;

tune_op_words tune_op_words_get(MlirContext context);

// Fills in the facts about `op`, whatever it is.
void tune_op_facts_get(MlirOperation op, const tune_op_words *words, tune_op_facts *out_facts);

// Whether the class starts a task that others are fused into: contraction, convolution, pooling.
bool tune_op_class_is_heavy(tune_op_class op_class);

// The map of operand `operand`.
MlirAffineMap tune_op_facts_map(const tune_op_facts *facts, size_t operand);
// The loop that result `position` of operand `operand`'s map is, or TUNE_OP_NO_LOOP.
uint8_t tune_op_facts_loop(const tune_op_facts *facts, size_t operand, size_t position);
// The number of results of the map of `operand`: the operand's rank, 0 for scalars.
size_t tune_op_facts_rank(const tune_op_facts *facts, size_t operand);
// Whether operand `operand` is indexed by each parallel loop once and nothing else.
bool tune_op_facts_is_permutation(const tune_op_facts *facts, size_t operand);

// The product of the sizes of the reduction loops (with `reduction`), or of all loops. 0 if one of
// them is known only at run time.
uint64_t tune_op_facts_extent(const tune_op_facts *facts, bool reduction);

// The size in bytes of the elements of a scalar or ranked tensor type; 0 for types no artifact can
// take.
size_t tune_op_element_bytes(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_OP_FACTS_H
