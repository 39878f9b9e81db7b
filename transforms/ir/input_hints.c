//===- input_hints.c - Analysis: which values arguments should have ----------===//

#include "transforms/ir/input_hints.h"

#include "transforms/ir/arith_facts.h"
#include "transforms/ir/constant_value.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_sums.h"

#include <math.h>

// A value that was followed through so many ops, or at so many places, is taken for one that may be
// used for anything.
#define DEPTH_LIMIT 64
#define VISIT_LIMIT 4096
#define JOIN_LIMIT 8 // of conditions
// What a mask is multiplied by is beyond any value that it is added to.
#define HUGE_FACTOR 1e3
// Of integers that become floats.
#define LARGEST_COUNT 99
#define LARGEST_BYTE 127
#define LARGEST_F16 65504.0
#define LARGEST_EXPONENT 3
#define UNKNOWN_LENGTH 4096
#define MOST_TURNS 63
#define WIDEST_SHARE 0.5 // of an integer's range, for floats that become one

static const double POSITIVE_LOW = 0.5, POSITIVE_HIGH = 1.5;

// What the uses of an argument need of it.
typedef struct needs {
  int visits;
  bool is_unknown; // some use is not understood
  bool is_indexing, is_odd_index;
  int64_t table; // the smallest that it indexes
  bool is_positive, is_at_least_one, is_in_unit, is_mask, is_flag, is_counted;
  bool is_divisor, is_exponent;
  bool is_bound, is_branch; // a loop goes on by it, or something else happens
  bool is_odd_divisor;      // what is divided by was computed of it
  int64_t shift_width;      // 0: shifts nothing
  int64_t fan_in;           // 0: no weight
  int64_t factors; // of the longest product over a dimension that it is a factor of; 0: none
  double convert_low, convert_high;
  bool is_converted, is_negative_converted;
} needs;

// How the value that is followed comes of the argument.
typedef struct path {
  needs *of;
  int depth;
  bool is_computed;   // otherwise than by a constant
  bool is_moved;      // by moves and conversions alone
  bool is_complement; // a constant minus it
  double scale;       // factors that it was multiplied by
} path;

static void follow(MlirValue value, path from);

static bool is_integer(MlirType type) {
  type = tune_ir_element_type(type);
  return mlirTypeIsAInteger(type) || mlirTypeIsAIndex(type);
}

static bool is_index(MlirType type) { return mlirTypeIsAIndex(tune_ir_element_type(type)); }

static void follow_results(MlirOperation op, path from) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    follow(mlirOperationGetResult(op, i), from);
}

static void note_index(MlirValue table, intptr_t dimension, const path *from) {
  MlirType type = mlirValueGetType(table);
  needs *n = from->of;
  n->is_indexing = true;
  n->is_odd_index |= from->is_computed;
  if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasRank(type) || dimension < 0 ||
      dimension >= mlirShapedTypeGetRank(type) || mlirShapedTypeIsDynamicDim(type, dimension))
    n->is_odd_index = true;
  else if (mlirShapedTypeGetDimSize(type, dimension) < n->table)
    n->table = mlirShapedTypeGetDimSize(type, dimension);
}

// The dimensions of a tensor.gather or scatter that its indices are of.
static void note_gather(MlirOperation op, const char *name, MlirValue table, const path *from) {
  MlirAttribute dimensions = tune_ir_attribute(op, name);
  if (mlirAttributeIsNull(dimensions) || !mlirAttributeIsADenseI64Array(dimensions))
    from->of->is_unknown = true;
  else
    for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(dimensions); ++i)
      note_index(table, mlirDenseI64ArrayGetElement(dimensions, i), from);
}

//===--------------------------------------------------------------------------===//
// Scalars in bodies
//===--------------------------------------------------------------------------===//

static void note_conversion(MlirOperation op, const path *from) {
  needs *n = from->of;
  bool is_signed = tune_ir_is(op, "arith.fptosi");
  int64_t width = tune_arith_width(mlirValueGetType(mlirOperationGetResult(op, 0)));
  double most = ldexp(1, (int)(is_signed ? width - 1 : width)) * WIDEST_SHARE / fabs(from->scale);
  if (from->is_complement || !(from->scale > 0) || !isfinite(most))
    return;
  n->convert_high = n->is_converted ? fmin(n->convert_high, most) : most;
  n->convert_low = -n->convert_high;
  n->is_converted = true;
  n->is_negative_converted |= !is_signed;
}

static const char *const converting[] = {
    "arith.extsi",  "arith.extui",      "arith.trunci",       "arith.extf",
    "arith.truncf", "arith.index_cast", "arith.index_castui", NULL};
static const char *const counting[] = {"arith.sitofp", "arith.uitofp", NULL};
static const char *const clamping[] = {"arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui",
                                       NULL};
static const char *const needing_positive[] = {"math.rsqrt", "math.sqrt",  "math.log", "math.log2",
                                               "math.log10", "math.acosh", NULL};

// They are of numbers from -1 to 1, atanh without the ends.
static const char *const needing_unit[] = {"math.acos", "math.asin", "math.atanh", NULL};
#define UNIT 0.999

// A factor of what a linalg op multiplies up over a dimension.
static void note_factor(MlirOperation op, intptr_t number, const path *from) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  MlirValue other = mlirOperationGetOperand(op, 1 - number);
  if (!from->is_moved || !tune_ir_is(op, "arith.mulf") || !mlirValueIsABlockArgument(other) ||
      !tune_ir_string_starts(tune_ir_name(parent), "linalg."))
    return;
  tune_op_sum sum = tune_op_sum_of(parent);
  if (!sum.multiplies_up || mlirBlockArgumentGetArgNumber(other) < sum.input_count)
    return;
  int64_t length = sum.length > 0 ? sum.length : UNKNOWN_LENGTH;
  if (length > from->of->factors)
    from->of->factors = length;
}

// Of an addition, subtraction or product of two values.
static void follow_arithmetic(MlirOperation op, intptr_t number, path from) {
  MlirStringRef name = tune_ir_name(op);
  double constant;
  bool is_constant = tune_constant_value(mlirOperationGetOperand(op, 1 - number), &constant);
  bool is_float = !is_integer(mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (!is_constant && is_float) {
    note_factor(op, number, &from);
    return;
  }
  from.is_computed |= !is_constant;
  from.is_moved = false;
  if (is_constant && tune_ir_string_starts(name, "arith.sub") && number == 1)
    from.is_complement = true;
  if (is_constant && tune_ir_string_starts(name, "arith.mul")) {
    if (fabs(constant) >= HUGE_FACTOR && from.is_complement)
      from.of->is_mask = true;
    from.scale *= constant;
    from.is_computed |= !is_float;
  }
  follow_results(op, from);
}

static void follow_division(MlirOperation op, intptr_t number, path from) {
  double constant;
  if (number == 1)
    from.of->is_positive = true;
  if (number == 1 || !tune_constant_value(mlirOperationGetOperand(op, 1), &constant))
    return;
  from.scale /= constant;
  from.is_moved = false;
  follow_results(op, from);
}

// Whether the bit says if a loop goes on (`of` is scf.condition) or which branch is taken (scf.if).
static bool decides(MlirValue bit, const char *of, int depth) {
  static const char *const joining[] = {"arith.andi", "arith.ori", "arith.xori", NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(bit); depth > 0 && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (tune_ir_is(op, of) && mlirOpOperandGetOperandNumber(use) == 0)
      return true;
    if (tune_ir_is_one_of(op, joining) && decides(mlirOperationGetResult(op, 0), of, depth - 1))
      return true;
  }
  return false;
}

// Which branch is taken may be how a loop of a fixed length ends early. A constant is no such end.
static void note_decision(MlirOperation op, intptr_t number, const path *from) {
  double constant;
  MlirValue bit = mlirOperationGetResult(op, 0);
  from->of->is_bound |= decides(bit, "scf.condition", JOIN_LIMIT);
  from->of->is_branch |= !tune_constant_value(mlirOperationGetOperand(op, 1 - number), &constant) &&
                         decides(bit, "scf.if", JOIN_LIMIT);
}

static void note_comparison(MlirOperation op, intptr_t number, const path *from) {
  double constant;
  note_decision(op, number, from);
  // Predicates 0 and 1 are eq and ne.
  int64_t predicate = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "predicate"));
  if (predicate > 1 || from->is_computed ||
      !tune_constant_value(mlirOperationGetOperand(op, 1 - number), &constant))
    return;
  from->of->is_flag |= constant == 0 || constant == 1;
}

static void follow_scalar(MlirOperation op, intptr_t number, path from) {
  needs *n = from.of;
  bool yields_integers = mlirOperationGetNumResults(op) == 1 &&
                         is_integer(mlirValueGetType(mlirOperationGetResult(op, 0)));
  MlirStringRef name = tune_ir_name(op);
  if (tune_ir_is_one_of(op, converting)) {
    from.is_moved &= !tune_ir_is(op, "arith.trunci");
    follow_results(op, from);
  } else if (tune_ir_is_one_of(op, counting)) {
    n->is_counted = true;
    follow_results(op, from);
  } else if (tune_ir_is(op, "arith.fptosi") || tune_ir_is(op, "arith.fptoui")) {
    note_conversion(op, &from);
    follow_results(op, from);
  } else if (tune_arith_rounds(op)) {
    from.is_moved = false;
    follow_results(op, from);
  } else if (tune_ir_string_equal(name, "arith.cmpi")) {
    note_comparison(op, number, &from);
  } else if (tune_ir_string_equal(name, "arith.select")) {
    from.is_moved = false;
    if (number > 0)
      follow_results(op, from);
  } else if (tune_ir_is_one_of(op, clamping) || tune_arith_clamps_floats(op)) {
    double constant;
    bool is_constant = tune_constant_value(mlirOperationGetOperand(op, 1 - number), &constant);
    from.is_moved = false;
    from.is_computed |= !is_constant;
    if (is_constant || yields_integers)
      follow_results(op, from);
  } else if (tune_arith_shifts(op) && number == 1) {
    int64_t width = tune_arith_width(mlirValueGetType(mlirOperationGetOperand(op, 0)));
    if (n->shift_width == 0 || width < n->shift_width)
      n->shift_width = width;
  } else if (tune_arith_divides(op) && number == 1) {
    n->is_divisor = true;
    n->is_odd_divisor |= !from.is_moved;
  } else if ((tune_ir_string_equal(name, "math.ipowi") ||
              tune_ir_string_equal(name, "math.fpowi")) &&
             number == 1) {
    n->is_exponent = true;
  } else if (tune_ir_string_equal(name, "arith.divf")) {
    follow_division(op, number, from);
  } else if (tune_ir_is_one_of(op, needing_positive) ||
             (tune_ir_string_equal(name, "math.powf") && number == 0)) {
    n->is_positive = true;
    n->is_at_least_one |= tune_ir_string_equal(name, "math.acosh");
  } else if (tune_ir_is_one_of(op, needing_unit)) {
    n->is_in_unit = true;
  } else if (mlirOperationGetNumOperands(op) == 2 && (tune_ir_string_starts(name, "arith.add") ||
                                                      tune_ir_string_starts(name, "arith.sub") ||
                                                      tune_ir_string_starts(name, "arith.mul"))) {
    follow_arithmetic(op, number, from);
  } else if (yields_integers && !tune_ir_string_equal(name, "arith.cmpf")) {
    from.is_computed = true;
    from.is_moved &= tune_ir_string_equal(name, "math.absi");
    follow_results(op, from);
  }
}

//===--------------------------------------------------------------------------===//
// Tensors
//===--------------------------------------------------------------------------===//

bool tune_input_is_moved(MlirValue value) {
  static const char *const moving[] = {
      "tensor.expand_shape", "tensor.collapse_shape", "tensor.cast", "tensor.extract_slice",
      "tensor.pad",          "tensor.reshape",        NULL};
  for (int depth = 0; depth < DEPTH_LIMIT; ++depth) {
    MlirOperation op = tune_ir_definition(value);
    if (mlirOperationIsNull(op))
      return tune_ir_is(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)), "func.func");
    if (!tune_ir_is_one_of(op, moving)) {
      if (!tune_ir_string_starts(tune_ir_name(op), "linalg."))
        return false;
      tune_op_sum sum = tune_op_sum_of(op);
      if (!sum.moves || sum.input_count != 1)
        return false;
    }
    value = mlirOperationGetOperand(op, 0);
  }
  return false;
}

static void note_weight(MlirOperation op, intptr_t number, const path *from) {
  tune_op_sum sum = tune_op_sum_of(op);
  if (!sum.multiplies || number > 1 || !from->is_moved)
    return;
  // Of two arguments the second is the weight, as the filter of a convolution is.
  if (number == 0 && tune_input_is_moved(mlirOperationGetOperand(op, 1)))
    return;
  if (sum.length > from->of->fan_in)
    from->of->fan_in = sum.length;
}

static void follow_into_body(MlirOperation op, intptr_t number, path from) {
  if (mlirOperationGetNumRegions(op) == 0)
    return;
  note_weight(op, number, &from);
  MlirBlock body = tune_ir_body(op);
  if (!mlirBlockIsNull(body) && number < mlirBlockGetNumArguments(body))
    follow(mlirBlockGetArgument(body, number), from);
}

// Out of a body whose loops are all parallel.
static void follow_yield(MlirOperation yield, intptr_t number, path from) {
  MlirOperation op = mlirOperationGetParentOperation(yield);
  tune_op_sum sum = tune_op_sum_of(op);
  if (!sum.is_known || sum.reduces) {
    from.is_computed = true;
    from.is_moved = false;
    if (!is_integer(mlirValueGetType(mlirOperationGetOperand(yield, number))))
      return;
  }
  if (number < mlirOperationGetNumResults(op))
    follow(mlirOperationGetResult(op, number), from);
}

static void follow_call(MlirOperation call, intptr_t number, path from) {
  MlirOperation function = tune_ir_called_function(call);
  if (mlirOperationIsNull(function))
    from.of->is_unknown = true;
  else
    follow(mlirBlockGetArgument(tune_ir_body(function), number), from);
}

static void follow_tensor(MlirOperation op, intptr_t number, path from) {
  static const char *const moving[] = {"tensor.expand_shape",
                                       "tensor.collapse_shape",
                                       "tensor.cast",
                                       "tensor.extract_slice",
                                       "tensor.pad",
                                       "tensor.reshape",
                                       "tensor.concat",
                                       "tensor.insert_slice",
                                       "tensor.splat",
                                       "tensor.from_elements",
                                       "memref.subview",
                                       "memref.cast",
                                       "memref.expand_shape",
                                       "memref.collapse_shape",
                                       "bufferization.to_tensor",
                                       "bufferization.to_buffer",
                                       "linalg.pack",
                                       "linalg.unpack",
                                       "vector.broadcast",
                                       "vector.shape_cast",
                                       "vector.transpose",
                                       "vector.extract",
                                       "vector.extract_strided_slice",
                                       NULL};
  static const char *const reading[] = {"tensor.extract",    "memref.load",          "vector.load",
                                        "vector.maskedload", "vector.transfer_read", NULL};
  static const char *const writing[] = {"tensor.insert", "memref.store", NULL};
  bool is_shaped = mlirTypeIsAShaped(mlirValueGetType(mlirOperationGetOperand(op, number)));
  if (tune_ir_is_one_of(op, moving) && is_shaped) {
    follow_results(op, from);
  } else if (tune_ir_is_one_of(op, reading)) {
    // Behind the indices there may be a mask, and what is read where it is not set.
    MlirValue read = mlirOperationGetOperand(op, 0);
    if (number == 0)
      follow_results(op, from);
    else if (number <= mlirShapedTypeGetRank(mlirValueGetType(read)))
      note_index(read, number - 1, &from);
  } else if (tune_ir_is_one_of(op, writing)) {
    if (number > 1)
      note_index(mlirOperationGetOperand(op, 1), number - 2, &from);
    else
      follow_results(op, from);
  } else if (tune_ir_is(op, "tensor.gather")) {
    if (number == 0)
      follow_results(op, from);
    else
      note_gather(op, "gather_dims", mlirOperationGetOperand(op, 0), &from);
  } else if (tune_ir_is(op, "tensor.scatter")) {
    if (number == 2)
      note_gather(op, "scatter_dims", mlirOperationGetOperand(op, 1), &from);
    else
      follow_results(op, from);
  } else if (!tune_ir_is(op, "tensor.dim") && !tune_ir_is(op, "memref.dim")) {
    from.of->is_unknown = true;
  }
}

static void follow_use(MlirOperation op, intptr_t number, path from) {
  MlirStringRef name = tune_ir_name(op);
  if (tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math."))
    follow_scalar(op, number, from);
  else if (tune_ir_string_equal(name, "linalg.yield"))
    follow_yield(op, number, from);
  else if (tune_ir_string_starts(name, "linalg.") && !tune_ir_string_equal(name, "linalg.pack") &&
           !tune_ir_string_equal(name, "linalg.unpack"))
    follow_into_body(op, number, from);
  else if (tune_ir_string_equal(name, "func.call"))
    follow_call(op, number, from);
  else if (!tune_ir_string_equal(name, "func.return"))
    follow_tensor(op, number, from);
}

static void follow(MlirValue value, path from) {
  if (++from.depth > DEPTH_LIMIT || ++from.of->visits > VISIT_LIMIT) {
    from.of->is_unknown = true;
    return;
  }
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    follow_use(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), from);
}

//===--------------------------------------------------------------------------===//
// What comes of it
//===--------------------------------------------------------------------------===//

static tune_input_hint range(double low, double high) {
  return (tune_input_hint){.has_range = true, .low = low, .high = high};
}

// To one side of zero where it has to stay there.
static tune_input_hint hint_of_converted(const needs *n, MlirType element) {
  double largest = mlirTypeIsAF16(element) ? LARGEST_F16 : INFINITY;
  double high = fmin(n->convert_high, largest * WIDEST_SHARE);
  return range(n->is_negative_converted ? 0 : fmax(n->convert_low, -high), high);
}

static tune_input_hint hint_of_floats(const needs *n, MlirType element) {
  if (n->is_mask)
    return (tune_input_hint){.has_range = true, .low = 0, .high = 1, .is_whole = true};
  if (n->is_positive)
    return n->is_at_least_one ? range(1, 2)
                              : range(POSITIVE_LOW, n->is_in_unit ? UNIT : POSITIVE_HIGH);
  if (n->is_in_unit)
    return range(-UNIT, UNIT);
  if (n->factors > 0) {
    double off = fmin(POSITIVE_LOW, sqrt(3 / (double)n->factors));
    return range(1 - off, 1 + off);
  }
  if (n->is_converted)
    return hint_of_converted(n, element);
  double most = n->fan_in > 1 ? sqrt(3 / (double)n->fan_in) : 1;
  return n->fan_in > 1 ? range(-most, most) : (tune_input_hint){0};
}

static tune_input_hint hint_of_divisors(const needs *n, double most) {
  double high = n->is_counted ? LARGEST_COUNT : most - 1;
  if (n->is_odd_divisor)
    return range(1, high);
  tune_input_hint hint = range(-high, high);
  hint.is_divisor = true;
  return hint;
}

// Flags that are nothing else may be any number; half of them are zeros and ones all the same.
static tune_input_hint hint_of_flags(const needs *n, double most, bool keeps_small) {
  if (n->is_unknown || n->is_counted || n->is_mask || keeps_small)
    return range(0, 1);
  tune_input_hint hint = range(-most, most - 1);
  hint.is_flag = true;
  return hint;
}

// A byte may be any.
static tune_input_hint hint_of_counts(double most) {
  return most - 1 <= LARGEST_BYTE ? range(-most, most - 1) : range(-LARGEST_COUNT, LARGEST_COUNT);
}

// `has_promise`: sums of large ones may be undefined.
static tune_input_hint hint_of_integers(const needs *n, MlirType type, bool has_promise) {
  double most = ldexp(1, (int)tune_arith_width(type) - 1);
  if (n->is_indexing)
    return n->is_odd_index || n->table <= 0 ? (tune_input_hint){0} : range(0, (double)n->table - 1);
  if (n->shift_width > 0)
    return range(0, (double)n->shift_width - 1);
  if (n->is_exponent)
    return range(0, LARGEST_EXPONENT);
  if (n->is_mask || (n->is_flag && !n->is_divisor))
    return hint_of_flags(n, most, has_promise || is_index(type));
  if (n->is_unknown)
    return (tune_input_hint){0};
  if (n->is_divisor)
    return hint_of_divisors(n, most);
  if (has_promise)
    return (tune_input_hint){0};
  if (n->is_counted)
    return hint_of_counts(most);
  return range(-most, most - 1);
}

// So many turns that they take no time, and none beyond the arguments' dimensions, which the turns
// may count off; at least one, since no turn checks nothing.
static tune_input_hint hint_of_bounds(MlirOperation function) {
  MlirBlock body = tune_ir_body(function);
  int64_t most = MOST_TURNS;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    if (!mlirTypeIsAShaped(type))
      continue;
    if (!mlirShapedTypeHasStaticShape(type))
      return (tune_input_hint){0}; // who knows the sizes makes them as small
    for (int64_t d = 0; d < mlirShapedTypeGetRank(type); ++d) {
      int64_t size = mlirShapedTypeGetDimSize(type, d);
      most = size > 1 && size <= most ? size - 1 : most;
    }
  }
  return range(1, (double)most);
}

static bool is_single(MlirType type) {
  if (!mlirTypeIsAShaped(type))
    return true;
  bool is_static = mlirShapedTypeHasRank(type) && mlirShapedTypeHasStaticShape(type);
  for (int64_t d = 0; is_static && d < mlirShapedTypeGetRank(type); ++d)
    is_static = mlirShapedTypeGetDimSize(type, d) == 1;
  return is_static;
}

static MlirWalkResult find_overflow_flags(MlirOperation op, void *has_promise) {
  *(bool *)has_promise |= tune_arith_promises_no_overflow(op);
  return *(bool *)has_promise ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

tune_input_hint tune_input_hint_of(MlirOperation function, intptr_t index) {
  MlirValue argument = mlirBlockGetArgument(tune_ir_body(function), index);
  MlirType type = mlirValueGetType(argument);
  needs n = {.table = INT64_MAX};
  follow(argument, (path){.of = &n, .scale = 1, .is_moved = true});
  MlirType element = tune_ir_element_type(type);
  if (!is_integer(type))
    return mlirTypeIsAFloat(element) ? hint_of_floats(&n, element) : (tune_input_hint){0};
  if (tune_arith_width(type) == 1)
    return (tune_input_hint){0};
  // Of many numbers that are compared some may be data.
  bool is_compared = n.is_bound || (n.is_branch && is_single(type));
  if (is_compared && !n.is_indexing && n.shift_width == 0 && !n.is_exponent)
    return hint_of_bounds(function);
  bool has_promise = false;
  mlirOperationWalk(function, find_overflow_flags, &has_promise, MlirWalkPreOrder);
  tune_input_hint hint = hint_of_integers(&n, type, has_promise);
  // A size or a bound: not as far as its type goes.
  bool is_bound = mlirTypeIsAIndex(element) && hint.high > LARGEST_COUNT;
  return is_bound ? (tune_input_hint){0} : hint;
}
