//===- dot_words.c ------------------------------------------------------------===//

#include "transforms/rules/contraction/dot_words.h"

#include "transforms/rules/pdl_writer.h"

#define FLAT_MAP "affine_map<(d0) -> (d0)>"
#define FLAT_WRITE "array<i32: 1, 1, 1, 0>"

const char *tune_dot_element(const tune_dot *dot) { return dot->is_bf16 ? "bf16" : "i8"; }

void tune_dot_write_constants(const tune_dot *dot, tune_writer *w) {
  tune_pdl_constant(w, "at", "index", "0");
  tune_pdl_constant(w, "none", tune_dot_element(dot), dot->is_bf16 ? "0.0" : "0");
}

void tune_dot_write_vector(tune_writer *w, const char *result, const char *vector, const char *to,
                           const char *type, bool in_bounds) {
  tune_pdl_operation(w, result, "vector.transfer_write", type, TUNE_PDL_OPERANDS(vector, to, "at"),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", FLAT_MAP},
                                         {"in_bounds", in_bounds ? "[true]" : "[false]"},
                                         {"operandSegmentSizes", FLAT_WRITE}));
}
