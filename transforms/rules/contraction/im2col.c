//===- im2col.c - The space of convolutions as matrix products of patches ----===//
//
// The order of the steps, as learnt on MLIR 22.1.8: upstream's own img2col wants a named op with a
// batch, and gives an op that indexes by division, which does not become vectors. So lines are
// tiled first, and a pattern (im2col_patterns.c) makes slices of the image, strided where the
// convolution is, into rows of patches; these are copied in runs of the depth.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/im2col.h"

#include "transforms/rules/contraction/contraction_steps.h"
#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"
#define MOST_VALUES 49 // of a window: each is a slice in each pattern

//===--------------------------------------------------------------------------===//
// The convolution
//===--------------------------------------------------------------------------===//

static bool find_convolution(tune_im2col *p) {
  if (!tune_conv_nhwc_find(p->ops.anchor, &p->conv))
    return false;
  // Slices of one step lose their dimension while upstream folds what unfolds them, without an end.
  bool is_flat = p->conv.height < 2 || p->conv.width < 2 || p->conv.depth < 2;
  return !is_flat && p->conv.window[0] * p->conv.window[1] <= MOST_VALUES;
}

static int64_t depth_of_patch(const tune_im2col *p) {
  return p->conv.window[0] * p->conv.window[1] * p->conv.depth;
}

// Few lines, whose patches are read again from the nearest of caches; or as many as there is room
// for, where the filter is copied into panels for each band of them (its columns fill no vectors)
// or read for few rows. There is a band for each of the threads.
static void choose_lines(const tune_machine *machine, tune_im2col *p) {
  enum { FEW_ROWS = 48 };
  int64_t bytes = p->conv.width * depth_of_patch(p) * 4, threads = machine->threads;
  bool has_panels = p->conv.channels % (machine->vector_bits / 32) != 0;
  size_t most = p->conv.window[0] * p->conv.window[1] > 25 ? 2 : TUNE_IM2COL_MOST_SIZES;
  tune_value_set sizes = {0};
  tune_value_set_add(&sizes, 1);
  tune_value_set_add_divisors(&sizes, p->conv.height, 2, machine->l2_bytes / bytes, 1);
  for (size_t i = 0; i < sizes.count; i++) {
    int64_t lines = sizes.values[i];
    bool is_few = has_panels || p->lines_default * p->conv.width < FEW_ROWS;
    if (lines * bytes <= machine->l2_bytes / (is_few ? 1 : 4) &&
        p->conv.batch * p->conv.height / lines >= threads)
      p->lines_default = lines;
  }
  tune_value_set_add(&p->lines, p->lines_default);
  for (size_t i = sizes.count; i-- > 0 && p->lines.count < most;)
    tune_value_set_add(&p->lines, sizes.values[i]);
}

static tune_operand matrix(size_t row_loop, int64_t rows, size_t column_loop, int64_t columns) {
  tune_operand operand = {.type = "f32",
                          .bits = 32,
                          .rank = 3,
                          .shape = {1, rows, columns},
                          .producer = TUNE_NO_LOOP,
                          .argument = TUNE_NO_LOOP};
  const size_t loops[] = {0, row_loop, column_loop};
  for (size_t i = 0; i < 3; i++) {
    operand.index[i].is_linear = true;
    operand.index[i].coefficient[loops[i]] = 1;
  }
  return operand;
}

// A batch of one, of which `lines_default` lines are the rows.
static bool make_product(const tune_machine *machine, tune_im2col *p) {
  int64_t rows = p->lines_default * p->conv.width, depth = depth_of_patch(p);
  p->nests[0] = (tune_nest){.kind = TUNE_NEST_FILL,
                            .op_name = "linalg.fill",
                            .loop_count = 3,
                            .extent = {1, rows, p->conv.channels},
                            .use_count = 1};
  p->nests[1] =
      (tune_nest){.kind = TUNE_NEST_GENERIC,
                  .op_name = "linalg.generic",
                  .loop_count = 4,
                  .extent = {1, rows, p->conv.channels, depth},
                  .is_reduction = {false, false, false, true},
                  .reduction_count = 1,
                  .input_count = 2,
                  .operand_count = 3,
                  .operands = {matrix(1, rows, 3, depth), matrix(3, depth, 2, p->conv.channels),
                               matrix(1, rows, 2, p->conv.channels)},
                  .multiplies_and_adds = true,
                  .combines = true,
                  .is_returned = true};
  p->nests[1].operands[2].producer = 0;
  p->structure = (tune_structure){.nest_count = 2, .nests = p->nests, .is_regular = true};
  tune_machine one = *machine; // threads have lines
  one.threads = 1;
  if (!tune_contraction_plan_make(&p->structure, &one, &p->product))
    return false;
  // However many lines there are, register tiles are no higher, and may leave rows over.
  tune_value_set *mr = &p->product.mr;
  while (mr->count > 1 && mr->values[mr->count - 1] > p->lines.values[0] * p->conv.width)
    mr->count--;
  p->product.mr_default = tune_value_set_at_most(mr, p->product.mr_default);
  p->product.rows_divide = false;
  return true;
}

bool tune_im2col_make(const tune_structure *structure, const tune_machine *machine,
                      tune_im2col *p) {
  *p = (tune_im2col){.lines_default = 1};
  if (machine->vector_bits < 64 || structure->is_dynamic || !structure->is_regular ||
      !tune_conv_ops_find(structure, &p->ops) || !find_convolution(p))
    return false;
  choose_lines(machine, p);
  return make_product(machine, p);
}

//===--------------------------------------------------------------------------===//
// The steps
//===--------------------------------------------------------------------------===//

// Lines in parallel, with what starts the sums and what follows them.
static void write_lines(const tune_im2col *p, tune_writer *w) {
  const tune_nest *anchor = p->ops.anchor, *root = p->ops.epilogue ? p->ops.epilogue : anchor;
  size_t order[TUNE_MAX_LOOPS], first = p->conv.has_batch ? 1 : 0;
  char sizes[128];
  tune_tiling lines = {{0}};
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  for (size_t i = 0; i <= first; i++) {
    size_t loop =
        p->ops.epilogue ? i : tune_conv_loop_of_dimension(anchor, &anchor->operands[2], i);
    lines.size[loop] = i == first ? "%lines" : "1";
  }
  tune_writer_match_op(w, "%borders", "\"tensor.pad\"");
  tune_writer_match_generic(w, "%anchor", anchor, NULL, anchor->loop_count, w->func);
  // Patterns replace ops without the knowledge of the handles to them, which are not to be there
  // when they do.
  tune_writer_begin_foreach(w, "%anchor", "%convolution");
  tune_writer_line(w, "%%first = transform.get_producer_of_operand %%convolution[2] : (" OP
                      ") -> " OP);
  if (p->ops.epilogue)
    tune_writer_line(w, "%%root = transform.get_consumers_of_result %%convolution[0] : (" OP
                        ") -> " OP);
  tune_writer_line(w, "%%band, %%outer = transform.structured.tile_using_forall %s tile_sizes %s",
                   p->ops.epilogue ? "%root" : "%convolution",
                   tune_writer_sizes(sizes, sizeof sizes, &lines, order, root->loop_count));
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  if (p->ops.epilogue)
    tune_writer_fuse_into(w, "%convolution_band", "%convolution", "%outer", "%outer_1");
  tune_writer_fuse_into(w, "%first_band", "%first", p->ops.epilogue ? "%outer_1" : "%outer",
                        "%outer_2");
  tune_writer_end_foreach(w);
  tune_writer_begin_foreach(w, "%borders", "%one_pad");
  tune_writer_line(w, "%%padded = transform.structured.rewrite_in_destination_passing_style "
                      "%%one_pad : (" OP ") -> " OP);
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
}

// The convolution of a band becomes patches and their product. Binds %patch_product and %start.
static void write_product(const tune_im2col *p, tune_writer *w) {
  char buffers[2 * TUNE_IM2COL_MOST_SIZES][40];
  const char *names[2 * TUNE_IM2COL_MOST_SIZES];
  size_t count = 0;
  bool is_filled = p->ops.init->kind == TUNE_NEST_FILL;
  tune_pdl_begin_patterns(w);
  for (size_t i = 0; i < p->lines.count; i++)
    for (int at_zero = is_filled; at_zero >= 0; at_zero--) {
      names[count] = buffers[count];
      snprintf(buffers[count], sizeof *buffers, "im2col_%" PRId64 "%s", p->lines.values[i],
               at_zero ? "_of_zero" : "");
      tune_im2col_write_pattern(p, names[count++], p->lines.values[i], at_zero, w);
    }
  tune_pdl_end_patterns(names, count, w);
  static const char *const passes[] = {"tosa-to-linalg-named", "tosa-to-linalg"};
  static const char *const results[] = {"%multiplied", "%added"};
  for (size_t i = 0; i < 2; i++)
    tune_writer_apply_pass(w, passes[i], results[i]);
  tune_writer_cleanup(w);
  tune_writer_match_op(w, "%batch", "\"linalg.batch_matmul\"");
  tune_writer_line(w,
                   "%%patch_product = transform.structured.generalize %%batch : (" OP ") -> " OP);
  tune_writer_line(w, "%%start = transform.get_producer_of_operand %%patch_product[2] : (" OP
                      ") -> " OP);
  tune_writer_line(w, "transform.annotate %%start \"tune.init\" : " OP);
}

// What starts the sums, adds them to that, and follows: vector by vector.
static void write_elementwise(const tune_im2col *p, tune_writer *w) {
  size_t rank = p->ops.anchor->operands[2].rank, order[TUNE_MAX_LOOPS];
  tune_nest pixels = {.reduction_count = 0};
  tune_tiling vector = {{0}};
  char sizes[128];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  for (size_t i = 0; i < rank; i++)
    vector.size[i] = i + 1 == rank ? "%nr" : "1";
  tune_writer_match_generic(w, "%beside", &pixels, NULL, rank, w->func);
  tune_writer_begin_foreach(w, "%beside", "%one_beside");
  tune_writer_tile(w, "%vector", "%vector_loops", "%one_beside", &vector, order, rank, NULL);
  if (!p->product.cols_divide)
    tune_writer_try_vectorize(w, "%vector",
                              tune_writer_sizes(sizes, sizeof sizes, &vector, order, rank));
  tune_writer_end_foreach(w);
}

void tune_im2col_write_steps(const tune_im2col *p, const tune_machine *machine, tune_writer *w) {
  w->knob_prefix = "im2col_";
  tune_writer_knob(w, "lines", "tile", TUNE_LEVEL_LINALG, &p->lines, p->lines_default);
  tune_contraction_write_tile_knobs(&p->product, machine, w);
  w->knob_prefix = "";
  write_lines(p, w);
  write_product(p, w);
  write_elementwise(p, w);
  tune_contraction_write_register_tiles(&p->product, w, "%patch_product");
  tune_contraction_write_panels(&p->product, machine, w);
  tune_contraction_write_kernel(&p->product, w);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static bool im2col_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_im2col im2col;
  return tune_im2col_make(structure, machine, &im2col);
}

// Zeroes behind the channels of the filter take less than patches: a copy of one step's image
// against one of all steps' (0.33 to 0.8 of the time for 10 to 50 channels, 3x3 and 5x5, with and
// without AVX-512).
static bool im2col_yields(const tune_structure *structure, const tune_machine *machine) {
  (void)structure;
  (void)machine;
  return true; // it is asked of what applies
}

static void im2col_write(const tune_structure *structure, const tune_machine *machine,
                         tune_writer *w) {
  tune_im2col im2col;
  if (!tune_im2col_make(structure, machine, &im2col))
    return;
  tune_writer_begin_tensors(w, "rule 'im2col': a convolution as a matrix product of patches");
  tune_im2col_write_steps(&im2col, machine, w);
  tune_writer_end_tensors(w);
  w->func = "%func";
  tune_writer_begin_buffers(w);
  tune_writer_lower_vectors(w);
  tune_writer_place_buffers(w);
  tune_writer_weights_ahead(w, &im2col.ops.anchor->operands[1]);
  tune_writer_target_knobs(w, machine->vector_bits, tune_structure_has_math(structure));
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_im2col = {
    .name = "im2col",
    .summary = "convolutions of f32, channels innermost, whose channels fill no vectors: patches "
               "times the filter",
    .kinds = TUNE_KINDS_CPU,
    .takes_layouts = true,
    .applies = im2col_applies,
    .yields = im2col_yields,
    .write = im2col_write,
};
