//===- constraint_evaluate.c --------------------------------------------------===//

#include "tuning/space/constraint_nodes.h"

//===- Exact values -----------------------------------------------------------===//

struct scope {
  const struct node *nodes;
  const tune_knobs *knobs;
  const uint16_t *choices;
};

static bool divide(enum operation operation, int64_t left, int64_t right, int64_t *out_value) {
  if (right == 0 || (left == INT64_MIN && right == -1))
    return false;
  int64_t quotient = left / right, remainder = left % right;
  if (remainder != 0 && (remainder < 0) != (right < 0)) {
    quotient -= 1;
    remainder += right;
  }
  *out_value = operation == OPERATION_DIVIDE ? quotient : remainder;
  return true;
}

static bool combine(enum operation operation, int64_t left, int64_t right, int64_t *out_value) {
  switch (operation) {
  case OPERATION_MIN:
    *out_value = left < right ? left : right;
    return true;
  case OPERATION_MAX:
    *out_value = left > right ? left : right;
    return true;
  case OPERATION_MULTIPLY:
    return !__builtin_mul_overflow(left, right, out_value);
  case OPERATION_DIVIDE:
  case OPERATION_MODULO:
    return divide(operation, left, right, out_value);
  case OPERATION_ADD:
    return !__builtin_add_overflow(left, right, out_value);
  case OPERATION_SUBTRACT:
    return !__builtin_sub_overflow(left, right, out_value);
  case OPERATION_LESS:
    *out_value = left < right;
    return true;
  case OPERATION_LESS_EQUAL:
    *out_value = left <= right;
    return true;
  case OPERATION_GREATER:
    *out_value = left > right;
    return true;
  case OPERATION_GREATER_EQUAL:
    *out_value = left >= right;
    return true;
  case OPERATION_EQUAL:
    *out_value = left == right;
    return true;
  case OPERATION_NOT_EQUAL:
    *out_value = left != right;
    return true;
  default:
    return false;
  }
}

// False where there is no value.
static bool evaluate(const struct scope *scope, uint32_t index, int64_t *out_value) {
  const struct node *at = &scope->nodes[index];
  int64_t left, right;
  switch (at->operation) {
  case OPERATION_INTEGER:
    *out_value = at->value;
    return true;
  case OPERATION_KNOB:
    *out_value = scope->knobs->knobs[at->value].values[scope->choices[at->value]];
    return true;
  case OPERATION_NEGATE:
    return evaluate(scope, at->left, &left) && !__builtin_sub_overflow(0, left, out_value);
  case OPERATION_NOT:
    if (!evaluate(scope, at->left, &left))
      return false;
    *out_value = !left;
    return true;
  case OPERATION_AND:
  case OPERATION_OR:
  case OPERATION_IMPLIES: {
    if (!evaluate(scope, at->left, &left))
      return false;
    bool is_decided = at->operation == OPERATION_OR ? left != 0 : left == 0;
    if (is_decided) {
      *out_value = at->operation != OPERATION_AND;
      return true;
    }
    if (!evaluate(scope, at->right, &right))
      return false;
    *out_value = right != 0;
    return true;
  }
  default:
    return evaluate(scope, at->left, &left) && evaluate(scope, at->right, &right) &&
           combine(at->operation, left, right, out_value);
  }
}

bool tune_constraint_holds(const tune_constraint *constraint, const tune_knobs *knobs,
                           const uint16_t *choices) {
  struct scope scope = {constraint->nodes, knobs, choices};
  int64_t value;
  return evaluate(&scope, (uint32_t)constraint->node_count - 1, &value) && value != 0;
}

//===- Ranges of values -------------------------------------------------------===//

// What a node may be while some knobs are open: a range that holds all values it can take, or none.
// Too wide a range is no mistake.
struct range {
  int64_t low, high;
  bool is_empty; // it has no value, whatever the open knobs are
};

struct open_scope {
  const struct node *nodes;
  const tune_knobs *knobs;
  const uint16_t *choices;
  const bool *is_assigned;
};

static const struct range no_value = {0, 0, true};

static struct range single(int64_t value) { return (struct range){value, value, false}; }

// A truth value that may be false, may be true.
static struct range truth(bool may_be_false, bool may_be_true) {
  return (struct range){!may_be_false, may_be_true, false};
}

static bool is_false(struct range range) { return range.low == 0 && range.high == 0; }
static bool is_true(struct range range) { return range.low > 0 || range.high < 0; }

static int64_t clamp(__int128 value) {
  return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

// The range of four extremes. What overflows has no value, so that the clamped range holds the
// rest.
static struct range hull(const __int128 corners[4]) {
  __int128 low = corners[0], high = corners[0];
  for (int i = 1; i < 4; ++i) {
    low = corners[i] < low ? corners[i] : low;
    high = corners[i] > high ? corners[i] : high;
  }
  return (struct range){clamp(low), clamp(high), false};
}

static struct range multiply_ranges(struct range left, struct range right) {
  const __int128 corners[] = {(__int128)left.low * right.low, (__int128)left.low * right.high,
                              (__int128)left.high * right.low, (__int128)left.high * right.high};
  return hull(corners);
}

static __int128 floor_quotient(__int128 left, __int128 right) {
  return left / right - (left % right != 0 && (left < 0) != (right < 0));
}

static struct range divide_ranges(struct range left, struct range right) {
  if (is_false(right))
    return no_value;
  if (!is_true(right)) {
    // Dividing by anything but 0 makes nothing larger.
    __int128 low = left.low, high = left.high;
    __int128 largest = -low > high ? -low : high;
    return (struct range){clamp(-largest), clamp(largest), false};
  }
  const __int128 corners[] = {
      floor_quotient(left.low, right.low), floor_quotient(left.low, right.high),
      floor_quotient(left.high, right.low), floor_quotient(left.high, right.high)};
  return hull(corners);
}

// A remainder lies between 0 and its divisor, without it; that of what is not negative is not
// larger than it.
static struct range modulo_ranges(struct range left, struct range right) {
  if (is_false(right))
    return no_value;
  struct range range = {right.low < 0 ? right.low + 1 : 0, right.high > 0 ? right.high - 1 : 0,
                        false};
  if (left.low >= 0 && right.low > 0 && left.high < range.high)
    range.high = left.high;
  return range;
}

static struct range combine_ranges(enum operation operation, struct range left,
                                   struct range right) {
  if (left.is_empty || right.is_empty)
    return no_value;
  int64_t value;
  if (left.low == left.high && right.low == right.high)
    return combine(operation, left.low, right.low, &value) ? single(value) : no_value;
  switch (operation) {
  case OPERATION_MIN:
    return (struct range){left.low < right.low ? left.low : right.low,
                          left.high < right.high ? left.high : right.high, false};
  case OPERATION_MAX:
    return (struct range){left.low > right.low ? left.low : right.low,
                          left.high > right.high ? left.high : right.high, false};
  case OPERATION_MULTIPLY:
    return multiply_ranges(left, right);
  case OPERATION_DIVIDE:
    return divide_ranges(left, right);
  case OPERATION_MODULO:
    return modulo_ranges(left, right);
  case OPERATION_ADD:
    return (struct range){clamp((__int128)left.low + right.low),
                          clamp((__int128)left.high + right.high), false};
  case OPERATION_SUBTRACT:
    return (struct range){clamp((__int128)left.low - right.high),
                          clamp((__int128)left.high - right.low), false};
  case OPERATION_LESS:
    return truth(left.high >= right.low, left.low < right.high);
  case OPERATION_LESS_EQUAL:
    return truth(left.high > right.low, left.low <= right.high);
  case OPERATION_GREATER:
    return truth(left.low <= right.high, left.high > right.low);
  case OPERATION_GREATER_EQUAL:
    return truth(left.low < right.high, left.high >= right.low);
  case OPERATION_EQUAL:
    return truth(true, left.low <= right.high && right.low <= left.high);
  case OPERATION_NOT_EQUAL:
    return truth(left.low <= right.high && right.low <= left.high, true);
  default:
    return no_value;
  }
}

static struct range knob_range(const struct open_scope *scope, size_t index) {
  const tune_knob *knob = &scope->knobs->knobs[index];
  if (scope->is_assigned[index])
    return single(knob->values[scope->choices[index]]);
  if (knob->is_ordered)
    return (struct range){knob->values[0], knob->values[knob->value_count - 1], false};
  struct range range = single(knob->values[0]);
  for (size_t i = 1; i < knob->value_count; ++i) {
    range.low = knob->values[i] < range.low ? knob->values[i] : range.low;
    range.high = knob->values[i] > range.high ? knob->values[i] : range.high;
  }
  return range;
}

static struct range evaluate_range(const struct open_scope *scope, uint32_t index);

// && || => by what the left side may decide and what the right one may add.
static struct range evaluate_logic(const struct open_scope *scope, const struct node *at) {
  struct range left = evaluate_range(scope, at->left);
  if (left.is_empty)
    return no_value;
  bool decides_by_true = at->operation == OPERATION_OR;
  bool decided_value = at->operation != OPERATION_AND;
  bool may_decide = decides_by_true ? !is_false(left) : !is_true(left);
  bool must_decide = decides_by_true ? is_true(left) : is_false(left);
  struct range right = must_decide ? no_value : evaluate_range(scope, at->right);
  bool may_be_false = (may_decide && !decided_value) || (!right.is_empty && !is_true(right));
  bool may_be_true = (may_decide && decided_value) || (!right.is_empty && !is_false(right));
  return may_be_false || may_be_true ? truth(may_be_false, may_be_true) : no_value;
}

static struct range evaluate_range(const struct open_scope *scope, uint32_t index) {
  const struct node *at = &scope->nodes[index];
  struct range left;
  switch (at->operation) {
  case OPERATION_INTEGER:
    return single(at->value);
  case OPERATION_KNOB:
    return knob_range(scope, (size_t)at->value);
  case OPERATION_NEGATE:
    left = evaluate_range(scope, at->left);
    return combine_ranges(OPERATION_SUBTRACT, single(0), left);
  case OPERATION_NOT:
    left = evaluate_range(scope, at->left);
    return left.is_empty ? no_value : truth(!is_false(left), !is_true(left));
  case OPERATION_AND:
  case OPERATION_OR:
  case OPERATION_IMPLIES:
    return evaluate_logic(scope, at);
  default:
    left = evaluate_range(scope, at->left);
    return combine_ranges(at->operation, left, evaluate_range(scope, at->right));
  }
}

bool tune_constraint_may_hold(const tune_constraint *constraint, const tune_knobs *knobs,
                              const uint16_t *choices, const bool *is_assigned) {
  struct open_scope scope = {constraint->nodes, knobs, choices, is_assigned};
  struct range range = evaluate_range(&scope, (uint32_t)constraint->node_count - 1);
  return !range.is_empty && !is_false(range);
}
