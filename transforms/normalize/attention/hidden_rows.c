//===- hidden_rows.c -----------------------------------------------------------------===//

#include "transforms/normalize/attention/hidden_rows.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/dead_results.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/Linalg.h"

#include <math.h>

enum { MOST_MOVES = 4 }; // one after the other

//===--- What is looked for ------------------------------------------------------------===//

static bool is_minus_infinity(MlirValue value) {
  double number;
  return tune_constant_value(value, &number) && isinf(number) && number < 0;
}

// Whether `op` reduces one input, which it reads as it lies, in one op of two arguments.
static bool is_reduction_by(MlirOperation op, const char *name, tune_nest_maps *out) {
  if (!tune_nest_maps_read(op, out) || out->operand_count != 2 || !tune_nest_maps_reduces(out) ||
      !mlirAffineMapIsIdentity(out->maps[0]))
    return false;
  MlirBlock body = tune_ir_body(op);
  MlirOperation combine = mlirBlockGetFirstOperation(body), yield = mlirBlockGetTerminator(body);
  if (!tune_ir_is(combine, name) ||
      !mlirOperationEqual(mlirOperationGetNextInBlock(combine), yield) ||
      !mlirValueEqual(mlirOperationGetOperand(yield, 0), mlirOperationGetResult(combine, 0)))
    return false;
  MlirValue a = mlirOperationGetOperand(combine, 0), b = mlirOperationGetOperand(combine, 1);
  MlirValue in = mlirBlockGetArgument(body, 0), so_far = mlirBlockGetArgument(body, 1);
  return (mlirValueEqual(a, in) && mlirValueEqual(b, so_far)) ||
         (mlirValueEqual(b, in) && mlirValueEqual(a, so_far));
}

// What `op` converts to a wider float, element by element as it lies, or else `value`, its result.
static MlirValue before_conversion(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  tune_nest_maps n;
  if (!tune_nest_maps_read(op, &n) || n.operand_count != 2 || !mlirAffineMapIsIdentity(n.maps[0]) ||
      !mlirAffineMapIsIdentity(n.maps[1]))
    return value;
  MlirBlock body = tune_ir_body(op);
  MlirOperation convert = mlirBlockGetFirstOperation(body);
  bool is_conversion =
      tune_ir_is(convert, "arith.extf") &&
      mlirValueEqual(mlirOperationGetOperand(convert, 0), mlirBlockGetArgument(body, 0)) &&
      mlirValueEqual(mlirOperationGetOperand(mlirBlockGetTerminator(body), 0),
                     mlirOperationGetResult(convert, 0));
  return is_conversion ? mlirOperationGetOperand(op, 0) : value;
}

// What is compared with minus infinity in `op`, element by element as it lies; a null value where
// that is not all.
static MlirValue find_compared(MlirOperation op) {
  const MlirValue none = {NULL};
  tune_nest_maps n;
  if (!tune_nest_maps_read(op, &n) || !mlirAffineMapIsIdentity(tune_nest_maps_result(&n)))
    return none;
  MlirBlock body = tune_ir_body(op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  MlirOperation compare = tune_ir_definition(mlirOperationGetOperand(yield, 0));
  if (!tune_ir_is(compare, "arith.cmpf") ||
      mlirIntegerAttrGetValueInt(tune_ir_attribute(compare, "predicate")) != 1 /* oeq */ ||
      !is_minus_infinity(mlirOperationGetOperand(compare, 1)))
    return none;
  MlirValue compared = mlirOperationGetOperand(compare, 0);
  if (tune_ir_is(tune_ir_definition(compared), "arith.extf"))
    compared = mlirOperationGetOperand(tune_ir_definition(compared), 0);
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (mlirValueEqual(compared, mlirBlockGetArgument(body, o)) &&
        mlirAffineMapIsIdentity(n.maps[o]))
      return before_conversion(mlirOperationGetOperand(op, o));
  return none;
}

typedef struct hidden {
  tune_nest_maps all, maximum; // the ops that make H and M
  MlirOperation compare;       // makes what H is made of
  double initial;              // what M begins with
} hidden;

static bool reduces_alike(const tune_nest_maps *a, const tune_nest_maps *b) {
  for (intptr_t loop = 0; loop < a->loop_count; ++loop)
    if (a->extents[loop] != 1 && tune_nest_maps_has(tune_nest_maps_result(a), loop) !=
                                     tune_nest_maps_has(tune_nest_maps_result(b), loop))
      return false;
  return true;
}

// The maximum of `x` along what H is along, before it in its block.
static bool find_maximum(MlirValue x, hidden *out) {
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (is_reduction_by(op, "arith.maximumf", &out->maximum) &&
        mlirValueEqual(mlirOperationGetOperand(op, 0), x) &&
        tune_constant_value(mlirOperationGetOperand(op, 1), &out->initial) &&
        reduces_alike(&out->all, &out->maximum) &&
        mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(out->all.op)))
      return true;
  }
  return false;
}

// Whether `op` makes an H. What it is of is `*out_x`.
static bool find_all(MlirOperation op, hidden *out, MlirValue *out_x) {
  double initial;
  if (!is_reduction_by(op, "arith.andi", &out->all) ||
      !mlirTypeIsAInteger(tune_ir_element_type(mlirValueGetType(mlirOperationGetResult(op, 0)))) ||
      mlirIntegerTypeGetWidth(
          tune_ir_element_type(mlirValueGetType(mlirOperationGetResult(op, 0)))) != 1 ||
      !tune_constant_value(mlirOperationGetOperand(op, 1), &initial) || initial == 0)
    return false;
  out->compare = tune_ir_definition(mlirOperationGetOperand(op, 0));
  *out_x = find_compared(out->compare);
  return !mlirValueIsNull(*out_x);
}

//===--- Who reads it ------------------------------------------------------------------===//

// H, or what it became by reshapes and repeating: which of its dimensions each of M is.
typedef struct view {
  MlirValue value;
  intptr_t rank, of[TUNE_IR_MAX_RANK]; // -1: M has one element along it
} view;

// H itself. False where a dimension of M is none of H.
static bool view_all(const hidden *h, view *out) {
  MlirAffineMap all = tune_nest_maps_result(&h->all), maximum = tune_nest_maps_result(&h->maximum);
  *out = (view){.value = mlirOperationGetResult(h->all.op, 0),
                .rank = mlirAffineMapGetNumResults(maximum)};
  for (intptr_t d = 0; d < out->rank; ++d) {
    intptr_t loop = tune_nest_maps_loop(maximum, d);
    bool is_found = loop < 0 || h->maximum.extents[loop] == 1;
    out->of[d] = -1;
    for (intptr_t e = 0; e < mlirAffineMapGetNumResults(all) && !is_found; ++e)
      if (tune_nest_maps_loop(all, e) == loop) {
        out->of[d] = e;
        is_found = true;
      }
    if (!is_found)
      return false;
  }
  return true;
}

static int64_t size_of(MlirValue value, intptr_t d) {
  return mlirShapedTypeGetDimSize(mlirValueGetType(value), d);
}

// What the reshape `op` makes of `from`: with dimensions of one element more or less.
static bool view_reshape(MlirOperation op, const view *from, view *out) {
  bool expands = tune_ir_is(op, "tensor.expand_shape");
  if (!expands && !tune_ir_is(op, "tensor.collapse_shape"))
    return false;
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  intptr_t next = 0;
  *out = *from;
  out->value = mlirOperationGetResult(op, 0);
  MlirValue many = expands ? out->value : from->value;
  if (!tune_tensor_is_plain(mlirValueGetType(many)) ||
      !tune_tensor_is_plain(mlirValueGetType(out->value)))
    return false;
  for (intptr_t g = 0; g < mlirArrayAttrGetNumElements(groups); ++g) {
    intptr_t members = mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g));
    intptr_t large = next, count = 0;
    for (intptr_t m = next; m < next + members; ++m)
      if (size_of(many, m) > 1) {
        large = m;
        ++count;
      }
    if (count > 1)
      return false;
    for (intptr_t d = 0; d < from->rank; ++d)
      if (expands ? from->of[d] == g : from->of[d] >= next && from->of[d] < next + members)
        out->of[d] = expands ? large : g;
    next += members;
  }
  return true;
}

// What `op` makes of `from`, which it only moves.
static bool view_moved(MlirOperation op, const view *from, view *out) {
  tune_nest_maps n;
  if (!tune_nest_maps_read(op, &n) || n.operand_count != 2 ||
      !mlirValueEqual(mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(op)), 0),
                      mlirBlockGetArgument(tune_ir_body(op), 0)))
    return false;
  *out = *from;
  out->value = mlirOperationGetResult(op, 0);
  for (intptr_t d = 0; d < from->rank; ++d) {
    if (from->of[d] < 0)
      continue;
    intptr_t loop = tune_nest_maps_loop(n.maps[0], from->of[d]), to = -1;
    for (intptr_t e = 0; e < mlirAffineMapGetNumResults(n.maps[1]); ++e)
      if (loop >= 0 && tune_nest_maps_loop(n.maps[1], e) == loop)
        to = e;
    if (to < 0 && size_of(from->value, from->of[d]) != 1)
      return false;
    out->of[d] = to;
  }
  return true;
}

// The map by which the reader `n` reads M where it reads `from` by operand `o`.
static MlirAffineMap map_maximum(const view *from, const tune_nest_maps *n, intptr_t o) {
  MlirContext context = mlirOperationGetContext(n->op);
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < from->rank; ++d)
    indices[d] = from->of[d] < 0 ? mlirAffineConstantExprGet(context, 0)
                                 : mlirAffineMapGetResult(n->maps[o], from->of[d]);
  return mlirAffineMapGet(context, n->loop_count, 0, from->rank, indices);
}

// In `block`, whose argument `o` was H and is M, compares it.
static void compare_in(MlirBlock block, intptr_t o, MlirType type) {
  MlirValue argument = mlirBlockGetArgument(block, o);
  MlirOperation first = mlirBlockGetFirstOperation(block);
  tune_ir_builder b = tune_ir_builder_before(first);
  MlirValue least =
      tune_ir_build_constant(&b, type, mlirFloatAttrDoubleGet(b.context, type, -INFINITY));
  // What it is compared by is made first: its uses are to become those of the comparison.
  MlirValue is_hidden = tune_ir_build_compare(&b, "oeq", least, least);
  mlirValueReplaceAllUsesOfWith(argument, is_hidden);
  mlirValueSetType(argument, type);
  mlirOperationSetOperand(tune_ir_definition(is_hidden), 0, argument);
}

// Writes the reader of H by operand `o` anew, which reads M instead.
static void read_maximum(const hidden *h, tune_nest_maps *n, intptr_t o, MlirAffineMap map) {
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  MlirRegion region = tune_ir_clone_region(n->op);
  MlirValue maximum = mlirOperationGetResult(h->maximum.op, 0);
  compare_in(mlirRegionGetFirstBlock(region), o, tune_ir_element_type(mlirValueGetType(maximum)));
  for (intptr_t p = 0; p < n->operand_count; ++p)
    operands[p] = p == o ? maximum : mlirOperationGetOperand(n->op, p);
  n->maps[o] = map;
  tune_tensor_replace(n->op, n->operand_count, operands, n->maps, region);
}

// Whether `op` reads `from` by operand `o` so that it can read M.
static bool can_read_maximum(const hidden *h, MlirOperation op, intptr_t o, tune_nest_maps *out) {
  if (!tune_ir_is(op, "linalg.generic") || !tune_nest_maps_read(op, out))
    return false;
  // Else a loop may lose the only operand that says how long it is.
  return tune_nest_maps_is_on_elements(out) && o + 1 < out->operand_count &&
         mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(h->maximum.op)) &&
         mlirOperationIsBeforeInBlock(h->maximum.op, op);
}

// Whether `op` only moves what it reads by operand `o`, which is `from`.
static bool moves(MlirOperation op, intptr_t o, const view *from, view *out) {
  return o == 0 && (view_reshape(op, from, out) || view_moved(op, from, out));
}

// Writes all readers of `from` anew, also behind what moves it. What nothing reads any more then is
// added to `unused`.
static void follow(const hidden *h, const view *from, int depth, tune_op_list *unused) {
  tune_op_list movers = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(from->value), next; !mlirOpOperandIsNull(use);
       use = next) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    intptr_t o = mlirOpOperandGetOperandNumber(use);
    tune_nest_maps n;
    view moved;
    next = mlirOpOperandGetNextUse(use);
    if (depth > 0 && moves(op, o, from, &moved)) {
      tune_op_list_add_once(&movers, op);
    } else if (can_read_maximum(h, op, o, &n)) {
      read_maximum(h, &n, o, map_maximum(from, &n, o));
      // The next use may have been of the same op.
      next = mlirValueGetFirstUse(from->value);
    }
  }
  for (size_t i = 0; i < movers.count; ++i) {
    view moved;
    moves(movers.ops[i], 0, from, &moved);
    follow(h, &moved, depth - 1, unused);
    tune_op_list_add_once(unused, movers.ops[i]);
  }
  unused->failed |= movers.failed;
  tune_op_list_deinit(&movers);
}

// M that began with another number begins with -inf; that number is the least that others read.
static void begin_with_least(hidden *h) {
  if (isinf(h->initial) && h->initial < 0)
    return;
  tune_nest_maps *n = &h->maximum;
  MlirValue result = mlirOperationGetResult(n->op, 0);
  MlirType type = mlirValueGetType(result), element = tune_ir_element_type(type);
  tune_ir_builder b = tune_ir_builder_before(n->op);
  MlirValue least =
      tune_ir_build_constant(&b, element, mlirFloatAttrDoubleGet(b.context, element, -INFINITY));
  MlirValue empty = tune_ir_build_value(&b, "tensor.empty", type, 0, NULL);
  MlirValue operands[] = {mlirOperationGetOperand(n->op, 0),
                          mlirOperationGetResult(tune_ir_build_fill(&b, least, empty), 0)};
  MlirValue maximum = tune_nest_maps_build(n, operands, n->maps);
  intptr_t rank = mlirShapedTypeGetRank(type);
  MlirBlock block =
      mlirBlockCreate(2, (MlirType[]){element, element}, (MlirLocation[]){b.location, b.location});
  tune_ir_builder inside = tune_ir_builder_at_end(block, b.location);
  MlirValue number = tune_ir_build_number(&inside, element, h->initial);
  MlirValue greater =
      tune_ir_build_binary(&inside, "arith.maximumf", mlirBlockGetArgument(block, 0), number);
  tune_ir_build(&inside,
                &(tune_ir_parts){.name = "linalg.yield", .operand_count = 1, .operands = &greater});
  MlirAffineMap map = mlirAffineMapMultiDimIdentityGet(b.context, rank);
  MlirOperation clamp =
      tune_tensor_generic(&b, 2, (MlirValue[]){maximum, empty}, (MlirAffineMap[]){map, map},
                          tune_ir_make_region(block));
  mlirValueReplaceAllUsesOfWith(result, mlirOperationGetResult(clamp, 0));
  mlirOperationDestroy(n->op);
  tune_nest_maps_read(tune_ir_definition(maximum), n);
}

static MlirWalkResult note(MlirOperation op, void *user_data) {
  hidden found;
  MlirValue x;
  return !find_all(op, &found, &x) || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                                      : MlirWalkResultInterrupt;
}

bool tune_normalize_hidden_rows(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", NULL};
  tune_op_list ops = {0}, unused = {0};
  mlirOperationWalk(root, note, &ops, MlirWalkPreOrder);
  if (ops.count)
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  for (size_t i = 0; i < ops.count; ++i) {
    hidden h;
    MlirValue x;
    view all;
    if (!find_all(ops.ops[i], &h, &x))
      continue;
    unused.failed |= !tune_dead_results_drop(x);
    if (!find_maximum(x, &h) || !view_all(&h, &all))
      continue;
    begin_with_least(&h);
    follow(&h, &all, MOST_MOVES, &unused);
    MlirOperation convert = tune_ir_definition(mlirOperationGetOperand(h.compare, 0));
    tune_op_list_add_once(&unused, h.all.op);
    tune_op_list_add_once(&unused, h.compare);
    if (!mlirOperationIsNull(convert) && tune_ir_string_starts(tune_ir_name(convert), "linalg."))
      tune_op_list_add_once(&unused, convert);
  }
  // Where a schedule is applied it counts the ops that are there.
  tune_op_list_destroy_unused(&unused);
  bool is_done = !ops.failed && !unused.failed;
  tune_op_list_deinit(&unused);
  tune_op_list_deinit(&ops);
  return is_done;
}
