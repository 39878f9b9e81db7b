//===- gpu_tiles_clusters.c - Groups of sm_90 that share their tiles ---------===//

#include "transforms/rules/gpu/gpu_tiles_clusters.h"

#include "transforms/rules/gpu/gpu_writer.h"

#include <inttypes.h>

enum {
  MOST_SIDE = 4,
  MOST_GROUPS = 8, // of a cluster, on every device that has them
  PATTERN = 8,     // lines that a swizzled part of a tile has at the least
};

static int64_t count_tiles(int64_t extent, int64_t size) { return (extent + size - 1) / size; }

// Rows and columns of tiles are the last two dimensions of the grid, in this order.
static bool are_last(const tune_gpu_tiles_plan *p) {
  const tune_nest *root = p->fused ? p->fused : p->loops.anchor;
  size_t row = p->fused ? p->loops.root_row : p->loops.row,
         col = p->fused ? p->loops.root_col : p->loops.col;
  size_t last = TUNE_MAX_LOOPS, before = TUNE_MAX_LOOPS;
  for (size_t i = 0; i < root->loop_count; i++)
    if (!root->is_reduction[i]) {
      before = last;
      last = i;
    }
  return before == row && last == col;
}

// Whether the grid has an axis for each of them.
static bool has_axes(const tune_gpu_tiles_plan *p, const tune_machine *machine) {
  const tune_nest *anchor = p->loops.anchor;
  int64_t down = count_tiles(p->loops.rows, p->rows.values[0]),
          across = count_tiles(p->loops.cols, p->cols.values[0]);
  for (size_t i = 0; i < anchor->loop_count; i++)
    if (!anchor->is_reduction[i] && i != p->loops.row && i != p->loops.col)
      down *= anchor->extent[i];
  return down <= machine->gpu.group_count[2] && across <= machine->gpu.group_count[1] &&
         down <= machine->gpu.group_count[1];
}

// Powers of two of which some tiles have whole ones.
static tune_value_set choose_sides(int64_t extent, const tune_value_set *sizes) {
  tune_value_set sides = {0};
  for (int64_t side = 1; side <= MOST_SIDE; side *= 2)
    for (size_t i = 0; i < sizes->count; i++)
      if (count_tiles(extent, sizes->values[i]) % side == 0) {
        tune_value_set_add(&sides, side);
        break;
      }
  return sides;
}

void tune_gpu_tiles_choose_clusters(tune_gpu_tiles_plan *p, const tune_machine *machine) {
  if (!p->has_bulk_copies || !are_last(p) || !has_axes(p, machine))
    return;
  p->clusters_y = choose_sides(p->loops.rows, &p->rows);
  p->clusters_x = choose_sides(p->loops.cols, &p->cols);
  if (p->clusters_y.count * p->clusters_x.count == 1)
    p->clusters_y.count = p->clusters_x.count = 0;
}

// Clusters of `%cluster` tiles, of the size `%size`, divide those of a line of `extent`.
static void write_division(tune_writer *w, const char *what, const char *size, const char *cluster,
                           int64_t extent) {
  tune_writer_constraint(w, what, "(%" PRId64 " / %s + 1) %% %s <= 0", extent - 1, size, cluster);
}

// Each of `%cluster` groups copies a part of `%lines`.
static void write_parts(tune_writer *w, const char *what, const char *lines_of,
                        const char *cluster) {
  tune_writer_constraint(w, what, "%s * %d <= %s", cluster, PATTERN, lines_of);
}

static void write_size(tune_writer *w) {
  tune_writer_constraint(w,
                         "a cluster has no more groups than all devices allow, which share bulk "
                         "copies",
                         "cluster_y * cluster_x <= bulk_copies * %d + 1", MOST_GROUPS - 1);
}

static void write_bands(tune_writer *w) {
  tune_writer_constraint(w, "bands of several rows are of whole clusters",
                         "band > 1 => band %% cluster_y <= 0");
}

void tune_gpu_tiles_write_clusters(const tune_gpu_tiles_plan *p, tune_writer *w) {
  if (!p->clusters_y.count)
    return;
  tune_writer_knob(w, "cluster_y", NULL, TUNE_LEVEL_GPU, &p->clusters_y, 1);
  tune_writer_knob(w, "cluster_x", NULL, TUNE_LEVEL_GPU, &p->clusters_x, 1);
  write_size(w);
  write_division(w, "clusters divide the rows of tiles", "rows", "cluster_y", p->loops.rows);
  write_division(w, "clusters divide the columns of tiles", "cols", "cluster_x", p->loops.cols);
  write_parts(w, "groups of a cluster divide the tile of A", p->a_depth_is_row ? "rows" : "depth",
              "cluster_x");
  write_parts(w, "groups of a cluster divide the tile of B", p->b_depth_is_row ? "cols" : "depth",
              "cluster_y");
  if (p->bands.count)
    write_bands(w);
}
