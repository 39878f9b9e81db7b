//===- attention_keys.h - Whether a key that is masked counts for nothing -----------===//
//
// What the ops after the scores make of a key whose value is -inf, by the rules of floats: a
// difference of it and something of the row is -inf, exp of that is 0, 0 changes no sum, -inf no
// maximum, and 0 over the sum of these exponentials is 0. Where that sum is 0, infinite or no
// number, no weight of the row is a finite number but 0, whether there is such a key or not.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ATTENTION_KEYS_H
#define TUNE_TRANSFORMS_NORMALIZE_ATTENTION_KEYS_H

#include "transforms/normalize/attention/attention_values.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether `op` is the first product of attention (attention_values.h), whose keys have the weight
// 0, and are noticed by no reduction, where their value `masked` is -inf.
bool tune_attention_find(MlirOperation op, tune_attention_values *out);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ATTENTION_KEYS_H
