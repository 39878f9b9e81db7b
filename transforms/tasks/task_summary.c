//===- task_summary.c -------------------------------------------------------------===//

#include "transforms/tasks/task_summary.h"

#include "dialects/allow.h"
#include "dialects/printing.h"
#include "transforms/ir/ir.h"
#include "transforms/tasks/measured_sizes.h"

#include "mlir-c/Dialect/Linalg.h"

// Ops named one by one in a name; more are counted.
#define MAX_NAMED_OPS 4

//===--- Bodies ---------------------------------------------------------------===//

typedef struct search {
  const char *prefix;
  size_t found;
} search;

static MlirWalkResult count_op(MlirOperation op, void *user_data) {
  search *state = user_data;
  state->found += tune_ir_string_starts(tune_ir_name(op), state->prefix);
  return MlirWalkResultAdvance;
}

// How many ops in the body of `op` have a name with that prefix.
static size_t count_in_body(MlirOperation op, const char *prefix) {
  search state = {.prefix = prefix};
  mlirOperationWalk(op, count_op, &state, MlirWalkPreOrder);
  return state.found;
}

static const char *name_reduction(MlirOperation op) {
  if (count_in_body(op, "arith.max"))
    return "max";
  if (count_in_body(op, "arith.min"))
    return "min";
  if (count_in_body(op, "arith.add"))
    return "sum";
  return count_in_body(op, "arith.mul") ? "product" : "reduce";
}

// Whether `node` reads a tensor of fewer dimensions than it has loops, itself or through a
// broadcast.
static bool reads_less(const tune_fusion_groups *groups, const tune_fusion_node *node) {
  for (size_t i = 0; i < node->facts.input_count; ++i) {
    MlirValue value = mlirOperationGetOperand(node->op, (intptr_t)i);
    if (!mlirTypeIsARankedTensor(mlirValueGetType(value)))
      continue;
    if (tune_op_facts_rank(&node->facts, i) < node->facts.loop_count)
      return true;
    size_t producer = mlirValueIsAOpResult(value)
                          ? tune_op_map_get(&groups->nodes_by_op, mlirOpResultGetOwner(value).ptr)
                          : TUNE_OP_MAP_NONE;
    if (producer != TUNE_OP_MAP_NONE && groups->nodes[producer].is_cheap &&
        reads_less(groups, &groups->nodes[producer]))
      return true;
  }
  return false;
}

static const char *name_elementwise(const tune_fusion_groups *groups,
                                    const tune_fusion_node *node) {
  static const struct {
    const char *prefix, *name;
  } names[] = {
      {"math.erf", "gelu"},  {"math.tanh", "tanh"},      {"math.rsqrt", "rsqrt"},
      {"math.sqrt", "sqrt"}, {"math.log", "log"},        {"math.", "math"},
      {"arith.div", "div"},  {"arith.mul", "mul"},       {"arith.sub", "sub"},
      {"arith.max", "relu"}, {"arith.select", "select"}, {"arith.cmp", "compare"},
      {"arith.neg", "neg"},
  };
  MlirOperation op = node->op;
  if (node->facts.reads_tensor)
    return "gather";
  if (count_in_body(op, "math.exp"))
    return count_in_body(op, "arith.div") ? "sigmoid" : "exp";
  if (count_in_body(op, "arith.add") && node->facts.arithmetic == 1)
    return reads_less(groups, node) ? "bias" : "add";
  // As torch writes relu: a comparison and a selection.
  if (node->facts.arithmetic == 0 && count_in_body(op, "arith.cmpf") == 1 &&
      count_in_body(op, "arith.select") == 1 && node->facts.input_count == 1)
    return "relu";
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (count_in_body(op, names[i].prefix))
      return names[i].name;
  return "elementwise";
}

//===--- Texts ----------------------------------------------------------------===//

static void append_size(tune_string_builder *name, bool *first, int64_t size) {
  tune_string_builder_append(name, *first ? "" : "x");
  if (size >= 0)
    tune_string_builder_appendf(name, "%lld", (long long)size);
  else
    tune_string_builder_append(name, "?");
  *first = false;
}

static void append_loops(tune_string_builder *name, const tune_op_facts *facts, bool parallel,
                         bool reduction) {
  bool first = true;
  for (size_t loop = 0; loop < facts->loop_count; ++loop)
    if (facts->is_reduction[loop] ? reduction : parallel)
      append_size(name, &first, facts->sizes[loop]);
  if (facts->loop_count == 0)
    append_size(name, &first, 1);
}

static void append_element_type(tune_string_builder *name, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsARankedTensor(type))
    type = mlirShapedTypeGetElementType(type);
  mlirTypePrint(type, tune_printing_append, name);
}

// " f32", or " bf16->f32" where operands and result differ, or " f32/tf32" where that is allowed.
static void append_types(tune_string_builder *name, MlirOperation op) {
  MlirValue input = mlirOperationGetOperand(op, 0), output = mlirOperationGetResult(op, 0);
  tune_string_builder_append(name, " ");
  MlirType from = mlirValueGetType(input), to = mlirValueGetType(output);
  if (mlirTypeIsARankedTensor(from) && mlirTypeIsARankedTensor(to) &&
      !mlirTypeEqual(mlirShapedTypeGetElementType(from), mlirShapedTypeGetElementType(to))) {
    append_element_type(name, input);
    tune_string_builder_append(name, "->");
  }
  append_element_type(name, output);
  for (unsigned bit = 0, allowances = tune_allow_get(op); bit < TUNE_ALLOWANCES; ++bit)
    if (allowances & 1u << bit)
      tune_string_builder_appendf(name, "/%s", tune_allow_words[bit]);
}

// The product of the sizes of some loops; -1 where one is not known and none is 0. `*out_count` of
// them.
static int64_t multiply(const tune_op_facts *facts, MlirAttribute loops, size_t *out_count) {
  int64_t product = 1;
  bool is_known = true;
  *out_count = (size_t)mlirDenseArrayGetNumElements(loops);
  for (size_t i = 0; i < *out_count; ++i) {
    int64_t size = facts->sizes[mlirDenseI32ArrayGetElement(loops, (intptr_t)i)];
    is_known &= size >= 0;
    product *= size < 0 ? 1 : size;
  }
  return is_known || product == 0 ? product : -1;
}

// Batch x rows x keys x columns, of the second product.
static void append_attention(tune_string_builder *name, const tune_fusion_node *anchor) {
  MlirLinalgContractionDimensions dimensions = mlirLinalgInferContractionDimensions(anchor->op);
  const MlirAttribute loops[] = {dimensions.batch, dimensions.m, dimensions.k, dimensions.n};
  tune_string_builder_append(name, "attention ");
  bool first = true;
  for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
    size_t count;
    int64_t size = multiply(&anchor->facts, loops[i], &count);
    if (count)
      append_size(name, &first, size);
  }
}

static void append_contraction(tune_string_builder *name, const tune_fusion_node *anchor) {
  MlirLinalgContractionDimensions dimensions = mlirLinalgInferContractionDimensions(anchor->op);
  size_t batches, rows, columns, depths;
  int64_t batch = multiply(&anchor->facts, dimensions.batch, &batches);
  int64_t m = multiply(&anchor->facts, dimensions.m, &rows);
  int64_t n = multiply(&anchor->facts, dimensions.n, &columns);
  int64_t k = multiply(&anchor->facts, dimensions.k, &depths);
  tune_string_builder_append(name, batches ? "batch_" : "");
  tune_string_builder_append(name, rows && columns ? "matmul " : "matvec ");
  bool first = true;
  if (batches)
    append_size(name, &first, batch);
  if (rows)
    append_size(name, &first, m);
  if (columns)
    append_size(name, &first, n);
  append_size(name, &first, k);
}

static void append_chain(tune_string_builder *name, const tune_fusion_groups *groups,
                         const tune_fusion_group *group) {
  bool exponentials = false, roots = false, maxima = false, differences = false;
  for (size_t i = 0; i < group->count; ++i) {
    const tune_fusion_node *node = &groups->nodes[groups->members[group->first + i]];
    exponentials |= count_in_body(node->op, "math.exp") > 0;
    roots |= count_in_body(node->op, "math.rsqrt") + count_in_body(node->op, "math.sqrt") > 0;
    differences |= count_in_body(node->op, "arith.sub") > 0;
    maxima |= node->facts.op_class == TUNE_OP_REDUCTION && count_in_body(node->op, "arith.max") > 0;
  }
  const char *word = "chain ";
  if (exponentials && maxima)
    word = roots ? "softmax+norm " : "softmax ";
  else if (roots)
    word = differences ? "layer_norm " : "rms_norm ";
  tune_string_builder_append(name, word);
  append_loops(name, &groups->nodes[group->root].facts, true, true);
}

// The word for an op beside the anchor, or NULL for those that say nothing: fills, broadcasts.
static const char *name_companion(const tune_fusion_groups *groups, const tune_fusion_node *node) {
  const tune_op_facts *facts = &node->facts;
  switch (facts->op_class) {
  case TUNE_OP_PAD:
    return "pad";
  case TUNE_OP_ELEMENTWISE:
    return name_elementwise(groups, node);
  case TUNE_OP_REDUCTION:
    return name_reduction(node->op);
  case TUNE_OP_MOVEMENT:
    if (facts->only_converts)
      return "convert";
    if (facts->input_count == 0 || tune_op_facts_rank(facts, 0) < facts->loop_count)
      // A bias may come as what a convolution starts from.
      return node->is_operand && reads_less(groups, node) ? "bias" : NULL;
    if (!mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(node->op, 0))))
      return NULL; // a fill of rank 0
    return mlirAffineMapIsIdentity(tune_op_facts_map(facts, 0)) ? "copy" : "transpose";
  default:
    return NULL;
  }
}

static void append_companions(tune_string_builder *name, const tune_fusion_groups *groups,
                              const tune_fusion_group *group) {
  const char *words[MAX_NAMED_OPS];
  size_t count = 0;
  for (size_t i = 0; i < group->count; ++i) {
    size_t member = groups->members[group->first + i];
    const char *word =
        member == group->anchor ? NULL : name_companion(groups, &groups->nodes[member]);
    if (word && count++ < MAX_NAMED_OPS)
      words[count - 1] = word;
  }
  if (count > MAX_NAMED_OPS)
    tune_string_builder_appendf(name, " +%zu ops", count);
  else
    for (size_t i = 0; i < count; ++i)
      tune_string_builder_appendf(name, " +%s", words[i]);
}

static void append_name(tune_string_builder *name, const tune_fusion_groups *groups,
                        const tune_fusion_group *group) {
  const tune_fusion_node *anchor = &groups->nodes[group->anchor];
  const tune_fusion_node *root = &groups->nodes[group->root];
  switch (group->kind) {
  case TUNE_TASK_CONTRACTION:
    append_contraction(name, anchor);
    break;
  case TUNE_TASK_ATTENTION:
    append_attention(name, anchor);
    append_types(name, root->op);
    return;
  case TUNE_TASK_CONVOLUTION:
    tune_string_builder_append(name, "conv ");
    append_loops(name, &anchor->facts, true, false);
    tune_string_builder_append(name, " over ");
    append_loops(name, &anchor->facts, false, true);
    break;
  case TUNE_TASK_REDUCTION:
    tune_string_builder_appendf(name, "%s%s ", name_reduction(anchor->op),
                                anchor->facts.op_class == TUNE_OP_POOLING ? "_pool" : "");
    append_loops(name, &anchor->facts, true, false);
    // A sum of everything has no loops before it.
    tune_string_builder_append(
        name, tune_op_facts_rank(&anchor->facts, anchor->facts.input_count) ? " over " : "over ");
    append_loops(name, &anchor->facts, false, true);
    break;
  case TUNE_TASK_CHAIN:
    append_chain(name, groups, group);
    append_types(name, root->op);
    return;
  case TUNE_TASK_ELEMENTWISE: {
    const char *word = group->count == 1 ? name_companion(groups, root) : "elementwise";
    bool fills = root->facts.input_count == 0 || tune_op_facts_rank(&root->facts, 0) == 0;
    tune_string_builder_appendf(name, "%s ", word ? word : fills ? "fill" : "broadcast");
    append_loops(name, &root->facts, true, true);
    append_types(name, root->op);
    if (group->count > 1)
      tune_string_builder_appendf(name, " (%zu ops)", group->count);
    return;
  }
  }
  append_types(name, anchor->op);
  append_companions(name, groups, group);
}

//===--- Figures --------------------------------------------------------------===//

// Adds the size of a tensor or scalar, where it is known.
static bool add_bytes(const tune_fusion_groups *groups, size_t group, MlirValue value,
                      uint64_t *bytes) {
  MlirType type = mlirValueGetType(value);
  uint64_t size = tune_op_element_bytes(type);
  bool is_known = size > 0;
  for (intptr_t d = 0; mlirTypeIsARankedTensor(type) && d < mlirShapedTypeGetRank(type); ++d) {
    int64_t length = tune_measured_sizes_get(groups, group, value, d);
    is_known &= length >= 0;
    size *= is_known ? (uint64_t)length : 0;
  }
  *bytes += size;
  return is_known;
}

static uint64_t find_traffic(const tune_fusion_groups *groups, size_t group,
                             const tune_task_function *function) {
  uint64_t bytes = 0;
  size_t reads = function->input_count - function->destination_count;
  for (size_t i = 0; i < function->input_count; ++i) {
    // A destination that was just made holds nothing to be read.
    if (i >= reads && mlirValueIsAOpResult(function->inputs[i]) &&
        tune_ir_is(mlirOpResultGetOwner(function->inputs[i]), "tensor.empty"))
      continue;
    if (!add_bytes(groups, group, function->inputs[i], &bytes))
      return 0;
  }
  MlirOperation root = groups->nodes[groups->groups[group].root].op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(root); ++i)
    if (!add_bytes(groups, group, mlirOperationGetResult(root, i), &bytes))
      return 0;
  return bytes;
}

static bool has_no_elements(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    for (intptr_t d = 0; mlirTypeIsARankedTensor(type) && d < mlirShapedTypeGetRank(type); ++d)
      if (!mlirShapedTypeIsDynamicDim(type, d) && mlirShapedTypeGetDimSize(type, d) == 0)
        return true;
  }
  return false;
}

static void find_figures(const tune_fusion_groups *groups, size_t number,
                         tune_task_description *out) {
  const tune_fusion_group *group = &groups->groups[number];
  bool known = true, feeds = group->is_attention; // each sum the next one
  out->reduction_length = feeds ? 0 : 1;
  for (size_t i = 0; i < group->count; ++i) {
    const tune_fusion_node *node = &groups->nodes[groups->members[group->first + i]];
    tune_op_facts facts = node->facts;
    tune_measured_sizes_fill(groups, number, node->op, &facts);
    uint64_t points = tune_op_facts_extent(&facts, false);
    uint64_t sum = tune_op_facts_extent(&facts, true);
    known &= points > 0 || facts.arithmetic == 0;
    out->flops += points * facts.arithmetic;
    if (feeds)
      out->reduction_length += sum > 1 ? sum : 0;
    else if (sum == 0 || (out->reduction_length && sum > out->reduction_length))
      out->reduction_length = sum;
  }
  if (!known)
    out->flops = 0;
}

tune_status tune_task_describe(const tune_fusion_groups *groups, size_t group,
                               const tune_task_function *function,
                               tune_task_description *out_description) {
  *out_description = (tune_task_description){.flops = 0};
  const tune_fusion_group *described = &groups->groups[group];
  find_figures(groups, group, out_description);
  out_description->bytes = find_traffic(groups, group, function);
  out_description->is_empty = has_no_elements(groups->nodes[described->root].op);
  tune_string_builder name;
  tune_string_builder_init(&name);
  append_name(&name, groups, described);
  tune_measured_sizes_append(&name, function->function);
  return tune_string_builder_finish(&name, &out_description->name);
}
