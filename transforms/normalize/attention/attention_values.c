//===- attention_values.c ------------------------------------------------------------===//

#include "transforms/normalize/attention/attention_values.h"

#include "transforms/ir/arith_facts.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include <string.h>

//===--- Products --------------------------------------------------------------------===//

// The only loop of more than one step that is in both maps or in none but `has`; -1: none or
// several.
static intptr_t find_loop(const tune_nest_maps *n, intptr_t has, intptr_t lacks, bool is_summed) {
  intptr_t found = -1;
  MlirAffineMap result = tune_nest_maps_result(n);
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    bool is_in_other = tune_nest_maps_has(n->maps[lacks], loop);
    if (n->extents[loop] == 1 || !tune_nest_maps_has(n->maps[has], loop) ||
        is_in_other != is_summed || tune_nest_maps_has(result, loop) == is_summed)
      continue;
    if (found >= 0)
      return -1;
    found = loop;
  }
  return found;
}

// Of f32, as sums are; factors may be widened to that.
static bool is_f32(MlirValue value, bool is_factor) {
  MlirType type = tune_ir_element_of(value);
  return mlirTypeIsAF32(type) || (is_factor && tune_ir_is_short_float(type));
}

// With the rows in operand `rows`.
static bool read_product(MlirOperation op, intptr_t rows, tune_attention_factors *out) {
  tune_nest_maps *n = &out->nest;
  if (!tune_spread_sums_products(op) || !tune_nest_maps_read_any(op, n))
    return false;
  for (intptr_t o = 0; o < n->operand_count; ++o)
    if (!is_f32(mlirOperationGetOperand(op, o), o + 1 < n->operand_count) ||
        !tune_nest_maps_is_plain(n->maps[o]))
      return false;
  out->rows = rows;
  out->left = find_loop(n, rows, 1 - rows, false);
  out->right = find_loop(n, 1 - rows, rows, false);
  out->depth = find_loop(n, rows, 1 - rows, true);
  return out->left >= 0 && out->right >= 0 && out->depth >= 0;
}

//===--- Values ------------------------------------------------------------------------===//

size_t tune_attention_values_index(const tune_attention_values *values, MlirValue value) {
  for (size_t i = 0; i < values->count; ++i)
    if (mlirValueEqual(values->values[i].value, value))
      return i;
  return TUNE_ATTENTION_VALUES;
}

// Notes what the loops are by `map` of value `index`; false where that says something else.
static bool note_loops(const tune_attention_values *values, size_t index, MlirAffineMap map,
                       tune_attention_axis *axes) {
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
    intptr_t loop = tune_nest_maps_loop(map, d);
    tune_attention_axis axis = values->values[index].axes[d];
    if (axis == TUNE_ATTENTION_OTHER)
      continue;
    if (loop < 0 || (axes[loop] != TUNE_ATTENTION_OTHER && axes[loop] != axis))
      return false;
    axes[loop] = axis;
  }
  return true;
}

bool tune_attention_values_loops(const tune_attention_values *values, const tune_nest_maps *n,
                                 tune_attention_axis *out_axes) {
  memset(out_axes, 0, TUNE_IR_MAX_LOOPS * sizeof *out_axes);
  size_t made = tune_attention_values_index(values, mlirOperationGetResult(n->op, 0));
  if (made != TUNE_ATTENTION_VALUES &&
      !note_loops(values, made, tune_nest_maps_result(n), out_axes))
    return false;
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    size_t index = tune_attention_values_index(values, mlirOperationGetOperand(n->op, o));
    if (index != TUNE_ATTENTION_VALUES && !note_loops(values, index, n->maps[o], out_axes))
      return false;
  }
  // A dimension that is a row here and a batch there.
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    size_t index = tune_attention_values_index(values, mlirOperationGetOperand(n->op, o));
    for (intptr_t d = 0;
         index != TUNE_ATTENTION_VALUES && d < mlirAffineMapGetNumResults(n->maps[o]); ++d) {
      intptr_t loop = tune_nest_maps_loop(n->maps[o], d);
      if (loop >= 0 && out_axes[loop] != values->values[index].axes[d])
        return false;
    }
  }
  return true;
}

// What the dimensions of the reshaped value are: rows and keys are reshaped with ones alone.
static bool read_reshape(MlirOperation op, const tune_attention_value *from,
                         tune_attention_value *out) {
  bool expands = tune_ir_is(op, "tensor.expand_shape");
  MlirValue result = mlirOperationGetResult(op, 0);
  if (mlirOperationGetNumOperands(op) != 1 || !tune_tensor_is_plain(mlirValueGetType(result)))
    return false;
  MlirType many = mlirValueGetType(expands ? result : from->value);
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  intptr_t next = 0;
  *out = (tune_attention_value){.value = result};
  for (intptr_t g = 0; g < mlirArrayAttrGetNumElements(groups); ++g) {
    intptr_t members = mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g)), large = -1;
    intptr_t large_count = 0;
    tune_attention_axis axis = expands ? from->axes[g] : TUNE_ATTENTION_OTHER;
    for (intptr_t m = next; m < next + members; ++m) {
      if (mlirShapedTypeGetDimSize(many, m) > 1) {
        large = m;
        ++large_count;
      }
      if (!expands && from->axes[m] != TUNE_ATTENTION_OTHER)
        axis = from->axes[m];
    }
    next += members;
    if (axis == TUNE_ATTENTION_OTHER)
      continue;
    if (large_count != 1)
      return false;
    out->axes[expands ? large : g] = axis;
  }
  return true;
}

static bool is_read_by_values(const tune_attention_values *values, const tune_nest_maps *n,
                              intptr_t loop) {
  for (intptr_t o = 0; o < n->operand_count; ++o)
    if (tune_attention_values_index(values, mlirOperationGetOperand(n->op, o)) !=
            TUNE_ATTENTION_VALUES &&
        tune_nest_maps_has(n->maps[o], loop))
      return true;
  return false;
}

// Marks what repeats something of a row, or of a key, by what it is read with: dimensions of the
// operands of `n` that are made of none of the values.
static void mark_repeated(tune_attention_values *values, const tune_nest_maps *n) {
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    size_t index = tune_attention_values_index(values, mlirOperationGetOperand(n->op, o));
    tune_nest_maps made;
    if (index == TUNE_ATTENTION_VALUES ||
        !tune_nest_maps_read_any(tune_ir_definition(values->values[index].value), &made))
      continue;
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[o]); ++d) {
      intptr_t loop = tune_nest_maps_loop(n->maps[o], d);
      intptr_t inner = tune_nest_maps_loop(tune_nest_maps_result(&made), d);
      if (loop < 0 || inner < 0 || is_read_by_values(values, &made, inner) ||
          values->values[index].axes[d] != TUNE_ATTENTION_OTHER)
        continue;
      for (intptr_t p = 0; p < n->operand_count; ++p) {
        size_t other = tune_attention_values_index(values, mlirOperationGetOperand(n->op, p));
        for (intptr_t e = 0;
             other != TUNE_ATTENTION_VALUES && e < mlirAffineMapGetNumResults(n->maps[p]); ++e)
          if (tune_nest_maps_loop(n->maps[p], e) == loop &&
              values->values[other].axes[e] != TUNE_ATTENTION_OTHER)
            values->values[index].axes[d] = values->values[other].axes[e];
      }
    }
  }
}

// Whether the body of `op` may be run for rows and keys that there are not: it computes by its
// arguments and indices alone, and divides no integers.
static bool is_plain_body(MlirOperation op) {
  for (MlirOperation inner = mlirBlockGetFirstOperation(tune_ir_body(op));
       !mlirOperationIsNull(inner); inner = mlirOperationGetNextInBlock(inner)) {
    MlirStringRef name = tune_ir_name(inner);
    bool is_plain = tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.") ||
                    tune_ir_is(inner, "linalg.index") || tune_ir_is(inner, "linalg.yield");
    if (!is_plain || tune_arith_divides(inner) || mlirOperationGetNumRegions(inner) > 0)
      return false;
  }
  return true;
}

// Whether rows, or keys, are more than one loop.
static bool has_axis_twice(const tune_nest_maps *n, const tune_attention_axis *axes) {
  int rows = 0, keys = 0;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    rows += axes[loop] == TUNE_ATTENTION_ROWS;
    keys += axes[loop] == TUNE_ATTENTION_KEYS;
  }
  return rows > 1 || keys > 1;
}

// Adds what `op`, which reads `from`, makes of it. False where it cannot be followed.
static bool follow(tune_attention_values *values, MlirOperation op,
                   const tune_attention_value *from) {
  if (mlirOperationGetNumResults(op) != 1)
    return false;
  MlirValue result = mlirOperationGetResult(op, 0);
  tune_attention_value made = {.value = result};
  if (tune_ir_is(op, "tensor.expand_shape") || tune_ir_is(op, "tensor.collapse_shape")) {
    if (!read_reshape(op, from, &made))
      return false;
  } else if (tune_ir_is(op, "linalg.softmax")) {
    int64_t d = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dimension"));
    if (!tune_tensor_is_plain(mlirValueGetType(result)) || from->axes[d] != TUNE_ATTENTION_KEYS)
      return false;
    memcpy(made.axes, from->axes, sizeof made.axes);
  } else {
    tune_nest_maps n;
    tune_attention_axis axes[TUNE_IR_MAX_LOOPS];
    if (!tune_nest_maps_read_any(op, &n) || !is_plain_body(op))
      return false;
    mark_repeated(values, &n);
    if (!tune_attention_values_loops(values, &n, axes) || has_axis_twice(&n, axes))
      return false;
    MlirAffineMap map = tune_nest_maps_result(&n);
    for (intptr_t loop = 0; loop < n.loop_count; ++loop)
      if (axes[loop] == TUNE_ATTENTION_ROWS && !tune_nest_maps_has(map, loop))
        return false;
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
      intptr_t loop = tune_nest_maps_loop(map, d);
      made.axes[d] = loop < 0 ? TUNE_ATTENTION_OTHER : axes[loop];
    }
  }
  if (values->count == TUNE_ATTENTION_VALUES)
    return false;
  values->values[values->count++] = made;
  return true;
}

// Whether `op` is the product of `weights` and something else, along the keys.
static bool is_second(tune_attention_values *values, MlirOperation op,
                      const tune_attention_value *weights) {
  tune_attention_factors *p = &values->product;
  intptr_t rows = mlirValueEqual(mlirOperationGetOperand(op, 0), weights->value) ? 0 : 1;
  if (!read_product(op, rows, p) ||
      !mlirValueEqual(mlirOperationGetOperand(op, rows), weights->value) ||
      tune_attention_values_index(values, mlirOperationGetOperand(op, 1 - rows)) !=
          TUNE_ATTENTION_VALUES ||
      tune_attention_values_index(values, mlirOperationGetOperand(op, 2)) != TUNE_ATTENTION_VALUES)
    return false;
  MlirAffineMap map = p->nest.maps[rows];
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
    intptr_t loop = tune_nest_maps_loop(map, d);
    if (weights->axes[d] != (loop < 0           ? TUNE_ATTENTION_OTHER
                             : loop == p->left  ? TUNE_ATTENTION_ROWS
                             : loop == p->depth ? TUNE_ATTENTION_KEYS
                                                : TUNE_ATTENTION_OTHER))
      return false;
  }
  return true;
}

// The first of `values` that `op` reads; NULL where it reads none.
static const tune_attention_value *find_read(const tune_attention_values *values,
                                             MlirOperation op) {
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
    size_t index = tune_attention_values_index(values, mlirOperationGetOperand(op, o));
    if (index != TUNE_ATTENTION_VALUES)
      return &values->values[index];
  }
  return NULL;
}

// Whether nothing else reads the values.
static bool are_read_by(const tune_attention_values *values, MlirOperation second) {
  for (size_t i = 0; i < values->count; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(values->values[i].value);
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation op = mlirOpOperandGetOwner(use);
      if (!mlirOperationEqual(op, second) &&
          (mlirOperationGetNumResults(op) != 1 ||
           tune_attention_values_index(values, mlirOperationGetResult(op, 0)) ==
               TUNE_ATTENTION_VALUES))
        return false;
    }
  return true;
}

// Follows what is made of the scores, op after op, to the product that reads it.
static bool follow_all(tune_attention_values *values) {
  for (MlirOperation op = mlirOperationGetNextInBlock(values->scores.nest.op);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    const tune_attention_value *read = find_read(values, op);
    if (!read)
      continue;
    if (tune_spread_sums_products(op))
      return is_second(values, op, read) && are_read_by(values, op);
    if (!follow(values, op, read))
      return false;
  }
  return false;
}

bool tune_attention_value_has_keys(const tune_attention_value *v) {
  bool has = false;
  for (intptr_t d = 0; d < TUNE_IR_MAX_RANK; ++d)
    has |= v->axes[d] == TUNE_ATTENTION_KEYS;
  return has;
}

// The last value that all others are made of: what reads it alone is on elements, or a reshape.
static size_t find_masked(const tune_attention_values *values) {
  size_t masked = 0;
  while (masked + 1 < values->count && tune_ir_has_one_use(values->values[masked].value) &&
         tune_attention_value_has_keys(&values->values[masked + 1]) &&
         !tune_ir_is(tune_ir_definition(values->values[masked + 1].value), "linalg.softmax"))
    ++masked;
  return masked;
}

bool tune_attention_values_find(MlirOperation op, intptr_t rows, tune_attention_values *values) {
  *values = (tune_attention_values){.count = 1};
  if (!read_product(op, rows, &values->scores))
    return false;
  MlirAffineMap map = tune_nest_maps_result(&values->scores.nest);
  tune_attention_value *scores = &values->values[0];
  scores->value = mlirOperationGetResult(op, 0);
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
    intptr_t loop = tune_nest_maps_loop(map, d);
    scores->axes[d] = loop >= 0 && loop == values->scores.left    ? TUNE_ATTENTION_ROWS
                      : loop >= 0 && loop == values->scores.right ? TUNE_ATTENTION_KEYS
                                                                  : TUNE_ATTENTION_OTHER;
  }
  if (!follow_all(values))
    return false;
  values->masked = find_masked(values);
  return true;
}
