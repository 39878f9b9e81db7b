//===- repeats.c ----------------------------------------------------------------------===//

#include "transforms/normalize/attention/repeats.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

// A product that uses an element more often has more to do than what repeats it.
enum { MOST_USES = 8, DEPTH = 16 };

//===--- What is repeated ---------------------------------------------------------------===//

// A part of a dimension: a dimension of what is not repeated, or how often it is.
typedef struct factor {
  int64_t size;
  intptr_t of; // -1: repeated
} factor;

// A value by what it is made of: dimension d is the factors from first[d] to before first[d + 1].
typedef struct repeated {
  MlirValue source; // what is not repeated
  intptr_t rank, first[TUNE_IR_MAX_RANK + 1];
  factor factors[TUNE_IR_MAX_RANK];
} repeated;

static void add_factor(repeated *r, factor f) { r->factors[r->first[r->rank]++] = f; }

static void begin_dimension(repeated *r) {
  ++r->rank;
  r->first[r->rank] = r->first[r->rank - 1];
}

// Begins to list dimensions.
static void clear(repeated *r) {
  r->rank = 0;
  r->first[0] = 0;
}

// Whether each dimension of the result is a loop, and the input has each loop at most once.
static bool has_plain_maps(const tune_nest_maps *n) {
  if (n->operand_count != 2 || !tune_nest_maps_is_plain(n->maps[0]))
    return false;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[0]); ++d)
    if (tune_nest_maps_loop(n->maps[0], d) < 0 &&
        mlirShapedTypeGetDimSize(mlirValueGetType(mlirOperationGetOperand(n->op, 0)), d) != 1)
      return false;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[1]); ++d)
    if (tune_nest_maps_loop(n->maps[1], d) < 0)
      return false;
  return true;
}

// What `n` repeats, which only moves its input.
static bool read_repeat(const tune_nest_maps *n, repeated *out) {
  bool repeats = false;
  if (tune_nest_maps_reduces(n))
    return false;
  clear(out);
  out->source = mlirOperationGetOperand(n->op, 0);
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[1]); ++d) {
    intptr_t loop = tune_nest_maps_loop(n->maps[1], d);
    begin_dimension(out);
    add_factor(out, (factor){n->extents[loop], tune_nest_maps_dimension(n->maps[0], loop)});
    repeats |= n->extents[loop] > 1 && tune_nest_maps_dimension(n->maps[0], loop) < 0;
  }
  return repeats;
}

// The dimensions of `from` in the order that `n` has them in its result.
static bool turn(const tune_nest_maps *n, const repeated *from, repeated *out) {
  *out = (repeated){.source = from->source};
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[1]); ++d) {
    intptr_t read = tune_nest_maps_dimension(n->maps[0], tune_nest_maps_loop(n->maps[1], d));
    if (read < 0)
      return false;
    begin_dimension(out);
    for (intptr_t f = from->first[read]; f < from->first[read + 1]; ++f)
      add_factor(out, from->factors[f]);
  }
  return out->rank == from->rank;
}

static bool collapse(MlirOperation op, const repeated *from, repeated *out) {
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  *out = (repeated){.source = from->source};
  intptr_t next = 0;
  for (intptr_t g = 0; g < mlirArrayAttrGetNumElements(groups); ++g) {
    begin_dimension(out);
    next += mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g));
    while (out->first[out->rank] < from->first[next]) {
      factor f = from->factors[out->first[out->rank]];
      add_factor(out, f);
    }
  }
  return next == from->rank;
}

// Reads `value`. False where nothing is repeated, or others read what is.
static bool read_repeated(MlirValue value, int depth, repeated *out) {
  MlirOperation op = tune_ir_definition(value);
  repeated from;
  tune_nest_maps n;
  if (depth == DEPTH || !tune_ir_has_one_use(value))
    return false;
  if (tune_ir_is(op, "tensor.collapse_shape"))
    return read_repeated(mlirOperationGetOperand(op, 0), depth + 1, &from) &&
           collapse(op, &from, out);
  if (!tune_nest_maps_read(op, &n) || !has_plain_maps(&n))
    return false;
  if (tune_nest_maps_moves(&n) && read_repeat(&n, out))
    return true;
  bool is_on_elements =
      mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(tune_ir_body(op), 1))) &&
      !tune_nest_maps_reduces(&n);
  return is_on_elements && read_repeated(mlirOperationGetOperand(op, 0), depth + 1, &from) &&
         turn(&n, &from, out);
}

// The same done to what is not repeated.
static MlirValue rebuild(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  tune_nest_maps n;
  repeated ignored;
  if (tune_ir_is(op, "tensor.collapse_shape"))
    return rebuild(mlirOperationGetOperand(op, 0));
  tune_nest_maps_read(op, &n);
  if (tune_nest_maps_moves(&n))
    return read_repeat(&n, &ignored) ? ignored.source : rebuild(mlirOperationGetOperand(op, 0));
  MlirValue source = rebuild(mlirOperationGetOperand(op, 0));
  MlirType from = mlirValueGetType(source);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(from);
  int64_t sizes[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(from, d);
  tune_ir_builder b = tune_ir_builder_before(op);
  MlirType type = mlirRankedTensorTypeGet(
      rank, sizes, tune_ir_element_type(mlirValueGetType(value)), (MlirAttribute){NULL});
  MlirAffineMap map = mlirAffineMapMultiDimIdentityGet(b.context, rank);
  MlirValue operands[] = {source, tune_ir_build_value(&b, "tensor.empty", type, 0, NULL)};
  MlirOperation made =
      tune_tensor_generic(&b, 2, operands, (MlirAffineMap[]){map, map}, tune_ir_clone_region(op));
  tune_ir_copy_attributes(op, made);
  return mlirOperationGetResult(made, 0);
}

//===--- The product ----------------------------------------------------------------------===//

// The loops that each loop of the product becomes.
typedef struct split {
  intptr_t loop_count, members[TUNE_IR_MAX_LOOPS], first[TUNE_IR_MAX_LOOPS];
  int64_t sizes[TUNE_IR_MAX_LOOPS];
} split;

static bool read_split(const tune_nest_maps *n, intptr_t operand, const repeated *r, split *out) {
  *out = (split){.loop_count = 0};
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    intptr_t d = tune_nest_maps_dimension(n->maps[operand], loop);
    out->first[loop] = out->loop_count;
    if (out->loop_count == TUNE_IR_MAX_LOOPS)
      return false;
    if (d < 0) {
      out->sizes[out->loop_count++] = n->extents[loop];
      out->members[loop] = 1;
      continue;
    }
    int64_t size = 1;
    for (intptr_t f = r->first[d]; f < r->first[d + 1]; ++f) {
      size *= r->factors[f].size;
      if (out->loop_count == TUNE_IR_MAX_LOOPS)
        return false;
      out->sizes[out->loop_count++] = r->factors[f].size;
    }
    out->members[loop] = r->first[d + 1] - r->first[d];
    if (size != n->extents[loop] || out->members[loop] == 0)
      return false;
  }
  return true;
}

// Operand `o` by the loops of `s`, with a dimension for each of them, and its map.
static MlirValue split_operand(const tune_nest_maps *n, intptr_t o, const split *s,
                               MlirAffineMap *out_map) {
  tune_ir_builder b = tune_ir_builder_before(n->op);
  MlirValue value = mlirOperationGetOperand(n->op, o);
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK], rank = 0, count = mlirAffineMapGetNumResults(n->maps[o]);
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < count; ++d) {
    intptr_t loop = tune_nest_maps_loop(n->maps[o], d);
    members[d] = loop < 0 ? 1 : s->members[loop];
    for (intptr_t m = 0; m < members[d]; ++m, ++rank) {
      sizes[rank] = loop < 0 ? mlirShapedTypeGetDimSize(mlirValueGetType(value), d)
                             : s->sizes[s->first[loop] + m];
      indices[rank] = loop < 0 ? mlirAffineMapGetResult(n->maps[o], d)
                               : mlirAffineDimExprGet(b.context, s->first[loop] + m);
    }
  }
  *out_map = mlirAffineMapGet(b.context, s->loop_count, 0, rank, indices);
  return rank == count ? value : tune_tensor_reshape(&b, value, rank, sizes, members);
}

// Of the operand that is repeated: the loops that its dimensions are.
static MlirAffineMap map_source(const tune_nest_maps *n, intptr_t operand, const repeated *r,
                                const split *s) {
  MlirContext context = mlirOperationGetContext(n->op);
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(r->source));
  for (intptr_t d = 0; d < rank; ++d)
    indices[d] = mlirAffineConstantExprGet(context, 0);
  for (intptr_t d = 0; d < r->rank; ++d)
    for (intptr_t f = r->first[d]; f < r->first[d + 1]; ++f) {
      intptr_t loop = tune_nest_maps_loop(n->maps[operand], d);
      if (r->factors[f].of >= 0 && loop >= 0)
        indices[r->factors[f].of] = mlirAffineDimExprGet(context, s->first[loop] + f - r->first[d]);
    }
  return mlirAffineMapGet(context, s->loop_count, 0, rank, indices);
}

// Whether an operand other than `operand` has each loop that this has in vain: it says how long it
// is.
static bool are_loops_known(const tune_nest_maps *n, intptr_t operand, const repeated *r) {
  for (intptr_t d = 0; d < r->rank; ++d) {
    bool is_repeated = false, is_known = false;
    for (intptr_t f = r->first[d]; f < r->first[d + 1]; ++f)
      is_repeated |= r->factors[f].of < 0;
    intptr_t loop = tune_nest_maps_loop(n->maps[operand], d);
    for (intptr_t o = 0; o < n->operand_count; ++o)
      is_known |= o != operand && tune_nest_maps_dimension(n->maps[o], loop) >= 0;
    if (is_repeated && (loop < 0 || !is_known))
      return false;
  }
  return true;
}

static bool fits(const tune_nest_maps *n, const split *s) {
  for (intptr_t o = 0; o < n->operand_count; ++o)
    if (!tune_nest_maps_is_plain(n->maps[o]) ||
        mlirAffineMapGetNumResults(n->maps[o]) + s->loop_count - n->loop_count > TUNE_IR_MAX_RANK)
      return false;
  return s->loop_count <= TUNE_IR_MAX_LOOPS;
}

// How often the product uses an element of operand `o`.
static int64_t count_uses(const tune_nest_maps *n, intptr_t o) {
  int64_t uses = 1;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (!tune_nest_maps_has(n->maps[o], loop))
      uses *= n->extents[loop] < MOST_USES ? n->extents[loop] : MOST_USES;
  return uses;
}

// Lets the product read what is not repeated, where operand `operand` is. The op that it becomes,
// or a null one where it stays.
static MlirOperation take_source(MlirOperation op, intptr_t operand) {
  const MlirOperation none = {NULL};
  tune_nest_maps n;
  repeated r;
  split s;
  if (!tune_nest_maps_read(op, &n) || count_uses(&n, operand) >= MOST_USES ||
      !read_repeated(mlirOperationGetOperand(op, operand), 0, &r) ||
      !are_loops_known(&n, operand, &r) || !read_split(&n, operand, &r, &s) || !fits(&n, &s))
    return none;
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS], result = mlirOperationGetResult(op, 0);
  MlirAffineMap maps[TUNE_NEST_MAPS_OPERANDS];
  for (intptr_t o = 0; o < n.operand_count; ++o) {
    if (o == operand) {
      maps[o] = map_source(&n, o, &r, &s);
      operands[o] = rebuild(mlirOperationGetOperand(op, o));
    } else {
      operands[o] = split_operand(&n, o, &s, &maps[o]);
    }
  }
  tune_nest_maps made = n;
  made.loop_count = s.loop_count;
  for (intptr_t loop = 0; loop < s.loop_count; ++loop)
    made.extents[loop] = s.sizes[loop];
  MlirValue value = tune_nest_maps_build(&made, operands, maps);
  MlirOperation product = tune_ir_definition(value);
  MlirAffineMap map = tune_nest_maps_result(&n);
  intptr_t members[TUNE_IR_MAX_RANK], rank = mlirAffineMapGetNumResults(map);
  int64_t sizes[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d) {
    intptr_t loop = tune_nest_maps_loop(map, d);
    members[d] = loop < 0 ? 1 : s.members[loop];
    sizes[d] = mlirShapedTypeGetDimSize(mlirValueGetType(result), d);
  }
  tune_ir_builder b = tune_ir_builder_before(op);
  if (s.loop_count > n.loop_count)
    value = tune_tensor_reshape(&b, value, rank, sizes, members);
  mlirValueReplaceAllUsesOfWith(result, value);
  return product;
}

// Destroys `op` and what it alone reads, as far as it belongs to what repeats.
static bool drop(MlirOperation op) {
  tune_op_list before = {0};
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
    MlirOperation made_by = tune_ir_definition(mlirOperationGetOperand(op, o));
    if (!mlirOperationIsNull(made_by) && (tune_ir_is(made_by, "tensor.collapse_shape") ||
                                          tune_ir_string_starts(tune_ir_name(made_by), "linalg.")))
      tune_op_list_add_once(&before, made_by);
  }
  bool is_done = !before.failed;
  mlirOperationDestroy(op);
  for (size_t i = 0; i < before.count; ++i)
    if (!tune_ir_is_used(before.ops[i]))
      is_done &= drop(before.ops[i]);
  tune_op_list_deinit(&before);
  return is_done;
}

bool tune_normalize_repeats(MlirOperation root) {
  static const char *const DIALECTS[] = {"linalg", "tensor", NULL};
  tune_op_list products = {0};
  tune_spread_list_products(root, &products);
  bool is_done = !products.failed;
  for (size_t i = 0; i < products.count; ++i)
    for (intptr_t o = 0; o < 2; ++o) {
      tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
      MlirOperation made = take_source(products.ops[i], o);
      if (mlirOperationIsNull(made))
        continue;
      is_done &= drop(products.ops[i]);
      products.ops[i] = made;
    }
  tune_op_list_deinit(&products);
  return is_done;
}
