//===- rounded_to.h - What factors of products are rounded to ------------------===//
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PRECISION_ROUNDED_TO_H
#define TUNE_TRANSFORMS_PRECISION_ROUNDED_TO_H

#include "dialects/allow.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_rounded_to {
  TUNE_ROUNDED_NOT,
  TUNE_ROUNDED_BF16,
  TUNE_ROUNDED_F16,
  TUNE_ROUNDED_INT8
} tune_rounded_to;
#define TUNE_ROUNDED_COUNT 4

// All that a budget may ask for.
#define TUNE_ROUNDED_ALL (TUNE_ALLOWS_NARROW | TUNE_ALLOWS_INT8)

typedef struct tune_rounded_form {
  tune_allowances allowance; // what has to be allowed; 0: nothing
  const char *name;          // in reports: "bf16", "bytes"
  const char *rule_suffix;   // of rules that round so (spaces/rule_registry.h): "/bf16"; NULL: what
                             // rounds is tasks of its own (normalize/quantized/byte_products.h)
} tune_rounded_form;

extern const tune_rounded_form tune_rounded_forms[TUNE_ROUNDED_COUNT];

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PRECISION_ROUNDED_TO_H
