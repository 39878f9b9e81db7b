//===- streaming.c ------------------------------------------------------------===//

#include "transforms/rules/contraction/streaming.h"

#include <stdio.h>

#define OP "!transform.any_op"
#define ANY_PARAM "!transform.any_param"

#define LINE_BYTES 64 // of a cache

bool tune_streaming_applies(const tune_structure *structure, const tune_nest *root, size_t loop,
                            const tune_machine *machine) {
  const tune_operand *out = &root->operands[root->input_count];
  if (!root->is_returned || !out->is_fresh || out->rank == 0 || root->reduction_count ||
      tune_operand_contiguous_loop(root, out) != loop)
    return false;
  int64_t bytes = tune_operand_bytes(out), vector_bytes = machine->vector_bits / 8;
  if (bytes == 0 || out->shape[out->rank - 1] * (out->bits / 8) % vector_bytes)
    return false;
  for (size_t n = 0; n < structure->nest_count; n++)
    for (size_t o = 0; o < structure->nests[n].input_count; o++)
      if (structure->nests[n].operands[o].producer == TUNE_NO_LOOP)
        bytes += tune_operand_bytes(&structure->nests[n].operands[o]);
  return bytes >= machine->l3_bytes / 2;
}

// Marks the stores into what is allocated for `out`, the `number`th.
static void write_stores(const tune_operand *out, size_t number, tune_writer *w) {
  tune_string_builder type;
  tune_string_builder_init(&type);
  for (size_t i = 0; i < out->rank; i++)
    tune_string_builder_appendf(&type, "%lldx", (long long)out->shape[i]);
  tune_writer_line(w, "%%results_%zu = transform.structured.match ops{[\"memref.alloc\"]}", number);
  tune_writer_line(w, "  filter_result_type = memref<%s%s> in %s : (" OP ") -> " OP,
                   type.text ? type.text : "", out->type, w->func);
  w->text.failed |= type.failed;
  tune_string_builder_deinit(&type);
  char results[32];
  snprintf(results, sizeof results, "%%results_%zu", number);
  tune_writer_begin_foreach(w, results, "%result");
  tune_writer_line(w, "%%users = transform.get_consumers_of_result %%result[0] : (" OP ") -> " OP);
  tune_writer_begin_foreach(w, "%users", "%user");
  tune_writer_line(w, "%%stores = transform.structured.match ops{[\"vector.store\"]} in %%user");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "transform.annotate %%stores \"nontemporal\" = %%yes : " OP ", " ANY_PARAM);
  tune_writer_line(w, "transform.annotate %%stores \"alignment\" = %%aligned : " OP ", " ANY_PARAM);
  tune_writer_end_foreach(w);
  tune_writer_end_foreach(w);
}

void tune_streaming_write(const tune_operand *results, size_t result_count, int64_t step,
                          bool is_apart, const tune_machine *machine, tune_writer *w) {
  int64_t alignment = step * results[0].bits / 8;
  bool is_in_pieces = is_apart && machine->vector_registers <= 16 && alignment < LINE_BYTES / 2;
  if (alignment > machine->vector_bits / 8)
    alignment = machine->vector_bits / 8;
  tune_writer_begin_alternatives(w, NULL, "stores", TUNE_LEVEL_BUFFER, "\"cached\", \"streamed\"",
                                 !is_in_pieces, 0);
  tune_writer_next_alternative(w, NULL, 0);
  // Before the marks are set: folding loses them. And it makes the buffer's users of those of its
  // views.
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.memref.fold_memref_alias_ops");
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} {apply_cse} : " OP);
  tune_writer_line(w, "%%yes = transform.param.constant true -> " ANY_PARAM);
  tune_writer_line(w, "%%aligned = transform.param.constant %lld : i64 -> " ANY_PARAM,
                   (long long)alignment);
  for (size_t i = 0; i < result_count; i++)
    write_stores(&results[i], i, w);
  tune_writer_end_alternatives(w, NULL, 0);
}
