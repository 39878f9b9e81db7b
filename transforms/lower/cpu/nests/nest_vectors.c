//===- nest_vectors.c - The loops of a nest in vectors -----------------------------------===//

#include "transforms/lower/cpu/nests/nest_vectors.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/pipeline.h"
#include "transforms/lower/cpu/nests/nest_cold.h"
#include "transforms/lower/cpu/nests/nest_emitter.h"
#include "transforms/lower/cpu/nests/nest_places.h"
#include "transforms/lower/cpu/nests/nest_windows.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lines that are read at a time where results are in the cache.
#define STREAMED_STEPS 8

//===--- Loops --------------------------------------------------------------------------===//

static MlirValue constant(tune_nest_emitter *e, int64_t value) {
  return tune_ir_build_index(&e->builder, value);
}

// Results of vectors and rows that are computed now, in a list; returns how many there are.
static size_t list_sums(const tune_nest_emitter *e, tune_nest_sums *from, MlirValue **list) {
  size_t count = 0, results = e->nest->operand_count - e->nest->input_count;
  for (size_t r = 0; r < results; ++r)
    for (int64_t row = 0; row < e->rows; ++row)
      for (int64_t vector = 0; vector < e->vectors; ++vector)
        list[count++] = &from->of[r][row][vector];
  return count;
}

#define MOST_SUMS (TUNE_NEST_MAX_OPERANDS * TUNE_NEST_MAX_ROWS * TUNE_NEST_MAX_VECTORS)

// A loop from `from` to `to`; the emitter writes into its body until tune-nest's end_loop. With
// `carried` it carries these, which are those of its body then.
typedef struct open_loop {
  tune_ir_builder outside;
  MlirOperation op;
  MlirValue *carried[MOST_SUMS];
  size_t carried_count;
} open_loop;

static void begin_loop(tune_nest_emitter *e, MlirValue from, MlirValue to, int64_t step,
                       tune_nest_sums *carried, open_loop *loop, MlirValue *out_index) {
  const tune_ir_builder *builder = &e->builder;
  loop->outside = *builder;
  loop->carried_count = carried ? list_sums(e, carried, loop->carried) : 0;
  MlirBlock body = tune_ir_make_block(builder, 1);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("scf.for"), builder->location);
  MlirValue bounds[] = {from, to, tune_ir_build_index(builder, step)};
  mlirOperationStateAddOperands(&state, 3, bounds);
  for (size_t i = 0; i < loop->carried_count; ++i) {
    MlirType type = mlirValueGetType(*loop->carried[i]);
    mlirOperationStateAddOperands(&state, 1, loop->carried[i]);
    mlirOperationStateAddResults(&state, 1, &type);
    *loop->carried[i] = mlirBlockAddArgument(body, type, builder->location);
  }
  MlirRegion region = tune_ir_make_region(body);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  loop->op = mlirOperationCreate(&state);
  if (mlirOperationIsNull(builder->before))
    mlirBlockAppendOwnedOperation(builder->block, loop->op);
  else
    mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, loop->op);
  *out_index = mlirBlockGetArgument(body, 0);
  e->builder = tune_ir_builder_at_end(body, builder->location);
}

static void end_loop(tune_nest_emitter *e, open_loop *loop) {
  MlirValue yielded[MOST_SUMS];
  for (size_t i = 0; i < loop->carried_count; ++i)
    yielded[i] = *loop->carried[i];
  tune_ir_build(&e->builder, &(tune_ir_parts){.name = "scf.yield",
                                              .operand_count = (intptr_t)loop->carried_count,
                                              .operands = yielded});
  for (size_t i = 0; i < loop->carried_count; ++i)
    *loop->carried[i] = mlirOperationGetResult(loop->op, (intptr_t)i);
  e->builder = loop->outside;
}

// What is written for a part of a loop.
typedef void (*write_part)(tune_nest_emitter *e, size_t level, tune_nest_sums *carried);

// Steps of `step` of `loop` from `*from` on, as far as they are whole; `*from` is their end then.
static void write_whole_steps(tune_nest_emitter *e, size_t loop, int64_t step, MlirValue *from,
                              int64_t *known_from, tune_nest_sums *carried, size_t level,
                              write_part part) {
  int64_t extent = e->nest->extent[loop];
  MlirValue to;
  if (extent >= 0) {
    int64_t end = extent - (extent - *known_from) % step;
    if (end == *known_from)
      return;
    *known_from = end;
    to = constant(e, end);
  } else {
    to = e->extents[loop];
    if (step > 1) {
      MlirValue left = tune_ir_build_binary(&e->builder, "arith.subi", to, *from);
      MlirValue odd = tune_ir_build_binary(&e->builder, "arith.remsi", left, constant(e, step));
      to = tune_ir_build_binary(&e->builder, "arith.subi", to, odd);
    }
  }
  open_loop opened;
  begin_loop(e, *from, to, step, carried, &opened, &e->at[loop]);
  part(e, level, carried);
  end_loop(e, &opened);
  *from = to;
}

// The last, partial vector of the lane loop, if there is one.
static void write_last_part(tune_nest_emitter *e, MlirValue from, int64_t known_from,
                            tune_nest_sums *carried, size_t level, write_part part) {
  size_t loop = e->plan->lane_loop;
  if (e->nest->extent[loop] == known_from)
    return;
  open_loop opened;
  begin_loop(e, from, e->extents[loop], e->plan->lanes, carried, &opened, &e->at[loop]);
  MlirValue left = tune_ir_build_binary(&e->builder, "arith.subi", e->extents[loop], e->at[loop]);
  e->last = tune_ir_build_binary(&e->builder, "arith.subi", e->extents[loop], constant(e, 1));
  tune_nest_begin_part(e, left,
                       e->nest->extent[loop] >= 0 ? e->nest->extent[loop] - known_from : 0);
  part(e, level, carried);
  e->is_part = false;
  end_loop(e, &opened);
}

static void write_lane_loop(tune_nest_emitter *e, tune_nest_sums *carried, size_t level,
                            write_part part) {
  size_t loop = e->plan->lane_loop;
  int64_t lanes = e->plan->lanes, known_from = 0, vectors = e->vectors;
  bool has_columns = e->plan->column_loop != TUNE_NEST_NO_LOOP;
  MlirValue from = constant(e, 0);
  if (vectors > 1 && !has_columns)
    write_whole_steps(e, loop, vectors * lanes, &from, &known_from, carried, level, part);
  if (!has_columns)
    e->vectors = 1;
  write_whole_steps(e, loop, lanes, &from, &known_from, carried, level, part);
  write_last_part(e, from, known_from, carried, level, part);
  e->vectors = vectors;
}

// Squares in a line that are turned before those of the next lines, so that the pages which they
// are written to are still at hand.
#define CHUNK_SQUARES 32

// The squares of a chunk of the turned loop.
static void write_chunk(tune_nest_emitter *e, size_t loop, tune_nest_sums *carried, size_t level,
                        write_part part) {
  open_loop opened;
  MlirValue end = tune_ir_build_binary(&e->builder, "arith.addi", e->chunk,
                                       constant(e, CHUNK_SQUARES * e->plan->lanes));
  begin_loop(e, e->chunk, end, e->plan->lanes, carried, &opened, &e->at[loop]);
  part(e, level, carried);
  end_loop(e, &opened);
}

// Steps of several at once, then the rest one by one. `count` is the emitter's of these.
static void write_blocked_loop(tune_nest_emitter *e, size_t loop, int64_t *count,
                               tune_nest_sums *carried, size_t level, write_part part) {
  int64_t several = *count, known_from = 0;
  MlirValue from = constant(e, 0);
  if (loop == e->plan->turned_loop && !mlirValueIsNull(e->chunk)) {
    if (e->chunk_at < 0) {
      write_chunk(e, loop, carried, level, part);
      return;
    }
    from = e->chunk;
    known_from = e->chunk_at;
  }
  if (several > 1)
    write_whole_steps(e, loop, several, &from, &known_from, carried, level, part);
  int64_t rest = e->nest->extent[loop] - known_from;
  if (loop == e->plan->turned_loop && !e->plan->is_streamed && rest > 0) {
    // Of a square that is there in part.
    e->at[loop] = constant(e, known_from);
    *count = rest;
    e->is_short = true;
    part(e, level, carried);
    e->is_short = false;
  } else if (e->plan->column_loop != TUNE_NEST_NO_LOOP && rest > 1 && rest < several) {
    *count = rest; // each of them alone would read all of the lines again
    write_whole_steps(e, loop, rest, &from, &known_from, carried, level, part);
  } else {
    *count = 1;
    write_whole_steps(e, loop, 1, &from, &known_from, carried, level, part);
  }
  *count = several;
}

// The lane loop, for each chunk of the turned loop within it.
static void write_chunks(tune_nest_emitter *e, size_t level, write_part part) {
  int64_t extent = e->nest->extent[e->plan->turned_loop];
  int64_t chunk = CHUNK_SQUARES * e->plan->lanes, end = extent - extent % chunk;
  open_loop opened;
  begin_loop(e, constant(e, 0), constant(e, end), chunk, NULL, &opened, &e->chunk);
  e->chunk_at = -1;
  write_lane_loop(e, NULL, level, part);
  end_loop(e, &opened);
  e->chunk = constant(e, end);
  e->chunk_at = end;
  if (end < extent)
    write_lane_loop(e, NULL, level, part);
  e->chunk = (MlirValue){NULL};
}

static bool is_turned_parallel(const tune_nest_emitter *e) {
  size_t turned = e->plan->turned_loop;
  return turned != TUNE_NEST_NO_LOOP && !e->nest->is_reduction[turned];
}

static bool has_chunks(const tune_nest_emitter *e) {
  return is_turned_parallel(e) &&
         e->nest->extent[e->plan->turned_loop] >= 2 * CHUNK_SQUARES * e->plan->lanes;
}

static void write_loop(tune_nest_emitter *e, size_t loop, tune_nest_sums *carried, size_t level,
                       write_part part) {
  if (loop == e->plan->lane_loop && has_chunks(e)) {
    write_chunks(e, level, part);
  } else if (loop == e->plan->lane_loop) {
    write_lane_loop(e, carried, level, part);
  } else if (loop == e->plan->turned_loop) {
    bool is_few = e->plan->is_streamed && e->plan->lanes > STREAMED_STEPS;
    e->steps = is_few ? STREAMED_STEPS : e->plan->lanes;
    write_blocked_loop(e, loop, &e->steps, carried, level, part);
    e->steps = 1;
  } else if (loop == e->plan->row_loop && e->rows > 1 && !carried) {
    write_blocked_loop(e, loop, &e->rows, carried, level, part);
  } else if (loop == e->plan->column_loop) {
    write_blocked_loop(e, loop, &e->vectors, carried, level, part);
  } else {
    int64_t known_from = 0;
    MlirValue from = constant(e, 0);
    write_whole_steps(e, loop, 1, &from, &known_from, carried, level, part);
  }
}

//===--- From the outside to the inside -------------------------------------------------===//

// All copies of the body that are at one place, on `carried`.
static void write_copies(tune_nest_emitter *e, int64_t turned, tune_nest_sums *carried) {
  size_t results = e->nest->operand_count - e->nest->input_count;
  for (int64_t row = 0; row < e->rows; ++row)
    for (int64_t vector = 0; vector < e->vectors; ++vector) {
      tune_nest_copy copy = {.vector = vector, .row = row, .turned = turned};
      tune_nest_value arguments[TUNE_NEST_MAX_OPERANDS];
      MlirValue made[TUNE_NEST_MAX_OPERANDS];
      for (size_t o = 0; o < e->nest->operand_count; ++o)
        if (o >= e->nest->input_count)
          arguments[o] =
              (tune_nest_value){.vector = carried->of[o - e->nest->input_count][row][vector]};
        else if (e->nest->operands[o].is_needed)
          arguments[o] = tune_nest_read(e, o, copy);
      tune_nest_write_body(e, copy, arguments, made);
      for (size_t r = 0; r < results; ++r) {
        MlirValue *so_far = &carried->of[r][row][vector];
        // Lanes that are not there add nothing.
        *so_far = e->plan->is_along && e->is_part
                      ? tune_ir_build_select(&e->builder, e->mask, made[r], *so_far)
                      : made[r];
      }
    }
}

// The innermost loop of what reduces has been opened.
static void write_point(tune_nest_emitter *e, size_t level, tune_nest_sums *carried) {
  if (level < e->plan->reduction_count) {
    write_loop(e, e->plan->reduction[level], carried, level + 1, write_point);
    return;
  }
  tune_nest_forget(e);
  int64_t steps = is_turned_parallel(e) ? 1 : e->steps;
  for (int64_t step = 0; step < steps; ++step)
    write_copies(e, step, carried);
  tune_nest_forget(e);
}

static void write_starts(tune_nest_emitter *e, int64_t turned, tune_nest_sums *carried) {
  for (size_t r = 0; r < e->nest->operand_count - e->nest->input_count; ++r)
    for (int64_t row = 0; row < e->rows; ++row)
      for (int64_t vector = 0; vector < e->vectors; ++vector) {
        tune_nest_copy copy = {.vector = vector, .row = row, .turned = turned};
        // Loops carry all of them; else what is not looked at may be anything.
        bool is_needed =
            e->plan->reduction_count > 0 || e->nest->operands[e->nest->input_count + r].is_needed;
        carried->of[r][row][vector] = is_needed ? tune_nest_start(e, r, copy) : (MlirValue){NULL};
      }
}

static void write_ends(tune_nest_emitter *e, int64_t turned, tune_nest_sums *carried) {
  for (size_t r = 0; r < e->nest->operand_count - e->nest->input_count; ++r)
    for (int64_t row = 0; row < e->rows; ++row) {
      size_t operand = e->nest->input_count + r;
      bool has_columns = e->plan->column_loop != TUNE_NEST_NO_LOOP;
      bool is_one = e->plan->is_along && !has_columns;
      bool are_four = has_columns && e->vectors >= 2 && e->vectors <= 4 && e->plan->lanes % 4 == 0;
      MlirValue four[4];
      if (are_four)
        tune_nest_combine_four(e, r, row, carried, four);
      for (int64_t vector = 0; vector < (is_one ? 1 : e->vectors); ++vector) {
        tune_nest_copy copy = {.vector = vector, .row = row, .turned = turned};
        MlirValue value = are_four            ? four[vector]
                          : e->plan->is_along ? tune_nest_combine(e, r, copy, carried)
                                              : carried->of[r][row][vector];
        tune_nest_write(e, operand, copy, value);
      }
    }
}

// All parallel loops have been opened.
static void write_results(tune_nest_emitter *e) {
  tune_nest_sums carried;
  memset(&carried, 0, sizeof carried);
  if (e->plan->reduction_count) {
    tune_nest_forget(e);
    write_starts(e, 0, &carried);
    write_point(e, 0, &carried);
    write_ends(e, 0, &carried);
    return;
  }
  tune_nest_forget(e);
  bool is_streamed = e->plan->is_streamed;
  for (int64_t step = 0; step < e->steps; ++step) {
    if (!is_streamed || step == 0)
      write_starts(e, step, &carried);
    write_copies(e, step, &carried);
    if (!is_streamed || step + 1 == e->steps)
      write_ends(e, is_streamed ? 0 : step, &carried);
  }
}

static void write_parallel(tune_nest_emitter *e, size_t level, tune_nest_sums *carried) {
  (void)carried;
  if (level < e->plan->parallel_count)
    write_loop(e, e->plan->parallel[level], NULL, level + 1, write_parallel);
  else
    write_results(e);
}

//===--- Ops ----------------------------------------------------------------------------===//

static void find_buffers(tune_nest_emitter *e) {
  MlirContext context = e->builder.context;
  for (size_t o = 0; o < e->nest->operand_count; ++o) {
    const tune_nest_operand *operand = &e->nest->operands[o];
    e->buffers[o] = operand->value;
    if (!operand->is_buffer || !mlirTypeIsAInteger(operand->element) ||
        mlirIntegerTypeGetWidth(operand->element) != 1)
      continue;
    // i1 is a byte in memory, and a bit in vectors.
    MlirType type = mlirValueGetType(operand->value);
    int64_t shape[TUNE_NEST_MAX_RANK];
    for (size_t i = 0; i < operand->rank; ++i)
      shape[i] = mlirShapedTypeGetDimSize(type, (intptr_t)i);
    MlirType bytes =
        mlirMemRefTypeGet(mlirIntegerTypeGet(context, 8), (intptr_t)operand->rank, shape,
                          mlirMemRefTypeGetLayout(type), mlirMemRefTypeGetMemorySpace(type));
    e->buffers[o] = tune_ir_build_value(&e->builder, "builtin.unrealized_conversion_cast", bytes, 1,
                                        &operand->value);
  }
}

static void find_extents(tune_nest_emitter *e) {
  MlirType index = mlirIndexTypeGet(e->builder.context);
  for (size_t loop = 0; loop < e->nest->loop_count; ++loop) {
    e->at[loop] = constant(e, 0);
    if (e->nest->extent[loop] >= 0) {
      e->extents[loop] = constant(e, e->nest->extent[loop]);
      continue;
    }
    MlirValue operands[] = {e->nest->operands[e->nest->extent_operand[loop]].value,
                            constant(e, (int64_t)e->nest->extent_dimension[loop])};
    e->extents[loop] = tune_ir_build_value(&e->builder, "memref.dim", index, 2, operands);
  }
}

static tune_status write_nest(const tune_nest_loops *nest, const tune_nest_plan *plan,
                              const tune_nest_window *window, const tune_nest_choice *choice) {
  tune_nest_emitter e = {.nest = nest,
                         .plan = plan,
                         .vectors = plan->vectors,
                         .rows = plan->rows,
                         .steps = 1,
                         .builder = tune_ir_builder_before(nest->op)};
  size_t copies = (size_t)(TUNE_NEST_MAX_VECTORS * TUNE_NEST_MAX_ROWS * plan->lanes);
  e.read = calloc(nest->operand_count * copies, sizeof *e.read);
  if (!e.read)
    return tune_status_out_of_memory("making vectors of an op");
  find_buffers(&e);
  find_extents(&e);
  if (window)
    tune_nest_window_write(&e, window);
  else if (choice)
    tune_nest_places_write(&e, choice);
  else
    write_parallel(&e, 0, NULL);
  free(e.read);
  mlirOperationDestroy(nest->op);
  return TUNE_OK;
}

#define MARK "tune.nest."

static const struct {
  const char *name;
  size_t place;
  int64_t least, most;
} MARKS[] = {
    {MARK "bits", offsetof(tune_nest_wishes, bits), 64, 4096},
    {MARK "registers", offsetof(tune_nest_wishes, registers), 4, 128},
    {MARK "loop", offsetof(tune_nest_wishes, choice), 0, TUNE_NEST_MAX_LOOPS},
    {MARK "vectors", offsetof(tune_nest_wishes, vectors), 0, TUNE_NEST_MAX_VECTORS},
    {MARK "rows", offsetof(tune_nest_wishes, rows), 0, TUNE_NEST_MAX_ROWS},
};

// Reads the marks of `op`, and takes them off.
static tune_status take_marks(MlirOperation op, tune_nest_wishes *out_wishes) {
  *out_wishes = (tune_nest_wishes){.registers = 16};
  for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; ++i) {
    MlirAttribute mark = tune_ir_attribute(op, MARKS[i].name);
    if (mlirAttributeIsNull(mark))
      continue;
    int64_t value = mlirAttributeIsAInteger(mark) ? mlirIntegerAttrGetValueInt(mark) : -1;
    if (value < MARKS[i].least || value > MARKS[i].most)
      return tune_status_make_at(
          TUNE_INVALID_ARGUMENT, op, "%s is a number from %lld to %lld; the schedule says another",
          MARKS[i].name, (long long)MARKS[i].least, (long long)MARKS[i].most);
    *(int64_t *)((char *)out_wishes + MARKS[i].place) = value;
    mlirOperationRemoveAttributeByName(op, tune_ir_string(MARKS[i].name));
  }
  return TUNE_OK;
}

static MlirWalkResult find_marked(MlirOperation op, void *user_data) {
  tune_op_list *marked = user_data;
  if (tune_ir_is(op, "linalg.generic") && !mlirAttributeIsNull(tune_ir_attribute(op, MARK "bits")))
    tune_op_list_add(marked, op);
  return MlirWalkResultAdvance;
}

static tune_status make_vectors(MlirOperation op, const tune_nest_cold *cold) {
  tune_nest_wishes wishes;
  TUNE_RETURN_IF_ERROR(take_marks(op, &wishes));
  tune_nest_loops nest;
  tune_nest_plan plan;
  tune_nest_window window;
  tune_nest_choice choice;
  if (!tune_nest_loops_read(op, &nest))
    return TUNE_OK;
  for (size_t o = 0; o < nest.input_count; ++o)
    nest.operands[o].is_cold =
        nest.operands[o].is_buffer && tune_nest_cold_is(cold, nest.operands[o].value);
  bool is_window = tune_nest_window_find(&nest, &wishes, &plan, &window);
  bool is_choice = !is_window && tune_nest_places_find(&nest, &wishes, &plan, &choice);
  if (!is_window && !is_choice && !tune_nest_plan_make(&nest, &wishes, &plan))
    return TUNE_OK;
  plan.stores_pieces = wishes.registers <= 16;
  return write_nest(&nest, &plan, is_window ? &window : NULL, is_choice ? &choice : NULL);
}

static tune_status lower_affine(MlirOperation module) {
  MlirPassManager passes;
  TUNE_RETURN_IF_ERROR(
      tune_pipeline_create(mlirOperationGetContext(module), "lower-affine", &passes));
  tune_status status = tune_pipeline_run(passes, module, "lowering index arithmetic");
  tune_pipeline_destroy(passes);
  return status;
}

tune_status tune_nest_vectors_make(MlirOperation module) {
  tune_op_list marked = {0};
  mlirOperationWalk(module, find_marked, &marked, MlirWalkPreOrder);
  tune_status status = TUNE_OK;
  if (marked.failed) {
    status = tune_status_out_of_memory("listing ops");
  } else if (marked.count) {
    static const char *const made_of[] = {"affine", "arith", "memref", "scf", "vector", NULL};
    tune_ir_load_dialects(mlirOperationGetContext(module), made_of);
    // Tiling leaves affine.apply in bodies.
    status = lower_affine(module);
  }
  tune_nest_cold cold = {.arguments = {.count = 0}};
  if (tune_status_is_ok(status) && marked.count)
    status = tune_nest_cold_find(&cold, module);
  for (size_t i = 0; i < marked.count && tune_status_is_ok(status); ++i)
    status = make_vectors(marked.ops[i], &cold);
  tune_nest_cold_deinit(&cold);
  tune_op_list_deinit(&marked);
  return status;
}
