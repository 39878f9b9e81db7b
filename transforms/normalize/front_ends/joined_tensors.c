//===- joined_tensors.c ---------------------------------------------------------===//

#include "transforms/normalize/front_ends/joined_tensors.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum {
  MOST_PARTS = 128,
  MOST_STEPS = 4 * MOST_PARTS // where a part begins is a sum of the sizes of all before it
};

// The tensors one after the other along `dimension` of the result of `op`, the last one of those
// that make it.
typedef struct joint {
  MlirOperation op;
  intptr_t dimension; // -1: not known yet
  intptr_t count;
  MlirValue parts[MOST_PARTS];
} joint;

//===--- Numbers ---------------------------------------------------------------------===//

// An index that is known: sizes of tensors, and sums and differences of such.
static bool read_index_in(MlirValue value, int *steps, int64_t *out) {
  MlirOperation op = tune_ir_definition(value);
  int64_t a, b;
  if (++*steps > MOST_STEPS)
    return false;
  if (tune_ir_is(op, "arith.constant")) {
    MlirAttribute number = tune_ir_attribute(op, "value");
    if (!mlirAttributeIsAInteger(number))
      return false;
    *out = mlirIntegerAttrGetValueInt(number);
    return true;
  }
  bool adds = tune_ir_is(op, "arith.addi");
  if (!adds && !tune_ir_is(op, "arith.subi") && !tune_ir_is(op, "tensor.dim"))
    return false;
  if (!read_index_in(mlirOperationGetOperand(op, 1), steps, &b))
    return false;
  if (tune_ir_is(op, "tensor.dim")) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
    bool is_known = mlirTypeIsARankedTensor(type) && b >= 0 && b < mlirShapedTypeGetRank(type) &&
                    !mlirShapedTypeIsDynamicDim(type, b);
    *out = is_known ? mlirShapedTypeGetDimSize(type, b) : 0;
    return is_known;
  }
  return read_index_in(mlirOperationGetOperand(op, 0), steps, &a) &&
         !(adds ? __builtin_add_overflow(a, b, out) : __builtin_sub_overflow(a, b, out));
}

static bool read_index(MlirValue value, int64_t *out) {
  int steps = 0;
  return read_index_in(value, &steps, out);
}

// The loop of `op` whose index `value` is; -1: none.
static intptr_t loop_of(const joint *j, MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  return tune_ir_is(op, "linalg.index") &&
                 mlirOperationEqual(mlirBlockGetParentOperation(mlirOperationGetBlock(op)), j->op)
             ? mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim"))
             : -1;
}

//===--- By index --------------------------------------------------------------------===//

// Whether `value` is the index along the dimension, less `begin`.
static bool is_index_from(const joint *j, MlirValue value, int64_t begin) {
  MlirOperation op = tune_ir_definition(value);
  int64_t less;
  if (loop_of(j, value) == j->dimension)
    return begin == 0;
  return tune_ir_is(op, "arith.subi") &&
         loop_of(j, mlirOperationGetOperand(op, 0)) == j->dimension &&
         read_index(mlirOperationGetOperand(op, 1), &less) && less == begin;
}

// Whether `value` is the index of loop `loop`, which is 0 where that has one step.
static bool is_index(const joint *j, MlirValue value, intptr_t loop) {
  int64_t number;
  return loop_of(j, value) == loop ||
         (mlirShapedTypeGetDimSize(mlirValueGetType(mlirOperationGetResult(j->op, 0)), loop) == 1 &&
          read_index(value, &number) && number == 0);
}

// Whether `op` takes the element out of a tensor that fills the result from `begin` to `end`.
static bool read_part(joint *j, MlirOperation op, int64_t begin, int64_t end) {
  MlirValue source = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(source),
           result = mlirValueGetType(mlirOperationGetResult(j->op, 0));
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(result);
  if (j->count == MOST_PARTS || !tune_tensor_is_plain(type) ||
      !mlirTypeEqual(type, tune_tensor_type_with_size(result, j->dimension, end - begin)) ||
      tune_ir_is_made_inside(source, j->op))
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    MlirValue index = mlirOperationGetOperand(op, 1 + d);
    if (d == j->dimension ? !is_index_from(j, index, begin) : !is_index(j, index, d))
      return false;
  }
  j->parts[j->count++] = source;
  return true;
}

// What `region` of `op` yields, where that is all that it is for.
static MlirValue yielded(MlirOperation op, intptr_t region) {
  MlirRegion body = mlirOperationGetRegion(op, region);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  const MlirValue none = {NULL};
  if (mlirBlockIsNull(block) || !tune_ir_is_only_block(block))
    return none;
  MlirOperation yield = mlirBlockGetTerminator(block);
  return mlirOperationGetNumOperands(yield) == 1 ? mlirOperationGetOperand(yield, 0) : none;
}

// Whether `value` is the element of the result from `begin` to `end`, by the tensors that it reads.
static bool read_parts(joint *j, MlirValue value, int64_t begin, int64_t end) {
  enum { SLT = 2, ULT = 6 }; // as arith numbers them
  for (;;) {
    MlirOperation op = mlirValueIsNull(value) ? (MlirOperation){NULL} : tune_ir_definition(value);
    if (tune_ir_is(op, "tensor.extract"))
      return j->count > 0 && read_part(j, op, begin, end);
    if (!tune_ir_is(op, "scf.if") || mlirOperationGetNumResults(op) != 1)
      return false;
    MlirOperation compare = tune_ir_definition(mlirOperationGetOperand(op, 0));
    if (!tune_ir_is(compare, "arith.cmpi"))
      return false;
    int64_t predicate = mlirIntegerAttrGetValueInt(tune_ir_attribute(compare, "predicate"));
    intptr_t loop = loop_of(j, mlirOperationGetOperand(compare, 0));
    int64_t bound;
    if ((predicate != SLT && predicate != ULT) || loop != j->dimension ||
        !read_index(mlirOperationGetOperand(compare, 1), &bound) || bound <= begin || bound >= end)
      return false;
    MlirValue first = yielded(op, 0);
    MlirOperation extract =
        mlirValueIsNull(first) ? (MlirOperation){NULL} : tune_ir_definition(first);
    if (!tune_ir_is(extract, "tensor.extract") || !read_part(j, extract, begin, bound))
      return false;
    begin = bound;
    value = yielded(op, 1);
  }
}

// Whatever does more than to compute would be gone.
static MlirWalkResult find_effect(MlirOperation op, void *user_data) {
  static const char *const PREFIXES[] = {"arith.", "tensor.", "scf.", "linalg."};
  bool is_known = false;
  for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; ++i)
    is_known |= tune_ir_string_starts(tune_ir_name(op), PREFIXES[i]);
  *(bool *)user_data |= !is_known;
  return MlirWalkResultAdvance;
}

static bool has_effects(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, find_effect, &found, MlirWalkPreOrder);
  return found;
}

// An op over its result alone, whose dimensions are its loops in their order.
static bool read_chosen(MlirOperation op, joint *out) {
  if (!tune_ir_is(op, "linalg.generic") || mlirOperationGetNumOperands(op) != 1 ||
      mlirOperationGetNumResults(op) != 1)
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirAttribute maps = tune_ir_attribute(op, "indexing_maps");
  if (!tune_tensor_is_plain(type) || mlirArrayAttrGetNumElements(maps) != 1 ||
      !mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 0))))
    return false;
  MlirOperation choice =
      tune_ir_definition(mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(op)), 0));
  if (!tune_ir_is(choice, "scf.if"))
    return false;
  MlirOperation compare = tune_ir_definition(mlirOperationGetOperand(choice, 0));
  if (!tune_ir_is(compare, "arith.cmpi"))
    return false;
  out->dimension = loop_of(out, mlirOperationGetOperand(compare, 0));
  return out->dimension >= 0 && !has_effects(op) &&
         read_parts(out, mlirOperationGetResult(choice, 0), 0,
                    mlirShapedTypeGetDimSize(type, out->dimension));
}

//===--- By slices -------------------------------------------------------------------===//

// Whether the tensor.insert_slice `op` fills what is before `*end` along the one dimension, from
// some element on, which `*end` is then.
static bool read_inserted_part(joint *j, MlirOperation op, int64_t *end) {
  int64_t offsets[TUNE_IR_MAX_RANK], sizes[TUNE_IR_MAX_RANK], steps[TUNE_IR_MAX_RANK];
  MlirValue source = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(source), whole = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (j->count == MOST_PARTS || mlirOperationGetNumOperands(op) != 2 ||
      !tune_tensor_is_plain(type) || !tune_tensor_is_plain(whole))
    return false;
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(whole);
  if (mlirShapedTypeGetRank(type) != rank ||
      !tune_tensor_read_numbers(op, "static_offsets", rank, offsets) ||
      !tune_tensor_read_numbers(op, "static_sizes", rank, sizes) ||
      !tune_tensor_read_numbers(op, "static_strides", rank, steps))
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    if (steps[d] != 1 || sizes[d] != mlirShapedTypeGetDimSize(type, d))
      return false;
    if (sizes[d] == mlirShapedTypeGetDimSize(whole, d))
      continue;
    if (j->dimension >= 0 && j->dimension != d)
      return false;
    j->dimension = d;
  }
  if (j->dimension < 0)
    return false;
  if (j->count == 0)
    *end = mlirShapedTypeGetDimSize(whole, j->dimension);
  if (offsets[j->dimension] + sizes[j->dimension] != *end)
    return false;
  *end = offsets[j->dimension];
  j->parts[j->count++] = source;
  return true;
}

static MlirOperation inserted_before(MlirOperation op) {
  return tune_ir_definition(mlirOperationGetOperand(op, 1));
}

// What is filled from its end to its beginning, so that nothing is left of what it began with.
static bool read_inserted(MlirOperation op, joint *out) {
  int64_t end = 0;
  if (!tune_ir_is(op, "tensor.insert_slice") || !read_inserted_part(out, op, &end))
    return false;
  while (end > 0) {
    op = inserted_before(op);
    if (!tune_ir_is(op, "tensor.insert_slice") ||
        !tune_ir_has_one_use(mlirOperationGetResult(op, 0)) || !read_inserted_part(out, op, &end))
      return false;
  }
  for (intptr_t i = 0; i < out->count / 2; ++i) {
    MlirValue part = out->parts[i];
    out->parts[i] = out->parts[out->count - 1 - i];
    out->parts[out->count - 1 - i] = part;
  }
  return out->count > 1;
}

//===--- Either ----------------------------------------------------------------------===//

static bool read_joint(MlirOperation op, joint *out) {
  *out = (joint){.op = op, .dimension = -1};
  return read_chosen(op, out) || read_inserted(op, out);
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  joint found;
  if (!read_joint(op, &found))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

static void replace(const joint *j) {
  tune_ir_builder b = tune_ir_builder_before(j->op);
  MlirValue made = tune_tensor_concat(&b, j->count, j->parts, j->dimension,
                                      mlirValueGetType(mlirOperationGetResult(j->op, 0)));
  tune_ir_copy_attributes(j->op, tune_ir_definition(made));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(j->op, 0), made);
  bool is_inserted = tune_ir_is(j->op, "tensor.insert_slice");
  MlirOperation op = j->op;
  for (intptr_t i = is_inserted ? j->count : 1; i > 0; --i) {
    MlirOperation before = i > 1 ? inserted_before(op) : op;
    mlirOperationDestroy(op);
    op = before;
  }
}

bool tune_normalize_joined_tensors(MlirOperation root) {
  static const char *const DIALECTS[] = {"tensor", NULL};
  tune_op_list ops = {0};
  mlirOperationWalk(root, list_op, &ops, MlirWalkPreOrder);
  if (ops.count)
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  for (size_t i = 0; i < ops.count; ++i) {
    joint j;
    if (read_joint(ops.ops[i], &j))
      replace(&j);
  }
  bool is_done = !ops.failed;
  tune_op_list_deinit(&ops);
  return is_done;
}
