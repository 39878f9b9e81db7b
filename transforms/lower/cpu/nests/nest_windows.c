//===- nest_windows.c - Windows that slide by one ------------------------------------------===//

#include "transforms/lower/cpu/nests/nest_windows.h"

#include "transforms/ir/ir.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

// What an element costs here, of which a step of the window is one: each is read twice, kept and
// read again; lanes along the loop that slides are scanned as well.
#define COST_BESIDE 4
#define COST_SCANNED 8

//===--- Finding them -------------------------------------------------------------------===//

static bool has_indices(const tune_nest_loops *nest) {
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "linalg.index"))
      return true;
  return false;
}

// What is kept is in memory, where narrow floats are rounded: extrema may be, sums not. Bits are
// bytes there.
static bool may_be_kept(const tune_nest_loops *nest) {
  MlirType element = nest->operands[nest->input_count].element;
  MlirOperation op = tune_nest_combiner(nest, 0);
  bool is_narrow = tune_ir_is_short_float(element),
       is_bit = mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1;
  return !is_bit && !(is_narrow && (tune_ir_is(op, "arith.addf") || tune_ir_is(op, "arith.mulf")));
}

// Whether every input that is looked at has one of its dimensions, if any, indexed by the sum of
// both loops, and no other by either.
static bool slides(const tune_nest_loops *nest, size_t slid, size_t window) {
  bool is_found = false;
  for (size_t o = 0; o < nest->input_count; ++o) {
    const tune_nest_operand *operand = &nest->operands[o];
    if (!operand->is_needed)
      continue;
    size_t together = 0;
    for (size_t i = 0; i < operand->rank; ++i) {
      if (!operand->is_linear[i])
        return false;
      int64_t step = operand->coefficient[i][slid];
      if (step != operand->coefficient[i][window] || (step != 0 && step != 1))
        return false;
      together += step == 1;
    }
    if (together > 1)
      return false;
    is_found |= together == 1;
  }
  const tune_nest_operand *result = &nest->operands[nest->input_count];
  size_t alone = 0;
  for (size_t i = 0; i < result->rank; ++i)
    alone += mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(result->map, (intptr_t)i),
                                           (intptr_t)slid);
  return is_found && alone == 1;
}

// Whether vectors along `lanes_of` are contiguous in all operands, or the same in all lanes.
static bool lies_for_lanes(const tune_nest_loops *nest, const tune_nest_plan *plan) {
  for (size_t o = 0; o < nest->operand_count; ++o)
    if ((o >= nest->input_count || nest->operands[o].is_needed) &&
        plan->access[o] != TUNE_NEST_CONTIGUOUS &&
        (o >= nest->input_count || plan->access[o] != TUNE_NEST_SAME))
      return false;
  return true;
}

static double others(const tune_nest_loops *nest, size_t window) {
  double steps = 1;
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    if (nest->is_reduction[loop] && loop != window)
      steps *= (double)nest->extent[loop];
  return steps;
}

// How many times less work this is than taking each window by itself.
static double find_gain(const tune_nest_loops *nest, size_t slid, size_t window, bool is_scanned) {
  double steps = (double)nest->extent[slid], width = (double)nest->extent[window];
  double blocks = (double)((nest->extent[slid] - 1) / nest->extent[window] + 1);
  double lines = others(nest, window), elements = blocks * width + steps;
  double each = lines > 1 ? lines : 0;
  return steps * width * lines / (elements * (each + (is_scanned ? COST_SCANNED : COST_BESIDE)));
}

bool tune_nest_window_find(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                           tune_nest_plan *out_plan, tune_nest_window *out_window) {
  double best = 1;
  if (wishes->bits == 0 || wishes->choice != 0 || !nest->combines || nest->is_guarded ||
      nest->operand_count - nest->input_count != 1 || !tune_nest_is_static(nest) ||
      has_indices(nest) || !may_be_kept(nest))
    return false;
  for (size_t slid = 0; slid < nest->loop_count; ++slid)
    for (size_t window = 0; window < nest->loop_count; ++window) {
      if (nest->is_reduction[slid] || !nest->is_reduction[window] || nest->extent[window] < 2 ||
          !slides(nest, slid, window))
        continue;
      for (size_t lanes = 0; lanes < nest->loop_count; ++lanes) {
        double gain = find_gain(nest, slid, window, lanes == slid);
        tune_nest_plan plan;
        if (nest->is_reduction[lanes] || gain <= best ||
            !tune_nest_plan_lanes(nest, lanes, wishes->bits, &plan) || !lies_for_lanes(nest, &plan))
          continue;
        best = gain;
        *out_plan = plan;
        *out_window = (tune_nest_window){.slid = slid,
                                         .window = window,
                                         .steps = nest->extent[slid],
                                         .width = nest->extent[window]};
      }
    }
  return best > 1;
}

//===--- Elements -----------------------------------------------------------------------===//

#define MOST_VECTORS 4

typedef struct writer {
  tune_nest_emitter *e;
  const tune_nest_window *window;
  MlirValue kept; // what the rest of each block adds up to: a line for each result
} writer;

static MlirValue constant(const writer *w, int64_t value) {
  return tune_ir_build_index(&w->e->builder, value);
}

static MlirValue add(const writer *w, MlirValue a, MlirValue b) {
  return tune_ir_build_binary(&w->e->builder, "arith.addi", a, b);
}

static bool is_scanned(const writer *w) { return w->e->plan->lane_loop == w->window->slid; }

// A loop of `end` steps over `values`, one for each vector, which are those of its body then.
static MlirValue begin(writer *w, int64_t end, MlirValue *values, tune_nest_open_loop *out) {
  return tune_nest_begin_loop(w->e, end, values ? (intptr_t)w->e->vectors : 0, values, out);
}

static void combine(writer *w, MlirValue *values, const MlirValue *more) {
  for (int64_t v = 0; v < w->e->vectors; ++v)
    values[v] = tune_nest_combine_two(w->e, 0, values[v], more[v]);
}

static void begin_at_neutral(writer *w, MlirValue *values) {
  for (int64_t v = 0; v < w->e->vectors; ++v)
    values[v] = tune_nest_neutral(w->e, 0);
}

// The body on what is there, in all other loops that reduce from `from` on.
static void reduce(writer *w, size_t from, MlirValue *values) {
  const tune_nest_loops *nest = w->e->nest;
  while (from < nest->loop_count && (!nest->is_reduction[from] || from == w->window->window))
    ++from;
  if (from < nest->loop_count) {
    tune_nest_open_loop opened;
    MlirValue outside = w->e->at[from];
    w->e->at[from] = begin(w, nest->extent[from], values, &opened);
    reduce(w, from + 1, values);
    tune_nest_end_loop(w->e, &opened, values);
    w->e->at[from] = outside;
    return;
  }
  tune_nest_forget(w->e);
  for (int64_t v = 0; v < w->e->vectors; ++v) {
    tune_nest_copy copy = {.vector = v};
    tune_nest_value arguments[TUNE_NEST_MAX_OPERANDS];
    for (size_t o = 0; o < nest->input_count; ++o)
      if (nest->operands[o].is_needed)
        arguments[o] = tune_nest_read(w->e, o, copy);
    arguments[nest->input_count] = (tune_nest_value){.vector = values[v]};
    tune_nest_write_body(w->e, copy, arguments, &values[v]);
  }
  tune_nest_forget(w->e);
}

// The elements at `place` of what windows slide over.
static void read_elements(writer *w, MlirValue place, MlirValue *values) {
  w->e->at[w->window->slid] = place;
  w->e->at[w->window->window] = constant(w, 0);
  begin_at_neutral(w, values);
  reduce(w, 0, values);
  // Lanes that are not there add nothing.
  for (int64_t v = 0; v < w->e->vectors && w->e->is_part; ++v)
    values[v] =
        tune_ir_build_select(&w->e->builder, w->e->mask, values[v], tune_nest_neutral(w->e, 0));
}

static void write_results(writer *w, MlirValue place, MlirValue *values) {
  size_t result = w->e->nest->input_count;
  w->e->at[w->window->slid] = place;
  tune_nest_forget(w->e);
  for (int64_t v = 0; v < w->e->vectors; ++v) {
    tune_nest_copy copy = {.vector = v};
    tune_nest_value before = tune_nest_read(w->e, result, copy);
    tune_nest_write(w->e, result, copy, tune_nest_combine_two(w->e, 0, before.vector, values[v]));
  }
  tune_nest_forget(w->e);
}

//===--- What is kept -------------------------------------------------------------------===//

// Elements that are scanned are in a single line.
static void find_line(const writer *w, MlirValue *indices) {
  if (!is_scanned(w))
    return;
  indices[1] = indices[0];
  indices[0] = constant(w, 0);
}

static void keep(writer *w, MlirValue line, const MlirValue *values) {
  for (int64_t v = 0; v < w->e->vectors; ++v) {
    MlirValue operands[] = {values[v], w->kept, line, constant(w, v * w->e->plan->lanes)};
    find_line(w, operands + 2);
    tune_ir_build(
        &w->e->builder,
        &(tune_ir_parts){.name = "vector.store", .operand_count = 4, .operands = operands});
  }
}

static void read_kept(writer *w, MlirValue line, MlirValue *values) {
  MlirType type =
      tune_nest_vector_type(w->e, w->e->nest->operands[w->e->nest->input_count].element);
  for (int64_t v = 0; v < w->e->vectors; ++v) {
    MlirValue operands[] = {w->kept, line, constant(w, v * w->e->plan->lanes)};
    find_line(w, operands + 1);
    values[v] = tune_ir_build_value(&w->e->builder, "vector.load", type, 3, operands);
  }
}

//===--- Lanes along another loop -------------------------------------------------------===//

// From the block's last element to its first; of those of `results` what they add up to is kept.
static void write_rests(writer *w, MlirValue start, int64_t results, MlirValue *sums) {
  int64_t width = w->window->width;
  begin_at_neutral(w, sums);
  for (int part = 0; part < 2; ++part) {
    int64_t last = part ? results - 1 : width - 1, steps = part ? results : width - results;
    if (steps == 0)
      continue;
    MlirValue elements[MOST_VECTORS];
    tune_nest_open_loop opened;
    MlirValue back = begin(w, steps, sums, &opened);
    MlirValue line = tune_ir_build_binary(&w->e->builder, "arith.subi", constant(w, last), back);
    read_elements(w, add(w, start, line), elements);
    combine(w, sums, elements);
    if (part)
      keep(w, line, sums);
    tune_nest_end_loop(w->e, &opened, sums);
  }
}

static void write_block(writer *w, MlirValue start, int64_t results) {
  MlirValue sums[MOST_VECTORS], elements[MOST_VECTORS], rests[MOST_VECTORS];
  write_rests(w, start, results, sums);
  write_results(w, start, sums);
  begin_at_neutral(w, sums);
  tune_nest_open_loop opened;
  MlirValue step = begin(w, results - 1, sums, &opened), line = add(w, step, constant(w, 1));
  read_elements(w, add(w, add(w, start, constant(w, w->window->width)), step), elements);
  combine(w, sums, elements);
  read_kept(w, line, rests);
  combine(w, rests, sums);
  write_results(w, add(w, start, line), rests);
  tune_nest_end_loop(w->e, &opened, sums);
}

//===--- Lanes along the loop that slides -----------------------------------------------===//

static int64_t vectors_of(const writer *w, int64_t elements) {
  return (elements + w->e->plan->lanes - 1) / w->e->plan->lanes;
}

// Lanes that are moved by `by` to the next ones (or, negative, to those before); from the ends come
// neutral elements.
static MlirValue move(writer *w, MlirValue vector, int64_t by) {
  int64_t lanes = w->e->plan->lanes, from[TUNE_NEST_MAX_LANES];
  for (int64_t lane = 0; lane < lanes; ++lane)
    from[lane] = lane - by >= 0 && lane - by < lanes ? lane - by : lanes;
  return tune_nest_shuffle(w->e, vector, tune_nest_neutral(w->e, 0), from);
}

static MlirValue splat(writer *w, MlirValue vector, int64_t lane) {
  int64_t from[TUNE_NEST_MAX_LANES];
  for (int64_t i = 0; i < w->e->plan->lanes; ++i)
    from[i] = lane;
  return tune_nest_shuffle(w->e, vector, vector, from);
}

// In each lane all lanes up to it; with `sign` -1 all from it on.
static MlirValue scan(writer *w, MlirValue vector, int64_t sign) {
  for (int64_t by = 1; by < w->e->plan->lanes; by *= 2)
    vector = tune_nest_combine_two(w->e, 0, vector, move(w, vector, sign * by));
  return vector;
}

// One vector of a block, at `line`: all from each lane on is kept. `*behind` is what comes after.
static void scan_back(writer *w, MlirValue start, MlirValue line, MlirValue *behind) {
  MlirValue element;
  read_elements(w, add(w, start, line), &element);
  element = tune_nest_combine_two(w->e, 0, scan(w, element, -1), *behind);
  keep(w, line, &element);
  *behind = splat(w, element, 0);
}

static void scan_rests(writer *w, MlirValue start, int64_t results) {
  int64_t lanes = w->e->plan->lanes, width = w->window->width, odd = width % lanes;
  int64_t whole = width / lanes, kept = vectors_of(w, results);
  MlirValue behind = tune_nest_neutral(w->e, 0), element;
  tune_nest_open_loop opened;
  if (odd) {
    tune_nest_begin_part(w->e, constant(w, odd), odd);
    if (kept > whole)
      scan_back(w, start, constant(w, whole * lanes), &behind);
    else
      read_elements(w, add(w, start, constant(w, whole * lanes)), &behind);
    w->e->is_part = false;
  }
  kept = kept < whole ? kept : whole;
  // What no result begins in is only added up.
  if (kept < whole) {
    MlirValue step = begin(w, whole - kept, &behind, &opened);
    MlirValue line = tune_ir_build_binary(&w->e->builder, "arith.muli",
                                          add(w, step, constant(w, kept)), constant(w, lanes));
    read_elements(w, add(w, start, line), &element);
    combine(w, &behind, &element);
    tune_nest_end_loop(w->e, &opened, &behind);
  }
  if (kept < whole || (odd && vectors_of(w, results) <= whole))
    behind = splat(w, scan(w, behind, -1), 0);
  if (kept == 0)
    return;
  MlirValue back = begin(w, kept, &behind, &opened);
  MlirValue vector =
      tune_ir_build_binary(&w->e->builder, "arith.subi", constant(w, kept - 1), back);
  MlirValue line = tune_ir_build_binary(&w->e->builder, "arith.muli", vector, constant(w, lanes));
  scan_back(w, start, line, &behind);
  tune_nest_end_loop(w->e, &opened, &behind);
}

// The results of one vector. Element 0 of the next block counts from the second of them on.
static void scan_on(writer *w, MlirValue start, MlirValue line, bool is_first, MlirValue *before) {
  int64_t lanes = w->e->plan->lanes, from[TUNE_NEST_MAX_LANES];
  MlirValue sum, rest;
  read_elements(w, add(w, add(w, start, line), constant(w, w->window->width - 1)), &sum);
  for (int64_t lane = 0; lane < lanes; ++lane)
    from[lane] = lane ? lane : lanes;
  if (is_first)
    sum = tune_nest_shuffle(w->e, sum, tune_nest_neutral(w->e, 0), from);
  sum = tune_nest_combine_two(w->e, 0, scan(w, sum, 1), *before);
  read_kept(w, line, &rest);
  combine(w, &rest, &sum);
  write_results(w, add(w, start, line), &rest);
  *before = splat(w, sum, lanes - 1);
}

static void scan_block(writer *w, MlirValue start, int64_t results) {
  int64_t lanes = w->e->plan->lanes, whole = results / lanes, odd = results % lanes;
  MlirValue before = tune_nest_neutral(w->e, 0);
  scan_rests(w, start, results);
  if (whole > 0)
    scan_on(w, start, constant(w, 0), true, &before);
  if (whole > 1) {
    tune_nest_open_loop opened;
    MlirValue step = begin(w, whole - 1, &before, &opened);
    MlirValue line = tune_ir_build_binary(&w->e->builder, "arith.muli",
                                          add(w, step, constant(w, 1)), constant(w, lanes));
    scan_on(w, start, line, false, &before);
    tune_nest_end_loop(w->e, &opened, &before);
  }
  if (odd) {
    tune_nest_begin_part(w->e, constant(w, odd), odd);
    scan_on(w, start, constant(w, whole * lanes), whole == 0, &before);
    w->e->is_part = false;
  }
}

//===--- Around them --------------------------------------------------------------------===//

static void write_blocks(writer *w) {
  void (*const write)(writer *, MlirValue, int64_t) = is_scanned(w) ? scan_block : write_block;
  int64_t width = w->window->width, blocks = w->window->steps / width;
  if (blocks > 0) {
    tune_nest_open_loop opened;
    MlirValue block = begin(w, blocks, NULL, &opened);
    write(w, tune_ir_build_binary(&w->e->builder, "arith.muli", block, constant(w, width)), width);
    tune_nest_end_loop(w->e, &opened, NULL);
  }
  if (w->window->steps % width)
    write(w, constant(w, blocks * width), w->window->steps % width);
}

static void write_loops(writer *w, size_t from);

static void write_lanes(writer *w, int64_t vectors, int64_t *done) {
  tune_nest_open_loop opened;
  if (!tune_nest_begin_vectors(w->e, vectors, done, 0, NULL, &opened))
    return;
  write_loops(w, w->e->plan->lane_loop + 1);
  tune_nest_end_loop(w->e, &opened, NULL);
}

// All parallel loops from `from` on, but for the one that slides.
static void write_loops(writer *w, size_t from) {
  const tune_nest_loops *nest = w->e->nest;
  while (from < nest->loop_count && (nest->is_reduction[from] || from == w->window->slid))
    ++from;
  if (from == nest->loop_count) {
    write_blocks(w);
  } else if (from == w->e->plan->lane_loop) {
    int64_t done = 0;
    write_lanes(w, MOST_VECTORS, &done);
    write_lanes(w, 1, &done);
    w->e->vectors = 1;
    if (done < nest->extent[from]) {
      tune_nest_begin_part(w->e, constant(w, nest->extent[from] - done), nest->extent[from] - done);
      w->e->at[from] = constant(w, done);
      write_loops(w, from + 1);
      w->e->is_part = false;
    }
  } else {
    tune_nest_open_loop opened;
    w->e->at[from] = begin(w, nest->extent[from], NULL, &opened);
    write_loops(w, from + 1);
    tune_nest_end_loop(w->e, &opened, NULL);
  }
}

void tune_nest_window_write(tune_nest_emitter *emitter, const tune_nest_window *window) {
  writer w = {.e = emitter, .window = window};
  int64_t most = window->steps < window->width ? window->steps : window->width;
  bool scanned = is_scanned(&w);
  int64_t lanes = emitter->plan->lanes;
  int64_t shape[] = {scanned ? 1 : most, (scanned ? vectors_of(&w, most) : MOST_VECTORS) * lanes};
  MlirType element = emitter->nest->operands[emitter->nest->input_count].element;
  MlirType type = mlirMemRefTypeContiguousGet(element, 2, shape, (MlirAttribute){NULL});
  static const int32_t SEGMENTS[] = {0, 0};
  MlirNamedAttribute segments =
      tune_ir_named(emitter->builder.context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(emitter->builder.context, 2, SEGMENTS));
  w.kept = tune_ir_build_result(&emitter->builder, &(tune_ir_parts){.name = "memref.alloc",
                                                                    .type_count = 1,
                                                                    .types = &type,
                                                                    .attribute_count = 1,
                                                                    .attributes = &segments});
  emitter->vectors = 1;
  write_loops(&w, 0);
  tune_ir_build(
      &emitter->builder,
      &(tune_ir_parts){.name = "memref.dealloc", .operand_count = 1, .operands = &w.kept});
}
