//===- fusion_attention.c ------------------------------------------------------===//

#include "transforms/tasks/fusion_attention.h"

#include "transforms/ir/ir.h"
#include "transforms/structure/attention_plan.h"
#include "transforms/tasks/fusion_uses.h"
#include "transforms/tasks/task_function.h"

#include <stdlib.h>

// The groups of one attention.
typedef struct attention {
  size_t scores, softmax, product;
} attention;

// Whether all that reads `op` is in `group`.
static bool is_read_in(const tune_fusion_groups *groups, MlirOperation op, size_t group) {
  tune_fusion_uses cursor = tune_fusion_uses_of(groups, op);
  for (tune_fusion_use found; tune_fusion_uses_next(&cursor, &found);)
    if (found.user == TUNE_GROUP_NONE || groups->nodes[found.user].group != group)
      return false;
  return true;
}

static bool is_product(const tune_fusion_groups *groups, size_t group) {
  const tune_fusion_group *described = &groups->groups[group];
  return described->has_heavy &&
         groups->nodes[described->anchor].facts.op_class == TUNE_OP_CONTRACTION;
}

// The group that makes input `operand` of node `user` and whose result nobody reads but those in
// the group of `user`; TUNE_GROUP_NONE where there is none.
static size_t find_feeder(const tune_fusion_groups *groups, size_t user, size_t operand) {
  const tune_fusion_node *node = &groups->nodes[user];
  size_t producer =
      tune_fusion_producer(groups, mlirOperationGetOperand(node->op, (intptr_t)operand));
  if (producer == TUNE_GROUP_NONE)
    return TUNE_GROUP_NONE;
  size_t group = groups->nodes[producer].group;
  if (group == TUNE_GROUP_NONE || group == node->group || groups->groups[group].root != producer ||
      !is_read_in(groups, groups->nodes[producer].op, node->group))
    return TUNE_GROUP_NONE;
  return group;
}

// The product whose result the members of the chain `softmax` read.
static size_t find_scores(const tune_fusion_groups *groups, size_t softmax) {
  for (size_t i = 0; i < groups->node_count; ++i) {
    const tune_fusion_node *node = &groups->nodes[i];
    if (node->group != softmax)
      continue;
    for (size_t operand = 0; operand < node->facts.input_count; ++operand) {
      size_t group = find_feeder(groups, i, operand);
      if (group != TUNE_GROUP_NONE && is_product(groups, group))
        return group;
    }
  }
  return TUNE_GROUP_NONE;
}

static bool find_attention(const tune_fusion_groups *groups, size_t product, attention *out) {
  if (!is_product(groups, product))
    return false;
  size_t anchor = groups->groups[product].anchor;
  if (groups->nodes[anchor].cut.form != TUNE_CUT_NONE)
    return false;
  for (size_t operand = 0; operand < groups->nodes[anchor].facts.input_count; ++operand) {
    size_t softmax = find_feeder(groups, anchor, operand);
    if (softmax == TUNE_GROUP_NONE || groups->groups[softmax].has_heavy ||
        groups->groups[softmax].reduction_count < 2)
      continue;
    *out = (attention){find_scores(groups, softmax), softmax, product};
    return out->scores != TUNE_GROUP_NONE;
  }
  return false;
}

//===--- Asking the rule ------------------------------------------------------------===//

typedef struct candidate {
  const tune_fusion_groups *groups;
  const attention *of;
} candidate;

static bool candidate_contains(MlirOperation op, const void *user_data) {
  const candidate *state = user_data;
  return tune_fusion_groups_contains(state->groups, state->of->scores, op) ||
         tune_fusion_groups_contains(state->groups, state->of->softmax, op) ||
         tune_fusion_groups_contains(state->groups, state->of->product, op);
}

static tune_status build_candidate(const tune_fusion_groups *groups, const attention *of,
                                   MlirModule *out_module) {
  MlirOperation root = groups->nodes[groups->groups[of->product].root].op;
  size_t count = (size_t)mlirOperationGetNumResults(root);
  MlirValue *results = calloc(count + 1, sizeof *results);
  if (!results)
    return tune_status_out_of_memory("%zu results", count);
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirOperationGetResult(root, (intptr_t)i);
  candidate state = {groups, of};
  tune_task_body body = {.results = results,
                         .result_count = count,
                         .contains = candidate_contains,
                         .user_data = &state};
  tune_task_function function;
  tune_status status = tune_task_function_build(&body, "attention", &function);
  free(results);
  if (!tune_status_is_ok(status))
    return status;
  *out_module = mlirModuleCreateEmpty(mlirOperationGetLocation(root));
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(*out_module), function.function);
  function.function = (MlirOperation){NULL};
  tune_task_function_deinit(&function);
  return TUNE_OK;
}

// Whether the rule takes all of it.
static tune_status is_taken(const tune_fusion_groups *groups, const attention *of,
                            bool *out_is_taken) {
  MlirModule module;
  TUNE_RETURN_IF_ERROR(build_candidate(groups, of, &module));
  tune_structure structure;
  tune_status status = tune_structure_prepare(module, &structure);
  mlirModuleDestroy(module);
  // What cannot be prepared, or has more operands than a rule can see, stays what it is.
  *out_is_taken = false;
  if (!tune_status_is_ok(status) && tune_status_get_code(status) != TUNE_OUT_OF_MEMORY) {
    tune_status_free(status);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(status);
  tune_attention_plan plan;
  *out_is_taken = tune_attention_plan_make(&structure, &plan);
  tune_structure_deinit(&structure);
  return TUNE_OK;
}

//===--- Joining ------------------------------------------------------------------===//

static void move_nodes(tune_fusion_groups *groups, size_t from, size_t to) {
  for (size_t i = 0; i < groups->node_count; ++i)
    if (groups->nodes[i].group == from)
      groups->nodes[i].group = to;
}

// Takes a group without nodes out of the list; the last one gets its number.
static void remove_group(tune_fusion_groups *groups, size_t group) {
  size_t last = --groups->group_count;
  groups->groups[group] = groups->groups[last];
  move_nodes(groups, last, group);
}

static void join(tune_fusion_groups *groups, const attention *of) {
  tune_fusion_group *product = &groups->groups[of->product];
  product->is_attention = true;
  product->count += groups->groups[of->scores].count + groups->groups[of->softmax].count;
  product->reduction_count += groups->groups[of->softmax].reduction_count;
  move_nodes(groups, of->scores, of->product);
  move_nodes(groups, of->softmax, of->product);
  // The greater number first: the other one stays what it is.
  bool scores_last = of->scores > of->softmax;
  remove_group(groups, scores_last ? of->scores : of->softmax);
  remove_group(groups, scores_last ? of->softmax : of->scores);
}

tune_status tune_group_join_attention(tune_fusion_groups *groups) {
  for (size_t group = 0; group < groups->group_count;) {
    attention found;
    bool joins = false;
    if (!groups->groups[group].is_attention && find_attention(groups, group, &found))
      TUNE_RETURN_IF_ERROR(is_taken(groups, &found, &joins));
    if (joins)
      join(groups, &found);
    // What is behind may have moved to the front.
    group = joins ? 0 : group + 1;
  }
  return TUNE_OK;
}
