#include "unittests/ptx/types.h"

#include <string.h>

static const struct {
  const char *name;
  unsigned bits;
} types[PTX_TYPE_COUNT] = {
    [PTX_NONE] = {"nothing", 0},   [PTX_PRED] = {"pred", 1},    [PTX_B1] = {"b1", 1},
    [PTX_B8] = {"b8", 8},          [PTX_B16] = {"b16", 16},     [PTX_B32] = {"b32", 32},
    [PTX_B64] = {"b64", 64},       [PTX_B128] = {"b128", 128},  [PTX_U4] = {"u4", 4},
    [PTX_U8] = {"u8", 8},          [PTX_U16] = {"u16", 16},     [PTX_U32] = {"u32", 32},
    [PTX_U64] = {"u64", 64},       [PTX_S4] = {"s4", 4},        [PTX_S8] = {"s8", 8},
    [PTX_S16] = {"s16", 16},       [PTX_S32] = {"s32", 32},     [PTX_S64] = {"s64", 64},
    [PTX_U16X2] = {"u16x2", 32},   [PTX_S16X2] = {"s16x2", 32}, [PTX_F16] = {"f16", 16},
    [PTX_F16X2] = {"f16x2", 32},   [PTX_BF16] = {"bf16", 16},   [PTX_BF16X2] = {"bf16x2", 32},
    [PTX_TF32] = {"tf32", 32},     [PTX_F32] = {"f32", 32},     [PTX_F64] = {"f64", 64},
    [PTX_E4M3] = {"e4m3", 8},      [PTX_E5M2] = {"e5m2", 8},    [PTX_E4M3X2] = {"e4m3x2", 16},
    [PTX_E5M2X2] = {"e5m2x2", 16},
};

ptx_type ptx_type_from_name(const char *name, size_t length) {
  for (int type = PTX_PRED; type < PTX_TYPE_COUNT; type++)
    if (strlen(types[type].name) == length && !memcmp(types[type].name, name, length))
      return (ptx_type)type;
  return PTX_NONE;
}

const char *ptx_type_name(ptx_type type) { return types[type].name; }
unsigned ptx_type_bits(ptx_type type) { return types[type].bits; }
unsigned ptx_type_bytes(ptx_type type) { return types[type].bits < 8 ? 1 : types[type].bits / 8; }

bool ptx_type_is_signed(ptx_type type) { return type >= PTX_S8 && type <= PTX_S64; }

bool ptx_type_is_integer(ptx_type type) {
  return (type >= PTX_B8 && type <= PTX_B64) || (type >= PTX_U8 && type <= PTX_U64) ||
         ptx_type_is_signed(type);
}

bool ptx_type_is_float(ptx_type type) {
  return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}
