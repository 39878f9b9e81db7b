//===- nest_ahead.c - Lines of weights that are fetched before they are read -----------------===//
//
// Weights that are read once, a few lines at a time on end, come out of memory. A processor fetches
// ahead along each line that it is in, and has to find the next ones anew: lines of 3 KB are over
// before that has begun. So what lies a few lines on is asked for, into the second cache: into the
// first it would push out the results that are added to. So it is with the lines of columns, of
// which a few rows make their results at once (nest_loops.h).
//
//===-------------------------------------------------------------------------------------------===//

#include "transforms/lower/cpu/nests/nest_emitter.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define LINE_BYTES 64
// So far ahead at least: what memory delivers while it takes to answer, and as much again. On a Zen
// 4, 12 to 200 KB are much alike.
#define AHEAD_BYTES (16 << 10)
// What is smaller is over before it pays.
#define LEAST_BYTES (256 << 10)

static int64_t extent_of(const tune_nest_emitter *e, size_t loop) {
  return loop == TUNE_NEST_NO_LOOP || e->nest->extent[loop] < 0 ? 0 : e->nest->extent[loop];
}

// The loop whose steps are lines, or TUNE_NEST_NO_LOOP. Lines of columns that many rows read are in
// a cache for all but the first.
static size_t find_line_loop(const tune_nest_emitter *e) {
  const tune_nest_plan *plan = e->plan;
  if (plan->is_streamed)
    return plan->turned_loop;
  bool is_read_once = plan->column_loop != TUNE_NEST_NO_LOOP && extent_of(e, plan->row_loop) > 0 &&
                      extent_of(e, plan->row_loop) <= 2 * plan->rows;
  return is_read_once ? plan->column_loop : TUNE_NEST_NO_LOOP;
}

// How many lines on; 0: none.
static int64_t find_distance(const tune_nest_emitter *e, size_t o, size_t line_loop) {
  const tune_nest_plan *plan = e->plan;
  if (line_loop == TUNE_NEST_NO_LOOP || e->is_part || !e->nest->operands[o].is_cold ||
      !tune_nest_depends(e->nest, o, line_loop) || !tune_nest_depends(e->nest, o, plan->lane_loop))
    return 0;
  int64_t line =
      extent_of(e, plan->lane_loop) * tune_nest_element_bits(e->nest->operands[o].element) / 8;
  int64_t lines = plan->is_streamed ? e->steps : e->vectors, block = lines * line;
  if (line * extent_of(e, line_loop) < LEAST_BYTES || block == 0)
    return 0;
  return (AHEAD_BYTES + block - 1) / block * lines;
}

static MlirValue build_place(const tune_nest_emitter *e, size_t line_loop, MlirValue at,
                             int64_t distance) {
  const tune_ir_builder *b = &e->builder;
  MlirValue next = tune_ir_build_binary(b, "arith.addi", at, tune_ir_build_index(b, distance));
  return tune_ir_build_binary(b, "arith.minui", next,
                              tune_ir_build_index(b, e->nest->extent[line_loop] - 1));
}

void tune_nest_fetch_ahead(const tune_nest_emitter *e, size_t o, tune_nest_copy copy,
                           const MlirValue *indices) {
  const tune_nest_operand *operand = &e->nest->operands[o];
  size_t line_loop = find_line_loop(e);
  int64_t distance = find_distance(e, o, line_loop);
  int64_t bytes = e->plan->lanes * tune_nest_element_bits(operand->element) / 8;
  // Of vectors that share a line of the cache the first one asks.
  if (distance == 0 || (e->plan->is_streamed && copy.vector * bytes % LINE_BYTES != 0))
    return;
  MlirValue next[TUNE_NEST_MAX_RANK + 1] = {e->buffers[o]};
  for (size_t i = 0; i < operand->rank; ++i) {
    MlirAffineExpr place = mlirAffineMapGetResult(operand->map, (intptr_t)i);
    bool is_along =
        mlirAffineExprIsADim(place) && (size_t)mlirAffineDimExprGetPosition(place) == line_loop;
    next[i + 1] = is_along ? build_place(e, line_loop, indices[i], distance) : indices[i];
  }
  tune_ir_build_prefetch(&e->builder, (intptr_t)operand->rank + 1, next);
}
