//===- nest_places.c - The best of many elements, and its place, by parts --------------------===//

#include "transforms/lower/cpu/nests/nest_places.h"

#include "transforms/ir/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>

// Vectors whose lanes have parts of their own: as many as hide how long a compare takes.
#define MOST_VECTORS 4
// Vectors that the parts of a row have to be put together after. Fewer rows than lanes have no
// other way than one element after the other.
#define FEW_VECTORS 2
#define MANY_VECTORS 16

//===--- Finding them -------------------------------------------------------------------===//

static int64_t multiply(const tune_nest_loops *nest, bool reductions) {
  int64_t steps = 1;
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    if (nest->is_reduction[loop] == reductions &&
        __builtin_mul_overflow(steps, nest->extent[loop], &steps))
      return INT64_MAX;
  return steps;
}

bool tune_nest_places_find(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                           tune_nest_plan *out_plan, tune_nest_choice *out_choice) {
  size_t last = TUNE_NEST_NO_LOOP;
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    if (nest->is_reduction[loop] && nest->extent[loop] != 1)
      last = loop;
  if (wishes->bits == 0 || wishes->choice != 0 || nest->is_guarded || last == TUNE_NEST_NO_LOOP ||
      !tune_nest_is_static(nest) || multiply(nest, true) > INT32_MAX ||
      !tune_nest_choice_find(nest, out_choice))
    return false;
  // The place of an element is in lanes of 32 bits.
  int64_t bits =
      tune_nest_element_bits(nest->operands[nest->input_count + out_choice->result].element);
  int64_t lanes = wishes->bits / (bits < 32 ? 32 : bits);
  int64_t least = multiply(nest, false) < lanes ? FEW_VECTORS : MANY_VECTORS;
  if (lanes < 2 || nest->extent[last] < lanes || multiply(nest, true) < least * lanes ||
      !tune_nest_plan_along(nest, last, lanes, out_plan))
    return false;
  for (size_t o = 0; o < nest->input_count; ++o)
    if (nest->operands[o].is_needed && out_plan->access[o] != TUNE_NEST_CONTIGUOUS &&
        out_plan->access[o] != TUNE_NEST_SAME)
      return false;
  return true;
}

//===--- Lanes --------------------------------------------------------------------------===//

typedef struct writer {
  tune_nest_emitter *e;
  const tune_nest_choice *choice;
  MlirType values, steps;              // vectors of these
  int64_t factor[TUNE_NEST_MAX_LOOPS]; // of a loop that reduces in the number of a step
} writer;

// What the lanes of each vector have seen: its value and step, vector after vector, and at the end,
// of floats, a NaN if there was one.
enum { SPOILED = 2 * MOST_VECTORS, MOST_CARRIED };

typedef struct best {
  MlirValue all[MOST_CARRIED];
} best;

static MlirValue *value_of(best *so_far, int64_t vector) { return &so_far->all[2 * vector]; }
static MlirValue *step_of(best *so_far, int64_t vector) { return &so_far->all[2 * vector + 1]; }

static const tune_ir_builder *builder(const writer *w) { return &w->e->builder; }

static bool is_float(const writer *w) {
  return mlirTypeIsAFloat(mlirShapedTypeGetElementType(w->values));
}

static MlirType step_type(const writer *w) { return mlirIntegerTypeGet(builder(w)->context, 32); }

// Of lanes that have seen nothing better than what was before: after, or before, all others.
static int64_t never(const writer *w) { return w->choice->is_last ? -1 : INT32_MAX; }

static MlirValue build_steps(const writer *w, int64_t all) {
  return tune_ir_build_constant(
      builder(w), w->steps,
      mlirDenseElementsAttrSplatGet(w->steps, mlirIntegerAttrGet(step_type(w), all)));
}

static MlirValue splat(const writer *w, MlirType type, MlirValue one) {
  return tune_ir_build_value(builder(w), "vector.broadcast", type, 1, &one);
}

// The number of the step that loops are at: the lane loop's first lane.
static MlirValue build_step(const writer *w) {
  MlirValue sum = tune_ir_build_index(builder(w), 0);
  for (size_t loop = 0; loop < w->e->nest->loop_count; ++loop) {
    if (!w->e->nest->is_reduction[loop])
      continue;
    MlirValue factor = tune_ir_build_index(builder(w), w->factor[loop]);
    MlirValue term = tune_ir_build_binary(builder(w), "arith.muli", w->e->at[loop], factor);
    sum = tune_ir_build_binary(builder(w), "arith.addi", sum, term);
  }
  return tune_ir_build_value(builder(w), "arith.index_cast", step_type(w), 1, &sum);
}

static MlirValue only_there(const writer *w, MlirValue condition) {
  return w->e->is_part ? tune_ir_build_binary(builder(w), "arith.andi", condition, w->e->mask)
                       : condition;
}

static MlirValue find_nans(const writer *w, MlirValue value) {
  return tune_ir_build_compare(builder(w), "uno", value, value);
}

// A step of all vectors.
static void write_step(writer *w, best *so_far) {
  const tune_nest_loops *nest = w->e->nest;
  MlirValue step = splat(w, w->steps, build_step(w));
  tune_nest_forget(w->e);
  for (int64_t v = 0; v < w->e->vectors; ++v) {
    tune_nest_copy copy = {.vector = v};
    tune_nest_value arguments[TUNE_NEST_MAX_OPERANDS] = {{{NULL}, {NULL}, {NULL}}};
    for (size_t o = 0; o < nest->input_count; ++o)
      if (nest->operands[o].is_needed)
        arguments[o] = tune_nest_read(w->e, o, copy);
    MlirValue value = tune_nest_write_value(w->e, copy, arguments, w->choice->value);
    MlirValue *best_value = value_of(so_far, v), *best_step = step_of(so_far, v);
    MlirValue taken =
        only_there(w, tune_ir_build_compare(builder(w), w->choice->better, value, *best_value));
    *best_value = tune_ir_build_select(builder(w), taken, value, *best_value);
    *best_step = tune_ir_build_select(builder(w), taken, step, *best_step);
    if (is_float(w))
      so_far->all[SPOILED] = tune_ir_build_select(builder(w), only_there(w, find_nans(w, value)),
                                                  value, so_far->all[SPOILED]);
  }
  tune_nest_forget(w->e);
}

//===--- Loops --------------------------------------------------------------------------===//

static intptr_t count_carried(const writer *w) { return is_float(w) ? MOST_CARRIED : SPOILED; }

// Steps of `vectors` vectors from `*done` on.
static void write_vectors(writer *w, int64_t vectors, int64_t *done, best *so_far) {
  tune_nest_open_loop opened;
  if (!tune_nest_begin_vectors(w->e, vectors, done, count_carried(w), so_far->all, &opened))
    return;
  write_step(w, so_far);
  w->e->vectors = 1;
  tune_nest_end_loop(w->e, &opened, so_far->all);
}

static void write_lanes(writer *w, best *so_far) {
  size_t lane_loop = w->e->plan->lane_loop;
  int64_t done = 0;
  write_vectors(w, MOST_VECTORS, &done, so_far);
  write_vectors(w, 1, &done, so_far);
  int64_t left = w->e->nest->extent[lane_loop] - done;
  if (left > 0) {
    tune_nest_begin_part(w->e, tune_ir_build_index(builder(w), left), left);
    w->e->at[lane_loop] = tune_ir_build_index(builder(w), done);
    write_step(w, so_far);
    w->e->is_part = false;
  }
  w->e->at[lane_loop] = tune_ir_build_index(builder(w), 0);
}

static void write_reductions(writer *w, size_t from, best *so_far) {
  const tune_nest_loops *nest = w->e->nest;
  while (from < nest->loop_count && !nest->is_reduction[from])
    ++from;
  if (from == w->e->plan->lane_loop) {
    write_lanes(w, so_far);
    return;
  }
  tune_nest_open_loop opened;
  MlirValue outside = w->e->at[from];
  w->e->at[from] =
      tune_nest_begin_loop(w->e, nest->extent[from], count_carried(w), so_far->all, &opened);
  write_reductions(w, from + 1, so_far);
  tune_nest_end_loop(w->e, &opened, so_far->all);
  w->e->at[from] = outside;
}

//===--- What comes of it ---------------------------------------------------------------===//

static MlirValue reduce(const writer *w, const char *kind, MlirValue vector) {
  char text[48];
  snprintf(text, sizeof text, "#vector.kind<%s>", kind);
  MlirNamedAttribute attribute =
      tune_ir_named(builder(w)->context, "kind",
                    mlirAttributeParseGet(builder(w)->context, tune_ir_string(text)));
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(vector));
  return tune_ir_build_result(builder(w), &(tune_ir_parts){.name = "vector.reduction",
                                                           .operand_count = 1,
                                                           .operands = &vector,
                                                           .type_count = 1,
                                                           .types = &element,
                                                           .attribute_count = 1,
                                                           .attributes = &attribute});
}

// The number of the best step; that of no step where none was better than what was before.
static MlirValue find_step(const writer *w, best *all) {
  char better = w->choice->better[0];
  bool is_more = w->choice->better[1] == 'g';
  const char *values = better == 'o'   ? is_more ? "maximumf" : "minimumf"
                       : better == 's' ? is_more ? "maxsi" : "minsi"
                       : is_more       ? "maxui"
                                       : "minui";
  char op[32];
  snprintf(op, sizeof op, "arith.%s", values);
  MlirValue value = *value_of(all, 0), step = {NULL};
  for (int64_t v = 1; v < MOST_VECTORS; ++v)
    value = tune_ir_build_binary(builder(w), op, value, *value_of(all, v));
  value = splat(w, w->values, reduce(w, values, value));
  for (int64_t v = 0; v < MOST_VECTORS; ++v) {
    // Lanes of a step come after each other.
    int32_t lanes[TUNE_NEST_MAX_LANES];
    for (int64_t lane = 0; lane < w->e->plan->lanes; ++lane)
      lanes[lane] = (int32_t)(v * w->e->plan->lanes + lane);
    MlirValue more = tune_ir_build_constant(
        builder(w), w->steps,
        mlirDenseElementsAttrInt32Get(w->steps, (intptr_t)w->e->plan->lanes, lanes));
    MlirValue none = build_steps(w, never(w));
    MlirValue is_best =
        tune_ir_build_compare(builder(w), better == 'o' ? "oeq" : "eq", *value_of(all, v), value);
    MlirValue seen = tune_ir_build_compare(builder(w), "ne", *step_of(all, v), none);
    MlirValue of = tune_ir_build_binary(builder(w), "arith.addi", *step_of(all, v), more);
    is_best = tune_ir_build_binary(builder(w), "arith.andi", is_best, seen);
    of = tune_ir_build_select(builder(w), is_best, of, none);
    step = v == 0 ? of
                  : tune_ir_build_binary(
                        builder(w), w->choice->is_last ? "arith.maxsi" : "arith.minsi", step, of);
  }
  return reduce(w, w->choice->is_last ? "maxsi" : "minsi", step);
}

// The body once, where loops are.
static void write_body(writer *w) {
  const tune_nest_loops *nest = w->e->nest;
  MlirValue arguments[TUNE_NEST_MAX_OPERANDS], results[2];
  for (size_t o = 0; o < nest->operand_count; ++o)
    arguments[o] = nest->operands[o].is_needed || !nest->operands[o].is_buffer
                       ? tune_nest_read_one(w->e, o)
                       : (MlirValue){NULL};
  tune_nest_write_scalars(w->e, arguments, results);
  for (size_t r = 0; r < 2; ++r)
    tune_nest_write_one(w->e, nest->input_count + r, results[r]);
}

static void write_plain(writer *w, size_t from) {
  const tune_nest_loops *nest = w->e->nest;
  while (from < nest->loop_count && !nest->is_reduction[from])
    ++from;
  if (from == nest->loop_count) {
    write_body(w);
    return;
  }
  tune_nest_open_loop opened;
  MlirValue outside = w->e->at[from];
  w->e->at[from] = tune_nest_begin_loop(w->e, nest->extent[from], 0, NULL, &opened);
  write_plain(w, from + 1);
  tune_nest_end_loop(w->e, &opened, NULL);
  w->e->at[from] = outside;
}

// The loops that reduce at `step`, and the body there.
static void write_chosen(writer *w, MlirValue step) {
  const tune_nest_loops *nest = w->e->nest;
  MlirType index = mlirIndexTypeGet(builder(w)->context);
  MlirValue kept[TUNE_NEST_MAX_LOOPS],
      number = tune_ir_build_value(builder(w), "arith.index_cast", index, 1, &step);
  for (size_t loop = 0; loop < nest->loop_count; ++loop) {
    kept[loop] = w->e->at[loop];
    if (!nest->is_reduction[loop])
      continue;
    MlirValue turns = tune_ir_build_binary(builder(w), "arith.divui", number,
                                           tune_ir_build_index(builder(w), w->factor[loop]));
    w->e->at[loop] = tune_ir_build_binary(builder(w), "arith.remui", turns,
                                          tune_ir_build_index(builder(w), nest->extent[loop]));
  }
  write_body(w);
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    w->e->at[loop] = kept[loop];
}

// What `condition` is for is written where it holds; the builder is there; returns where it was.
static tune_ir_builder begin_if(writer *w, MlirValue condition) {
  tune_ir_builder outside = w->e->builder;
  w->e->builder = tune_ir_build_if(&outside, condition);
  return outside;
}

static void write_result(writer *w) {
  size_t value = w->e->nest->input_count + w->choice->result;
  best all;
  MlirValue before = splat(w, w->values, tune_nest_read_one(w->e, value));
  for (int64_t v = 0; v < MOST_VECTORS; ++v) {
    *value_of(&all, v) = before;
    *step_of(&all, v) = build_steps(w, never(w));
  }
  all.all[SPOILED] = before;
  write_reductions(w, 0, &all);
  MlirValue step = find_step(w, &all);
  MlirType bit = mlirIntegerTypeGet(builder(w)->context, 1);
  MlirValue none =
      tune_ir_build_constant(builder(w), step_type(w), mlirIntegerAttrGet(step_type(w), never(w)));
  MlirValue is_found = tune_ir_build_compare(builder(w), "ne", step, none);
  MlirValue yes = tune_ir_build_number(builder(w), bit, 1),
            is_plain = tune_ir_build_number(builder(w), bit, 0);
  if (is_float(w))
    is_plain = reduce(w, "or", find_nans(w, all.all[SPOILED]));
  if (w->choice->is_lower)
    is_plain = tune_ir_build_binary(builder(w), "arith.ori", is_plain,
                                    tune_ir_build_binary(builder(w), "arith.xori", is_found, yes));
  MlirValue is_fast = tune_ir_build_binary(builder(w), "arith.xori", is_plain, yes);
  is_found = tune_ir_build_binary(builder(w), "arith.andi", is_found, is_fast);
  tune_ir_builder outside = begin_if(w, is_found);
  write_chosen(w, step);
  w->e->builder = outside;
  outside = begin_if(w, is_plain);
  write_plain(w, 0);
  w->e->builder = outside;
}

static void write_parallel(writer *w, size_t from) {
  const tune_nest_loops *nest = w->e->nest;
  while (from < nest->loop_count && nest->is_reduction[from])
    ++from;
  if (from == nest->loop_count) {
    write_result(w);
    return;
  }
  tune_nest_open_loop opened;
  w->e->at[from] = tune_nest_begin_loop(w->e, nest->extent[from], 0, NULL, &opened);
  write_parallel(w, from + 1);
  tune_nest_end_loop(w->e, &opened, NULL);
}

void tune_nest_places_write(tune_nest_emitter *emitter, const tune_nest_choice *choice) {
  const tune_nest_loops *nest = emitter->nest;
  writer w = {.e = emitter, .choice = choice};
  w.values =
      tune_nest_vector_type(emitter, nest->operands[nest->input_count + choice->result].element);
  w.steps = tune_nest_vector_type(emitter, step_type(&w));
  int64_t factor = 1;
  for (size_t loop = nest->loop_count; loop-- > 0;)
    if (nest->is_reduction[loop]) {
      w.factor[loop] = factor;
      factor *= nest->extent[loop];
    }
  emitter->vectors = 1;
  write_parallel(&w, 0);
}
