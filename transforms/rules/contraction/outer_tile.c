//===- outer_tile.c ---------------------------------------------------------------------===//

#include "transforms/rules/contraction/outer_tile.h"

#include "transforms/rules/contraction/register_tile.h"

static int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// Whether tiles of `nc` columns are of whole register tiles, by default. All columns are.
static bool is_of_whole_tiles(const tune_contraction_plan *plan, int64_t nc) {
  return !plan->cols_divide || nc % plan->nr_default == 0;
}

// The widest register tile of which others, and the default's, are a half or a quarter and so on.
static int64_t widest_tile(const tune_contraction_plan *plan) {
  int64_t widest = plan->nr_default;
  for (size_t i = 0; i < plan->nr.count; i++)
    for (int64_t nr = 2 * plan->nr_default; nr <= plan->nr.values[i]; nr *= 2)
      if (nr == plan->nr.values[i] && nr > widest)
        widest = nr;
  return widest;
}

// Panels of so many columns are still in the second cache when they are read.
static int64_t columns_in_cache(const tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t room = machine->l2_bytes * 5 / 8,
          most = room / (tune_contraction_bytes_of_b(plan, 1) + 1);
  tune_value_set whole = {0};
  for (size_t i = 0; i < plan->nc.count; i++)
    if (is_of_whole_tiles(plan, plan->nc.values[i]))
      tune_value_set_add(&whole, plan->nc.values[i]);
  return tune_value_set_at_most(&whole, most);
}

// The tallest register tile that divides a tile of `mc` rows, up to the default's, or of a single
// vector up to what that may be; 0 where none does. Single rows are only for what has no others.
static int64_t rows_within(const tune_contraction_plan *plan, int64_t mc) {
  bool is_single = plan->nr_default <= (int64_t)plan->lanes;
  int64_t found = 0, most = is_single ? TUNE_CONTRACTION_TALL_SINGLE : plan->mr_default;
  int64_t least = plan->mr_default > 1 ? 2 : 1;
  for (size_t i = 0; i < plan->mr.count; i++)
    if (plan->mr.values[i] >= least && plan->mr.values[i] <= most && mc % plan->mr.values[i] == 0)
      found = plan->mr.values[i];
  return found;
}

// What there is to choose from where threads have parts: tiles of rows and columns as threads share
// them evenly, or nearly, which register tiles divide.
static void add_shares(tune_contraction_plan *plan, int64_t threads) {
  enum { LEAST_ROWS = 32 }; // that read the same of B
  int64_t widest = widest_tile(plan), most = 4 * threads;
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
  int64_t cost = mc == plan->rows ? tune_contraction_cost_of_rows(plan, mr)
                                  : mc / mr * tune_contraction_cost_of_tile(mr, vectors);
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
      if (nc > most || !is_of_whole_tiles(plan, nc) ||
          (mc != plan->rows && (has_lines || !rows_within(plan, mc))))
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

void tune_contraction_choose_outer(tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t widest = widest_tile(plan);
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
