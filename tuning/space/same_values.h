//===- same_values.h - Values of knobs that make no difference ---------------===//
//
// Two configs often become the same code: a compiler's levels 2 and 3, a buffer's size where there
// is no buffer. What trials have shown of that is kept here by pairs of values: how often a change
// from one to the other left the code as it was, and how often it alone changed it. A strategy that
// knows spends no trials on it.
//
// Threads: one thread at a time. Determinism: answers depend on what was learnt alone.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_SAME_VALUES_H
#define TUNE_TUNING_SPACE_SAME_VALUES_H

#include "tuning/space/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_same_values tune_same_values;

// `space` must outlive it. OUT_OF_MEMORY alone.
tune_status tune_same_values_create(const tune_space *space, tune_same_values **out_values);
void tune_same_values_destroy(tune_same_values *values);

// Two configs became the same code, or not. Of those that did not, only such as differ in one knob
// say anything.
void tune_same_values_learn(tune_same_values *values, const tune_config *a, const tune_config *b,
                            bool is_same);

// Whether `a` and `b` are expected to become the same code: they differ in such values only as made
// no difference in four of five cases at least.
bool tune_same_values_expect(const tune_same_values *values, const tune_config *a,
                             const tune_config *b);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_SAME_VALUES_H
