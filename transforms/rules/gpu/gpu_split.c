//===- gpu_split.c - The depth of a product on devices, in parts -------------===//

#include "transforms/rules/gpu/gpu_split.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

enum {
  LEAST_DEPTH = 256, // of a part: less takes no longer than what is done with its sums
  MOST_PARTS = 64,
  COLUMNS = 4,     // of an invocation that adds up
  GROUP = 128,     // invocations of its group
  PARTS_ONCE = 16, // that are read before any is added up
};

tune_value_set tune_gpu_split_parts(const tune_contraction_plan *whole, int64_t step) {
  tune_value_set parts = {0};
  const tune_nest *anchor = whole->anchor;
  if (whole->has_window || whole->rest_count || anchor->loop_count != 3 ||
      anchor->operands[2].rank != 2 || !tune_nest_is_plain(anchor) || whole->cols % COLUMNS)
    return parts;
  for (int64_t count = 2; count <= MOST_PARTS; count *= 2)
    if (whole->depths % (count * step) == 0 && whole->depths / count >= LEAST_DEPTH)
      tune_value_set_add(&parts, count);
  return parts;
}

// The sum's loops are the part, the row and the column; those of what follows are a row and a
// column in an order of its own.
static void write_sums(const tune_contraction_split *split, tune_writer *w) {
  const tune_contraction_plan *whole = split->whole;
  bool has_epilogue = whole->epilogue;
  size_t row = has_epilogue ? whole->root_row : 1, col = has_epilogue ? whole->root_col : 2;
  tune_tiling tile = {{"0", "0", "0"}}, step = {{"%parts_once", "0", "0"}};
  size_t order[] = {0, 1, 2}, count = has_epilogue ? 2 : 3;
  char sizes[64];
  tile.size[row] = "1";
  tile.size[col] = "%columns";
  tune_writer_line(w, "%%columns = transform.param.constant %d : i64 -> " PARAM, COLUMNS);
  tune_writer_line(w,
                   "%%sum_root, %%sum_grid = transform.structured.tile_using_forall %s tile_sizes "
                   "%s : (" OP ", " PARAM ") -> (" OP ", " OP ")",
                   has_epilogue ? "%epilogue" : "%sum",
                   tune_writer_sizes(sizes, sizeof sizes, &tile, order, count));
  const char *grid = "%sum_grid", *sum = "%sum_root";
  if (has_epilogue) {
    tune_writer_fuse_into(w, "%sum_tile", "%sum", grid, "%sum_grid_1");
    grid = "%sum_grid_1";
    sum = "%sum_tile";
  }
  if (whole->init) {
    tune_writer_fuse_into(w, "%sum_start", "%whole_init", grid, "%sum_grid_2");
    grid = "%sum_grid_2";
  }
  tune_writer_begin_foreach(w, grid, "%sum_loop");
  int64_t across = whole->cols / COLUMNS, wide = across < GROUP ? across : GROUP;
  tune_writer_line(w, "%%group_x = transform.param.constant %" PRId64 " : i64 -> " PARAM, wide);
  tune_writer_line(w, "%%group_y = transform.param.constant %" PRId64 " : i64 -> " PARAM,
                   GROUP / wide);
  tune_gpu_write_groups("%sum_loop", 2, w);
  tune_writer_end_foreach(w);
  if (split->parts <= PARTS_ONCE)
    return;
  tune_writer_line(w, "%%parts_once = transform.param.constant %d : i64 -> " PARAM, PARTS_ONCE);
  tune_writer_tile(w, "%sum_step", "%sum_steps", sum, &step, order, 3, NULL);
}

void tune_gpu_write_split(const tune_contraction_split *split, tune_writer *w) {
  tune_gpu_write_product_nests(split->whole, "%whole", "%whole_init", w);
  tune_contraction_split_write_parts(split, w);
  write_sums(split, w);
}
