//===- schedule_stages.c - The stages that every schedule has -----------------===//

#include "transforms/rules/schedule_writer.h"
#include "transforms/structure/preparation.h"

#define OP "!transform.any_op"

// `argument` with its type and what becomes of it.
static void begin_tensors(tune_writer *writer, const char *comment, const char *argument) {
  writer->comment.begin = writer->text.length;
  tune_writer_line(writer, "// %s", comment);
  writer->comment.end = writer->text.length;
  tune_writer_line(writer, "module attributes {transform.with_named_sequence} {");
  writer->indent++;
  tune_writer_line(writer, "transform.named_sequence @tune_tensors(%s) {", argument);
  writer->indent++;
  writer->bodies[0].begin = writer->text.length;
}

void tune_writer_begin_unprepared(tune_writer *writer, const char *comment) {
  begin_tensors(writer, comment, "%func: " OP " {transform.readonly}");
}

void tune_writer_begin_tensors(tune_writer *writer, const char *comment) {
  begin_tensors(writer, comment, "%task: " OP " {transform.consumed}");
  tune_writer_line(writer,
                   "%%func = transform.include @" TUNE_PREPARATION_NAME
                   "%s%s failures(propagate) (%%task)",
                   *writer->form ? "_" : "", writer->form);
  tune_writer_line(writer, "  : (" OP ") -> " OP);
}

void tune_writer_vector_cleanup(tune_writer *writer, bool widens) {
  // The first two without canonicalization: it turns reductions over a unit dimension into
  // shape_casts, and the contraction would be lost.
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  if (widens)
    tune_writer_line(writer, "  transform.apply_patterns.vector.sink_ops");
  tune_writer_line(writer, "  transform.apply_patterns.vector.reduction_to_contract");
  tune_writer_line(writer, "  transform.apply_patterns.vector.transfer_permutation_patterns");
  tune_writer_line(writer, "} : " OP);
  tune_writer_apply_pattern(writer, "vector.cast_away_vector_leading_one_dim");
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  tune_writer_line(writer, "  transform.apply_patterns.canonicalization");
  tune_writer_line(
      writer, "  transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers");
  tune_writer_line(writer, "} {apply_cse} : " OP);
  tune_writer_line(writer,
                   "%%hoist = transform.structured.match interface{LoopLikeInterface} "
                   "in %s : (" OP ") -> " OP,
                   writer->func);
  tune_writer_line(writer, "transform.apply_licm to %%hoist : " OP);
  tune_writer_line(writer, "transform.loop.hoist_loop_invariant_subsets %%hoist : " OP);
  tune_writer_canonicalize(writer);
}

void tune_writer_end_sequence(tune_writer *writer) {
  if (writer->body_count < 2)
    writer->bodies[writer->body_count++].end = writer->text.length;
  tune_writer_line(writer, "transform.yield");
  writer->indent--;
  tune_writer_line(writer, "}");
}

void tune_writer_end_tensors(tune_writer *writer) {
  tune_writer_line(writer, "transform.bufferization.eliminate_empty_tensors %s : " OP,
                   writer->func);
  tune_writer_end_sequence(writer);
}

void tune_writer_begin_buffers(tune_writer *writer) {
  tune_writer_line(writer,
                   "transform.named_sequence @tune_buffers(%%func: " OP " {transform.consumed}) {");
  writer->indent++;
  writer->bodies[1].begin = writer->text.length;
}

void tune_writer_place_buffers(tune_writer *writer) {
  tune_value_set limits = {2, {0, 65536}};
  tune_writer_knob(writer, "stack_bytes", NULL, TUNE_LEVEL_BUFFER, &limits, writer->stack_bytes);
  tune_writer_line(writer, "%%with_stack = transform.apply_registered_pass "
                           "\"promote-buffers-to-stack\"");
  tune_writer_line(writer, "  with options = { \"max-alloc-size-in-bytes\" = %%stack_bytes } to %s",
                   writer->func);
  tune_writer_line(writer, "  : (" OP ", !transform.param<i64>) -> " OP);
  writer->func = "%with_stack";
}

void tune_writer_lower_vectors(tune_writer *writer) {
  tune_writer_line(writer, "transform.bufferization.buffer_loop_hoisting %s : " OP, writer->func);
  tune_writer_canonicalize(writer);
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  tune_writer_line(writer, "  transform.apply_patterns.vector.lower_masked_transfers");
  tune_writer_line(writer, "  transform.apply_patterns.vector.lower_masks");
  tune_writer_line(writer, "} : " OP);
  // Transposing reads become plain ones and a transpose, also masked ones, which before this were
  // still inside vector.mask: unrolled as they are, upstream takes the mask along the wrong
  // dimension.
  tune_writer_apply_pattern(writer, "vector.transfer_permutation_patterns");
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  tune_writer_line(writer, "  transform.apply_patterns.vector.lower_contraction "
                           "lowering_strategy = \"outerproduct\"");
  tune_writer_line(writer, "} : " OP);
  tune_writer_line(writer, "transform.apply_patterns to %s {", writer->func);
  tune_writer_line(writer, "  transform.apply_patterns.vector.lower_outerproduct");
  tune_writer_line(writer, "  transform.apply_patterns.vector.lower_multi_reduction "
                           "lowering_strategy = \"innerreduction\"");
  tune_writer_line(writer, "  transform.apply_patterns.vector.transfer_to_scf "
                           "max_transfer_rank = 1 full_unroll = true");
  tune_writer_line(writer,
                   "  transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1");
  tune_writer_line(writer, "  transform.apply_patterns.vector.lower_shape_cast");
  tune_writer_line(writer, "  transform.apply_patterns.vector.lower_transpose "
                           "lowering_strategy = \"shuffle_16x16\"");
  tune_writer_line(writer, "} : " OP);
  tune_writer_apply_pattern(writer, "vector.materialize_masks");
}

// Each knob ends as a discardable attribute of the function, which the lowering reads when it sets
// up LLVM (transforms/lower).
static void annotate_knob(tune_writer *writer, const char *knob, const char *attribute) {
  tune_writer_line(writer, "transform.annotate %s \"%s\" = %%%s : " OP ", !transform.param<i64>",
                   writer->func, attribute, knob);
}

// Whether `nest` multiplies in a wider type than it reads, because it says so or because a CPU
// does.
static bool multiplies_wider(const tune_nest *nest) {
  return nest->widens || (nest->multiplies_and_adds &&
                          tune_operand_register_bits(&nest->operands[0]) > nest->operands[0].bits);
}

void tune_writer_wide_operands(tune_writer *writer, const tune_structure *structure) {
  bool is_wider = false;
  for (size_t n = 0; n < structure->nest_count; n++)
    is_wider |= multiplies_wider(&structure->nests[n]);
  if (!is_wider)
    return;
  tune_value_set flag = {2, {0, 1}};
  tune_writer_knob(writer, "wide_operands", NULL, TUNE_LEVEL_BUFFER, &flag, 1);
  annotate_knob(writer, "wide_operands", "tune.wide_operands");
}

void tune_writer_weights_ahead(tune_writer *writer, const tune_operand *operand) {
  if (!operand->is_constant)
    return;
  tune_value_set flag = {2, {0, 1}};
  tune_writer_knob(writer, "weights_ahead", NULL, TUNE_LEVEL_BUFFER, &flag, 1);
  annotate_knob(writer, "weights_ahead", "tune.weights_ahead");
}

void tune_writer_panel_ahead(tune_writer *writer, int64_t default_value) {
  tune_value_set flag = {2, {0, 1}};
  tune_writer_knob(writer, "panel_ahead", NULL, TUNE_LEVEL_BUFFER, &flag, default_value);
  annotate_knob(writer, "panel_ahead", "tune.panel_ahead");
}

void tune_writer_target_knobs(tune_writer *writer, unsigned vector_bits, bool has_math) {
  tune_value_set widths = {0};
  tune_value_set_add(&widths, vector_bits);
  if (vector_bits > 256)
    tune_value_set_add(&widths, 256);
  bool is_half = writer->keeps_halves && vector_bits > 256;
  tune_writer_knob(writer, "llvm_vector_width", "vectorize", TUNE_LEVEL_TARGET, &widths,
                   is_half ? 256 : vector_bits);
  annotate_knob(writer, "llvm_vector_width", "tune.llvm.prefer_vector_width");
  // The light pipeline (1) builds faster, but leaves a fifth and more of the speed behind.
  tune_value_set levels = {2, {2, 3}};
  tune_writer_knob(writer, "llvm_opt_level", NULL, TUNE_LEVEL_TARGET, &levels, 3);
  annotate_knob(writer, "llvm_opt_level", "tune.llvm.opt_level");
  tune_value_set flag = {2, {0, 1}};
  tune_writer_knob(writer, "llvm_unroll", NULL, TUNE_LEVEL_TARGET, &flag,
                   writer->keeps_loops ? 0 : 1);
  annotate_knob(writer, "llvm_unroll", "tune.llvm.loop_unroll");
  if (has_math) {
    // libm, polynomials, libmvec: transforms/lower/cpu/vectors/math.h.
    tune_value_set ways = {3, {0, 1, 2}};
    tune_writer_knob(writer, "vector_math", NULL, TUNE_LEVEL_VECTOR, &ways, 1);
    annotate_knob(writer, "vector_math", "tune.math.polynomial");
  }
}

void tune_writer_spirv_knobs(tune_writer *writer) {
  tune_writer_line(writer,
                   "%%spirv_opt = transform.tune.knob<\"%sspirv_opt\"> options = "
                   "[\"none\", \"performance\", \"size\", \"unroll\"]",
                   writer->knob_prefix);
  tune_writer_line(writer, "  {tune.level = \"target\", tune.default = \"performance\"} -> "
                           "!transform.any_param");
  tune_writer_line(writer,
                   "transform.annotate %s \"tune.spirv.opt\" = %%spirv_opt : " OP
                   ", !transform.any_param",
                   writer->func);
}

void tune_writer_end_buffers(tune_writer *writer) { tune_writer_end_sequence(writer); }

void tune_writer_main(tune_writer *writer, const tune_structure *structure) {
  writer->preparation.begin = writer->text.length;
  tune_preparation_write(&structure->preparation, writer->form, &writer->text);
  writer->preparation.end = writer->text.length;
  tune_writer_end_module(writer);
}

void tune_writer_end_module(tune_writer *writer) {
  tune_string_builder_append(
      &writer->text,
      "  transform.named_sequence @__transform_main(%root: !transform.any_op "
      "{transform.consumed}) {\n"
      "    %task = transform.structured.match ops{[\"func.func\"]} in %root\n"
      "      : (!transform.any_op) -> !transform.any_op\n"
      "    transform.include @tune_tensors failures(propagate) (%task)\n"
      "      : (!transform.any_op) -> ()\n"
      "    %buffers = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %root\n"
      "      {bufferize_function_boundaries = true, memcpy_op = \"linalg.copy\"}\n"
      "      : (!transform.any_op) -> !transform.any_op\n"
      "    %func = transform.structured.match ops{[\"func.func\"]} in %buffers\n"
      "      : (!transform.any_op) -> !transform.any_op\n"
      "    transform.include @tune_buffers failures(propagate) (%func)\n"
      "      : (!transform.any_op) -> ()\n"
      "    transform.yield\n"
      "  }\n"
      "}\n");
}
