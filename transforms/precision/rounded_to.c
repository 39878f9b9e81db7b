//===- rounded_to.c -------------------------------------------------------------===//

#include "transforms/precision/rounded_to.h"

#include <stddef.h>

const tune_rounded_form tune_rounded_forms[TUNE_ROUNDED_COUNT] = {
    [TUNE_ROUNDED_NOT] = {0, "f32", NULL},
    [TUNE_ROUNDED_BF16] = {TUNE_ALLOWS_BF16, "bf16", "/bf16"},
    [TUNE_ROUNDED_F16] = {TUNE_ALLOWS_F16, "f16", "/f16"},
    [TUNE_ROUNDED_INT8] = {TUNE_ALLOWS_INT8, "bytes", NULL}};
