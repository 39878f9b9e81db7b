//===- attention_keys.c ---------------------------------------------------------------===//

#include "transforms/normalize/attention/attention_keys.h"

#include "transforms/ir/constant_value.h"

#include <math.h>

// What is known of an element at a masked key.
typedef enum fact_kind {
  UNKNOWN = 0,
  OF_ROW,   // the same for all keys of a row
  POSITIVE, // a finite constant
  SUM,      // of exponentials, of a row
  INVERSE,  // of such a sum
  LEAST,    // -inf
  EXP,      // 0, and nowhere negative
  ZERO,
  SO_FAR, // what a reduction has combined before it
} fact_kind;

typedef struct fact {
  fact_kind kind;
  size_t of; // EXP, SUM, INVERSE: which value has these exponentials
} fact;

enum { OPS = 32 };

typedef struct body_facts {
  size_t made; // which value the body makes
  MlirValue values[OPS];
  fact facts[OPS];
  size_t count;
} body_facts;

static const fact NOTHING = {UNKNOWN, 0};

static fact is_just(fact_kind kind) { return (fact){kind, 0}; }

static fact of_number(double number) {
  return is_just(number == 0                      ? ZERO
                 : isinf(number) && number < 0    ? LEAST
                 : isfinite(number) && number > 0 ? POSITIVE
                                                  : OF_ROW);
}

static fact fact_of(const body_facts *known, MlirValue value) {
  double number;
  for (size_t i = 0; i < known->count; ++i)
    if (mlirValueEqual(known->values[i], value))
      return known->facts[i];
  return tune_constant_value(value, &number) ? of_number(number) : NOTHING;
}

static bool is_same_for_keys(fact f) {
  return f.kind == OF_ROW || f.kind == POSITIVE || f.kind == SUM || f.kind == INVERSE;
}

static bool is_zero(fact f) { return f.kind == ZERO || f.kind == EXP; }

static fact of_sum(fact a, fact b, bool is_difference) {
  if (a.kind == LEAST && (is_same_for_keys(b) || is_zero(b)))
    return a;
  if (b.kind == LEAST && is_same_for_keys(a) && !is_difference)
    return b;
  if (is_zero(b) && (is_zero(a) || a.kind == SO_FAR))
    return a.kind == SO_FAR ? a : is_just(ZERO);
  return is_zero(a) && b.kind == SO_FAR && !is_difference ? b : NOTHING;
}

static fact of_product(fact a, fact b) {
  if ((is_zero(a) || a.kind == LEAST) && b.kind == POSITIVE)
    return a;
  // Where the sum is 0, or no number, no weight of the row is a number.
  return a.kind == EXP && b.kind == INVERSE && a.of == b.of ? is_just(ZERO) : NOTHING;
}

static fact of_quotient(fact a, fact b) {
  if ((is_zero(a) || a.kind == LEAST) && b.kind == POSITIVE)
    return a;
  if (b.kind != SUM)
    return NOTHING;
  return a.kind == POSITIVE              ? (fact){INVERSE, b.of}
         : a.kind == EXP && a.of == b.of ? is_just(ZERO)
                                         : NOTHING;
}

static fact of_known_op(MlirOperation op, const body_facts *known, fact a, fact b) {
  static const char *const CONVERSIONS[] = {"arith.extf", "arith.truncf", NULL};
  static const char *const EXPONENTIALS[] = {"math.exp", "math.exp2", NULL};
  static const char *const MAXIMA[] = {"arith.maximumf", "arith.maxnumf", NULL};
  if (tune_ir_is_one_of(op, CONVERSIONS))
    return a;
  if (tune_ir_is_one_of(op, EXPONENTIALS))
    return a.kind == LEAST ? (fact){EXP, known->made} : NOTHING;
  if (tune_ir_is_one_of(op, MAXIMA))
    return a.kind == LEAST && b.kind == SO_FAR   ? b
           : a.kind == SO_FAR && b.kind == LEAST ? a
                                                 : NOTHING;
  if (tune_ir_is(op, "arith.addf") || tune_ir_is(op, "arith.subf"))
    return of_sum(a, b, tune_ir_is(op, "arith.subf"));
  if (tune_ir_is(op, "arith.mulf")) {
    fact product = of_product(a, b);
    return product.kind == UNKNOWN ? of_product(b, a) : product;
  }
  if (tune_ir_is(op, "arith.divf"))
    return of_quotient(a, b);
  if (tune_ir_is(op, "arith.select")) {
    fact c = fact_of(known, mlirOperationGetOperand(op, 2));
    bool is_either = (is_zero(b) && is_zero(c)) || (b.kind == LEAST && c.kind == LEAST);
    return !is_either ? NOTHING : is_zero(b) ? is_just(ZERO) : b;
  }
  return NOTHING;
}

static fact of_op(MlirOperation op, const body_facts *known) {
  intptr_t count = mlirOperationGetNumOperands(op);
  fact a = count > 0 ? fact_of(known, mlirOperationGetOperand(op, 0)) : NOTHING;
  fact b = count > 1 ? fact_of(known, mlirOperationGetOperand(op, 1)) : NOTHING;
  fact known_one = of_known_op(op, known, a, b);
  if (known_one.kind != UNKNOWN)
    return known_one;
  // What asks where it is has no operands.
  bool is_of_row = count > 0;
  for (intptr_t o = 0; o < count; ++o)
    is_of_row &= is_same_for_keys(fact_of(known, mlirOperationGetOperand(op, o)));
  return is_of_row ? is_just(OF_ROW) : NOTHING;
}

// What the body of `n` yields. Its arguments are given.
static fact of_body(const tune_nest_maps *n, body_facts *known) {
  MlirBlock body = tune_ir_body(n->op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, yield);
       op = mlirOperationGetNextInBlock(op)) {
    double number;
    if (known->count == OPS || mlirOperationGetNumResults(op) != 1)
      return NOTHING;
    MlirValue result = mlirOperationGetResult(op, 0);
    fact f = tune_constant_value(result, &number) ? of_number(number) : of_op(op, known);
    known->values[known->count] = result;
    known->facts[known->count++] = f;
  }
  return fact_of(known, mlirOperationGetOperand(yield, 0));
}

// What operand `o` of `n` is at a masked key; `facts` are those of the values.
static fact of_operand(const tune_attention_values *values, const tune_nest_maps *n, intptr_t o,
                       const tune_attention_axis *axes, const fact *facts) {
  MlirValue operand = mlirOperationGetOperand(n->op, o);
  size_t index = tune_attention_values_index(values, operand);
  double number;
  if (index != TUNE_ATTENTION_VALUES)
    return facts[index];
  if (tune_constant_value(operand, &number))
    return of_number(number);
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (axes[loop] == TUNE_ATTENTION_KEYS && tune_nest_maps_has(n->maps[o], loop))
      return NOTHING;
  return is_just(OF_ROW);
}

// What a reduction along the keys makes, whose body yields `yielded`.
static fact of_reduction(const tune_nest_maps *n, const body_facts *known, fact yielded) {
  if (yielded.kind != SO_FAR)
    return NOTHING;
  MlirOperation yield = mlirBlockGetTerminator(tune_ir_body(n->op));
  MlirOperation add = tune_ir_definition(mlirOperationGetOperand(yield, 0));
  for (intptr_t o = 0; tune_ir_is(add, "arith.addf") && o < 2; ++o) {
    fact added = fact_of(known, mlirOperationGetOperand(add, o));
    if (added.kind == EXP)
      return (fact){SUM, added.of};
  }
  return is_just(OF_ROW);
}

// Whether `n` computes the same for all keys: it reads nothing along them, not even where it is.
static bool is_same_along_keys(const tune_nest_maps *n, const tune_attention_axis *axes) {
  MlirBlock body = tune_ir_body(n->op);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "linalg.index"))
      return false;
  for (intptr_t o = 0; o < n->operand_count; ++o)
    for (intptr_t loop = 0; loop < n->loop_count; ++loop)
      if (axes[loop] == TUNE_ATTENTION_KEYS && tune_nest_maps_has(n->maps[o], loop) &&
          !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(body, o))))
        return false;
  return true;
}

static fact of_value(const tune_attention_values *values, size_t made, const fact *facts) {
  MlirOperation op = tune_ir_definition(values->values[made].value);
  tune_nest_maps n;
  tune_attention_axis axes[TUNE_IR_MAX_LOOPS];
  if (tune_ir_is(op, "linalg.softmax") || tune_ir_is(op, "tensor.expand_shape") ||
      tune_ir_is(op, "tensor.collapse_shape")) {
    fact f = facts[tune_attention_values_index(values, mlirOperationGetOperand(op, 0))];
    return !tune_ir_is(op, "linalg.softmax") ? f : f.kind == LEAST ? is_just(ZERO) : NOTHING;
  }
  if (!tune_nest_maps_read_any(op, &n) || !tune_attention_values_loops(values, &n, axes))
    return NOTHING;
  body_facts known = {.made = made};
  bool reduces_keys = false, reduces = tune_nest_maps_reduces(&n);
  for (intptr_t loop = 0; loop < n.loop_count; ++loop)
    reduces_keys |=
        axes[loop] == TUNE_ATTENTION_KEYS && !tune_nest_maps_has(tune_nest_maps_result(&n), loop);
  if (reduces && !reduces_keys)
    return NOTHING;
  bool has_sum = false;
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    has_sum |= of_operand(values, &n, o, axes, facts).kind == SUM;
  // What is made of a sum may be its inverse.
  if (!reduces && !has_sum && is_same_along_keys(&n, axes))
    return is_just(OF_ROW);
  for (intptr_t o = 0; o < n.operand_count; ++o) {
    known.values[known.count] = mlirBlockGetArgument(tune_ir_body(op), o);
    known.facts[known.count++] = o + 1 < n.operand_count ? of_operand(values, &n, o, axes, facts)
                                 : reduces_keys          ? is_just(SO_FAR)
                                                         : NOTHING;
  }
  fact yielded = of_body(&n, &known);
  return reduces_keys ? of_reduction(&n, &known, yielded) : yielded;
}

// Whether the weight of a key is 0, and no reduction notices it, where its value `masked` is -inf.
static bool are_keys_hidden(const tune_attention_values *values) {
  fact facts[TUNE_ATTENTION_VALUES] = {{UNKNOWN, 0}};
  bool is_reduced = false;
  facts[values->masked] = is_just(LEAST);
  for (size_t i = values->masked + 1; i < values->count; ++i) {
    const tune_attention_value *v = &values->values[i];
    bool has_keys = tune_attention_value_has_keys(v);
    facts[i] = of_value(values, i, facts);
    // A reduction that notices the key.
    if (!has_keys && facts[i].kind == UNKNOWN)
      return false;
    is_reduced |= !has_keys || tune_ir_is(tune_ir_definition(v->value), "linalg.softmax");
  }
  size_t weights = tune_attention_values_index(
      values, mlirOperationGetOperand(values->product.nest.op, values->product.rows));
  return is_reduced && is_zero(facts[weights]);
}

// Sets `masked` as late as it can be: what scales and masks the scores comes before, exp after it.
static bool find_masked(tune_attention_values *values) {
  for (;; --values->masked) {
    if (are_keys_hidden(values))
      return true;
    if (values->masked == 0)
      return false;
  }
}

bool tune_attention_find(MlirOperation op, tune_attention_values *out) {
  return (tune_attention_values_find(op, 0, out) && find_masked(out)) ||
         (tune_attention_values_find(op, 1, out) && find_masked(out));
}
