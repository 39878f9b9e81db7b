//===- grouping.h - How the ops of a task are grouped, as a choice -------------===//
//
// The ops of a task are joined as far as they can be (fusion_groups.h), which mostly is best. Where
// it is not, its anchors say {grouping = "anchors"}, and there are several tasks in its place:
//
//   whole    as they came
//   stages   of attention: the product, softmax, and the product of that
//   anchors  each product, convolution and reduction for itself; what is elementwise stays together
//   ops      each op for itself
//
// That is a choice of the level graph. What else is chosen on these ops is of the parts then.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_GROUPING_H
#define TUNE_TRANSFORMS_SPACES_GROUPING_H

#include "transforms/tasks/anchors.h"

#ifdef __cplusplus
extern "C" {
#endif

// The name of the choice. No knob has it.
#define TUNE_GROUPING_CHOICE "grouping"

// So many groupings there are.
#define TUNE_GROUPINGS 4

const char *tune_grouping_name(tune_fusion_cut_form form); // "stages"
// TUNE_GROUPINGS where there is none of that name.
tune_fusion_cut_form tune_grouping_of_name(const char *name);

// Tasks that are cut apart, in this order.
typedef struct tune_task_cuts {
  tune_task_cut *items; // owned
  size_t count;
} tune_task_cuts;

void tune_task_cuts_deinit(tune_task_cuts *cuts);
tune_status tune_task_cuts_add(tune_task_cuts *cuts, const tune_task_cut *cut);

// Which groupings a search of a task may try, by form; TUNE_CUT_NONE is one of them.
typedef struct tune_groupings_allowed {
  bool forms[TUNE_GROUPINGS];
} tune_groupings_allowed;

// Those that the choices for `target` on the anchors of the task leave of the ones that it has.
tune_status tune_grouping_read_allowed(const tune_anchors *anchors, size_t task, const char *target,
                                       tune_groupings_allowed *out_allowed);

// What the choices for `target` on the anchors of `extraction`, of `module` and in which nothing is
// cut yet, say. INVALID_ARGUMENT at an op whose choice is none of its task, or another one than
// that of another op of it, and at one that is no anchor.
tune_status tune_grouping_read(const tune_extraction *extraction, MlirOperation module,
                               const char *target, tune_task_cuts *out_cuts);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_GROUPING_H
