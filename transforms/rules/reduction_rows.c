//===- reduction_rows.c - The schedule of chains over rows, and of a single long row ----===//
//
//   [forall  `rows` rows]                            with threads
//     for    one row
//       for each elementwise op: vectors of `vector` elements, the last masked
//       for each reduction: partial results in vectors (upstream's
//         tile_reduction_using_for), the remainder apart, then their sum
//
// Where there are no rows and there are threads, the line itself is divided into `shares`.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/reduction_parts.h"

#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

// "[1, 0, %rows]": `row` for the last row loop of the root, `outer` for the others.
static const char *row_sizes(const tune_reduction_plan *p, const char *outer, const char *row,
                             char *buffer, size_t size) {
  tune_tiling tiling = {{0}};
  size_t order[TUNE_MAX_LOOPS], last = 0;
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++) {
    order[i] = i;
    if (i < p->root->loop_count && p->is_row[i]) {
      tiling.size[i] = outer;
      last = i;
    }
  }
  tiling.size[last] = row;
  return tune_writer_sizes(buffer, size, &tiling, order, p->root->loop_count);
}

// How many rows a thread takes at a time: enough to share buffers, and some pieces for each thread.
static void write_row_shares(const tune_reduction_plan *p, const tune_machine *machine,
                             tune_writer *w) {
  int64_t rows = 1, last = 1;
  for (size_t i = 0; i < p->root->loop_count; i++) {
    if (!p->is_row[i])
      continue;
    last = p->root->extent[i] == TUNE_DYNAMIC_EXTENT ? 64 : p->root->extent[i];
    rows *= last;
  }
  tune_value_set sizes = {0};
  for (int64_t size = 1; size <= 64 && size <= last; size *= 2)
    tune_value_set_add(&sizes, size);
  tune_writer_knob(w, "rows", "parallel", TUNE_LEVEL_LINALG, &sizes,
                   tune_value_set_at_most(&sizes, rows / (4 * (int64_t)machine->threads)));
  char text[128];
  tune_writer_line(w,
                   "%%share, %%share_loop = transform.structured.fuse %%root tile_sizes %s "
                   "{use_forall}",
                   row_sizes(p, "1", "%rows", text, sizeof text));
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_line(w, "%%row, %%row_loop = transform.structured.fuse %%share tile_sizes %s",
                   row_sizes(p, "0", "1", text, sizeof text));
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
}

static void write_row_loops(const tune_reduction_plan *p, const tune_machine *machine,
                            tune_writer *w) {
  char text[128], types[640];
  if (machine->threads > 1) {
    write_row_shares(p, machine, w);
  } else {
    // Plain loops: buffers move out of them, and none is made for each row.
    tune_writer_line(w, "%%row, %%row_loops:%zu = transform.structured.fuse %%root tile_sizes %s",
                     p->row_count, row_sizes(p, "1", "1", text, sizeof text));
    tune_writer_line(w, "  : (" OP ") -> (%s)",
                     tune_writer_types(types, sizeof types, p->row_count + 1));
  }
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.tensor.fold_tensor_empty");
  tune_writer_line(w, "} : " OP);
  tune_writer_fold_unit_dims(w);
}

// Elementwise ops over a line.
static void write_lines(const tune_reduction_plan *p, tune_writer *w) {
  int64_t length = p->line[p->line_count - 1];
  // Whole vectors, or one of the row's length: a vector longer than its row is masked all over, and
  // such a write cannot always be done in place.
  tune_value_set vectors = {0};
  for (int64_t count = 1; count <= 4; count *= 2)
    if (count * p->lanes <= length)
      tune_value_set_add(&vectors, count * p->lanes);
  if (vectors.count == 0)
    tune_value_set_add(&vectors, length);
  tune_writer_knob(w, "vector", "vectorize", TUNE_LEVEL_VECTOR, &vectors,
                   tune_value_set_at_most(&vectors, 2 * p->lanes));
  tune_nest line = {.is_reduction = {false}};
  tune_tiling tiling = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < p->line_count; i++) {
    order[i] = i;
    tiling.size[i] = i + 1 < p->line_count ? "1" : "%vector";
  }
  char sizes[128];
  tune_writer_match_generic(w, "%lines", &line, NULL, p->line_count, w->func);
  tune_writer_begin_foreach(w, "%lines", "%line");
  tune_writer_tile(w, "%step", "%steps", "%line", &tiling, order, p->line_count, NULL);
  tune_writer_try_vectorize(w, "%step",
                            tune_writer_sizes(sizes, sizeof sizes, &tiling, order, p->line_count));
  tune_writer_end_foreach(w);
}

static bool has_lines(const tune_structure *structure, const tune_reduction_plan *p) {
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == TUNE_NEST_GENERIC && !structure->nests[n].reduction_count &&
        structure->nests[n].loop_count > p->row_count)
      return true;
  return false;
}

void tune_reduction_write_rows(const tune_structure *structure, const tune_machine *machine,
                               const tune_reduction_plan *p, tune_writer *w) {
  bool has_elementwise = has_lines(structure, p);
  if (p->row_count > 0)
    write_row_loops(p, machine, w);
  // Elementwise ops first: the partial reductions below are elementwise ops too.
  if (has_elementwise)
    write_lines(p, w);
  tune_nest sum = {.reduction_count = p->line_count};
  for (size_t i = 0; i < p->line_count; i++)
    sum.is_reduction[i] = true;
  tune_writer_match_generic(w, "%sums", &sum, NULL, p->line_count, w->func);
  tune_reduction_sums sums[2] = {{.handle = "%sums", .length = p->line[p->along]}};
  size_t count = 1;
  if (p->row_count == 0 && !has_elementwise && p->reduction_count == 1)
    count = tune_reduction_write_shares(p, machine, sums, w);
  tune_reduction_write_partials(p, sums, count, w);
}
