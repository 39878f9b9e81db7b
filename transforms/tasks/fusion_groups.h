//===- fusion_groups.h - Fusion groups: the ops of each task -----------------===//
//
// Splits the structured ops of a normalized module (normalize.h) into groups, one for
// each task to be. Around an anchor go
//   before it  what only moves its operands: transposes, broadcasts, pads, conversions (but not the
//              end of a quantization, from floats to integers);
//   after it   the elementwise ops over its result (bias, activation, residual), as long as
//              every path from the anchor's result leads through them;
//   beside it  elementwise ops that nobody else needs.
// A contraction, a convolution or a pooling is an anchor of its own. Reductions that share
// their rows, with the elementwise ops between them, are one chain: softmax, layer norm.
// What remains is grouped as elementwise. A product, softmax over it and a product of that, which
// are three groups so far, become one where the rule for attention takes them.
//
// A group has one root, the last op, and only the root's results are used outside. So no
// path leaves a group and comes back, and replacing each group by a call at its root keeps
// the order of definitions and uses. Ops that are cheap to repeat (fills, broadcasts, masks made of
// indices) are in no group when several need them: each takes a copy.
//
// A group of which no schedule works may be cut apart: its ops are joined less far then.
//
// The algorithm is two linear passes over the ops of a module: forward from the heavy
// anchors along immediate post-dominators of the use graph, then backward, where an op
// joins the group that all its users are in.
//
// Threads: reading IR, as MLIR allows. Groups point into the module and are void once it changes.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_FUSION_GROUPS_H
#define TUNE_TRANSFORMS_TASKS_FUSION_GROUPS_H

#include "support/status.h"
#include "transforms/ir/op_facts.h"
#include "transforms/ir/op_map.h"

#include "mlir-c/IR.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_task_kind {
  TUNE_TASK_CONTRACTION,
  TUNE_TASK_CONVOLUTION,
  TUNE_TASK_ATTENTION,   // a product, softmax over it, and a product of that
  TUNE_TASK_REDUCTION,   // one reduction, pooling too, and what follows it over its result
  TUNE_TASK_CHAIN,       // reductions and elementwise ops over shared rows
  TUNE_TASK_ELEMENTWISE, // elementwise ops, transposes, broadcasts, fills
} tune_task_kind;

const char *tune_task_kind_name(tune_task_kind kind); // "contraction", ...

#define TUNE_GROUP_NONE ((size_t)-1)

// How far the ops of a group that was cut apart may be joined again.
typedef enum tune_fusion_cut_form {
  TUNE_CUT_NONE,      // it was not
  TUNE_CUT_ATTENTION, // the parts of attention are groups of their own
  TUNE_CUT_HEAVY, // so is each product, convolution and reduction; what is elementwise is joined
  TUNE_CUT_ALL,   // no op has another one
} tune_fusion_cut_form;

// Of an op: ops that were not in one group when that was cut are not joined.
typedef struct tune_fusion_cut {
  tune_fusion_cut_form form;
  size_t number; // of the cut; 0: none
} tune_fusion_cut;

// A structured op of the module.
typedef struct tune_fusion_node {
  MlirOperation op;
  MlirOperation function; // the func.func it is in
  tune_op_facts facts;
  size_t group;    // or TUNE_GROUP_NONE
  bool is_cheap;   // each group that needs it may take a copy
  bool is_copied;  // some groups do
  bool is_operand; // it only moves an operand of the anchor
  tune_fusion_cut cut;
  const char *reason; // why it is in no group and no copy; NULL where it is; static text
  // For each loop, the loop of the group's root that runs over the same index, or TUNE_OP_NO_LOOP.
  uint8_t space[TUNE_OP_MAX_LOOPS];
} tune_fusion_node;

typedef struct tune_fusion_group {
  tune_task_kind kind;
  size_t root;   // node
  size_t anchor; // node: the op whose name and size the task has
  // Nodes of the group, ascending, without copies of cheap ops: members[first .. first + count).
  size_t first, count;
  size_t reduction_count;
  bool has_heavy;
  bool is_attention; // fusion_attention.h
  // Loops of the root that are parallel in all reductions of a chain; a bit each.
  bool has_rows;
  uint32_t rows;
} tune_fusion_group;

typedef struct tune_fusion_groups {
  tune_fusion_node *nodes; // in the order of a pre-order walk
  size_t node_count, node_capacity;
  tune_fusion_group *groups; // by root, ascending
  size_t group_count, group_capacity;
  size_t *members;
  tune_op_map nodes_by_op;
  bool for_cpu;
} tune_fusion_groups;

// Groups the ops of every function of `module` that has a body. What cannot be grouped has a
// reason; where it is not `for_cpu`, none that computes an f64 by a function of the math dialect is
// too small: no kernel may have that, and only of a task there is a step on the host. `cuts`, of
// each op in the order of a pre-order walk, may be NULL. Fails where memory runs out, or what may
// be attention cannot be looked at as its rule does: the transform dialect has to be loaded.
tune_status tune_fusion_groups_create(MlirOperation module, bool for_cpu,
                                      const tune_fusion_cut *cuts, tune_fusion_groups **out_groups);
// How group `group` is cut apart; TUNE_CUT_NONE: it cannot be.
tune_fusion_cut_form tune_fusion_groups_find_cut(const tune_fusion_groups *groups, size_t group);
void tune_fusion_groups_destroy(tune_fusion_groups *groups);

// Whether `op` is computed within group `group`: a member, or cheap and copied.
bool tune_fusion_groups_contains(const tune_fusion_groups *groups, size_t group, MlirOperation op);

// A constant that is part of a task's structure: a scalar, or a tensor of one value. Others are
// data, such as weights, and arguments of the task.
bool tune_fusion_is_small_constant(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_FUSION_GROUPS_H
