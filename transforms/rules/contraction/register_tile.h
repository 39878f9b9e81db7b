//===- register_tile.h - The register tile of a product ---------------------------------===//
//
// How many rows and columns of the result a kernel keeps in registers, and how often it unrolls the
// depth: what there is to choose from, and the defaults.
//
// Threads: plain values.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_REGISTER_TILE_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_REGISTER_TILE_H

#include "transforms/rules/contraction/contraction_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// These fill in a plan whose loops are known, in this order. Rows are those known at run time only
// (dynamic_rows) or the others, whose domain may stay empty: no tile fits then.
void tune_contraction_choose_columns(tune_contraction_plan *plan, const tune_machine *machine);
void tune_contraction_widen_in_place(tune_contraction_plan *plan, const tune_machine *machine);
void tune_contraction_choose_dynamic_rows(tune_contraction_plan *plan, const tune_machine *machine);
void tune_contraction_choose_rows(tune_contraction_plan *plan, const tune_machine *machine);
void tune_contraction_choose_depth(tune_contraction_plan *plan, const tune_machine *machine);

#define TUNE_CONTRACTION_TALL_SINGLE 12 // rows of a tile of one vector, at most by default

// What a tile of `rows` by so many vectors takes, in half cycles a step of the depth.
int64_t tune_contraction_cost_of_tile(int64_t rows, int64_t vectors);
// What all rows take by tiles of `mr` of them and the columns of the default, in half cycles a step
// of the depth.
int64_t tune_contraction_cost_of_rows(const tune_contraction_plan *plan, int64_t mr);

// Of an element of B as it is read, again and again: widened by then
// (transforms/lower/cpu/wide_operands.h).
int64_t tune_contraction_bits_of_b(const tune_contraction_plan *plan);
// What so many columns of B take of memory so.
int64_t tune_contraction_bytes_of_b(const tune_contraction_plan *plan, int64_t columns);

// Whether the rows of B can be read in pieces of several lines of a cache, which hardware fetches
// ahead.
bool tune_contraction_has_long_pieces(const tune_contraction_plan *plan,
                                      const tune_machine *machine);

// Whether B is better read where it is than copied into panels, where both can be done.
bool tune_contraction_reads_in_place(const tune_contraction_plan *plan,
                                     const tune_machine *machine);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_REGISTER_TILE_H
