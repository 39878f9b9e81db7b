//===- structure.h - The structure of a task: its loop nests as plain data ---===//
//
// Rules do not look at IR. They look at a task as a list of loop nests, one a linalg op
// in program order: how far each loop runs, whether it reduces, and by which affine
// expressions each operand is indexed. This is read off the task's function after the
// preparation that every schedule begins with (preparation.h), so that
// what a rule sees is what its schedule meets.
//
// Threads: plain values; reading IR follows the rule of its context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_STRUCTURE_STRUCTURE_H
#define TUNE_TRANSFORMS_STRUCTURE_STRUCTURE_H

#include "support/status.h"
#include "transforms/structure/preparation.h"

#include "mlir-c/IR.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_MAX_OPERANDS 24
#define TUNE_NO_LOOP SIZE_MAX
#define TUNE_DYNAMIC_EXTENT ((int64_t)-1)

// One dimension of an operand as a sum of loops: coefficient[d] * loop d, and a constant.
typedef struct tune_index {
  int64_t coefficient[TUNE_MAX_LOOPS];
  int64_t constant;
  bool is_linear; // false: floordiv, mod, symbols; then the rest says nothing
} tune_index;

typedef struct tune_operand {
  char type[8];  // element type: "f32", "bf16", "i8", ...
  unsigned bits; // of one element
  size_t rank;   //
  int64_t shape[TUNE_MAX_LOOPS];
  tune_index index[TUNE_MAX_LOOPS];
  // The nest of this structure that makes the operand, or TUNE_NO_LOOP: it comes from outside.
  size_t producer;
  size_t argument;  // of the task's function that it is, or TUNE_NO_LOOP
  bool is_fresh;    // a tensor.empty: what is written into it gets memory of its own
  bool is_constant; // an argument that stays the same from call to call (dialects/constant.h)
} tune_operand;

typedef enum tune_nest_kind {
  TUNE_NEST_FILL,    // linalg.fill: a scalar everywhere
  TUNE_NEST_GENERIC, // linalg.generic
  TUNE_NEST_NAMED,   // a linalg op that preparation leaves as it is
  TUNE_NEST_PAD,     // tensor.pad: rank and extents of the result, no operands
} tune_nest_kind;

typedef struct tune_nest {
  tune_nest_kind kind;
  char op_name[48];
  size_t loop_count;
  int64_t extent[TUNE_MAX_LOOPS]; // TUNE_DYNAMIC_EXTENT where not known
  bool is_reduction[TUNE_MAX_LOOPS];
  size_t reduction_count;
  size_t input_count;   // operands[0 .. input_count)
  size_t operand_count; // the rest are outputs
  tune_operand operands[TUNE_MAX_OPERANDS];
  bool multiplies_and_adds; // out + a * b, of the first two inputs, possibly widened first
  // Where these are f32, what they may be rounded to (dialects/allow.h).
  bool allows_tf32, allows_bf16, allows_f16;
  bool widens;          // the inputs are of a narrower type than the output
  bool zero_extends[2]; // and are integers without a sign, the first and the second
  bool combines;        // out + f(inputs), or another op with a neutral element in place of +
  bool has_index;       // uses linalg.index or reads tensors by computed indices
  // What the body yields, in terms of its arguments: "math.exp(arith.subf(0, 1))". Empty where that
  // is longer than fits, or of constants, other values or attributes.
  char expression[64];
  bool divides_integers; // by what may be zero in lanes that are masked off
  size_t math_op_count;  // exp, erf, tanh, log, pow, ...: each costs tens of instructions
  size_t use_count;      // by other nests
  size_t dead_results;   // results that nobody uses
  bool is_returned;      // some result is used by what is no nest
  bool pads_zeroes;      // a pad with the constant zero
  size_t pad_source;     // the nest that makes what is padded, or TUNE_NO_LOOP
  // Of a pad: borders before and after each dimension, TUNE_DYNAMIC_EXTENT where not known.
  int64_t pad_low[TUNE_MAX_LOOPS], pad_high[TUNE_MAX_LOOPS];
} tune_nest;

typedef struct tune_structure {
  size_t nest_count;
  tune_nest *nests;             // owned
  bool is_dynamic;              // some extent is not known
  bool sums_the_same;           // a sum has a loop that nothing it adds depends on
  bool is_empty;                // some extent is 0
  bool has_bits;                // some tensor is of i1: a byte each in memory, yet a bit in vectors
  bool is_regular;              // only linalg ops that fit, tensor.pad, tensor.empty, constants
  tune_preparation preparation; // how the task was prepared; zeroes if it was not
} tune_structure;

// Reads the structure of the function `function` (func.func with one block), after preparation. An
// op with more loops or operands than fit here has none there, and the structure is not regular.
tune_status tune_structure_read(MlirOperation function, tune_structure *out_structure);
void tune_structure_deinit(tune_structure *structure);

// Prepares the only function of `module`, what is allowed to it placed, and reads its structure.
tune_status tune_structure_prepare(MlirModule module, tune_structure *out_structure);

// Parses `payload` (a module with one function), prepares it and reads its structure.
tune_status tune_structure_read_payload(MlirContext context, const char *payload,
                                        tune_structure *out_structure);

// The same of what is prepared as it is `wanted`, which the structure says of its preparation then.
// INTERNAL where upstream's transforms cannot do that.
tune_status tune_structure_read_wanted(MlirContext context, const char *payload,
                                       const tune_preparation_wanted *wanted,
                                       tune_structure *out_structure);

bool tune_structure_has_pad(const tune_structure *structure);
// Whether it computes functions such as exp.
bool tune_structure_has_math(const tune_structure *structure);
// Whether there is more to do than sizes can be multiplied for, which no memory holds either: plans
// count elements and bytes in 64 bits.
bool tune_structure_is_beyond_plans(const tune_structure *structure);

// What an element has of a CPU's registers: f16 and bf16 are f32 there
// (lower/cpu/float_promotion.h).
unsigned tune_operand_register_bits(const tune_operand *operand);
// Of the whole tensor; 0 where a size is not known.
int64_t tune_operand_bytes(const tune_operand *operand);
// Whether dimension `dimension` of `operand` is just loop `loop`, once.
bool tune_operand_is_loop(const tune_operand *operand, size_t dimension, size_t loop);
// The dimension of `operand` that is just `loop`, or SIZE_MAX.
size_t tune_operand_find_loop(const tune_operand *operand, size_t loop);
// The coefficient with which `loop` occurs anywhere in the indices of `operand`; 0 if it does not.
int64_t tune_operand_coefficient(const tune_operand *operand, size_t loop);
// Whether every dimension is just a loop or a constant.
bool tune_operand_is_projection(const tune_operand *operand);
// Whether every dimension of every operand is one loop, once, and nothing more.
bool tune_nest_is_plain(const tune_nest *nest);

// How many steps the parallel loops of `nest`, of known extents, have together, `but` those listed
// (`count` of them); 10^6 where there are more.
int64_t tune_nest_parallel_steps(const tune_nest *nest, const size_t *but, size_t count);

// Whether upstream can cut the operands of `nest` into parts: no index runs backwards.
bool tune_nest_runs_forward(const tune_nest *nest);

// Whether each element of what it makes depends on one of each operand, as far as rules know.
bool tune_nest_is_elementwise(const tune_nest *nest);
// The last dimension's loop with coefficient 1, if `operand` is contiguous along exactly one, else
// TUNE_NO_LOOP. Windows (w + k) count for the loop that is parallel in `nest`.
size_t tune_operand_contiguous_loop(const tune_nest *nest, const tune_operand *operand);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_STRUCTURE_STRUCTURE_H
