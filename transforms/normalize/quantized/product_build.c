//===- product_build.c ------------------------------------------------------------===//

#include "transforms/normalize/quantized/product_build.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/element_op.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/quantized/tensor_dimensions.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

#include <float.h>
#include <math.h>

intptr_t tune_quantized_product_along(const tune_quantized_product *p, intptr_t factor,
                                      const tune_factor_term *term) {
  MlirAffineMap result = tune_nest_maps_result(&p->nest);
  intptr_t loop = tune_nest_maps_loop(p->nest.maps[factor], term->dimension);
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(result) && loop >= 0; ++d)
    if (tune_nest_maps_loop(result, d) == loop)
      return d;
  return -1;
}

//===--- Moves ----------------------------------------------------------------------------===//

// Takes `move` into `*map`, by which its result is read. False where it does more than turn.
static bool take_move(const tune_factor_move *move, MlirAffineMap *map) {
  MlirContext context = mlirAffineMapGetContext(*map);
  intptr_t loops = mlirAffineMapGetNumDims(*map);
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  if (mlirOperationIsNull(move->op)) {
    *map = tune_nest_maps_compose(move->map, *map);
    return true;
  }
  if (tune_ir_is(move->op, "tensor.pad"))
    return false;
  MlirType from = mlirValueGetType(mlirOperationGetOperand(move->op, 0));
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(from), at[TUNE_IR_MAX_RANK],
           all[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < TUNE_IR_MAX_RANK; ++d)
    all[d] = d;
  if (!tune_tensor_dimensions_before_reshape(move->op, all, at))
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    if (at[d] < 0 && mlirShapedTypeGetDimSize(from, d) != 1)
      return false;
    indices[d] =
        at[d] < 0 ? mlirAffineConstantExprGet(context, 0) : mlirAffineMapGetResult(*map, at[d]);
  }
  *map = mlirAffineMapGet(context, loops, 0, rank, indices);
  return true;
}

void tune_quantized_product_take_moves(tune_quantized_product *p) {
  tune_quantized_product as_it_came = *p;
  for (intptr_t f = 0; f < 2; ++f) {
    tune_quantized_factor *factor = &p->factors[f];
    p->read[f] = p->nest.maps[f];
    // The filter of a convolution is turned ahead, and its image has borders.
    if (!tune_nest_maps_is_plain(p->nest.maps[0]) || !tune_nest_maps_is_plain(p->nest.maps[1]))
      continue;
    intptr_t taken = 0;
    while (taken < factor->move_count && take_move(&factor->moves[taken], &p->read[f]))
      ++taken;
    factor->move_count -= taken;
    memmove(factor->moves, factor->moves + taken,
            (size_t)factor->move_count * sizeof *factor->moves);
  }
  if (tune_product_reads_loops(&p->nest, p->read))
    return;
  *p = as_it_came;
  for (intptr_t f = 0; f < 2; ++f)
    p->read[f] = p->nest.maps[f];
}

//===--- An op in the making ------------------------------------------------------------===//

static MlirValue convert(tune_element_op *m, const char *name, MlirType type, MlirValue value) {
  return tune_ir_build_value(&m->inside, name, type, 1, &value);
}

static MlirType i32_of(const tune_element_op *m) {
  return mlirIntegerTypeGet(m->inside.context, 32);
}

static MlirValue widen(tune_element_op *m, MlirValue byte, bool is_unsigned) {
  return convert(m, is_unsigned ? "arith.extui" : "arith.extsi", i32_of(m), byte);
}

static MlirValue build_tensor(const tune_ir_builder *b, intptr_t rank, const int64_t *sizes,
                              MlirType element) {
  MlirType type = mlirRankedTensorTypeGet(rank, sizes, element, (MlirAttribute){NULL});
  return tune_ir_build_value(b, "tensor.empty", type, 0, NULL);
}

static MlirValue build_zeroes(const tune_ir_builder *b, intptr_t rank, const int64_t *sizes) {
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  return mlirOperationGetResult(
      tune_ir_build_fill(b, tune_ir_build_number(b, i32, 0), build_tensor(b, rank, sizes, i32)), 0);
}

// The zero point `term`, a number or an operand by `map`, as i32.
static MlirValue read_zero(tune_element_op *m, const tune_factor_term *term, MlirAffineMap map) {
  if (mlirValueIsNull(term->value))
    return tune_ir_build_number(&m->inside, i32_of(m), term->number);
  MlirValue zero = tune_element_op_add(m, term->value, map);
  MlirType type = mlirValueGetType(zero);
  if (mlirTypeIsAFloat(type))
    return convert(m, "arith.fptosi", i32_of(m), zero);
  unsigned width = mlirIntegerTypeGetWidth(type);
  return width == 32  ? zero
         : width > 32 ? convert(m, "arith.trunci", i32_of(m), zero)
                      : widen(m, zero, term->is_unsigned);
}

//===--- Sums of one factor -------------------------------------------------------------===//

// The loops of the product that a factor has, in the order of the result, then those of sums.
typedef struct loops {
  intptr_t count, kept;                 // all; of the result
  MlirAffineExpr to[TUNE_IR_MAX_LOOPS]; // by loop of the product
  intptr_t of_result[TUNE_IR_MAX_RANK]; // which dimension of the result a kept one is
  int64_t sizes[TUNE_IR_MAX_RANK];      // of the kept ones
} loops;

static loops find_loops(const tune_quantized_product *p, intptr_t factor) {
  const tune_nest_maps *n = &p->nest;
  MlirContext context = mlirOperationGetContext(n->op);
  MlirAffineMap result = tune_nest_maps_result(n), map = p->read[factor];
  loops found = {0};
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    found.to[loop] = mlirAffineConstantExprGet(context, 0);
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(result); ++d) {
    intptr_t loop = tune_nest_maps_loop(result, d);
    if (loop < 0 || !tune_nest_maps_has(map, loop))
      continue;
    found.of_result[found.kept] = d;
    found.sizes[found.kept] = n->extents[loop];
    found.to[loop] = mlirAffineDimExprGet(context, found.kept++);
  }
  found.count = found.kept;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (!tune_nest_maps_has(result, loop) && tune_nest_maps_has(map, loop))
      found.to[loop] = mlirAffineDimExprGet(context, found.count++);
  return found;
}

static MlirAffineMap renumber(const tune_nest_maps *n, const loops *l, MlirAffineMap map) {
  MlirContext context = mlirOperationGetContext(n->op);
  return tune_nest_maps_compose(
      map, mlirAffineMapGet(context, l->count, 0, n->loop_count, (MlirAffineExpr *)l->to));
}

// Windows that no dimension of the factor alone has are those of a tensor that nothing reads.
static void add_window(tune_element_op *m, const tune_quantized_product *p, intptr_t factor,
                       const loops *l) {
  const tune_nest_maps *n = &p->nest;
  MlirAffineMap result = tune_nest_maps_result(n), map = p->read[factor];
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t rank = 0;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    bool is_told = tune_nest_maps_has(result, loop) || !tune_nest_maps_has(map, loop);
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
      is_told |= tune_nest_maps_loop(map, d) == loop;
    if (is_told)
      continue;
    sizes[rank] = n->extents[loop];
    indices[rank++] = l->to[loop];
  }
  if (rank)
    tune_element_op_add(
        m, build_tensor(m->outside, rank, sizes, mlirIntegerTypeGet(m->inside.context, 8)),
        mlirAffineMapGet(m->inside.context, l->count, 0, rank, indices));
}

// sum (byte - zero point, with `takes_zero`) * times
static MlirValue build_sum(const tune_ir_builder *b, const tune_quantized_product *p,
                           intptr_t factor, MlirValue bytes, bool takes_zero, double times,
                           const loops *l) {
  const tune_quantized_factor *f = &p->factors[factor];
  tune_element_op m = tune_element_op_begin(b);
  MlirValue x = widen(&m, tune_element_op_add(&m, bytes, renumber(&p->nest, l, p->read[factor])),
                      f->is_unsigned);
  add_window(&m, p, factor, l);
  if (takes_zero && f->has_zero) {
    intptr_t along =
        f->zero.dimension < 0 ? 0 : tune_nest_maps_loop(p->nest.maps[factor], f->zero.dimension);
    MlirAffineMap map = mlirAffineMapGet(b->context, l->count, 0, 0, NULL);
    if (!mlirValueIsNull(f->zero.value))
      map = renumber(&p->nest, l,
                     tune_factor_term_map(&f->zero, b->context, p->nest.loop_count, along));
    x = tune_ir_build_binary(&m.inside, "arith.subi", x, read_zero(&m, &f->zero, map));
  }
  if (times != 1)
    x = tune_ir_build_binary(&m.inside, "arith.muli", x,
                             tune_ir_build_number(&m.inside, i32_of(&m), times));
  MlirAffineExpr kept[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < l->kept; ++d)
    kept[d] = mlirAffineDimExprGet(b->context, d);
  MlirValue sum = tune_element_op_add(&m, build_zeroes(b, l->kept, l->sizes),
                                      mlirAffineMapGet(b->context, l->count, 0, l->kept, kept));
  return tune_element_op_end(&m, tune_ir_build_binary(&m.inside, "arith.addi", sum, x));
}

//===--- The product ----------------------------------------------------------------------===//

static void read_sizes(const tune_quantized_product *p, intptr_t *out_rank, int64_t *out_sizes) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(p->nest.op, 0));
  *out_rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < *out_rank; ++d)
    out_sizes[d] = mlirShapedTypeGetDimSize(type, d);
}

static MlirValue build_product(const tune_ir_builder *b, const tune_quantized_product *p,
                               const MlirValue *bytes) {
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t rank;
  read_sizes(p, &rank, sizes);
  MlirValue zeroes = build_zeroes(b, rank, sizes);
  tune_element_op m = tune_element_op_begin(b);
  MlirValue x[2];
  for (intptr_t f = 0; f < 2; ++f)
    x[f] = tune_element_op_add(&m, bytes[f], p->read[f]);
  MlirValue sum = tune_element_op_add(&m, zeroes, tune_nest_maps_result(&p->nest));
  for (intptr_t f = 0; f < 2; ++f)
    x[f] = widen(&m, x[f], p->factors[f].is_unsigned);
  MlirValue product = tune_ir_build_binary(&m.inside, "arith.muli", x[0], x[1]);
  MlirValue result =
      tune_element_op_end(&m, tune_ir_build_binary(&m.inside, "arith.addi", sum, product));
  tune_ir_copy_attributes(p->nest.op, tune_ir_definition(result));
  return result;
}

//===--- What scales it -------------------------------------------------------------------===//

// What is taken off the sums: `sum`, times `zero` where that is no number.
typedef struct correction {
  MlirValue sum;
  loops loops;
  const tune_factor_term *zero; // NULL: the sum has it
  intptr_t factor;              // whose zero point it is
} correction;

// Writes up to two of them. The zero points of `other` are the same for all of it.
static intptr_t build_corrections(const tune_ir_builder *b, const tune_quantized_product *p,
                                  const MlirValue *bytes, correction *out) {
  bool is_second = p->factors[0].has_zero && !mlirValueIsNull(p->factors[0].zero.value);
  intptr_t one = is_second ? 0 : 1, other = 1 - one, count = 0;
  const tune_quantized_factor *f = &p->factors[one], *g = &p->factors[other];
  if (f->has_zero) {
    bool is_number = mlirValueIsNull(f->zero.value);
    loops l = find_loops(p, other);
    out[count++] = (correction){
        .sum = build_sum(b, p, other, bytes[other], false, is_number ? f->zero.number : 1, &l),
        .loops = l,
        .zero = is_number ? NULL : &f->zero,
        .factor = one};
  }
  if (g->has_zero) {
    loops l = find_loops(p, one);
    out[count++] =
        (correction){.sum = build_sum(b, p, one, bytes[one], true, g->zero.number, &l), .loops = l};
  }
  return count;
}

static MlirAffineMap map_of_term(const tune_element_op *m, const tune_quantized_product *p,
                                 intptr_t factor, const tune_factor_term *term, intptr_t rank) {
  intptr_t along = term->dimension < 0 ? 0 : tune_quantized_product_along(p, factor, term);
  return tune_factor_term_map(term, m->inside.context, rank, along);
}

static MlirValue take_off(tune_element_op *m, const tune_quantized_product *p, const correction *c,
                          MlirValue x, intptr_t rank) {
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < c->loops.kept; ++d)
    indices[d] = mlirAffineDimExprGet(m->inside.context, c->loops.of_result[d]);
  MlirValue sum = tune_element_op_add(
      m, c->sum, mlirAffineMapGet(m->inside.context, rank, 0, c->loops.kept, indices));
  if (c->zero)
    sum = tune_ir_build_binary(&m->inside, "arith.muli", sum,
                               read_zero(m, c->zero, map_of_term(m, p, c->factor, c->zero, rank)));
  return tune_ir_build_binary(&m->inside, "arith.subi", x, sum);
}

static MlirValue times_number(tune_element_op *m, MlirValue x, double number) {
  MlirType f32 = mlirF32TypeGet(m->inside.context);
  return number == 1 ? x
                     : tune_ir_build_binary(&m->inside, "arith.mulf", x,
                                            tune_ir_build_number(&m->inside, f32, number));
}

// The numbers of all scales as one, unless that is too large or too small for f32.
static MlirValue scale(tune_element_op *m, const tune_quantized_product *p, MlirValue x,
                       intptr_t rank) {
  double all = 1;
  for (intptr_t f = 0; f < 2; ++f)
    for (intptr_t s = 0; s < p->factors[f].scale_count; ++s)
      all *= mlirValueIsNull(p->factors[f].scales[s].value) ? p->factors[f].scales[s].number : 1;
  bool is_normal = fabs(all) >= (double)FLT_MIN && fabs(all) <= (double)FLT_MAX;
  if (is_normal)
    x = times_number(m, x, all);
  for (intptr_t f = 0; f < 2; ++f)
    for (intptr_t s = 0; s < p->factors[f].scale_count; ++s) {
      const tune_factor_term *term = &p->factors[f].scales[s];
      if (!mlirValueIsNull(term->value))
        x = tune_ir_build_binary(
            &m->inside, "arith.mulf", x,
            tune_element_op_add(m, term->value, map_of_term(m, p, f, term, rank)));
      else if (!is_normal)
        x = times_number(m, x, term->number);
    }
  for (intptr_t f = 0; f < 2; ++f)
    if (!mlirValueIsNull(p->scales[f]))
      x = tune_ir_build_binary(&m->inside, "arith.mulf", x,
                               tune_element_op_add(m, p->scales[f], p->scale_maps[f]));
  return x;
}

MlirValue tune_quantized_product_build(const tune_quantized_product *p) {
  tune_ir_builder b = tune_ir_builder_before(p->nest.op);
  MlirType f32 = mlirF32TypeGet(b.context);
  MlirValue bytes[2];
  // Choices are for the product.
  tune_ir_builder beside = b;
  beside.location = tune_marks_without(b.location);
  for (intptr_t f = 0; f < 2; ++f)
    bytes[f] = tune_quantized_factor_build(&beside, &p->factors[f]);
  correction corrections[2];
  intptr_t correction_count = build_corrections(&beside, p, bytes, corrections);
  MlirValue sums = build_product(&b, p, bytes);
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t rank;
  read_sizes(p, &rank, sizes);
  MlirValue empty = build_tensor(&beside, rank, sizes, f32);
  MlirAffineMap same = mlirAffineMapMultiDimIdentityGet(b.context, rank);
  tune_element_op m = tune_element_op_begin(&beside);
  MlirValue x = tune_element_op_add(&m, sums, same);
  for (intptr_t c = 0; c < correction_count; ++c)
    x = take_off(&m, p, &corrections[c], x, rank);
  x = scale(&m, p, convert(&m, "arith.sitofp", f32, x), rank);
  MlirValue added = mlirOperationGetOperand(p->nest.op, 2);
  double number;
  if (!tune_constant_value(added, &number) || number != 0)
    x = tune_ir_build_binary(&m.inside, "arith.addf", x, tune_element_op_add(&m, added, same));
  tune_element_op_add(&m, empty, same);
  return tune_element_op_end(&m, x);
}

//===--- In its place ---------------------------------------------------------------------===//

static bool may_drop(MlirOperation op) {
  return !mlirOperationIsNull(op) && mlirOperationGetNumResults(op) > 0 && !tune_ir_is_used(op) &&
         (tune_ir_string_starts(tune_ir_name(op), "linalg.") ||
          tune_ir_string_starts(tune_ir_name(op), "tensor."));
}

void tune_quantized_product_replace(MlirOperation op, MlirValue by, tune_op_list *replaced) {
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), by);
  tune_op_list_add(replaced, op);
}

bool tune_quantized_products_drop(tune_op_list *left) {
  while (left->count > 0) {
    MlirOperation op = left->ops[--left->count];
    if (!may_drop(op))
      continue;
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
      MlirOperation before = tune_ir_definition(mlirOperationGetOperand(op, o));
      if (!mlirOperationIsNull(before))
        tune_op_list_add_once(left, before);
    }
    mlirOperationDestroy(op);
  }
  return !left->failed;
}
