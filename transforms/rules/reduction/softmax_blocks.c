//===- softmax_blocks.c ---------------------------------------------------------===//
//
// A pattern puts TOSA ops over blocks in the place of softmax, of which upstream makes linalg's.
// Their operands stand in such an order that what is fused into the loop over rows comes block
// first: what a block made is used after the loop over blocks, which upstream sees only there.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/reduction/softmax_blocks.h"

#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define LEAST_COLUMNS (32 << 10)
// What the blocks of a row gave is one vector each; longer ones take minutes to compile.
#define MOST_BLOCKS 1024
#define PATTERN "softmax_in_blocks"
#define MARK "tune.blocks" // of the loops over blocks

//===--------------------------------------------------------------------------===//
// Which softmax
//===--------------------------------------------------------------------------===//

// Whether `nest` yields `expression`, from a tensor of all elements and then, if `per_row`, one of
// each row, into `out_rank` dimensions.
static bool computes(const tune_structure *structure, size_t nest, const char *expression,
                     size_t first, size_t per_row, size_t out_rank) {
  const tune_nest *op = &structure->nests[nest];
  size_t rank = op->loop_count;
  if (op->kind != TUNE_NEST_GENERIC || strcmp(op->expression, expression) != 0 ||
      op->operand_count != op->input_count + 1 || op->operands[0].producer != first ||
      op->operands[op->input_count].rank != out_rank)
    return false;
  if (per_row != TUNE_NO_LOOP && (op->input_count != 2 || op->operands[1].producer != per_row))
    return false;
  for (size_t o = 0; o < op->operand_count; o++) {
    const tune_operand *operand = &op->operands[o];
    if (strcmp(operand->type, "f32") != 0 || operand->rank > rank || operand->rank + 1 < rank ||
        (o == 0 && operand->rank != rank))
      return false;
    for (size_t i = 0; i < operand->rank; i++)
      if (!tune_operand_is_loop(operand, i, i))
        return false;
  }
  return true;
}

// Maximum, exp of the difference, sum and quotient, in this order among what fills, all of one
// argument.
static bool is_softmax(const tune_structure *structure) {
  size_t at[4], count = 0;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    // What fills one number is generic.
    if (nest->kind == TUNE_NEST_FILL || nest->loop_count == 0)
      continue;
    if (count == 4)
      return false;
    at[count++] = n;
  }
  if (count != 4)
    return false;
  size_t rank = structure->nests[at[0]].loop_count;
  const tune_nest *last = &structure->nests[at[3]];
  if (rank < 1 || rank > 2 || !structure->nests[at[0]].is_reduction[rank - 1] ||
      structure->nests[at[0]].reduction_count != 1 || !last->is_returned)
    return false;
  for (size_t i = 0; i < 3; i++)
    if (structure->nests[at[i]].is_returned)
      return false;
  size_t none = TUNE_NO_LOOP, x = structure->nests[at[0]].operands[0].argument;
  return x != none && structure->nests[at[1]].operands[0].argument == x &&
         (computes(structure, at[0], "arith.maximumf(0, 1)", none, none, rank - 1) ||
          computes(structure, at[0], "arith.maxnumf(0, 1)", none, none, rank - 1)) &&
         computes(structure, at[1], "math.exp(arith.subf(0, 1))", none, at[0], rank) &&
         computes(structure, at[2], "arith.addf(0, 1)", at[1], none, rank - 1) &&
         computes(structure, at[3], "arith.divf(0, 1)", at[1], at[2], rank);
}

bool tune_softmax_blocks_make(const tune_structure *structure, const tune_machine *machine,
                              tune_softmax_blocks *out_blocks) {
  *out_blocks =
      (tune_softmax_blocks){.lanes = machine->vector_bits / 32, .threads = machine->threads};
  if (structure->is_dynamic || !structure->is_regular || !is_softmax(structure))
    return false;
  const tune_nest *last = &structure->nests[structure->nest_count - 1];
  if (last->kind != TUNE_NEST_GENERIC || last->loop_count == 0)
    return false;
  out_blocks->columns = last->extent[last->loop_count - 1];
  out_blocks->rows = last->loop_count == 2 ? last->extent[0] : 0;
  if (out_blocks->columns < LEAST_COLUMNS)
    return false;
  // Of whole vectors, four at a time; about so long that they stay in the first cache.
  int64_t unit = 4 * (int64_t)out_blocks->lanes;
  for (int64_t wanted = 1024; wanted <= 4096; wanted *= 2) {
    int64_t length = wanted / unit * unit;
    while (length >= wanted / 2 + unit && out_blocks->columns % length)
      length -= unit;
    if (out_blocks->columns % length == 0 && out_blocks->columns / length <= MOST_BLOCKS)
      tune_value_set_add(&out_blocks->lengths, length);
  }
  if (out_blocks->lengths.count == 0)
    return false;
  out_blocks->default_length = tune_value_set_at_most(&out_blocks->lengths, 2048);
  return true;
}

//===--------------------------------------------------------------------------===//
// The pattern
//===--------------------------------------------------------------------------===//

typedef struct block_types {
  tune_pdl_text all, row;                // as they are
  tune_pdl_text blocks, one_each, total; // with blocks, one element a block, one a row
  int64_t shape[3];
  size_t skipped; // of it: there is but one row
} block_types;

static block_types make_types(const tune_softmax_blocks *p, int64_t length) {
  const int64_t all[] = {p->rows, p->columns};
  const int64_t blocks[] = {p->rows, p->columns / length, length};
  const int64_t one_each[] = {p->rows, p->columns / length, 1}, total[] = {p->rows, 1, 1};
  size_t skipped = p->rows ? 0 : 1;
  block_types types = {.all = tune_pdl_tensor(all + skipped, 2 - skipped),
                       .row = tune_pdl_tensor(all, 1 - skipped),
                       .blocks = tune_pdl_tensor(blocks + skipped, 3 - skipped),
                       .one_each = tune_pdl_tensor(one_each + skipped, 3 - skipped),
                       .total = tune_pdl_tensor(total + skipped, 3 - skipped),
                       .skipped = skipped};
  memcpy(types.shape, blocks, sizeof blocks);
  return types;
}

// %<result>: what a linalg.generic of `inputs`, starting from anything, makes of the type `type`.
static void write_generic(tune_writer *w, const char *result, const char *type,
                          const char *const *inputs) {
  char names[128] = "", types[128] = "";
  size_t named = 0, typed = 0;
  for (size_t i = 0; inputs[i]; i++) {
    named += (size_t)snprintf(names + named, sizeof names - named, "%%%s, ", inputs[i]);
    typed += (size_t)snprintf(types + typed, sizeof types - typed, "!pdl.value, ");
  }
  tune_writer_line(w, "%%%s_type = pdl.type : %s", result, type);
  tune_writer_line(w, "%%%s_start = pdl.operand : %%%s_type", result, result);
  tune_writer_line(w,
                   "%%%s_op = pdl.operation \"linalg.generic\"(%s%%%s_start : %s!pdl.value) -> "
                   "(%%%s_type : !pdl.type)",
                   result, names, result, types, result);
  tune_writer_line(w, "%%%s = pdl.result 0 of %%%s_op", result, result);
}

static void write_match(const block_types *types, tune_writer *w) {
  tune_pdl_operand(w, "x", types->all.text);
  write_generic(w, "extreme", types->row.text, TUNE_PDL_OPERANDS("x"));
  write_generic(w, "grown", types->all.text, TUNE_PDL_OPERANDS("x", "extreme"));
  write_generic(w, "sum", types->row.text, TUNE_PDL_OPERANDS("grown"));
  tune_writer_line(w, "%%quotient_type = pdl.type : %s", types->all.text);
  tune_writer_line(w, "%%quotient_start = pdl.operand : %%quotient_type");
  tune_writer_line(w,
                   "%%nest = pdl.operation \"linalg.generic\"(%%grown, %%sum, %%quotient_start : "
                   "!pdl.value, !pdl.value, !pdl.value) -> (%%quotient_type : !pdl.type)");
}

// `result` = tosa.mul(a, b).
static void write_product(tune_writer *w, const char *result, const tune_pdl_text *type,
                          const char *a, const char *b) {
  tune_pdl_operation(w, result, "tosa.mul", type->text, TUNE_PDL_OPERANDS(a, b, "no_shift"), NULL);
}

static void write_pattern(const tune_softmax_blocks *p, int64_t length, tune_writer *w) {
  block_types types = make_types(p, length);
  size_t rank = 3 - types.skipped;
  tune_pdl_text extents = tune_pdl_array(types.shape + types.skipped, rank);
  const char *groups = types.skipped ? "[[0, 1]]" : "[[0], [1, 2]]";
  tune_pdl_text along = tune_pdl_format("%zu : i32", rank - 1);
  tune_pdl_text across = tune_pdl_format("%zu : i32", rank - 2);
  tune_pdl_begin_pattern(w, PATTERN);
  write_match(&types, w);
  tune_pdl_begin_rewrite(w);
  tune_pdl_load_tosa(w);
  tune_pdl_operation(w, "no_shift", "tosa.const", "tensor<1xi8>", TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"values", "dense<0> : tensor<1xi8>"}));
  tune_pdl_operation(
      w, "in_blocks", "tensor.expand_shape", types.blocks.text, TUNE_PDL_OPERANDS("x"),
      TUNE_PDL_ATTRIBUTES({"reassociation", groups}, {"static_output_shape", extents.text}));
  // Of each block.
  tune_pdl_operation(w, "block_extreme", "tosa.reduce_max", types.one_each.text,
                     TUNE_PDL_OPERANDS("in_blocks"), TUNE_PDL_ATTRIBUTES({"axis", along.text}));
  tune_pdl_operation(w, "below", "tosa.sub", types.blocks.text,
                     TUNE_PDL_OPERANDS("in_blocks", "block_extreme"), NULL);
  tune_pdl_operation(w, "block_grown", "tosa.exp", types.blocks.text, TUNE_PDL_OPERANDS("below"),
                     NULL);
  tune_pdl_operation(w, "block_sum", "tosa.reduce_sum", types.one_each.text,
                     TUNE_PDL_OPERANDS("block_grown"), TUNE_PDL_ATTRIBUTES({"axis", along.text}));
  // Of the row.
  tune_pdl_operation(w, "row_extreme", "tosa.reduce_max", types.total.text,
                     TUNE_PDL_OPERANDS("block_extreme"),
                     TUNE_PDL_ATTRIBUTES({"axis", across.text}));
  tune_pdl_operation(w, "block_below", "tosa.sub", types.one_each.text,
                     TUNE_PDL_OPERANDS("block_extreme", "row_extreme"), NULL);
  tune_pdl_operation(w, "weight", "tosa.exp", types.one_each.text, TUNE_PDL_OPERANDS("block_below"),
                     NULL);
  write_product(w, "weighted", &types.one_each, "block_sum", "weight");
  tune_pdl_operation(w, "row_sum", "tosa.reduce_sum", types.total.text,
                     TUNE_PDL_OPERANDS("weighted"), TUNE_PDL_ATTRIBUTES({"axis", across.text}));
  tune_pdl_operation(w, "share", "tosa.reciprocal", types.total.text, TUNE_PDL_OPERANDS("row_sum"),
                     NULL);
  write_product(w, "factor", &types.one_each, "share", "weight");
  write_product(w, "parts", &types.blocks, "factor", "block_grown");
  tune_pdl_operation(w, "result", "tensor.collapse_shape", types.all.text,
                     TUNE_PDL_OPERANDS("parts"), TUNE_PDL_ATTRIBUTES({"reassociation", groups}));
  tune_pdl_end_pattern(w, "result");
}

//===--------------------------------------------------------------------------===//
// The steps
//===--------------------------------------------------------------------------===//

static void write_blocks_in_place(const tune_softmax_blocks *p, int64_t length, tune_writer *w) {
  tune_pdl_begin_patterns(w);
  write_pattern(p, length, w);
  tune_pdl_end_patterns((const char *const[]){PATTERN}, 1, w);
  static const char *const passes[] = {"tosa-to-linalg", "linalg-generalize-named-ops",
                                       "linalg-fold-unit-extent-dims",
                                       "linalg-fuse-elementwise-ops"};
  static const char *const results[] = {"%in_linalg", "%generalized", "%folded", "%fused"};
  for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
    tune_writer_apply_pass(w, passes[i], results[i]);
  tune_writer_cleanup(w);
}

// Threads have rows where there are enough; else each row's blocks.
static bool has_rows_for_threads(const tune_softmax_blocks *p) {
  return p->threads > 1 && p->rows >= (int64_t)p->threads;
}

static void write_rows(const tune_softmax_blocks *p, tune_writer *w) {
  if (!p->rows)
    return;
  tune_writer_match_op(w, "%whole", "\"tensor.collapse_shape\"");
  tune_writer_line(w, "%%last_op = transform.get_producer_of_operand %%whole[0] : (" OP ") -> " OP);
  tune_writer_line(w,
                   "%%row, %%row_loop = transform.structured.fuse %%last_op tile_sizes "
                   "[1, 0, 0]%s",
                   has_rows_for_threads(p) ? " {use_forall}" : "");
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
  tune_writer_apply_pattern(w, "tensor.fold_tensor_empty");
  tune_writer_fold_unit_dims(w);
}

// Maximum, exp and sum of a block in one loop, which yields all three.
static void write_block_loop(tune_writer *w) {
  tune_nest sum = {.is_reduction = {false, true}}, line = {.reduction_count = 0};
  tune_writer_match_generic(w, "%reductions", &sum, NULL, 2, w->func);
  tune_writer_line(w, "%%extreme_op, %%sum_op = transform.split_handle %%reductions : (" OP
                      ") -> (" OP ", " OP ")");
  tune_writer_match_generic(w, "%planes", &line, NULL, 2, w->func);
  tune_writer_line(w, "%%grown_op, %%parts_op = transform.split_handle %%planes : (" OP ") -> (" OP
                      ", " OP ")");
  tune_writer_line(w,
                   "%%sum_first = transform.get_producer_of_operand %%sum_op[1] : (" OP ") -> " OP);
  tune_writer_line(w, "%%extreme_first = transform.get_producer_of_operand %%extreme_op[1] : (" OP
                      ") -> " OP);
  tune_writer_line(w, "%%block_sum, %%blocks = transform.structured.tile_using_forall %%sum_op "
                      "tile_sizes [1, 0] : (" OP ") -> (" OP ", " OP ")");
  tune_writer_fuse_into(w, "%block_grown", "%grown_op", "%blocks", "%blocks_1");
  tune_writer_fuse_into(w, "%block_extreme", "%extreme_op", "%blocks_1", "%blocks_2");
  tune_writer_fuse_into(w, "%block_first", "%sum_first", "%blocks_2", "%blocks_3");
  tune_writer_fuse_into(w, "%block_least", "%extreme_first", "%blocks_3", "%blocks_4");
  tune_writer_line(w, "%%block_parts, %%part_blocks = transform.structured.tile_using_forall "
                      "%%parts_op tile_sizes [1, 0] : (" OP ") -> (" OP ", " OP ")");
  tune_writer_line(w, "transform.annotate %%blocks_4 \"" MARK "\" : " OP);
  tune_writer_line(w, "transform.annotate %%part_blocks \"" MARK "\" : " OP);
  tune_writer_fold_unit_dims(w);
}

static void write_vectors(const tune_softmax_blocks *p, tune_writer *w) {
  tune_nest line = {.reduction_count = 0}, sum = {.is_reduction = {true}};
  static const size_t order[] = {0};
  char size[24];
  snprintf(size, sizeof size, "%u", 2 * p->lanes);
  tune_tiling tiling = {{size}};
  tune_writer_line(w, "%%loops_of_blocks = transform.structured.match ops{[\"scf.forall\"]}");
  tune_writer_line(w, "  attributes{" MARK "} in %s : (" OP ") -> " OP, w->func);
  tune_writer_begin_foreach(w, "%loops_of_blocks", "%loop");
  tune_writer_match_generic(w, "%block_sums", &sum, NULL, 1, "%loop");
  tune_writer_match_generic(w, "%block_lines", &line, NULL, 1, "%loop");
  tune_writer_begin_foreach(w, "%block_lines", "%block_line");
  tune_writer_tile(w, "%block_step", "%block_steps", "%block_line", &tiling, order, 1, NULL);
  tune_writer_end_foreach(w);
  tune_writer_begin_foreach(w, "%block_sums", "%one_sum");
  tune_writer_line(w, "%%first_part, %%part, %%last_part, %%part_loop =");
  tune_writer_line(w,
                   "  transform.structured.tile_reduction_using_for %%one_sum by tile_sizes = [%u]",
                   4 * p->lanes);
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ", " OP ", " OP ")");
  tune_writer_end_foreach(w);
  tune_writer_end_foreach(w);
}

void tune_softmax_blocks_write(const tune_softmax_blocks *p, int64_t length, tune_writer *w) {
  write_blocks_in_place(p, length, w);
  write_rows(p, w);
  write_block_loop(w);
  write_vectors(p, w);
}
