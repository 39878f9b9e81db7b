//===- nest_choice.c - What a body decides, by computing it ---------------------------------===//

#include "transforms/lower/cpu/nests/nest_choice.h"

#include "transforms/ir/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>
#include <string.h>

#define MOST_VALUES 32

// A number: of floats `real`, else `whole`, with its sign spread.
typedef struct number {
  double real;
  int64_t whole;
} number;

// Values of the body that are known: first the free ones and what was before, then what ops make.
typedef struct environment {
  MlirValue of[MOST_VALUES];
  number is[MOST_VALUES];
  size_t count;
} environment;

static const number *look_up(const environment *known, MlirValue value) {
  for (size_t i = 0; i < known->count; ++i)
    if (mlirValueEqual(known->of[i], value))
      return &known->is[i];
  return NULL;
}

static bool keep(environment *known, MlirValue of, number is) {
  if (known->count == MOST_VALUES)
    return false;
  known->of[known->count] = of;
  known->is[known->count++] = is;
  return true;
}

//===--- Ops ----------------------------------------------------------------------------===//

// The predicates of both compares by their numbers.
static bool compare_reals(int64_t predicate, double a, double b) {
  bool unordered = isnan(a) || isnan(b);
  bool holds[] = {false, a == b, a > b, a >= b, a < b, a <= b, a != b && !unordered, !unordered};
  return predicate < 8    ? holds[predicate]
         : predicate < 14 ? unordered || holds[predicate - 7]
         : predicate < 15 ? unordered
                          : true;
}

static bool compare_wholes(int64_t predicate, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  bool holds[] = {a == b, a != b, a<b, a <= b, a> b, a >= b, x<y, x <= y, x> y, x >= y};
  return holds[predicate];
}

static double larger(double a, double b) { return a == b ? (signbit(a) ? b : a) : a > b ? a : b; }

static double smaller(double a, double b) { return a == b ? (signbit(a) ? a : b) : a < b ? a : b; }

// Those that bodies of this kind have; on numbers, not on NaNs.
static bool compute(MlirOperation op, const number *const *in, number *out) {
  *out = (number){0, 0};
  MlirAttribute predicate = tune_ir_attribute(op, "predicate");
  int64_t which = mlirAttributeIsNull(predicate) ? -1 : mlirIntegerAttrGetValueInt(predicate);
  int64_t a = in[0]->whole, b = in[1]->whole;
  double x = in[0]->real, y = in[1]->real;
  if (tune_ir_is(op, "arith.cmpf"))
    out->whole = compare_reals(which, x, y);
  else if (tune_ir_is(op, "arith.cmpi"))
    out->whole = compare_wholes(which, a, b);
  else if (tune_ir_is(op, "arith.select"))
    *out = a ? *in[1] : *in[2];
  else if (tune_ir_is(op, "arith.andi"))
    out->whole = a & b;
  else if (tune_ir_is(op, "arith.ori"))
    out->whole = a | b;
  else if (tune_ir_is(op, "arith.xori"))
    out->whole = a ^ b;
  else if (tune_ir_is(op, "arith.minsi"))
    out->whole = a < b ? a : b;
  else if (tune_ir_is(op, "arith.maxsi"))
    out->whole = a > b ? a : b;
  else if (tune_ir_is(op, "arith.minui"))
    out->whole = (uint64_t)a < (uint64_t)b ? a : b;
  else if (tune_ir_is(op, "arith.maxui"))
    out->whole = (uint64_t)a > (uint64_t)b ? a : b;
  else if (tune_ir_is(op, "arith.maximumf") || tune_ir_is(op, "arith.maxnumf"))
    out->real = larger(x, y);
  else if (tune_ir_is(op, "arith.minimumf") || tune_ir_is(op, "arith.minnumf"))
    out->real = smaller(x, y);
  else
    return false;
  return true;
}

//===--- Which values are what ----------------------------------------------------------===//

// What the choice depends on: what was before, and what an element has. Of an op that depends on
// what was before the other operands are free: there may be two, the element's value and place.
typedef struct dependence {
  MlirValue depends[MOST_VALUES];
  size_t count;
  MlirValue free[2];
  size_t free_count;
} dependence;

static bool depends(const dependence *on, MlirValue value) {
  for (size_t i = 0; i < on->count; ++i)
    if (mlirValueEqual(on->depends[i], value))
      return true;
  return false;
}

static bool add_free(dependence *on, MlirValue value) {
  for (size_t i = 0; i < on->free_count; ++i)
    if (mlirValueEqual(on->free[i], value))
      return true;
  if (on->free_count == 2)
    return false;
  on->free[on->free_count++] = value;
  return true;
}

static bool op_depends(const dependence *on, MlirOperation op) {
  bool found = tune_ir_is(op, "linalg.yield");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    found |= depends(on, mlirOperationGetOperand(op, i));
  return found;
}

static bool find_dependence(const tune_nest_loops *nest, dependence *on) {
  *on = (dependence){.count = 0};
  for (size_t o = nest->input_count; o < nest->operand_count; ++o)
    on->depends[on->count++] = mlirBlockGetArgument(nest->body, (intptr_t)o);
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!op_depends(on, op))
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      if (!depends(on, operand) && !add_free(on, operand))
        return false;
    }
    if (tune_ir_is(op, "linalg.yield"))
      break;
    if (on->count == MOST_VALUES || mlirOperationGetNumOperands(op) < 2)
      return false;
    on->depends[on->count++] = mlirOperationGetResult(op, 0);
  }
  return on->free_count == 2;
}

//===--- What it decides ----------------------------------------------------------------===//

typedef struct decision {
  number value, place;
} decision;

// The body where what was before is `before`, and the element is `element`.
static bool decide(const tune_nest_loops *nest, const dependence *on,
                   const tune_nest_choice *choice, decision before, decision element,
                   decision *out) {
  environment known = {.count = 0};
  intptr_t value = (intptr_t)(nest->input_count + choice->result),
           place = (intptr_t)(nest->input_count + 1 - choice->result);
  keep(&known, mlirBlockGetArgument(nest->body, value), before.value);
  keep(&known, mlirBlockGetArgument(nest->body, place), before.place);
  keep(&known, choice->value, element.value);
  keep(&known, choice->place, element.place);
  MlirOperation op = mlirBlockGetFirstOperation(nest->body);
  for (; !tune_ir_is(op, "linalg.yield"); op = mlirOperationGetNextInBlock(op)) {
    const number *in[3] = {NULL, NULL, NULL};
    intptr_t count = mlirOperationGetNumOperands(op);
    number made;
    if (!op_depends(on, op))
      continue;
    for (intptr_t i = 0; i < count && i < 3; ++i)
      in[i] = look_up(&known, mlirOperationGetOperand(op, i));
    if (count > 3 || !in[0] || !in[1] || (count == 3 && !in[2]) || !compute(op, in, &made) ||
        !keep(&known, mlirOperationGetResult(op, 0), made))
      return false;
  }
  const number *best = look_up(&known, mlirOperationGetOperand(op, (intptr_t)choice->result)),
               *at = look_up(&known, mlirOperationGetOperand(op, (intptr_t)(1 - choice->result)));
  if (!best || !at)
    return false;
  *out = (decision){*best, *at};
  return true;
}

static bool is_same(number a, number b) {
  return a.whole == b.whole && memcmp(&a.real, &b.real, sizeof a.real) == 0;
}

#define MOST_SAMPLES 6

// Numbers of each kind, in any order: of floats, or of integers.
static size_t list_samples(MlirType type, number *samples) {
  static const double reals[MOST_SAMPLES] = {-INFINITY, -1, -0.0, 0.0, 1, INFINITY};
  bool is_float = mlirTypeIsAFloat(type);
  int64_t bits = is_float                 ? 64
                 : mlirTypeIsAIndex(type) ? 64
                                          : (int64_t)mlirIntegerTypeGetWidth(type);
  int64_t lowest = (int64_t)(UINT64_MAX << (bits - 1));
  const int64_t wholes[] = {lowest, -1, 0, 1, ~lowest};
  size_t count = is_float ? MOST_SAMPLES : sizeof wholes / sizeof *wholes;
  for (size_t i = 0; i < count; ++i)
    samples[i] = is_float ? (number){.real = reals[i]} : (number){.whole = wholes[i]};
  return count;
}

typedef struct relation {
  const char *name;
  int64_t predicate;
  bool is_float, is_last;
} relation;

static const relation RELATIONS[] = {
    {"ogt", 2, true, false},  {"oge", 3, true, true},   {"olt", 4, true, false},
    {"ole", 5, true, true},   {"slt", 2, false, false}, {"sle", 3, false, true},
    {"sgt", 4, false, false}, {"sge", 5, false, true},  {"ult", 6, false, false},
    {"ule", 7, false, true},  {"ugt", 8, false, false}, {"uge", 9, false, true},
};

static bool holds(const relation *by, number a, number b) {
  return by->is_float ? compare_reals(by->predicate, a.real, b.real)
                      : compare_wholes(by->predicate, a.whole, b.whole);
}

// Whether the body takes elements by `by`. `*out_lower`: of equal ones it takes that of the lower
// place instead, where places do not come in their order.
static bool follows(const tune_nest_loops *nest, const dependence *on,
                    const tune_nest_choice *choice, const relation *by, bool *out_lower) {
  number samples[MOST_SAMPLES];
  size_t count = list_samples(mlirValueGetType(choice->value), samples), lower = 0, equal = 0;
  for (size_t e = 0; e < count; ++e)
    for (size_t b = 0; b < count; ++b)
      for (int turned = 0; turned < 2; ++turned) {
        decision before = {samples[b], {.whole = turned ? 2 : 1}},
                 element = {samples[e], {.whole = turned ? 1 : 2}}, made;
        if (!decide(nest, on, choice, before, element, &made))
          return false;
        bool is_taken = holds(by, samples[e], samples[b]);
        bool is_equal = samples[e].real == samples[b].real && samples[e].whole == samples[b].whole;
        equal += turned && is_equal;
        if (turned && is_equal && !is_taken && made.place.whole == 1 &&
            (is_same(made.value, before.value) || is_same(made.value, element.value))) {
          ++lower;
          continue;
        }
        const decision *of = is_taken ? &element : &before;
        if (made.place.whole != of->place.whole || !is_same(made.value, of->value))
          return false;
      }
  *out_lower = lower > 0;
  return lower == 0 || lower == equal;
}

// Places that grow with the loop that reduces, where there is one such loop.
static bool grows(const tune_nest_loops *nest, MlirValue place) {
  size_t reductions = 0;
  int64_t steps = -1;
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    if (nest->is_reduction[loop]) {
      ++reductions;
      steps = nest->extent[loop];
    }
  MlirType type = mlirValueGetType(place);
  MlirOperation op = tune_ir_definition(place);
  if (tune_ir_is(op, "arith.index_cast")) {
    if (mlirIntegerTypeGetWidth(type) < 32)
      return false;
    op = tune_ir_definition(mlirOperationGetOperand(op, 0));
  }
  if (!tune_ir_is(op, "linalg.index") || reductions != 1 || steps < 0 || steps > INT32_MAX)
    return false;
  int64_t loop = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim"));
  return nest->is_reduction[loop];
}

static bool is_bit(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

bool tune_nest_choice_find(const tune_nest_loops *nest, tune_nest_choice *out_choice) {
  dependence on;
  if (nest->operand_count - nest->input_count != 2 || !find_dependence(nest, &on))
    return false;
  for (size_t result = 0; result < 2; ++result)
    for (size_t free = 0; free < 2; ++free) {
      tune_nest_choice choice = {
          .result = result, .value = on.free[free], .place = on.free[1 - free]};
      MlirType value = nest->operands[nest->input_count + result].element,
               place = nest->operands[nest->input_count + 1 - result].element;
      if (!mlirTypeEqual(mlirValueGetType(choice.value), value) ||
          !mlirTypeEqual(mlirValueGetType(choice.place), place) || mlirTypeIsAFloat(place) ||
          is_bit(value))
        continue;
      for (size_t i = 0; i < sizeof RELATIONS / sizeof *RELATIONS; ++i) {
        const relation *by = &RELATIONS[i];
        if (by->is_float != mlirTypeIsAFloat(value) ||
            !follows(nest, &on, &choice, by, &choice.is_lower) ||
            (choice.is_lower && (by->is_last || !grows(nest, choice.place))))
          continue;
        choice.better = by->name;
        choice.is_last = by->is_last;
        *out_choice = choice;
        return true;
      }
    }
  return false;
}
