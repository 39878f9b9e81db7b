//===- fusion_groups.c ----------------------------------------------------------------===//

#include "transforms/tasks/fusion_groups.h"

#include "dialects/constant.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/tasks/fusion_attention.h"
#include "transforms/tasks/fusion_uses.h"

#include <stdlib.h>
#include <string.h>

// Ops in one group; a bound on what one task function can hold, and on the passes over it.
#define MAX_GROUP_SIZE 256
// What is computed so often for each of its points is dearer than the call of a task of its own.
#define MIN_REPEATED 4

const char *tune_task_kind_name(tune_task_kind kind) {
  static const char *const names[] = {"contraction", "convolution", "attention",
                                      "reduction",   "chain",       "elementwise"};
  return names[kind];
}

void tune_fusion_groups_destroy(tune_fusion_groups *groups) {
  if (!groups)
    return;
  free(groups->nodes);
  free(groups->groups);
  free(groups->members);
  tune_op_map_deinit(&groups->nodes_by_op);
  free(groups);
}

//===--- Collecting -----------------------------------------------------------===//

typedef struct collection {
  tune_fusion_groups *groups;
  tune_op_words words;
  MlirOperation module;
  MlirOperation function;
  tune_status status;
} collection;

static tune_status add_node(tune_fusion_groups *groups, MlirOperation op, MlirOperation function,
                            const tune_op_facts *facts) {
  if (groups->node_count == groups->node_capacity) {
    size_t capacity = groups->node_capacity ? 2 * groups->node_capacity : 64;
    tune_fusion_node *nodes = realloc(groups->nodes, capacity * sizeof *nodes);
    if (!nodes)
      return tune_status_out_of_memory("%zu ops", capacity);
    groups->nodes = nodes;
    groups->node_capacity = capacity;
  }
  tune_fusion_node *node = &groups->nodes[groups->node_count];
  *node = (tune_fusion_node){.op = op, .function = function, .facts = *facts};
  node->group = TUNE_GROUP_NONE;
  node->reason = facts->reason;
  memset(node->space, TUNE_OP_NO_LOOP, sizeof node->space);
  return tune_op_map_set(&groups->nodes_by_op, op.ptr, groups->node_count++);
}

static MlirWalkResult collect_op(MlirOperation op, void *user_data) {
  collection *state = user_data;
  if (tune_ir_is(op, "func.func"))
    state->function = op;
  tune_op_facts facts;
  tune_op_facts_get(op, &state->words, &facts);
  if (facts.op_class == TUNE_OP_FOREIGN || !state->function.ptr)
    return MlirWalkResultAdvance;
  // A module is bufferized and lowered without those inside it.
  if (!mlirOperationEqual(mlirOperationGetParentOperation(state->function), state->module)) {
    facts.op_class = TUNE_OP_UNTUNABLE;
    facts.reason = "its function is in a module within the module; tune that one on its own";
  }
  state->status = add_node(state->groups, op, state->function, &facts);
  return tune_status_is_ok(state->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

//===--- Forward: what follows a heavy anchor ---------------------------------===//

// The first op that every path from node `i`'s results to the end of the block goes through;
// node_count where there is none.
static void find_post_dominators(const tune_fusion_groups *groups, size_t *dominators) {
  size_t end = groups->node_count;
  for (size_t i = end; i-- > 0;) {
    size_t common = TUNE_GROUP_NONE;
    tune_fusion_uses cursor = tune_fusion_uses_of(groups, groups->nodes[i].op);
    tune_fusion_use found;
    if (groups->nodes[i].facts.op_class == TUNE_OP_UNTUNABLE)
      common = end;
    while (common != end && tune_fusion_uses_next(&cursor, &found)) {
      size_t other = found.user == TUNE_GROUP_NONE ? end : found.user;
      if (common == TUNE_GROUP_NONE)
        common = other;
      while (common != other)
        if (common < other)
          common = dominators[common];
        else
          other = dominators[other];
    }
    dominators[i] = common == TUNE_GROUP_NONE ? end : common;
  }
}

typedef struct growth {
  tune_fusion_groups *groups;
  size_t *stamps; // stamps[node] == stamp: among those being added
  size_t stamp;
  size_t *added; // MAX_GROUP_SIZE of them
  size_t added_count;
} growth;

// Whether a transpose would better be read by the contraction it feeds than written here.
static bool feeds_heavy(const tune_fusion_groups *groups, const tune_fusion_node *node) {
  tune_fusion_uses cursor = tune_fusion_uses_of(groups, node->op);
  for (tune_fusion_use found; tune_fusion_uses_next(&cursor, &found);)
    if (found.user != TUNE_GROUP_NONE &&
        tune_op_class_is_heavy(groups->nodes[found.user].facts.op_class))
      return true;
  return false;
}

// Whether cuts let the two be in one group, where neither is heavy nor reduces.
static bool are_together(const tune_fusion_node *one, const tune_fusion_node *other) {
  return one->cut.number == other->cut.number && one->cut.form != TUNE_CUT_ALL;
}

static bool may_follow(const tune_fusion_groups *groups, const tune_fusion_node *node,
                       const tune_fusion_node *root) {
  const tune_op_facts *facts = &node->facts;
  size_t rank = tune_op_facts_rank(&root->facts, root->facts.input_count);
  if (!are_together(node, root) || node->cut.form >= TUNE_CUT_HEAVY)
    return false;
  if (node->group != TUNE_GROUP_NONE || facts->loop_count != rank)
    return false;
  if (facts->op_class != TUNE_OP_ELEMENTWISE && facts->op_class != TUNE_OP_MOVEMENT)
    return false;
  for (size_t result = 0; result < facts->result_count; ++result)
    if (!tune_op_facts_is_permutation(facts, facts->input_count + result))
      return false;
  return facts->op_class != TUNE_OP_MOVEMENT || facts->only_converts || !feeds_heavy(groups, node);
}

// Adds the users of `from` and theirs up to `last`. False where one of them may not follow.
static bool add_users(growth *state, size_t from, size_t last, const tune_fusion_node *group_root) {
  if (from == last)
    return true;
  tune_fusion_uses cursor = tune_fusion_uses_of(state->groups, state->groups->nodes[from].op);
  for (tune_fusion_use found; tune_fusion_uses_next(&cursor, &found);) {
    if (state->stamps[found.user] == state->stamp)
      continue;
    if (state->added_count == MAX_GROUP_SIZE / 2 ||
        !may_follow(state->groups, &state->groups->nodes[found.user], group_root))
      return false;
    state->stamps[found.user] = state->stamp;
    state->added[state->added_count++] = found.user;
  }
  return true;
}

// Whether all that the added ops read of the group runs over the same points, in any order.
static bool reads_alike(const growth *state, const tune_fusion_node *node, size_t group) {
  const tune_fusion_groups *groups = state->groups;
  size_t count = node->facts.input_count + node->facts.result_count;
  for (size_t operand = 0; operand < count; ++operand) {
    size_t producer =
        tune_fusion_producer(groups, mlirOperationGetOperand(node->op, (intptr_t)operand));
    if (producer == TUNE_GROUP_NONE ||
        (groups->nodes[producer].group != group && state->stamps[producer] != state->stamp))
      continue;
    if (operand >= node->facts.input_count || !tune_op_facts_is_permutation(&node->facts, operand))
      return false;
  }
  return true;
}

// Extends the group from its root to `last`, with everything between. False, and no change, where
// that cannot be.
static bool extend_group(growth *state, size_t group, size_t last) {
  tune_fusion_groups *groups = state->groups;
  size_t root = groups->groups[group].root;
  ++state->stamp;
  state->added_count = 0;
  if (!add_users(state, root, last, &groups->nodes[root]))
    return false;
  for (size_t i = 0; i < state->added_count; ++i)
    if (!add_users(state, state->added[i], last, &groups->nodes[root]))
      return false;
  if (groups->groups[group].count + state->added_count > MAX_GROUP_SIZE / 2)
    return false;
  for (size_t i = 0; i < state->added_count; ++i)
    if (!reads_alike(state, &groups->nodes[state->added[i]], group))
      return false;
  for (size_t i = 0; i < state->added_count; ++i)
    groups->nodes[state->added[i]].group = group;
  groups->groups[group].count += state->added_count;
  groups->groups[group].root = last;
  return true;
}

static tune_status start_group(tune_fusion_groups *groups, size_t node) {
  if (groups->group_count == groups->group_capacity) {
    size_t capacity = groups->group_capacity ? 2 * groups->group_capacity : 32;
    tune_fusion_group *grown = realloc(groups->groups, capacity * sizeof *grown);
    if (!grown)
      return tune_status_out_of_memory("%zu tasks", capacity);
    groups->groups = grown;
    groups->group_capacity = capacity;
  }
  groups->groups[groups->group_count] =
      (tune_fusion_group){.root = node, .anchor = node, .count = 1};
  groups->nodes[node].group = groups->group_count++;
  return TUNE_OK;
}

static tune_status grow_forward(growth *state, const size_t *dominators) {
  tune_fusion_groups *groups = state->groups;
  for (size_t i = 0; i < groups->node_count; ++i) {
    if (!tune_op_class_is_heavy(groups->nodes[i].facts.op_class))
      continue;
    TUNE_RETURN_IF_ERROR(start_group(groups, i));
    size_t group = groups->nodes[i].group;
    groups->groups[group].has_heavy = true;
    for (;;) {
      size_t last = dominators[groups->groups[group].root];
      if (last == groups->node_count || !extend_group(state, group, last))
        break;
    }
  }
  return TUNE_OK;
}

//===--- Backward: what all its users are in ----------------------------------===//

typedef struct users {
  size_t group;    // that all of them are in, or TUNE_GROUP_NONE
  bool leave;      // some are in no group: the value is needed outside
  bool enter;      // some are in groups
  bool elsewhere;  // some of these are in other blocks, where only a copy can be
  bool as_operand; // some read it as an operand of the anchor, or move it there
  bool as_value;   // some read it in the loops of the root
} users;

static users find_users(const tune_fusion_groups *groups, const tune_fusion_node *node) {
  users all = {.group = TUNE_GROUP_NONE};
  tune_fusion_uses cursor = tune_fusion_uses_of(groups, node->op);
  for (tune_fusion_use found; tune_fusion_uses_next(&cursor, &found);) {
    const tune_fusion_node *user =
        found.user == TUNE_GROUP_NONE ? NULL : &groups->nodes[found.user];
    // A task within a loop or a branch has a copy of what is cheap, as any other has.
    if (node->is_cheap && found.elsewhere != TUNE_GROUP_NONE) {
      const tune_fusion_node *within = &groups->nodes[found.elsewhere];
      if (within->group != TUNE_GROUP_NONE || within->is_cheap) {
        all.elsewhere = all.enter = true;
        continue;
      }
    }
    if (!user || (user->group == TUNE_GROUP_NONE && !user->is_cheap)) {
      all.leave = true;
      continue;
    }
    // What a copied op reads is needed wherever a copy is.
    size_t group = user->is_copied ? TUNE_GROUP_NONE : user->group;
    if (!all.enter)
      all.group = group;
    else if (all.group != group)
      all.group = TUNE_GROUP_NONE;
    all.enter = true;
    if (user->is_operand || tune_op_class_is_heavy(user->facts.op_class))
      all.as_operand = true;
    else
      all.as_value = true;
  }
  if (all.elsewhere)
    all.group = TUNE_GROUP_NONE;
  if (all.leave || !all.enter) {
    all.leave = true;
    all.group = TUNE_GROUP_NONE;
  }
  return all;
}

// Sets node's space from those of its users in its group-to-be. False where two users disagree, or
// read it by something else than loops.
static bool find_space(const tune_fusion_groups *groups, tune_fusion_node *node, size_t group) {
  uint8_t space[TUNE_OP_MAX_LOOPS];
  memset(space, TUNE_OP_NO_LOOP, sizeof space);
  const tune_op_facts *facts = &node->facts;
  tune_fusion_uses cursor = tune_fusion_uses_of(groups, node->op);
  for (tune_fusion_use found; tune_fusion_uses_next(&cursor, &found);) {
    const tune_fusion_node *user = &groups->nodes[found.user];
    if (user->group != group || user->facts.op_class == TUNE_OP_PAD)
      return false;
    size_t output = facts->input_count + found.result;
    for (size_t i = 0; i < tune_op_facts_rank(&user->facts, found.operand); ++i) {
      uint8_t theirs = tune_op_facts_loop(&user->facts, found.operand, i);
      uint8_t mine = tune_op_facts_loop(facts, output, i);
      if (theirs == TUNE_OP_NO_LOOP || mine == TUNE_OP_NO_LOOP)
        return false;
      uint8_t loop = user->space[theirs];
      if (loop == TUNE_OP_NO_LOOP)
        continue;
      if (space[mine] != TUNE_OP_NO_LOOP && space[mine] != loop)
        return false;
      space[mine] = loop;
    }
  }
  memcpy(node->space, space, sizeof space);
  return true;
}

// The loops of the root that the parallel loops of a reduction run along. False where one of them
// does not: its rows are not rows of the root.
static bool find_rows(const tune_fusion_node *node, uint32_t *out_rows) {
  *out_rows = 0;
  for (size_t loop = 0; loop < node->facts.loop_count; ++loop) {
    if (node->facts.is_reduction[loop])
      continue;
    if (node->space[loop] == TUNE_OP_NO_LOOP)
      return false;
    *out_rows |= UINT32_C(1) << node->space[loop];
  }
  return true;
}

// Whether `node` is the end of a quantization. With what comes before it, it writes a byte for each
// element; beside a product it would read four.
static bool makes_integers(const tune_fusion_node *node) {
  return node->facts.only_converts &&
         mlirTypeIsAFloat(tune_ir_element_of(mlirOperationGetOperand(node->op, 0))) &&
         mlirTypeIsAInteger(tune_ir_element_of(mlirOperationGetResult(node->op, 0)));
}

static bool may_move_operand(const tune_fusion_node *node) {
  return node->is_cheap || node->facts.op_class == TUNE_OP_PAD ||
         (node->facts.op_class == TUNE_OP_MOVEMENT && !makes_integers(node));
}

// Whether `node` widens the image of a convolution of f32, which is one for what transforms that
// (transforms/normalize/images/wide_images.h): joined to it that would widen in its loops.
static bool widens_image(const tune_fusion_groups *groups, const tune_fusion_node *node,
                         const tune_fusion_group *group) {
  return groups->for_cpu && node->facts.only_converts &&
         groups->nodes[group->anchor].facts.op_class == TUNE_OP_CONVOLUTION &&
         tune_ir_is_short_float(tune_ir_element_of(mlirOperationGetOperand(node->op, 0))) &&
         mlirTypeIsAF32(tune_ir_element_of(mlirOperationGetResult(node->op, 0)));
}

// Whether all that `node` reads is constant, so that it may be done ahead.
static bool is_of_constants(const tune_fusion_node *node) {
  bool is_constant = tune_ir_is(mlirOperationGetParentOperation(node->op), "func.func") &&
                     node->facts.input_count > 0;
  for (size_t i = 0; i < node->facts.input_count && is_constant; ++i)
    is_constant = tune_constant_is_value(mlirOperationGetOperand(node->op, (intptr_t)i));
  return is_constant;
}

// Whether `node` moves a constant, as a convolution's filter: as a task of its own that is done
// ahead. (A matrix product packs what it multiplies by anyhow.)
static bool is_ahead(const tune_fusion_groups *groups, const tune_fusion_node *node,
                     const tune_fusion_group *group) {
  return groups->for_cpu && group->has_heavy && is_of_constants(node) &&
         groups->nodes[group->anchor].facts.op_class == TUNE_OP_CONVOLUTION &&
         node->facts.op_class == TUNE_OP_MOVEMENT;
}

// Whether `node` turns what is made of constants, that the group's loops would read with steps,
// element by element: as a task of its own, that too is done ahead.
static bool is_turned_ahead(const tune_fusion_groups *groups, const tune_fusion_node *node) {
  const tune_op_facts *facts = &node->facts;
  if (!groups->for_cpu || facts->op_class != TUNE_OP_MOVEMENT || facts->input_count != 1 ||
      !tune_constant_is_derived(mlirOperationGetOperand(node->op, 0)) ||
      !tune_op_facts_is_permutation(facts, 0))
    return false;
  size_t rank = tune_op_facts_rank(facts, 0);
  return rank > 0 && rank == tune_op_facts_rank(facts, 1) &&
         tune_op_facts_loop(facts, 0, rank - 1) != tune_op_facts_loop(facts, 1, rank - 1);
}

// Whether `node` computes elements that the group's product reads once each, as the keys of a
// single query: where they are read is as good a place to compute them as any. (What is ahead is
// better.)
static bool is_read_once(const tune_fusion_groups *groups, const tune_fusion_node *node,
                         const tune_fusion_group *group) {
  const tune_op_facts *facts = &node->facts, *anchor = &groups->nodes[group->anchor].facts;
  uint64_t points = tune_op_facts_extent(facts, false);
  return groups->for_cpu && group->has_heavy && anchor->op_class == TUNE_OP_CONTRACTION &&
         facts->op_class == TUNE_OP_ELEMENTWISE && !facts->has_math && !makes_integers(node) &&
         !is_of_constants(node) && points > 0 && points == tune_op_facts_extent(anchor, false);
}

// Whether it is dear, and computed again for many points of the root: the root of a variance, a
// number a channel, for each pixel. For CPUs a gather is dear: it is done element by element.
static bool is_repeated(const tune_fusion_groups *groups, const tune_fusion_node *node,
                        const tune_fusion_group *group) {
  const tune_op_facts *facts = &node->facts, *root = &groups->nodes[group->root].facts;
  uint64_t points = tune_op_facts_extent(facts, false);
  uint64_t root_points = tune_op_facts_extent(root, false);
  if (!facts->has_math && !(groups->for_cpu && facts->reads_tensor))
    return false;
  return points && root_points ? points <= root_points / MIN_REPEATED
                               : facts->loop_count < root->loop_count;
}

// The same among ops on elements, for CPUs: along the root's innermost loop, each step of the
// others would do all of it again. (What is a number a row is computed once a row.)
static bool is_repeated_in_rows(const tune_fusion_groups *groups, const tune_fusion_node *node,
                                const tune_fusion_group *group) {
  size_t innermost = groups->nodes[group->root].facts.loop_count - 1;
  bool has_innermost = false;
  for (size_t loop = 0; loop < node->facts.loop_count; ++loop)
    has_innermost |= node->space[loop] == innermost;
  return groups->for_cpu && !group->has_heavy && has_innermost && is_repeated(groups, node, group);
}

// Whether cuts let `node` join `group`.
static bool may_join(const tune_fusion_groups *groups, const tune_fusion_node *node,
                     const tune_fusion_group *group) {
  bool is_simple =
      !group->has_heavy && group->reduction_count == 0 && node->facts.op_class != TUNE_OP_REDUCTION;
  return are_together(node, &groups->nodes[group->root]) &&
         (is_simple || node->cut.form < TUNE_CUT_HEAVY);
}

// Adds `node` to the group of all its users if it fits there.
static bool join(tune_fusion_groups *groups, tune_fusion_node *node, const users *all) {
  tune_fusion_group *group = &groups->groups[all->group];
  if (group->count >= MAX_GROUP_SIZE || !may_join(groups, node, group))
    return false;
  if (all->as_operand) {
    if (!(may_move_operand(node) || is_read_once(groups, node, group)) ||
        (all->as_value && !node->is_cheap) || is_ahead(groups, node, group) ||
        widens_image(groups, node, group))
      return false;
    node->is_operand = true;
  } else {
    tune_op_class op_class = node->facts.op_class;
    if (op_class == TUNE_OP_PAD || is_turned_ahead(groups, node) ||
        (group->has_heavy && is_repeated(groups, node, group)) ||
        !find_space(groups, node, all->group) || is_repeated_in_rows(groups, node, group))
      return false;
    if (op_class == TUNE_OP_REDUCTION) {
      uint32_t rows;
      if (group->has_heavy || !find_rows(node, &rows) || (group->has_rows && group->rows != rows))
        return false;
      group->has_rows = true;
      group->rows = rows;
      ++group->reduction_count;
      group->anchor = (size_t)(node - groups->nodes);
    }
  }
  node->group = all->group;
  ++group->count;
  return true;
}

static tune_status start_from_root(tune_fusion_groups *groups, size_t i) {
  tune_fusion_node *node = &groups->nodes[i];
  TUNE_RETURN_IF_ERROR(start_group(groups, i));
  tune_fusion_group *group = &groups->groups[node->group];
  for (size_t loop = 0; loop < node->facts.loop_count; ++loop)
    node->space[loop] = (uint8_t)loop;
  if (node->facts.op_class == TUNE_OP_REDUCTION) {
    group->has_rows = find_rows(node, &group->rows);
    group->reduction_count = 1;
  }
  return TUNE_OK;
}

static tune_status grow_backward(tune_fusion_groups *groups) {
  for (size_t i = groups->node_count; i-- > 0;) {
    tune_fusion_node *node = &groups->nodes[i];
    if (node->facts.op_class == TUNE_OP_UNTUNABLE)
      continue;
    if (node->group != TUNE_GROUP_NONE) { // an anchor, or what follows it
      if (groups->groups[node->group].root == i)
        for (size_t loop = 0; loop < node->facts.loop_count; ++loop)
          node->space[loop] = (uint8_t)loop;
      else
        find_space(groups, node, node->group);
      continue;
    }
    users all = find_users(groups, node);
    if (all.group != TUNE_GROUP_NONE && join(groups, node, &all))
      continue;
    node->is_copied = node->is_cheap && all.enter;
    if (node->is_copied) {
      if (all.leave)
        node->reason = "tasks have copies of it; what remains is too little to be one";
    } else if (node->facts.op_class == TUNE_OP_PAD)
      node->reason = "it pads for no contraction, convolution or pooling of its own";
    else if (node->facts.loop_count == 0 && (groups->for_cpu || !node->facts.has_f64_function))
      node->reason = "it computes a single element";
    else
      TUNE_RETURN_IF_ERROR(start_from_root(groups, i));
  }
  return TUNE_OK;
}

//===--- Finishing ------------------------------------------------------------===//

static tune_task_kind find_kind(const tune_fusion_groups *groups, const tune_fusion_group *group) {
  const tune_op_facts *root = &groups->nodes[group->root].facts;
  if (group->is_attention)
    return TUNE_TASK_ATTENTION;
  if (group->has_heavy)
    switch (groups->nodes[group->anchor].facts.op_class) {
    case TUNE_OP_CONTRACTION:
      return TUNE_TASK_CONTRACTION;
    case TUNE_OP_CONVOLUTION:
      return TUNE_TASK_CONVOLUTION;
    default:
      return TUNE_TASK_REDUCTION;
    }
  if (group->reduction_count == 0)
    return TUNE_TASK_ELEMENTWISE;
  // A reduction whose result is spread over its rows again is a chain, as is more than one.
  size_t row_count = (size_t)__builtin_popcount(group->rows);
  bool spreads = root->op_class != TUNE_OP_REDUCTION && root->loop_count > row_count;
  return group->reduction_count > 1 || spreads ? TUNE_TASK_CHAIN : TUNE_TASK_REDUCTION;
}

static int compare_roots(const void *a, const void *b) {
  size_t left = ((const tune_fusion_group *)a)->root, right = ((const tune_fusion_group *)b)->root;
  return (left > right) - (left < right);
}

// Orders the groups by root and lists their members.
static tune_status finish(tune_fusion_groups *groups) {
  size_t *renamed = calloc(groups->node_count + 1, sizeof *renamed); // by root
  groups->members = calloc(groups->node_count + 1, sizeof *groups->members);
  if (!renamed || !groups->members) {
    free(renamed);
    return tune_status_out_of_memory("%zu ops", groups->node_count);
  }
  size_t *roots = calloc(groups->group_count + 1, sizeof *roots);
  if (!roots) {
    free(renamed);
    return tune_status_out_of_memory("%zu tasks", groups->group_count);
  }
  for (size_t i = 0; i < groups->group_count; ++i)
    roots[i] = groups->groups[i].root;
  if (groups->group_count)
    qsort(groups->groups, groups->group_count, sizeof *groups->groups, compare_roots);
  size_t first = 0;
  for (size_t i = 0; i < groups->group_count; ++i) {
    tune_fusion_group *group = &groups->groups[i];
    group->kind = find_kind(groups, group);
    group->first = first;
    first += group->count;
    group->count = 0;
    renamed[group->root] = i;
  }
  for (size_t i = 0; i < groups->node_count; ++i) {
    tune_fusion_node *node = &groups->nodes[i];
    if (node->group == TUNE_GROUP_NONE)
      continue;
    node->group = renamed[roots[node->group]];
    tune_fusion_group *group = &groups->groups[node->group];
    groups->members[group->first + group->count++] = i;
  }
  free(roots);
  free(renamed);
  return TUNE_OK;
}

static tune_status group_nodes(tune_fusion_groups *groups) {
  size_t count = groups->node_count;
  size_t *numbers = calloc(2 * count + MAX_GROUP_SIZE + 1, sizeof *numbers);
  if (!numbers)
    return tune_status_out_of_memory("%zu ops", count);
  size_t *dominators = numbers;
  tune_group_mark_cheap(groups, numbers);
  find_post_dominators(groups, dominators);
  growth state = {.groups = groups, .stamps = numbers + count, .added = numbers + 2 * count};
  tune_status status = grow_forward(&state, dominators);
  free(numbers);
  if (tune_status_is_ok(status))
    status = grow_backward(groups);
  if (tune_status_is_ok(status))
    status = tune_group_join_attention(groups);
  return tune_status_is_ok(status) ? finish(groups) : status;
}

tune_fusion_cut_form tune_fusion_groups_find_cut(const tune_fusion_groups *groups, size_t group) {
  const tune_fusion_group *described = &groups->groups[group];
  if (described->count < 2)
    return TUNE_CUT_NONE;
  if (described->is_attention)
    return TUNE_CUT_ATTENTION;
  return described->has_heavy || described->reduction_count ? TUNE_CUT_HEAVY : TUNE_CUT_ALL;
}

tune_status tune_fusion_groups_create(MlirOperation module, bool for_cpu,
                                      const tune_fusion_cut *cuts,
                                      tune_fusion_groups **out_groups) {
  *out_groups = NULL;
  tune_fusion_groups *groups = calloc(1, sizeof *groups);
  if (!groups)
    return tune_status_out_of_memory("grouping ops");
  groups->for_cpu = for_cpu;
  tune_op_map_init(&groups->nodes_by_op);
  collection state = {.groups = groups,
                      .module = module,
                      .words = tune_op_words_get(mlirOperationGetContext(module))};
  mlirOperationWalk(module, collect_op, &state, MlirWalkPreOrder);
  tune_status status = state.status;
  for (size_t i = 0; cuts && i < groups->node_count; ++i)
    groups->nodes[i].cut = cuts[i];
  if (tune_status_is_ok(status))
    status = group_nodes(groups);
  if (!tune_status_is_ok(status)) {
    tune_fusion_groups_destroy(groups);
    return tune_status_annotate(status, "grouping the ops of a module");
  }
  *out_groups = groups;
  return TUNE_OK;
}
