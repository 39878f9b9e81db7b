//===- dot_words.h - Words that all patterns for dot products have in them ----===//
//
// Of products (dot_patterns.h) and of copies into panels (dot_panel_patterns.h).
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_WORDS_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_WORDS_H

#include "transforms/rules/contraction/dot_patterns.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of the inputs: "bf16" or "i8".
const char *tune_dot_element(const tune_dot *dot);
// %at is index 0, %none what is read outside of a tensor of the inputs.
void tune_dot_write_constants(const tune_dot *dot, tune_writer *writer);
// %<result>, the tensor `to` of `type`, of one dimension, with `vector` written to its start.
void tune_dot_write_vector(tune_writer *writer, const char *result, const char *vector,
                           const char *to, const char *type, bool in_bounds);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_WORDS_H
