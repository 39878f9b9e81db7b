//===- outline_script.c -------------------------------------------------------===//
//
// How stock transforms move a group of ops into a function:
//   0. Fills, which became generics with all else, are specialized again.
//   1. transform.loop.outline wraps any op into scf.execute_region and makes a function of
//      it; inlining that function again leaves the root of each task in a region.
//   2. fuse_into_containing_op copies a producer into that region, once for each use; where
//      there are several, dead code elimination and CSE make one of them.
//   3. What several tasks copy, what they allocate and their constants are copied last: CSE
//      would find the originals again. (Where copies have to come earlier, for the order of ops in
//      the function, CSE is kept to the region.)
//   4. transform.loop.outline moves the region into the task's function.
// Unlike tiling by the whole size, this needs no loops, and works for sizes known only at
// run time and for ops of rank 0.
//
//===----------------------------------------------------------------------===//

#include "transforms/tasks/outline.h"

#include "dialects/allow.h"
#include "dialects/printing.h"
#include "transforms/ir/ir.h"
#include "transforms/tasks/normalize.h"
#include "transforms/tasks/outline_order.h"

#include <stdio.h>
#include <stdlib.h>

#define ANY "!transform.any_op"

typedef struct script {
  const tune_extraction *extraction;
  const tune_fusion_groups *groups;
  tune_string_builder *out;
  size_t next; // number of the next handle
} script;

// An op that is copied for a group, next to its members.
typedef struct taken {
  MlirOperation op;
  size_t handle; // 0: a constant, found by its value
} taken;

typedef struct taken_list {
  taken *items;
  size_t count, capacity;
  tune_op_map seen;
  bool failed;
} taken_list;

static void append_quoted(tune_string_builder *out, MlirStringRef text) {
  tune_string_builder_append(out, "\"");
  for (size_t i = 0; i < text.length; ++i) {
    unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f)
      tune_string_builder_appendf(out, "\\%02X", c);
    else
      tune_string_builder_append_bytes(out, text.data + i, 1);
  }
  tune_string_builder_append(out, "\"");
}

static size_t match_function(script *state, size_t module, MlirOperation function) {
  size_t handle = state->next++;
  tune_string_builder_appendf(state->out,
                              "    %%%zu = transform.structured.match ops{[\"func.func\"]} "
                              "attributes{sym_name = ",
                              handle);
  append_quoted(state->out, tune_ir_string_attribute(function, "sym_name"));
  tune_string_builder_appendf(state->out, "} in %%%zu : (" ANY ") -> " ANY "\n", module);
  return handle;
}

// The name of a node's op: of those after fills were made linalg.fill where `named`.
static MlirStringRef name_of(const script *state, size_t node, bool named) {
  return named && state->groups->nodes[node].facts.is_fill
             ? tune_ir_string("linalg.fill")
             : tune_ir_name(state->groups->nodes[node].op);
}

// Whether no node in [first, node) has the name of `node`. Next to all are linalg.generic or
// linalg.fill, so that this is soon decided.
static bool is_first_of_name(const script *state, size_t first, size_t node, bool named) {
  MlirStringRef name = name_of(state, node, named);
  for (size_t i = first; i < node; ++i)
    if (mlirStringRefEqual(name_of(state, i, named), name))
      return false;
  return true;
}

// Matches the structured ops of a function, nodes [first, end), each with a handle of its own:
// %<result>#<node - first>.
static size_t match_nodes(script *state, size_t function, size_t first, size_t end, bool named) {
  size_t all = state->next++, each = state->next++;
  tune_string_builder_appendf(state->out, "    %%%zu = transform.structured.match ops{[", all);
  for (size_t i = first; i < end; ++i)
    if (is_first_of_name(state, first, i, named)) {
      tune_string_builder_append(state->out, i == first ? "" : ", ");
      append_quoted(state->out, name_of(state, i, named));
    }
  tune_string_builder_appendf(state->out,
                              "]} in %%%zu : (" ANY ") -> " ANY "\n"
                              "    %%%zu:%zu = transform.split_handle %%%zu : (" ANY ") -> (",
                              function, each, end - first, all);
  for (size_t i = first; i < end; ++i)
    tune_string_builder_append(state->out, i == first ? ANY : ", " ANY);
  tune_string_builder_append(state->out, ")\n");
  return each;
}

static size_t apply_pass(script *state, const char *pass, const char *options, size_t module) {
  size_t handle = state->next++;
  tune_string_builder_appendf(state->out,
                              "    %%%zu = transform.apply_registered_pass \"%s\"%s to %%%zu : "
                              "(" ANY ") -> " ANY "\n",
                              handle, pass, options, module);
  return handle;
}

static void append_annotation(script *state, const char *handle, const char *name,
                              const char *value) {
  size_t parameter = state->next++;
  tune_string_builder_appendf(state->out,
                              "    %%%zu = transform.param.constant \"%s\" -> "
                              "!transform.any_param\n"
                              "    transform.annotate %s \"%s\" = %%%zu : " ANY
                              ", !transform.any_param\n",
                              parameter, value, handle, name, parameter);
}

//===--- What a group takes ---------------------------------------------------===//

static void take(taken_list *list, MlirOperation op, size_t handle) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 16;
    taken *items = realloc(list->items, capacity * sizeof *items);
    list->failed |= !items;
    if (!items)
      return;
    list->items = items;
    list->capacity = capacity;
  }
  tune_status status = tune_op_map_set(&list->seen, op.ptr, list->count);
  list->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
  if (!list->failed)
    list->items[list->count++] = (taken){op, handle};
}

typedef struct capture {
  MlirOperation self;
  taken_list *list;
} capture;

// Notes constants that the body of an op reads.
static MlirWalkResult take_captured(MlirOperation op, void *user_data) {
  capture *at = user_data;
  if (mlirOperationEqual(op, at->self))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!mlirValueIsAOpResult(value))
      continue;
    MlirOperation producer = mlirOpResultGetOwner(value);
    if (tune_fusion_is_small_constant(producer) &&
        tune_op_map_get(&at->list->seen, producer.ptr) == TUNE_OP_MAP_NONE)
      take(at->list, producer, 0);
  }
  return MlirWalkResultAdvance;
}

// Whether `value` is a destination of the group: it stays with the caller.
static bool is_destination(const script *state, size_t group, MlirOperation empty) {
  MlirOperation root = state->groups->nodes[state->groups->groups[group].root].op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); ++i) {
    MlirOperation op = root;
    intptr_t number = i;
    for (;;) {
      if (!tune_ir_string_starts(tune_ir_name(op), "linalg."))
        break;
      intptr_t first = mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op);
      MlirValue value = mlirOperationGetOperand(op, first + number);
      if (!mlirValueIsAOpResult(value))
        break;
      op = mlirOpResultGetOwner(value);
      number = mlirOpResultGetResultNumber(value);
      if (mlirOperationEqual(op, empty))
        return true;
      if (!tune_fusion_groups_contains(state->groups, group, op))
        break;
    }
  }
  return false;
}

// Takes what the operands of `user`, whose handle is `handle`, need beside members: copies of cheap
// ops, inner tensor.empty ops, constants. Writes down how each is reached.
static void take_operands(script *state, size_t group, MlirOperation user, const char *handle,
                          taken_list *list) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(user); ++i) {
    MlirValue value = mlirOperationGetOperand(user, i);
    if (!mlirValueIsAOpResult(value))
      continue;
    MlirOperation producer = mlirOpResultGetOwner(value);
    if (tune_op_map_get(&list->seen, producer.ptr) != TUNE_OP_MAP_NONE)
      continue;
    if (tune_fusion_is_small_constant(producer)) {
      take(list, producer, 0);
      continue;
    }
    size_t node = tune_op_map_get(&state->groups->nodes_by_op, producer.ptr);
    bool is_copy = node != TUNE_OP_MAP_NONE && state->groups->nodes[node].group != group &&
                   state->groups->nodes[node].is_cheap;
    bool is_empty = tune_ir_is(producer, "tensor.empty") && !is_destination(state, group, producer);
    if (!is_copy && !is_empty)
      continue;
    size_t taken_handle = state->next++;
    tune_string_builder_appendf(state->out,
                                "    %%%zu = transform.get_producer_of_operand %s[%td] : (" ANY
                                ") -> " ANY "\n",
                                taken_handle, handle, i);
    take(list, producer, taken_handle);
    if (is_copy) {
      char name[32];
      snprintf(name, sizeof name, "%%%zu", taken_handle);
      take_operands(state, group, producer, name, list);
    }
  }
  capture at = {user, list};
  mlirOperationWalk(user, take_captured, &at, MlirWalkPreOrder);
}

//===--- Groups ---------------------------------------------------------------===//

static size_t count_uses(MlirOperation op) {
  size_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i));
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      ++count;
  return count;
}

// Copies the op of `handle` into the region; returns the region's new handle.
static size_t fuse(script *state, const char *handle, size_t region) {
  size_t copies = state->next++, larger = state->next++;
  tune_string_builder_appendf(state->out,
                              "    %%%zu, %%%zu = transform.structured.fuse_into_containing_op %s "
                              "into %%%zu : (" ANY ", " ANY ") -> (" ANY ", " ANY ")\n",
                              copies, larger, handle, region);
  return larger;
}

static size_t match_constant(script *state, MlirOperation constant, size_t function) {
  size_t handle = state->next++;
  tune_string_builder_appendf(
      state->out,
      "    %%%zu = transform.structured.match ops{[\"arith.constant\"]} attributes{value = ",
      handle);
  mlirAttributePrint(tune_ir_attribute(constant, "value"), tune_printing_append, state->out);
  tune_string_builder_appendf(state->out, "} in %%%zu : (" ANY ") -> " ANY "\n", function);
  return handle;
}

// What a group allocates and its constants: cheap ops that it copies come before.
static size_t fuse_rest(script *state, const taken_list *list, size_t function, size_t region) {
  char handle[32];
  for (size_t i = 0; i < list->count; ++i) {
    const taken *item = &list->items[i];
    if (tune_op_map_get(&state->groups->nodes_by_op, item->op.ptr) != TUNE_OP_MAP_NONE)
      continue;
    size_t found = item->handle ? item->handle : match_constant(state, item->op, function);
    snprintf(handle, sizeof handle, "%%%zu", found);
    region = fuse(state, handle, region);
  }
  return region;
}

static void name_node(char *handle, size_t size, size_t nodes, size_t first, size_t node) {
  snprintf(handle, size, "%%%zu#%zu", nodes, node - first);
}

// Copies members, and cheap ops of others, into the region.
static size_t fuse_nodes(script *state, size_t group, const tune_outline_order *order,
                         const taken_list *list, size_t function, size_t nodes, size_t first,
                         size_t region) {
  char handle[48];
  // Without the root, which is there.
  for (size_t i = 1; i < order->count; ++i) {
    size_t node = order->nodes[i];
    const tune_fusion_node *described = &state->groups->nodes[node];
    bool is_member = described->group == group;
    size_t copied = tune_op_map_get(&list->seen, described->op.ptr);
    if (is_member)
      name_node(handle, sizeof handle, nodes, first, node);
    else if (copied != TUNE_OP_MAP_NONE)
      snprintf(handle, sizeof handle, "%%%zu", list->items[copied].handle);
    else
      continue;
    region = fuse(state, handle, region);
    if (count_uses(described->op) < 2 || (!is_member && !order->mixes))
      continue;
    // The whole function has the originals of copies as well.
    tune_string_builder_appendf(state->out,
                                "    transform.apply_dce to %%%zu : " ANY "\n"
                                "    transform.apply_cse to %%%zu : " ANY "\n",
                                function, order->mixes ? region : function);
  }
  return region;
}

static tune_status append_group(script *state, size_t group, size_t function, size_t nodes,
                                size_t first) {
  const tune_fusion_group *described = &state->groups->groups[group];
  size_t task = state->extraction->task_of_group[group];
  char handle[48];
  tune_outline_order order;
  TUNE_RETURN_IF_ERROR(tune_outline_order_find(state->groups, group, &order));
  tune_string_builder_appendf(state->out, "    // %s\n", state->extraction->tasks[task].name);

  taken_list list = {.items = NULL};
  tune_op_map_init(&list.seen);
  for (size_t i = 0; i < described->count; ++i) {
    size_t node = state->groups->members[described->first + i];
    name_node(handle, sizeof handle, nodes, first, node);
    take_operands(state, group, state->groups->nodes[node].op, handle, &list);
  }

  name_node(handle, sizeof handle, nodes, first, described->anchor);
  tune_string_builder_appendf(
      state->out, "    transform.annotate %s \"" TUNE_ANCHOR_ATTRIBUTE "\" : " ANY "\n", handle);
  name_node(handle, sizeof handle, nodes, first, described->root);
  size_t region = state->next++;
  tune_string_builder_appendf(state->out,
                              "    %%%zu = transform.get_parent_op %s {op_name = "
                              "\"scf.execute_region\"} : (" ANY ") -> " ANY "\n",
                              region, handle);
  region = fuse_nodes(state, group, &order, &list, function, nodes, first, region);
  region = fuse_rest(state, &list, function, region);
  tune_outline_order_deinit(&order);
  bool failed = list.failed;
  free(list.items);
  tune_op_map_deinit(&list.seen);
  if (failed)
    return tune_status_out_of_memory("writing an outlining script");

  size_t outlined = state->next++, call = state->next++;
  char name[64];
  tune_outline_find_name(mlirModuleGetOperation(state->extraction->normalized), task, name,
                         sizeof name);
  tune_string_builder_appendf(state->out,
                              "    %%%zu, %%%zu = transform.loop.outline %%%zu {func_name = "
                              "\"%s\"} : (" ANY ") -> (" ANY ", " ANY ")\n",
                              outlined, call, region, name);
  snprintf(handle, sizeof handle, "%%%zu", outlined);
  append_annotation(state, handle, "sym_visibility", "private");
  append_annotation(state, handle, TUNE_TASK_ATTRIBUTE, state->extraction->tasks[task].key.text);
  // The originals: fuse_into_containing_op verifies the whole function each time.
  tune_string_builder_appendf(state->out, "    transform.apply_dce to %%%zu : " ANY "\n", function);
  return TUNE_OK;
}

//===--- Functions ------------------------------------------------------------===//

// Nodes [first, end) are those of one function; false where there is no further one.
static bool next_function(const tune_fusion_groups *groups, size_t *first, size_t *end) {
  *first = *end;
  if (*first == groups->node_count)
    return false;
  while (*end < groups->node_count &&
         mlirOperationEqual(groups->nodes[*end].function, groups->nodes[*first].function))
    ++*end;
  return true;
}

// Makes fills linalg.fill and regions of all roots of a function.
static void append_regions(script *state, size_t module, size_t first, size_t end) {
  size_t function = match_function(state, module, state->groups->nodes[first].function);
  size_t nodes = match_nodes(state, function, first, end, false);
  for (size_t i = first; i < end; ++i) {
    const tune_fusion_node *node = &state->groups->nodes[i];
    char handle[48];
    name_node(handle, sizeof handle, nodes, first, i);
    if (node->facts.is_fill) {
      size_t fill = state->next++;
      tune_string_builder_appendf(
          state->out, "    %%%zu = transform.structured.specialize %s : (" ANY ") -> " ANY "\n",
          fill, handle);
      snprintf(handle, sizeof handle, "%%%zu", fill);
    }
    if (node->group == TUNE_GROUP_NONE || state->groups->groups[node->group].root != i)
      continue;
    size_t outlined = state->next++, call = state->next++;
    tune_string_builder_appendf(state->out,
                                "    %%%zu, %%%zu = transform.loop.outline %s {func_name = "
                                "\"tune_root\"} : (" ANY ") -> (" ANY ", " ANY ")\n",
                                outlined, call, handle);
    snprintf(handle, sizeof handle, "%%%zu", outlined);
    append_annotation(state, handle, "sym_visibility", "private");
  }
}

// Whether the body of `op` reads a constant index of outside: transform.loop.outline copies these
// into the function that it makes, and inlining brings the copies back.
static MlirWalkResult find_constant_index(MlirOperation op, void *user_data) {
  bool *found = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirTypeIsAIndex(mlirValueGetType(value)) && mlirValueIsAOpResult(value) &&
        tune_ir_is(mlirOpResultGetOwner(value), "arith.constant"))
      *found = true;
  }
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool copies_constants(const script *state, size_t first, size_t end) {
  bool found = false;
  for (size_t i = first; i < end && !found; ++i) {
    const tune_fusion_node *node = &state->groups->nodes[i];
    if (node->group != TUNE_GROUP_NONE && state->groups->groups[node->group].root == i)
      mlirOperationWalk(node->op, find_constant_index, &found, MlirWalkPreOrder);
  }
  return found;
}

static tune_status append_tasks(script *state, size_t module, size_t first, size_t end) {
  size_t function = match_function(state, module, state->groups->nodes[first].function);
  // Constants are matched by their values, and all that are matched have to be read in the region.
  // Folding, which is all that is left to do here, makes one of equal ones, at the function's
  // begin.
  if (copies_constants(state, first, end))
    tune_string_builder_appendf(
        state->out, "    transform.apply_patterns to %%%zu {\n    } : " ANY "\n", function);
  size_t nodes = match_nodes(state, function, first, end, true);
  for (size_t node = first; node < end; ++node) {
    size_t group = state->groups->nodes[node].group;
    if (group != TUNE_GROUP_NONE && state->groups->groups[group].root == node)
      TUNE_RETURN_IF_ERROR(append_group(state, group, function, nodes, first));
  }
  return TUNE_OK;
}

// What products say that they are allowed goes where it keeps two apart, as tune_allow_place has
// it: for stock mlir-opt, which runs this on the module as it is.
static void append_allowed(tune_allowances allowances, MlirContext context,
                           tune_string_builder *out) {
  MlirAttribute words = tune_allow_attribute(context, allowances);
  tune_string_builder_appendf(out, "    %%words_%u = transform.param.constant ", allowances);
  mlirAttributePrint(words, tune_printing_append, out);
  tune_string_builder_appendf(
      out,
      " -> !transform.any_param\n"
      "    %%allowed_%u = transform.structured.match interface{LinalgOp} attributes "
      "{" TUNE_ALLOW_ATTRIBUTE " = ",
      allowances);
  mlirAttributePrint(words, tune_printing_append, out);
  tune_string_builder_appendf(
      out,
      "} in %%0 : (" ANY ") -> " ANY "\n"
      "    transform.foreach %%allowed_%u : " ANY " {\n"
      "    ^bb0(%%product: " ANY "):\n"
      "      %%factors = transform.structured.match ops{[\"arith.mulf\"]} in %%product : (" ANY
      ") -> " ANY "\n"
      "      transform.annotate %%factors \"" TUNE_ALLOW_ATTRIBUTE "\" = %%words_%u : " ANY
      ", !transform.any_param\n"
      "    }\n",
      allowances, allowances);
}

// For each set of words that some product has.
static void append_all_allowed(const tune_extraction *extraction, tune_string_builder *out) {
  MlirContext context = mlirModuleGetContext(extraction->normalized);
  for (tune_allowances set = 1; set < 1u << TUNE_ALLOWANCES; ++set)
    for (size_t i = 0; i < extraction->groups->node_count; ++i)
      if (tune_allow_get(extraction->groups->nodes[i].op) == set) {
        append_allowed(set, context, out);
        break;
      }
}

tune_status tune_outline_script(const tune_extraction *extraction, tune_string_builder *builder) {
  script state = {
      .extraction = extraction, .groups = extraction->groups, .out = builder, .next = 1};
  tune_string_builder_append(builder, "  transform.named_sequence @" TUNE_OUTLINE_SEQUENCE
                                      "(%0: " ANY " {transform.consumed}) -> " ANY " {\n");
  if (extraction->decomposition)
    tune_string_builder_append(builder, extraction->decomposition);
  append_all_allowed(extraction, builder);
  size_t module = 0;
  for (size_t i = 0; tune_normalize_passes[i]; ++i)
    module = apply_pass(&state, tune_normalize_passes[i], "", module);
  for (size_t first, end = 0; next_function(state.groups, &first, &end);)
    append_regions(&state, module, first, end);
  // Without its own simplification, which would undo the regions.
  module = apply_pass(&state, "inline", " with options = {\"default-pipeline\" = \"\"}", module);
  for (size_t first, end = 0; next_function(state.groups, &first, &end);)
    TUNE_RETURN_IF_ERROR(append_tasks(&state, module, first, end));
  // Makes one of what was copied for several uses, and takes away the regions around the calls and
  // what is computed in functions now. Once for all, since making ready costs more than running.
  tune_string_builder_appendf(builder,
                              "    transform.apply_patterns to %%%zu {\n"
                              "      transform.apply_patterns.canonicalization\n"
                              "    } {apply_cse} : " ANY "\n"
                              "    transform.yield %%%zu : " ANY "\n  }\n",
                              module, module);
  return TUNE_OK;
}
