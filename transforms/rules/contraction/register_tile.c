//===- register_tile.c ------------------------------------------------------------------===//

#include "transforms/rules/contraction/register_tile.h"

static int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// Panels are transposed in blocks that divide them: those go that blocks as wide as the default can
// do, up to 16, do not divide.
static void widen_to_blocks(tune_contraction_plan *plan) {
  plan->block = 16;
  while (plan->nr_default % plan->block != 0)
    plan->block /= 2;
  tune_value_set wide = {0};
  for (size_t i = 0; i < plan->nr.count; i++)
    if (plan->nr.values[i] % plan->block == 0)
      tune_value_set_add(&wide, plan->nr.values[i]);
  plan->nr = wide;
}

// How many vectors `nr` columns are.
static int64_t vectors_of(const tune_contraction_plan *plan, int64_t nr) {
  return round_up(nr, plan->lanes) / plan->lanes;
}

// Of more than a vector and no whole pairs.
static bool is_odd_tile(const tune_contraction_plan *plan, int64_t nr) {
  int64_t lanes = plan->lanes;
  return nr > lanes && nr % (2 * lanes) != 0;
}

static int64_t rows_that_fit(const tune_contraction_plan *plan, const tune_machine *machine,
                             int64_t nr) {
  int64_t vectors = vectors_of(plan, nr);
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
void tune_contraction_widen_in_place(tune_contraction_plan *plan, const tune_machine *machine) {
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
  bool is_in_place =
      plan->rows < 2 * FEW_TILES || (is_wide ? !plan->transposed : is_small(plan, machine));
  bool is_kept =
      plan->has_window || plan->dynamic_rows || (is_in_place && (is_wide || !plan->can_pack_ahead));
  bool is_cheap = is_wide ? 13 * plan->cols >= 12 * pairs : 10 * plan->cols >= 9 * pairs;
  return !is_kept && is_cheap && plan->nr.count == 1 && plan->nr.values[0] == lanes;
}

// What a tile of `rows` by so many vectors takes, in half cycles a step of the depth: there are two
// multiply-adds and two loads a cycle, a sum is there after four, and a pass over B costs one more.
int64_t tune_contraction_cost_of_tile(int64_t rows, int64_t vectors) {
  enum { LATENCY = 8, PASS = 2 };
  int64_t products = rows * vectors, loads = rows + vectors;
  int64_t work = products > loads ? products : loads;
  return (work > LATENCY ? work : LATENCY) + PASS;
}

#define FEW_ROWS 4 // which wait for their sums, unless tiles have many of these

// Adds tiles of three vectors (on few registers and for few rows, of five), and with AVX-512 of 24,
// 40 or 56 columns of f32, where they divide the columns or pad no more than single vectors (or
// halves) do. They are computed in pieces (transforms/lower/cpu/vectors/odd_vectors.h): on cores
// that split the widest registers a half takes half the time, on others as long as what it would be
// padded to.
static void add_odd_tiles(tune_contraction_plan *plan, const tune_machine *machine) {
  enum { SPLIT_BITS = 512, LEAST_PIECE = 4 };
  int64_t lanes = plan->lanes, half = lanes / 2, cols = plan->cols;
  if (lanes < LEAST_PIECE)
    return;
  if (cols % (3 * lanes) == 0 ||
      (!plan->cols_divide && round_up(cols, 3 * lanes) == round_up(cols, lanes)))
    tune_value_set_add(&plan->nr, 3 * lanes);
  if (cols % (5 * lanes) == 0 && (plan->rows <= FEW_ROWS || machine->vector_registers <= 16))
    tune_value_set_add(&plan->nr, 5 * lanes);
  if (machine->vector_bits < SPLIT_BITS || cols % lanes == 0)
    return;
  for (int64_t tile = 3 * half; tile <= 7 * half; tile += lanes)
    if (cols % tile == 0 || (!plan->cols_divide && round_up(cols, half) == tile))
      tune_value_set_add(&plan->nr, tile);
}

// What all columns take by tiles of `nr`, in tenths of half a vector a row and step of the depth. A
// vector and a half is not fed as fast as it multiplies, and five vectors leave place for two rows.
static int64_t cost_of_columns(const tune_contraction_plan *plan, int64_t nr) {
  int64_t half = plan->lanes / 2, halves = round_up(nr, half) / half;
  return round_up(plan->cols, nr) / nr * (10 * halves + (halves == 3 ? 4 : halves == 10 ? 6 : 0));
}

// An odd tile by default, the widest of those that pad least: where it pads less, or on few
// registers in place of single vectors, with which as much is loaded as multiplied.
static void choose_odd_tile(tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t odd = 0, least = 0, lanes = plan->lanes;
  for (size_t i = 0; i < plan->nr.count; i++) {
    int64_t nr = plan->nr.values[i], cost = cost_of_columns(plan, nr);
    if (!is_odd_tile(plan, nr) || (odd && (cost > least || (cost == least && nr < odd))))
      continue;
    odd = nr;
    least = cost;
  }
  int64_t usual = cost_of_columns(plan, plan->nr_default);
  bool is_low = plan->nr_default < (machine->vector_registers <= 16 ? lanes + 1 : lanes);
  if (odd && (least < usual || (is_low && 10 * least <= 11 * usual)))
    plan->nr_default = odd;
}

// Tiles that divide the columns and tiles that do not are scheduled in two ways: there is the
// default's, and beside padding what divides may be there where a fill starts the sums, as there is
// nothing to copy then.
static void keep_tiles_of_one_kind(tune_contraction_plan *plan) {
  bool divides = plan->cols % plan->nr_default == 0;
  if (plan->cols_divide || (!divides && plan->starts_filled))
    return;
  tune_value_set kept = {0};
  for (size_t i = 0; i < plan->nr.count; i++)
    if ((plan->cols % plan->nr.values[i] == 0) == divides)
      tune_value_set_add(&kept, plan->nr.values[i]);
  plan->nr = kept;
  plan->cols_divide = divides;
}

// The tile with which few rows wait least for their sums.
static void choose_tile_of_few_rows(tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t least = 0;
  for (size_t i = 0; i < plan->nr.count; i++) {
    int64_t nr = plan->nr.values[i];
    int64_t cost = round_up(plan->cols, nr) / nr *
                   tune_contraction_cost_of_tile(plan->rows, vectors_of(plan, nr));
    if (rows_that_fit(plan, machine, nr) < plan->rows || (least && cost >= least))
      continue;
    least = cost;
    plan->nr_default = nr;
  }
}

void tune_contraction_choose_columns(tune_contraction_plan *plan, const tune_machine *machine) {
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
  // Blocks of eight columns that are transposed in each call, and of which some are of padding,
  // take longer than what odd tiles gain.
  bool is_turned_whole = !plan->transposed || plan->can_pack_ahead || plan->cols % 8 == 0;
  if (machine->kind == TUNE_KIND_CPU && !plan->dynamic_rows && plan->nr.count > 0 &&
      is_turned_whole) {
    add_odd_tiles(plan, machine);
    choose_odd_tile(plan, machine);
    if (plan->rows <= FEW_ROWS && machine->vector_registers <= 16 &&
        (!plan->transposed || plan->can_pack_ahead))
      choose_tile_of_few_rows(plan, machine);
  }
  if (plan->nr.count > 0)
    keep_tiles_of_one_kind(plan);
  if (plan->transposed)
    widen_to_blocks(plan);
}

int64_t tune_contraction_cost_of_rows(const tune_contraction_plan *plan, int64_t mr) {
  int64_t vectors = vectors_of(plan, plan->nr_default), rest = plan->rows % mr;
  return plan->rows / mr * tune_contraction_cost_of_tile(mr, vectors) +
         (rest ? tune_contraction_cost_of_tile(rest, vectors) : 0);
}

// Without windows what is left over is a kernel of its own, of as many rows as there are. With
// them, the tile that loses least to the edge, and among those the tallest.
static double score_of_rows(const tune_contraction_plan *plan, int64_t mr) {
  if (!plan->has_window)
    return 1.0 / (double)tune_contraction_cost_of_rows(plan, mr);
  double used = (double)plan->rows / (double)round_up(plan->rows, mr);
  return used * ((double)mr / (double)(mr + 1));
}

void tune_contraction_choose_rows(tune_contraction_plan *plan, const tune_machine *machine) {
  static const int64_t usual[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};
  bool folds = plan->anchor->loop_count > 3; // a single row would be folded away with its loop
  int64_t most = rows_that_fit(plan, machine, plan->lanes);
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (usual[i] <= plan->rows && usual[i] <= most && !(folds && usual[i] == 1))
      tune_value_set_add(&plan->mr, usual[i]);
  // Few rows in one tile.
  if (plan->rows > 8 && plan->rows < 14 && plan->rows <= most && plan->rows % 2 != 0)
    tune_value_set_add(&plan->mr, plan->rows);
  // Tiles that leave registers over. Those of one vector load nearly as often as they multiply, and
  // have a pass over B and the wait for its sums to make up for: they may be taller.
  bool is_single = plan->nr_default <= (int64_t)plan->lanes;
  int64_t limit = rows_that_fit(plan, machine, plan->nr_default);
  int64_t tall = is_single ? TUNE_CONTRACTION_TALL_SINGLE : 8;
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

void tune_contraction_choose_depth(tune_contraction_plan *plan, const tune_machine *machine) {
  bool may_fold = plan->strided_rows; // unit dimensions are folded after the depth was tiled
  for (int64_t kr = may_fold ? 2 : 1; kr <= 8; kr++)
    if (plan->depths % kr == 0 && (kr <= 4 || kr == 8))
      tune_value_set_add(&plan->kr, kr);
  if (!plan->kr.count)
    tune_value_set_add(&plan->kr, plan->depths < 16 ? plan->depths : 1);
  // Where sums go through several steps in one, LLVM needs some registers more: odd tiles leave
  // none, nor do tall ones of single vectors on CPUs of few.
  int64_t vectors = vectors_of(plan, plan->nr_default);
  bool is_full = plan->mr_default * vectors > 10 && vectors != 2;
  bool is_tight = machine->vector_registers <= 16 ? is_full : is_odd_tile(plan, plan->nr_default);
  plan->kr_default = tune_value_set_at_most(&plan->kr, is_tight ? 1 : 4);
  if (!plan->rest_count && !plan->dynamic_rows)
    tune_value_set_add_divisors(&plan->kc, plan->depths, 128, plan->depths - 1, 64);
  plan->kc_default = plan->kc.count ? tune_value_set_at_most(&plan->kc, 512) : 0;
}

// However many rows there are: tiles that make good use of a panel, and of the threads.
void tune_contraction_choose_dynamic_rows(tune_contraction_plan *plan,
                                          const tune_machine *machine) {
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
