//===- structure.c ------------------------------------------------------------===//

#include "transforms/structure/structure.h"

#include "dialects/allow.h"
#include "dialects/constant.h"
#include "dialects/diagnostic.h"
#include "dialects/printing.h"
#include "transforms/ir/ir.h"
#include "transforms/structure/nest_body.h"
#include "transforms/structure/preparation.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===--------------------------------------------------------------------------===//
// Indices
//===--------------------------------------------------------------------------===//

// Adds `scale` * `expression` to `index`; false where the expression is not linear in the loops.
static bool add_expression(MlirAffineExpr expression, int64_t scale, tune_index *index) {
  if (mlirAffineExprIsADim(expression)) {
    index->coefficient[mlirAffineDimExprGetPosition(expression)] += scale;
    return true;
  }
  if (mlirAffineExprIsAConstant(expression)) {
    index->constant += scale * mlirAffineConstantExprGetValue(expression);
    return true;
  }
  if (mlirAffineExprIsAAdd(expression))
    return add_expression(mlirAffineBinaryOpExprGetLHS(expression), scale, index) &&
           add_expression(mlirAffineBinaryOpExprGetRHS(expression), scale, index);
  if (mlirAffineExprIsAMul(expression)) {
    MlirAffineExpr factor = mlirAffineBinaryOpExprGetRHS(expression);
    return mlirAffineExprIsAConstant(factor) &&
           add_expression(mlirAffineBinaryOpExprGetLHS(expression),
                          scale * mlirAffineConstantExprGetValue(factor), index);
  }
  return false;
}

static void read_index(MlirAffineExpr expression, tune_index *index) {
  *index = (tune_index){0};
  index->is_linear = add_expression(expression, 1, index);
}

//===--------------------------------------------------------------------------===//
// Operands
//===--------------------------------------------------------------------------===//

static void read_element_type(MlirType type, tune_operand *operand) {
  unsigned bits = 0;
  const char *name = "?";
  char buffer[8];
  if (mlirTypeIsAF32(type)) {
    name = "f32";
    bits = 32;
  } else if (mlirTypeIsAF64(type)) {
    name = "f64";
    bits = 64;
  } else if (mlirTypeIsAF16(type)) {
    name = "f16";
    bits = 16;
  } else if (mlirTypeIsABF16(type)) {
    name = "bf16";
    bits = 16;
  } else if (mlirTypeIsAIndex(type)) {
    name = "index";
    bits = 64;
  } else if (mlirTypeIsAInteger(type)) {
    unsigned width = mlirIntegerTypeGetWidth(type);
    snprintf(buffer, sizeof buffer, "i%u", width % 100000u);
    name = buffer;
    bits = width < 8 ? 8 : width;
  }
  snprintf(operand->type, sizeof operand->type, "%s", name);
  operand->bits = bits;
}

static tune_status read_operand(MlirValue value, MlirAffineMap map, tune_operand *operand) {
  *operand = (tune_operand){.producer = TUNE_NO_LOOP, .argument = TUNE_NO_LOOP};
  if (mlirValueIsABlockArgument(value))
    operand->argument = (size_t)mlirBlockArgumentGetArgNumber(value);
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsAShaped(type)) {
    read_element_type(type, operand);
    return TUNE_OK;
  }
  read_element_type(mlirShapedTypeGetElementType(type), operand);
  operand->rank = (size_t)mlirShapedTypeGetRank(type);
  if (operand->rank > TUNE_MAX_LOOPS)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a tensor of rank %zu, more than %d",
                            operand->rank, TUNE_MAX_LOOPS);
  for (size_t i = 0; i < operand->rank; i++) {
    operand->shape[i] = mlirShapedTypeIsDynamicDim(type, (intptr_t)i)
                            ? TUNE_DYNAMIC_EXTENT
                            : mlirShapedTypeGetDimSize(type, (intptr_t)i);
    read_index(mlirAffineMapGetResult(map, (intptr_t)i), &operand->index[i]);
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Nests
//===--------------------------------------------------------------------------===//

static bool is_reduction_iterator(MlirOperation op, size_t loop) {
  MlirAttribute iterators = tune_ir_attribute(op, "iterator_types");
  if (mlirAttributeIsNull(iterators) || !mlirAttributeIsAArray(iterators))
    return false;
  // Upstream gives the C API no accessor for #linalg.iterator_type; its text has one.
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirAttributePrint(mlirArrayAttrGetElement(iterators, (intptr_t)loop), tune_printing_append,
                     &text);
  bool is_reduction = text.text && strstr(text.text, "reduction");
  tune_string_builder_deinit(&text);
  return is_reduction;
}

// How far each loop runs: from the dimensions that it indexes alone.
static void infer_extents(tune_nest *nest) {
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    nest->extent[loop] = TUNE_DYNAMIC_EXTENT;
    for (size_t o = 0; o < nest->operand_count; o++) {
      size_t dimension = tune_operand_find_loop(&nest->operands[o], loop);
      if (dimension == SIZE_MAX || nest->operands[o].shape[dimension] == TUNE_DYNAMIC_EXTENT)
        continue;
      nest->extent[loop] = nest->operands[o].shape[dimension];
      break;
    }
  }
}

// Whether `op` has no more operands and loops than there is room for. What has is for rules that
// ask for no structure.
static bool fits(MlirOperation op) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps))
    return true;
  if (mlirOperationGetNumOperands(op) > TUNE_MAX_OPERANDS)
    return false;
  return mlirAffineMapGetNumDims(mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 0))) <=
         TUNE_MAX_LOOPS;
}

static tune_status read_linalg_nest(MlirOperation op, tune_nest *nest) {
  // linalg.pack and its like are no loop nests: without loops, by name, they are for no rule.
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps))
    return TUNE_OK;
  if (!fits(op))
    return TUNE_OK;
  size_t operand_count = (size_t)mlirOperationGetNumOperands(op);
  size_t result_count = (size_t)mlirOperationGetNumResults(op);
  nest->operand_count = operand_count;
  nest->input_count = operand_count - result_count;
  for (size_t o = 0; o < operand_count; o++) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, (intptr_t)o));
    nest->loop_count = (size_t)mlirAffineMapGetNumDims(map);
    TUNE_RETURN_IF_ERROR(
        read_operand(mlirOperationGetOperand(op, (intptr_t)o), map, &nest->operands[o]));
  }
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    nest->is_reduction[loop] = is_reduction_iterator(op, loop);
    nest->reduction_count += nest->is_reduction[loop];
  }
  infer_extents(nest);
  tune_nest_body_read(op, nest);
  return TUNE_OK;
}

// The border of dimension `i` in the array `name`, negative where it is a value.
static int64_t read_border(MlirOperation op, const char *name, size_t i) {
  MlirAttribute borders = mlirOperationGetAttributeByName(op, tune_ir_string(name));
  if (mlirAttributeIsNull(borders) || !mlirAttributeIsADenseI64Array(borders))
    return TUNE_DYNAMIC_EXTENT;
  int64_t border = mlirDenseI64ArrayGetElement(borders, (intptr_t)i);
  return border < 0 ? TUNE_DYNAMIC_EXTENT : border;
}

// Whether the body of a pad yields the constant zero.
static bool yields_zero(MlirOperation pad) {
  MlirBlock body = tune_ir_body(pad);
  MlirOperation constant =
      tune_ir_definition(mlirOperationGetOperand(mlirBlockGetTerminator(body), 0));
  if (!tune_ir_is(constant, "arith.constant"))
    return false;
  MlirAttribute value = tune_ir_attribute(constant, "value");
  return (mlirAttributeIsAFloat(value) && mlirFloatAttrGetValueDouble(value) == 0) ||
         (mlirAttributeIsAInteger(value) && mlirIntegerAttrGetValueInt(value) == 0);
}

static void read_pad(MlirOperation op, tune_nest *nest) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  nest->loop_count = (size_t)mlirShapedTypeGetRank(type);
  if (nest->loop_count > TUNE_MAX_LOOPS)
    nest->loop_count = TUNE_MAX_LOOPS;
  for (size_t i = 0; i < nest->loop_count; i++) {
    nest->extent[i] = mlirShapedTypeIsDynamicDim(type, (intptr_t)i)
                          ? TUNE_DYNAMIC_EXTENT
                          : mlirShapedTypeGetDimSize(type, (intptr_t)i);
    nest->pad_low[i] = read_border(op, "static_low", i);
    nest->pad_high[i] = read_border(op, "static_high", i);
  }
  nest->pads_zeroes = yields_zero(op);
}

static tune_status read_nest(MlirOperation op, tune_nest *nest) {
  *nest = (tune_nest){0};
  MlirStringRef name = tune_ir_name(op);
  snprintf(nest->op_name, sizeof nest->op_name, "%.*s", (int)name.length, name.data);
  if (tune_ir_is(op, "tensor.pad")) {
    nest->kind = TUNE_NEST_PAD;
    read_pad(op, nest);
    return TUNE_OK;
  }
  nest->kind = tune_ir_is(op, "linalg.fill")      ? TUNE_NEST_FILL
               : tune_ir_is(op, "linalg.generic") ? TUNE_NEST_GENERIC
                                                  : TUNE_NEST_NAMED;
  return read_linalg_nest(op, nest);
}

static bool is_nest(MlirOperation op) {
  return tune_ir_string_starts(tune_ir_name(op), "linalg.") || tune_ir_is(op, "tensor.pad");
}

typedef struct name_list {
  size_t count;
  const char *names[8]; // or how they start, where they end in a point
} name_list;

static bool is_listed(const name_list *list, MlirOperation op) {
  for (size_t i = 0; i < list->count; i++) {
    const char *name = list->names[i];
    if (name[strlen(name) - 1] == '.' ? tune_ir_string_starts(tune_ir_name(op), name)
                                      : tune_ir_is(op, name))
      return true;
  }
  return false;
}

// Constants, empties, dim and the arithmetic of sizes: what a task may hold besides nests.
static const name_list SCENERY = {
    5, {"arith.", "affine.apply", "tensor.empty", "tensor.dim", "func.return"}};
// What a layout (layout.h) makes of nests: loops of vectors, and the parts that they are for.
static const name_list LAID_OUT = {7,
                                   {"scf.for", "vector.", "ub.", "tensor.extract_slice",
                                    "tensor.insert_slice", "tensor.collapse_shape",
                                    "tensor.expand_shape"}};

static size_t index_of(const MlirOperation *ops, size_t count, MlirOperation op) {
  for (size_t i = 0; i < count; i++)
    if (mlirOperationEqual(ops[i], op))
      return i;
  return TUNE_NO_LOOP;
}

// Whether some result of `op` is used by what is none of `ops`, other than for its sizes.
static bool is_returned(MlirOperation op, const MlirOperation *ops, size_t count) {
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
    MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, r));
    for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (index_of(ops, count, user) == TUNE_NO_LOOP && !tune_ir_is(user, "tensor.dim"))
        return true;
    }
  }
  return false;
}

// What a walk over the ops that a value is made by has met.
typedef struct origin {
  MlirOperation outside; // the op that is looked into
  size_t visits;
  bool has_constant, has_other;
} origin;

static void look_at_origin(MlirValue value, origin *state);

static MlirWalkResult look_at_operands(MlirOperation op, void *user_data) {
  origin *state = user_data;
  MlirOperation outside = state->outside;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !state->has_other; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!tune_ir_is_made_inside(value, outside))
      look_at_origin(value, state);
  }
  return state->has_other ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void look_at_origin(MlirValue value, origin *state) {
  enum { MOST_VISITS = 1000 };
  MlirOperation maker = tune_ir_definition(value);
  bool is_constant = tune_constant_is_value(value);
  state->has_constant |= is_constant && mlirTypeIsARankedTensor(mlirValueGetType(value));
  state->has_other |= (!is_constant && mlirOperationIsNull(maker)) || ++state->visits > MOST_VISITS;
  if (is_constant || state->has_other)
    return;
  MlirOperation outside = state->outside;
  state->outside = maker;
  mlirOperationWalk(maker, look_at_operands, state, MlirWalkPreOrder);
  state->outside = outside;
}

// Whether `producer`, loops of vectors on tensors by then (layout.h), makes what it makes of
// constants alone, so that it is done ahead.
static bool is_made_of_constants(MlirOperation producer) {
  origin state = {.outside = producer};
  mlirOperationWalk(producer, look_at_operands, &state, MlirWalkPreOrder);
  return state.has_constant && !state.has_other;
}

// Whether a loop that is summed up is in no input that the body of `op` uses: a constant that was
// written into it is added again and again, of which upstream's vectors keep one.
static bool sums_the_same(const tune_nest *nest, MlirOperation op) {
  if (nest->kind != TUNE_NEST_GENERIC)
    return false;
  MlirBlock body = tune_ir_body(op);
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    bool is_read = !nest->is_reduction[loop] || nest->extent[loop] == 1;
    for (size_t o = 0; o < nest->input_count && !is_read; o++) {
      MlirValue element = mlirBlockGetArgument(body, (intptr_t)o);
      bool is_used = !mlirOpOperandIsNull(mlirValueGetFirstUse(element));
      for (size_t d = 0; d < nest->operands[o].rank && is_used; d++)
        is_read |= !nest->operands[o].index[d].is_linear ||
                   nest->operands[o].index[d].coefficient[loop] != 0;
    }
    if (!is_read)
      return true;
  }
  return false;
}

// Fills in who makes each operand and who uses each nest.
static void connect(tune_structure *structure, const MlirOperation *ops, bool is_laid_out) {
  for (size_t n = 0; n < structure->nest_count; n++) {
    tune_nest *nest = &structure->nests[n];
    // What is padded and then copied by a loop of vectors (layout.h) is still of use to that alone.
    nest->is_returned = (nest->kind != TUNE_NEST_PAD || !is_laid_out) &&
                        is_returned(ops[n], ops, structure->nest_count);
    nest->pad_source = TUNE_NO_LOOP;
    if (nest->kind == TUNE_NEST_PAD)
      nest->pad_source = index_of(ops, structure->nest_count,
                                  tune_ir_definition(mlirOperationGetOperand(ops[n], 0)));
    structure->sums_the_same |= sums_the_same(nest, ops[n]);
    for (size_t o = 0; o < nest->operand_count; o++) {
      structure->has_bits |=
          nest->operands[o].rank > 0 && strcmp(nest->operands[o].type, "i1") == 0;
      MlirValue value = mlirOperationGetOperand(ops[n], (intptr_t)o);
      nest->operands[o].is_constant = tune_constant_is_value(value);
      MlirOperation producer = tune_ir_definition(value);
      if (mlirOperationIsNull(producer))
        continue;
      nest->operands[o].producer = index_of(ops, structure->nest_count, producer);
      if (is_laid_out && nest->operands[o].producer == TUNE_NO_LOOP)
        nest->operands[o].is_constant |= is_made_of_constants(producer);
      nest->operands[o].is_fresh = tune_ir_is(producer, "tensor.empty");
      if (nest->operands[o].producer != TUNE_NO_LOOP)
        structure->nests[nest->operands[o].producer].use_count++;
    }
    for (intptr_t r = 0; r < mlirOperationGetNumResults(ops[n]); r++)
      nest->dead_results +=
          mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(ops[n], r)));
    for (size_t loop = 0; loop < nest->loop_count; loop++) {
      structure->is_dynamic |= nest->extent[loop] == TUNE_DYNAMIC_EXTENT;
      structure->is_empty |= nest->extent[loop] == 0;
    }
  }
}

static tune_status read_structure(MlirOperation function, bool is_laid_out,
                                  tune_structure *out_structure) {
  *out_structure = (tune_structure){.is_regular = true};
  MlirBlock block = tune_ir_body(function);
  size_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    count += is_nest(op);
    out_structure->is_regular &=
        is_nest(op) || is_listed(&SCENERY, op) || (is_laid_out && is_listed(&LAID_OUT, op));
  }
  tune_status status = TUNE_OK;
  MlirOperation *ops = calloc(count + 1, sizeof *ops);
  out_structure->nests = calloc(count + 1, sizeof *out_structure->nests);
  if (!ops || !out_structure->nests)
    status = tune_status_out_of_memory("reading the structure of a task");
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       tune_status_is_ok(status) && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_nest(op))
      continue;
    size_t n = out_structure->nest_count++;
    ops[n] = op;
    out_structure->is_regular &= fits(op);
    status = read_nest(op, &out_structure->nests[n]);
  }
  if (tune_status_is_ok(status))
    connect(out_structure, ops, is_laid_out);
  else
    tune_structure_deinit(out_structure);
  free(ops);
  return status;
}

tune_status tune_structure_read(MlirOperation function, tune_structure *out_structure) {
  return read_structure(function, false, out_structure);
}

void tune_structure_deinit(tune_structure *structure) {
  free(structure->nests);
  *structure = (tune_structure){0};
}

//===--------------------------------------------------------------------------===//
// From a payload's text
//===--------------------------------------------------------------------------===//

static tune_status prepare(MlirModule module, const tune_preparation_wanted *wanted,
                           tune_structure *out_structure) {
  *out_structure = (tune_structure){0};
  tune_allow_place(mlirModuleGetOperation(module));
  tune_preparation preparation;
  TUNE_RETURN_IF_ERROR(tune_preparation_run(module, wanted, &preparation));
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(mlirModuleGetOperation(module), NULL, &function));
  TUNE_RETURN_IF_ERROR(read_structure(function, wanted->layout != NULL, out_structure));
  out_structure->preparation = preparation;
  return TUNE_OK;
}

tune_status tune_structure_prepare(MlirModule module, tune_structure *out_structure) {
  return prepare(module, &(tune_preparation_wanted){.layout = NULL}, out_structure);
}

tune_status tune_structure_read_wanted(MlirContext context, const char *payload,
                                       const tune_preparation_wanted *wanted,
                                       tune_structure *out_structure) {
  *out_structure = (tune_structure){0};
  MlirModule module = mlirModuleCreateParse(context, tune_ir_string(payload));
  if (mlirModuleIsNull(module))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the task's payload does not parse");
  tune_status status = prepare(module, wanted, out_structure);
  mlirModuleDestroy(module);
  return status;
}

tune_status tune_structure_read_payload(MlirContext context, const char *payload,
                                        tune_structure *out_structure) {
  return tune_structure_read_wanted(context, payload, &(tune_preparation_wanted){.layout = NULL},
                                    out_structure);
}

//===--------------------------------------------------------------------------===//
// Questions about the whole
//===--------------------------------------------------------------------------===//

bool tune_structure_has_pad(const tune_structure *structure) {
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == TUNE_NEST_PAD)
      return true;
  return false;
}

bool tune_structure_has_math(const tune_structure *structure) {
  if (structure->preparation.layout.has_math)
    return true;
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].math_op_count)
      return true;
  return false;
}

bool tune_structure_is_beyond_plans(const tune_structure *structure) {
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    double steps = 1;
    for (size_t loop = 0; loop < nest->loop_count; loop++)
      steps *= nest->extent[loop] > 1 ? (double)nest->extent[loop] : 1;
    if (steps > 0x1p54)
      return true;
  }
  return false;
}

bool tune_nest_runs_forward(const tune_nest *nest) {
  for (size_t o = 0; o < nest->operand_count; o++)
    for (size_t i = 0; i < nest->operands[o].rank; i++) {
      const tune_index *index = &nest->operands[o].index[i];
      for (size_t loop = 0; loop < nest->loop_count; loop++)
        if (!index->is_linear || index->coefficient[loop] < 0)
          return false;
    }
  return true;
}

bool tune_nest_is_elementwise(const tune_nest *nest) {
  return !nest->reduction_count && !nest->has_index && nest->kind != TUNE_NEST_NAMED &&
         nest->kind != TUNE_NEST_PAD;
}
