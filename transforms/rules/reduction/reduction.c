//===- reduction.c - The space of reductions and of chains over rows ---------===//
//
// What is done follows from the shape of the work: reduction_plan.h.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/prefetch.h"
#include "transforms/rules/contraction/streaming.h"
#include "transforms/rules/layouts.h"
#include "transforms/rules/reduction/reduction_steps.h"
#include "transforms/rules/reduction/softmax_blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

static bool reduction_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_reduction_plan plan;
  return tune_reduction_plan_make(structure, machine, &plan);
}

static void split_root(const tune_reduction_plan *p, tune_writer *w) {
  tune_writer_line(w,
                   "%%generics = transform.structured.match ops{[\"linalg.generic\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t i = 0; i + 1 < p->generic_count; i++)
    tune_string_builder_appendf(&names, "%%op%zu, ", i);
  char types[2048];
  if (p->generic_count > 1)
    tune_writer_line(w, "%s%%root = transform.split_handle %%generics : (" OP ") -> (%s)",
                     names.text, tune_writer_types(types, sizeof types, p->generic_count));
  else
    tune_writer_line(w, "%%root = transform.merge_handles %%generics : " OP);
  tune_string_builder_deinit(&names);
}

//===--------------------------------------------------------------------------===//
// Single reductions
//===--------------------------------------------------------------------------===//

// On one thread a plain loop: buffers move out of it.
static const char *loop_form(const tune_machine *machine) {
  return machine->threads > 1 ? " {use_forall}" : "";
}

// Whether the matrix is more than the second cache holds.
static bool is_large(const tune_reduction_plan *p, const tune_machine *machine) {
  int64_t bits = p->root->operands[p->root->input_count].bits;
  return p->columns * p->line[0] * bits / 8 > machine->l2_bytes;
}

static void write_row_block(const tune_reduction_plan *p, const tune_machine *machine,
                            tune_writer *w) {
  tune_value_set rows = {0};
  for (int64_t count = 2; count <= 16; count *= 2)
    if (p->columns % count == 0)
      tune_value_set_add(&rows, count);
  // As many streams as the hardware follows, where they come from memory.
  tune_writer_knob(w, "rows", "tile", TUNE_LEVEL_LINALG, &rows,
                   tune_value_set_at_most(&rows, is_large(p, machine) ? 8 : 4));
  tune_writer_line(w,
                   "%%block, %%block_loop = transform.structured.fuse %%root tile_sizes "
                   "[%%rows, 0]%s",
                   loop_form(machine));
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_cleanup(w);
  tune_nest sum = {.is_reduction = {false, true}};
  tune_writer_match_generic(w, "%sums", &sum, NULL, 2, w->func);
  tune_reduction_sums sums = {.handle = "%sums", .length = p->line[0], .before = 1};
  tune_reduction_write_partials(p, &sums, 1, w);
}

// So many columns, or more: fewer wait for their sums. Fewer where there are no others.
static int64_t choose_columns(const tune_value_set *columns, int64_t wanted) {
  for (size_t i = 0; i < columns->count; i++)
    if (columns->values[i] >= wanted)
      return columns->values[i];
  return columns->values[columns->count - 1];
}

// A narrow block keeps its results in registers for the whole reduction, yet reads a little of each
// row of a large matrix, a page apart; a wide one reads rows on end and keeps results in the cache,
// where those of f16 and bf16 are rounded with each step.
static void write_column_knobs(const tune_reduction_plan *p, const tune_machine *machine,
                               tune_writer *w) {
  tune_value_set columns = {0}, steps = {0}, blocks = {0};
  for (int64_t count = 1; count <= 8; count++)
    if (p->columns % (count * p->lanes) == 0) {
      tune_value_set_add(&columns, count * p->lanes);
      tune_value_set_add(&blocks, count * p->lanes);
    }
  for (int64_t count = 1; count <= 16; count *= 2)
    if (p->line[0] % count == 0)
      tune_value_set_add(&steps, count);
  int64_t widest = tune_value_set_at_most(&columns, 8 * p->lanes), share = p->columns;
  if (machine->threads > 1)
    share /= (int64_t)machine->threads;
  tune_value_set_add_divisors(&blocks, p->columns, 2 * widest, 8192, 2 * widest);
  bool large = is_large(p, machine);
  int64_t narrow = choose_columns(&columns, (large ? 2 : 4) * (int64_t)p->lanes);
  // A part for each thread, where that is no such divisor: 256 of 768 columns would be three parts.
  if (machine->threads > 1 && share * (int64_t)machine->threads == p->columns &&
      share % narrow == 0)
    tune_value_set_add(&blocks, share);
  tune_writer_knob(w, "columns", "vectorize", TUNE_LEVEL_VECTOR, &columns, narrow);
  tune_writer_knob(w, "steps", "unroll", TUNE_LEVEL_VECTOR, &steps,
                   tune_value_set_at_most(&steps, large ? 8 : 4));
  const tune_operand *sums = &p->root->operands[p->root->input_count];
  bool is_rounded = tune_operand_register_bits(sums) > sums->bits;
  int64_t block = large && !is_rounded ? tune_value_set_at_most(&blocks, share) : narrow;
  tune_writer_knob(w, "block", "tile", TUNE_LEVEL_LINALG, &blocks, block % narrow ? narrow : block);
  tune_writer_constraint(w, "the vector of columns divides the block", "block %% columns == 0");
}

static void write_columns(const tune_reduction_plan *p, const tune_machine *machine,
                          tune_writer *w) {
  write_column_knobs(p, machine, w);
  bool reduction_first = p->root->is_reduction[0];
  tune_writer_line(w, "%%block_op, %%block_loop = transform.structured.fuse %%root tile_sizes %s%s",
                   reduction_first ? "[0, %block]" : "[%block, 0]", loop_form(machine));
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_cleanup(w);
  tune_writer_match_generic(w, "%sums", p->root, NULL, 2, w->func);
  tune_tiling tiling = {{0}};
  tiling.size[p->column] = "%columns";
  tiling.size[1 - p->column] = "%steps";
  static const size_t order[] = {0, 1};
  tune_writer_tile(w, "%sum", "%sum_loops", "%sums", &tiling, order, 2,
                   reduction_first ? NULL : "[1, 0]");
  tune_writer_line(w, "%%fills = transform.structured.match ops{[\"linalg.fill\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_begin_foreach(w, "%fills", "%fill");
  tune_writer_line(w, "%%zeros, %%zeros_loop = transform.structured.tile_using_for %%fill "
                      "tile_sizes [%%columns]");
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_end_foreach(w);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static void write_vectors(tune_writer *w) {
  tune_writer_cleanup(w);
  tune_writer_line(
      w, "%%linalg = transform.structured.match interface{LinalgOp} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_vectorize_each(w, "%linalg");
}

// So far ahead of the loads the next lines of a chain have time to come: less is late, and more
// takes the place of what is being worked on.
#define BYTES_AHEAD_OF_A_CHAIN (16 << 10)

// Lengths that the knobs `columns`, `partial` and `vector` give. A chain goes over its line several
// times: meanwhile those to come are read. A single pass is read ahead by half a page or so: less
// is too late, and more is past the ends of short rows.
static void write_prefetch(const tune_structure *structure, const tune_machine *machine,
                           const tune_reduction_plan *p, tune_writer *w) {
  tune_prefetch prefetch = {.operand = tune_prefetch_find_operand(structure, machine)};
  const tune_operand *operand = prefetch.operand;
  if (!operand || operand->rank == 0)
    return;
  for (int64_t count = 1; count <= 8; count *= 2)
    prefetch.lengths[prefetch.length_count++] = count * p->lanes;
  int64_t line = operand->bits / 8;
  if (p->generic_count > 1) {
    for (size_t i = 0; i < p->line_count; i++)
      line *= p->line[i];
    for (int64_t ahead = line; ahead <= 16 * line; ahead *= 4) {
      if (p->row_count == 0 || ahead > machine->l2_bytes / 8)
        break;
      prefetch.distances[prefetch.distance_count++] = ahead;
      if (!prefetch.default_distance && ahead >= BYTES_AHEAD_OF_A_CHAIN)
        prefetch.default_distance = ahead;
    }
  } else {
    line *= operand->shape[operand->rank - 1];
    for (int64_t distance = 1024; distance <= 4096 && distance < line; distance *= 2)
      prefetch.distances[prefetch.distance_count++] = distance;
    prefetch.default_distance = line > 2048 ? 2048 : 0;
  }
  if (prefetch.distance_count)
    tune_prefetch_write(&prefetch, w);
}

static void write_shape(const tune_structure *structure, const tune_machine *machine,
                        const tune_reduction_plan *p, tune_writer *w) {
  split_root(p, w);
  if (p->shape == TUNE_REDUCTION_ROWS)
    tune_reduction_write_rows(structure, machine, p, w);
  else if (p->shape == TUNE_REDUCTION_ROW_BLOCK)
    write_row_block(p, machine, w);
  else
    write_columns(p, machine, w);
}

// Softmax of long rows: as other chains, or in blocks.
static void write_softmax(const tune_structure *structure, const tune_machine *machine,
                          const tune_reduction_plan *p, const tune_softmax_blocks *blocks,
                          tune_writer *w) {
  char labels[128] = "\"none\"";
  size_t used = strlen(labels);
  int64_t default_index = 0;
  for (size_t i = 0; i < blocks->lengths.count; i++) {
    used += (size_t)snprintf(labels + used, sizeof labels - used, ", \"of_%" PRId64 "\"",
                             blocks->lengths.values[i]);
    if (blocks->lengths.values[i] == blocks->default_length)
      default_index = (int64_t)i + 1;
  }
  const char *func = w->func;
  tune_writer_begin_alternatives(w, "%in_parts", "blocks", TUNE_LEVEL_LINALG, labels, default_index,
                                 1);
  write_shape(structure, machine, p, w);
  for (size_t i = 0; i < blocks->lengths.count; i++) {
    tune_writer_next_alternative(w, w->func, 1);
    w->func = func;
    tune_softmax_blocks_write(blocks, blocks->lengths.values[i], w);
  }
  tune_writer_end_alternatives(w, w->func, 1);
  w->func = "%in_parts";
}

// As it is, and in blocks. Where there is but one row, what is kept of it in between has the same
// shape as the result, which is not to go past the caches.
static void write_streaming(const tune_structure *structure, const tune_machine *machine,
                            const tune_reduction_plan *p, const tune_softmax_blocks *blocks,
                            tune_writer *w) {
  const tune_operand *out = &p->root->operands[p->root->input_count];
  tune_operand results[TUNE_SOFTMAX_MOST_BLOCKS + 1] = {*out};
  size_t count = 1;
  if (!tune_streaming_applies(structure, p->root, p->root->loop_count - 1, machine))
    return;
  for (size_t i = 0; blocks && blocks->rows > 1 && i < blocks->lengths.count; i++) {
    tune_operand *result = &results[count++];
    *result = *out;
    result->rank = 3;
    result->shape[1] = blocks->columns / blocks->lengths.values[i];
    result->shape[2] = blocks->lengths.values[i];
  }
  tune_streaming_write(results, count, p->lanes, false, machine, w);
}

// `blocks` may be NULL.
static void write_buffers(const tune_structure *structure, const tune_machine *machine,
                          const tune_reduction_plan *p, const tune_softmax_blocks *blocks,
                          tune_writer *w) {
  w->func = "%func";
  tune_writer_begin_buffers(w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.vector.drop_unit_dims_with_shape_cast");
  // What belongs to a row is computed once, and not in each lane.
  if (p->shape == TUNE_REDUCTION_ROWS)
    tune_writer_line(w, "  transform.apply_patterns.vector.sink_ops");
  tune_writer_line(w, "} : " OP);
  if (p->shape == TUNE_REDUCTION_COLUMNS) {
    // Row after row: as sums within vectors they would be transposed first.
    tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
    tune_writer_line(w, "  transform.apply_patterns.vector.lower_multi_reduction "
                        "lowering_strategy = \"innerparallel\"");
    tune_writer_line(w, "} : " OP);
  }
  tune_writer_lower_vectors(w);
  write_prefetch(structure, machine, p, w);
  write_streaming(structure, machine, p, blocks, w);
  // Loops over one row that are unrolled to the end would keep the row, more than registers hold.
  w->keeps_loops = p->remade != TUNE_NO_LOOP;
  // Buffers are out of the loop over rows here, and what is one number becomes a register.
  if (p->shape == TUNE_REDUCTION_ROWS)
    w->stack_bytes = 65536;
  tune_writer_place_buffers(w);
  tune_writer_target_knobs(w, machine->vector_bits, p->math > 0);
  tune_writer_end_buffers(w);
}

static bool reduction_yields(const tune_structure *structure, const tune_machine *machine) {
  (void)machine;
  return tune_layouts_has_tiles(structure);
}

static void reduction_write(const tune_structure *structure, const tune_machine *machine,
                            tune_writer *w) {
  tune_reduction_plan p;
  tune_softmax_blocks blocks;
  if (!tune_reduction_plan_make(structure, machine, &p))
    return;
  static const char *const comments[] = {
      [TUNE_REDUCTION_ROWS] = "rule 'reduction': all ops in one pass over the rows",
      [TUNE_REDUCTION_ROW_BLOCK] = "rule 'reduction': blocks of rows along the contiguous loop",
      [TUNE_REDUCTION_COLUMNS] = "rule 'reduction': columns in vectors, across the contiguous loop",
  };
  tune_writer_begin_tensors(w, comments[p.shape]);
  bool has_blocks =
      p.shape == TUNE_REDUCTION_ROWS && tune_softmax_blocks_make(structure, machine, &blocks);
  if (has_blocks)
    write_softmax(structure, machine, &p, &blocks, w);
  else
    write_shape(structure, machine, &p, w);
  write_vectors(w);
  tune_writer_vector_cleanup(w, p.shape == TUNE_REDUCTION_COLUMNS && p.root->widens);
  tune_writer_end_tensors(w);
  write_buffers(structure, machine, &p, has_blocks ? &blocks : NULL, w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_reduction = {
    .name = "reduction",
    .summary = "reductions, softmax, norms, matrix-vector products",
    .kinds = TUNE_KINDS_CPU,
    .applies = reduction_applies,
    .yields = reduction_yields,
    .write = reduction_write,
};
