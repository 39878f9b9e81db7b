//===- types.h - The types of PTX ------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_TYPES_H
#define TUNE_UNITTESTS_PTX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ptx_type {
  PTX_NONE,
  PTX_PRED,
  PTX_B1,
  PTX_B8,
  PTX_B16,
  PTX_B32,
  PTX_B64,
  PTX_B128,
  PTX_U4,
  PTX_U8,
  PTX_U16,
  PTX_U32,
  PTX_U64,
  PTX_S4,
  PTX_S8,
  PTX_S16,
  PTX_S32,
  PTX_S64,
  PTX_U16X2,
  PTX_S16X2,
  PTX_F16,
  PTX_F16X2,
  PTX_BF16,
  PTX_BF16X2,
  PTX_TF32,
  PTX_F32,
  PTX_F64,
  PTX_E4M3,
  PTX_E5M2,
  PTX_E4M3X2,
  PTX_E5M2X2,
  PTX_TYPE_COUNT,
} ptx_type;

// Of a name without its dot ("b32"), `length` characters of it. PTX_NONE where there is none.
ptx_type ptx_type_from_name(const char *name, size_t length);
const char *ptx_type_name(ptx_type type);
// 1 for predicates, 4 for s4.
unsigned ptx_type_bits(ptx_type type);
// At least 1.
unsigned ptx_type_bytes(ptx_type type);
bool ptx_type_is_signed(ptx_type type);
bool ptx_type_is_integer(ptx_type type); // b8 to s64
bool ptx_type_is_float(ptx_type type);   // f16 to f64, not packed

#endif // TUNE_UNITTESTS_PTX_TYPES_H
