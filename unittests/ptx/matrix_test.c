//===- matrix_test.c - Where the elements of tensor-core operands are
//------------------------------===//
//
// The fragments are filled and read here by the formulas of the PTX ISA's chapter on mma, one for
// each shape as they stand there, and the product is computed a second time without any fragment.
//
//===--------------------------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/ptx/run_ptx.h"

#define LANES 32
#define DEPTH_MOST 32

typedef struct place {
  unsigned row, column;
} place;

typedef place (*place_of)(unsigned lane, unsigned i);

// "groupID = %laneid >> 2, threadID_in_group = %laneid % 4", as g and t below.
#define PLACE(name, row_of_it, column_of_it)                                                       \
  static place name(unsigned lane, unsigned i) {                                                   \
    unsigned g = lane >> 2, t = lane % 4;                                                          \
    (void)g, (void)t, (void)i;                                                                     \
    return (place){row_of_it, column_of_it};                                                       \
  }
// m16n8k16, .f16 and .bf16
PLACE(a_16x16_b16, (i < 2 || (i >= 4 && i < 6)) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0))
PLACE(b_16x8_b16, t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g)
// m16n8k8, .f16 and .bf16
PLACE(a_16x8_b16, i < 2 ? g : g + 8, t * 2 + (i & 1))
PLACE(b_8x8_b16, t * 2 + i, g)
// m16n8k8, .tf32
PLACE(a_16x8_tf32, (i == 0 || i == 2) ? g : g + 8, i < 2 ? t : t + 4)
PLACE(b_8x8_tf32, i == 0 ? t : t + 4, g)
// m16n8k4, .tf32
PLACE(a_16x4_tf32, i == 0 ? g : g + 8, t)
PLACE(b_4x8_tf32, t, g)
// m16n8k16, .s8
PLACE(a_16x16_s8, i < 4 ? g : g + 8, t * 4 + (i & 3))
PLACE(b_16x8_s8, t * 4 + i, g)
// m16n8k32, .s8
PLACE(a_16x32_s8, (i < 4 || (i >= 8 && i < 12)) ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0))
PLACE(b_32x8_s8, t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g)
// m8n8k16, .s8
PLACE(a_8x16_s8, g, t * 4 + i)
// m8n8k4, .f64
PLACE(a_8x4_f64, g, t)
PLACE(b_4x8_f64, t, g)
// Accumulators of 16x8, and of 8x8
PLACE(c_16x8, i < 2 ? g : g + 8, t * 2 + (i & 1))
PLACE(c_8x8, g, t * 2 + i)

typedef enum kind { F16, BF16, TF32, S8, U8, F64, F32, S32 } kind;

typedef struct shape {
  const char *instruction;
  kind a, b, c;
  unsigned rows, depth, a_count, b_count, c_count; // elements of a lane
  place_of a_place, b_place, c_place;
} shape;

static const shape shapes[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32", F16, F16, F32, 16, 16, 8, 4, 4, a_16x16_b16, b_16x8_b16,
     c_16x8},
    {"m16n8k16.row.col.f16.f16.f16.f16", F16, F16, F16, 16, 16, 8, 4, 4, a_16x16_b16, b_16x8_b16,
     c_16x8},
    {"m16n8k8.row.col.f32.f16.f16.f32", F16, F16, F32, 16, 8, 4, 2, 4, a_16x8_b16, b_8x8_b16,
     c_16x8},
    {"m16n8k8.row.col.f16.f16.f16.f16", F16, F16, F16, 16, 8, 4, 2, 4, a_16x8_b16, b_8x8_b16,
     c_16x8},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", BF16, BF16, F32, 16, 16, 8, 4, 4, a_16x16_b16,
     b_16x8_b16, c_16x8},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", BF16, BF16, F32, 16, 8, 4, 2, 4, a_16x8_b16, b_8x8_b16,
     c_16x8},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, 16, 8, 4, 2, 4, a_16x8_tf32, b_8x8_tf32,
     c_16x8},
    {"m16n8k4.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, 16, 4, 2, 1, 4, a_16x4_tf32, b_4x8_tf32,
     c_16x8},
    {"m16n8k16.row.col.s32.s8.s8.s32", S8, S8, S32, 16, 16, 8, 4, 4, a_16x16_s8, b_16x8_s8, c_16x8},
    {"m16n8k32.row.col.s32.s8.s8.s32", S8, S8, S32, 16, 32, 16, 8, 4, a_16x32_s8, b_32x8_s8,
     c_16x8},
    {"m8n8k16.row.col.s32.s8.s8.s32", S8, S8, S32, 8, 16, 4, 4, 2, a_8x16_s8, b_16x8_s8, c_8x8},
    {"m8n8k4.row.col.f64.f64.f64.f64", F64, F64, F64, 8, 4, 1, 1, 2, a_8x4_f64, b_4x8_f64, c_8x8},
    {"m16n8k32.row.col.s32.u8.u8.s32", U8, U8, S32, 16, 32, 16, 8, 4, a_16x32_s8, b_32x8_s8,
     c_16x8},
    {"m16n8k32.row.col.s32.s8.u8.s32", S8, U8, S32, 16, 32, 16, 8, 4, a_16x32_s8, b_32x8_s8,
     c_16x8},
    {"m16n8k32.row.col.s32.u8.s8.s32", U8, S8, S32, 16, 32, 16, 8, 4, a_16x32_s8, b_32x8_s8,
     c_16x8},
};

static unsigned bytes_of(kind k) {
  return k == F64 ? 8 : k == S8 || k == U8 ? 1 : k == F16 || k == BF16 ? 2 : 4;
}

// Small integers, which every kind holds exactly, and their sums too.
static uint64_t encode(kind k, int value) {
  float f = (float)value;
  double d = value;
  uint64_t bits = 0;
  if (k == F64) {
    memcpy(&bits, &d, sizeof d);
    return bits;
  }
  if (k == S8 || k == U8 || k == S32)
    return (uint32_t)value;
  uint32_t word;
  memcpy(&word, &f, sizeof word);
  if (k == BF16)
    return word >> 16;
  if (k == F16) // exponents differ by 112
    return value == 0 ? 0 : (word >> 16 & 0x8000) | (((word & 0x7fffffff) >> 13) - (112 << 10));
  return word;
}

// Registers of `count` elements of a lane: as bytes, one after the other.
static unsigned register_bytes(kind k) { return k == F64 ? 8 : 4; }

static unsigned register_count(kind k, unsigned count) {
  return count * bytes_of(k) / register_bytes(k);
}

// "{%a0, %a1}" of registers that were loaded from `from` on, a lane's one after the other.
static void append_fragment(char *text, size_t size, char name, kind k, unsigned count) {
  size_t length = strlen(text);
  for (unsigned r = 0; r < count; r++)
    length += (size_t)snprintf(text + length, size - length, "%s%%%s%c%u", r ? ", " : "{",
                               k == F64 ? "d" : "", name, r);
  snprintf(text + length, size - length, "}");
}

static void append_load(char *text, size_t size, char name, kind k, unsigned count,
                        unsigned offset) {
  size_t length = strlen(text);
  for (unsigned r = 0; r < count; r++)
    length += (size_t)snprintf(text + length, size - length, "ld.b%u %%%s%c%u, [%%rd1+%u];\n",
                               8 * register_bytes(k), k == F64 ? "d" : "", name, r,
                               offset + r * register_bytes(k));
}

static char *make_kernel(const shape *s, unsigned a_registers, unsigned b_registers,
                         unsigned c_registers) {
  static char text[8192];
  unsigned a_bytes = a_registers * register_bytes(s->a),
           b_bytes = b_registers * register_bytes(s->a);
  unsigned c_bytes = c_registers * register_bytes(s->c);
  snprintf(text, sizeof text,
           ".reg .b32 %%a<4>, %%b<2>, %%c<4>;\n"
           ".reg .b64 %%da<1>, %%db<1>, %%dc<2>;\n"
           "mov.u32 %%r1, %%laneid;\n"
           "mad.wide.u32 %%rd1, %%r1, %u, %%in;\n"
           "mad.wide.u32 %%rd2, %%r1, %u, %%out;\n",
           a_bytes + b_bytes + c_bytes, c_bytes);
  append_load(text, sizeof text, 'a', s->a, a_registers, 0);
  append_load(text, sizeof text, 'b', s->a, b_registers, a_bytes);
  append_load(text, sizeof text, 'c', s->c, c_registers, a_bytes + b_bytes);
  strcat(text, "mma.sync.aligned.");
  strcat(text, s->instruction);
  strcat(text, " ");
  append_fragment(text, sizeof text, 'c', s->c, c_registers);
  strcat(text, ", ");
  append_fragment(text, sizeof text, 'a', s->a, a_registers);
  strcat(text, ", ");
  append_fragment(text, sizeof text, 'b', s->a, b_registers);
  strcat(text, ", ");
  append_fragment(text, sizeof text, 'c', s->c, c_registers);
  strcat(text, ";\n");
  for (unsigned r = 0; r < c_registers; r++) {
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "st.b%u [%%rd2+%u], %%%sc%u;\n",
             8 * register_bytes(s->c), r * register_bytes(s->c), s->c == F64 ? "d" : "", r);
  }
  return text;
}

static int a_value(unsigned row, unsigned column) { return (int)((row * 7 + column * 3) % 11) - 5; }
static int b_value(unsigned row, unsigned column) { return (int)((row * 5 + column * 2) % 7) - 3; }
// Bytes without a sign are such as would be negative with one.
static int within(kind k, int value) { return k == U8 ? value + 200 : value; }
static int c_value(unsigned row, unsigned column) { return (int)(row + 2 * column) - 9; }

static void products_are_right(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    const shape *s = &shapes[k];
    unsigned a = s->a_count * bytes_of(s->a), b = s->b_count * bytes_of(s->a),
             c = s->c_count * bytes_of(s->c), lane_bytes = a + b + c;
    static _Alignas(8) uint8_t in[LANES * 64], out[LANES * 64];
    for (unsigned lane = 0; lane < LANES; lane++) {
      uint8_t *fragment = in + lane * lane_bytes;
      for (unsigned i = 0; i < s->a_count; i++) {
        place p = s->a_place(lane, i);
        uint64_t bits = encode(s->a, within(s->a, a_value(p.row, p.column)));
        memcpy(fragment + i * bytes_of(s->a), &bits, bytes_of(s->a));
      }
      for (unsigned i = 0; i < s->b_count; i++) {
        place p = s->b_place(lane, i);
        uint64_t bits = encode(s->b, within(s->b, b_value(p.row, p.column)));
        memcpy(fragment + a + i * bytes_of(s->a), &bits, bytes_of(s->a));
      }
      for (unsigned i = 0; i < s->c_count; i++) {
        place p = s->c_place(lane, i);
        uint64_t bits = encode(s->c, c_value(p.row, p.column));
        memcpy(fragment + a + b + i * bytes_of(s->c), &bits, bytes_of(s->c));
      }
    }
    const ptx_case run = {.body = make_kernel(s, register_count(s->a, s->a_count),
                                              register_count(s->a, s->b_count),
                                              register_count(s->c, s->c_count)),
                          .group_size = LANES,
                          .in = in,
                          .in_bytes = sizeof in,
                          .out = out,
                          .out_bytes = sizeof out};
    run_ptx(&run);
    for (unsigned lane = 0; lane < LANES; lane++)
      for (unsigned i = 0; i < s->c_count; i++) {
        place p = s->c_place(lane, i);
        int sum = c_value(p.row, p.column);
        for (unsigned d = 0; d < s->depth; d++)
          sum += within(s->a, a_value(p.row, d)) * within(s->b, b_value(d, p.column));
        uint64_t expected = encode(s->c, sum), bits = 0;
        memcpy(&bits, out + lane * c + i * bytes_of(s->c), bytes_of(s->c));
        if (bits != (bytes_of(s->c) == 8 ? expected : (uint32_t)expected))
          fail_msg("mma %s: element (%u, %u) is 0x%" PRIx64 ", not 0x%" PRIx64, s->instruction,
                   p.row, p.column, bits, expected);
      }
  }
}

// The digits of an f32 that a tf32 has not make no difference.
static void tf32_is_cut(void **state) {
  (void)state;
  const char *body = ".reg .b32 %c<4>;\n"
                     "mov.b32 %r1, 0f3F801FFF;\n" // 1 and more than a tf32 holds
                     "mov.b32 %r2, 0f3F800000;\n"
                     "mov.b32 %r3, 0f00000000;\n"
                     "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%c0, %c1, %c2, %c3},"
                     " {%r1, %r1}, {%r2}, {%r3, %r3, %r3, %r3};\n"
                     "mov.u32 %r4, %laneid;\n"
                     "mad.wide.u32 %rd1, %r4, 4, %out;\n"
                     "st.b32 [%rd1], %c3;\n";
  float out[LANES];
  const ptx_case c = {.body = body, .group_size = LANES, .out = out, .out_bytes = sizeof out};
  run_ptx(&c);
  assert_true(out[0] == 4 && out[31] == 4);
}

#define FILL_SHARED                                                                                \
  "mov.u32 %r1, %laneid;\n" /* row l of 32, 16 bytes each, is 16 times l + its place */            \
  "mov.b64 %rd1, tile;\n"                                                                          \
  "mad.wide.u32 %rd2, %r1, 16, %rd1;\n"                                                            \
  "shl.b32 %r2, %r1, 4;\n"                                                                         \
  "add.u32 %r3, %r2, 0x10000;\n"                                                                   \
  "mad.lo.u32 %r3, %r2, 0x10000, %r3;\n"                                                           \
  "st.shared.b32 [%rd2], %r3;\n"                                                                   \
  "add.u32 %r3, %r3, 0x20002;\n"                                                                   \
  "st.shared.b32 [%rd2+4], %r3;\n"                                                                 \
  "add.u32 %r3, %r3, 0x20002;\n"                                                                   \
  "st.shared.b32 [%rd2+8], %r3;\n"                                                                 \
  "add.u32 %r3, %r3, 0x20002;\n"                                                                   \
  "st.shared.b32 [%rd2+12], %r3;\n"                                                                \
  "bar.sync 0;\n"

#define STORE_FOUR                                                                                 \
  "mad.wide.u32 %rd3, %r1, 16, %out;\n"                                                            \
  "st.v4.b32 [%rd3], {%r4, %r5, %r6, %r7};\n"

// Lane l gives the address of row l of the four matrices, and gets elements 2 (l % 4) and the next
// of row l / 4 of each, or of that column with .trans.
static void matrices_are_loaded(void **state) {
  (void)state;
  for (unsigned transposed = 0; transposed < 2; transposed++) {
    const char *body =
        transposed ? FILL_SHARED "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r4, %r5, %r6, "
                                 "%r7}, [%rd2];\n" STORE_FOUR
                   : FILL_SHARED
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%rd2];\n" STORE_FOUR;
    _Alignas(16) uint16_t out[LANES][4][2];
    const ptx_case c = {.before = ".shared .align 16 .b8 tile[512];",
                        .body = body,
                        .group_size = LANES,
                        .out = out,
                        .out_bytes = sizeof out};
    run_ptx(&c);
    for (unsigned lane = 0; lane < LANES; lane++)
      for (unsigned m = 0; m < 4; m++)
        for (unsigned half = 0; half < 2; half++) {
          unsigned along = 2 * (lane % 4) + half, across = lane / 4;
          unsigned row = transposed ? along : across, column = transposed ? across : along;
          assert_int_equal(out[lane][m][half], 16 * (8 * m + row) + column);
        }
  }
}

// Eight rows meet each bank once where they follow each other, and where swizzles move them.
static void conflicts_are_counted(void **state) {
  (void)state;
  static const struct {
    const char *place; // of the lane's row, %r4, from the lane, %r1
    uint64_t conflicts;
  } rows[] = {
      {"shl.b32 %r4, %r1, 4;\n", 0},
      {"shl.b32 %r4, %r1, 5;\n", 1},      // 32 bytes apart
      {"shl.b32 %r4, %r1, 7;\n", 7},      // 128
      {"mul.lo.u32 %r4, %r1, 144;\n", 0}, // with gaps
      {"shl.b32 %r4, %r1, 7;\nshl.b32 %r5, %r1, 4;\nxor.b32 %r4, %r4, %r5;\n", 0},
      {"mov.u32 %r4, 0;\n", 0}, // all the same
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char body[512];
    snprintf(body, sizeof body,
             "mov.u32 %%r1, %%tid.x;\nand.b32 %%r1, %%r1, 7;\n%smov.u32 %%r2, tile;\n"
             "add.u32 %%r4, %%r4, %%r2;\n"
             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%%r3}, [%%r4];\n",
             rows[k].place);
    const ptx_case c = {
        .before = ".shared .align 128 .b8 tile[1152];", .body = body, .group_size = LANES};
    ptx_report report;
    assert_ok(try_ptx(&c, &report));
    assert_int_equal(report.bank_conflicts, rows[k].conflicts);
  }
}

// .x2 takes its addresses from the first 16 lanes: those of the others may be anything.
static void two_matrices_take_16_addresses(void **state) {
  (void)state;
  const char *body = FILL_SHARED "setp.ge.u32 %p1, %r1, 16;\n"
                                 "selp.b64 %rd4, 0, %rd2, %p1;\n"
                                 "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4, %r5}, [%rd4];\n"
                                 "mad.wide.u32 %rd3, %r1, 8, %out;\n"
                                 "st.v2.b32 [%rd3], {%r4, %r5};\n";
  _Alignas(8) uint16_t out[LANES][2][2];
  const ptx_case c = {.before = ".shared .align 16 .b8 tile[512];",
                      .body = body,
                      .group_size = LANES,
                      .out = out,
                      .out_bytes = sizeof out};
  run_ptx(&c);
  assert_int_equal(out[5][1][0], 16 * (8 + 1) + 2);
}

// What stmatrix writes, ldmatrix reads; and movmatrix is what .trans would have done.
static void matrices_are_stored_and_transposed(void **state) {
  (void)state;
  const char *body =
      FILL_SHARED "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%rd2];\n"
                  "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r5}, [%rd2];\n"
                  "movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;\n"
                  "bar.warp.sync 0xffffffff;\n"
                  "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%rd2+256], {%r5};\n"
                  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%rd2+256];\n"
                  "mad.wide.u32 %rd3, %r1, 16, %out;\n"
                  "st.v4.b32 [%rd3], {%r4, %r5, %r6, %r7};\n";
  _Alignas(16) uint32_t out[LANES][4];
  const ptx_case c = {.before = ".shared .align 16 .b8 tile[768];",
                      .body = body,
                      .group_size = LANES,
                      .out = out,
                      .out_bytes = sizeof out};
  run_ptx(&c);
  for (unsigned lane = 0; lane < LANES; lane++) {
    assert_int_equal(out[lane][2], out[lane][0]);
    assert_int_equal(out[lane][3], out[lane][0]);
  }
}

// A warp that is not whole has no mma.
static void whole_warps_are_needed(void **state) {
  (void)state;
  const ptx_case c = {.before = ".shared .align 16 .b8 tile[512];",
                      .body = FILL_SHARED "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%rd2];",
                      .group_size = 31};
  expect_fault(&c, PTX_FAULT_DEADLOCK, "ldmatrix");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_right),
      cmocka_unit_test(tf32_is_cut),
      cmocka_unit_test(matrices_are_loaded),
      cmocka_unit_test(conflicts_are_counted),
      cmocka_unit_test(two_matrices_take_16_addresses),
      cmocka_unit_test(matrices_are_stored_and_transposed),
      cmocka_unit_test(whole_warps_are_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
