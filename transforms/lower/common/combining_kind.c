//===- combining_kind.c - Combining kinds of vector reductions ---------------===//

#include "transforms/lower/common/combining_kind.h"

#include "dialects/printing.h"
#include "transforms/ir/ir.h"

#include <stdio.h>

static const tune_combining_kind COMBINATIONS[] = {
    {"add", "arith.addf", "arith.addi"},  {"mul", "arith.mulf", "arith.muli"},
    {"minui", NULL, "arith.minui"},       {"minsi", NULL, "arith.minsi"},
    {"maxui", NULL, "arith.maxui"},       {"maxsi", NULL, "arith.maxsi"},
    {"minnumf", "arith.minnumf", NULL},   {"maxnumf", "arith.maxnumf", NULL},
    {"minimumf", "arith.minimumf", NULL}, {"maximumf", "arith.maximumf", NULL},
    {"and", NULL, "arith.andi"},          {"or", NULL, "arith.ori"},
    {"xor", NULL, "arith.xori"},
};

const tune_combining_kind *tune_combining_kind_find(MlirOperation op) {
  return tune_combining_kind_read(tune_ir_attribute(op, "kind"));
}

const tune_combining_kind *tune_combining_kind_read(MlirAttribute kind) {
  if (mlirAttributeIsNull(kind))
    return NULL;
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirAttributePrint(kind, tune_printing_append, &text);
  const tune_combining_kind *found = NULL;
  for (size_t i = 0; i < sizeof COMBINATIONS / sizeof *COMBINATIONS && text.text && !found; ++i) {
    // #vector.kind<add>, #gpu<all_reduce_op add>
    char of_vectors[24], of_lanes[24];
    snprintf(of_vectors, sizeof of_vectors, "<%s>", COMBINATIONS[i].kind);
    snprintf(of_lanes, sizeof of_lanes, " %s>", COMBINATIONS[i].kind);
    if (strstr(text.text, of_vectors) || strstr(text.text, of_lanes))
      found = &COMBINATIONS[i];
  }
  tune_string_builder_deinit(&text);
  return found;
}
