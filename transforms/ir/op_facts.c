//===- op_facts.c -------------------------------------------------------------===//

#include "transforms/ir/op_facts.h"

#include "transforms/ir/ir.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/Dialect/Linalg.h"

tune_op_words tune_op_words_get(MlirContext context) {
  return (tune_op_words){
      .parallel = mlirAttributeParseGet(context, tune_ir_string("#linalg.iterator_type<parallel>")),
  };
}

bool tune_op_class_is_heavy(tune_op_class op_class) {
  return op_class == TUNE_OP_CONTRACTION || op_class == TUNE_OP_CONVOLUTION ||
         op_class == TUNE_OP_POOLING;
}

size_t tune_op_element_bytes(MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    type = mlirShapedTypeGetElementType(type);
  if (mlirTypeIsAF32(type))
    return 4;
  if (mlirTypeIsAF64(type) || mlirTypeIsAIndex(type))
    return 8;
  if (tune_ir_is_short_float(type))
    return 2;
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSignless(type))
    switch (mlirIntegerTypeGetWidth(type)) {
    case 1:
    case 8:
      return 1;
    case 16:
      return 2;
    case 32:
      return 4;
    case 64:
      return 8;
    }
  return 0;
}

MlirAffineMap tune_op_facts_map(const tune_op_facts *facts, size_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(facts->maps, (intptr_t)operand));
}

size_t tune_op_facts_rank(const tune_op_facts *facts, size_t operand) {
  if (mlirAttributeIsNull(facts->maps))
    return facts->loop_count;
  return (size_t)mlirAffineMapGetNumResults(tune_op_facts_map(facts, operand));
}

uint8_t tune_op_facts_loop(const tune_op_facts *facts, size_t operand, size_t position) {
  if (mlirAttributeIsNull(facts->maps))
    return (uint8_t)position;
  MlirAffineExpr expression =
      mlirAffineMapGetResult(tune_op_facts_map(facts, operand), (intptr_t)position);
  return mlirAffineExprIsADim(expression) ? (uint8_t)mlirAffineDimExprGetPosition(expression)
                                          : TUNE_OP_NO_LOOP;
}

bool tune_op_facts_is_permutation(const tune_op_facts *facts, size_t operand) {
  uint32_t seen = 0, parallel = 0;
  for (size_t loop = 0; loop < facts->loop_count; ++loop)
    parallel |= (uint32_t)!facts->is_reduction[loop] << loop;
  for (size_t i = 0, rank = tune_op_facts_rank(facts, operand); i < rank; ++i) {
    uint8_t loop = tune_op_facts_loop(facts, operand, i);
    if (loop == TUNE_OP_NO_LOOP || (seen >> loop & 1))
      return false;
    seen |= UINT32_C(1) << loop;
  }
  return seen == parallel;
}

uint64_t tune_op_facts_extent(const tune_op_facts *facts, bool reduction) {
  uint64_t extent = 1;
  for (size_t loop = 0; loop < facts->loop_count; ++loop) {
    if (reduction && !facts->is_reduction[loop])
      continue;
    if (facts->sizes[loop] < 0)
      return 0;
    extent *= (uint64_t)facts->sizes[loop];
  }
  return extent;
}

//===--- Types ----------------------------------------------------------------===//

static const char *check_type(MlirType type) {
  if (mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type))
    return "it works on buffers; tuning starts from tensors, before bufferization";
  if (mlirTypeIsAUnrankedTensor(type))
    return "the rank of an operand is not known";
  if (mlirTypeIsARankedTensor(type) && !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return "an operand has a sparse or other special encoding";
  if (!tune_op_element_bytes(type))
    return "an element type is none of f16, bf16, f32, f64, i1, i8, i16, i32, i64, index";
  return NULL;
}

static const char *check_types(MlirOperation op) {
  const char *reason = NULL;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !reason; ++i)
    reason = check_type(mlirValueGetType(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !reason; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    reason = check_type(type);
    if (!reason && !mlirTypeIsARankedTensor(type))
      reason = "it yields a scalar";
  }
  if (!reason && mlirOperationGetNumResults(op) == 0)
    reason = "it has no result";
  return reason;
}

//===--- Bodies ---------------------------------------------------------------===//

static bool is_conversion(MlirStringRef name) {
  static const char *const conversions[] = {
      "arith.extf",   "arith.truncf", "arith.extsi",  "arith.extui",  "arith.trunci",
      "arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui", "arith.index_cast",
  };
  for (size_t i = 0; i < sizeof conversions / sizeof *conversions; ++i)
    if (tune_ir_string_equal(name, conversions[i]))
      return true;
  return false;
}

static bool is_division(MlirStringRef name) {
  return tune_ir_string_starts(name, "arith.div") || tune_ir_string_starts(name, "arith.rem") ||
         tune_ir_string_starts(name, "arith.ceildiv") ||
         tune_ir_string_starts(name, "arith.floordiv");
}

typedef struct body_facts {
  size_t ops, conversions, multiplications;
  size_t inputs_used;  // block arguments of ins that have a use
  bool has_structured; // there is another op with loops in it
} body_facts;

static bool gives_f64(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsAF64(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

static MlirWalkResult note_body_op(MlirOperation op, tune_op_facts *facts, body_facts *body) {
  MlirStringRef name = tune_ir_name(op);
  if (tune_ir_string_equal(name, "linalg.yield"))
    return MlirWalkResultAdvance;
  ++body->ops;
  if (tune_ir_string_equal(name, "linalg.index"))
    facts->reads_index = true;
  else if (tune_ir_string_starts(name, "linalg."))
    body->has_structured = true;
  else if (tune_ir_string_equal(name, "tensor.extract"))
    facts->reads_tensor = true;
  else if (is_conversion(name))
    ++body->conversions;
  else if (!tune_ir_string_equal(name, "arith.constant") &&
           !tune_ir_string_starts(name, "arith.cmp") && !tune_ir_string_equal(name, "arith.select"))
    ++facts->arithmetic;
  if (tune_ir_string_starts(name, "math.") || is_division(name))
    facts->has_math = true;
  facts->has_f64_function |= tune_ir_string_starts(name, "math.") && gives_f64(op);
  if (tune_ir_string_starts(name, "arith.mul"))
    ++body->multiplications;
  return MlirWalkResultAdvance;
}

typedef struct walk_state {
  tune_op_facts *facts;
  body_facts *body;
  MlirOperation self;
} walk_state;

static MlirWalkResult walk_body(MlirOperation op, void *user_data) {
  walk_state *state = user_data;
  return mlirOperationEqual(op, state->self) ? MlirWalkResultAdvance
                                             : note_body_op(op, state->facts, state->body);
}

static void read_body(MlirOperation op, tune_op_facts *facts, body_facts *body) {
  MlirBlock block = tune_ir_body(op);
  for (size_t i = 0; i < (size_t)mlirBlockGetNumArguments(block); ++i) {
    bool used =
        !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(block, (intptr_t)i)));
    if (i < facts->input_count)
      body->inputs_used += used;
    else
      facts->reads_destination |= used;
  }
  walk_state state = {facts, body, op};
  mlirOperationWalk(op, walk_body, &state, MlirWalkPreOrder);
}

//===--- Classes --------------------------------------------------------------===//

// Whether an input is indexed by something that is no loop and no constant: d0 * 2 + d3.
static bool has_window(const tune_op_facts *facts) {
  for (size_t operand = 0; operand < facts->input_count; ++operand) {
    MlirAffineMap map = tune_op_facts_map(facts, operand);
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
      MlirAffineExpr expression = mlirAffineMapGetResult(map, i);
      if (!mlirAffineExprIsADim(expression) && !mlirAffineExprIsAConstant(expression))
        return true;
    }
  }
  return false;
}

// A contraction without rows and columns of its own is a dot product: a reduction.
static bool has_rows_or_columns(MlirOperation op) {
  MlirLinalgContractionDimensions dimensions = mlirLinalgInferContractionDimensions(op);
  return !mlirAttributeIsNull(dimensions.m) && (mlirDenseArrayGetNumElements(dimensions.m) > 0 ||
                                                mlirDenseArrayGetNumElements(dimensions.n) > 0);
}

static tune_op_class classify(MlirOperation op, tune_op_facts *facts) {
  body_facts body = {0};
  read_body(op, facts, &body);
  if (body.has_structured) {
    facts->reason = "there is another linalg op in its body";
    return TUNE_OP_UNTUNABLE;
  }
  bool reduces = false;
  for (size_t loop = 0; loop < facts->loop_count; ++loop)
    reduces |= facts->is_reduction[loop];
  if (!reduces) {
    facts->only_converts = body.ops == 1 && body.conversions == 1;
    return body.ops == 0 || facts->only_converts ? TUNE_OP_MOVEMENT : TUNE_OP_ELEMENTWISE;
  }
  if (has_window(facts))
    return body.inputs_used > 1 && body.multiplications ? TUNE_OP_CONVOLUTION : TUNE_OP_POOLING;
  if (mlirLinalgIsAContractionOp(op) && has_rows_or_columns(op))
    return TUNE_OP_CONTRACTION;
  return TUNE_OP_REDUCTION;
}

static void read_loop_sizes(MlirOperation op, tune_op_facts *facts) {
  for (size_t loop = 0; loop < facts->loop_count; ++loop)
    facts->sizes[loop] = -1;
  for (size_t i = 0; i < facts->input_count + facts->result_count; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, (intptr_t)i));
    if (!mlirTypeIsARankedTensor(type))
      continue;
    for (size_t position = 0; position < tune_op_facts_rank(facts, i); ++position) {
      uint8_t loop = tune_op_facts_loop(facts, i, position);
      if (loop != TUNE_OP_NO_LOOP && !mlirShapedTypeIsDynamicDim(type, (intptr_t)position))
        facts->sizes[loop] = mlirShapedTypeGetDimSize(type, (intptr_t)position);
    }
  }
}

// Whether `op`, which moves, yields its only input, a scalar, to all of its only output. One of
// rank 0 is none: upstream specializes that to linalg.copy.
static bool is_fill(MlirOperation op, const tune_op_facts *facts) {
  if (facts->loop_count == 0 || facts->input_count != 1 || facts->result_count != 1 ||
      facts->only_converts ||
      mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      !mlirAffineMapIsIdentity(tune_op_facts_map(facts, 1)))
    return false;
  MlirBlock block = tune_ir_body(op);
  MlirOperation yield = mlirBlockGetFirstOperation(block);
  return mlirValueEqual(mlirOperationGetOperand(yield, 0), mlirBlockGetArgument(block, 0));
}

// Of a generic, or of another op whose loops are all parallel.
static void get_generic_facts(MlirOperation op, const tune_op_words *words, tune_op_facts *facts) {
  facts->maps = mlirLinalgGetIndexingMapsAttribute(op);
  MlirAttribute iterators = tune_ir_attribute(op, "iterator_types");
  facts->loop_count = (size_t)mlirAffineMapGetNumDims(tune_op_facts_map(facts, 0));
  if (facts->loop_count > TUNE_OP_MAX_LOOPS) {
    facts->reason = "it has more than 16 loops";
    return;
  }
  facts->result_count = (size_t)mlirOperationGetNumResults(op);
  facts->input_count = (size_t)mlirOperationGetNumOperands(op) - facts->result_count;
  for (size_t loop = 0; loop < facts->loop_count; ++loop)
    facts->is_reduction[loop] =
        !mlirAttributeIsNull(iterators) &&
        !mlirAttributeEqual(mlirArrayAttrGetElement(iterators, (intptr_t)loop), words->parallel);
  read_loop_sizes(op, facts);
  facts->op_class = classify(op, facts);
  facts->is_fill = facts->op_class == TUNE_OP_MOVEMENT && is_fill(op, facts);
}

// Whether the padding on both sides is constant, and the value put there does not depend on where.
static bool pads_by_constants(MlirOperation op) {
  if (mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirBlock block = tune_ir_body(op);
  return tune_ir_is(mlirBlockGetFirstOperation(block), "tensor.yield");
}

static void get_pad_facts(MlirOperation op, tune_op_facts *facts) {
  if (!pads_by_constants(op)) {
    facts->reason = "the padding is not constant";
    return;
  }
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  facts->loop_count = (size_t)mlirShapedTypeGetRank(type);
  if (facts->loop_count > TUNE_OP_MAX_LOOPS) {
    facts->reason = "it has more than 16 loops";
    return;
  }
  for (size_t loop = 0; loop < facts->loop_count; ++loop)
    facts->sizes[loop] = mlirShapedTypeIsDynamicDim(type, (intptr_t)loop)
                             ? -1
                             : mlirShapedTypeGetDimSize(type, (intptr_t)loop);
  facts->input_count = facts->result_count = 1;
  facts->op_class = TUNE_OP_PAD;
}

void tune_op_facts_get(MlirOperation op, const tune_op_words *words, tune_op_facts *out_facts) {
  *out_facts = (tune_op_facts){.op_class = TUNE_OP_FOREIGN};
  MlirStringRef name = tune_ir_name(op);
  bool is_pad = tune_ir_string_equal(name, "tensor.pad");
  if (!is_pad && !tune_ir_string_starts(name, "linalg."))
    return;
  // Part of a body, not ops of their own.
  if (tune_ir_string_equal(name, "linalg.yield") || tune_ir_string_equal(name, "linalg.index"))
    return;
  out_facts->op_class = TUNE_OP_UNTUNABLE;
  out_facts->reason = check_types(op);
  if (out_facts->reason)
    return;
  if (is_pad)
    get_pad_facts(op, out_facts);
  else if (tune_ir_string_equal(name, "linalg.generic") ||
           tune_ir_string_equal(name, "linalg.fill"))
    get_generic_facts(op, words, out_facts);
  else
    out_facts->reason = "it has no indexing maps to tune by";
}
