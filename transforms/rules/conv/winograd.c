//===- winograd.c - The space of 3x3 convolutions: direct, or Winograd's -----===//
//
// Convolutions of f32 with 3x3 windows, stride 1 and channels innermost (NHWC, HWCF), also of
// groups that have a dimension of their own: what the rule for contractions does, and as the other
// choice of a knob Winograd's F(4x4, 3x3) or F(2x2, 3x3), with up to 4 or 2.25 times fewer
// multiplications and sums that are less exact.
//
// The order of the steps, as learnt on MLIR 22.1.8:
//  - groups, or bands of lines, outside of all (winograd_groups.h, winograd_bands.h);
//  - parts of the depth and blocks of output channels outside of the rest: the filter of such a
//    piece, transformed, stays in a cache, where that of all is four times as large as the filter
//    and goes through memory. Each part adds what it makes to the output;
//  - the transforms become loops of straight code (winograd_patterns.h); that over the image is the
//    same for all blocks, and leaves their loop if its own loops are one of step 1: upstream moves
//    no loop of another step. Threads divide that one, too
//    (transforms/lower/common/parallel_loops.h);
//  - the products are a batch of matrix products, and tiled as such. In memory the transformed
//    filters have the depth outside: 36 vectors made together lie side by side, not in 36 places
//    that the caches map to the same few lines (twice as fast). The transposition which that takes
//    is none of a tile, and goes away.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/contraction_steps.h"
#include "transforms/rules/contraction/im2col.h"
#include "transforms/rules/conv/winograd_bands.h"
#include "transforms/rules/conv/winograd_groups.h"
#include "transforms/rules/conv_ops.h"
#include "transforms/rules/pdl_writer.h"
#include "transforms/structure/winograd_cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"
#define MOST_ROWS 16 // of a register tile
// By default, where the second cache does not hold what they come to: few lines are read and
// written at once then. On a Zen 4 80x80x48 takes 0.9 of the time of tiles of 16, 112x112x80 0.92.
#define MOST_ROWS_PAST_L2 8
#define LEAST_DEPTH 64 // in a part: each part adds to the output

//===--------------------------------------------------------------------------===//
// The convolution
//===--------------------------------------------------------------------------===//

// As many lanes of a vector as divide `extent`, `least` at least.
static int64_t dividing_lanes(int64_t extent, int64_t lanes, int64_t least) {
  while (extent % lanes && lanes / 2 >= least)
    lanes /= 2;
  return lanes;
}

// How fast the products of the direct convolution are beside those of whole vectors. Its vectors of
// channels are those that divide them, or whole ones with zeroes behind (contraction.c).
static double direct_rate(const tune_contraction_plan *direct) {
  double whole = (double)direct->lanes,
         parts = direct->cols_divide ? fmin((double)direct->nr_default / whole, 1) : 0;
  return fmax(tune_contraction_part_filled(direct->cols, direct->lanes), parts);
}

static bool find_convolution(tune_winograd_plan *plan) {
  tune_conv_nhwc conv;
  tune_winograd_find_group(plan);
  if (!tune_conv_nhwc_find(&plan->convolution, &conv))
    return false;
  for (size_t i = 0; i < 2; i++)
    if (conv.window[i] != TUNE_WINOGRAD_FILTER || conv.stride[i] != 1 || conv.dilation[i] != 1)
      return false;
  plan->depth = conv.depth_loop;
  plan->channel = conv.channel_loop;
  plan->line = conv.line_loop;
  plan->batch = conv.batch_loop;
  int64_t lanes = plan->contraction.lanes;
  plan->winograd = (tune_winograd){.tile = TUNE_WINOGRAD_LARGE_TILE,
                                   .has_batch = conv.has_batch,
                                   .batch = conv.batch,
                                   .height = conv.height,
                                   .width = conv.width,
                                   .depth = conv.depth,
                                   .channels = conv.channels,
                                   // Products in half vectors, and in quarters next to none.
                                   .lanes = dividing_lanes(conv.channels, lanes, lanes / 2),
                                   .depth_lanes = dividing_lanes(conv.depth, lanes, 4),
                                   .most_lanes = lanes,
                                   .direct_rate = direct_rate(&plan->contraction)};
  // An image of which not all is read has another type than the transform of its tiles.
  return conv.image_height == conv.height + TUNE_WINOGRAD_FILTER - 1 &&
         conv.image_width == conv.width + TUNE_WINOGRAD_FILTER - 1;
}

// An epilogue is done row by row, in vectors along the output: its own order has to be the same.
static bool is_in_order(const tune_nest *epilogue, size_t rank) {
  const tune_operand *output = &epilogue->operands[epilogue->operand_count - 1];
  if (epilogue->loop_count != rank || output->rank != rank ||
      epilogue->operand_count != epilogue->input_count + 1)
    return false;
  for (size_t i = 0; i < rank; i++)
    if (!tune_operand_is_loop(output, i, i))
      return false;
  return true;
}

// Whether register tiles of `mr` rows would have at most a sixteenth more rows than there are.
static bool divides_nearly(int64_t rows, int64_t mr) {
  return (rows + mr - 1) / mr * mr * 16 <= rows * 17;
}

// Register tiles as few as can be with at most `most` rows, of about the same height; all of the
// same where that takes few more.
static int64_t choose_rows(int64_t rows, int64_t most) {
  most = most < 1 ? 1 : most < rows ? most : rows;
  int64_t fewest = (rows + most - 1) / most;
  for (int64_t mr = most; mr > 1 && 4 * rows <= 5 * fewest * mr; mr--)
    if (rows % mr == 0)
      return mr;
  return (rows + fewest - 1) / fewest;
}

// The channels of a block, and of a register tile. A vector of them; two where registers are few,
// since an element of the image is loaded for each of their products then, which AVX2 has no
// operand for. There three or five, where two do not divide them: 24, 40 and 72 channels take 0.69
// to 0.75 of the time that they take one by one.
static void choose_block(const tune_machine *machine, tune_winograd_plan *plan) {
  int64_t lanes = plan->winograd.lanes, channels = plan->winograd.channels, chosen = 1;
  bool is_few = machine->vector_registers <= 16, has_pairs = channels % (2 * lanes) == 0;
  for (int64_t vectors = 1; vectors <= 5; vectors++) {
    bool is_odd = vectors == 3 || vectors == 5;
    if (channels % (vectors * lanes) || (is_odd && (!is_few || has_pairs)))
      continue;
    tune_value_set_add(&plan->block, vectors * lanes);
    tune_value_set_add(&plan->nr, vectors * lanes);
    if (is_few && chosen == 1) // the first after one
      chosen = vectors;
  }
  plan->block_default = plan->nr_default = chosen * lanes;
}

bool tune_winograd_choose(const tune_machine *machine, tune_winograd_plan *plan) {
  const tune_winograd *winograd = &plan->winograd;
  plan->threads = machine->threads;
  int64_t lanes = winograd->lanes;
  // Smaller outputs are mostly what stands over their edge.
  if (winograd->depth < TUNE_WINOGRAD_LEAST_DEPTH || winograd->depth % winograd->depth_lanes ||
      winograd->channels % lanes || winograd->height < TUNE_WINOGRAD_LARGE_TILE ||
      winograd->width < TUNE_WINOGRAD_LARGE_TILE)
    return false;
  choose_block(machine, plan);
  for (int64_t kr = 1; kr <= 8; kr *= 2)
    if (winograd->depth % kr == 0)
      tune_value_set_add(&plan->kr, kr);
  // As much of the depth as leaves the transformed filters a good third of the second cache.
  int64_t products = TUNE_WINOGRAD_MOST_PRODUCTS * TUNE_WINOGRAD_MOST_PRODUCTS;
  int64_t fitting = (int64_t)machine->l2_bytes * 3 / 8 / (products * plan->block_default * 4);
  plan->kc_default = winograd->depth;
  tune_value_set_add(&plan->kc, winograd->depth);
  for (int64_t kc = winograd->depth / 2;
       kc >= LEAST_DEPTH && plan->kc.count < TUNE_WINOGRAD_MOST_SIZES; kc /= 2) {
    if (winograd->depth % kc || kc % winograd->depth_lanes)
      break;
    tune_value_set_add(&plan->kc, kc);
    if (plan->kc_default > fitting)
      plan->kc_default = kc;
  }
  // Rows whose tile fits the registers, best those that divide all and are not few.
  tune_winograd_choose_bands(machine, plan);
  tune_winograd large = *winograd, small;
  if (plan->bands.is_default) {
    large.batch = 1;
    large.height = plan->bands.lines;
  }
  small = large;
  small.tile = TUNE_WINOGRAD_SMALL_TILE;
  int64_t tiles = tune_winograd_tiles(&large), small_tiles = tune_winograd_tiles(&small);
  int64_t width = plan->nr_default / lanes;
  int64_t fit = (machine->vector_registers - 1 - width) / width;
  for (int64_t mr = 2; mr <= MOST_ROWS && mr <= small_tiles; mr++)
    if (divides_nearly(tiles, mr) || divides_nearly(small_tiles, mr))
      tune_value_set_add(&plan->mr, mr);
  // What a block of channels comes to, of all products.
  int64_t block_bytes = products * tiles * plan->block_default * 4;
  int64_t most = block_bytes > machine->l2_bytes * 3 / 4 ? MOST_ROWS_PAST_L2 : MOST_ROWS;
  plan->mr_default = choose_rows(tiles, fit < most ? fit : most);
  tune_value_set_add(&plan->mr, plan->mr_default);
  return true;
}

double tune_winograd_gain(const tune_winograd *winograd) {
  // For each pair of channels, of the image and of the output. Parts of vectors take as long as
  // whole ones.
  double most = (double)winograd->most_lanes;
  tune_winograd_cost cost = {.pixels =
                                 (double)(winograd->batch * winograd->height * winograd->width),
                             .tiles = (double)tune_winograd_tiles(winograd),
                             .depth = (double)winograd->depth,
                             .channels = (double)winograd->channels,
                             .channel_parts = most / (double)winograd->lanes,
                             .depth_parts = most / (double)winograd->depth_lanes,
                             .direct_rate = winograd->direct_rate};
  return tune_winograd_cost_gain(&cost);
}

bool tune_winograd_pays(const tune_winograd *winograd) {
  return tune_winograd_gain(winograd) > 1.25;
}

static bool make_plan(const tune_structure *structure, const tune_machine *machine,
                      tune_winograd_plan *plan) {
  *plan = (tune_winograd_plan){0};
  tune_contraction_plan *contraction = &plan->contraction;
  if (structure->is_dynamic || !tune_contraction_plan_make(structure, machine, contraction) ||
      contraction->other_count || !find_convolution(plan))
    return false;
  if (contraction->epilogue &&
      !is_in_order(contraction->epilogue, contraction->anchor->operands[2].rank))
    return false;
  // By parts of vectors only where that is the default: else the channels are better filled up.
  return tune_winograd_choose(machine, plan) &&
         ((plan->winograd.lanes == contraction->lanes &&
           plan->winograd.depth_lanes == contraction->lanes) ||
          tune_winograd_pays(&plan->winograd));
}

//===--------------------------------------------------------------------------===//
// Knobs
//===--------------------------------------------------------------------------===//

void tune_winograd_write_knobs(const tune_winograd_plan *plan, const tune_machine *machine,
                               tune_writer *w) {
  tune_writer_knob(w, "winograd_block", "tile", TUNE_LEVEL_LINALG, &plan->block,
                   plan->block_default);
  tune_writer_knob(w, "winograd_kc", "tile", TUNE_LEVEL_LINALG, &plan->kc, plan->kc_default);
  tune_writer_knob(w, "winograd_mr", "tile", TUNE_LEVEL_VECTOR, &plan->mr, plan->mr_default);
  tune_writer_knob(w, "winograd_nr", "tile", TUNE_LEVEL_VECTOR, &plan->nr, plan->nr_default);
  tune_writer_knob(w, "winograd_kr", "unroll", TUNE_LEVEL_VECTOR, &plan->kr,
                   tune_value_set_at_most(&plan->kr, 4));
  tune_writer_constraint(w, "a block of channels is made of whole register tiles",
                         "winograd_block %% winograd_nr == 0");
  tune_writer_register_constraint(w, plan->winograd.lanes, machine->vector_registers, "winograd_mr",
                                  "winograd_nr");
}

// Register tiles are no higher than the rows there are.
void tune_winograd_write_row_constraint(int64_t tiles, const tune_winograd_plan *plan,
                                        tune_writer *w) {
  if (plan->mr.values[plan->mr.count - 1] <= tiles)
    return;
  tune_writer_constraint(w, "a register tile has no more rows than there are",
                         "winograd_mr <= %" PRId64, tiles);
}

//===--------------------------------------------------------------------------===//
// The steps
//===--------------------------------------------------------------------------===//

// The op after the convolution, if there is one: rows in parallel, in it vectors of channels.
static void write_epilogue(const tune_winograd_plan *plan, tune_writer *w) {
  size_t rank = plan->contraction.anchor->operands[2].rank, order[TUNE_MAX_LOOPS];
  char sizes[128], lanes[24];
  tune_tiling rows = {{0}}, vectors = {{0}};
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  snprintf(lanes, sizeof lanes, "%" PRId64, plan->winograd.lanes);
  for (size_t i = 0; i + 2 < rank; i++)
    rows.size[i] = "1";
  vectors.size[rank - 2] = "1";
  vectors.size[rank - 1] = lanes;
  tune_writer_line(w, "%%after = transform.get_consumers_of_result %%anchor[0] : (" OP ") -> " OP);
  tune_writer_line(w,
                   "%%after_rows, %%after_loop = transform.structured.tile_using_forall %%after "
                   "tile_sizes %s",
                   tune_writer_sizes(sizes, sizeof sizes, &rows, order, rank));
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
  tune_writer_tile(w, "%after_vector", "%after_loops", "%after_rows", &vectors, order, rank, NULL);
}

// Parts of the depth, and in them blocks of channels.
static void write_blocks(const tune_winograd_plan *plan, const char *anchor, tune_writer *w) {
  size_t order[TUNE_MAX_LOOPS], loops = plan->convolution.loop_count;
  char sizes[128];
  tune_tiling blocks = {{0}}, parts = {{0}};
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  blocks.size[plan->channel] = "%winograd_block";
  parts.size[plan->depth] = "%winograd_kc";
  // Patterns replace ops without the knowledge of the handles to them, which are not to be there
  // when they do.
  tune_writer_begin_foreach(w, anchor, "%convolution");
  tune_writer_tile(w, "%part", "%parts", "%convolution", &parts, order, loops, NULL);
  tune_writer_line(w,
                   "%%block, %%outer = transform.structured.tile_using_forall %%part tile_sizes "
                   "%s",
                   tune_writer_sizes(sizes, sizeof sizes, &blocks, order, loops));
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
}

void tune_winograd_write_matmul(tune_writer *w) {
  tune_writer_apply_pass(w, "tosa-to-linalg-named", "%transformed");
  // Before a canonicalization finds out that the filters are transposed twice.
  tune_writer_match_op(w, "%multiplied", "\"linalg.batch_matmul\"");
  tune_writer_line(w, "%%columns = transform.get_producer_of_operand %%multiplied[1] : (" OP
                      ") -> " OP);
  tune_writer_line(w,
                   "%%seen_columns = transform.structured.generalize %%columns : (" OP ") -> " OP);
}

// A block of channels and part of the depth becomes three transforms and products. `w->func` is
// another handle after it.
static void write_convolutions(const tune_winograd_plan *plan, int64_t tile, tune_writer *w) {
  enum { MOST = TUNE_WINOGRAD_MOST_HEIGHTS * TUNE_WINOGRAD_MOST_SIZES * TUNE_WINOGRAD_MOST_SIZES };
  const char *names[MOST];
  char buffers[MOST][48];
  tune_winograd heights[TUNE_WINOGRAD_MOST_HEIGHTS];
  size_t count = 0, height_count = tune_winograd_parts(plan, tile, heights);
  tune_pdl_begin_patterns(w);
  for (size_t h = 0; h < height_count; h++)
    for (size_t i = 0; i < plan->block.count; i++)
      for (size_t j = 0; j < plan->kc.count; j++) {
        tune_winograd part = heights[h];
        part.depth = plan->kc.values[j];
        const char *prefix[] = {"winograd", "winograd_band", "winograd_rest"};
        snprintf(buffers[count], sizeof buffers[count], "%s_%" PRId64 "x%" PRId64, prefix[h],
                 part.depth, plan->block.values[i]);
        names[count] = buffers[count];
        tune_winograd_write_convolution(&part, names[count++], plan->block.values[i], w);
      }
  tune_pdl_end_patterns(names, count, w);
  tune_winograd_write_matmul(w);
}

// The transforms as loops over tiles and vectors of channels, the weights of one channel of the
// image after the other as they are in memory.
void tune_winograd_write_transforms(const tune_winograd_plan *plan, const tune_winograd *winograd,
                                    tune_writer *w) {
  int64_t lanes = winograd->lanes;
  tune_writer_match_op(w, "%of_filter", "\"linalg.transpose\"");
  tune_writer_match_op(w, "%of_image", "\"linalg.winograd_input_transform\"");
  tune_writer_match_op(w, "%of_result", "\"linalg.winograd_output_transform\"");
  tune_writer_begin_foreach(w, "%of_filter", "%filters");
  tune_writer_line(
      w,
      "%%filter_tile, %%filter_loops:2 = transform.structured.tile_using_for %%filters "
      "tile_sizes [1, 0, %" PRId64 "]",
      lanes);
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ", " OP ")");
  tune_writer_end_foreach(w);
  for (int i = 0; i < 2; i++) {
    tune_writer_begin_foreach(w, i ? "%of_result" : "%of_image", "%tiles");
    tune_writer_line(w,
                     "%%tile, %%tile_loops:4 = transform.structured.tile_using_for %%tiles "
                     "tile_sizes [0, 0, 1, 1, 1, %" PRId64 "]",
                     i ? lanes : winograd->depth_lanes);
    tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ", " OP ", " OP ", " OP ")");
    if (i == 0)
      tune_writer_line(w, "%%one_loop = transform.loop.coalesce %%tile_loops#0 : (" OP ") -> " OP);
    if (i == 0 && plan->threads > 1)
      tune_writer_line(w, "transform.annotate %%one_loop \"tune.threads\" : " OP);
    tune_writer_end_foreach(w);
  }
  tune_pdl_begin_patterns(w);
  tune_winograd_write_image(winograd, "winograd_image", w);
  tune_winograd_write_filter(winograd, "winograd_filter", w);
  tune_winograd_write_output(winograd, "winograd_output", w);
  tune_pdl_end_patterns(
      (const char *const[]){"winograd_image", "winograd_filter", "winograd_output"}, 3, w);
}

// The batch of matrix products: mr tiles x nr channels in registers.
void tune_winograd_write_products(tune_writer *w) {
  tune_nest product = {.is_reduction = {false, false, true}};
  tune_nest line = {.is_reduction = {false, true}}; // of a single row
  tune_nest plane = {.is_reduction = {false, false}};
  size_t order[] = {0, 1, 2};
  tune_tiling step = {{NULL, NULL, "%winograd_kr"}}, line_step = {{NULL, "%winograd_kr"}};
  tune_writer_match_op(w, "%batch", "\"linalg.batch_matmul\"");
  tune_writer_line(w, "%%products = transform.structured.generalize %%batch : (" OP ") -> " OP);
  tune_writer_line(w,
                   "%%start = transform.get_producer_of_operand %%products[2] : (" OP ") -> " OP);
  tune_writer_line(w, "%%filled = transform.structured.generalize %%start : (" OP ") -> " OP);
  tune_writer_cleanup(w);
  tune_writer_line(w, "%%tile, %%loops:3 = transform.structured.fuse %%products tile_sizes "
                      "[1, %%winograd_mr, %%winograd_nr, 0] interchange [0, 2, 1, 3]");
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ") -> (" OP ", " OP ", " OP ", " OP ")");
  tune_writer_peel(w, "%loops#2");
  tune_writer_cleanup(w);
  tune_writer_fold_unit_dims(w);
  tune_writer_match_generic(w, "%tiles", &product, NULL, 3, w->func);
  tune_writer_begin_foreach(w, "%tiles", "%one_tile");
  tune_writer_tile(w, "%step", "%step_loop", "%one_tile", &step, order, 3, NULL);
  tune_writer_end_foreach(w);
  tune_writer_match_generic(w, "%row_tiles", &line, NULL, 2, w->func);
  tune_writer_begin_foreach(w, "%row_tiles", "%row_tile");
  tune_writer_tile(w, "%row_step", "%row_loop", "%row_tile", &line_step, order, 2, NULL);
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
  tune_writer_match_generic(w, "%kernels", &product, NULL, 3, w->func);
  tune_writer_line(w, "transform.structured.vectorize %%kernels : " OP);
  // What starts the accumulators; a remainder of one row, and the op after, have one loop.
  for (size_t loops = 1; loops <= 2; loops++) {
    tune_writer_match_generic(w, loops == 1 ? "%lines" : "%planes", &plane, NULL, loops, w->func);
    tune_writer_vectorize_each(w, loops == 1 ? "%lines" : "%planes");
  }
  tune_writer_match_generic(w, "%last_rows", &line, NULL, 2, w->func);
  tune_writer_begin_foreach(w, "%last_rows", "%last_row");
  tune_writer_line(w, "transform.structured.vectorize %%last_row : " OP);
  tune_writer_end_foreach(w);
  tune_writer_vector_cleanup(w, false);
}

static void write_winograd(const tune_winograd_plan *plan, const tune_machine *machine,
                           tune_writer *w) {
  const tune_nest *anchor = plan->contraction.anchor;
  tune_winograd_write_knobs(plan, machine, w);
  tune_writer_match_generic(w, "%anchor", anchor, NULL, anchor->loop_count, w->func);
  tune_writer_match_op(w, "%pads", "\"tensor.pad\"");
  tune_writer_line(w, "%%padded = transform.structured.rewrite_in_destination_passing_style %%pads "
                      ": (" OP ") -> " OP);
  if (plan->contraction.epilogue)
    write_epilogue(plan, w);
  if (plan->group != TUNE_NO_LOOP)
    tune_winograd_write_groups(plan, w);
  if (plan->bands.lines)
    tune_winograd_write_bands(plan, "%anchor", w);
  write_blocks(plan,
               plan->group != TUNE_NO_LOOP ? "%of_group"
               : plan->bands.lines         ? "%of_lines"
                                           : "%anchor",
               w);
  const char *func = w->func;
  tune_writer_begin_alternatives(w, "%as_products", "winograd_tile", TUNE_LEVEL_LINALG,
                                 "\"4x4\", \"2x2\"", 0, 1);
  for (int i = 0; i < 2; i++) {
    tune_winograd winograd = plan->winograd;
    winograd.tile = i ? TUNE_WINOGRAD_SMALL_TILE : TUNE_WINOGRAD_LARGE_TILE;
    if (i) {
      tune_writer_next_alternative(w, w->func, 1);
      w->func = func;
    } else {
      tune_winograd_write_row_constraint(tune_winograd_tiles(&winograd), plan, w);
    }
    write_convolutions(plan, winograd.tile, w);
    tune_winograd_write_transforms(plan, &winograd, w);
  }
  tune_writer_end_alternatives(w, w->func, 1);
  w->func = "%as_products";
  tune_winograd_write_products(w);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static bool winograd_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_winograd_plan plan;
  return make_plan(structure, machine, &plan);
}

static void winograd_write(const tune_structure *structure, const tune_machine *machine,
                           tune_writer *w) {
  tune_winograd_plan plan;
  tune_im2col im2col;
  if (!make_plan(structure, machine, &plan))
    return;
  bool has_im2col = tune_im2col_make(structure, machine, &im2col);
  tune_writer_begin_tensors(w, "rule 'winograd': a convolution with 3x3 windows, direct or not");
  tune_writer_begin_alternatives(w, "%scheduled", "algorithm", TUNE_LEVEL_LINALG,
                                 has_im2col ? "\"direct\", \"winograd\", \"im2col\""
                                            : "\"direct\", \"winograd\"",
                                 tune_winograd_pays(&plan.winograd), 1);
  tune_contraction_write_steps(&plan.contraction, machine, w);
  tune_writer_next_alternative(w, w->func, 1);
  w->func = "%func";
  write_winograd(&plan, machine, w);
  if (has_im2col) {
    tune_writer_next_alternative(w, w->func, 1);
    w->func = "%func";
    tune_im2col_write_steps(&im2col, machine, w);
  }
  tune_writer_end_alternatives(w, w->func, 1);
  w->func = "%scheduled";
  tune_writer_end_tensors(w);
  tune_contraction_write_buffers(&plan.contraction, machine, w);
  tune_writer_main(w, structure);
}

// Half vectors of channels, where whole ones with zeroes behind have more lanes with something to
// do: the copies for these take a tenth.
static bool winograd_yields(const tune_structure *structure, const tune_machine *machine) {
  tune_winograd_plan plan;
  if (!make_plan(structure, machine, &plan) || plan.group != TUNE_NO_LOOP)
    return false;
  const tune_winograd *winograd = &plan.winograd;
  double filled = tune_contraction_part_filled(winograd->channels, winograd->most_lanes);
  return 10 * filled > 11 * (double)winograd->lanes / (double)winograd->most_lanes;
}

static double winograd_gain(const tune_structure *structure, const tune_machine *machine) {
  tune_winograd_plan plan;
  return make_plan(structure, machine, &plan) ? tune_winograd_gain(&plan.winograd) : 1;
}

const tune_rule tune_rule_winograd = {
    .name = "winograd",
    .summary = "3x3 convolutions of f32, channels innermost: direct, or by Winograd's transforms",
    .kinds = TUNE_KINDS_CPU,
    .takes_layouts = true,
    .applies = winograd_applies,
    .gain = winograd_gain,
    .yields = winograd_yields,
    .write = winograd_write,
};
