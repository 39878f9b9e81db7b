//===- line_products.h - Products of lines with lines -------------------------===//
//
// Where both factors lie along the depth, a product is of lines with lines: x times a weight as
// PyTorch keeps it. The rule 'contraction' turns B first, which few rows do not make up for; nests
// of 'general' have vectors along the depth, and add up their lanes at the end.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_LINE_PRODUCTS_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_LINE_PRODUCTS_H

#include "transforms/rules/machine.h"
#include "transforms/structure/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether `structure` is a product of lines with lines, of f32 or f64 and known sizes, that is
// better not turned, by an estimate. Not where B is turned ahead of all calls.
bool tune_line_products_are_best(const tune_structure *structure, const tune_machine *machine);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_LINE_PRODUCTS_H
