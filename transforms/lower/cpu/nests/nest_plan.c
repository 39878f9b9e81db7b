//===- nest_plan.c - Which loop of a nest becomes lanes, and what is around it -----------===//
//
// Every loop is weighed: what a vector of each operand costs to read or write, and how much of the
// vectors is of use.
//
//===--------------------------------------------------------------------------------------===//

#include "transforms/lower/cpu/nests/nest_loops.h"

#include "transforms/ir/ir.h"

#include "mlir-c/AffineExpr.h"

#include <math.h>

// A square of more lanes is more code than it saves.
#define MOST_TURNED_LANES 16
// What a loop of unknown length is taken for.
#define TYPICAL_EXTENT 64
// Ops that the innermost loop may have in all.
#define MOST_COPIES 1536

typedef struct candidate {
  tune_nest_plan plan;
  double cost; // of a point
} candidate;

static int64_t known_extent(const tune_nest_loops *nest, size_t loop) {
  return nest->extent[loop] < 0 ? TYPICAL_EXTENT : nest->extent[loop];
}

static bool is_used(const tune_nest_loops *nest, size_t operand) {
  return operand >= nest->input_count || nest->operands[operand].is_needed;
}

//===--- Operands -----------------------------------------------------------------------===//

static bool depends_before_last(const tune_nest_operand *operand, size_t loop) {
  for (size_t i = 0; i + 1 < operand->rank; ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(operand->map, (intptr_t)i),
                                      (intptr_t)loop))
      return true;
  return false;
}

// How far apart the elements lie that neighbouring steps of `loop` take; 0 where that is not one
// number, or not along the last dimension alone.
static int64_t stride_along(const tune_nest_operand *operand, size_t loop) {
  if (!operand->is_dense || !operand->is_linear[operand->rank - 1] ||
      depends_before_last(operand, loop))
    return 0;
  return operand->coefficient[operand->rank - 1][loop];
}

static tune_nest_access find_access(const tune_nest_loops *nest, size_t o, size_t lanes_of,
                                    size_t turned, int64_t *out_stride) {
  const tune_nest_operand *operand = &nest->operands[o];
  *out_stride = 1;
  if (!tune_nest_depends(nest, o, lanes_of))
    return TUNE_NEST_SAME;
  int64_t stride = stride_along(operand, lanes_of);
  *out_stride = stride;
  if (stride == 1)
    return TUNE_NEST_CONTIGUOUS;
  bool is_input = o < nest->input_count;
  if (is_input && ((stride >= 2 && stride <= 4) || stride == -1))
    return TUNE_NEST_STRIDED;
  if (is_input && turned != TUNE_NEST_NO_LOOP && stride_along(operand, turned) == 1)
    return TUNE_NEST_TURNED;
  return TUNE_NEST_APART;
}

// What a vector of the operand costs.
static double access_cost(const tune_nest_plan *plan, size_t o) {
  double lanes = (double)plan->lanes;
  switch (plan->access[o]) {
  case TUNE_NEST_SAME:
    return 0.5;
  case TUNE_NEST_CONTIGUOUS:
    return 1;
  case TUNE_NEST_STRIDED:
    return plan->stride[o] < 0 ? 2 : 2 * (double)plan->stride[o] - 1;
  case TUNE_NEST_TURNED:
    return 1.5 + log2(lanes);
  case TUNE_NEST_APART:
    return 2 * lanes;
  }
  return 0;
}

//===--- Ways ---------------------------------------------------------------------------===//

// The last loop that reduces and runs at all.
static size_t last_reduction(const tune_nest_loops *nest) {
  size_t last = TUNE_NEST_NO_LOOP;
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    if (nest->is_reduction[loop] && nest->extent[loop] != 1)
      last = loop;
  return last;
}

static bool reduces(const tune_nest_loops *nest) {
  bool found = false;
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    found |= nest->is_reduction[loop];
  return found;
}

// Where the body only combines, in any order; else as it comes.
static bool may_be_innermost(const tune_nest_loops *nest, size_t loop) {
  return nest->combines || last_reduction(nest) == loop;
}

static double reduction_steps(const tune_nest_loops *nest) {
  double steps = 1;
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    if (nest->is_reduction[loop])
      steps *= (double)known_extent(nest, loop);
  return steps;
}

static double weigh(const tune_nest_loops *nest, const tune_nest_plan *plan) {
  double lanes = (double)plan->lanes, inputs = 2, results = 0;
  for (size_t o = 0; o < nest->operand_count; ++o) {
    if (!is_used(nest, o))
      continue;
    if (o < nest->input_count)
      inputs += access_cost(plan, o);
    else if (plan->is_along)
      results += 4 * log2(lanes) + 4;
    else
      results += access_cost(plan, o) * (nest->operands[o].is_needed ? 2 : 1);
  }
  double extent = (double)known_extent(nest, plan->lane_loop), whole = floor(extent / lanes);
  double parts = whole + (whole * lanes < extent ? 1.5 : 0);
  double waste = parts * lanes / extent;
  double results_share =
      plan->is_along ? lanes / reduction_steps(nest) : waste / reduction_steps(nest);
  return (inputs * waste + results * results_share) / lanes;
}

// A point without vectors.
static double scalar_cost(const tune_nest_loops *nest) {
  double cost = 2;
  for (size_t o = 0; o < nest->operand_count; ++o)
    cost += is_used(nest, o);
  return cost;
}

static int64_t most_lanes(const tune_nest_loops *nest, size_t loop, int64_t bits) {
  int64_t widest = 0;
  for (int pass = 0; pass < 2 && widest == 0; ++pass)
    for (size_t o = pass ? nest->input_count : 0; o < nest->operand_count; ++o) {
      int64_t of = tune_nest_element_bits(nest->operands[o].element);
      bool counts = pass || (o < nest->input_count && nest->operands[o].is_needed);
      if (counts && of > widest && tune_nest_depends(nest, o, loop))
        widest = of;
    }
  if (widest == 0)
    widest = 32;
  int64_t lanes = bits / widest;
  return lanes > TUNE_NEST_MAX_LANES ? TUNE_NEST_MAX_LANES : lanes;
}

static bool make_candidate(const tune_nest_loops *nest, size_t loop, size_t turned, int64_t lanes,
                           candidate *out) {
  bool is_along = nest->is_reduction[loop];
  *out = (candidate){.plan = {.lane_loop = loop,
                              .is_along = is_along,
                              .turned_loop = turned,
                              .row_loop = TUNE_NEST_NO_LOOP,
                              .column_loop = TUNE_NEST_NO_LOOP,
                              .lanes = lanes,
                              .vectors = 1,
                              .rows = 1}};
  bool turns = false;
  for (size_t o = 0; o < nest->operand_count; ++o) {
    out->plan.access[o] = find_access(nest, o, loop, turned, &out->plan.stride[o]);
    turns |= is_used(nest, o) && out->plan.access[o] == TUNE_NEST_TURNED;
    // Each lane has a result of its own.
    if (o >= nest->input_count && !is_along && out->plan.access[o] == TUNE_NEST_SAME)
      return false;
  }
  out->cost = weigh(nest, &out->plan);
  return turned == TUNE_NEST_NO_LOOP || turns;
}

static void add_candidates(const tune_nest_loops *nest, size_t loop, int64_t bits,
                           candidate *candidates, size_t *count, size_t capacity) {
  int64_t widest = most_lanes(nest, loop, bits), extent = nest->extent[loop];
  for (int64_t lanes = widest; lanes >= 2 && lanes >= widest / 4; lanes /= 2) {
    if (extent >= 0 && lanes >= 2 * extent)
      continue;
    for (size_t turned = 0; turned <= nest->loop_count; ++turned) {
      bool is_plain = turned == nest->loop_count;
      if (!is_plain &&
          (turned == loop || nest->is_reduction[loop] || lanes > MOST_TURNED_LANES ||
           (nest->extent[turned] >= 0 && nest->extent[turned] < lanes) ||
           (nest->is_reduction[turned] ? !may_be_innermost(nest, turned) : reduces(nest))))
        continue;
      if (*count < capacity && make_candidate(nest, loop, is_plain ? TUNE_NEST_NO_LOOP : turned,
                                              lanes, &candidates[*count]))
        ++*count;
    }
  }
}

bool tune_nest_plan_lanes(const tune_nest_loops *nest, size_t loop, int64_t bits,
                          tune_nest_plan *out_plan) {
  int64_t lanes = most_lanes(nest, loop, bits);
  candidate found;
  if (lanes < 2 || 2 * nest->extent[loop] <= lanes ||
      !make_candidate(nest, loop, TUNE_NEST_NO_LOOP, lanes, &found))
    return false;
  *out_plan = found.plan;
  return true;
}

bool tune_nest_plan_along(const tune_nest_loops *nest, size_t loop, int64_t lanes,
                          tune_nest_plan *out_plan) {
  candidate found;
  if (!make_candidate(nest, loop, TUNE_NEST_NO_LOOP, lanes, &found))
    return false;
  *out_plan = found.plan;
  return true;
}

//===--- Around the lanes ---------------------------------------------------------------===//

// An input that all steps of the parallel loop `loop` read alike, again and again.
static bool shares_weights(const tune_nest_loops *nest, size_t lane_loop, size_t loop) {
  for (size_t o = 0; o < nest->input_count; ++o) {
    if (!nest->operands[o].is_needed || !tune_nest_depends(nest, o, lane_loop) ||
        tune_nest_depends(nest, o, loop))
      continue;
    for (size_t r = 0; r < nest->loop_count; ++r)
      if (nest->is_reduction[r] && tune_nest_depends(nest, o, r))
        return true;
  }
  return false;
}

static bool may_be_shared(const tune_nest_loops *nest, const tune_nest_plan *plan, size_t loop) {
  return !nest->is_reduction[loop] && loop != plan->lane_loop && nest->extent[loop] != 1 &&
         loop != plan->turned_loop && shares_weights(nest, plan->lane_loop, loop);
}

// Whether there is an input that lies along `loop` and not along `other`.
static bool lies_along_one(const tune_nest_loops *nest, size_t loop, size_t other) {
  for (size_t o = 0; o < nest->input_count; ++o)
    if (nest->operands[o].is_needed && tune_nest_depends(nest, o, loop) &&
        !tune_nest_depends(nest, o, other))
      return true;
  return false;
}

// The last loop that shares is that of rows. Of lanes that reduce, the longest of two that share
// what the other one goes over is that of columns: what lies along it is read once.
static void choose_sharing_loops(const tune_nest_loops *nest, tune_nest_plan *plan) {
  size_t longest = TUNE_NEST_NO_LOOP;
  for (size_t loop = 0; loop < nest->loop_count; ++loop) {
    if (!may_be_shared(nest, plan, loop))
      continue;
    plan->row_loop = loop;
    if (longest == TUNE_NEST_NO_LOOP || known_extent(nest, loop) > known_extent(nest, longest))
      longest = loop;
  }
  for (size_t loop = 0; plan->is_along && loop < nest->loop_count; ++loop)
    if (loop != longest && may_be_shared(nest, plan, loop) && lies_along_one(nest, loop, longest) &&
        lies_along_one(nest, longest, loop)) {
      plan->row_loop = loop;
      plan->column_loop = longest;
    }
}

static size_t count_ops(const tune_nest_loops *nest) {
  size_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    ++count;
  return count;
}

static int64_t power_of_two_at_most(int64_t limit) {
  int64_t power = 1;
  while (2 * power <= limit)
    power *= 2;
  return power;
}

// Whether all that vectors go along is read once, as it lies in lines.
static bool is_read_once(const tune_nest_loops *nest, const tune_nest_plan *plan) {
  bool is_once = reduces(nest) && !plan->is_along && plan->turned_loop == TUNE_NEST_NO_LOOP &&
                 plan->row_loop == TUNE_NEST_NO_LOOP;
  for (size_t o = 0; o < nest->operand_count; ++o) {
    const tune_nest_operand *operand = &nest->operands[o];
    if (!is_used(nest, o) || !tune_nest_depends(nest, o, plan->lane_loop))
      continue;
    is_once &= plan->access[o] == TUNE_NEST_CONTIGUOUS;
    for (size_t i = 0; i < operand->rank; ++i)
      is_once &= mlirAffineExprIsADim(mlirAffineMapGetResult(operand->map, (intptr_t)i));
  }
  return is_once;
}

// Results that stay in the first cache, in bytes: no more than half of the smallest there are.
#define STREAMED_BYTES (16 << 10)
// Those of so many lines may come from the second cache each time: with fewer, results that stay in
// registers are faster on a Zen 4.
#define MANY_LINES 64
#define MOST_STREAMED_BYTES (1 << 20)

static bool keeps_results_near(int64_t bytes, int64_t lines) {
  return bytes <= STREAMED_BYTES || (lines >= MANY_LINES && bytes <= MOST_STREAMED_BYTES);
}

// Narrow floats are rounded wherever they leave the registers, so they stay there.
static void choose_streamed(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                            tune_nest_plan *plan) {
  int64_t bytes = 0, extent = nest->extent[plan->lane_loop];
  bool is_rounded = false;
  for (size_t o = nest->input_count; o < nest->operand_count; ++o) {
    MlirType element = nest->operands[o].element;
    bytes += extent * tune_nest_element_bits(element) / 8;
    is_rounded |= tune_ir_is_short_float(element);
  }
  if (wishes->vectors || is_rounded || !is_read_once(nest, plan) ||
      last_reduction(nest) == TUNE_NEST_NO_LOOP || extent <= plan->vectors * plan->lanes ||
      !keeps_results_near(bytes, nest->extent[last_reduction(nest)]))
    return;
  plan->is_streamed = true;
  plan->turned_loop = last_reduction(nest);
  plan->vectors = plan->vectors > 4 ? 4 : plan->vectors;
}

#define MOST_BLOCKED_ROWS 6
// So many sums are waited for at least.
#define LEAST_SUMS 8

// Rows and columns that are computed at once, where `each` result takes so many registers: four
// rows if these divide them, else up to six in blocks of about the same height; and up to four
// columns, as far as a vector of each and one of a row fit. False where that is too few.
static bool choose_columns(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                           int64_t each, tune_nest_plan *plan) {
  int64_t extent = known_extent(nest, plan->row_loop);
  int64_t blocks = (extent + MOST_BLOCKED_ROWS - 1) / MOST_BLOCKED_ROWS;
  plan->rows = extent % 4 == 0 ? 4 : (extent + blocks - 1) / blocks;
  if (wishes->rows)
    plan->rows = wishes->rows;
  if (plan->rows > extent && extent > 0)
    plan->rows = extent;
  plan->vectors = wishes->vectors ? wishes->vectors : 4;
  const int64_t most[] = {(wishes->registers - 1) / (each * (plan->rows + 1)),
                          known_extent(nest, plan->column_loop),
                          MOST_COPIES / ((int64_t)count_ops(nest) * plan->rows)};
  for (size_t i = 0; i < sizeof most / sizeof *most; ++i)
    plan->vectors = plan->vectors < most[i] ? plan->vectors : most[i];
  return plan->rows * plan->vectors >= LEAST_SUMS;
}

// How many vectors and rows are computed at once: as many as registers hold the results of.
static void choose_block(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                         tune_nest_plan *plan) {
  int64_t each = 0, budget = wishes->registers * 3 / 4;
  for (size_t o = nest->input_count; o < nest->operand_count; ++o) {
    int64_t registers =
        plan->lanes * tune_nest_element_bits(nest->operands[o].element) / wishes->bits;
    each += registers > 1 ? registers : 1;
  }
  if (plan->column_loop != TUNE_NEST_NO_LOOP && choose_columns(nest, wishes, each, plan))
    return;
  plan->column_loop = TUNE_NEST_NO_LOOP;
  int64_t most_rows = plan->row_loop == TUNE_NEST_NO_LOOP ? 1 : known_extent(nest, plan->row_loop);
  plan->rows = wishes->rows ? wishes->rows : reduces(nest) ? 4 : 1;
  if (plan->rows > most_rows)
    plan->rows = most_rows;
  int64_t vectors = budget / (each * plan->rows), most = is_read_once(nest, plan) ? 8 : 4;
  plan->vectors = wishes->vectors ? wishes->vectors
                  : plan->turned_loop != TUNE_NEST_NO_LOOP
                      ? (reduces(nest) && 2 * plan->lanes <= wishes->registers ? 2 : 1)
                      : power_of_two_at_most(vectors < 1      ? 1
                                             : vectors > most ? most
                                                              : vectors);
  while (plan->vectors > 1 && plan->vectors * plan->lanes > known_extent(nest, plan->lane_loop))
    plan->vectors /= 2;
  choose_streamed(nest, wishes, plan);
  int64_t copies =
      (int64_t)count_ops(nest) * (plan->turned_loop == TUNE_NEST_NO_LOOP ? 1 : plan->lanes);
  while (plan->vectors > 1 && copies * plan->vectors * plan->rows > MOST_COPIES)
    plan->vectors /= 2;
  while (plan->rows > 1 && copies * plan->vectors * plan->rows > MOST_COPIES)
    plan->rows /= 2;
}

// Lines after each other, and the lane loop in them.
static void order_streamed(const tune_nest_loops *nest, tune_nest_plan *plan) {
  for (int reduction = 0; reduction < 2; ++reduction)
    for (size_t loop = 0; loop < nest->loop_count; ++loop)
      if (nest->is_reduction[loop] == (reduction == 1) && loop != plan->lane_loop &&
          loop != plan->turned_loop)
        plan->parallel[plan->parallel_count++] = loop;
  plan->parallel[plan->parallel_count++] = plan->turned_loop;
  plan->parallel[plan->parallel_count++] = plan->lane_loop;
}

static void order_loops(const tune_nest_loops *nest, tune_nest_plan *plan) {
  size_t inside[TUNE_NEST_MAX_LOOPS], inside_count = 0, innermost = TUNE_NEST_NO_LOOP;
  for (size_t loop = 0; loop < nest->loop_count; ++loop) {
    bool is_last = loop == plan->turned_loop || loop == plan->lane_loop;
    if (nest->is_reduction[loop]) {
      if (is_last)
        innermost = loop;
      else
        plan->reduction[plan->reduction_count++] = loop;
    } else if (is_last || loop == plan->row_loop || loop == plan->column_loop) {
      continue;
    } else if (shares_weights(nest, plan->lane_loop, loop)) {
      inside[inside_count++] = loop;
    } else {
      plan->parallel[plan->parallel_count++] = loop;
    }
  }
  if (innermost != TUNE_NEST_NO_LOOP)
    plan->reduction[plan->reduction_count++] = innermost;
  if (!plan->is_along)
    plan->parallel[plan->parallel_count++] = plan->lane_loop;
  for (size_t i = 0; i < inside_count; ++i)
    plan->parallel[plan->parallel_count++] = inside[i];
  if (plan->column_loop != TUNE_NEST_NO_LOOP)
    plan->parallel[plan->parallel_count++] = plan->column_loop;
  if (plan->row_loop != TUNE_NEST_NO_LOOP)
    plan->parallel[plan->parallel_count++] = plan->row_loop;
  if (plan->turned_loop != TUNE_NEST_NO_LOOP && !nest->is_reduction[plan->turned_loop])
    plan->parallel[plan->parallel_count++] = plan->turned_loop;
}

bool tune_nest_plan_make(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                         tune_nest_plan *out_plan) {
  candidate candidates[64];
  size_t count = 0;
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    if (nest->extent[loop] != 1 &&
        (!nest->is_reduction[loop] || (nest->combines && may_be_innermost(nest, loop))))
      add_candidates(nest, loop, wishes->bits, candidates, &count,
                     sizeof candidates / sizeof *candidates);
  // The best of each loop, then the next: a loop that is asked for is another loop.
  size_t best = SIZE_MAX;
  bool is_taken[TUNE_NEST_MAX_LOOPS] = {false};
  for (int64_t choice = 0; choice <= wishes->choice; ++choice) {
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < count; ++i)
      if (!is_taken[candidates[i].plan.lane_loop] &&
          (next == SIZE_MAX || candidates[i].cost < candidates[next].cost))
        next = i;
    if (next == SIZE_MAX)
      break;
    best = next;
    is_taken[candidates[best].plan.lane_loop] = true;
  }
  if (best == SIZE_MAX || candidates[best].cost >= scalar_cost(nest))
    return false;
  *out_plan = candidates[best].plan;
  choose_sharing_loops(nest, out_plan);
  choose_block(nest, wishes, out_plan);
  if (out_plan->is_streamed)
    order_streamed(nest, out_plan);
  else
    order_loops(nest, out_plan);
  return true;
}
