//===- layout.c ----------------------------------------------------------------===//
//
// The order of the steps, as learnt on MLIR 22.1.8:
//  - what stands beside the product becomes vectors first, while the handles of all ops are known;
//  - a pack of the output is lowered and fused into its neighbours before those of the operands are
//    lowered, so that elementwise fusion stops at these: their copies stay copies;
//  - dimensions of one element that packing made go last, by reshapes, which then cancel out.
//
//===--------------------------------------------------------------------------===//

#include "transforms/structure/layout.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"

static void append_list(const int64_t *values, size_t count, tune_string_builder *text) {
  for (size_t i = 0; i < count; i++)
    tune_string_builder_appendf(text, "%s%" PRId64, i ? ", " : "", values[i]);
}

// The op of the handle `target`, whose tiles are all whole, becomes loops of vectors; where
// upstream cannot do it, loops.
static void append_whole(const char *target, const tune_layout_tile *tile, bool has_threads,
                         tune_string_builder *text) {
  tune_string_builder_appendf(text,
                              "    %s_block, %s_loops:%zu = transform.structured.tile_using_for "
                              "%s tile_sizes [",
                              target, target, tile->loop_count, target);
  append_list(tile->size, tile->loop_count, text);
  tune_string_builder_append(text, "] interchange = [");
  for (size_t i = 0; i < tile->loop_count; i++)
    tune_string_builder_appendf(text, "%s%zu", i ? ", " : "", tile->order[i]);
  tune_string_builder_append(text, "]\n      : (" OP ") -> (" OP);
  for (size_t i = 0; i < tile->loop_count; i++)
    tune_string_builder_append(text, ", " OP);
  tune_string_builder_append(text, ")\n");
  if (has_threads)
    tune_string_builder_appendf(
        text, "    transform.annotate %s_loops#0 \"tune.threads\" : " OP "\n", target);
  tune_string_builder_appendf(text,
                              "    transform.sequence %s_block : " OP " failures(suppress) {\n"
                              "    ^bb0(%%try: " OP "):\n"
                              "      transform.structured.vectorize %%try : " OP "\n    }\n",
                              target);
}

static int64_t power_within(int64_t value) {
  int64_t power = 1;
  while (2 * power <= value)
    power *= 2;
  return power;
}

// The op of the handle `target` becomes loops of vectors, what is left of loop `from` and later
// ones behind the last whole tile in loops of its own: masks do not hold up to the passes to come.
static void append_vectors(const char *target, const tune_layout_tile *tile, size_t from,
                           bool has_threads, tune_string_builder *text) {
  while (from < tile->loop_count && tile->extent[from] % tile->size[from] == 0)
    from++;
  if (from == tile->loop_count) {
    append_whole(target, tile, has_threads, text);
    return;
  }
  tune_layout_tile part = *tile;
  int64_t rest = tile->extent[from] % tile->size[from], whole = tile->extent[from] - rest;
  char name[64];
  if (whole == 0) {
    part.size[from] = power_within(rest);
    append_vectors(target, &part, from, has_threads, text);
    return;
  }
  tune_string_builder_appendf(
      text,
      "    %s_parts = transform.structured.split %s after %" PRId64 " {dimension = %zu} : " OP "\n"
      "    %s_0, %s_1 = transform.split_handle %s_parts : (" OP ") -> (" OP ", " OP ")\n",
      target, target, whole, from, target, target, target);
  for (int i = 0; i < 2; i++) {
    part.extent[from] = i ? rest : whole;
    part.size[from] = i ? power_within(rest) : tile->size[from];
    snprintf(name, sizeof name, "%s_%d", target, i);
    append_vectors(name, &part, from, has_threads, text);
  }
}

// Binds `result`, the product of the function `func`; with what packing did to its loops, if
// `is_packed`.
static void append_product(const tune_layout *layout, const char *result, const char *func,
                           bool is_packed, tune_string_builder *text) {
  bool is_first = true;
  tune_string_builder_appendf(text,
                              "    %s = transform.structured.match ops{[\"linalg.generic\"]}\n"
                              "      attributes{iterator_types = [",
                              result);
  for (size_t i = 0; i < layout->loop_count; i++) {
    // The steps of what is filled up are a loop of their own now, the innermost.
    if (is_packed && (i == layout->filled || layout->is_unit[i]))
      continue;
    tune_string_builder_appendf(text, "%s#linalg.iterator_type<%s>", is_first ? "" : ", ",
                                layout->is_reduction[i] ? "reduction" : "parallel");
    is_first = false;
  }
  if (is_packed && layout->filled != SIZE_MAX)
    tune_string_builder_append(text, ", #linalg.iterator_type<parallel>");
  tune_string_builder_appendf(text, "]}\n      in %s : (" OP ") -> " OP "\n", func);
}

// Binds %op_0, %op_1, ...
static void append_handles(const tune_layout *layout, tune_string_builder *text) {
  append_product(layout, "%op_0", "%fused", false, text);
  for (size_t i = 1; i < layout->op_count; i++) {
    const tune_layout_op *op = &layout->ops[i];
    if (op->operand == SIZE_MAX)
      tune_string_builder_appendf(
          text, "    %%op_%zu = transform.get_consumers_of_result %%op_%zu[0]", i, op->from);
    else
      tune_string_builder_appendf(text,
                                  "    %%op_%zu = transform.get_producer_of_operand %%op_%zu[%zu]",
                                  i, op->from, op->operand);
    tune_string_builder_append(text, " : (" OP ") -> " OP "\n");
  }
}

// Packs, and the orders of their outer dimensions.
static void append_packs(const tune_layout *layout, tune_string_builder *text) {
  tune_string_builder_append(text,
                             "    %packed = transform.structured.pack %op_0 packed_sizes = [");
  append_list(layout->packed, layout->loop_count, text);
  tune_string_builder_append(text, "] : (" OP ") -> " OP "\n");
  const char *product = "%packed";
  static const char *const products[] = {"%packed_0", "%packed_1", "%packed_2"};
  for (size_t o = 0; o < 3; o++) {
    const tune_layout_operand *operand = &layout->operands[o];
    if (!operand->moves)
      continue;
    if (o < 2)
      tune_string_builder_appendf(
          text, "    %%pack_%zu = transform.get_producer_of_operand %s[%zu]\n", o, product, o);
    else
      tune_string_builder_appendf(
          text, "    %%pack_%zu = transform.get_consumers_of_result %s[0]\n", o, product);
    tune_string_builder_appendf(text,
                                "      : (" OP ") -> " OP "\n"
                                "    %s, %%turned_%zu, %%back_%zu = "
                                "transform.structured.pack_transpose %%pack_%zu\n"
                                "      with_compute_op(%s) outer_perm = [",
                                products[o], o, o, o, product);
    for (size_t i = 0; i < operand->rank; i++)
      tune_string_builder_appendf(text, "%s%zu", i ? ", " : "", operand->order[i]);
    tune_string_builder_append(text, "]\n      : (" OP ", " OP ") -> (" OP ", " OP ", " OP ")\n");
    product = products[o];
  }
}

// Transposes and copies of the function `func`, a handle without its %, become generic.
static void append_generalized(const char *func, tune_string_builder *text) {
  tune_string_builder_appendf(
      text,
      "    %%moves_%s = transform.structured.match ops{[\"linalg.transpose\", \"linalg.copy\"]}\n"
      "      in %%%s : (" OP ") -> " OP "\n"
      "    %%moved_%s = transform.structured.generalize %%moves_%s : (" OP ") -> " OP "\n",
      func, func, func, func);
}

// `pass` makes `result` of the function `func`; what becomes trivial by it goes.
static void append_pass(const char *pass, const char *func, const char *result,
                        tune_string_builder *text) {
  tune_string_builder_appendf(text,
                              "    %%%s = transform.apply_registered_pass \"%s\" to %%%s\n"
                              "      : (" OP ") -> " OP "\n"
                              "    transform.apply_patterns to %%%s {\n"
                              "      transform.apply_patterns.canonicalization\n"
                              "    } {apply_cse} : " OP "\n",
                              result, pass, func, result);
}

// Lowers the pack `pack`, a handle without its %.
static void append_lowered_pack(const char *pack, tune_string_builder *text) {
  tune_string_builder_appendf(
      text,
      "    %%parts_of_%s:3 = transform.structured.lower_pack %%%s\n"
      "      {lowerPadLikeWithInsertSlice = false} : (!transform.op<\"linalg.pack\">)\n"
      "      -> (!transform.op<\"tensor.pad\">, !transform.op<\"tensor.expand_shape\">,\n"
      "          !transform.op<\"linalg.transpose\">)\n",
      pack, pack);
}

// What starts the sums and what follows them take the order of the output over.
static void append_output(const tune_layout *layout, tune_string_builder *text) {
  // A fill is the same in any order.
  tune_string_builder_append(text,
                             "    transform.apply_patterns to %fused {\n"
                             "      transform.apply_patterns.canonicalization\n"
                             "      transform.apply_patterns.linalg.fold_pack_unpack_into_empty\n"
                             "    } {apply_cse} : " OP "\n"
                             "    %ends = transform.structured.match ops{[\"linalg.unpack\"]} in "
                             "%fused\n"
                             "      : (" OP ") -> !transform.op<\"linalg.unpack\">\n");
  if (!layout->starts_filled)
    tune_string_builder_append(text, "    %sums = transform.get_producer_of_operand %ends[0]\n"
                                     "      : (!transform.op<\"linalg.unpack\">) -> " OP "\n"
                                     "    %first = transform.get_producer_of_operand %sums[2]\n"
                                     "      : (" OP ") -> !transform.op<\"linalg.pack\">\n");
  if (!layout->starts_filled)
    append_lowered_pack("first", text);
  tune_string_builder_append(
      text, "    %end_parts:4 = transform.structured.lower_unpack %ends\n"
            "      {lowerUnpadLikeWithExtractSlice = false} : (!transform.op<\"linalg.unpack\">)\n"
            "      -> (!transform.op<\"tensor.empty\">, !transform.op<\"linalg.transpose\">,\n"
            "          !transform.op<\"tensor.collapse_shape\">,\n"
            "          !transform.op<\"tensor.extract_slice\">)\n");
  append_generalized("fused", text);
}

// The packs that are left, those of the operands.
static void append_operands(tune_string_builder *text) {
  tune_string_builder_append(
      text, "    %packs_left = transform.structured.match ops{[\"linalg.pack\"]} in %woven\n"
            "      : (" OP ") -> " OP "\n"
            "    transform.foreach %packs_left : " OP " {\n"
            "    ^bb0(%one: " OP "):\n"
            "    %one_pack = transform.cast %one : " OP " to !transform.op<\"linalg.pack\">\n");
  append_lowered_pack("one_pack", text);
  tune_string_builder_append(text, "    }\n");
  append_generalized("woven", text);
}

static void append_copies(const tune_layout *layout, tune_string_builder *text) {
  static const char *const copies[] = {"%copy_0", "%copy_1"};
  append_product(layout, "%product", "%laid", true, text);
  for (size_t o = 0; o < 2; o++)
    if (layout->operands[o].moves)
      tune_string_builder_appendf(text,
                                  "    %s = transform.get_producer_of_operand %%product[%zu]\n"
                                  "      : (" OP ") -> " OP "\n",
                                  copies[o], o);
  if (layout->after.loop_count)
    tune_string_builder_append(text, "    %after = transform.get_consumers_of_result %product[0]\n"
                                     "      : (" OP ") -> " OP "\n");
  for (size_t o = 0; o < 2; o++)
    if (layout->operands[o].moves && layout->operands[o].copy.loop_count)
      append_vectors(copies[o], &layout->operands[o].copy, 0, layout->has_threads, text);
  if (layout->after.loop_count)
    append_vectors("%after", &layout->after, 0, layout->has_threads, text);
}

const char *tune_layout_write(const tune_layout *layout, tune_string_builder *text) {
  if (!layout->op_count)
    return "%fused";
  append_handles(layout, text);
  for (size_t i = 1; i < layout->op_count; i++) {
    char name[32];
    snprintf(name, sizeof name, "%%op_%zu", i);
    if (layout->ops[i].tile.loop_count)
      append_vectors(name, &layout->ops[i].tile, 0, layout->has_threads, text);
  }
  if (!layout->packs)
    return "%fused";
  append_packs(layout, text);
  if (layout->packs_output)
    append_output(layout, text);
  append_pass("linalg-fuse-elementwise-ops", "fused", "woven", text);
  append_operands(text);
  append_pass("linalg-fold-unit-extent-dims", "woven", "laid", text);
  append_copies(layout, text);
  return "%laid";
}
