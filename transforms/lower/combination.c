//===- combination.c - What vectors are reduced by ------------------------------------===//

#include "transforms/lower/combination.h"

#include "transforms/ir.h"

#include <stdio.h>

static const tune_combination COMBINATIONS[] = {
    {"add", "arith.addf", "arith.addi"},  {"mul", "arith.mulf", "arith.muli"},
    {"minui", NULL, "arith.minui"},       {"minsi", NULL, "arith.minsi"},
    {"maxui", NULL, "arith.maxui"},       {"maxsi", NULL, "arith.maxsi"},
    {"minnumf", "arith.minnumf", NULL},   {"maxnumf", "arith.maxnumf", NULL},
    {"minimumf", "arith.minimumf", NULL}, {"maximumf", "arith.maximumf", NULL},
    {"and", NULL, "arith.andi"},          {"or", NULL, "arith.ori"},
    {"xor", NULL, "arith.xori"},
};

const tune_combination *tune_combination_find(MlirOperation op) {
  MlirAttribute kind = tune_ir_attribute(op, "kind");
  if (mlirAttributeIsNull(kind))
    return NULL;
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirAttributePrint(kind, tune_ir_append, &text);
  const tune_combination *found = NULL;
  for (size_t i = 0; i < sizeof COMBINATIONS / sizeof *COMBINATIONS && text.text && !found; ++i) {
    char written[24];
    snprintf(written, sizeof written, "<%s>", COMBINATIONS[i].kind);
    if (strstr(text.text, written))
      found = &COMBINATIONS[i];
  }
  tune_string_builder_deinit(&text);
  return found;
}
