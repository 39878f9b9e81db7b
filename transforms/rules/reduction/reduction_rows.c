//===- reduction_rows.c - The schedule of chains over rows, and of a single long row -===//
//
//   [forall  `rows` rows]                            with threads
//     for    one row
//       for each elementwise op: vectors of `vector` elements, the last masked and apart; a cheap
//         one that several others read is made again by each of them
//       for each reduction: partial results in vectors (upstream's
//         tile_reduction_using_for), the remainder apart, then their sum
//
// Where there are no rows and there are threads, the line itself is divided into `shares`.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/reduction/reduction_steps.h"

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
  tune_writer_apply_pattern(w, "tensor.fold_tensor_empty");
  tune_writer_fold_unit_dims(w);
}

// One op or several over a line; `user` is what makes p->remade again, or NULL.
static void write_line(const tune_reduction_plan *p, const char *handle, const tune_nest *user,
                       tune_writer *w) {
  tune_tiling tiling = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < p->line_count; i++) {
    order[i] = i;
    tiling.size[i] = i + 1 < p->line_count ? "1" : "%vector";
  }
  char sizes[128], remade[32];
  tune_writer_begin_foreach(w, handle, "%line");
  tune_writer_tile(w, "%step", "%steps", "%line", &tiling, order, p->line_count, NULL);
  tune_writer_sizes(sizes, sizeof sizes, &tiling, order, p->line_count);
  if (user)
    tune_reduction_write_remade(p, user, "%step", "%steps", w);
  for (size_t o = 0; user && o < user->input_count; o++) {
    if (user->operands[o].producer != p->remade)
      continue;
    snprintf(remade, sizeof remade, "%%remade_%zu", o);
    tune_writer_try_vectorize(w, remade, sizes);
  }
  tune_writer_try_vectorize(w, "%step", sizes);
  // What is masked is the last step alone, apart from the others.
  if (!user && p->line[p->line_count - 1] % (4 * p->lanes) != 0) {
    char loop[32] = "%steps";
    if (p->line_count > 1)
      snprintf(loop, sizeof loop, "%%steps#%zu", p->line_count - 1);
    tune_writer_peel(w, loop);
  }
  tune_writer_end_foreach(w);
}

static bool is_line(const tune_nest *nest, const tune_reduction_plan *p) {
  return nest->kind == TUNE_NEST_GENERIC && !nest->reduction_count &&
         nest->loop_count > p->row_count;
}

// "%a_0, %a_1, %a_2" for the ops of `handle`.
static void write_split(const char *handle, size_t count, tune_writer *w) {
  char types[640];
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t i = 0; i < count; i++)
    tune_string_builder_appendf(&names, "%s%s_%zu", i ? ", " : "", handle, i);
  tune_writer_line(w, "%s = transform.split_handle %s : (" OP ") -> (%s)",
                   names.text ? names.text : "", handle,
                   tune_writer_types(types, sizeof types, count));
  w->text.failed |= names.failed;
  tune_string_builder_deinit(&names);
}

// Elementwise ops over a line.
static void write_lines(const tune_structure *structure, const tune_reduction_plan *p,
                        tune_writer *w) {
  int64_t length = p->line[p->line_count - 1];
  // Whole vectors, or one of the row's length: a vector longer than its row is masked all over, and
  // such a write cannot always be done in place. What is remade has no masks.
  tune_value_set vectors = {0};
  for (int64_t count = 1; count <= 4; count *= 2)
    if (count * p->lanes <= length &&
        (p->remade == TUNE_NO_LOOP || length % (count * p->lanes) == 0))
      tune_value_set_add(&vectors, count * p->lanes);
  if (vectors.count == 0)
    tune_value_set_add(&vectors, length);
  tune_writer_knob(w, "vector", "vectorize", TUNE_LEVEL_VECTOR, &vectors,
                   tune_value_set_at_most(&vectors, 2 * p->lanes));
  tune_nest line = {.is_reduction = {false}};
  tune_writer_match_generic(w, "%lines", &line, NULL, p->line_count, w->func);
  if (p->remade == TUNE_NO_LOOP) {
    write_line(p, "%lines", NULL, w);
    return;
  }
  // The first of them is what is remade, and is left: nobody needs it in the end.
  size_t count = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    count += is_line(&structure->nests[n], p);
  write_split("%lines", count, w);
  count = 0;
  for (size_t n = 0; n < structure->nest_count; n++) {
    if (!is_line(&structure->nests[n], p))
      continue;
    char name[32];
    snprintf(name, sizeof name, "%%lines_%zu", count++);
    if (n != p->remade)
      write_line(p, name, &structure->nests[n], w);
  }
}

static bool has_lines(const tune_structure *structure, const tune_reduction_plan *p) {
  for (size_t n = 0; n < structure->nest_count; n++)
    if (is_line(&structure->nests[n], p))
      return true;
  return false;
}

// The last reduction, which remakes what it reads, apart from those before it, if there are any.
static size_t split_sums(const tune_structure *structure, const tune_reduction_plan *p,
                         tune_reduction_sums *sums, tune_writer *w) {
  tune_reduction_sums last = sums[0];
  last.remakes = &structure->nests[p->remade_reduction];
  if (p->reduction_count > 1) {
    write_split("%sums", p->reduction_count, w);
    tune_string_builder first;
    tune_string_builder_init(&first);
    for (size_t i = 0; i + 1 < p->reduction_count; i++)
      tune_string_builder_appendf(&first, "%s%%sums_%zu", i ? ", " : "", i);
    tune_writer_line(w, "%%first_sums = transform.merge_handles %s : " OP,
                     first.text ? first.text : "");
    tune_writer_line(w, "%%last_sum = transform.merge_handles %%sums_%zu : " OP,
                     p->reduction_count - 1);
    w->text.failed |= first.failed;
    tune_string_builder_deinit(&first);
    sums[0].handle = "%first_sums";
    last.handle = "%last_sum";
  }
  sums[p->reduction_count > 1] = last;
  return p->reduction_count > 1 ? 2 : 1;
}

void tune_reduction_write_rows(const tune_structure *structure, const tune_machine *machine,
                               const tune_reduction_plan *p, tune_writer *w) {
  bool has_elementwise = has_lines(structure, p);
  if (p->row_count > 0)
    write_row_loops(p, machine, w);
  // Elementwise ops first: the partial reductions below are elementwise ops too.
  if (has_elementwise)
    write_lines(structure, p, w);
  tune_nest sum = {.reduction_count = p->line_count};
  for (size_t i = 0; i < p->line_count; i++)
    sum.is_reduction[i] = true;
  tune_writer_match_generic(w, "%sums", &sum, NULL, p->line_count, w->func);
  tune_reduction_sums sums[2] = {{.handle = "%sums", .length = p->line[p->along]}};
  size_t count = 1;
  if (p->remade != TUNE_NO_LOOP)
    count = split_sums(structure, p, sums, w);
  if (p->row_count == 0 && !has_elementwise && p->reduction_count == 1)
    count = tune_reduction_write_shares(p, machine, sums, w);
  tune_reduction_write_partials(p, sums, count, w);
}
