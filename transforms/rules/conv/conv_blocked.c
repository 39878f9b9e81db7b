//===- conv_blocked.c - The space of convolutions with their channels before their pixels -===//
//
// The order of the steps, as learnt on MLIR 22.1.8:
//  - packing the output channels on whole tensors, before anything is tiled, leaves ordinary ops:
//    what starts the accumulator and what follows the product take the blocked layout over by
//    elementwise fusion, so that only the filter is copied, and the output turned in its last op;
//  - the filter's copy is made for each block of channels, when it is needed, and stays in a cache;
//    the channels of the block run outside of it: read across, rows of a filter whose lengths are
//    powers of two would all fall into the same few cache lines;
//  - fusing stops at the filter because it is fused last, into the outer loop;
//  - rows are unrolled one by one, not vectorized with the kernel, which a stride forbids.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/contraction_plan.h"
#include "transforms/rules/conv/winograd_turned.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

//===--------------------------------------------------------------------------===//
// Knobs
//===--------------------------------------------------------------------------===//

static void write_knobs(const tune_conv_plan *plan, tune_writer *w) {
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &plan->mr, plan->mr_default);
  tune_writer_knob(w, "kr", "unroll", TUNE_LEVEL_VECTOR, &plan->kr, plan->kr_default);
  if (plan->band.count)
    tune_writer_knob(w, "band", "tile", TUNE_LEVEL_LINALG, &plan->band, plan->band_default);
}

//===--------------------------------------------------------------------------===//
// Blocks of channels
//===--------------------------------------------------------------------------===//

// The loops of the product once its channels are in blocks: one more, the innermost.
static tune_nest blocked_nest(const tune_conv_plan *plan) {
  tune_nest nest = *plan->ops.anchor;
  nest.is_reduction[nest.loop_count++] = false;
  return nest;
}

static void write_pack(const tune_conv_plan *plan, tune_writer *w, int64_t channels) {
  size_t order[TUNE_MAX_LOOPS];
  char sizes[128], size[24];
  tune_tiling blocks = {{0}};
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  snprintf(size, sizeof size, "%" PRId64, channels);
  blocks.size[plan->channel] = size;
  tune_writer_line(
      w, "%%block = transform.structured.pack %%anchor packed_sizes = %s : (" OP ") -> " OP,
      tune_writer_sizes(sizes, sizeof sizes, &blocks, order, plan->ops.anchor->loop_count));
}

// Binds %packed: the anchor over blocks of `nr` channels, which are no parameter of upstream's op,
// so that each choice is an alternative.
static void write_packs(const tune_conv_plan *plan, tune_writer *w) {
  char labels[64];
  size_t used = 0, chosen = 0;
  for (size_t i = 0; i < plan->nr.count; i++) {
    used += (size_t)snprintf(labels + used, sizeof labels - used, "%s\"channels_%" PRId64 "\"",
                             i ? ", " : "", plan->nr.values[i]);
    if (plan->nr.values[i] == plan->nr_default)
      chosen = i;
  }
  tune_writer_begin_alternatives(w, "%packed", "block", TUNE_LEVEL_VECTOR, labels, (int64_t)chosen,
                                 1);
  for (size_t i = 0; i < plan->nr.count; i++) {
    if (i)
      tune_writer_next_alternative(w, "%block", 1);
    write_pack(plan, w, plan->nr.values[i]);
  }
  tune_writer_end_alternatives(w, "%block", 1);
}

// Turns the anchor into one over blocks of channels. Binds %product, %start (what starts the
// accumulator), %root (the op that turns the output) and %filter (the copy of the filter).
static void write_blocks(const tune_conv_plan *plan, tune_writer *w) {
  const tune_nest *anchor = plan->ops.anchor;
  tune_writer_match_generic(w, "%anchor", anchor, NULL, anchor->loop_count, w->func);
  if (plan->ops.has_pad) {
    tune_writer_match_op(w, "%borders", "\"tensor.pad\"");
    tune_writer_line(w, "%%bordered = transform.structured.rewrite_in_destination_passing_style "
                        "%%borders : (" OP ") -> " OP);
  }
  write_packs(plan, w);
  // The output's pack and unpack become transposes that fuse; the filter's stays one until then.
  tune_writer_line(w, "%%start_pack = transform.get_producer_of_operand %%packed[2]");
  tune_writer_line(w, "  : (" OP ") -> !transform.op<\"linalg.pack\">");
  tune_writer_line(w, "%%start_parts:3 = transform.structured.lower_pack %%start_pack");
  tune_writer_line(w, "  : (!transform.op<\"linalg.pack\">) -> (!transform.op<\"tensor.pad\">, "
                      "!transform.op<\"tensor.expand_shape\">, "
                      "!transform.op<\"linalg.transpose\">)");
  tune_writer_line(w, "%%end_pack = transform.get_consumers_of_result %%packed[0]");
  tune_writer_line(w, "  : (" OP ") -> !transform.op<\"linalg.unpack\">");
  tune_writer_line(w, "%%end_parts:4 = transform.structured.lower_unpack %%end_pack");
  tune_writer_line(w, "  : (!transform.op<\"linalg.unpack\">) -> (!transform.op<\"tensor.empty\">, "
                      "!transform.op<\"linalg.transpose\">, "
                      "!transform.op<\"tensor.collapse_shape\">, "
                      "!transform.op<\"tensor.extract_slice\">)");
  tune_writer_match_op(w, "%moves", "\"linalg.transpose\", \"linalg.copy\"");
  tune_writer_line(w, "%%moved = transform.structured.generalize %%moves : (" OP ") -> " OP);
  if (plan->ops.init->kind == TUNE_NEST_FILL) {
    tune_writer_match_op(w, "%fill", "\"linalg.fill\"");
    tune_writer_line(w, "%%filled = transform.structured.generalize %%fill : (" OP ") -> " OP);
  }
  tune_writer_line(w,
                   "%%blocked = transform.apply_registered_pass "
                   "\"linalg-fuse-elementwise-ops\" to %s : (" OP ") -> " OP,
                   w->func);
  w->func = "%blocked";
  tune_writer_line(w, "%%pack = transform.structured.match ops{[\"linalg.pack\"]} in %s", w->func);
  tune_writer_line(w, "  : (" OP ") -> !transform.op<\"linalg.pack\">");
  tune_writer_line(w, "%%filter_parts:3 = transform.structured.lower_pack %%pack");
  tune_writer_line(w, "  : (!transform.op<\"linalg.pack\">) -> (!transform.op<\"tensor.pad\">, "
                      "!transform.op<\"tensor.expand_shape\">, "
                      "!transform.op<\"linalg.transpose\">)");
  tune_writer_canonicalize(w);
  tune_nest nest = blocked_nest(plan);
  tune_writer_match_generic(w, "%product", &nest, NULL, nest.loop_count, w->func);
  tune_writer_line(w,
                   "%%filter = transform.get_producer_of_operand %%product[%zu] : (" OP ") -> " OP,
                   plan->filter);
  tune_writer_line(w, "%%start = transform.get_producer_of_operand %%product[2] : (" OP ") -> " OP);
  tune_writer_line(w, "%%root = transform.get_consumers_of_result %%product[0] : (" OP ") -> " OP);
  tune_writer_line(w, "transform.annotate %%root \"tune.root\" : " OP);
}

//===--------------------------------------------------------------------------===//
// Tiles
//===--------------------------------------------------------------------------===//

// The loops of the root are the dimensions of the output, the channels split in two: the blocks
// and what is in them.
static size_t root_loop(const tune_conv_plan *plan, size_t dimension) {
  return dimension > plan->channel_dimension ? dimension + 1 : dimension;
}

// A block of channels and a band of lines in parallel; in it a line at a time; in that, tiles of
// `mr` pixels, in which also the accumulators are started.
static void write_tiles(const tune_conv_plan *plan, tune_writer *w) {
  const tune_operand *out = &plan->ops.anchor->operands[2];
  tune_tiling outer = {{0}}, lines = {{0}}, rows = {{0}};
  size_t order[TUNE_MAX_LOOPS], line_loops = 0;
  char sizes[256], target[32], loop[32];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  outer.size[plan->channel_dimension] = "1";
  if (plan->line != TUNE_NO_LOOP)
    outer.size[root_loop(plan, plan->line_dimension)] = "%band";
  for (size_t i = 0; i + 1 < out->rank; i++)
    if (i != plan->channel_dimension) {
      lines.size[root_loop(plan, i)] = "1";
      line_loops++;
    }
  tune_writer_line(w,
                   "%%root_block, %%outer = transform.structured.tile_using_forall %%root "
                   "tile_sizes %s",
                   tune_writer_sizes(sizes, sizeof sizes, &outer, order, out->rank + 1));
  tune_writer_line(w, "  : (" OP "%s) -> (" OP ", " OP ")",
                   plan->line == TUNE_NO_LOOP ? "" : ", " PARAM);
  tune_writer_fuse_into(w, "%product_block", "%product", "%outer", "%outer_1");
  tune_writer_fuse_into(w, "%start_block", "%start", "%outer_1", "%outer_2");
  snprintf(target, sizeof target, "%%product_block");
  if (line_loops) {
    tune_writer_tile(w, "%root_line", "%lines", "%root_block", &lines, order, out->rank + 1, NULL);
    snprintf(loop, sizeof loop, "%%lines#%zu", line_loops - 1);
    tune_writer_fuse_into(w, "%product_line", "%product_block", loop, "%line");
    tune_writer_fuse_into(w, "%start_line", "%start_block", "%line", "%line_1");
    snprintf(target, sizeof target, "%%product_line");
  }
  rows.size[plan->row] = "%mr";
  tune_writer_line(
      w, "%%tile, %%rows = transform.structured.fuse %s tile_sizes %s", target,
      tune_writer_sizes(sizes, sizeof sizes, &rows, order, plan->ops.anchor->loop_count));
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_fuse_into(w, "%filter_block", "%filter", "%outer_2", "%outer_3");
  if (!plan->rows_divide)
    tune_writer_peel(w, "%rows");
  tune_writer_cleanup(w);
  // A line of output waits in a buffer of its own size, not in its place in one for all lines.
  tune_writer_apply_pattern(w, "tensor.fold_tensor_empty");
  // While there are few ops: at the end, with rows unrolled, it is a fifth of the script's time.
  tune_writer_line(w, "transform.bufferization.eliminate_empty_tensors %s : " OP, w->func);
}

//===--------------------------------------------------------------------------===//
// The copies, in vectors
//===--------------------------------------------------------------------------===//

// The copy of the filter: its dimensions, and at the end the channels of the block.
static void write_filter(const tune_conv_plan *plan, tune_writer *w) {
  const tune_operand *filter = &plan->ops.anchor->operands[plan->filter];
  size_t rank = filter->rank, order[TUNE_MAX_LOOPS];
  size_t channel = tune_operand_find_loop(filter, plan->channel);
  // Blocks of 16 x 16, turned in registers, where a row of the filter is long enough; else the
  // channels of one weight are gathered.
  bool turns = channel != rank - 1 && filter->shape[rank - 1] >= 8;
  char step[16], sizes[128], loops[96];
  snprintf(step, sizeof step, "%" PRId64, plan->step);
  tune_tiling tile = {{0}};
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  size_t used = (size_t)snprintf(loops, sizeof loops, "[%zu, %zu", channel, rank);
  for (size_t i = 0; i < rank; i++) {
    tile.size[i] = "1";
    if (i != channel)
      used += (size_t)snprintf(loops + used, sizeof loops - used, ", %zu", i);
  }
  snprintf(loops + used, sizeof loops - used, "]");
  tile.size[rank] = turns ? "16" : step;
  if (turns)
    tile.size[rank - 1] = "16";
  tune_writer_match_op(w, "%copies", "\"linalg.transpose\"");
  // Memory of its own: a buffer that happens to be of the same shape must not be taken for it.
  tune_writer_line(w, "%%panel = transform.get_producer_of_operand %%copies[1]");
  tune_writer_line(w, "  : (" OP ") -> !transform.op<\"tensor.empty\">");
  tune_writer_line(w, "%%panel_memory = transform.bufferization.empty_tensor_to_alloc_tensor");
  tune_writer_line(w, "  %%panel : (!transform.op<\"tensor.empty\">)");
  tune_writer_line(w, "  -> !transform.op<\"bufferization.alloc_tensor\">");
  tune_writer_tile(w, "%copy", "%copy_loops", "%copies", &tile, order, rank + 1, loops);
  tune_writer_try_vectorize(
      w, "%copy", turns ? tune_writer_sizes(sizes, sizeof sizes, &tile, order, rank + 1) : NULL);
}

// The last op, which turns a line of the output.
static void write_root(const tune_conv_plan *plan, tune_writer *w) {
  size_t rank = plan->ops.anchor->operands[2].rank, order[TUNE_MAX_LOOPS];
  char sizes[128], side[24];
  tune_tiling tile = {{0}};
  snprintf(side, sizeof side, "%" PRId64, plan->turn);
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  for (size_t i = 0; i <= rank; i++)
    tile.size[i] = i == rank ? side : i == plan->channel_dimension + 1 ? "16" : "1";
  tune_writer_line(w,
                   "%%roots = transform.structured.match ops{[\"linalg.generic\"]} "
                   "attributes{tune.root} in %s : (" OP ") -> " OP,
                   w->func);
  tune_writer_tile(w, "%turn", "%turn_loops", "%roots", &tile, order, rank + 1, NULL);
  tune_writer_try_vectorize(w, "%turn",
                            tune_writer_sizes(sizes, sizeof sizes, &tile, order, rank + 1));
}

//===--------------------------------------------------------------------------===//
// The kernel
//===--------------------------------------------------------------------------===//

// Reductions, `kr` of the depth at a time, and single rows in them. `windows_outside` says which
// of the reductions run outside.
static void write_reductions(const tune_conv_plan *plan, tune_writer *w, bool windows_outside) {
  tune_nest nest = blocked_nest(plan);
  tune_tiling step = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char loops[96];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  step.size[plan->depth] = "%kr";
  for (size_t i = 0; i < plan->window_count; i++)
    step.size[plan->window[i]] = "1";
  // The loops that are tiled, in their order; the others have no place in it that matters.
  size_t count = 0, sequence[TUNE_MAX_LOOPS], used = 0;
  if (!windows_outside)
    sequence[count++] = plan->depth;
  for (size_t i = 0; i < plan->window_count; i++)
    sequence[count++] = plan->window[i];
  if (windows_outside)
    sequence[count++] = plan->depth;
  for (size_t i = 0; i < nest.loop_count; i++)
    if (!nest.is_reduction[i])
      sequence[count++] = i;
  for (size_t i = 0; i < count; i++)
    used +=
        (size_t)snprintf(loops + used, sizeof loops - used, "%s%zu", i ? ", " : "[", sequence[i]);
  snprintf(loops + used, sizeof loops - used, "]");
  tune_writer_tile(w, "%step", "%step_loops", "%one_tile", &step, order, nest.loop_count, loops);
}

static void write_kernel(const tune_conv_plan *plan, tune_writer *w) {
  tune_nest nest = blocked_nest(plan);
  size_t order[TUNE_MAX_LOOPS];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  tune_writer_match_generic(w, "%tiles", &nest, NULL, nest.loop_count, w->func);
  tune_writer_begin_foreach(w, "%tiles", "%one_tile");
  if (plan->window_count) {
    tune_writer_begin_alternatives(w, "%steps", "depth_order", TUNE_LEVEL_LINALG,
                                   "\"windows_outside\", \"channels_outside\"", 0, 1);
    write_reductions(plan, w, true);
    tune_writer_next_alternative(w, "%step", 1);
    write_reductions(plan, w, false);
    tune_writer_end_alternatives(w, "%step", 1);
  } else {
    write_reductions(plan, w, true);
    tune_writer_line(w, "%%steps = transform.merge_handles %%step : " OP);
  }
  tune_tiling row = {{0}};
  row.size[plan->row] = "1";
  tune_writer_tile(w, "%pixel", "%pixel_loop", "%steps", &row, order, nest.loop_count, NULL);
  tune_writer_line(w, "transform.annotate %%pixel_loop \"tune.unroll\" : " OP);
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
  tune_writer_unroll_marked(w, "unroll");
  tune_writer_fold_unit_dims(w);

  // What starts the accumulators: a tile of rows, or a single last one.
  tune_nest plane = {.is_reduction = {false, false}};
  for (size_t rank = 1; rank <= 2; rank++) {
    const char *starts = rank == 1 ? "%single_starts" : "%starts";
    tune_writer_match_generic(w, starts, &plane, NULL, rank, w->func);
    tune_writer_vectorize_each(w, starts);
  }
  tune_nest kernel = {.is_reduction = {true, false}};
  tune_writer_match_generic(w, "%kernels", &kernel, NULL, 2, w->func);
  tune_writer_line(w, "transform.structured.vectorize %%kernels : " OP);
  tune_writer_vector_cleanup(w, plan->ops.anchor->widens);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

// Whether lines are made of whole vectors, so that the rule 'contraction' computes them as they
// lie, without a copy of anything. (With a window, a single vector a line keeps it too busy with
// loads.)
static bool lines_are_vectors(const tune_conv_plan *plan) {
  const tune_nest *anchor = plan->ops.anchor;
  const tune_operand *image = &anchor->operands[1 - plan->filter];
  bool has_window = false;
  for (size_t i = 0; i < plan->window_count; i++)
    has_window |= anchor->extent[plan->window[i]] > 1;
  int64_t rows = anchor->extent[plan->row], lanes = plan->lanes;
  return image->index[image->rank - 1].coefficient[plan->row] == 1 && rows % lanes == 0 &&
         (!has_window || rows >= 2 * lanes);
}

bool tune_conv_blocked_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_conv_plan plan;
  tune_contraction_plan contraction;
  return tune_conv_plan_make(structure, machine, &plan) &&
         !(lines_are_vectors(&plan) &&
           tune_contraction_plan_make(structure, machine, &contraction));
}

void tune_conv_blocked_write_steps(const tune_conv_plan *plan, tune_writer *w) {
  write_knobs(plan, w);
  write_blocks(plan, w);
  write_tiles(plan, w);
  write_filter(plan, w);
  write_root(plan, w);
  write_kernel(plan, w);
}

void tune_conv_blocked_write_buffers(const tune_conv_plan *plan, const tune_machine *machine,
                                     tune_writer *w) {
  w->func = "%func";
  tune_writer_begin_buffers(w);
  tune_writer_lower_vectors(w);
  tune_writer_place_buffers(w);
  tune_writer_wide_operands(w, plan->structure);
  bool has_math = tune_structure_has_math(plan->structure);
  tune_writer_weights_ahead(w, &plan->ops.anchor->operands[plan->filter]);
  tune_writer_target_knobs(w, machine->vector_bits, has_math);
  tune_writer_end_buffers(w);
}

static void conv_blocked_write(const tune_structure *structure, const tune_machine *machine,
                               tune_writer *w) {
  tune_conv_plan plan;
  if (!tune_conv_plan_make(structure, machine, &plan))
    return;
  tune_writer_begin_tensors(w, "rule 'conv_blocked': a convolution in blocks of output channels");
  tune_conv_blocked_write_steps(&plan, w);
  tune_writer_end_sequence(w);
  tune_conv_blocked_write_buffers(&plan, machine, w);
  tune_writer_main(w, structure);
}

// Whether it is of bytes, whose products instructions add up in groups.
static bool has_dot_products(const tune_conv_plan *plan, const tune_machine *machine) {
  const tune_nest *anchor = plan->ops.anchor;
  bool has_bytes = true;
  for (size_t i = 0; i < 2; i++)
    has_bytes &= strcmp(anchor->operands[i].type, "i8") == 0;
  int64_t group = machine->has_int8_dot ? 4 : 2;
  return has_bytes && (machine->has_int8_dot || machine->has_int16_pairs) &&
         anchor->extent[plan->depth] % group == 0;
}

// Few registers hold few pixels of a block, while a contraction of channels innermost, or Winograd,
// keeps its peak there: with windows it makes up for turning image and filter. Not where there are
// next to no channels to put innermost, or where the turned filter is read from far off for each
// line. Measured on Zen 3, from 1x1 to 7x7, 3 to 512 channels, 14 to 112 pixels: 1.5 to 2.6 times
// the speed within these bounds, 0.5 to 0.9 beyond them.
//
// So it is with bytes where instructions add up their products, which want channels innermost: 12
// times the speed (64 channels, 56 pixels, 3x3, AVX-512 VNNI); and with what Winograd's transforms
// pay for, with any registers: 1.7 to 3.7 times the speed on Zen 4, from 10 to 224 pixels and from
// 16 to 256 channels.
static bool conv_blocked_yields(const tune_structure *structure, const tune_machine *machine) {
  enum { FEW_REGISTERS = 16, ENOUGH_CHANNELS = 16 };
  tune_conv_plan plan;
  if (!tune_conv_plan_make(structure, machine, &plan))
    return false;
  if (has_dot_products(&plan, machine) || tune_winograd_pays_turned(&plan))
    return true;
  if (machine->vector_registers > FEW_REGISTERS)
    return false;
  const tune_nest *anchor = plan.ops.anchor;
  int64_t windows = 1, channels = anchor->extent[plan.depth];
  for (size_t i = 0; i < plan.window_count; i++)
    windows *= anchor->extent[plan.window[i]];
  return windows > 1 && channels >= ENOUGH_CHANNELS &&
         tune_operand_bytes(&anchor->operands[plan.filter]) <= 2 * machine->l2_bytes;
}

const tune_rule tune_rule_conv_blocked = {
    .name = "conv_blocked",
    .summary = "convolutions with channels before pixels: blocks of output channels as vectors",
    .kinds = TUNE_KINDS_CPU,
    .takes_layouts = true,
    .applies = tune_conv_blocked_applies,
    .yields = conv_blocked_yields,
    .write = conv_blocked_write,
};
