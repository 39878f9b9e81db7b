//===- gpu_contraction.c - Matrix products and convolutions on devices -------===//
//
// An invocation has a tile of mr x nr of the output in its registers and goes along the depth in
// steps of kr; neighbouring invocations have neighbouring columns. Windows of convolutions are
// loops around the depth (implicit: no patches are made). What fills the accumulator and what
// follows elementwise is done in registers as well.
//
// Which loop plays which part is found as on a CPU (contraction_plan.h), with registers of four.
//
// On Vulkan whole groups may have a tile instead, whose operands they copy to shared memory
// (gpu_tiles_plan.h); on CUDA gpu_tiles.c, which comes before, takes what they can have.
//
// Sizes that make no whole tiles of whole vectors are padded with zeroes: A and B where they are
// read, or by kernels that copy them before (`edges`); of the result, what there is is written
// (lower/gpu/pad_folding.h), or read by what follows elementwise, which is then a kernel of its
// own.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/contraction_plan.h"
#include "transforms/rules/gpu/gpu_dot.h"
#include "transforms/rules/gpu/gpu_tiles_plan.h"
#include "transforms/rules/gpu/gpu_writer.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

#define WIDTH 4               // of a shader's vectors
#define MOST_ACCUMULATORS 128 // elements in the registers of one invocation
#define MOST_BODY 1024 // multiply-adds in the body of the loop: more takes seconds to compile

typedef struct plan {
  tune_contraction_plan loops;
  tune_value_set mr, nr, kr;
  int64_t mr_default, nr_default, kr_default;
  bool pads;              // A, B and the result
  bool has_dot;           // bytes may go by dot products of words
  const tune_nest *fused; // what follows elementwise, where tiles go through it; or NULL
} plan;

static void choose_rows(plan *p) {
  int64_t rows = p->loops.rows;
  for (int64_t mr = 2; mr <= 64 && !p->pads; mr++)
    if (rows % mr == 0 && p->mr.count < 12)
      tune_value_set_add(&p->mr, mr);
  p->mr_default = p->mr.count ? tune_value_set_at_most(&p->mr, 32) : 0;
  if (!p->pads)
    return;
  for (int64_t mr = 8; mr <= 32; mr += 8)
    tune_value_set_add(&p->mr, mr);
  // The tallest tile of those that fill up least.
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < p->mr.count; i++) {
    int64_t whole = (rows + p->mr.values[i] - 1) / p->mr.values[i] * p->mr.values[i];
    if (whole <= least)
      p->mr_default = p->mr.values[i];
    least = whole < least ? whole : least;
  }
}

// Columns of a subgroup's tiles.
static int64_t subgroup_columns(const tune_machine *machine) {
  return WIDTH * (machine->gpu.subgroup_size > 1 ? machine->gpu.subgroup_size : 1);
}

static bool divides_evenly(const plan *p, const tune_machine *machine) {
  const tune_contraction_plan *loops = &p->loops;
  bool has_rows = loops->rows < 4;
  for (int64_t mr = 4; mr <= 64 && !has_rows; mr++)
    has_rows = loops->rows % mr == 0;
  // Where lanes share what they read, none of a subgroup may be missing.
  int64_t columns = machine->gpu.is_software ? subgroup_columns(machine) : WIDTH;
  return has_rows && loops->cols % columns == 0 && loops->depths % WIDTH == 0;
}

static bool make_plan(const tune_structure *structure, const tune_machine *machine, plan *p) {
  *p = (plan){.pads = false};
  tune_machine registers = tune_gpu_registers(machine);
  if (structure->is_dynamic || structure->is_empty ||
      !tune_contraction_plan_make(structure, &registers, &p->loops) || p->loops.other_count)
    return false;
  const tune_contraction_plan *loops = &p->loops;
  p->pads = !loops->has_window && !tune_structure_has_pad(structure) &&
            (!loops->init || loops->starts_filled) && !divides_evenly(p, machine);
  p->fused = p->pads ? NULL : loops->epilogue;
  choose_rows(p);
  for (int64_t nr = WIDTH; nr <= 4 * WIDTH; nr += WIDTH)
    if (p->pads ? nr == WIDTH : loops->cols % nr == 0)
      tune_value_set_add(&p->nr, nr);
  p->has_dot = tune_gpu_dot_fits(loops, machine);
  int64_t steps = loops->depths / (p->has_dot ? TUNE_GPU_DOT_GROUP : 1);
  for (int64_t kr = 1; kr <= 16; kr++)
    if (p->pads ? kr == WIDTH || kr == 2 * WIDTH : steps % kr == 0)
      tune_value_set_add(&p->kr, kr);
  if (!p->mr.count || !p->nr.count)
    return false;
  p->nr_default = WIDTH;
  // Edges that are checked for fill the registers of longer steps, as what is widened does.
  bool is_tight = p->pads || loops->anchor->operands[loops->a].bits == 16;
  p->kr_default = tune_value_set_at_most(&p->kr, is_tight ? WIDTH : 2 * WIDTH);
  return true;
}

static bool gpu_contraction_applies(const tune_structure *structure, const tune_machine *machine) {
  plan p;
  return make_plan(structure, machine, &p);
}

static void write_knobs(const plan *p, const tune_machine *machine, tune_writer *w) {
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &p->mr, p->mr_default);
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &p->nr, p->nr_default);
  tune_writer_knob(w, "kr", "unroll", TUNE_LEVEL_VECTOR, &p->kr, p->kr_default);
  tune_writer_constraint(w, "the accumulators of an invocation fit its registers", "mr * nr <= %d",
                         MOST_ACCUMULATORS);
  tune_writer_constraint(w, "a longer body takes seconds to compile", "mr * nr * kr <= %d",
                         MOST_BODY);
  int64_t limit = machine->gpu.loop_limit, steps = p->loops.depths, around = 1;
  for (size_t i = 0; i < p->loops.rest_count; i++)
    around *= p->loops.anchor->extent[p->loops.rest[i]];
  if (limit > 0 && steps * around + 2 * around >= limit) {
    tune_writer_constraint(w, "this device stops loops after so many iterations",
                           "(%" PRId64 " / kr + 2) * %" PRId64 " <= %" PRId64, steps, around,
                           limit);
  }
  int64_t along_x = p->loops.cols / p->nr_default, along_y = p->loops.rows / p->mr_default;
  // A body of hundreds of instructions keeps a small group busy.
  tune_gpu_write_group_knobs(machine, along_x, along_y, tune_gpu_subgroup(machine),
                             machine->gpu.is_software ? 16 : 64, w);
}

static const char *zero_of(const tune_operand *operand) {
  return operand->type[0] == 'f' || operand->type[0] == 'b' ? "0.0" : "0";
}

// Whether A and B are padded by kernels of their own, or where they are read.
static void write_edges(tune_writer *w) {
  tune_value_set edges = {0};
  tune_value_set_add(&edges, 0);
  tune_value_set_add(&edges, 1);
  tune_writer_knob(w, "edges", NULL, TUNE_LEVEL_GPU, &edges, 1);
  tune_writer_line(
      w, "transform.annotate %s \"tune.gpu.edges\" = %%edges : " OP ", !transform.param<i64>",
      w->func);
}

// `whole` is made of `product`, with a depth that is a multiple of `depth`; all are handles.
static void write_padding(const plan *p, const tune_machine *machine, const char *product,
                          const char *whole, const char *depth, tune_writer *w) {
  const tune_contraction_plan *loops = &p->loops;
  const tune_operand *operands = loops->anchor->operands;
  tune_writer_line(w,
                   "%s, %%pads, %%back = transform.structured.pad %s pad_to_multiple_of "
                   "[%%mr, %" PRId64 ", %s]",
                   whole, product, subgroup_columns(machine), depth);
  tune_writer_line(w,
                   "  {padding_values = [%s : %s, %s : %s, %s : %s], padding_dimensions = [%zu, "
                   "%zu, %zu], nofold_flags = [0, 0, 0], copy_back_op = \"%s\"}",
                   zero_of(&operands[0]), operands[0].type, zero_of(&operands[1]), operands[1].type,
                   zero_of(&operands[2]), operands[2].type, loops->row, loops->col, loops->depth,
                   loops->epilogue ? "none" : "linalg.copy");
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ") -> (" OP ", " OP ", " OP ")");
  tune_writer_cleanup(w);
  if (loops->init)
    tune_writer_match_op(w, "%whole_init", "\"linalg.fill\"");
}

// One tile an invocation, with what it is made of; `is_dot` says of which product.
static void write_grid(const plan *p, bool is_dot, tune_writer *w) {
  size_t rank;
  const char *grid =
      tune_gpu_write_product_grid(&p->loops, p->fused, p->pads, "%mr", "%nr", &rank, w);
  if (is_dot)
    grid = tune_gpu_write_dot_tiles(&p->loops, grid, w);
  tune_gpu_write_groups(grid, rank, w);
}

// Upstream makes no vectors of rows that are not neighbours in A: each is a product of its own,
// whose sums stay in registers all the same. Loops of one step are gone before, and slices of
// slices are merged, for upstream hoists a row's sum where it is one slice of what a loop hands on.
static void write_strided_steps(const tune_contraction_plan *loops, tune_tiling *steps,
                                tune_writer *w) {
  const tune_nest *anchor = loops->anchor;
  size_t order[TUNE_MAX_LOOPS], count = 0;
  tune_tiling row = {{0}};
  row.size[loops->row] = "1";
  for (size_t i = 0; i < anchor->loop_count; i++)
    if (anchor->is_reduction[i] || i == loops->row || i == loops->col)
      order[count++] = i;
  tune_writer_cleanup(w);
  tune_writer_fold_unit_dims(w);
  tune_writer_match_generic(w, "%strided", anchor, order, count, w->func);
  tune_writer_begin_foreach(w, "%strided", "%product");
  tune_writer_tile(w, "%step", "%steps", "%product", steps, order, count, NULL);
  tune_writer_tile(w, "%line", "%line_loop", "%step", &row, order, count, NULL);
  tune_writer_line(w, "transform.annotate %%line_loop \"tune.unroll\" : " OP);
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
  tune_writer_unroll_marked(w, "unroll");
  tune_writer_cleanup(w);
  tune_writer_fold_unit_dims(w);
  tune_writer_apply_pattern(w, "tensor.merge_consecutive_insert_extract_slice");
}

static void write_steps_of_depth(const plan *p, bool is_dot, tune_tiling *steps, tune_writer *w) {
  const tune_contraction_plan *loops = &p->loops;
  size_t order[TUNE_MAX_LOOPS];
  tune_writer_identity_order(order, loops->anchor->loop_count);
  tune_writer_tile(w, "%step", "%steps", p->fused ? "%tile" : "%root", steps, order,
                   loops->anchor->loop_count, NULL);
  if (is_dot) {
    char innermost[24];
    snprintf(innermost, sizeof innermost, "%%steps#%zu", loops->rest_count);
    tune_gpu_write_dot_steps(loops, innermost, w);
  }
  tune_writer_cleanup(w);
  tune_writer_fold_unit_dims(w);
}

static void write_depth(const plan *p, bool is_dot, tune_writer *w) {
  const tune_contraction_plan *loops = &p->loops;
  tune_tiling steps = {{0}};
  for (size_t i = 0; i < loops->anchor->loop_count; i++)
    steps.size[i] = i == loops->depth ? "%kr" : loops->anchor->is_reduction[i] ? "1" : "0";
  if (loops->strided_rows && !is_dot)
    write_strided_steps(loops, &steps, w);
  else
    write_steps_of_depth(p, is_dot, &steps, w);
  tune_writer_cleanup(w);
  tune_gpu_write_vectors(w);
}

// The kernels of a product, and of copies of what is padded.
static void write_kernels(const plan *p, bool is_dot, tune_writer *w) {
  write_grid(p, is_dot, w);
  if (p->pads)
    tune_gpu_write_copies(w);
  write_depth(p, is_dot, w);
}

// The product %anchor.
static void write_product(const plan *p, const tune_machine *machine, tune_writer *w) {
  if (p->pads)
    write_padding(p, machine, "%anchor", "%whole", "%kr", w);
  write_kernels(p, false, w);
}

// The same by dot products. Its depth is unrolled by groups.
static void write_dot(const plan *p, const tune_machine *machine, tune_writer *w) {
  if (p->pads) {
    tune_writer_line(w, "%%depth = transform.param.constant %d : i64 -> " PARAM,
                     TUNE_GPU_DOT_GROUP * 2 * WIDTH);
    write_padding(p, machine, "%given", "%padded", "%depth", w);
  }
  tune_gpu_write_dot(&p->loops, p->pads ? "%padded" : "%given", p->pads ? "%whole" : "%anchor", w);
  write_kernels(p, true, w);
}

// The product %given of bytes, either way.
static void write_ways(const plan *p, const tune_machine *machine, tune_writer *w) {
  tune_writer_begin_alternatives(w, NULL, "int8_dot", TUNE_LEVEL_GPU, "\"widened\", \"packed\"",
                                 tune_gpu_dot_is_fast(&p->loops, machine), 0);
  tune_writer_line(w, "%%anchor = transform.merge_handles %%given : " OP);
  write_product(p, machine, w);
  tune_writer_next_alternative(w, NULL, 0);
  write_dot(p, machine, w);
  tune_writer_end_alternatives(w, NULL, 0);
}

// A tile for each invocation, which reads its operands from memory.
static void write_steps(const plan *p, const tune_machine *machine, tune_writer *w) {
  write_knobs(p, machine, w);
  tune_gpu_write_product_nests(&p->loops, p->has_dot ? "%given" : "%anchor", "%init", w);
  if (p->pads)
    write_edges(w);
  if (p->has_dot)
    write_ways(p, machine, w);
  else
    write_product(p, machine, w);
}

// A device of its own reads memory of a group faster than what is far away. Software has caches
// alone, and waits at barriers; of what is not known it is not known either.
static bool pays_by_default(const tune_device *gpu) {
  return !gpu->is_software && gpu->subgroup_size > 1;
}

static void gpu_contraction_write(const tune_structure *structure, const tune_machine *machine,
                                  tune_writer *w) {
  plan p;
  if (!make_plan(structure, machine, &p))
    return;
  tune_writer_begin_tensors(
      w, "rule 'gpu_contraction': a tile of the output in the registers of each invocation");
  tune_gpu_tiles_plan tiles;
  if (machine->kind == TUNE_KIND_VULKAN && tune_gpu_tiles_plan_make(structure, machine, &tiles)) {
    tune_writer_begin_alternatives(w, NULL, "shared_memory", TUNE_LEVEL_GPU, "\"none\", \"tiles\"",
                                   pays_by_default(&machine->gpu), 0);
    write_steps(&p, machine, w);
    tune_writer_next_alternative(w, NULL, 0);
    tune_gpu_tiles_write_steps(&tiles, machine, w);
    tune_writer_end_alternatives(w, NULL, 0);
  } else {
    write_steps(&p, machine, w);
  }
  tune_gpu_write_end(structure, machine, true, p.loops.anchor->widens, w);
}

const tune_rule tune_rule_gpu_contraction = {
    .name = "gpu_contraction",
    .summary = "matrix products, batches and convolutions on devices: tiles in registers",
    .kinds = TUNE_KINDS_GPU,
    .applies = gpu_contraction_applies,
    .write = gpu_contraction_write,
};
