//===- contraction_plan.c -----------------------------------------------------===//

#include "transforms/rules/contraction/contraction_plan.h"

//===--------------------------------------------------------------------------===//
// The ops
//===--------------------------------------------------------------------------===//

static bool is_parallel(const tune_nest *nest) {
  return nest->kind == TUNE_NEST_GENERIC && nest->reduction_count == 0;
}

static bool uses_result_of(const tune_nest *nest, size_t producer) {
  for (size_t o = 0; o < nest->operand_count; o++)
    if (nest->operands[o].producer == producer)
      return true;
  return false;
}

// Finds the anchor, what fills its accumulator, and what follows. Pads may stand before.
static bool find_ops(tune_contraction_plan *plan) {
  const tune_structure *structure = plan->structure;
  size_t anchor = TUNE_NO_LOOP;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->reduction_count == 0)
      continue;
    if (anchor != TUNE_NO_LOOP || !nest->multiplies_and_adds || nest->kind != TUNE_NEST_GENERIC)
      return false;
    anchor = n;
  }
  if (anchor == TUNE_NO_LOOP)
    return false;
  plan->anchor = &structure->nests[anchor];
  size_t init = plan->anchor->operands[2].producer;
  // What a layout has filled up with zeroes is there when the product begins.
  if (init != TUNE_NO_LOOP && structure->nests[init].kind != TUNE_NEST_PAD) {
    plan->init = &structure->nests[init];
    plan->starts_filled = plan->init->kind == TUNE_NEST_FILL;
    if (plan->init->use_count != 1 || (!plan->starts_filled && !is_parallel(plan->init)))
      return false;
  }
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (n == anchor || n == init || nest->kind == TUNE_NEST_PAD)
      continue;
    if (!is_parallel(nest))
      return false;
    if (!uses_result_of(nest, anchor)) {
      plan->other_count++;
      continue;
    }
    if (plan->epilogue)
      return false;
    plan->epilogue = nest;
  }
  // What depends on the epilogue would be a root of its own.
  if (plan->epilogue && plan->epilogue->use_count)
    return false;
  // Tiles of what is returned beside the end of the chain would be of use to that end alone.
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].is_returned && &structure->nests[n] != plan->anchor &&
        &structure->nests[n] != plan->epilogue)
      return false;
  if (plan->epilogue)
    return plan->anchor->use_count == 1 && !plan->anchor->is_returned;
  return plan->anchor->use_count == 0;
}

//===--------------------------------------------------------------------------===//
// The loops
//===--------------------------------------------------------------------------===//

static bool uses(const tune_operand *operand, size_t loop) {
  return tune_operand_coefficient(operand, loop) != 0;
}

// Nor backwards, as filters are read that are turned round.
static bool runs_along(const tune_operand *operand, size_t loop) {
  return tune_operand_coefficient(operand, loop) > 0;
}

static bool has_window(const tune_operand *operand) { return !tune_operand_is_projection(operand); }

// The innermost dimension of the output that indexes only A, not B.
static size_t find_row(const tune_contraction_plan *plan) {
  const tune_nest *nest = plan->anchor;
  const tune_operand *out = &nest->operands[2];
  for (size_t i = out->rank; i-- > 0;)
    for (size_t loop = 0; loop < nest->loop_count; loop++)
      if (tune_operand_is_loop(out, i, loop) && loop != plan->col &&
          runs_along(&nest->operands[plan->a], loop) && !uses(&nest->operands[plan->b], loop) &&
          nest->extent[loop] != 1)
        return loop;
  return TUNE_NO_LOOP;
}

// A reduction that indexes both operands alone, contiguous in one of them if there is such.
static size_t find_depth(const tune_contraction_plan *plan) {
  const tune_nest *nest = plan->anchor;
  const tune_operand *a = &nest->operands[plan->a], *b = &nest->operands[plan->b];
  size_t best = TUNE_NO_LOOP;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (!nest->is_reduction[loop] || tune_operand_find_loop(a, loop) == SIZE_MAX ||
        tune_operand_find_loop(b, loop) == SIZE_MAX || nest->extent[loop] == 1)
      continue;
    bool contiguous =
        tune_operand_is_loop(a, a->rank - 1, loop) || tune_operand_is_loop(b, b->rank - 1, loop);
    if (best == TUNE_NO_LOOP || contiguous || nest->extent[loop] > nest->extent[best])
      best = loop;
    if (contiguous)
      break;
  }
  return best;
}

static bool find_loops(tune_contraction_plan *plan, bool is_gpu) {
  const tune_nest *nest = plan->anchor;
  const tune_operand *out = &nest->operands[2];
  if (out->rank < 2 || !tune_operand_is_projection(out))
    return false;
  plan->col = tune_operand_contiguous_loop(nest, out);
  if (plan->col == TUNE_NO_LOOP)
    return false;
  bool in_first = uses(&nest->operands[0], plan->col),
       in_second = uses(&nest->operands[1], plan->col);
  if (in_first == in_second)
    return false;
  plan->b = in_first ? 0 : 1;
  plan->a = 1 - plan->b;
  const tune_operand *a = &nest->operands[plan->a], *b = &nest->operands[plan->b];
  plan->row = find_row(plan);
  plan->depth = find_depth(plan);
  if (plan->row == TUNE_NO_LOOP || plan->depth == TUNE_NO_LOOP)
    return false;
  plan->has_window = has_window(a) || has_window(b);
  plan->transposed = tune_operand_contiguous_loop(nest, b) != plan->col;
  if (plan->has_window && plan->transposed && !is_gpu)
    return false; // no panels are made of windows
  plan->strided_rows = tune_operand_coefficient(a, plan->row) != 1;
  plan->rows = nest->extent[plan->row];
  plan->cols = nest->extent[plan->col];
  plan->depths = nest->extent[plan->depth];
  plan->dynamic_rows = plan->rows == TUNE_DYNAMIC_EXTENT;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (nest->extent[loop] == TUNE_DYNAMIC_EXTENT && loop != plan->row)
      return false;
    if (nest->is_reduction[loop] && loop != plan->depth)
      plan->rest[plan->rest_count++] = loop;
  }
  return true;
}

// Where the anchor's rows and columns are among the loops of the epilogue.
static bool find_root_loops(tune_contraction_plan *plan) {
  const tune_nest *anchor = plan->anchor, *epilogue = plan->epilogue;
  plan->root_row = plan->row;
  plan->root_col = plan->col;
  plan->root_loop_count = anchor->loop_count;
  if (!epilogue)
    return true;
  plan->root_row = plan->root_col = TUNE_NO_LOOP;
  plan->root_loop_count = epilogue->loop_count;
  size_t uses_of_anchor = 0;
  for (size_t o = 0; o < epilogue->input_count; o++) {
    const tune_operand *operand = &epilogue->operands[o];
    if (operand->producer != (size_t)(anchor - plan->structure->nests))
      continue;
    uses_of_anchor++;
    if (!tune_operand_is_projection(operand) || operand->rank != epilogue->loop_count)
      return false;
    for (size_t i = 0; i < operand->rank; i++)
      for (size_t loop = 0; loop < epilogue->loop_count; loop++) {
        if (!tune_operand_is_loop(operand, i, loop))
          continue;
        if (tune_operand_is_loop(&anchor->operands[2], i, plan->row))
          plan->root_row = loop;
        if (tune_operand_is_loop(&anchor->operands[2], i, plan->col))
          plan->root_col = loop;
      }
  }
  return uses_of_anchor == 1 && plan->root_row != TUNE_NO_LOOP && plan->root_col != TUNE_NO_LOOP;
}

//===--------------------------------------------------------------------------===//
// The domains
//===--------------------------------------------------------------------------===//

static int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// Panels are transposed in blocks that may not be wider than a panel: narrow panels go, so that the
// blocks of the others are as wide as registers can do.
static void widen_to_blocks(tune_contraction_plan *plan) {
  plan->block = plan->nr_default < 16 ? plan->nr_default : 16;
  tune_value_set wide = {0};
  for (size_t i = 0; i < plan->nr.count; i++)
    if (plan->nr.values[i] >= plan->block)
      tune_value_set_add(&wide, plan->nr.values[i]);
  plan->nr = wide;
}

static int64_t rows_that_fit(const tune_contraction_plan *plan, const tune_machine *machine,
                             int64_t nr) {
  int64_t vectors = round_up(nr, plan->lanes) / plan->lanes;
  return ((int64_t)machine->vector_registers - vectors - 1) / vectors;
}

#define FEW_TILES 16 // rows that are two or three tiles of registers

int64_t tune_contraction_bits_of_b(const tune_contraction_plan *plan) {
  const tune_nest *anchor = plan->anchor;
  return tune_operand_register_bits(&anchor->operands[anchor->widens ? 2 : plan->b]);
}

int64_t tune_contraction_bytes_of_b(const tune_contraction_plan *plan, int64_t columns) {
  return columns * plan->depths * tune_contraction_bits_of_b(plan) / 8;
}

// B stays in the nearest caches by itself.
static bool is_small(const tune_contraction_plan *plan, const tune_machine *machine) {
  return tune_contraction_bytes_of_b(plan, plan->cols) <= 2 * machine->l1_bytes;
}

static bool can_stay_in_place(const tune_contraction_plan *plan) {
  return !plan->transposed && (plan->has_window || plan->cols_divide);
}

bool tune_contraction_has_long_pieces(const tune_contraction_plan *plan,
                                      const tune_machine *machine) {
  enum { LONG_PIECE = 256 };
  int64_t widest = 4 * (int64_t)plan->lanes;
  return rows_that_fit(plan, machine, widest) >= 4 &&
         widest * plan->anchor->operands[plan->b].bits / 8 >= LONG_PIECE;
}

// Up to how many rows a copy of B does not pay for itself: more where the rows of B are read in
// long pieces, and on few registers, whose tiles read short ones, where B stays in the second cache
// by itself. (Of 128 x 512, 64 rows are by a tenth faster in place, of 512 x 512, 32 rows; of 1024
// x 1024, 16 rows are as fast with a copy and 32 by a fifth faster.) Nor where B is more than twice
// that cache: of 4608 x 512, 49 rows take 1.7 times as long in place with AVX-512 as with a copy.
static int64_t rows_in_place(const tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t bytes = tune_contraction_bytes_of_b(plan, plan->cols);
  if (bytes > 2 * machine->l2_bytes)
    return FEW_TILES;
  if (tune_contraction_has_long_pieces(plan, machine))
    return 8 * FEW_TILES;
  if (machine->vector_registers > 16)
    return FEW_TILES;
  return bytes > machine->l2_bytes / 2 ? 2 * FEW_TILES : 4 * FEW_TILES;
}

bool tune_contraction_reads_in_place(const tune_contraction_plan *plan,
                                     const tune_machine *machine) {
  int64_t rows = plan->rows * (plan->lc_default ? plan->lc_default : 1);
  bool few = !plan->dynamic_rows && rows <= rows_in_place(plan, machine);
  return can_stay_in_place(plan) && (plan->has_window || few || is_small(plan, machine));
}

// In place, long pieces of B's rows are what the hardware's prefetchers see.
static void widen_in_place(tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t widest = 4 * (int64_t)plan->lanes;
  if (!plan->has_window && tune_contraction_reads_in_place(plan, machine) &&
      !is_small(plan, machine) && rows_that_fit(plan, machine, widest) >= 4)
    plan->nr_default = tune_value_set_at_most(&plan->nr, widest);
}

// Of the register tile by default, in vectors. An element of A that is widened on the way is to
// serve more than two products. So do few channels in vectors of pixels: a sum is there after four
// cycles, and a core does two a cycle.
static int64_t default_vectors(const tune_contraction_plan *plan, const tune_machine *machine) {
  const tune_operand *a = &plan->anchor->operands[plan->a];
  bool is_widened = tune_operand_register_bits(a) > a->bits;
  bool is_low = plan->has_window && plan->rows > 0 && plan->rows < 4;
  return (is_widened || is_low) && machine->vector_registers >= 32 ? 4 : 2;
}

// Whether columns that only single vectors divide are better padded to pairs of them: a tile of one
// vector loads as often as it multiplies. Few columns, and those read where they lie, stay as they
// are. Tiles of many registers are so tall that it matters less: then it is to cost less, too, and
// nothing to have B in panels, which is turned for them anyway. (With AVX-512, 49x368x368 takes
// 0.93 of the time, 784x240x40 0.97, and 196x144x152, of which a tenth would be padding, the same.)
static bool pads_to_pairs(const tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t lanes = plan->lanes, pairs = round_up(plan->cols, 2 * lanes);
  bool is_wide = machine->vector_registers > 16;
  bool is_kept = plan->has_window || plan->dynamic_rows || plan->rows < 2 * FEW_TILES ||
                 (is_wide ? !plan->transposed : is_small(plan, machine));
  bool is_cheap = is_wide ? 13 * plan->cols >= 12 * pairs : 10 * plan->cols >= 9 * pairs;
  return !is_kept && is_cheap && plan->nr.count == 1 && plan->nr.values[0] == lanes;
}

static void choose_columns(tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t lanes = plan->lanes, most = default_vectors(plan, machine);
  for (int64_t vectors = 1; vectors <= 4; vectors *= 2)
    if (plan->cols % (vectors * lanes) == 0)
      tune_value_set_add(&plan->nr, vectors * lanes);
  // Part of a register for narrow windows, which cannot be padded: on cores that split the widest
  // registers, halves are as fast as the whole.
  for (int64_t part = lanes / 2; plan->nr.count == 0 && part >= 4; part /= 2)
    if (plan->has_window && plan->cols % part == 0)
      tune_value_set_add(&plan->nr, part);
  plan->cols_divide = plan->nr.count > 0 && !pads_to_pairs(plan, machine);
  if (!plan->cols_divide && lanes >= 16 && plan->cols % (lanes / 2) == 0)
    tune_value_set_add(&plan->nr, lanes / 2);
  if (!plan->cols_divide)
    // The last panel is padded with zeroes up to a whole tile.
    for (int64_t vectors = 1; vectors <= 4; vectors *= 2)
      if (vectors == 1 || vectors * lanes <= round_up(plan->cols, lanes))
        tune_value_set_add(&plan->nr, vectors * lanes);
  plan->nr_default = tune_value_set_at_most(&plan->nr, most * lanes);
  // Fewer vectors to pad, where that is much of all columns.
  if (!plan->cols_divide &&
      10 * round_up(plan->cols, lanes) <= 9 * round_up(plan->cols, plan->nr_default))
    plan->nr_default = tune_value_set_at_most(&plan->nr, lanes);
  if (plan->transposed)
    widen_to_blocks(plan);
}

// What a tile of `rows` by so many vectors takes, in half cycles a step of the depth: there are two
// multiply-adds and two loads a cycle, a sum is there after four, and a pass over B costs one more.
static int64_t cost_of_tile(int64_t rows, int64_t vectors) {
  enum { LATENCY = 8, PASS = 2 };
  int64_t products = rows * vectors, loads = rows + vectors;
  int64_t work = products > loads ? products : loads;
  return (work > LATENCY ? work : LATENCY) + PASS;
}

static int64_t cost_of_rows(const tune_contraction_plan *plan, int64_t mr) {
  int64_t vectors = round_up(plan->nr_default, plan->lanes) / plan->lanes, rest = plan->rows % mr;
  return plan->rows / mr * cost_of_tile(mr, vectors) + (rest ? cost_of_tile(rest, vectors) : 0);
}

// Without windows what is left over is a kernel of its own, of as many rows as there are. With
// them, the tile that loses least to the edge, and among those the tallest.
static double score_of_rows(const tune_contraction_plan *plan, int64_t mr) {
  if (!plan->has_window)
    return 1.0 / (double)cost_of_rows(plan, mr);
  double used = (double)plan->rows / (double)round_up(plan->rows, mr);
  return used * ((double)mr / (double)(mr + 1));
}

#define TALL_SINGLE 12 // rows of a register tile of one vector, at most by default

static void choose_rows(tune_contraction_plan *plan, const tune_machine *machine) {
  static const int64_t usual[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};
  bool folds = plan->anchor->loop_count > 3; // a single row would be folded away with its loop
  int64_t most = rows_that_fit(plan, machine, plan->lanes);
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (usual[i] <= plan->rows && usual[i] <= most && !(folds && usual[i] == 1))
      tune_value_set_add(&plan->mr, usual[i]);
  // Tiles that leave registers over. Those of one vector load nearly as often as they multiply, and
  // have a pass over B and the wait for its sums to make up for: they may be taller.
  bool is_single = plan->nr_default <= (int64_t)plan->lanes;
  int64_t limit = rows_that_fit(plan, machine, plan->nr_default);
  int64_t tall = is_single ? TALL_SINGLE : 8;
  if (limit > tall)
    limit = tall;
  double best = -1;
  plan->mr_default = plan->mr.values[0];
  for (size_t i = 0; i < plan->mr.count; i++) {
    int64_t mr = plan->mr.values[i];
    if (mr > limit)
      break;
    double score = score_of_rows(plan, mr);
    if (score >= best) {
      best = score;
      plan->mr_default = mr;
    }
  }
  plan->rows_divide = true;
  for (size_t i = 0; i < plan->mr.count; i++)
    plan->rows_divide &= plan->rows % plan->mr.values[i] == 0;
}

static void choose_depth(tune_contraction_plan *plan) {
  bool may_fold = plan->strided_rows; // unit dimensions are folded after the depth was tiled
  for (int64_t kr = may_fold ? 2 : 1; kr <= 8; kr++)
    if (plan->depths % kr == 0 && (kr <= 4 || kr == 8))
      tune_value_set_add(&plan->kr, kr);
  if (!plan->kr.count)
    tune_value_set_add(&plan->kr, plan->depths < 16 ? plan->depths : 1);
  plan->kr_default = tune_value_set_at_most(&plan->kr, 4);
  if (!plan->rest_count && !plan->dynamic_rows)
    tune_value_set_add_divisors(&plan->kc, plan->depths, 128, plan->depths - 1, 64);
  plan->kc_default = plan->kc.count ? tune_value_set_at_most(&plan->kc, 512) : 0;
}

// However many rows there are: tiles that make good use of a panel, and of the threads.
static void choose_dynamic_rows(tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t most = rows_that_fit(plan, machine, plan->lanes);
  int64_t limit = rows_that_fit(plan, machine, plan->nr_default);
  // Upstream cannot peel a loop of steps of one.
  for (int64_t mr = 2; mr <= 8 && mr <= most; mr *= 2)
    tune_value_set_add(&plan->mr, mr);
  if (plan->mr.count == 0)
    return;
  plan->mr_default = tune_value_set_at_most(&plan->mr, limit);
  for (int64_t mc = 32; mc <= 2048; mc *= 4)
    tune_value_set_add(&plan->mc, mc);
  plan->mc_default = machine->threads > 1 ? 128 : 512;
}

// Panels of so many columns are still in the second cache when they are read.
static int64_t columns_in_cache(const tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t room = machine->l2_bytes * 5 / 8;
  return tune_value_set_at_most(&plan->nc, room / (tune_contraction_bytes_of_b(plan, 1) + 1));
}

// The tallest register tile that divides a tile of `mc` rows, up to the default's, or of a single
// vector up to what that may be; 0 where none does.
static int64_t rows_within(const tune_contraction_plan *plan, int64_t mc) {
  bool is_single = plan->nr_default <= (int64_t)plan->lanes;
  int64_t found = 0, most = is_single ? TALL_SINGLE : plan->mr_default;
  for (size_t i = 0; i < plan->mr.count; i++)
    if (plan->mr.values[i] <= most && mc % plan->mr.values[i] == 0)
      found = plan->mr.values[i];
  return found;
}

// What there is to choose from where threads have parts: tiles of rows and columns as threads share
// them evenly, or nearly, which register tiles divide.
static void add_shares(tune_contraction_plan *plan, int64_t threads) {
  enum { LEAST_ROWS = 32 }; // that read the same of B
  int64_t widest = plan->nr.values[plan->nr.count - 1], most = 4 * threads;
  for (int64_t parts = 2; parts <= most && plan->rows / parts >= LEAST_ROWS; parts++)
    if (plan->rows % parts == 0 && 2 * rows_within(plan, plan->rows / parts) >= plan->mr_default)
      tune_value_set_add(&plan->mc, plan->rows / parts);
  if (plan->cols_divide) {
    int64_t step = plan->transposed ? widest : plan->nr_default;
    for (int64_t parts = 2; parts <= most; parts++)
      if (plan->cols % (parts * step) == 0)
        tune_value_set_add(&plan->nc, plan->cols / parts);
    return;
  }
  // Columns that nothing divides go in tiles of which the last is smaller, and padded as it is.
  for (int64_t tiles = threads; tiles <= most; tiles *= 2) {
    int64_t nc = round_up((plan->cols + tiles - 1) / tiles, widest);
    if (nc >= 2 * widest && nc < plan->cols)
      tune_value_set_add(&plan->nc, nc);
  }
}

// What is the same of all tiles that threads may have.
typedef struct shares {
  int64_t threads;
  int64_t
      outer; // steps of the loops outside of rows and columns, which threads have parts of anyway
  int64_t copy; // what a tile's own copy of its columns of B costs, as cost_of_tile counts
} shares;

// What the thread with the most tiles has to do, in half cycles a step of the depth.
static double cost_of_shares(const tune_contraction_plan *plan, const shares *all, int64_t mc,
                             int64_t nc) {
  int64_t vectors = round_up(plan->nr_default, plan->lanes) / plan->lanes;
  int64_t tiles = all->outer * ((plan->rows + mc - 1) / mc) * ((plan->cols + nc - 1) / nc);
  int64_t rounds = (tiles + all->threads - 1) / all->threads;
  int64_t mr = mc == plan->rows ? plan->mr_default : rows_within(plan, mc);
  int64_t cost = mc == plan->rows ? cost_of_rows(plan, mr) : mc / mr * cost_of_tile(mr, vectors);
  return (double)rounds * (double)(cost + all->copy) * (double)nc;
}

// Tiles of which the busiest thread has least to do, and among those that are alike the largest:
// of all rows first, as what columns have of B no other tile has.
static void share_out(tune_contraction_plan *plan, const tune_machine *machine) {
  const size_t within[] = {plan->row, plan->col};
  const shares all = {.threads = machine->threads,
                      .outer = tune_nest_parallel_steps(plan->anchor, within, 2),
                      .copy = tune_contraction_reads_in_place(plan, machine) ? 0 : 8};
  // Lines under a window stay whole where there are enough: borders are skipped by whole lines.
  bool has_lines = plan->has_window && all.outer >= all.threads;
  int64_t most = plan->nc_default;
  double best = 0;
  for (size_t m = plan->mc.count; m-- > 0;)
    for (size_t n = plan->nc.count; n-- > 0;) {
      int64_t mc = plan->mc.values[m], nc = plan->nc.values[n];
      if (nc > most || (mc != plan->rows && (has_lines || !rows_within(plan, mc))))
        continue;
      double cost = cost_of_shares(plan, &all, mc, nc);
      if (best > 0 && cost >= 0.97 * best)
        continue;
      best = cost;
      plan->mc_default = mc;
      plan->nc_default = nc;
    }
  if (plan->mc_default != plan->rows)
    plan->mr_default = rows_within(plan, plan->mc_default);
}

static void choose_outer(tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t widest = plan->nr.values[plan->nr.count - 1];
  tune_value_set_add(&plan->nc, plan->cols);
  if (plan->dynamic_rows) {
    tune_value_set_add_divisors(&plan->nc, plan->cols, 2 * widest, plan->cols / 2, widest);
    plan->nc_default = plan->cols;
    if (!tune_contraction_reads_in_place(plan, machine))
      plan->nc_default = columns_in_cache(plan, machine);
    return;
  }
  tune_value_set_add(&plan->mc, plan->rows);
  if (plan->rows_divide || plan->rows % 8 == 0)
    tune_value_set_add_divisors(&plan->mc, plan->rows, 32, plan->rows / 2, 32);
  if (plan->cols_divide)
    tune_value_set_add_divisors(&plan->nc, plan->cols, 2 * widest, plan->cols / 2, widest);
  plan->mc_default = plan->rows;
  plan->nc_default = plan->cols;
  if (!tune_contraction_reads_in_place(plan, machine))
    plan->nc_default = columns_in_cache(plan, machine);
  if (machine->threads <= 1)
    return;
  add_shares(plan, machine->threads);
  share_out(plan, machine);
}

bool tune_contraction_plan_make(const tune_structure *structure, const tune_machine *machine,
                                tune_contraction_plan *out_plan) {
  *out_plan = (tune_contraction_plan){.structure = structure};
  if (!structure->is_regular || !find_ops(out_plan) ||
      !find_loops(out_plan, machine->kind != TUNE_KIND_CPU) || !find_root_loops(out_plan))
    return false;
  // Rows known at run time only: of a plain product, where nothing changes the places of its loops.
  const tune_operand *out = &out_plan->anchor->operands[2];
  if (structure->is_dynamic &&
      !(out_plan->dynamic_rows && out_plan->anchor->loop_count == 3 && out_plan->other_count == 0 &&
        !out_plan->has_window && !out_plan->strided_rows &&
        tune_operand_is_loop(out, 0, out_plan->row) &&
        (!out_plan->epilogue || (out_plan->root_row == 0 && out_plan->root_loop_count == 2))))
    return false;
  out_plan->l2_bytes = machine->l2_bytes;
  out_plan->has_threads = machine->threads > 1;
  out_plan->lanes =
      machine->vector_bits / tune_operand_register_bits(&out_plan->anchor->operands[2]);
  if (out_plan->lanes < 2)
    return false;
  choose_columns(out_plan, machine);
  if ((out_plan->has_window || out_plan->dynamic_rows) && !out_plan->cols_divide)
    return false;
  widen_in_place(out_plan, machine);
  if (out_plan->dynamic_rows)
    choose_dynamic_rows(out_plan, machine);
  else
    choose_rows(out_plan, machine);
  if (out_plan->mr.count == 0)
    return false;
  choose_depth(out_plan);
  choose_outer(out_plan, machine);
  out_plan->can_pack_ahead = out_plan->anchor->operands[out_plan->b].is_constant &&
                             !out_plan->has_window && !out_plan->dynamic_rows;
  return true;
}

double tune_contraction_part_filled(int64_t extent, int64_t lanes) {
  int64_t whole = (extent + lanes - 1) / lanes * lanes;
  return extent > 0 ? (double)extent / (double)whole : 1;
}
