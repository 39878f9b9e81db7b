//===- dot_patterns.h - Dot products of narrow elements as PDL patterns ------===//
//
// CPUs add up products of two bf16, or four bytes, into each 32-bit lane with one
// instruction: vdpbf16ps, vpdpbusd. Others do so with two integers of 16 bits (vpmaddwd, and an
// addition): bytes are widened to that as they are read, which is exact, and whose place the
// lowering moves to where they are copied (transforms/lower/cpu/wide_operands.h). Nothing upstream
// turns a loop nest into the second, and into the first only with reads of single pairs. So
// schedules bring their patterns along: a nest of one row, a vector of columns and one group of the
// depth (2 or 4 elements, the innermost dimension of both inputs) becomes reads, the instruction
// and a write. For the copies into panels see dot_panel_patterns.h.
//
// They go between tune_pdl_begin_patterns and tune_pdl_end_patterns (pdl_writer.h).
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PATTERNS_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PATTERNS_H

#include "transforms/rules/schedule_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_dot {
  bool is_bf16;    // else bytes
  bool narrow_sum; // what is written is bf16 as well; in registers sums are f32
  bool has_pairs;  // bytes that are multiplied as pairs of 16 bits
  int64_t group;   // elements of the depth in one lane: 2, 4
  int64_t lanes;   // of the accumulator's vector: 8, 16
  bool b_first;    // the columns' operand is the first input of the nest
  bool unsigned_a; // bytes of the rows' operand have no sign
  bool unsigned_b; //
  // The instruction takes bytes with a sign on one side and without on the other. Where both are
  // alike, panels hold B with 128 added (or taken off), and sums have to be put right.
  bool turns_b;
} tune_dot;

// linalg.generic of tensor<group>, tensor<columns x group> and tensor<columns>: one instruction.
// Reads and writes are masked where `columns` fill no vector. `name` is the pattern's.
void tune_dot_write_product(const tune_dot *dot, const char *name, int64_t columns,
                            tune_writer *writer);

// A row of A whose sum is needed: of the last dimension of a tensor of `places` others, in which it
// has any place, or the only one.
typedef struct tune_dot_row {
  int64_t depth; // bytes, whole groups
  int64_t places;
  bool is_only_row;
} tune_dot_row;

#define TUNE_DOT_MOST_PLACES 3

// tune_dot_write_product with `steps` groups (1 to 4), a dimension of the inputs before the others
// if there are several; where B is turned. What that added to the sums, 128 times the sum of the
// row of A, is taken off; so it is for one nest of a row and vector. A has to be a slice of the
// tensor of `row` with its last dimension cut in groups. The row's sum is a vector.reduction of the
// whole row: it may be moved out of loops, before the next pattern.
void tune_dot_write_last_product(const tune_dot *dot, const char *name, int64_t columns,
                                 int64_t steps, const tune_dot_row *row, tune_writer *writer);
// That vector.reduction, by the same instruction; rows in any place.
void tune_dot_write_row_sum(const tune_dot *dot, const char *name, const tune_dot_row *row,
                            tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PATTERNS_H
