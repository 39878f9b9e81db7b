//===- float_promotion.c - Float promotion: f16 and bf16 as f32 in a CPU's registers -===//
//
// First values are marked that are computed, and what these become as parts of vectors, or carried
// by loops, again and again until no loop carries more of them. Then they get their types, and the
// others the steps that their users want.
//
//===--------------------------------------------------------------------------===//

#include "transforms/lower/cpu/float_promotion.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/memory_access.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RANK 16
// Ops back to what a value comes from.
#define EXACT_DEPTH 6

// The values that are made narrow, or wide, for those who want them so.
typedef struct made_values {
  tune_op_map index; // of what they are made of
  MlirValue *items;
  size_t count, capacity;
} made_values;

typedef struct widening {
  tune_op_map marked; // values to whether they are of bf16
  bool has_grown;
  bool failed; // memory ran out
  tune_op_list ops;
  tune_op_list loose; // conversions that fall away
  made_values extended, rounded;
  MlirAttribute contract;
} widening;

static MlirType element_of(MlirType type) {
  return mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
}

// A scalar, or a vector of fixed size, of f16 or bf16.
static bool is_narrow(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return tune_ir_is_short_float(element_of(type)) &&
         !(mlirTypeIsAVector(type) &&
           (mlirVectorTypeIsScalable(type) || mlirShapedTypeGetRank(type) > MAX_RANK));
}

static bool is_marked(const widening *self, MlirValue value) {
  return tune_op_map_get(&self->marked, value.ptr) != TUNE_OP_MAP_NONE;
}

//===--- Ops --------------------------------------------------------------------------===//

// What vector.mask is around may stand there alone.
static bool is_masked(MlirOperation op) {
  return tune_ir_is(mlirOperationGetParentOperation(op), "vector.mask");
}

static bool computes(MlirOperation op) {
  static const char *const NAMES[] = {"arith.addf",
                                      "arith.subf",
                                      "arith.mulf",
                                      "arith.divf",
                                      "arith.remf",
                                      "arith.negf",
                                      "arith.maximumf",
                                      "arith.minimumf",
                                      "arith.maxnumf",
                                      "arith.minnumf",
                                      "arith.cmpf",
                                      "vector.fma",
                                      "vector.contract",
                                      "vector.reduction",
                                      "vector.multi_reduction",
                                      "vector.outerproduct",
                                      NULL};
  bool is_function = tune_ir_string_starts(tune_ir_name(op), "math.");
  return (is_function || tune_ir_is_one_of(op, NAMES)) && !is_masked(op);
}

// Whether `op` is a conversion that may be left out where another one undoes it: those of a rule
// that adds up in f32 itself (transforms/rules/contraction/dot_patterns.c).
static bool is_loose(const widening *self, MlirOperation op, const char *name) {
  return tune_ir_is(op, name) &&
         mlirAttributeEqual(tune_ir_attribute(op, "fastmath"), self->contract);
}

static bool is_of_bf16(MlirValue value) {
  return mlirTypeIsABF16(element_of(mlirValueGetType(value)));
}

// Whether `value` is computed here. What comes out of memory that others see may be read again, and
// be looked at beside what it was rounded to.
static bool is_computed(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "vector.load") && !tune_ir_is(op, "memref.load"))
    return !mlirOperationIsNull(op) && !tune_memory_access_is_load(op);
  return tune_ir_is(
      tune_ir_definition(tune_memory_access_look_through_views(mlirOperationGetOperand(op, 0))),
      "memref.alloca");
}

// Whether `op` rounds to bf16 between two steps of a front end: nobody looks at what it was. Who
// splits a number into parts of bf16 does.
static bool rounds_between_steps(MlirOperation op) {
  if (!tune_ir_is(op, "arith.truncf") || !is_of_bf16(mlirOperationGetResult(op, 0)))
    return false;
  MlirValue value = mlirOperationGetOperand(op, 0);
  return tune_ir_has_one_use(value) && is_computed(value);
}

// Of f32: the result stays what it is made of.
static bool rounds_loosely(const widening *self, MlirOperation op) {
  return (is_loose(self, op, "arith.truncf") || rounds_between_steps(op)) &&
         mlirTypeIsAF32(element_of(mlirValueGetType(mlirOperationGetOperand(op, 0)))) &&
         is_narrow(mlirOperationGetResult(op, 0));
}

// Of what stays f32, into that.
static bool extends_loosely(const widening *self, MlirOperation op) {
  if (!tune_ir_is(op, "arith.extf") || !is_marked(self, mlirOperationGetOperand(op, 0)) ||
      !mlirTypeIsAF32(element_of(mlirValueGetType(mlirOperationGetResult(op, 0)))))
    return false;
  bool is_bf16 = tune_op_map_get(&self->marked, mlirOperationGetOperand(op, 0).ptr);
  return is_bf16 || is_loose(self, op, "arith.extf");
}

// Whether `op` gives of what it is given, and nothing else.
static bool moves(MlirOperation op) {
  static const char *const NAMES[] = {"arith.select",
                                      "vector.broadcast",
                                      "vector.deinterleave",
                                      "vector.extract",
                                      "vector.extract_strided_slice",
                                      "vector.from_elements",
                                      "vector.insert",
                                      "vector.insert_strided_slice",
                                      "vector.interleave",
                                      "vector.shape_cast",
                                      "vector.shuffle",
                                      "vector.to_elements",
                                      "vector.transpose",
                                      NULL};
  return tune_ir_is_one_of(op, NAMES);
}

// Whether operand number `operand` of `op` is what a sum, or an extremum, was so far.
static bool accumulates(MlirOperation op, intptr_t operand) {
  static const char *const SUMS[] = {
      "arith.addf",    "arith.maximumf",   "arith.minimumf",         "arith.maxnumf",
      "arith.minnumf", "vector.reduction", "vector.multi_reduction", NULL};
  static const char *const PRODUCTS[] = {"math.fma", "vector.fma", "vector.contract",
                                         "vector.outerproduct", NULL};
  return tune_ir_is_one_of(op, SUMS) || (operand == 2 && tune_ir_is_one_of(op, PRODUCTS));
}

static bool is_zero(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  MlirAttribute number = {NULL};
  if (tune_ir_is(op, "vector.broadcast"))
    return is_zero(mlirOperationGetOperand(op, 0));
  if (tune_ir_is(op, "arith.constant"))
    number = tune_ir_attribute(op, "value");
  if (!mlirAttributeIsNull(number) && mlirAttributeIsADenseElements(number))
    number = mlirDenseElementsAttrIsSplat(number) ? mlirDenseElementsAttrGetSplatValue(number)
                                                  : (MlirAttribute){NULL};
  return !mlirAttributeIsNull(number) && mlirAttributeIsAFloat(number) &&
         mlirFloatAttrGetValueDouble(number) == 0;
}

//===--- Marks ------------------------------------------------------------------------===//

static void mark_as(widening *self, MlirValue value, bool is_bf16) {
  tune_status status = tune_op_map_set(&self->marked, value.ptr, is_bf16);
  self->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
  self->has_grown = true;
}

static void mark(widening *self, MlirValue value) {
  if (!is_marked(self, value) && is_narrow(value))
    mark_as(self, value, mlirTypeIsABF16(element_of(mlirValueGetType(value))));
}

static void mark_results(widening *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mark(self, mlirOperationGetResult(op, i));
}

// Of what reads or writes vectors or numbers in memory: which operand that is; or -1.
static intptr_t memory_operand(MlirOperation op) {
  if (tune_ir_is(op, "vector.load") || tune_ir_is(op, "memref.load"))
    return 0;
  return tune_ir_is(op, "vector.store") || tune_ir_is(op, "memref.store") ? 1 : -1;
}

static bool is_of_marked_memory(const widening *self, MlirOperation op) {
  intptr_t memory = memory_operand(op);
  return memory >= 0 && is_marked(self, mlirOperationGetOperand(op, memory));
}

// Whether what `store` writes to is of the stack, outside of the block (a loop's) that reads it and
// writes it: as if the loop carried it. So are the sums of a tile whose rows are no whole vectors,
// until LLVM takes them into registers.
static bool carries_in_memory(MlirOperation store) {
  MlirValue memory = mlirOperationGetOperand(store, memory_operand(store));
  MlirOperation alloca = tune_ir_definition(memory);
  MlirType type = mlirValueGetType(memory);
  if (!tune_ir_is(alloca, "memref.alloca") || mlirOperationGetNumOperands(alloca) > 0 ||
      !tune_ir_is_short_float(mlirShapedTypeGetElementType(type)) ||
      mlirShapedTypeGetRank(type) > MAX_RANK ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return false;
  bool is_read = false;
  MlirBlock block = mlirOperationGetBlock(store);
  for (MlirOpOperand use = mlirValueGetFirstUse(memory); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool is_in_body =
        tune_ir_string_starts(tune_ir_name(mlirOperationGetParentOperation(user)), "linalg.");
    if (is_in_body || memory_operand(user) != mlirOpOperandGetOperandNumber(use))
      return false;
    is_read |=
        mlirOperationGetNumResults(user) > 0 && mlirBlockEqual(mlirOperationGetBlock(user), block);
  }
  return is_read && !mlirBlockEqual(mlirOperationGetBlock(alloca), block);
}

static void mark_memory(widening *self, MlirOperation op) {
  intptr_t operand = memory_operand(op);
  if (operand < 0)
    return;
  MlirValue memory = mlirOperationGetOperand(op, operand);
  if (is_marked(self, memory))
    mark_results(self, op);
  else if (operand > 0 && is_marked(self, mlirOperationGetOperand(op, 0)) && carries_in_memory(op))
    mark_as(self, memory, mlirTypeIsABF16(mlirShapedTypeGetElementType(mlirValueGetType(memory))));
}

static bool takes_marked(const widening *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_marked(self, mlirOperationGetOperand(op, i)))
      return true;
  return false;
}

enum { BEFORE_CARRIED = 3 }; // operands of scf.for: the bounds and the step

static MlirValue carried(MlirOperation loop, intptr_t number) {
  return mlirBlockGetArgument(tune_ir_body(loop), 1 + number);
}

// The result that operand number `number` of `yield` is for; null where that is none of these
// loops' and ifs'.
static MlirValue yielded_to(MlirOperation yield, intptr_t number) {
  MlirOperation parent = mlirOperationGetParentOperation(yield);
  bool is_known = tune_ir_is(yield, "scf.yield") &&
                  (tune_ir_is(parent, "scf.for") || tune_ir_is(parent, "scf.if"));
  return is_known ? mlirOperationGetResult(parent, number) : (MlirValue){NULL};
}

static void mark_carried(widening *self, MlirOperation loop) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    MlirValue inside = carried(loop, i), after = mlirOperationGetResult(loop, i);
    if (is_marked(self, after) ||
        is_marked(self, mlirOperationGetOperand(loop, BEFORE_CARRIED + i))) {
      mark(self, inside);
      mark(self, after);
    }
  }
}

// The body of a linalg op is what its loops will do, and is looked at when they are there.
static MlirWalkResult next_of(const widening *self, MlirOperation op) {
  return self->failed                                         ? MlirWalkResultInterrupt
         : tune_ir_string_starts(tune_ir_name(op), "linalg.") ? MlirWalkResultSkip
                                                              : MlirWalkResultAdvance;
}

static MlirWalkResult mark_op(MlirOperation op, void *user_data) {
  widening *self = user_data;
  if (computes(op) || rounds_loosely(self, op) || (moves(op) && takes_marked(self, op)))
    mark_results(self, op);
  else if (tune_ir_is(op, "scf.for"))
    mark_carried(self, op);
  mark_memory(self, op);
  for (intptr_t i = 0; tune_ir_is(op, "scf.yield") && i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue to = yielded_to(op, i);
    if (!mlirValueIsNull(to) && is_marked(self, mlirOperationGetOperand(op, i)))
      mark(self, to);
  }
  return next_of(self, op);
}

//===--- Types ------------------------------------------------------------------------===//

static void give_type(const widening *self, MlirValue value) {
  if (!is_marked(self, value))
    return;
  mlirValueSetType(value, tune_ir_with_element(mlirValueGetType(value),
                                               mlirF32TypeGet(mlirValueGetContext(value))));
}

// Whether `op` takes narrow values, or marked ones.
static bool is_concerned(const widening *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (is_marked(self, operand) || is_narrow(operand))
      return true;
  }
  return false;
}

static MlirWalkResult give_types(MlirOperation op, void *user_data) {
  widening *self = user_data;
  if (rounds_loosely(self, op) || extends_loosely(self, op))
    self->failed |= !tune_op_list_add(&self->loose, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    give_type(self, mlirOperationGetResult(op, i));
    if (tune_ir_is(op, "scf.for"))
      give_type(self, carried(op, i));
  }
  if (is_concerned(self, op))
    self->failed |= !tune_op_list_add(&self->ops, op);
  return next_of(self, op);
}

//===--- Steps ------------------------------------------------------------------------===//

// Right after `value` is made; of an argument, where its block begins.
static tune_ir_builder builder_after(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  if (mlirOperationIsNull(op))
    return tune_ir_builder_before(mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(value)));
  tune_ir_builder builder = tune_ir_builder_before(op);
  builder.before = mlirOperationGetNextInBlock(op);
  return builder;
}

static MlirValue find_made(const made_values *values, MlirValue of) {
  size_t found = tune_op_map_get(&values->index, of.ptr);
  return found == TUNE_OP_MAP_NONE ? (MlirValue){NULL} : values->items[found];
}

static bool keep_made(made_values *values, MlirValue of, MlirValue made) {
  if (values->count == values->capacity) {
    size_t capacity = values->capacity ? 2 * values->capacity : 64;
    MlirValue *items = realloc(values->items, capacity * sizeof *items);
    if (!items)
      return false;
    values->items = items;
    values->capacity = capacity;
  }
  tune_status status = tune_op_map_set(&values->index, of.ptr, values->count);
  bool is_kept = tune_status_is_ok(status);
  tune_status_free(status);
  values->items[values->count++] = made;
  return is_kept;
}

static MlirValue step(const tune_ir_builder *builder, const char *name, MlirValue value,
                      MlirType element) {
  return tune_ir_build_value(builder, name, tune_ir_with_element(mlirValueGetType(value), element),
                             1, &value);
}

// Whether `op` takes a number, or a row, at a known place out of a vector.
static bool is_part(MlirOperation op) {
  return tune_ir_is(op, "vector.extract") && mlirOperationGetNumOperands(op) == 1;
}

// What `part` takes, out of `whole`.
static MlirValue extract(const tune_ir_builder *builder, MlirOperation part, MlirValue whole,
                         MlirType type) {
  MlirNamedAttribute place = tune_ir_named(builder->context, "static_position",
                                           tune_ir_attribute(part, "static_position"));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "vector.extract",
                                                        .operand_count = 1,
                                                        .operands = &whole,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 1,
                                                        .attributes = &place});
}

// A narrow value in f32. Of what is the same everywhere it is made once, and of numbers that lie
// beside each other for all of them.
static MlirValue extend(widening *self, MlirValue value) {
  MlirValue made = find_made(&self->extended, value);
  if (!mlirValueIsNull(made))
    return made;
  tune_ir_builder builder = builder_after(value);
  MlirOperation op = tune_ir_definition(value);
  MlirType f32 = mlirF32TypeGet(builder.context),
           wide = tune_ir_with_element(mlirValueGetType(value), f32);
  if (tune_ir_is(op, "ub.poison")) {
    made = tune_ir_build_value(&builder, "ub.poison", wide, 0, NULL);
  } else if (tune_ir_is(op, "vector.broadcast")) {
    MlirValue one = extend(self, mlirOperationGetOperand(op, 0));
    made = tune_ir_build_value(&builder, "vector.broadcast", wide, 1, &one);
  } else if (is_part(op)) {
    made = extract(&builder, op, extend(self, mlirOperationGetOperand(op, 0)), wide);
  } else {
    made = step(&builder, "arith.extf", value, f32);
  }
  self->failed |= !keep_made(&self->extended, value, made);
  return made;
}

// A marked value as it was.
static MlirValue round_back(widening *self, MlirValue value) {
  MlirValue made = find_made(&self->rounded, value);
  if (!mlirValueIsNull(made))
    return made;
  tune_ir_builder builder = builder_after(value);
  bool is_bf16 = tune_op_map_get(&self->marked, value.ptr);
  made = step(&builder, "arith.truncf", value,
              is_bf16 ? mlirBF16TypeGet(builder.context) : mlirF16TypeGet(builder.context));
  self->failed |= !keep_made(&self->rounded, value, made);
  return made;
}

static bool gives_marked(const widening *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (is_marked(self, mlirOperationGetResult(op, i)))
      return true;
  return false;
}

static bool wants_wide(const widening *self, MlirOperation op, intptr_t operand) {
  if (tune_ir_is(op, "scf.for"))
    return operand >= BEFORE_CARRIED && is_marked(self, carried(op, operand - BEFORE_CARRIED));
  if (tune_ir_is(op, "scf.yield")) {
    MlirValue to = yielded_to(op, operand);
    return !mlirValueIsNull(to) && is_marked(self, to);
  }
  return computes(op) || (moves(op) && gives_marked(self, op)) || is_of_marked_memory(self, op);
}

static bool compares_with_zero(MlirOperation op) {
  return tune_ir_is(op, "arith.cmpf") &&
         (is_zero(mlirOperationGetOperand(op, 0)) || is_zero(mlirOperationGetOperand(op, 1)));
}

// Whether `value` is in f32 what it would be without that, since ops like `max` that give of what
// they are given, or turn its sign, are all that it comes from: as far back as `depth`.
// Instructions that round bf16 may make its denormal numbers zero, and then would not give it back.
static bool is_exact(MlirValue value, int depth) {
  static const char *const EXACT[] = {
      "arith.negf",    "arith.maximumf", "arith.minimumf", "arith.maxnumf",
      "arith.minnumf", "math.absf",      "math.copysign",  NULL};
  MlirOperation op = tune_ir_definition(value);
  if (is_narrow(value) || tune_ir_is(op, "ub.poison"))
    return true;
  if (tune_ir_is(op, "arith.extf"))
    return is_narrow(mlirOperationGetOperand(op, 0));
  if (depth == 0 || !(tune_ir_is_one_of(op, EXACT) || moves(op)))
    return false;
  for (intptr_t i = tune_ir_is(op, "arith.select"); i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirTypeIsAFloat(element_of(mlirValueGetType(operand))) && !is_exact(operand, depth - 1))
      return false;
  }
  return true;
}

// Whether `op` compares two numbers for nothing but to give one of them: the larger one, say, which
// is the same rounded before that or after.
static bool chooses(MlirOperation op) {
  MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!tune_ir_is(user, "arith.select"))
      return false;
    MlirValue one = mlirOperationGetOperand(user, 1), other = mlirOperationGetOperand(user, 2);
    if (!(mlirValueEqual(one, a) && mlirValueEqual(other, b)) &&
        !(mlirValueEqual(one, b) && mlirValueEqual(other, a)))
      return false;
  }
  return true;
}

// Whether `op` has to see `value`, which is marked, as it would be without that. In bf16 next to
// nothing is rounded to zero, and rounding takes long; in f16 much is, which a guard against
// dividing by zero has to see.
static bool wants_rounded(const widening *self, MlirOperation op, intptr_t operand, MlirValue value,
                          bool is_loose_comparison) {
  bool is_bf16 = tune_op_map_get(&self->marked, value.ptr), wants;
  if (tune_ir_is(op, "arith.cmpf"))
    wants = !is_bf16 || !is_loose_comparison;
  else
    wants = !is_bf16 && computes(op) && !accumulates(op, operand);
  return wants && !is_exact(value, EXACT_DEPTH);
}

static void give_operands(widening *self, MlirOperation op) {
  if (extends_loosely(self, op))
    return;
  // As long as the zero is an operand: it may be the first one that is extended.
  bool is_loose_comparison =
      tune_ir_is(op, "arith.cmpf") && (compares_with_zero(op) || chooses(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !self->failed; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i), wanted = operand;
    bool is_wide = is_marked(self, operand);
    if ((!is_wide && !is_narrow(operand)) || mlirTypeIsAMemRef(mlirValueGetType(operand)))
      continue;
    bool wants = wants_wide(self, op, i);
    if (is_wide && (!wants || wants_rounded(self, op, i, operand, is_loose_comparison)))
      wanted = round_back(self, operand);
    if (wants && (!is_wide || !mlirValueEqual(wanted, operand)))
      wanted = extend(self, wanted);
    mlirOperationSetOperand(op, i, wanted);
  }
}

// Takes `op` away, which gives what it is given.
static void drop_step(MlirOperation op) {
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 0));
  mlirOperationDestroy(op);
}

static void widen(widening *self, MlirOperation root) {
  do {
    self->has_grown = false;
    mlirOperationWalk(root, mark_op, self, MlirWalkPreOrder);
  } while (self->has_grown && !self->failed);
  if (!self->failed)
    mlirOperationWalk(root, give_types, self, MlirWalkPreOrder);
  for (size_t i = 0; i < self->ops.count && !self->failed; ++i)
    give_operands(self, self->ops.ops[i]);
  for (size_t i = 0; i < self->loose.count && !self->failed; ++i)
    drop_step(self->loose.ops[i]);
}

tune_status tune_float_promotion_run(MlirOperation root) {
  tune_ir_load_dialects(mlirOperationGetContext(root),
                        (const char *const[]){"arith", "ub", "vector", NULL});
  widening self = {.failed = false,
                   .contract = mlirAttributeParseGet(mlirOperationGetContext(root),
                                                     tune_ir_string("#arith.fastmath<contract>"))};
  tune_op_map *const maps[] = {&self.marked, &self.extended.index, &self.rounded.index};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i)
    tune_op_map_init(maps[i]);
  widen(&self, root);
  for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i)
    tune_op_map_deinit(maps[i]);
  tune_op_list_deinit(&self.ops);
  tune_op_list_deinit(&self.loose);
  free(self.extended.items);
  free(self.rounded.items);
  return self.failed ? tune_status_out_of_memory("widening f16 and bf16") : TUNE_OK;
}
