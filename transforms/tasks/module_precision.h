//===- module_precision.h - How precise the results of a module can be --------===//
//
// What the check of a whole module allows goes by its coarsest type and its longest sum.
//
// Threads: reading IR, as MLIR allows.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_MODULE_PRECISION_H
#define TUNE_TRANSFORMS_TASKS_MODULE_PRECISION_H

#include "transforms/tasks/extract.h"

#ifdef __cplusplus
extern "C" {
#endif

// The coarsest type that sums, and what goes from op to op, are rounded to, "f16"; static text,
// NULL: there is none.
const char *tune_module_accumulator(const tune_extraction *extraction);
// The same of task `task`, where it is coarser than the results: a GELU in bf16 after a sum in f32,
// before a result in f32. NULL: none is coarser than the results.
const char *tune_task_accumulator(const tune_extraction *extraction, size_t task);
// What operands of some products may be rounded to, "tf32" or "int8", by code for CUDA or, where
// the extraction is for CPUs, for these; static text, NULL: none are. Other targets compute
// exactly.
const char *tune_module_operands(const tune_extraction *extraction);
// The same of task `task`.
const char *tune_task_operands(const tune_extraction *extraction, size_t task);
// The length of the longest sum; a guess where that of one is not known.
int64_t tune_module_reduction(const tune_extraction *extraction);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_MODULE_PRECISION_H
