//===- dot_panel_patterns.h - Copies into the panels of dot products ---------===//
//
// The panels that dot products (dot_patterns.h) read B from have the groups of neighbouring columns
// side by side. These patterns make vector shuffles of the copy of a few groups into one, of
// another sign where the instruction wants that (turns_b).
//
// They go between tune_pdl_begin_patterns and tune_pdl_end_patterns (pdl_writer.h).
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PANEL_PATTERNS_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PANEL_PATTERNS_H

#include "transforms/rules/contraction/dot_patterns.h"

#ifdef __cplusplus
extern "C" {
#endif

// The columns (and groups of a panel) that one step of packing copies.
#define TUNE_DOT_BLOCK 16

// linalg.pack of a tensor of depth x columns to tensor<1 x columns x group>, both with `windows`
// (at most TUNE_DOT_MOST_PLACES) unit dimensions before these. With `fills_up` the depth may end
// within the group; the rest is zero.
void tune_dot_write_interleave(const tune_dot *dot, const char *name, int64_t columns,
                               size_t windows, bool fills_up, tune_writer *writer);
// linalg.pack of a tensor of columns x depth to tensor<groups x columns x group>, transposed:
// columns and groups <= TUNE_DOT_BLOCK. `fills_up` as above.
void tune_dot_write_transpose(const tune_dot *dot, const char *name, int64_t groups,
                              int64_t columns, bool fills_up, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PANEL_PATTERNS_H
