//===- winograd_nchw.c - 3x3 convolutions in NCHW: direct, or Winograd's -----===//
//
// Convolutions of f32 with 3x3 windows, stride 1 and channels before pixels (NCHW, FCHW), to whose
// image borders are added: what the rule 'conv_blocked' does, and as the other choice of a knob
// Winograd's F(4x4, 3x3) in vectors of channels, as in NHWC (winograd.c). Nothing is contiguous
// along the channels here, so that all that comes in or goes out is turned in registers, up to 16 x
// 16:
//
//  - the image when its borders are added, which needs a copy anyhow. It is made outside of the
//    blocks of channels, once;
//  - the filter of a block as a matrix of channels and all else: the windows innermost in it are
//    too short to be turned by themselves;
//  - the output in its last op, which also adds what started the accumulator, and takes the op in
//    that follows. A start of zeroes, which is the common one, is not added at all.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/conv/winograd_turned.h"
#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

// The ops that turn the filter, the image and the output, until they are made vectors.
#define FILTER_MARK "tune.filter"
#define IMAGE_MARK "tune.image"
#define LAST_MARK "tune.last"

typedef struct nchw_plan {
  tune_conv_plan conv;
  tune_winograd_plan winograd;
  int64_t image_turn; // pixels of a line of the image that are turned at a time
} nchw_plan;

//===--------------------------------------------------------------------------===//
// The convolution
//===--------------------------------------------------------------------------===//

// Borders around the pixels alone, in an image for nobody else.
static bool find_borders(const tune_structure *structure, const tune_operand *image,
                         tune_winograd *winograd) {
  if (image->producer == TUNE_NO_LOOP)
    return false;
  const tune_nest *pad = &structure->nests[image->producer];
  if (pad->kind != TUNE_NEST_PAD || pad->use_count != 1 || pad->is_returned)
    return false;
  for (size_t i = 0; i < image->rank; i++) {
    if (pad->pad_low[i] == TUNE_DYNAMIC_EXTENT || pad->pad_high[i] == TUNE_DYNAMIC_EXTENT ||
        (i + 2 < image->rank && (pad->pad_low[i] || pad->pad_high[i])))
      return false;
    if (i + 2 >= image->rank) {
      winograd->low[i + 2 - image->rank] = pad->pad_low[i];
      winograd->high[i + 2 - image->rank] = pad->pad_high[i];
    }
  }
  return true;
}

// The filter as f, c, p, q.
static bool has_filter_in_order(const tune_conv_plan *conv) {
  const tune_nest *anchor = conv->ops.anchor;
  const tune_operand *image = &anchor->operands[0], *filter = &anchor->operands[1];
  if (conv->filter != 1 || filter->rank != 4)
    return false;
  size_t rows = tune_conv_loop_of_dimension(anchor, filter, 2),
         columns = tune_conv_loop_of_dimension(anchor, filter, 3);
  return rows != TUNE_NO_LOOP && columns != TUNE_NO_LOOP &&
         tune_operand_is_loop(filter, 0, conv->channel) &&
         tune_operand_is_loop(filter, 1, conv->depth) &&
         tune_winograd_is_window(anchor, image, image->rank - 2, conv->line, rows) &&
         tune_winograd_is_window(anchor, image, image->rank - 1, conv->row, columns);
}

static bool find_convolution(nchw_plan *plan) {
  plan->winograd.channel = plan->conv.channel;
  return tune_winograd_read_turned(&plan->conv, &plan->winograd.winograd) &&
         has_filter_in_order(&plan->conv) &&
         find_borders(plan->conv.structure, &plan->conv.ops.anchor->operands[0],
                      &plan->winograd.winograd);
}

// The depth stays whole: each part of it would turn its sums.
static bool choose(const tune_machine *machine, tune_winograd_plan *plan) {
  if (!tune_winograd_choose(machine, plan))
    return false;
  plan->kc = (tune_value_set){.count = 1, .values = {plan->winograd.depth}};
  plan->kc_default = plan->winograd.depth;
  return true;
}

static bool make_plan(const tune_structure *structure, const tune_machine *machine,
                      nchw_plan *plan) {
  *plan = (nchw_plan){0};
  if (!tune_conv_plan_make(structure, machine, &plan->conv) || !find_convolution(plan))
    return false;
  const tune_winograd *winograd = &plan->winograd.winograd; // what is turned has no borders yet
  plan->image_turn = tune_conv_turned_pixels(machine, winograd->width + TUNE_WINOGRAD_FILTER - 1 -
                                                          winograd->low[1] - winograd->high[1]);
  return choose(machine, &plan->winograd);
}

//===--------------------------------------------------------------------------===//
// The steps
//===--------------------------------------------------------------------------===//

static void annotate(tune_writer *w, const char *target, const char *attribute) {
  tune_writer_line(w, "transform.annotate %s \"%s\" : " OP, target, attribute);
}

// Dimensions of what is turned in registers, and how much of each at a time.
typedef struct turn_plan {
  size_t rank, channels, pixels;
  int64_t channel_side, pixel_side;
} turn_plan;

static void write_turn(tune_writer *w, const char *mark, const char *result,
                       const turn_plan *turn) {
  size_t order[TUNE_MAX_LOOPS];
  char sizes[128], channels[24], pixels[24];
  snprintf(channels, sizeof channels, "%" PRId64, turn->channel_side);
  snprintf(pixels, sizeof pixels, "%" PRId64, turn->pixel_side);
  tune_tiling tile = {{0}};
  for (size_t i = 0; i < turn->rank; i++) {
    order[i] = i;
    tile.size[i] = i == turn->channels ? channels : i == turn->pixels ? pixels : "1";
  }
  tune_writer_line(w,
                   "%s = transform.structured.match ops{[\"linalg.generic\"]} "
                   "attributes{%s} in %s : (" OP ") -> " OP,
                   result, mark, w->func);
  tune_writer_begin_foreach(w, result, "%one_turn");
  tune_writer_tile(w, "%turn", "%turn_loops", "%one_turn", &tile, order, turn->rank, NULL);
  tune_writer_try_vectorize(w, "%turn",
                            tune_writer_sizes(sizes, sizeof sizes, &tile, order, turn->rank));
  tune_writer_end_foreach(w);
}

static int64_t image_side(const nchw_plan *plan) {
  return tune_turned_side(plan->winograd.winograd.depth);
}

// The image with its borders, channels innermost. Up to 16 channels in parallel, of all lines one
// after the other: as many places that are read from, each as it comes in memory. Patterns replace
// ops without the knowledge of the handles to them, which are not to be there when they do.
static void write_image(const nchw_plan *plan, tune_writer *w) {
  size_t rank = plan->conv.ops.anchor->operands[2].rank;
  tune_writer_match_op(w, "%pads", "\"tensor.pad\"");
  tune_writer_begin_foreach(w, "%pads", "%one_pad");
  tune_writer_line(w, "%%padded = transform.structured.rewrite_in_destination_passing_style "
                      "%%one_pad : (" OP ") -> " OP);
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
  tune_pdl_begin_patterns(w);
  tune_winograd_write_borders(&plan->winograd.winograd, "winograd_borders", w);
  tune_pdl_end_patterns((const char *const[]){"winograd_borders"}, 1, w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.tensor.fold_tensor_empty");
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} : " OP);
  tune_writer_apply_pass(w, "tosa-to-linalg-named", "%with_image");
  tune_writer_match_op(w, "%copy_of_image", "\"linalg.transpose\"");
  tune_writer_line(w,
                   "%%part_of_image, %%parts = transform.structured.tile_using_forall "
                   "%%copy_of_image tile_sizes [%s%" PRId64 "]",
                   rank == 4 ? "1, 0, 0, " : "0, 0, ", image_side(plan));
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
  tune_writer_line(w, "%%turned_part = transform.structured.generalize %%part_of_image : (" OP
                      ") -> " OP);
  annotate(w, "%turned_part", IMAGE_MARK);
}

// Blocks of channels, and what starts them and follows them.
static void write_outer(const nchw_plan *plan, tune_writer *w) {
  const tune_conv_ops *ops = &plan->conv.ops;
  const tune_nest *anchor = ops->anchor;
  size_t order[TUNE_MAX_LOOPS];
  char sizes[128];
  tune_tiling blocks = {{0}};
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    order[i] = i;
  blocks.size[ops->epilogue ? plan->conv.channel_dimension : plan->conv.channel] =
      "%winograd_block";
  tune_writer_match_generic(w, "%anchor", anchor, NULL, anchor->loop_count, w->func);
  tune_writer_begin_foreach(w, "%anchor", "%convolution");
  tune_writer_line(w, "%%first = transform.get_producer_of_operand %%convolution[2] : (" OP
                      ") -> " OP);
  if (ops->epilogue)
    tune_writer_line(w, "%%root = transform.get_consumers_of_result %%convolution[0] : (" OP
                        ") -> " OP);
  tune_writer_line(
      w, "%%block, %%outer = transform.structured.tile_using_forall %s tile_sizes %s",
      ops->epilogue ? "%root" : "%convolution",
      tune_writer_sizes(sizes, sizeof sizes, &blocks, order,
                        ops->epilogue ? ops->epilogue->loop_count : anchor->loop_count));
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  if (ops->epilogue)
    tune_writer_fuse_into(w, "%convolution_block", "%convolution", "%outer", "%outer_1");
  tune_writer_fuse_into(w, "%first_block", "%first", ops->epilogue ? "%outer_1" : "%outer",
                        "%outer_2");
  tune_writer_end_foreach(w);
}

// What patterns of which kind there are: `prefix` and a block of channels.
typedef struct pattern_names {
  size_t count;
  char text[2 * TUNE_MAX_DOMAIN][40];
  const char *names[2 * TUNE_MAX_DOMAIN];
} pattern_names;

static const char *add_name(pattern_names *names, const char *prefix, int64_t block) {
  char *text = names->text[names->count];
  snprintf(text, sizeof names->text[0], "%s_%" PRId64, prefix, block);
  return names->names[names->count++] = text;
}

// The filter's copy; and in one op what turns the output, adds to it and follows it. The
// convolution is a cast meanwhile.
static void write_last_op(const nchw_plan *plan, tune_writer *w) {
  const tune_winograd_plan *winograd = &plan->winograd;
  pattern_names names = {0};
  tune_writer_cleanup(w);
  tune_pdl_begin_patterns(w);
  for (size_t i = 0; i < winograd->block.count; i++) {
    int64_t block = winograd->block.values[i];
    tune_winograd_write_turns(&winograd->winograd, add_name(&names, "from_zero", block), block,
                              true, w);
    tune_winograd_write_turns(&winograd->winograd, add_name(&names, "from_other", block), block,
                              false, w);
  }
  tune_pdl_end_patterns(names.names, names.count, w);
  tune_writer_apply_pass(w, "tosa-to-linalg-named", "%with_turns");
  tune_writer_cleanup(w); // the other cast is gone
  tune_writer_match_op(w, "%casts", "\"builtin.unrealized_conversion_cast\"");
  tune_writer_line(w, "%%weights = transform.get_producer_of_operand %%casts[1] : (" OP ") -> " OP);
  tune_writer_line(w, "%%filter_copy = transform.get_producer_of_operand %%weights[0] : (" OP
                      ") -> " OP);
  tune_writer_line(w, "%%turned_sums = transform.get_consumers_of_result %%casts[0] : (" OP
                      ") -> " OP);
  tune_writer_line(w,
                   "%%of_sums = transform.structured.generalize %%turned_sums : (" OP ") -> " OP);
  tune_writer_line(w, "%%of_weights = transform.structured.generalize %%filter_copy : (" OP
                      ") -> " OP);
  annotate(w, "%of_weights", FILTER_MARK);
  // In tiles, lest the fusion gives it the shape that the filter has after it.
  char side[24];
  snprintf(side, sizeof side, "%" PRId64, tune_turned_side(winograd->winograd.channels));
  tune_tiling block = {{"16", side}};
  tune_writer_tile(w, "%of_block", "%loops_of_weights", "%of_weights", &block, (size_t[]){0, 1}, 2,
                   NULL);
  tune_writer_apply_pass(w, "tosa-to-linalg", "%with_sums");
  tune_writer_apply_pass(w, "linalg-fuse-elementwise-ops", "%fused");
  tune_writer_cleanup(w);
  tune_writer_begin_scope(w, "%in_scope");
  tune_writer_line(w,
                   "%%convolutions = transform.structured.match "
                   "ops{[\"builtin.unrealized_conversion_cast\"]} in %%in_scope : (" OP ") -> " OP);
  tune_writer_line(w, "%%last = transform.get_consumers_of_result %%convolutions[0] : (" OP
                      ") -> " OP);
  annotate(w, "%last", LAST_MARK);
  tune_writer_end_scope(w);
}

// The convolution of each block becomes three transforms and products.
static void write_blocks(const nchw_plan *plan, tune_writer *w) {
  const tune_winograd_plan *winograd = &plan->winograd;
  size_t rank = plan->conv.ops.anchor->operands[2].rank;
  pattern_names names = {0};
  tune_pdl_begin_patterns(w);
  for (size_t i = 0; i < winograd->block.count; i++) {
    int64_t block = winograd->block.values[i];
    tune_winograd_write_turned_convolution(&winograd->winograd, add_name(&names, "winograd", block),
                                           block, w);
  }
  tune_pdl_end_patterns(names.names, names.count, w);
  tune_winograd_write_matmul(w);
  // Straight into its place.
  tune_writer_line(w, "transform.bufferization.eliminate_empty_tensors %s : " OP, w->func);
  // No pass may follow: it verifies, and some masks do not hold up to that.
  int64_t channels = tune_turned_side(winograd->winograd.channels);
  write_turn(
      w, FILTER_MARK, "%filter_copies",
      &(turn_plan){
          .rank = 2, .pixels = 0, .pixel_side = 16, .channels = 1, .channel_side = channels});
  write_turn(w, IMAGE_MARK, "%image_copies",
             &(turn_plan){.rank = rank,
                          .pixels = rank - 2,
                          .pixel_side = plan->image_turn,
                          .channels = rank - 1,
                          .channel_side = image_side(plan)});
  write_turn(w, LAST_MARK, "%last_ops",
             &(turn_plan){.rank = rank,
                          .channels = rank - 3,
                          .channel_side = channels,
                          .pixels = rank - 1,
                          .pixel_side = plan->conv.turn});
}

static void write_winograd(const nchw_plan *plan, const tune_machine *machine, tune_writer *w) {
  tune_winograd_write_knobs(&plan->winograd, machine, w);
  tune_winograd_write_row_constraint(tune_winograd_tiles(&plan->winograd.winograd), &plan->winograd,
                                     w);
  write_image(plan, w);
  write_outer(plan, w);
  write_last_op(plan, w);
  write_blocks(plan, w);
  tune_winograd_write_transforms(&plan->winograd, &plan->winograd.winograd, w);
  tune_winograd_write_products(w);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static bool winograd_nchw_applies(const tune_structure *structure, const tune_machine *machine) {
  nchw_plan plan;
  return make_plan(structure, machine, &plan);
}

static void winograd_nchw_write(const tune_structure *structure, const tune_machine *machine,
                                tune_writer *w) {
  nchw_plan plan;
  if (!make_plan(structure, machine, &plan))
    return;
  tune_writer_begin_tensors(w,
                            "rule 'winograd_nchw': a convolution with 3x3 windows, direct or not");
  tune_writer_begin_alternatives(w, "%scheduled", "algorithm", TUNE_LEVEL_LINALG,
                                 "\"direct\", \"winograd\"",
                                 tune_winograd_pays(&plan.winograd.winograd), 1);
  tune_conv_blocked_write_steps(&plan.conv, w);
  tune_writer_next_alternative(w, w->func, 1);
  w->func = "%func";
  write_winograd(&plan, machine, w);
  tune_writer_end_alternatives(w, w->func, 1);
  tune_writer_end_sequence(w);
  tune_conv_blocked_write_buffers(&plan.conv, machine, w);
  tune_writer_main(w, structure);
}

static double winograd_nchw_gain(const tune_structure *structure, const tune_machine *machine) {
  nchw_plan plan;
  return make_plan(structure, machine, &plan) ? tune_winograd_gain(&plan.winograd.winograd) : 1;
}

const tune_rule tune_rule_winograd_nchw = {
    .name = "winograd_nchw",
    .summary = "3x3 convolutions of f32, channels before pixels: direct, or Winograd's transforms",
    .kinds = TUNE_KINDS_CPU,
    .takes_layouts = true,
    .applies = winograd_nchw_applies,
    .gain = winograd_nchw_gain,
    .write = winograd_nchw_write,
};
