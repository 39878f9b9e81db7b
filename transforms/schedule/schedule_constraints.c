//===- schedule_constraints.c - Constraints written with the SMT dialect -----===//

#include "transforms/schedule/schedule_constraints.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/schedule/schedule_knobs.h"

#include <stdlib.h>

// What the ops have in common: they join their operands by a word, from the left.
typedef struct joining_op {
  const char *name;
  const char *word;
} joining_op;

static const joining_op JOINING[] = {
    {"smt.int.add", " + "}, {"smt.int.sub", " - "}, {"smt.int.mul", " * "}, {"smt.int.div", " / "},
    {"smt.int.mod", " % "}, {"smt.and", " && "},    {"smt.or", " || "},     {"smt.implies", " => "},
};

// smt.int.cmp's predicates by their number.
static const char *const COMPARISONS[] = {" < ", " <= ", " > ", " >= "};

static tune_status unsupported(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return tune_status_make_at(
      TUNE_INVALID_ARGUMENT, op,
      "%.*s cannot be part of a constraint; there are smt.int.constant, add, sub, mul, div, mod, "
      "abs and cmp, smt.constant, eq, distinct, and, or, xor, not, implies and ite",
      (int)name.length, name.data);
}

//===--------------------------------------------------------------------------===//
// To an expression
//===--------------------------------------------------------------------------===//

static tune_status write_value(tune_string_builder *text, MlirValue value);

static tune_status write_operand(tune_string_builder *text, MlirOperation op, intptr_t index) {
  return write_value(text, mlirOperationGetOperand(op, index));
}

// Writes the operands from `first` on, with `word` between them.
static tune_status write_joined(tune_string_builder *text, MlirOperation op, const char *word) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    if (i > 0)
      tune_string_builder_append(text, word);
    TUNE_RETURN_IF_ERROR(write_operand(text, op, i));
  }
  return TUNE_OK;
}

// Writes "a <word> b" for pairs of operands, all of them or neighbours only, joined by &&.
static tune_status write_pairs(tune_string_builder *text, MlirOperation op, const char *word,
                               bool all_pairs) {
  intptr_t count = mlirOperationGetNumOperands(op);
  bool first = true;
  for (intptr_t i = 0; i < count; ++i)
    for (intptr_t j = i + 1; j < count && (all_pairs || j == i + 1); ++j) {
      tune_string_builder_append(text, first ? "" : " && ");
      first = false;
      TUNE_RETURN_IF_ERROR(write_operand(text, op, i));
      tune_string_builder_append(text, word);
      TUNE_RETURN_IF_ERROR(write_operand(text, op, j));
    }
  return TUNE_OK;
}

// Comparisons are 1 or 0 in the language of constraints, so a choice is a sum of products.
static tune_status write_choice(tune_string_builder *text, MlirOperation op) {
  tune_string_builder_append(text, "!");
  TUNE_RETURN_IF_ERROR(write_operand(text, op, 0));
  tune_string_builder_append(text, " * ");
  TUNE_RETURN_IF_ERROR(write_operand(text, op, 2));
  tune_string_builder_append(text, " + !!");
  TUNE_RETURN_IF_ERROR(write_operand(text, op, 0));
  tune_string_builder_append(text, " * ");
  return write_operand(text, op, 1);
}

static tune_status write_op(tune_string_builder *text, MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  for (size_t i = 0; i < sizeof JOINING / sizeof *JOINING; ++i)
    if (tune_ir_string_equal(name, JOINING[i].name))
      return write_joined(text, op, JOINING[i].word);
  if (tune_ir_string_equal(name, "smt.int.constant")) {
    tune_string_builder_appendf(
        text, "%lld", (long long)mlirIntegerAttrGetValueSInt(tune_ir_attribute(op, "value")));
    return TUNE_OK;
  }
  if (tune_ir_string_equal(name, "smt.constant")) {
    tune_string_builder_append(
        text, mlirBoolAttrGetValue(tune_ir_attribute(op, "value")) ? "true" : "false");
    return TUNE_OK;
  }
  if (tune_ir_string_equal(name, "smt.int.cmp"))
    return write_joined(text, op,
                        COMPARISONS[mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "pred")) & 3]);
  if (tune_ir_string_equal(name, "smt.eq"))
    return write_pairs(text, op, " == ", false);
  if (tune_ir_string_equal(name, "smt.distinct"))
    return write_pairs(text, op, " != ", true);
  if (tune_ir_string_equal(name, "smt.xor")) {
    // Each operand as 1 or 0; an odd sum is true.
    tune_string_builder_append(text, "(");
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      tune_string_builder_append(text, i ? " + !!" : "!!");
      TUNE_RETURN_IF_ERROR(write_operand(text, op, i));
    }
    tune_string_builder_append(text, ") % 2");
    return TUNE_OK;
  }
  if (tune_ir_string_equal(name, "smt.not")) {
    tune_string_builder_append(text, "!");
    return write_operand(text, op, 0);
  }
  if (tune_ir_string_equal(name, "smt.int.abs")) {
    tune_string_builder_append(text, "max(");
    TUNE_RETURN_IF_ERROR(write_operand(text, op, 0));
    tune_string_builder_append(text, ", -");
    TUNE_RETURN_IF_ERROR(write_operand(text, op, 0));
    tune_string_builder_append(text, ")");
    return TUNE_OK;
  }
  if (tune_ir_string_equal(name, "smt.ite"))
    return write_choice(text, op);
  return unsupported(op);
}

// The op whose region has `block` as its only one.
static MlirOperation owner_of(MlirBlock block) { return mlirBlockGetParentOperation(block); }

static tune_status write_param(tune_string_builder *text, MlirValue param, MlirOperation user) {
  if (mlirValueIsABlockArgument(param))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, user,
                               "a constraint over an argument of a sequence; constrain the knob "
                               "itself where it is made");
  MlirOperation op = mlirOpResultGetOwner(param);
  if (tune_ir_is(op, "transform.tune.knob")) {
    MlirStringRef name = tune_ir_string_attribute(op, "name");
    tune_string_builder_appendf(text, "'%.*s'", (int)name.length, name.data);
    return TUNE_OK;
  }
  if (tune_ir_is(op, "transform.param.constant") &&
      mlirAttributeIsAInteger(tune_ir_attribute(op, "value"))) {
    tune_string_builder_appendf(
        text, "%lld", (long long)mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "value")));
    return TUNE_OK;
  }
  if (tune_ir_is(op, "transform.smt.constrain_params")) {
    MlirOperation yield = mlirBlockGetTerminator(tune_ir_body(op));
    return write_operand(text, yield, mlirOpResultGetResultNumber(param));
  }
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, user,
                             "a constraint over a value that is known only when the schedule runs; "
                             "it has to be a knob's, a constant or made of such");
}

static tune_status write_value(tune_string_builder *text, MlirValue value) {
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation owner = owner_of(mlirBlockArgumentGetOwner(value));
    return write_param(text, mlirOperationGetOperand(owner, mlirBlockArgumentGetArgNumber(value)),
                       owner);
  }
  tune_string_builder_append(text, "(");
  TUNE_RETURN_IF_ERROR(write_op(text, mlirOpResultGetOwner(value)));
  tune_string_builder_append(text, ")");
  return TUNE_OK;
}

tune_status tune_schedule_write_condition(tune_string_builder *text, MlirOperation op,
                                          size_t *out_count) {
  size_t count = 0;
  for (MlirOperation parent = mlirOperationGetParentOperation(op); !mlirOperationIsNull(parent);
       parent = mlirOperationGetParentOperation(parent)) {
    if (!tune_ir_is(parent, "transform.tune.alternatives"))
      continue;
    tune_string_builder_append(text, count++ ? " && " : "");
    if (mlirOperationGetNumOperands(parent) > 0) {
      TUNE_RETURN_IF_ERROR(write_param(text, mlirOperationGetOperand(parent, 0), parent));
    } else {
      MlirStringRef name = tune_ir_string_attribute(parent, "name");
      tune_string_builder_appendf(text, "'%.*s'", (int)name.length, name.data);
    }
    tune_string_builder_appendf(text, " == %lld", (long long)tune_schedule_region_of(parent, op));
  }
  *out_count = count;
  return TUNE_OK;
}

static tune_status read_assertion(MlirOperation op, MlirOperation assertion, tune_space *space) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  char *expression = NULL, *why = NULL;
  size_t count = 0;
  tune_status status = tune_schedule_write_condition(&text, op, &count);
  tune_string_builder_append(&text, count ? " => " : "");
  if (tune_status_is_ok(status))
    status = write_operand(&text, assertion, 0);
  if (tune_status_is_ok(status))
    status = tune_string_builder_finish(&text, &expression);
  // The reason may stand on the one assertion or on all of them.
  MlirStringRef reason = tune_ir_string_attribute(assertion, "tune.why");
  if (!reason.data)
    reason = tune_ir_string_attribute(op, "tune.why");
  if (tune_status_is_ok(status) && reason.data && !(why = strndup(reason.data, reason.length)))
    status = tune_status_out_of_memory("reading a constraint");
  if (tune_status_is_ok(status))
    status = tune_status_locate(tune_space_add_constraint(space, expression, why),
                                mlirOperationGetLocation(assertion));
  free(expression);
  free(why);
  tune_string_builder_deinit(&text);
  return status;
}

tune_status tune_schedule_read_constraints(MlirOperation op, tune_space *space) {
  MlirBlock body = tune_ir_body(op);
  for (MlirOperation inner = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(inner);
       inner = mlirOperationGetNextInBlock(inner)) {
    if (tune_ir_is(inner, "smt.assert")) {
      TUNE_RETURN_IF_ERROR(read_assertion(op, inner, space));
    } else if (mlirOperationGetNumResults(inner) == 0 && !tune_ir_is(inner, "smt.yield")) {
      return unsupported(inner);
    }
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// To a value
//===--------------------------------------------------------------------------===//

static bool evaluate(MlirValue value, int64_t *out);

// / and % as constraint.h has them: rounding to minus infinity.
static bool divide(int64_t a, int64_t b, bool remainder, int64_t *out) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return false;
  int64_t quotient = a / b, rest = a % b;
  if (rest != 0 && (rest < 0) != (b < 0)) {
    quotient -= 1;
    rest += b;
  }
  *out = remainder ? rest : quotient;
  return true;
}

static bool combine(MlirStringRef name, int64_t a, int64_t b, int64_t *out) {
  if (tune_ir_string_equal(name, "smt.int.add"))
    return !__builtin_add_overflow(a, b, out);
  if (tune_ir_string_equal(name, "smt.int.sub"))
    return !__builtin_sub_overflow(a, b, out);
  if (tune_ir_string_equal(name, "smt.int.mul"))
    return !__builtin_mul_overflow(a, b, out);
  if (tune_ir_string_equal(name, "smt.int.div"))
    return divide(a, b, false, out);
  if (tune_ir_string_equal(name, "smt.int.mod"))
    return divide(a, b, true, out);
  if (tune_ir_string_equal(name, "smt.and"))
    *out = a && b;
  else if (tune_ir_string_equal(name, "smt.or"))
    *out = a || b;
  else if (tune_ir_string_equal(name, "smt.xor"))
    *out = !a != !b;
  else if (tune_ir_string_equal(name, "smt.implies"))
    *out = !a || b;
  else
    return false;
  return true;
}

// smt.eq and smt.distinct over any number of operands.
static bool evaluate_pairs(MlirOperation op, bool distinct, int64_t *out) {
  *out = 1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    for (intptr_t j = i + 1; j < mlirOperationGetNumOperands(op); ++j) {
      int64_t a, b;
      if (!evaluate(mlirOperationGetOperand(op, i), &a) ||
          !evaluate(mlirOperationGetOperand(op, j), &b))
        return false;
      if ((a == b) == distinct)
        *out = 0;
    }
  return true;
}

static bool evaluate_comparison(int64_t predicate, int64_t a, int64_t b, int64_t *out) {
  *out = predicate == 0 ? a < b : predicate == 1 ? a <= b : predicate == 2 ? a > b : a >= b;
  return true;
}

static bool evaluate_op(MlirOperation op, int64_t *out) {
  MlirStringRef name = tune_ir_name(op);
  if (tune_ir_string_equal(name, "smt.int.constant")) {
    *out = mlirIntegerAttrGetValueSInt(tune_ir_attribute(op, "value"));
    return true;
  }
  if (tune_ir_string_equal(name, "smt.constant")) {
    *out = mlirBoolAttrGetValue(tune_ir_attribute(op, "value"));
    return true;
  }
  if (tune_ir_string_equal(name, "smt.eq"))
    return evaluate_pairs(op, false, out);
  if (tune_ir_string_equal(name, "smt.distinct"))
    return evaluate_pairs(op, true, out);
  int64_t first;
  if (mlirOperationGetNumOperands(op) == 0 || !evaluate(mlirOperationGetOperand(op, 0), &first))
    return false;
  if (tune_ir_string_equal(name, "smt.ite"))
    return evaluate(mlirOperationGetOperand(op, first ? 1 : 2), out);
  if (tune_ir_string_equal(name, "smt.not")) {
    *out = !first;
    return true;
  }
  if (tune_ir_string_equal(name, "smt.int.abs"))
    return first >= 0 ? (*out = first, true) : !__builtin_sub_overflow((int64_t)0, first, out);
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); ++i) {
    int64_t next;
    if (!evaluate(mlirOperationGetOperand(op, i), &next))
      return false;
    if (tune_ir_string_equal(name, "smt.int.cmp"))
      return evaluate_comparison(mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "pred")), first,
                                 next, out);
    if (!combine(name, first, next, &first))
      return false;
  }
  *out = first;
  return true;
}

static bool evaluate(MlirValue value, int64_t *out) {
  if (!mlirValueIsABlockArgument(value))
    return evaluate_op(mlirOpResultGetOwner(value), out);
  MlirValue param = mlirOperationGetOperand(owner_of(mlirBlockArgumentGetOwner(value)),
                                            mlirBlockArgumentGetArgNumber(value));
  if (!mlirValueIsAOpResult(param) ||
      !tune_ir_is(mlirOpResultGetOwner(param), "transform.param.constant"))
    return false;
  MlirAttribute constant = tune_ir_attribute(mlirOpResultGetOwner(param), "value");
  if (!mlirAttributeIsAInteger(constant))
    return false;
  *out = mlirIntegerAttrGetValueInt(constant);
  return true;
}

tune_status tune_schedule_evaluate(MlirOperation op, intptr_t result, int64_t *out_value) {
  MlirOperation yield = mlirBlockGetTerminator(tune_ir_body(op));
  if (evaluate(mlirOperationGetOperand(yield, result), out_value))
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                             "result %lld has no value under this config", (long long)result);
}
