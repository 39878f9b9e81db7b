//===- scaled_bytes.c -------------------------------------------------------------===//

#include "transforms/normalize/quantized/scaled_bytes.h"

#include "transforms/normalize/element_op.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

// Less has no inverse that f32 holds: what is smaller is so many bytes of this.
static const double LEAST = 1e-30;

// A tensor that is looked at, and which of its dimensions are kept.
typedef struct source {
  const tune_ir_builder *b;
  MlirType f32;
  MlirValue value;
  intptr_t rank, kept;
  int64_t sizes[TUNE_IR_MAX_RANK], kept_sizes[TUNE_IR_MAX_RANK];
  MlirAffineMap all, of_kept; // by the dimensions of the tensor: itself, those that are kept
} source;

static source read_source(const tune_ir_builder *b, MlirValue value, const bool *is_kept) {
  MlirType type = mlirValueGetType(value);
  source s = {.b = b, .f32 = mlirF32TypeGet(b->context), .value = value};
  MlirAffineExpr kept[TUNE_IR_MAX_RANK];
  s.rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < s.rank; ++d) {
    s.sizes[d] = mlirShapedTypeGetDimSize(type, d);
    if (!is_kept[d])
      continue;
    s.kept_sizes[s.kept] = s.sizes[d];
    kept[s.kept++] = mlirAffineDimExprGet(b->context, d);
  }
  s.all = mlirAffineMapMultiDimIdentityGet(b->context, s.rank);
  s.of_kept = mlirAffineMapGet(b->context, s.rank, 0, s.kept, kept);
  return s;
}

static MlirValue build_empty(const source *s, intptr_t rank, const int64_t *sizes,
                             MlirType element) {
  MlirType type = mlirRankedTensorTypeGet(rank, sizes, element, (MlirAttribute){NULL});
  return tune_ir_build_value(s->b, "tensor.empty", type, 0, NULL);
}

static MlirValue number(const source *s, const tune_element_op *op, double value) {
  return tune_ir_build_number(&op->inside, s->f32, value);
}

static MlirValue build_most(const source *s) {
  MlirValue empty = build_empty(s, s->kept, s->kept_sizes, s->f32);
  MlirValue zeroes = mlirOperationGetResult(
      tune_ir_build_fill(s->b, tune_ir_build_number(s->b, s->f32, 0), empty), 0);
  tune_element_op op = tune_element_op_begin(s->b);
  MlirValue x = tune_element_op_add(&op, s->value, s->all);
  MlirValue most = tune_element_op_add(&op, zeroes, s->of_kept);
  x = tune_ir_build_value(&op.inside, "math.absf", s->f32, 1, &x);
  return tune_element_op_end(&op, tune_ir_build_binary(&op.inside, "arith.maximumf", most, x));
}

// most / 127, or with `is_inverse` 127 / most.
static MlirValue build_scale(const source *s, MlirValue most, bool is_inverse) {
  MlirAffineMap same = mlirAffineMapMultiDimIdentityGet(s->b->context, s->kept);
  MlirValue into = build_empty(s, s->kept, s->kept_sizes, s->f32);
  tune_element_op op = tune_element_op_begin(s->b);
  MlirValue x = tune_element_op_add(&op, most, same);
  tune_element_op_add(&op, into, same);
  x = tune_ir_build_binary(&op.inside, "arith.maximumf", x, number(s, &op, LEAST));
  if (!is_inverse)
    return tune_element_op_end(&op,
                               tune_ir_build_binary(&op.inside, "arith.mulf", x,
                                                    number(s, &op, 1.0 / TUNE_SCALED_BYTES_MOST)));
  MlirValue one = number(s, &op, TUNE_SCALED_BYTES_MOST);
  return tune_element_op_end(&op, tune_ir_build_binary(&op.inside, "arith.divf", one, x));
}

static MlirValue build_bytes(const source *s, MlirValue inverse) {
  MlirType byte = mlirIntegerTypeGet(s->b->context, 8);
  MlirValue into = build_empty(s, s->rank, s->sizes, byte);
  tune_element_op op = tune_element_op_begin(s->b);
  MlirValue x = tune_element_op_add(&op, s->value, s->all);
  x = tune_ir_build_binary(&op.inside, "arith.mulf", x,
                           tune_element_op_add(&op, inverse, s->of_kept));
  x = tune_ir_build_value(&op.inside, "math.roundeven", s->f32, 1, &x);
  // What is no number becomes one. The scale is none then.
  x = tune_ir_build_binary(&op.inside, "arith.maxnumf", x, number(s, &op, -TUNE_SCALED_BYTES_MOST));
  x = tune_ir_build_value(&op.inside, "arith.fptosi", byte, 1, &x);
  tune_element_op_add(&op, into, s->all);
  return tune_element_op_end(&op, x);
}

tune_scaled_bytes tune_scaled_bytes_build(const tune_ir_builder *b, MlirValue value,
                                          const bool *is_kept) {
  source s = read_source(b, value, is_kept);
  MlirValue most = build_most(&s);
  return (tune_scaled_bytes){.bytes = build_bytes(&s, build_scale(&s, most, true)),
                             .scale = build_scale(&s, most, false),
                             .scale_map = s.of_kept};
}
