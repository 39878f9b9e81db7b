//===- contraction_plan.h - The plan of a contraction: roles of loops, domains of knobs ---===//
//
// A contraction or convolution, of any rank and operand order, is scheduled around three
// of its loops, as a matrix product C[row, col] += A[row, depth] * B[depth, col]: `col`
// is the innermost of the output and becomes vectors, `row` and `col` span the register
// tile, `depth` is the innermost reduction. All other loops run outside the tile, one
// step at a time. A window (w * stride + k) is a row whose A slides over the input.
//
// The blocking follows Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (2008), with B packed in panels and A read in place.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_PLAN_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_PLAN_H

#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_contraction_plan {
  const tune_structure *structure;
  // NULL, or the split that it is a plan of: a batch of parts of another one's depth.
  const struct tune_contraction_split *split;
  const tune_nest *anchor;
  const tune_nest *init;     // what starts the accumulator; NULL: it is there, and is added to
  bool starts_filled;        // by linalg.fill; if not, and there is an init, by an elementwise op
  const tune_nest *epilogue; // elementwise over the result, or NULL
  size_t other_count;        // elementwise ops beside it (a mask, say), in loops of their own
  size_t row, col, depth;    // loops of the anchor
  size_t a, b;               // operands of the anchor
  int64_t rows, cols, depths;
  bool dynamic_rows;   // how many rows there are is known at run time only; `rows` is then -1
  bool has_window;     // an operand slides over the input: no panels
  bool transposed;     // B is not contiguous along col: panels are needed, where vectors are read
  bool strided_rows;   // A's rows are not neighbours: they are unrolled one by one
  bool can_pack_ahead; // B stays the same from call to call
  bool packs_ahead;    // what is being written copies B ahead of all loops
  bool has_threads;    // which divide the outer tiles
  unsigned lanes;      // accumulators in a vector register
  int64_t l2_bytes;    // of the machine

  size_t root_row, root_col; // row and col as loops of the root
  size_t root_loop_count;    // the root is the epilogue, or else the anchor
  // Tile sizes, as text, of the root's other loops in the outer tiles: "" is one step.
  char outer_steps[TUNE_MAX_LOOPS][24];
  size_t rest_count; // reductions besides depth
  size_t rest[TUNE_MAX_LOOPS];

  // The loop of rows whose steps may share a panel of B (contraction_lines.h), where `lc` has
  // numbers of them, and the same as a loop of the root.
  size_t line, root_line;

  // Domains and analytic defaults.
  tune_value_set mr, nr, kr, mc, nc, kc, lc;
  int64_t mr_default, nr_default, kr_default, mc_default, nc_default, kc_default, lc_default;
  int64_t block; // columns of a block of B that is transposed in registers; divides every nr
  bool cols_divide, rows_divide; // every nr (mr) of the domain divides cols (rows)
} tune_contraction_plan;

// False where the structure is not one contraction with at most one elementwise op after it, or
// where no three loops fit the parts.
bool tune_contraction_plan_make(const tune_structure *structure, const tune_machine *machine,
                                tune_contraction_plan *out_plan);

// The part of the lanes of whole vectors, of `lanes` each, that `extent` of them fill.
double tune_contraction_part_filled(int64_t extent, int64_t lanes);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_PLAN_H
