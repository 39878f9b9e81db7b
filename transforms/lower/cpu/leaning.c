//===- leaning.c - A reference that shows what its roundings decide ------------------===//
//
// All ops are seen in their order, to know which buffers have been computed, and by sums of how
// many terms; a body that has something to lean gets it right then. A loop is seen first, turn by
// turn.
//
//===--------------------------------------------------------------------------===//

#include "transforms/lower/cpu/leaning.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/mean_square.h"
#include "transforms/lower/cpu/reference_loops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>

#define SLOTS 3
// What results may be off by, in unit roundoffs: functions (docs/accuracy.md), all else.
#define FUNCTION 8
#define OTHER 2
// The factor that each result of a function's first kind is multiplied by.
#define MOST_FACTORS 48
// Turns of a loop that are looked at; what one of them computes is there after as many as it has
// buffers.
#define MOST_TURNS 16

typedef struct factor {
  MlirType type;
  int slot;
  double amount; // of unit roundoffs
  MlirValue value;
} factor;

typedef struct leaning {
  const char *entry;
  MlirOperation module;
  tune_op_map lengths;    // of buffers that were computed, and of scalars of a body: of their sums
  tune_op_map roundings;  // of scalars of a body: what says whether they were rounded
  tune_op_map wholes;     // buffers and scalars that are whole numbers, and exactly so
  MlirOperation function; // that has the values below; a null one: none has
  MlirValue slots[SLOTS]; // f64
  factor factors[MOST_FACTORS];
  size_t factor_count;
  size_t next;    // slot
  bool has_grown; // the maps have something new
  bool only_sees; // nothing is made to lean yet
  bool leans;     // somewhere
  bool failed;    // memory ran out
} leaning;

//===--- What was computed -------------------------------------------------------------===//

// 0 where it is not.
static size_t length_of(const leaning *self, MlirValue value) {
  size_t length = tune_op_map_get(&self->lengths, value.ptr);
  return length == TUNE_OP_MAP_NONE ? 0 : length;
}

static void set(leaning *self, tune_op_map *map, MlirValue value, size_t number) {
  self->has_grown |= tune_op_map_get(map, value.ptr) != number;
  tune_status status = tune_op_map_set(map, value.ptr, number);
  self->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
}

static void note(leaning *self, MlirValue value, size_t length) {
  if (length > length_of(self, value))
    set(self, &self->lengths, value, length);
}

// Where all that is put into a buffer is whole, so are its elements.
static void note_written(leaning *self, MlirValue base, bool is_whole) {
  bool was = tune_op_map_get(&self->wholes, base.ptr) != 0; // also where it has not been written
  set(self, &self->wholes, base, was && is_whole);
}

static bool is_whole_number(MlirAttribute value) {
  if (!mlirAttributeIsNull(value) && mlirAttributeIsADenseElements(value))
    value = mlirDenseElementsAttrIsSplat(value) ? mlirDenseElementsAttrGetSplatValue(value)
                                                : mlirAttributeGetNull();
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAFloat(value))
    return false;
  double number = mlirFloatAttrGetValueDouble(value);
  return number == floor(number);
}

// Of a scalar, or what is in a buffer.
static bool is_whole(const leaning *self, MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  if (tune_ir_is(op, "arith.constant"))
    return is_whole_number(tune_ir_attribute(op, "value"));
  if (tune_ir_is(op, "memref.get_global")) {
    MlirOperation global = tune_ir_find_symbol(
        self->module, mlirFlatSymbolRefAttrGetValue(tune_ir_attribute(op, "name")));
    return !mlirOperationIsNull(global) &&
           is_whole_number(tune_ir_attribute(global, "initial_value"));
  }
  return tune_op_map_get(&self->wholes, value.ptr) == 1;
}

// The buffer that `value` is a view of.
static MlirValue base_of(MlirValue value) {
  static const char *const VIEWS[] = {"memref.subview",
                                      "memref.cast",
                                      "memref.expand_shape",
                                      "memref.collapse_shape",
                                      "memref.reinterpret_cast",
                                      "memref.transpose",
                                      NULL};
  for (MlirOperation op = tune_ir_definition(value); tune_ir_is_one_of(op, VIEWS);
       op = tune_ir_definition(value))
    value = mlirOperationGetOperand(op, 0);
  return value;
}

// Of what is in a buffer. What comes from somewhere else than an allocation here is taken for
// computed, but for constants and the arguments of the entry.
static size_t length_in(const leaning *self, MlirValue buffer) {
  static const char *const OWN[] = {"memref.alloc", "memref.alloca", "memref.get_global", NULL};
  MlirValue base = base_of(buffer);
  size_t known = length_of(self, base);
  if (known > 0 || tune_ir_is_one_of(tune_ir_definition(base), OWN))
    return known;
  if (!mlirValueIsABlockArgument(base))
    return 1;
  MlirOperation owner = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(base));
  return tune_ir_is(owner, "func.func") &&
                 tune_ir_string_equal(tune_ir_string_attribute(owner, "sym_name"), self->entry)
             ? 0
             : 1;
}

static bool is_float(MlirType type) {
  return tune_ir_is_short_float(type) || mlirTypeIsAF32(type) || mlirTypeIsAF64(type);
}

static double roundoff_of(MlirType type) {
  return mlirTypeIsABF16(type)  ? 0x1p-8
         : mlirTypeIsAF16(type) ? 0x1p-11
         : mlirTypeIsAF32(type) ? 0x1p-24
                                : 0x1p-53;
}

//===--- Ops ----------------------------------------------------------------------------===//

// To a whole number, or nothing but a sign.
static bool rounds(MlirOperation op) {
  static const char *const NAMES[] = {"math.floor",     "math.ceil",  "math.round",
                                      "math.roundeven", "math.trunc", "arith.fptosi",
                                      "arith.fptoui",   NULL};
  return tune_ir_is_one_of(op, NAMES);
}

static bool is_function(MlirOperation op) {
  static const char *const EXACT[] = {
      "math.absf",  "math.copysign", "math.fma",      "math.isfinite",
      "math.isinf", "math.isnan",    "math.isnormal", NULL};
  return tune_ir_string_starts(tune_ir_name(op), "math.") && !rounds(op) &&
         !tune_ir_is_one_of(op, EXACT) && mlirOperationGetNumResults(op) == 1 &&
         is_float(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static bool is_arithmetic(MlirOperation op) {
  static const char *const NAMES[] = {"arith.addf", "arith.subf", "arith.mulf",
                                      "arith.divf", "math.fma",   NULL};
  return tune_ir_is_one_of(op, NAMES);
}

// Whole numbers that are added, multiplied and chosen from stay so, and exact while they are small.
static bool gives_whole_numbers(const leaning *self, MlirOperation op) {
  static const char *const MADE[] = {"arith.sitofp", "arith.uitofp",   "math.floor", "math.ceil",
                                     "math.round",   "math.roundeven", "math.trunc", NULL};
  static const char *const KEPT[] = {"arith.addf",
                                     "arith.subf",
                                     "arith.mulf",
                                     "arith.negf",
                                     "arith.maximumf",
                                     "arith.minimumf",
                                     "arith.maxnumf",
                                     "arith.minnumf",
                                     "arith.extf",
                                     "arith.truncf",
                                     "math.absf",
                                     "arith.select",
                                     NULL};
  if (tune_ir_is_one_of(op, MADE))
    return true;
  if (!tune_ir_is_one_of(op, KEPT))
    return false;
  for (intptr_t i = tune_ir_is(op, "arith.select"); i < mlirOperationGetNumOperands(op); i++)
    if (!is_whole(self, mlirOperationGetOperand(op, i)))
      return false;
  return true;
}

static bool takes_computed(const leaning *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (length_of(self, mlirOperationGetOperand(op, i)) > 0)
      return true;
  return false;
}

// Whether the last bits of what `op`, an arith.cmpf, compares may decide: not where it asks for
// NaN, or of one value whether it is as large as itself.
static bool compares_sizes(MlirOperation op) {
  enum { FALSE = 0, ORDERED = 7, UNORDERED = 14, TRUE = 15 }; // arith::CmpFPredicate
  int64_t predicate = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "predicate"));
  return predicate != FALSE && predicate != ORDERED && predicate != UNORDERED &&
         predicate != TRUE &&
         !mlirValueEqual(mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1));
}

// Whether what `op` gives depends on roundings more than sums and products do.
static bool decides(const leaning *self, MlirOperation op) {
  return is_function(op) || tune_ir_is(op, "arith.divf") ||
         ((rounds(op) || (tune_ir_is(op, "arith.cmpf") && compares_sizes(op))) &&
          takes_computed(self, op));
}

// Whether `op` adds to what a result is so far.
static bool accumulates(MlirOperation op, MlirBlock body, intptr_t first) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirValueIsABlockArgument(operand) &&
        mlirBlockEqual(mlirBlockArgumentGetOwner(operand), body) &&
        mlirBlockArgumentGetArgNumber(operand) >= first)
      return true;
  }
  return false;
}

//===--- What was rounded ---------------------------------------------------------------===//
//
// What an op gives exactly no other code gives otherwise: such a number does not lean, nor does
// what is compared with it, however near. While it runs, a product of floats shows in f64 whether
// it was rounded. What functions and quotients give, and what buffers hold that were computed,
// always was.

// Whether a scalar was rounded on the way: no, always, or as a value of i1 says.
typedef size_t rounding;
#define NEVER ((rounding)0)
#define ALWAYS ((rounding)1)

static rounding rounding_of(const leaning *self, MlirValue value) {
  size_t known = tune_op_map_get(&self->roundings, value.ptr);
  return known == TUNE_OP_MAP_NONE ? NEVER : known;
}

static MlirValue flag_of(rounding of) { return (MlirValue){(const void *)of}; }

static rounding either(const tune_ir_builder *b, rounding one, rounding other) {
  if (one == ALWAYS || other == ALWAYS)
    return ALWAYS;
  if (one == NEVER || other == NEVER || one == other)
    return one == NEVER ? other : one;
  return (rounding)tune_ir_build_binary(b, "arith.ori", flag_of(one), flag_of(other)).ptr;
}

static void note_rounding(leaning *self, MlirValue value, rounding of) {
  set(self, &self->roundings, value, of);
}

static MlirValue widened(const tune_ir_builder *b, MlirValue value) {
  return tune_ir_build_value(b, "arith.extf", mlirF64TypeGet(b->context), 1, &value);
}

// Whether `op`, a product or a sum, rounds itself.
static rounding rounding_by(const tune_ir_builder *b, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  if (mlirTypeIsAF64(mlirValueGetType(result)))
    return ALWAYS;
  MlirStringRef name = tune_ir_name(op);
  const char *text = tune_ir_string_equal(name, "arith.mulf")   ? "arith.mulf"
                     : tune_ir_string_equal(name, "arith.addf") ? "arith.addf"
                                                                : "arith.subf";
  MlirValue exact = tune_ir_build_binary(b, text, widened(b, mlirOperationGetOperand(op, 0)),
                                         widened(b, mlirOperationGetOperand(op, 1)));
  return (rounding)tune_ir_build_compare(b, "une", exact, widened(b, result)).ptr;
}

// Of what the operands are; a condition is none of them.
static rounding rounding_of_operands(const leaning *self, const tune_ir_builder *b,
                                     MlirOperation op) {
  rounding all = NEVER;
  for (intptr_t i = tune_ir_is(op, "arith.select"); i < mlirOperationGetNumOperands(op); i++)
    all = either(b, all, rounding_of(self, mlirOperationGetOperand(op, i)));
  return all;
}

//===--- Leaning ------------------------------------------------------------------------===//

static MlirValue load_slot(const tune_ir_builder *b, MlirValue buffer, int64_t slot) {
  MlirValue operands[] = {buffer, tune_ir_build_index(b, slot)};
  return tune_ir_build_value(b, "memref.load", mlirF64TypeGet(b->context), 2, operands);
}

// A builder at the start of the function that `op` is in, where the slots have been read.
static tune_ir_builder at_start(leaning *self, MlirOperation op) {
  MlirOperation function = op;
  while (!tune_ir_is(function, "func.func"))
    function = mlirOperationGetParentOperation(function);
  MlirBlock block = tune_ir_body(function);
  if (mlirOperationEqual(function, self->function)) {
    tune_ir_builder b = tune_ir_builder_before(mlirBlockGetFirstOperation(block));
    b.before = mlirOperationGetNextInBlock(tune_ir_definition(self->slots[SLOTS - 1]));
    return b;
  }
  tune_ir_builder b = tune_ir_builder_before(mlirBlockGetFirstOperation(block));
  int64_t size = SLOTS;
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirF64TypeGet(b.context), 1, &size, mlirAttributeGetNull());
  MlirNamedAttribute name = tune_ir_named(
      b.context, "name", mlirFlatSymbolRefAttrGet(b.context, tune_ir_string(TUNE_LEANING_NAME)));
  MlirValue buffer = tune_ir_build_result(&b, &(tune_ir_parts){.name = "memref.get_global",
                                                               .type_count = 1,
                                                               .types = &type,
                                                               .attribute_count = 1,
                                                               .attributes = &name});
  for (int i = 0; i < SLOTS; i++)
    self->slots[i] = load_slot(&b, buffer, i);
  self->function = function;
  self->factor_count = 0;
  self->leans = true;
  return b;
}

static MlirValue narrowed(const tune_ir_builder *b, MlirValue value, MlirType type) {
  return mlirTypeIsAF64(type) ? value : tune_ir_build_value(b, "arith.truncf", type, 1, &value);
}

// `base` and the slot's sign times `amount` roundoffs of `type`, as one; made once in a function.
static MlirValue factor_of(leaning *self, MlirOperation user, MlirType type, double base,
                           double amount, int slot) {
  tune_ir_builder b = at_start(self, user);
  double key = base != 0 ? amount : -amount;
  for (size_t i = 0; i < self->factor_count; i++) {
    const factor *known = &self->factors[i];
    if (mlirTypeEqual(known->type, type) && known->slot == slot && known->amount == key)
      return known->value;
  }
  MlirType f64 = mlirF64TypeGet(b.context);
  MlirValue value = tune_ir_build_binary(&b, "arith.mulf", self->slots[slot],
                                         tune_ir_build_number(&b, f64, amount * roundoff_of(type)));
  if (base != 0)
    value = tune_ir_build_binary(&b, "arith.addf", value, tune_ir_build_number(&b, f64, base));
  value = narrowed(&b, value, type);
  if (self->factor_count < MOST_FACTORS)
    self->factors[self->factor_count++] = (factor){type, slot, key, value};
  return value;
}

static int next_slot(leaning *self) { return (int)(self->next++ % SLOTS); }

// `value` times a little more or less than one, where it was rounded, before `place`.
static MlirValue lean(leaning *self, MlirValue value, MlirOperation place, double amount,
                      rounding where) {
  MlirType type = mlirValueGetType(value);
  MlirValue by = factor_of(self, place, type, 1, tune_ir_is_short_float(type) ? OTHER : amount,
                           next_slot(self));
  tune_ir_builder b = tune_ir_builder_before(place);
  if (where != ALWAYS)
    by = tune_ir_build_select(&b, flag_of(where), by, tune_ir_build_number(&b, type, 1));
  MlirValue leant = tune_ir_build_binary(&b, "arith.mulf", value, by);
  note(self, leant, length_of(self, value));
  return leant;
}

static MlirValue lean_for_all(leaning *self, MlirValue value, MlirOperation place, double amount,
                              rounding where) {
  MlirValue leant = lean(self, value, place, amount, where);
  // What says where looks at it as it was.
  MlirOperation looking[] = {tune_ir_definition(leant), {NULL}};
  intptr_t count = 1;
  if (where != ALWAYS) {
    MlirOperation compare = tune_ir_definition(flag_of(where));
    looking[count++] = tune_ir_definition(mlirOperationGetOperand(compare, 1));
  }
  mlirValueReplaceAllUsesExcept(value, leant, count, looking);
  return leant;
}

// What is nearly equal compares as the slot's sign says.
static void lean_compare(leaning *self, MlirOperation op, rounding where) {
  MlirValue a = mlirOperationGetOperand(op, 0), c = mlirOperationGetOperand(op, 1);
  MlirType type = mlirValueGetType(a);
  int slot = next_slot(self);
  MlirValue amount =
      factor_of(self, op, type, 0, tune_ir_is_short_float(type) ? OTHER : FUNCTION, slot);
  tune_ir_builder start = at_start(self, op);
  MlirValue zero = tune_ir_build_number(&start, mlirF64TypeGet(start.context), 0);
  MlirValue is_up = tune_ir_build_compare(&start, "ogt", self->slots[slot], zero);
  tune_ir_builder b = tune_ir_builder_before(mlirOperationGetNextInBlock(op));
  MlirValue difference = tune_ir_build_binary(&b, "arith.subf", a, c);
  MlirValue sizes[] = {tune_ir_build_value(&b, "math.absf", type, 1, &a),
                       tune_ir_build_value(&b, "math.absf", type, 1, &c),
                       tune_ir_build_value(&b, "math.absf", type, 1, &difference),
                       tune_ir_build_value(&b, "math.absf", type, 1, &amount)};
  // Of each by itself: their sum may be beyond what the type holds.
  MlirValue limit = tune_ir_build_binary(
      &b, "arith.addf", tune_ir_build_binary(&b, "arith.mulf", sizes[0], sizes[3]),
      tune_ir_build_binary(&b, "arith.mulf", sizes[1], sizes[3]));
  MlirValue is_near = tune_ir_build_compare(&b, "olt", sizes[2], limit);
  if (where != ALWAYS)
    is_near = tune_ir_build_binary(&b, "arith.andi", is_near, flag_of(where));
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirValue leant = tune_ir_build_select(&b, is_near, is_up, result);
  MlirOperation select = tune_ir_definition(leant);
  mlirValueReplaceAllUsesExcept(result, leant, 1, &select);
}

static void lean_rounding(leaning *self, MlirOperation op, rounding where) {
  MlirValue operand = mlirOperationGetOperand(op, 0);
  if (where != NEVER && is_float(mlirValueGetType(operand)) && length_of(self, operand) > 0)
    mlirOperationSetOperand(op, 0, lean(self, operand, op, FUNCTION, where));
}

// A product leans where it rounds, and so do narrow sums; others are only known to have.
static void lean_arithmetic(leaning *self, MlirOperation op, rounding before) {
  MlirOperation place = mlirOperationGetNextInBlock(op);
  MlirValue result = mlirOperationGetResult(op, 0);
  tune_ir_builder b = tune_ir_builder_before(place);
  bool is_sum = tune_ir_is(op, "arith.addf") || tune_ir_is(op, "arith.subf");
  bool is_function_like = tune_ir_is(op, "arith.divf") || tune_ir_is(op, "math.fma");
  rounding own = is_function_like ? ALWAYS : rounding_by(&b, op);
  rounding all = either(&b, before, own);
  if (!is_sum || tune_ir_is_short_float(mlirValueGetType(result)))
    result = lean_for_all(self, result, place, OTHER, own);
  note_rounding(self, result, all);
}

static void lean_op(leaning *self, MlirOperation op, MlirBlock body, intptr_t first) {
  if (mlirOperationGetNumResults(op) != 1)
    return;
  MlirOperation place = mlirOperationGetNextInBlock(op);
  MlirValue result = mlirOperationGetResult(op, 0);
  tune_ir_builder b = tune_ir_builder_before(op);
  rounding before = rounding_of_operands(self, &b, op);
  if (tune_ir_is(op, "arith.cmpf")) {
    if (before != NEVER && is_float(mlirValueGetType(mlirOperationGetOperand(op, 0))) &&
        compares_sizes(op) && takes_computed(self, op))
      lean_compare(self, op, before);
  } else if (rounds(op)) {
    lean_rounding(self, op, before);
  } else if (!is_float(mlirValueGetType(result))) {
    return;
  } else if (is_function(op)) {
    note_rounding(self, lean_for_all(self, result, place, FUNCTION, ALWAYS), ALWAYS);
  } else if (is_arithmetic(op) && accumulates(op, body, first)) {
    note_rounding(self, result, ALWAYS);
  } else if (is_arithmetic(op)) {
    lean_arithmetic(self, op, before);
  } else {
    note_rounding(self, result, before);
  }
}

//===--- Bodies -------------------------------------------------------------------------===//

// Notes what is computed in a body; false where nothing of it decides anything.
static bool read_body(leaning *self, MlirOperation generic, MlirBlock body, intptr_t first) {
  for (intptr_t i = 0; i < first; i++) {
    MlirValue operand = mlirOperationGetOperand(generic, i);
    if (!mlirTypeIsAMemRef(mlirValueGetType(operand)))
      continue;
    if (is_whole(self, base_of(operand)))
      set(self, &self->wholes, mlirBlockGetArgument(body, i), 1);
    note(self, mlirBlockGetArgument(body, i), length_in(self, operand));
  }
  bool decides_any = false;
  for (int round = 0; round < 2; round++) // what a result is so far, is known after one
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
      bool gives_whole = gives_whole_numbers(self, op);
      if (gives_whole)
        set(self, &self->wholes, mlirOperationGetResult(op, 0), 1);
      size_t length = is_function(op) || is_arithmetic(op) ? 1 : 0;
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        size_t of_operand = length_of(self, mlirOperationGetOperand(op, i));
        length = of_operand > length ? of_operand : length;
      }
      for (intptr_t i = 0; !gives_whole && i < mlirOperationGetNumResults(op); i++)
        note(self, mlirOperationGetResult(op, i), length);
      decides_any |= decides(self, op);
      for (intptr_t i = 0; tune_ir_is(op, "linalg.yield") && i < mlirOperationGetNumOperands(op);
           i++)
        note(self, mlirBlockGetArgument(body, first + i),
             length_of(self, mlirOperationGetOperand(op, i)));
    }
  return decides_any;
}

// Roundings of a sum go with the size of what was added up, not with what is left of it. Of one
// that is nearly zero beside others they decide what is rounded to a whole number.

static bool rounds_computed(const leaning *self, MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (rounds(op) && takes_computed(self, op))
      return true;
  return false;
}

// `leant`, an element of `buffer` that leans before `place`, and a little more or less: as much as
// one of the size of all of them would lean by `amount`. With a slot at 0 it is `leant`.
static MlirValue lean_by_size(leaning *self, MlirOperation generic, MlirValue buffer,
                              MlirValue leant, MlirOperation place, double amount) {
  MlirType type = mlirValueGetType(leant), f64 = mlirF64TypeGet(mlirTypeGetContext(type));
  int slot = next_slot(self);
  at_start(self, generic); // reads the slots
  tune_ir_builder before = tune_ir_builder_before(generic);
  MlirValue size =
      tune_ir_build_binary(&before, "arith.mulf", tune_mean_square_root(&before, buffer),
                           tune_ir_build_number(&before, f64, amount * roundoff_of(type)));
  MlirValue zero = tune_ir_build_number(&before, f64, 0);
  MlirValue shift = tune_ir_build_binary(&before, "arith.mulf", size, self->slots[slot]);
  // Of infinite ones nothing is known.
  MlirValue is_on = tune_ir_build_binary(
      &before, "arith.andi", tune_ir_build_compare(&before, "one", self->slots[slot], zero),
      tune_ir_build_compare(&before, "oeq",
                            tune_ir_build_binary(&before, "arith.subf", shift, shift), zero));
  shift = narrowed(&before, shift, type);
  tune_ir_builder b = tune_ir_builder_before(place);
  return tune_ir_build_select(&b, is_on, tune_ir_build_binary(&b, "arith.addf", leant, shift),
                              leant);
}

// Element `i` of `generic`, a sum of `length` terms, or what was made of one.
static void lean_argument(leaning *self, MlirOperation generic, intptr_t i, size_t length,
                          bool rounds_it) {
  MlirBlock body = tune_ir_body(generic);
  MlirValue argument = mlirBlockGetArgument(body, i), buffer = mlirOperationGetOperand(generic, i);
  MlirOperation place = mlirBlockGetFirstOperation(body);
  double amount = OTHER * exp2(ceil(log2((double)length) / 2)); // few factors
  MlirValue leant = lean_for_all(self, argument, place, amount, ALWAYS);
  if (rounds_it && length > 1 && !tune_ir_is_short_float(mlirValueGetType(argument)) &&
      tune_mean_square_is_known(mlirValueGetType(buffer))) {
    MlirValue more = lean_by_size(self, generic, buffer, leant, place, amount);
    MlirOperation select = tune_ir_definition(more);
    MlirOperation own[] = {select, tune_ir_definition(mlirOperationGetOperand(select, 1))};
    mlirValueReplaceAllUsesExcept(leant, more, 2, own);
    note(self, more, length);
    leant = more;
  }
  note_rounding(self, leant, ALWAYS);
}

static void lean_body(leaning *self, MlirOperation generic, MlirBlock body, intptr_t first) {
  bool rounds_it = rounds_computed(self, body);
  tune_op_list ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    tune_op_list_add(&ops, op);
  self->failed |= ops.failed;
  for (intptr_t i = 0; i < first && ops.count > 0; i++) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    size_t length = length_of(self, argument);
    if (length > 0 && is_float(mlirValueGetType(argument)))
      lean_argument(self, generic, i, length, rounds_it);
  }
  for (size_t i = 0; i < ops.count; i++)
    lean_op(self, ops.ops[i], body, first);
  tune_op_list_deinit(&ops);
}

// What an op that reads nothing of it puts into all of a buffer is all that is in it.
static bool overwrites(MlirOperation generic, MlirBlock body, intptr_t operand) {
  MlirValue buffer = mlirOperationGetOperand(generic, operand);
  MlirOpOperand use = mlirValueGetFirstUse(mlirBlockGetArgument(body, operand));
  return mlirOpOperandIsNull(use) && mlirValueEqual(buffer, base_of(buffer));
}

static void see_generic(leaning *self, MlirOperation op) {
  MlirBlock body = tune_ir_body(op);
  intptr_t first = mlirDenseI32ArrayGetElement(tune_ir_attribute(op, "operandSegmentSizes"), 0);
  intptr_t count = mlirOperationGetNumOperands(op);
  bool decides_any = read_body(self, op, body, first);
  int64_t terms;
  size_t length = 1;
  if (tune_reference_loops_reduces(op, &terms))
    length = terms > 1 ? (size_t)terms : 4096;
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = first; i < count; i++) {
    MlirValue base = base_of(mlirOperationGetOperand(op, i));
    size_t own = length_of(self, mlirBlockGetArgument(body, i));
    if (overwrites(op, body, i)) {
      set(self, &self->wholes, base, 1);
      set(self, &self->lengths, base, 0);
    }
    note_written(self, base, is_whole(self, mlirOperationGetOperand(yield, i - first)));
    if (own > 0)
      note(self, base, own > length ? own : length);
  }
  if (decides_any && !self->only_sees)
    lean_body(self, op, body, first);
}

static MlirWalkResult see_op(MlirOperation op, void *user_data);

// What a turn of a loop has computed is there in the next one, also ahead of where that is done.
static void see_turns(leaning *self, MlirOperation loop) {
  self->only_sees = self->has_grown = true;
  for (int turn = 0; turn < MOST_TURNS && self->has_grown; turn++) {
    self->has_grown = false;
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(loop); i++)
      for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, i));
           !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
        for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
             op = mlirOperationGetNextInBlock(op))
          mlirOperationWalk(op, see_op, self, MlirWalkPreOrder);
  }
  self->only_sees = false;
}

static MlirWalkResult see_op(MlirOperation op, void *user_data) {
  static const char *const LOOPS[] = {"scf.for", "scf.while", NULL};
  leaning *self = user_data;
  if (!self->only_sees && tune_ir_is_one_of(op, LOOPS))
    see_turns(self, op);
  if (tune_ir_is(op, "linalg.generic")) {
    see_generic(self, op);
    return MlirWalkResultSkip;
  }
  if (tune_ir_is(op, "memref.copy")) {
    MlirValue from = mlirOperationGetOperand(op, 0), to = base_of(mlirOperationGetOperand(op, 1));
    note(self, to, length_in(self, from));
    note_written(self, to, is_whole(self, base_of(from)));
  } else if (tune_ir_is(op, "memref.store")) {
    note(self, base_of(mlirOperationGetOperand(op, 1)), 1);
    note_written(self, base_of(mlirOperationGetOperand(op, 1)), false);
  } else if (tune_ir_is(op, "func.call"))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      if (mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, i)))) {
        note(self, base_of(mlirOperationGetOperand(op, i)), 1);
        note_written(self, base_of(mlirOperationGetOperand(op, i)), false);
      }
  return MlirWalkResultAdvance;
}

static void declare_slots(MlirOperation module) {
  MlirOperation global = mlirOperationCreateParse(
      mlirOperationGetContext(module),
      tune_ir_string("memref.global @" TUNE_LEANING_NAME " : memref<3xf64> = dense<0.0>"),
      tune_ir_string("leaning"));
  mlirBlockInsertOwnedOperation(tune_ir_body(module), 0, global);
}

tune_status tune_leaning_add(MlirOperation module, const char *entry) {
  if (!mlirOperationIsNull(tune_ir_find_symbol(module, tune_ir_string(TUNE_LEANING_NAME))))
    return TUNE_OK;
  tune_ir_load_dialects(mlirOperationGetContext(module),
                        (const char *const[]){"arith", "math", "memref", NULL});
  leaning self = {.entry = entry, .module = module};
  tune_op_map_init(&self.lengths);
  tune_op_map_init(&self.roundings);
  tune_op_map_init(&self.wholes);
  mlirOperationWalk(module, see_op, &self, MlirWalkPreOrder);
  if (self.leans)
    declare_slots(module);
  tune_op_map_deinit(&self.lengths);
  tune_op_map_deinit(&self.roundings);
  tune_op_map_deinit(&self.wholes);
  return self.failed ? tune_status_out_of_memory("making a reference") : TUNE_OK;
}
