//===- scalar_reads.c --------------------------------------------------------===//

#include "transforms/rules/contraction/scalar_reads.h"

#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>

#define MOST_PATTERNS 32

// Element `element` of a vector of `length` elements of the operand.
static void write_pattern(const tune_operand *operand, int64_t length, int64_t element,
                          const char *name, tune_writer *w) {
  const char *place[TUNE_MAX_LOOPS + 2];
  size_t last = operand->rank;
  tune_pdl_begin_pattern(w, name);
  tune_pdl_load(w, "load", operand, length, place);
  tune_writer_line(w, "%%vector = pdl.result 0 of %%load");
  tune_writer_line(w, "%%position = pdl.attribute = array<i64: %" PRId64 ">", element);
  tune_writer_line(w, "%%scalar_type = pdl.type : %s", operand->type);
  tune_writer_line(w, "%%nest = pdl.operation \"vector.extract\"(%%vector : !pdl.value) "
                      "{\"static_position\" = %%position} -> (%%scalar_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  if (element > 0) {
    tune_pdl_constant(w, "step", "index", tune_pdl_format("%" PRId64, element).text);
    tune_pdl_operation(w, "at", "arith.addi", "index", TUNE_PDL_OPERANDS(place[last], "step"),
                       TUNE_PDL_ATTRIBUTES({"overflowFlags", "#arith.overflow<none>"}));
    place[last] = "at";
  }
  tune_pdl_operation(w, "read", "memref.load", operand->type, place, NULL);
  tune_pdl_end_pattern(w, "read");
}

static bool is_power_of_two(int64_t value) { return (value & (value - 1)) == 0; }

void tune_scalar_reads_write(const tune_operand *operand, const tune_value_set *lengths,
                             tune_writer *w) {
  tune_pdl_text texts[MOST_PATTERNS];
  const char *names[MOST_PATTERNS];
  size_t count = 0;
  for (size_t i = 0; i < lengths->count; i++)
    if (lengths->values[i] > 1 && is_power_of_two(lengths->values[i]))
      return;
  for (size_t i = 0; i < lengths->count; i++) {
    int64_t length = lengths->values[i];
    if (is_power_of_two(length))
      continue;
    for (int64_t element = 0; element < length && count < MOST_PATTERNS; element++) {
      if (count == 0)
        tune_pdl_begin_patterns(w);
      texts[count] = tune_pdl_format("element_%" PRId64 "_of_%" PRId64, element, length);
      names[count] = texts[count].text;
      write_pattern(operand, length, element, names[count], w);
      count++;
    }
  }
  if (count == 0)
    return;
  tune_pdl_end_patterns(names, count, w);
  // The vectors themselves are read by nobody.
  tune_writer_canonicalize(w);
}
