//===- prefetch.c -------------------------------------------------------------===//

#include "transforms/rules/contraction/prefetch.h"

#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define LINE_BYTES 64 // of a cache
#define INTO_SECOND_CACHE "2"

const tune_operand *tune_prefetch_find_operand(const tune_structure *structure,
                                               const tune_machine *machine) {
  const tune_operand *largest = NULL;
  int64_t most = machine->l2_bytes;
  for (size_t n = 0; n < structure->nest_count && machine->l2_bytes; n++) {
    const tune_nest *nest = &structure->nests[n];
    for (size_t o = 0; o < nest->input_count; o++) {
      int64_t bytes = tune_operand_bytes(&nest->operands[o]);
      if (nest->operands[o].producer != TUNE_NO_LOOP || bytes <= most)
        continue;
      most = bytes;
      largest = &nest->operands[o];
    }
  }
  return largest;
}

//===--------------------------------------------------------------------------===//
// Patterns
//===--------------------------------------------------------------------------===//

// Beside a load of `length` elements of the operand, each line of it is prefetched `distance` bytes
// on: at the end of a row in the next one. What lies behind the last row is not touched by that.
static void write_pattern(const tune_operand *operand, int64_t length, int64_t distance,
                          const char *name, tune_writer *w) {
  const char *place[TUNE_MAX_LOOPS + 2];
  tune_pdl_begin_pattern(w, name);
  tune_pdl_load(w, "nest", operand, length, place);
  const char *last = place[operand->rank];
  tune_pdl_begin_rewrite(w);
  int64_t size = operand->bits / 8;
  for (int64_t byte = 0; byte < length * size; byte += LINE_BYTES) {
    char step[32], ahead[32], number[24];
    snprintf(step, sizeof step, "step_%" PRId64, byte);
    snprintf(ahead, sizeof ahead, "ahead_%" PRId64, byte);
    snprintf(number, sizeof number, "%" PRId64, (distance + byte) / size);
    tune_pdl_constant(w, step, "index", number);
    tune_pdl_operation(w, ahead, "arith.addi", "index", TUNE_PDL_OPERANDS(last, step),
                       TUNE_PDL_ATTRIBUTES({"overflowFlags", "#arith.overflow<none>"}));
    place[operand->rank] = ahead;
    snprintf(step, sizeof step, "prefetch_%" PRId64, byte);
    tune_pdl_operation(w, step, "memref.prefetch", NULL, place,
                       TUNE_PDL_ATTRIBUTES({"isWrite", "false"},
                                           {"localityHint", INTO_SECOND_CACHE " : i32"},
                                           {"isDataCache", "true"}));
  }
  tune_pdl_end_pattern(w, NULL);
}

static void write_patterns(const tune_prefetch *p, int64_t distance, tune_writer *w) {
  static const char *const names[TUNE_PREFETCH_LENGTHS] = {
      "ahead_0", "ahead_1", "ahead_2", "ahead_3", "ahead_4", "ahead_5", "ahead_6", "ahead_7"};
  tune_pdl_begin_patterns(w);
  for (size_t i = 0; i < p->length_count; i++)
    write_pattern(p->operand, p->lengths[i], distance, names[i], w);
  tune_pdl_end_patterns(names, p->length_count, w);
}

void tune_prefetch_write(const tune_prefetch *p, tune_writer *w) {
  char labels[128] = "\"none\"";
  size_t used = strlen(labels);
  int64_t default_index = 0;
  for (size_t i = 0; i < p->distance_count; i++) {
    used += (size_t)snprintf(labels + used, sizeof labels - used, ", \"by_%" PRId64 "\"",
                             p->distances[i]);
    if (p->distances[i] == p->default_distance)
      default_index = (int64_t)i + 1;
  }
  // Loads of the operand itself, not of views of it.
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.memref.fold_memref_alias_ops");
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} {apply_cse} : " OP);
  tune_writer_begin_alternatives(w, NULL, "prefetch", TUNE_LEVEL_BUFFER, labels, default_index, 0);
  for (size_t i = 0; i < p->distance_count; i++) {
    tune_writer_next_alternative(w, NULL, 0);
    write_patterns(p, p->distances[i], w);
  }
  tune_writer_end_alternatives(w, NULL, 0);
}
