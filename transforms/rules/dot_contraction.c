//===- dot_contraction.c - Products of narrow elements by the CPU's dot products -----------===//
//
// A matrix product of bf16 into f32, or of bytes into i32, on a CPU with instructions that
// add up groups of products (2 of bf16, 4 of bytes) into each lane. The depth is cut in
// groups; B is copied into panels with the groups of neighbouring columns side by side, A
// is read in place:
//
//   forall  mc rows, nc columns, 1 of every other loop; fill, product and epilogue fused into it
//     for  nr columns
//       copy B into a panel: groups x nr x group
//       for  mr rows
//         accumulators: mr x nr in registers
//         for  kr groups of the depth
//           mr x nr/lanes instructions, see dot_patterns.h
//         epilogue
//
// Rows and columns that fill no tile are told apart before anything else is done, so that
// every size below is known; columns that fill no vector are masked, and a depth that
// fills no group is filled up with zeroes.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction_parts.h"
#include "transforms/rules/dot_patterns.h"
#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"
#define GENERIC "!transform.op<\"linalg.generic\">"
#define PACK "!transform.op<\"linalg.pack\">"
#define MAX_PATTERNS 10
#define MOST_ROW_PARTS 1024 // vectors of A that the sums of a tile's rows read, as straight code
#define WIDEST_TILE 64      // columns

typedef struct dot_plan {
  tune_contraction_plan contraction; // its parts; the domains are those of this rule
  tune_dot dot;
  bool folds;      // loops of one step fall away first: the kernel has three
  size_t order[3]; // row, col, depth as the kernel has them
  int64_t groups;  // of the depth
  // Of these, what is split off to put the sums right, if B is turned: any `kr` divides the rest,
  // and it is no single one beside the others, whose nests look alike.
  int64_t last_groups;
  bool fills_up; // the depth ends within the last group
  bool b_transposed;
} dot_plan;

//===--------------------------------------------------------------------------===//
// What is taken
//===--------------------------------------------------------------------------===//

static bool reads_types(const tune_nest *nest, const char *in, const char *out) {
  return strcmp(nest->operands[0].type, in) == 0 && strcmp(nest->operands[1].type, in) == 0 &&
         strcmp(nest->operands[2].type, out) == 0 && nest->widens;
}

static bool find_instruction(dot_plan *plan, const tune_machine *machine) {
  const tune_contraction_plan *contraction = &plan->contraction;
  const tune_nest *anchor = contraction->anchor;
  tune_dot *dot = &plan->dot;
  dot->lanes = machine->vector_bits / 32;
  dot->b_first = contraction->b == 0;
  if (dot->lanes != 8 && dot->lanes != 16)
    return false;
  dot->is_bf16 = reads_types(anchor, "bf16", "f32");
  dot->group = dot->is_bf16 ? 2 : 4;
  if (dot->is_bf16)
    return machine->has_bf16_dot;
  dot->unsigned_a = anchor->zero_extends[contraction->a];
  dot->unsigned_b = anchor->zero_extends[contraction->b];
  dot->turns_b = dot->unsigned_a == dot->unsigned_b;
  return reads_types(anchor, "i8", "i32") && machine->has_int8_dot;
}

static int64_t vectors_of(const dot_plan *plan, int64_t nr) {
  return (nr + plan->dot.lanes - 1) / plan->dot.lanes;
}

// Vectors of A in a row whose sum is needed.
static int64_t row_parts(const dot_plan *plan) {
  return plan->dot.turns_b ? (plan->groups + plan->dot.lanes - 1) / plan->dot.lanes : 0;
}

static void choose_register_tile(dot_plan *plan, const tune_machine *machine) {
  tune_contraction_plan *contraction = &plan->contraction;
  static const int64_t rows[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14};
  contraction->mr = contraction->nr = contraction->kr = (tune_value_set){0};
  for (int64_t nr = TUNE_DOT_BLOCK; nr <= WIDEST_TILE; nr += TUNE_DOT_BLOCK)
    if (nr == TUNE_DOT_BLOCK || nr < contraction->cols + TUNE_DOT_BLOCK)
      tune_value_set_add(&contraction->nr, nr);
  // Where sums of rows are needed, wide tiles need them less often.
  bool is_wide = plan->dot.turns_b && machine->vector_registers >= 32;
  contraction->nr_default = tune_value_set_at_most(&contraction->nr, is_wide ? 64 : 32);
  // One accumulator a lane, the row of B, a group of A and what signs need.
  int64_t vectors = vectors_of(plan, contraction->nr_default);
  int64_t limit = ((int64_t)machine->vector_registers - 3) / vectors - 1;
  int64_t best = 2;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t mr = rows[i];
    // A single row over would be folded away with its loop.
    if (mr > contraction->rows || (plan->folds && contraction->rows % mr == 1) ||
        mr * row_parts(plan) > MOST_ROW_PARTS)
      continue;
    tune_value_set_add(&contraction->mr, mr);
    int64_t steps = (contraction->rows + mr - 1) / mr;
    // Rows of a short last tile load B for less: not more than a tenth of the work.
    if (mr <= limit && 10 * (steps * mr - contraction->rows) <= contraction->rows)
      best = mr;
  }
  contraction->mr_default = best;
  for (int64_t kr = 1; kr <= 4; kr *= 2)
    if (plan->groups % kr == 0)
      tune_value_set_add(&contraction->kr, kr);
  contraction->kr_default = tune_value_set_at_most(&contraction->kr, 2);
}

static void choose_outer_tile(dot_plan *plan, const tune_machine *machine) {
  tune_contraction_plan *contraction = &plan->contraction;
  contraction->mc = contraction->nc = (tune_value_set){0};
  tune_value_set_add(&contraction->mc, contraction->rows);
  tune_value_set_add_divisors(&contraction->mc, contraction->rows, 32, contraction->rows / 2, 32);
  tune_value_set_add(&contraction->nc, contraction->cols);
  tune_value_set_add_divisors(&contraction->nc, contraction->cols, 64, contraction->cols / 2, 64);
  contraction->mc_default = contraction->rows;
  contraction->nc_default = contraction->cols;
  if (machine->threads <= 1)
    return;
  // Along the columns first, which share no panel.
  int64_t threads = (int64_t)machine->threads;
  int64_t nc = tune_value_set_at_most(&contraction->nc, contraction->cols / threads);
  if (nc <= contraction->cols / threads)
    contraction->nc_default = nc;
  else
    contraction->mc_default = tune_value_set_at_most(&contraction->mc, contraction->rows / threads);
}

static bool has_pad(const tune_structure *structure) {
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == TUNE_NEST_PAD)
      return true;
  return false;
}

static bool make_plan(const tune_structure *structure, const tune_machine *machine,
                      dot_plan *plan) {
  *plan = (dot_plan){.b_transposed = false};
  tune_contraction_plan *contraction = &plan->contraction;
  if (!tune_contraction_plan_make(structure, machine, contraction) ||
      !find_instruction(plan, machine) || structure->is_dynamic || has_pad(structure))
    return false;
  const tune_nest *anchor = contraction->anchor;
  const tune_operand *b = &anchor->operands[contraction->b];
  plan->b_transposed = tune_operand_contiguous_loop(anchor, b) == contraction->depth;
  // A single last column would be folded away with its loop.
  if (contraction->has_window || contraction->rest_count || contraction->other_count ||
      tune_operand_contiguous_loop(anchor, &anchor->operands[contraction->a]) !=
          contraction->depth ||
      (!plan->b_transposed && tune_operand_contiguous_loop(anchor, b) != contraction->col) ||
      contraction->cols % plan->dot.lanes == 1 || contraction->depths < plan->dot.group)
    return false;
  plan->folds = anchor->loop_count > 3 || contraction->root_loop_count > 3 ||
                (contraction->epilogue && contraction->root_loop_count > 2);
  plan->groups = (contraction->depths + plan->dot.group - 1) / plan->dot.group;
  plan->fills_up = contraction->depths % plan->dot.group != 0;
  plan->last_groups = 0;
  if (plan->dot.turns_b)
    plan->last_groups = plan->groups % 4 == 0   ? 4
                        : plan->groups % 2 == 0 ? 2
                        : plan->groups == 1     ? 1
                                                : 3;
  size_t count = 0;
  for (size_t loop = 0; loop < anchor->loop_count; loop++)
    if (loop == contraction->row || loop == contraction->col || loop == contraction->depth)
      plan->order[count++] = loop;
  choose_register_tile(plan, machine);
  choose_outer_tile(plan, machine);
  return contraction->mr.count > 0;
}

static bool dot_applies(const tune_structure *structure, const tune_machine *machine) {
  dot_plan plan;
  return make_plan(structure, machine, &plan);
}

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

static void write_knobs(const dot_plan *plan, const tune_machine *machine, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  tune_writer_knob(w, "mc", "tile", TUNE_LEVEL_LINALG, &contraction->mc, contraction->mc_default);
  tune_writer_knob(w, "nc", "tile", TUNE_LEVEL_LINALG, &contraction->nc, contraction->nc_default);
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &contraction->mr, contraction->mr_default);
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &contraction->nr, contraction->nr_default);
  tune_writer_knob(w, "kr", "unroll", TUNE_LEVEL_VECTOR, &contraction->kr, contraction->kr_default);
  char lines[512];
  snprintf(lines, sizeof lines,
           "%%lanes = smt.int.constant %" PRId64 "\n"
           "%%registers = smt.int.constant %u\n"
           "%%one = smt.int.constant 1\n"
           "%%vectors = smt.int.div %%nr_, %%lanes\n"
           "%%tile = smt.int.mul %%mr_, %%vectors\n"
           "%%used = smt.int.add %%tile, %%vectors, %%one\n"
           "%%fits = smt.int.cmp le %%used, %%registers\n"
           "smt.assert %%fits",
           plan->dot.lanes, machine->vector_registers);
  tune_writer_constraint(w, "accumulators, one row of B and one element of A fit the registers", 2,
                         (const char *const[]){"mr", "nr"}, lines);
}

// Splits the last iterations of a loop off, if its bound is not a multiple of its step.
static void write_peel(tune_writer *w, const char *loop) {
  tune_writer_line(w, "transform.sequence %s : " OP " failures(suppress) {", loop);
  tune_writer_line(w, "^bb0(%%edge: " OP "):");
  tune_writer_line(w, "  %%for = transform.cast %%edge : " OP " to !transform.op<\"scf.for\">");
  tune_writer_line(w, "  %%even, %%odd = transform.loop.peel %%for");
  tune_writer_line(w, "    : (!transform.op<\"scf.for\">) -> (" OP ", " OP ")");
  tune_writer_line(w, "}");
}

// Columns outside, so that a panel is copied once for all rows; remainders are loops of their own.
static void write_register_tiles(const dot_plan *plan, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256], loops[96];
  tune_contraction_identity_order(order, TUNE_MAX_LOOPS);
  tile.size[contraction->root_row] = "%mr";
  tile.size[contraction->root_col] = "%nr";
  size_t used = (size_t)snprintf(loops, sizeof loops, "[%zu, %zu", contraction->root_col,
                                 contraction->root_row);
  for (size_t i = 0; i < contraction->root_loop_count && used < sizeof loops; i++)
    if (i != contraction->root_row && i != contraction->root_col)
      used += (size_t)snprintf(loops + used, sizeof loops - used, ", %zu", i);
  tune_writer_line(
      w, "%%kernel, %%loops:2 = transform.structured.fuse %%root tile_sizes %s interchange %s]",
      tune_writer_sizes(sizes, sizeof sizes, &tile, order, contraction->root_loop_count), loops);
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ") -> (" OP ", " OP ", " OP ")");
  write_peel(w, "%loops#1");
  write_peel(w, "%loops#0");
  tune_writer_cleanup(w);
  if (plan->folds) {
    // Only what is generic loses its unit dimensions.
    if (contraction->init && contraction->init->kind == TUNE_NEST_FILL) {
      tune_writer_line(w,
                       "%%fills = transform.structured.match ops{[\"linalg.fill\"]} "
                       "attributes{tune.init} in %s : (" OP ") -> " OP,
                       w->func);
      tune_writer_line(w, "%%generic_fills = transform.structured.generalize %%fills : (" OP
                          ") -> " OP);
    }
    tune_writer_fold_unit_dims(w);
  }
}

// Sums of a tile in a buffer of its own: what is a view of the result could not be hoisted out of
// the loop over the depth, and what is on the stack LLVM keeps in registers from the fill to the
// epilogue.
static void write_accumulators(const dot_plan *plan, tune_writer *w) {
  tune_writer_match_generic(w, "%sums", plan->contraction.anchor, plan->order, 3, w->func);
  tune_writer_begin_foreach(w, "%sums", "%one_sum");
  tune_writer_line(w, "%%accumulators, %%made = transform.structured.bufferize_to_allocation "
                      "%%one_sum");
  tune_writer_line(w, "  {bufferize_destination_only, memcpy_op = \"linalg.copy\", "
                      "alloc_op = \"memref.alloca\"} : " OP);
  tune_writer_end_foreach(w);
}

// Rows of A are filled up once, not again for each tile of columns. Where these are no two loops,
// they are used once, or loop-invariant code motion sees to it.
static void write_filled_rows(tune_writer *w) {
  tune_writer_line(w, "%%fill_up = transform.cast %%in_place#0");
  tune_writer_line(w, "  : !transform.op<\"tensor.pad\"> to " OP);
  tune_writer_line(w, "transform.sequence %%fill_up : " OP " failures(suppress) {");
  tune_writer_line(w, "^bb0(%%any_pad: " OP "):");
  tune_writer_line(w,
                   "  %%pad = transform.cast %%any_pad : " OP " to !transform.op<\"tensor.pad\">");
  tune_writer_line(w, "  %%filled_rows = transform.structured.hoist_pad %%pad by 2 loops");
  tune_writer_line(w, "    : (!transform.op<\"tensor.pad\">) -> " OP);
  tune_writer_line(w, "}");
}

// The loops of the instructions of a tile become straight code, the last columns loops of their
// own.
static void write_instruction_loops(tune_writer *w, const char *loops, int count, size_t col) {
  for (int i = 0; i < count; i++)
    tune_writer_line(w, "transform.annotate %s#%d \"tune.unroll\" : " OP, loops, i);
  char columns[48];
  snprintf(columns, sizeof columns, "%s#%zu", loops, col);
  write_peel(w, columns);
}

// Cuts the depth into groups, and tiles the product down to one instruction.
static void write_groups(const dot_plan *plan, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  tune_writer_match_generic(w, "%tiles", contraction->anchor, plan->order, 3, w->func);
  tune_writer_begin_foreach(w, "%tiles", "%one_tile");
  // The loops of the kernel in their order, and then the group.
  size_t order[] = {0, 1, 2, 3}, row = 0, col = 0, depth = 0;
  for (size_t i = 0; i < 3; i++) {
    row = plan->order[i] == contraction->row ? i : row;
    col = plan->order[i] == contraction->col ? i : col;
    depth = plan->order[i] == contraction->depth ? i : depth;
  }
  char group[24], lanes[24], sizes[128];
  snprintf(group, sizeof group, "%" PRId64, plan->dot.group);
  snprintf(lanes, sizeof lanes, "%" PRId64, plan->dot.lanes);
  tune_tiling groups = {.size = {"0", "0", "0", "0"}};
  groups.size[depth] = group;
  tune_writer_line(w, "%%product = transform.structured.pack %%one_tile packed_sizes = %s",
                   tune_writer_sizes(sizes, sizeof sizes, &groups, order, 3));
  tune_writer_line(w, "  : (" OP ") -> " GENERIC);
  const char *product = "%product";
  if (plan->b_transposed) {
    tune_writer_line(w, "%%wide = transform.get_producer_of_operand %%product[%zu]",
                     contraction->b);
    tune_writer_line(w, "  : (" GENERIC ") -> " PACK);
    tune_writer_line(w, "%%turned, %%panel, %%none = transform.structured.pack_transpose %%wide");
    tune_writer_line(w, "  with_compute_op(%%product) outer_perm = [1, 0]");
    tune_writer_line(w, "  : (" PACK ", " GENERIC ") -> (" GENERIC ", " PACK ", " OP ")");
    product = "%turned";
  }
  tune_writer_line(w, "%%rows = transform.get_producer_of_operand %s[%zu]", product,
                   contraction->a);
  tune_writer_line(w, "  : (" GENERIC ") -> " PACK);
  tune_writer_line(w, "%%in_place:3 = transform.structured.lower_pack %%rows "
                      "{lowerPadLikeWithInsertSlice = false}");
  tune_writer_line(w, "  : (" PACK ") -> (!transform.op<\"tensor.pad\">, "
                      "!transform.op<\"tensor.expand_shape\">, "
                      "!transform.op<\"linalg.transpose\">)");
  if (plan->fills_up)
    write_filled_rows(w);
  tune_writer_line(w, "%%any_product = transform.cast %s : " GENERIC " to " OP, product);
  const char *all_but_last = "%any_product", *last = NULL;
  if (plan->last_groups == plan->groups) {
    all_but_last = NULL;
    last = "%any_product";
  } else if (plan->last_groups) {
    tune_writer_line(w,
                     "%%parts = transform.structured.split %%any_product after %" PRId64
                     " {dimension = %zu} : " OP,
                     plan->groups - plan->last_groups, depth);
    tune_writer_line(w, "%%all_but_last, %%last = transform.split_handle %%parts : (" OP ") -> (" OP
                        ", " OP ")");
    all_but_last = "%all_but_last";
    last = "%last";
  }
  tune_tiling step = {{0}}, one = {{0}};
  one.size[row] = "1";
  one.size[col] = lanes;
  if (last) {
    tune_writer_tile(w, "%one_last", "%last_loops", last, &one, order, 4, NULL);
    write_instruction_loops(w, "%last_loops", 2, row < col ? 1 : 0);
  }
  if (all_but_last) {
    step.size[depth] = "%kr";
    one.size[depth] = "1";
    tune_writer_tile(w, "%step", "%step_loop", all_but_last, &step, order, 4, NULL);
    tune_writer_tile(w, "%one", "%one_loops", "%step", &one, order, 4, NULL);
    write_instruction_loops(w, "%one_loops", 3, col);
  }
  tune_writer_end_foreach(w);
}

// The panels go before the loop over the rows; they and, where the depth fills no group, copies of
// A are all that is copied.
static void write_panels(const dot_plan *plan, tune_writer *w) {
  tune_writer_line(
      w, "%%scopes = transform.structured.match ops{[\"scf.for\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_line(w, "transform.apply_licm to %%scopes : " OP);
  tune_writer_cleanup(w);
  if (plan->fills_up) {
    tune_writer_line(
        w, "%%pads = transform.structured.match ops{[\"tensor.pad\"]} in %s : (" OP ") -> " OP,
        w->func);
    tune_writer_line(w, "%%padded = transform.structured.rewrite_in_destination_passing_style "
                        "%%pads : (" OP ") -> " OP);
  }
  char block[8];
  snprintf(block, sizeof block, "%d", TUNE_DOT_BLOCK);
  tune_tiling copy = {.size = {plan->b_transposed ? block : "1", block}};
  size_t order[] = {0, 1};
  tune_writer_line(
      w, "%%panels = transform.structured.match ops{[\"linalg.pack\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_begin_foreach(w, "%panels", "%whole_panel");
  tune_writer_tile(w, "%part", "%part_loops", "%whole_panel", &copy, order, 2, NULL);
  write_peel(w, "%part_loops#1");
  write_peel(w, "%part_loops#0");
  tune_writer_end_foreach(w);
}

// Tiles become straight code as late as here: each op that there is before bufferization takes part
// in analyses that look at all the others, and with a tile's hundreds took most of the build.
static void write_unroll(tune_writer *w) {
  tune_writer_unroll_marked(w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} {apply_cse} : " OP);
}

// Copies from and to accumulators are as wide as a tile; a copy of A, as long as the depth, is left
// to loops.
static void write_copies(tune_writer *w) {
  tune_writer_line(
      w, "%%copies = transform.structured.match ops{[\"linalg.copy\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_begin_foreach(w, "%copies", "%copy");
  // A sequence that suppresses failures goes on after one; that inside does not.
  tune_writer_line(w, "transform.sequence %%copy : " OP " failures(suppress) {");
  tune_writer_line(w, "^bb0(%%any: " OP "):");
  tune_writer_line(w, "  transform.sequence %%any : " OP " failures(propagate) {");
  tune_writer_line(w, "  ^bb0(%%narrow: " OP "):");
  w->indent += 2;
  tune_writer_line(w, "%%length = transform.match.structured failures(propagate) %%narrow");
  tune_writer_line(w, "  : (" OP ") -> " PARAM " {");
  tune_writer_line(w, "^bb0(%%op: " OP "):");
  tune_writer_line(w, "  %%last = transform.match.structured.dim %%op[-1] : (" OP ") -> " PARAM);
  tune_writer_line(w, "  transform.match.structured.yield %%last : " PARAM);
  tune_writer_line(w, "}");
  tune_writer_line(w, "%%most = transform.param.constant %d : i64 -> " PARAM, WIDEST_TILE);
  tune_writer_line(w, "transform.match.param.cmpi le %%length, %%most : " PARAM);
  tune_writer_line(w, "transform.structured.vectorize %%narrow : " OP);
  w->indent -= 2;
  tune_writer_line(w, "  }");
  tune_writer_line(w, "}");
  tune_writer_end_foreach(w);
}

// Accumulators out of the loop over the depth. `%hoisted` is the function from then on.
static void write_hoisting(tune_writer *w) {
  tune_writer_line(w, "transform.memref.erase_dead_alloc_and_stores %s : (" OP ") -> ()", w->func);
  tune_writer_line(
      w, "%%hoisted = transform.structured.hoist_redundant_vector_transfers %s : (" OP ") -> " OP,
      w->func);
  w->func = "%hoisted";
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} {apply_cse} : " OP);
}

// The epilogue and what starts the accumulator, in vectors of the tile's columns.
static void write_planes(const dot_plan *plan, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  if (contraction->epilogue || plan->folds ||
      (contraction->init && contraction->init->kind == TUNE_NEST_GENERIC)) {
    tune_nest plane = {.is_reduction = {false, false}};
    tune_writer_match_generic(w, "%planes", &plane, NULL, 2, w->func);
    tune_writer_begin_foreach(w, "%planes", "%plane");
    tune_writer_try_vectorize(w, "%plane", NULL);
    tune_writer_end_foreach(w);
  }
  if (contraction->init && contraction->init->kind == TUNE_NEST_FILL && !plan->folds) {
    tune_writer_line(w,
                     "%%fills = transform.structured.match ops{[\"linalg.fill\"]} "
                     "attributes{tune.init} in %s : (" OP ") -> " OP,
                     w->func);
    tune_writer_begin_foreach(w, "%fills", "%one_fill");
    tune_writer_try_vectorize(w, "%one_fill", NULL);
    tune_writer_end_foreach(w);
  }
}

// Whether some tile of rows ends with one of a single row.
static bool has_single_row(const tune_contraction_plan *contraction) {
  for (size_t i = 0; i < contraction->mc.count; i++)
    for (size_t j = 0; j < contraction->mr.count; j++)
      if (contraction->mc.values[i] % contraction->mr.values[j] == 1)
        return true;
  return false;
}

// Products of whole vectors of columns and of what is left over, where B is turned with those that
// end a sum.
static size_t write_product_patterns(const dot_plan *plan, const char *names[], tune_writer *w) {
  static const char *const names_of[2] = {"product", "product_columns"};
  static const char *const names_of_last[2][2] = {{"last_product", "last_product_columns"},
                                                  {"only_last_product", "only_last_columns"}};
  const tune_contraction_plan *contraction = &plan->contraction;
  int64_t lanes = plan->dot.lanes;
  int64_t columns[] = {contraction->cols >= lanes ? lanes : 0, contraction->cols % lanes};
  bool single_row = has_single_row(contraction);
  size_t count = 0;
  for (int c = 0; c < 2; c++) {
    if (columns[c] && plan->last_groups < plan->groups)
      tune_dot_write_product(&plan->dot, names[count++] = names_of[c], columns[c], w);
    for (int only = 0; only < 2; only++)
      if (columns[c] && plan->last_groups && (!only || single_row))
        tune_dot_write_last_product(&plan->dot, names[count++] = names_of_last[only][c], columns[c],
                                    plan->last_groups, plan->groups * plan->dot.group, only, w);
  }
  return count;
}

// The sum of a row of A is the same for all columns: it goes out of the loop over these before it
// becomes instructions, which nothing moves.
static void write_row_sums(const dot_plan *plan, tune_writer *w) {
  if (!plan->last_groups)
    return;
  tune_writer_line(
      w, "%%row_loops = transform.structured.match ops{[\"scf.for\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_line(w, "transform.apply_licm to %%row_loops : " OP);
  tune_pdl_begin_patterns(w);
  tune_dot_write_row_sum(&plan->dot, "row_sum", plan->groups * plan->dot.group, w);
  tune_pdl_end_patterns((const char *const[]){"row_sum"}, 1, w);
}

// Every size that products and parts of panels can have.
static void write_patterns(const dot_plan *plan, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  const char *names[MAX_PATTERNS];
  int64_t last_columns = contraction->cols % TUNE_DOT_BLOCK;
  int64_t columns[] = {contraction->cols - last_columns ? TUNE_DOT_BLOCK : 0, last_columns};
  // A part of a panel is one group, or as many as there are columns.
  int64_t last_groups = plan->groups % TUNE_DOT_BLOCK;
  int64_t groups[] = {plan->groups - last_groups ? TUNE_DOT_BLOCK : 0, last_groups};
  static const char *const names_of[2][2] = {{"copy", "copy_columns"},
                                             {"copy_groups", "copy_corner"}};
  tune_pdl_begin_patterns(w);
  size_t count = write_product_patterns(plan, names, w);
  for (int c = 0; c < 2; c++) {
    if (columns[c] && !plan->b_transposed)
      tune_dot_write_interleave(&plan->dot, names[count++] = names_of[0][c], columns[c],
                                plan->fills_up, w);
    for (int g = 0; g < 2; g++)
      if (columns[c] && groups[g] && plan->b_transposed)
        tune_dot_write_transpose(&plan->dot, names[count++] = names_of[g][c], groups[g], columns[c],
                                 plan->fills_up, w);
  }
  tune_pdl_end_patterns(names, count, w);
}

static bool has_math(const tune_structure *structure) {
  size_t count = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    count += structure->nests[n].math_op_count;
  return count > 0;
}

static void dot_write(const tune_structure *structure, const tune_machine *machine,
                      tune_writer *w) {
  dot_plan plan;
  if (!make_plan(structure, machine, &plan))
    return;
  tune_writer_begin_tensors(w, "rule 'dot_contraction': a matrix product of narrow elements");
  write_knobs(&plan, machine, w);
  tune_contraction_write_outer_tiles(&plan.contraction, w);
  write_register_tiles(&plan, w);
  write_accumulators(&plan, w);
  write_groups(&plan, w);
  write_panels(&plan, w);
  write_planes(&plan, w);
  tune_writer_fold_unit_dims(w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice");
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} {apply_cse} : " OP);
  write_patterns(&plan, w);
  write_row_sums(&plan, w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice");
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} {apply_cse} : " OP);
  tune_writer_vector_cleanup(w, false);
  tune_writer_end_tensors(w);
  w->func = "%func";
  tune_writer_begin_buffers(w);
  write_unroll(w);
  write_copies(w);
  write_hoisting(w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.vector.lower_bitcast");
  tune_writer_line(w, "} : " OP);
  // No panels on the stack: one for each pass of the parallel loop would pile up there.
  tune_writer_lower_vectors(w);
  tune_writer_target_knobs(w, machine->vector_bits, has_math(structure));
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_dot_contraction = {
    .name = "dot_contraction",
    .summary = "matrix products of bf16 and int8 by the CPU's dot products",
    .applies = dot_applies,
    .write = dot_write,
};
