//===- fusion_attention.h - Fusion of two products and a softmax as attention -===//
//
// Between fusion_groups.c and its parts only.
//
// A product, a softmax over its result and a second product of that are three groups at first. They
// become one where the rule for attention takes them whole: the scores then never are in memory.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_FUSION_ATTENTION_H
#define TUNE_TRANSFORMS_TASKS_FUSION_ATTENTION_H

#include "transforms/tasks/fusion_groups.h"

#ifdef __cplusplus
extern "C" {
#endif

// Joins what can be joined; the anchor is the second product. Before members are listed. A
// candidate is copied, prepared and read as rules do it, for which the transform dialect has to be
// loaded; a module without candidates is only read.
tune_status tune_group_join_attention(tune_fusion_groups *groups);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_FUSION_ATTENTION_H
