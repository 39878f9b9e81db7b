//===- texel_reuse.c - Reuse of fetched texels in the next step of a loop ----===//

#include "transforms/lower/gpu/vectors/texel_reuse.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

#include <stdlib.h>

#define FOUR 4
#define DEEPEST 16 // how far back indices are followed

typedef struct pair {
  MlirOperation first, second; // fetches of neighbouring texels, in the body of the loop
} pair;

typedef struct loop_parts {
  MlirOperation loop;
  MlirBlock body;
  MlirValue index, begin;
} loop_parts;

static loop_parts parts_of(MlirOperation loop) {
  MlirBlock body = tune_ir_body(loop);
  return (loop_parts){.loop = loop,
                      .body = body,
                      .index = mlirBlockGetArgument(body, 0),
                      .begin = mlirOperationGetOperand(loop, 0)};
}

//===- Indices ------------------------------------------------------------------------===//

static MlirOperation maker_of(MlirValue value, const char *name) {
  if (mlirValueIsAOpResult(value) && tune_ir_is(mlirOpResultGetOwner(value), name))
    return mlirOpResultGetOwner(value);
  return (MlirOperation){NULL};
}

// Whether `value` is op(x, constant); canonical form has constants on the right.
static bool is_with_constant(MlirValue value, const char *name, MlirValue *out_x,
                             int64_t *out_constant) {
  MlirOperation op = maker_of(value, name);
  if (mlirOperationIsNull(op) ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(op, 1), out_constant))
    return false;
  *out_x = mlirOperationGetOperand(op, 0);
  return true;
}

// Whether `op` computes the same each time that its operands are the same.
static bool is_of_operands(MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) == 1 &&
         (tune_ir_string_starts(tune_ir_name(op), "arith.") || tune_ir_is(op, "gpu.lane_id") ||
          tune_ir_is(op, "gpu.thread_id") || tune_ir_is(op, "gpu.block_id"));
}

// By how much `value` grows where the loop's index grows by one. False where it is not known to
// grow evenly.
static bool find_slope(const loop_parts *parts, MlirValue value, int depth, int64_t *out_slope) {
  *out_slope = 0;
  if (mlirValueEqual(value, parts->index)) {
    *out_slope = 1;
    return true;
  }
  if (!tune_ir_is_made_inside(value, parts->loop))
    return true;
  if (depth > DEEPEST || mlirValueIsABlockArgument(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!is_of_operands(op))
    return false;
  int64_t slopes[2] = {0, 0}, factor;
  bool is_still = true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    int64_t slope;
    if (!find_slope(parts, mlirOperationGetOperand(op, i), depth + 1, &slope))
      return false;
    is_still &= slope == 0;
    if (i < 2)
      slopes[i] = slope;
  }
  if (is_still)
    return true;
  if (tune_ir_is(op, "arith.addi"))
    *out_slope = slopes[0] + slopes[1];
  else if (tune_ir_is(op, "arith.subi"))
    *out_slope = slopes[0] - slopes[1];
  else if (tune_ir_is(op, "arith.muli") &&
           tune_ir_is_constant_index(mlirOperationGetOperand(op, 1), &factor))
    *out_slope = slopes[0] * factor;
  else
    return false;
  return true;
}

// `value`, an index that find_slope knows, as it is at the first step; before the loop.
static MlirValue at_begin(const loop_parts *parts, MlirValue value) {
  if (mlirValueEqual(value, parts->index))
    return parts->begin;
  if (!tune_ir_is_made_inside(value, parts->loop))
    return value;
  MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(value));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); ++i)
    mlirOperationSetOperand(copy, i, at_begin(parts, mlirOperationGetOperand(copy, i)));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(parts->loop), parts->loop, copy);
  return mlirOperationGetResult(copy, 0);
}

//===- Pairs --------------------------------------------------------------------------===//

static bool is_fetch(MlirOperation op) {
  if (!tune_ir_is(op, "memref.load"))
    return false;
  MlirAttribute space =
      mlirMemRefTypeGetMemorySpace(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  return !mlirAttributeIsNull(space) && mlirAttributeIsAString(space) &&
         mlirStringRefEqual(mlirStringAttrGetValue(space), tune_ir_string(TUNE_TEXEL_SPACE)) &&
         mlirOperationGetNumOperands(op) == 2;
}

// The element that a fetch is for: what is divided by four.
static bool find_element(MlirOperation fetch, MlirValue *out_element) {
  int64_t divisor;
  return is_with_constant(mlirOperationGetOperand(fetch, 1), "arith.divui", out_element,
                          &divisor) &&
         divisor == FOUR;
}

// An index as a sum of a value and a constant.
typedef struct element {
  MlirValue base;
  int64_t offset;
} element;

static element take_apart(MlirValue index) {
  element found = {index, 0};
  MlirValue x;
  for (int64_t constant; is_with_constant(found.base, "arith.addi", &x, &constant);
       found.offset += constant)
    found.base = x;
  return found;
}

// What `index` is the least of, together with the buffer's last element; itself without that. False
// where that last one is not the last of a texel: then steps near the end are not alike.
static bool find_unlimited(MlirValue index, MlirValue *out_index) {
  int64_t limit = FOUR - 1;
  *out_index = index;
  (void)is_with_constant(index, "arith.minui", out_index, &limit);
  return limit % FOUR == FOUR - 1;
}

// Whether `second` fetches the texel of the third element after that of `first`, which is not in
// the same texel, and `first` will fetch that one in the next step. (Of a row that is not there,
// and may be anything, another's elements are fetched: these may be in one texel.)
static bool is_pair(const loop_parts *parts, MlirOperation first, MlirOperation second) {
  MlirValue a, b;
  int64_t step, slope;
  if (!mlirValueEqual(mlirOperationGetOperand(first, 0), mlirOperationGetOperand(second, 0)) ||
      !mlirAttributeIsNull(tune_ir_attribute(first, TUNE_SECOND_TEXEL)) ||
      mlirAttributeIsNull(tune_ir_attribute(second, TUNE_SECOND_TEXEL)) ||
      !find_element(first, &a) || !find_element(second, &b) || !find_unlimited(b, &b))
    return false;
  element from = take_apart(a), to = take_apart(b);
  MlirValue place;
  if (!find_unlimited(from.base, &place))
    return false;
  bool is_limited = !mlirValueEqual(place, from.base);
  return to.offset - from.offset == FOUR - 1 && mlirValueEqual(from.base, to.base) &&
         (!is_limited || from.offset == 0) &&
         tune_ir_is_constant_index(mlirOperationGetOperand(parts->loop, 2), &step) &&
         find_slope(parts, place, 0, &slope) && slope * step == FOUR;
}

// Lists pairs in `out_pairs`, which has room for half of the fetches. A fetch is in one of them.
static size_t find_pairs(const loop_parts *parts, const tune_op_list *fetches, pair *out_pairs) {
  size_t count = 0;
  for (size_t i = 0; i < fetches->count; ++i)
    for (size_t j = i + 1; j < fetches->count; ++j)
      if (is_pair(parts, fetches->ops[i], fetches->ops[j])) {
        out_pairs[count++] = (pair){fetches->ops[i], fetches->ops[j]};
        break;
      }
  return count;
}

//===- Loops --------------------------------------------------------------------------===//

// Before the loop, what `first` fetches in the first step: of a texel that is there, should there
// be no step.
static MlirValue fetch_before(const loop_parts *parts, MlirOperation first) {
  tune_ir_builder builder = tune_ir_builder_before(parts->loop);
  MlirValue texels = mlirOperationGetOperand(first, 0);
  int64_t last = mlirShapedTypeGetDimSize(mlirValueGetType(texels), 0) - 1;
  MlirValue place = at_begin(parts, mlirOperationGetOperand(first, 1));
  MlirValue operands[] = {texels, tune_ir_build_binary(&builder, "arith.minui", place,
                                                       tune_ir_build_index(&builder, last))};
  return tune_ir_build_value(&builder, "memref.load",
                             mlirValueGetType(mlirOperationGetResult(first, 0)), 2, operands);
}

// Puts a loop that carries what pairs fetch in place of the old one. `values` has room for them.
static tune_status replace_loop(const loop_parts *parts, const pair *pairs, size_t count,
                                MlirValue *values) {
  intptr_t results = mlirOperationGetNumResults(parts->loop);
  for (size_t i = 0; i < count; ++i)
    values[i] = fetch_before(parts, pairs[i].first);
  tune_ir_carry_more(parts->loop, (intptr_t)count, values);
  for (size_t i = 0; i < count; ++i) {
    MlirValue carried = mlirBlockGetArgument(parts->body, 1 + results + (intptr_t)i);
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(pairs[i].first, 0), carried);
    mlirOperationDestroy(pairs[i].first);
    values[i] = mlirOperationGetResult(pairs[i].second, 0);
  }
  return tune_ir_append_operands(mlirBlockGetTerminator(parts->body), (intptr_t)count, values);
}

static tune_status open_loop(MlirOperation loop) {
  loop_parts parts = parts_of(loop);
  tune_op_list fetches = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(parts.body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_fetch(op))
      tune_op_list_add(&fetches, op);
  pair *pairs = malloc((fetches.count + 1) * sizeof *pairs);
  MlirValue *values = malloc((fetches.count + 1) * sizeof *values);
  bool failed = fetches.failed || !pairs || !values;
  size_t count = failed ? 0 : find_pairs(&parts, &fetches, pairs);
  tune_status status = failed  ? tune_status_out_of_memory("listing fetches")
                       : count ? replace_loop(&parts, pairs, count, values)
                               : TUNE_OK;
  free(values);
  free(pairs);
  tune_op_list_deinit(&fetches);
  return status;
}

static MlirWalkResult list_loop(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "scf.for"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_texel_reuse_lower(MlirOperation function) {
  tune_op_list loops = {0};
  mlirOperationWalk(function, list_loop, &loops, MlirWalkPostOrder);
  tune_status status = loops.failed ? tune_status_out_of_memory("listing loops") : TUNE_OK;
  for (size_t i = 0; i < loops.count && tune_status_is_ok(status); ++i)
    status = open_loop(loops.ops[i]);
  tune_op_list_deinit(&loops);
  return status;
}
