//===- subject_sizes.h - Sizes that a module leaves open ---------------------===//
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_SUBJECT_SIZES_H
#define TUNE_TOOLS_TUNE_RUN_SUBJECT_SIZES_H

#include "formats/members.h"
#include "tools/tune-run/given_arrays.h"
#include "tools/tune-run/settings.h"

// The sizes that the arguments of `signature` leave open, in their order: those of the arrays that
// the arguments come from; else --dynamic; else the first that an array has; else 64. So does
// tune-measure where code takes any. None where none is open. The caller frees the items.
tune_status subject_sizes_find(const run_settings *settings, const given_arrays *inputs,
                               const json_t *signature, tune_shape *out_sizes);

// Says on stderr which arguments of `signature` leave sizes open, and what they are in `fixed`,
// that of the code.
tune_status subject_sizes_tell(const json_t *signature, const json_t *fixed);

#endif // TUNE_TOOLS_TUNE_RUN_SUBJECT_SIZES_H
