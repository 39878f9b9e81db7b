//===- module_precision.c -----------------------------------------------------===//

#include "transforms/tasks/module_precision.h"

#include "dialects/allow.h"
#include "transforms/ir/ir.h"
#include "transforms/normalize/quantized/byte_products.h"

#include "mlir-c/BuiltinTypes.h"

// Of sums of which nothing is known.
#define UNKNOWN_REDUCTION 4096

// The coarsest of float types met so far.
typedef struct coarsest {
  unsigned bits; // of the significand
  const char *name;
} coarsest;

static void add_type(MlirType type, coarsest *state) {
  static const struct {
    bool (*is)(MlirType type);
    coarsest found;
  } FLOATS[] = {{mlirTypeIsABF16, {8, "bf16"}},
                {mlirTypeIsAF16, {11, "f16"}},
                {mlirTypeIsAF32, {24, "f32"}},
                {mlirTypeIsAF64, {53, "f64"}}};
  if (mlirTypeIsAShaped(type))
    type = mlirShapedTypeGetElementType(type);
  for (size_t i = 0; i < sizeof FLOATS / sizeof *FLOATS; ++i)
    if (FLOATS[i].is(type) && (!state->name || FLOATS[i].found.bits < state->bits))
      *state = FLOATS[i].found;
}

static bool is_only_returned(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (!tune_ir_is(mlirOpOperandGetOwner(use), "func.return"))
      return false;
  return true;
}

// The coarsest type that what is computed on the way is rounded to: that of sums, and of what goes
// from op to op. How the end result is rounded is known from its own type.
const char *tune_module_accumulator(const tune_extraction *extraction) {
  const tune_fusion_groups *groups = extraction->groups;
  coarsest state = {0};
  for (size_t i = 0; i < groups->node_count; ++i) {
    const tune_fusion_node *node = &groups->nodes[i];
    bool sums =
        tune_op_class_is_heavy(node->facts.op_class) || node->facts.op_class == TUNE_OP_REDUCTION;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(node->op); ++r) {
      MlirValue result = mlirOperationGetResult(node->op, r);
      if (sums || !is_only_returned(result))
        add_type(mlirValueGetType(result), &state);
    }
  }
  return state.name;
}

// Whether `op` rounds to the types of its results: what only moves does not, nor what widens.
static bool rounds(const tune_fusion_node *node) {
  if (node->facts.op_class != TUNE_OP_MOVEMENT)
    return node->facts.op_class != TUNE_OP_PAD && !node->facts.is_fill;
  if (!node->facts.only_converts)
    return false;
  coarsest from = {0}, to = {0};
  add_type(mlirValueGetType(mlirOperationGetOperand(node->op, 0)), &from);
  add_type(mlirValueGetType(mlirOperationGetResult(node->op, 0)), &to);
  return from.name && to.name && to.bits < from.bits;
}

const char *tune_task_accumulator(const tune_extraction *extraction, size_t task) {
  const tune_fusion_groups *groups = extraction->groups;
  coarsest inside = {0}, outside = {0};
  for (size_t i = 0; i < groups->group_count; ++i) {
    const tune_fusion_group *group = &groups->groups[i];
    if (extraction->task_of_group[i] != task)
      continue;
    for (size_t m = 0; m < group->count; ++m) {
      size_t number = groups->members[group->first + m];
      const tune_fusion_node *node = &groups->nodes[number];
      for (intptr_t r = 0; r < mlirOperationGetNumResults(node->op); ++r)
        if (number == group->root || rounds(node))
          add_type(mlirValueGetType(mlirOperationGetResult(node->op, r)),
                   number == group->root ? &outside : &inside);
    }
    break;
  }
  return inside.name && outside.name && inside.bits < outside.bits ? inside.name : NULL;
}

static tune_allowances used_by(const tune_extraction *extraction, size_t task) {
  tune_allowances used = extraction->cpu_threads ? TUNE_ALLOWS_NARROW : TUNE_ALLOWS_TF32;
  return used & extraction->tasks[task].allowances;
}

// What rounds most of what is used, and f16 beside it, whose range is another one.
static const char *words_of(tune_allowances used) {
  if (used & TUNE_ALLOWS_F16 && used & ~TUNE_ALLOWS_F16)
    return used & TUNE_ALLOWS_INT8 ? "int8,f16" : "bf16,f16";
  for (unsigned bit = TUNE_ALLOWANCES; bit > 0; --bit)
    if (used & 1u << (bit - 1))
      return tune_allow_words[bit - 1];
  return NULL;
}

const char *tune_task_operands(const tune_extraction *extraction, size_t task) {
  return words_of(used_by(extraction, task));
}

const char *tune_module_operands(const tune_extraction *extraction) {
  MlirOperation module = mlirModuleGetOperation(extraction->normalized);
  tune_allowances used = 0;
  // The tasks of these say nothing of it: what they compute of bytes is exact.
  if (!mlirAttributeIsNull(tune_ir_attribute(module, TUNE_BYTE_PRODUCTS_ATTRIBUTE)))
    used |= TUNE_ALLOWS_INT8;
  for (size_t i = 0; i < extraction->task_count; ++i)
    used |= used_by(extraction, i);
  return words_of(used);
}

int64_t tune_module_reduction(const tune_extraction *extraction) {
  int64_t longest = 1;
  for (size_t i = 0; i < extraction->task_count; ++i) {
    uint64_t length = extraction->tasks[i].reduction_length;
    int64_t known = length > 0 ? (int64_t)length : UNKNOWN_REDUCTION;
    longest = known > longest ? known : longest;
  }
  return longest;
}
