//===- instructions_test.c - What each instruction computes
//---------------------------------------===//
//
// Tables of an instruction, what it is given and what it gives. Expected values are written down,
// or computed in C by other means than the emulator's.
//
//===--------------------------------------------------------------------------------------===//

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/ptx/run_ptx.h"

// %rd1 to %rd3, %r1 to %r3 and %rs1 to %rs3 hold a, b and c, or their low bits; %p1 to %p3 whether
// they are not zero. The result is %rd0, %r0, %rs0 or %p0, as `result` says: 'd', 'r', 's' or 'p'.
typedef struct row {
  const char *instruction;
  char result;
  uint64_t a, b, c, expected;
} row;

static const char *const load_operands = "ld.u64 %rd1, [%in];\n"
                                         "ld.u64 %rd2, [%in+8];\n"
                                         "ld.u64 %rd3, [%in+16];\n"
                                         "cvt.u32.u64 %r1, %rd1;\n"
                                         "cvt.u32.u64 %r2, %rd2;\n"
                                         "cvt.u32.u64 %r3, %rd3;\n"
                                         "cvt.u16.u64 %rs1, %rd1;\n"
                                         "cvt.u16.u64 %rs2, %rd2;\n"
                                         "cvt.u16.u64 %rs3, %rd3;\n"
                                         "setp.ne.u64 %p1, %rd1, 0;\n"
                                         "setp.ne.u64 %p2, %rd2, 0;\n"
                                         "setp.ne.u64 %p3, %rd3, 0;\n";

static uint64_t evaluate(const row *r) {
  const char *store = r->result == 'd'   ? "st.u64 [%out], %rd0;"
                      : r->result == 'r' ? "st.u32 [%out], %r0;"
                      : r->result == 's' ? "st.u16 [%out], %rs0;"
                                         : "selp.u32 %r0, 1, 0, %p0;\nst.u32 [%out], %r0;";
  char body[2048];
  snprintf(body, sizeof body, "%s%s\n%s\n", load_operands, r->instruction, store);
  uint64_t in[3] = {r->a, r->b, r->c}, out = 0;
  const ptx_case c = {
      .body = body, .in = in, .in_bytes = sizeof in, .out = &out, .out_bytes = sizeof out};
  run_ptx(&c);
  return out;
}

static void check(const row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint64_t result = evaluate(&rows[i]);
    if (result != rows[i].expected)
      fail_msg("%s of 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ": 0x%" PRIx64
               ", expected 0x%" PRIx64,
               rows[i].instruction, rows[i].a, rows[i].b, rows[i].c, result, rows[i].expected);
  }
}
#define CHECK(rows) check(rows, sizeof rows / sizeof *rows)

static uint64_t f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

#define U32(value) (uint32_t)(value)
#define MINUS(value) (0 - (uint64_t)(value))

static void integers_are_computed(void **state) {
  (void)state;
  const row rows[] = {
      {"add.s32 %r0, %r1, %r2;", 'r', 0xffffffff, 2, 0, 1},
      {"add.sat.s32 %r0, %r1, %r2;", 'r', 0x7fffffff, 2, 0, 0x7fffffff},
      {"sub.sat.s32 %r0, %r1, %r2;", 'r', 0x80000000, 2, 0, 0x80000000},
      {"add.s64 %rd0, %rd1, -5;", 'd', 3, 0, 0, MINUS(2)},
      {"sub.s16 %rs0, %rs1, %rs2;", 's', 3, 5, 0, 0xfffe},
      {"add.u16x2 %r0, %r1, %r2;", 'r', 0x0001ffff, 0x00010001, 0, 0x00020000},
      {"mul.lo.s32 %r0, %r1, %r2;", 'r', 0x10001, 0x10003, 0, U32(0x10001u * 0x10003u)},
      {"mul.hi.s32 %r0, %r1, %r2;", 'r', MINUS(5), 7, 0, 0xffffffff},
      {"mul.hi.u32 %r0, %r1, %r2;", 'r', 0xffffffff, 0xffffffff, 0, 0xfffffffe},
      {"mul.hi.u64 %rd0, %rd1, %rd2;", 'd', UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1},
      {"mul.hi.s64 %rd0, %rd1, %rd2;", 'd', MINUS(1), 3, 0, UINT64_MAX},
      {"mul.wide.s32 %rd0, %r1, %r2;", 'd', MINUS(5), 7, 0, MINUS(35)},
      {"mul.wide.u32 %rd0, %r1, %r2;", 'd', 0xffffffff, 16, 0, 0xffffffff0},
      {"mul.wide.s16 %r0, %rs1, %rs2;", 'r', MINUS(3), 9, 0, U32(-27)},
      {"mad.lo.s32 %r0, %r1, %r2, %r3;", 'r', 7, MINUS(2), 20, 6},
      {"mad.wide.s32 %rd0, %r1, %r2, %rd3;", 'd', 7, MINUS(2), 20, 6},
      {"mad.hi.u32 %r0, %r1, %r2, %r3;", 'r', 0x80000000, 4, 1, 3},
      {"div.s32 %r0, %r1, %r2;", 'r', MINUS(7), 2, 0, U32(-3)},
      {"div.u32 %r0, %r1, %r2;", 'r', MINUS(7), 2, 0, 0x7ffffffc},
      {"div.u64 %rd0, %rd1, %rd2;", 'd', 100, 7, 0, 14},
      {"rem.s32 %r0, %r1, %r2;", 'r', MINUS(7), 2, 0, U32(-1)},
      {"rem.u64 %rd0, %rd1, %rd2;", 'd', 100, 7, 0, 2},
      {"div.s32 %r0, %r1, %r2;", 'r', 0x80000000, MINUS(1), 0, 0x80000000},
      {"neg.s32 %r0, %r1;", 'r', 7, 0, 0, U32(-7)},
      {"abs.s32 %r0, %r1;", 'r', MINUS(7), 0, 0, 7},
      {"abs.s64 %rd0, %rd1;", 'd', MINUS(7), 0, 0, 7},
      {"min.s32 %r0, %r1, %r2;", 'r', MINUS(7), 2, 0, U32(-7)},
      {"min.u32 %r0, %r1, %r2;", 'r', MINUS(7), 2, 0, 2},
      {"max.s64 %rd0, %rd1, %rd2;", 'd', MINUS(7), 2, 0, 2},
      {"max.relu.s32 %r0, %r1, %r2;", 'r', MINUS(7), MINUS(2), 0, 0},
      {"max.s16x2 %r0, %r1, %r2;", 'r', 0xffff0003, 0x0001fff0, 0, 0x00010003},
      {"sad.s32 %r0, %r1, %r2, %r3;", 'r', MINUS(7), 2, 1, 10},
      {"dp4a.s32.s32 %r0, %r1, %r2, %r3;", 'r', 0x01ff0203, 0x01010101, 10, 15},
      {"dp4a.u32.u32 %r0, %r1, %r2, %r3;", 'r', 0x01ff0203, 0x01010101, 10, 271},
      {"add.cc.u32 %r0, %r1, %r2;\naddc.u32 %r0, %r3, 0;", 'r', 0xffffffff, 1, 5, 6},
      {"sub.cc.u32 %r0, %r1, %r2;\nsubc.u32 %r0, %r3, 0;", 'r', 0, 1, 5, 4},
      {"add.cc.u64 %rd0, %rd1, %rd2;\naddc.u64 %rd0, %rd3, 0;", 'd', UINT64_MAX, 1, 5, 6},
  };
  CHECK(rows);
}

static void bits_are_computed(void **state) {
  (void)state;
  const row rows[] = {
      {"and.b32 %r0, %r1, %r2;", 'r', 12, 10, 0, 8},
      {"or.b64 %rd0, %rd1, %rd2;", 'd', 12, 10, 0, 14},
      {"xor.b16 %rs0, %rs1, %rs2;", 's', 12, 10, 0, 6},
      {"not.b32 %r0, %r1;", 'r', 12, 0, 0, U32(~12)},
      {"cnot.b32 %r0, %r1;", 'r', 0, 0, 0, 1},
      {"and.pred %p0, %p1, %p2;", 'p', 1, 0, 0, 0},
      {"xor.pred %p0, %p1, %p2;", 'p', 1, 0, 0, 1},
      {"not.pred %p0, %p1;", 'p', 1, 0, 0, 0},
      {"shl.b32 %r0, %r1, %r2;", 'r', 3, 4, 0, 48},
      {"shl.b32 %r0, %r1, %r2;", 'r', 3, 32, 0, 0},
      {"shr.u32 %r0, %r1, %r2;", 'r', 0x80000000, 31, 0, 1},
      {"shr.s32 %r0, %r1, %r2;", 'r', 0x80000000, 40, 0, 0xffffffff},
      {"shr.s64 %rd0, %rd1, 1;", 'd', MINUS(4), 0, 0, MINUS(2)},
      {"shr.u64 %rd0, %rd1, %r2;", 'd', UINT64_MAX, 64, 0, 0},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 'r', 0x80000000, 1, 33, 3},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 'r', 1, 7, 40, 7},
      {"popc.b64 %r0, %rd1;", 'r', 0xff00000000000001, 0, 0, 9},
      {"clz.b32 %r0, %r1;", 'r', 0, 0, 0, 32},
      {"clz.b64 %r0, %rd1;", 'r', 1, 0, 0, 63},
      {"brev.b32 %r0, %r1;", 'r', 1, 0, 0, 0x80000000},
      {"bfind.u32 %r0, %r1;", 'r', 0x100, 0, 0, 8},
      {"bfind.s32 %r0, %r1;", 'r', MINUS(1), 0, 0, 0xffffffff},
      {"bfe.u32 %r0, %r1, 4, 8;", 'r', 0xabcd, 0, 0, 0xbc},
      {"bfe.s32 %r0, %r1, 4, 8;", 'r', 0xabcd, 0, 0, 0xffffffbc},
      {"bfi.b32 %r0, %r1, %r2, 4, 8;", 'r', 0xff, 0x12345678, 0, 0x12345ff8},
      {"prmt.b32 %r0, %r1, %r2, 0x5410;", 'r', 0x33221100, 0x77665544, 0, 0x55441100},
      {"prmt.b32 %r0, %r1, %r2, 0xba98;", 'r', 0x80007fff, 0, 0, 0xff0000ff},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 'r', 0xf0f0, 0xff00, 0x0ff0, 0xf0f0 ^ 0xff00 ^ 0x0ff0},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0xea;", 'r', 12, 10, 1, 9},
  };
  CHECK(rows);
}

static void floats_are_computed(void **state) {
  (void)state;
  const uint64_t nan = f32(NAN), plain_nan = 0x7fffffff;
  const row rows[] = {
      {"add.f32 %r0, %r1, %r2;", 'r', f32(1.5f), f32(2), 0, f32(3.5f)},
      {"add.rn.f32 %r0, %r1, 0f3F800000;", 'r', f32(1.5f), 0, 0, f32(2.5f)},
      {"sub.f32 %r0, %r1, 1.0;", 'r', f32(1.5f), 0, 0, f32(0.5f)},
      {"fma.rn.f32 %r0, %r1, %r2, %r3;", 'r', f32(0x1.000002p0f), f32(0x1.000002p0f), f32(-1),
       f32(fmaf(0x1.000002p0f, 0x1.000002p0f, -1))},
      {"fma.rz.f32 %r0, %r1, %r2, %r3;", 'r', f32(1), f32(1), f32(-0x1p-30f), f32(0x1.fffffep-1f)},
      {"add.rp.f32 %r0, %r1, %r2;", 'r', f32(1), f32(0x1p-40f), 0, f32(0x1.000002p0f)},
      {"add.rm.f32 %r0, %r1, %r2;", 'r', f32(1), f32(-0x1p-40f), 0, f32(0x1.fffffep-1f)},
      {"mul.ftz.f32 %r0, %r1, %r2;", 'r', f32(0x1p-100f), f32(0x1p-40f), 0, 0},
      {"mul.f32 %r0, %r1, %r2;", 'r', f32(0x1p-100f), f32(0x1p-40f), 0, f32(0x1p-140f)},
      {"add.sat.f32 %r0, %r1, %r2;", 'r', f32(1.5f), f32(2), 0, f32(1)},
      {"div.rn.f32 %r0, %r1, %r2;", 'r', f32(1), f32(3), 0, f32(1.0f / 3)},
      {"div.full.f32 %r0, %r1, %r2;", 'r', f32(6), f32(3), 0, f32(2)},
      {"rcp.rn.f32 %r0, %r1;", 'r', f32(3), 0, 0, f32(1.0f / 3)},
      {"rcp.rz.f32 %r0, %r1;", 'r', f32(3), 0, 0, f32(nextafterf(1.0f / 3, 0))},
      {"sqrt.rn.f32 %r0, %r1;", 'r', f32(2), 0, 0, f32(sqrtf(2))},
      {"rsqrt.approx.f32 %r0, %r1;", 'r', f32(16), 0, 0, f32(0.25f)},
      {"ex2.approx.ftz.f32 %r0, %r1;", 'r', f32(3), 0, 0, f32(8)},
      {"lg2.approx.f32 %r0, %r1;", 'r', f32(8), 0, 0, f32(3)},
      {"sin.approx.f32 %r0, %r1;", 'r', 0, 0, 0, 0},
      {"cos.approx.f32 %r0, %r1;", 'r', 0, 0, 0, f32(1)},
      {"min.f32 %r0, %r1, %r2;", 'r', nan, f32(2), 0, f32(2)},
      {"min.NaN.f32 %r0, %r1, %r2;", 'r', nan, f32(2), 0, plain_nan},
      {"max.f32 %r0, %r1, %r2;", 'r', f32(-0.0f), 0, 0, 0},
      {"neg.f32 %r0, %r1;", 'r', f32(2), 0, 0, f32(-2)},
      {"abs.f32 %r0, %r1;", 'r', f32(-2), 0, 0, f32(2)},
      {"copysign.f32 %r0, %r1, %r2;", 'r', f32(-1), f32(3), 0, f32(-3)},
      {"add.f64 %rd0, %rd1, %rd2;", 'd', f64(0.1), f64(0.2), 0, f64(0.1 + 0.2)},
      {"fma.rn.f64 %rd0, %rd1, %rd2, %rd3;", 'd', f64(0.1), f64(10), f64(-1),
       f64(fma(0.1, 10, -1))},
      {"div.rn.f64 %rd0, %rd1, 0d4008000000000000;", 'd', f64(1), 0, 0, f64(1.0 / 3)},
      {"sqrt.rn.f64 %rd0, %rd1;", 'd', f64(2), 0, 0, f64(sqrt(2))},
      {"neg.f64 %rd0, %rd1;", 'd', f64(2), 0, 0, f64(-2)},
      {"add.f16 %rs0, %rs1, %rs2;", 's', 0x3c00, 0x4000, 0, 0x4200},
      {"add.rn.f16 %rs0, %rs1, %rs2;", 's', 0x6800, 0x3c00, 0, 0x6800}, // 2048 + 1: to even
      {"fma.rn.f16 %rs0, %rs1, %rs2, %rs3;", 's', 0x3c03, 0x3c03, 0xbc00, 0x1e02}, // fused
      {"fma.rn.f16x2 %r0, %r1, %r2, %r3;", 'r', 0x40003c00, 0x42004000, 0x3c003c00, 0x47004200},
      {"max.f16x2 %r0, %r1, %r2;", 'r', 0x3c00c000, 0x3800bc00, 0, 0x3c00bc00},
      {"neg.f16x2 %r0, %r1;", 'r', 0x3c00c000, 0, 0, 0xbc004000},
      {"add.rn.bf16 %rs0, %rs1, %rs2;", 's', 0x3f80, 0x4000, 0, 0x4040},
      {"fma.rn.bf16x2 %r0, %r1, %r2, %r3;", 'r', 0x40003f80, 0x40404000, 0x3f803f80, 0x40e04040},
      {"fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", 'r', 0x40003f80, 0xc0404000, 0x3f803f80, 0x4040},
      {"min.f16 %rs0, %rs1, %rs2;", 's', 0x7e00, 0x3c00, 0, 0x3c00},
  };
  CHECK(rows);
}

// tanh.approx is as far off as the PTX ISA allows it to be, and no further.
static void approximate_tanh_is_rough(void **state) {
  (void)state;
  const row r = {"tanh.approx.f32 %r0, %r1;", 'r', f32(0.3f), 0, 0, 0};
  uint32_t bits = (uint32_t)evaluate(&r);
  float value;
  memcpy(&value, &bits, sizeof value);
  assert_true(fabs(value - tanh(0.3)) < tanh(0.3) * 0x1p-11);
  assert_true(value != tanhf(0.3f));
}

static void numbers_are_compared(void **state) {
  (void)state;
  const uint64_t nan = f32(NAN);
  const row rows[] = {
      {"setp.lt.s32 %p0, %r1, %r2;", 'p', MINUS(1), 1, 0, 1},
      {"setp.lt.u32 %p0, %r1, %r2;", 'p', MINUS(1), 1, 0, 0},
      {"setp.lo.u32 %p0, %r1, %r2;", 'p', MINUS(1), 1, 0, 0},
      {"setp.hs.u64 %p0, %rd1, %rd2;", 'p', MINUS(1), 1, 0, 1},
      {"setp.eq.s16 %p0, %rs1, -1;", 'p', 0xffff, 0, 0, 1},
      {"setp.ge.s64 %p0, %rd1, %rd2;", 'p', 3, 3, 0, 1},
      {"setp.lt.and.s32 %p0, %r1, %r2, !%p3;", 'p', 1, 2, 1, 0},
      {"setp.lt.or.s32 %p0, %r1, %r2, %p3;", 'p', 2, 1, 1, 1},
      {"setp.eq.s32 %p4|%p0, %r1, %r2;", 'p', 2, 1, 0, 1},
      {"setp.lt.f32 %p0, %r1, %r2;", 'p', nan, f32(1), 0, 0},
      {"setp.ltu.f32 %p0, %r1, %r2;", 'p', nan, f32(1), 0, 1},
      {"setp.neu.f32 %p0, %r1, %r2;", 'p', nan, f32(1), 0, 1},
      {"setp.nan.f32 %p0, %r1, %r2;", 'p', nan, f32(1), 0, 1},
      {"setp.num.f64 %p0, %rd1, %rd2;", 'p', f64(1), f64(1), 0, 1},
      {"setp.eq.f32 %p0, %r1, %r2;", 'p', f32(-0.0f), 0, 0, 1},
      {"setp.gt.f16 %p0, %rs1, %rs2;", 'p', 0x3c00, 0xbc00, 0, 1},
      {"setp.gt.f16x2 %p4|%p0, %r1, %r2;", 'p', 0x3c00bc00, 0xbc003c00, 0, 1},
      {"set.lt.u32.s32 %r0, %r1, %r2;", 'r', 1, 2, 0, 0xffffffff},
      {"set.lt.f32.s32 %r0, %r1, %r2;", 'r', 1, 2, 0, f32(1)},
      {"selp.b32 %r0, %r1, %r2, %p3;", 'r', 5, 6, 1, 5},
      {"selp.b64 %rd0, %rd1, 6, %p3;", 'd', 5, 0, 0, 6},
      {"slct.s32.s32 %r0, %r1, %r2, %r3;", 'r', 5, 6, MINUS(1), 6},
      {"testp.infinite.f32 %p0, %r1;", 'p', f32(INFINITY), 0, 0, 1},
      {"testp.normal.f32 %p0, %r1;", 'p', f32(0x1p-140f), 0, 0, 0},
  };
  CHECK(rows);
}

static void numbers_are_converted(void **state) {
  (void)state;
  const row rows[] = {
      {"cvt.s64.s32 %rd0, %r1;", 'd', 0x80000000, 0, 0, 0xffffffff80000000},
      {"cvt.u64.u32 %rd0, %r1;", 'd', 0x80000000, 0, 0, 0x80000000},
      {"cvt.s32.s8 %r0, %r1;", 'r', 0x80, 0, 0, 0xffffff80},
      {"cvt.u32.u16 %r0, %rs1;", 'r', 0xffff, 0, 0, 0xffff},
      {"cvt.sat.u8.s32 %r0, %r1;", 'r', 300, 0, 0, 255},
      {"cvt.sat.s16.s32 %r0, %r1;", 'r', MINUS(70000), 0, 0, 0xffff8000},
      {"cvt.rn.f32.s32 %r0, %r1;", 'r', 16777217, 0, 0, f32(16777216)},
      {"cvt.rp.f32.s32 %r0, %r1;", 'r', 16777217, 0, 0, f32(16777218)},
      {"cvt.rn.f32.u64 %r0, %rd1;", 'r', 0x8000008000000001, 0, 0, f32(0x1.000002p63f)},
      {"cvt.rn.f64.s64 %rd0, %rd1;", 'd', MINUS(3), 0, 0, f64(-3)},
      {"cvt.rn.f16.s32 %rs0, %r1;", 's', MINUS(3), 0, 0, 0xc200},
      {"cvt.rzi.s32.f32 %r0, %r1;", 'r', f32(-2.9f), 0, 0, U32(-2)},
      {"cvt.rni.s32.f32 %r0, %r1;", 'r', f32(2.5f), 0, 0, 2},
      {"cvt.rmi.s32.f32 %r0, %r1;", 'r', f32(-2.1f), 0, 0, U32(-3)},
      {"cvt.rpi.s32.f32 %r0, %r1;", 'r', f32(2.1f), 0, 0, 3},
      {"cvt.rzi.s32.f32 %r0, %r1;", 'r', f32(3e9f), 0, 0, 0x7fffffff},
      {"cvt.rzi.u32.f32 %r0, %r1;", 'r', f32(-1), 0, 0, 0},
      {"cvt.rzi.s32.f32 %r0, %r1;", 'r', f32(NAN), 0, 0, 0},
      {"cvt.rzi.s64.f64 %rd0, %rd1;", 'd', f64(NAN), 0, 0, UINT64_C(1) << 63},
      {"cvt.rzi.u8.f32 %r0, %r1;", 'r', f32(300), 0, 0, 255},
      {"cvt.rni.f32.f32 %r0, %r1;", 'r', f32(3.5f), 0, 0, f32(4)},
      {"cvt.rzi.f64.f64 %rd0, %rd1;", 'd', f64(-3.5), 0, 0, f64(-3)},
      {"cvt.f32.f16 %r0, %rs1;", 'r', 0x0001, 0, 0, f32(0x1p-24f)},
      {"cvt.f32.bf16 %r0, %rs1;", 'r', 0x4049, 0, 0, f32(3.140625f)},
      {"cvt.f64.f32 %rd0, %r1;", 'd', f32(0.1f), 0, 0, f64(0.1f)},
      {"cvt.rn.f32.f64 %r0, %rd1;", 'r', f64(0.1), 0, 0, f32(0.1f)},
      {"cvt.rz.f32.f64 %r0, %rd1;", 'r', f64(1 - 0x1p-30), 0, 0, f32(0x1.fffffep-1f)},
      {"cvt.rn.f16.f32 %rs0, %r1;", 's', f32(65519), 0, 0, 0x7bff},
      {"cvt.rn.f16.f32 %rs0, %r1;", 's', f32(65520), 0, 0, 0x7c00},
      {"cvt.rn.f16.f32 %rs0, %r1;", 's', f32(0x1p-25f), 0, 0, 0},
      {"cvt.rn.f16.f32 %rs0, %r1;", 's', f32(0x1.8p-25f), 0, 0, 1},
      {"cvt.rz.f16.f32 %rs0, %r1;", 's', f32(1e6f), 0, 0, 0x7bff},
      {"cvt.rn.bf16.f32 %rs0, %r1;", 's', 0x3f808000, 0, 0, 0x3f80},
      {"cvt.rn.bf16.f32 %rs0, %r1;", 's', 0x3f818000, 0, 0, 0x3f82},
      {"cvt.rn.f16x2.f32 %r0, %r1, %r2;", 'r', f32(1), f32(2), 0, 0x3c004000},
      {"cvt.rn.bf16x2.f32 %r0, %r1, %r2;", 'r', f32(1), f32(2), 0, 0x3f804000},
      {"cvt.rn.relu.bf16x2.f32 %r0, %r1, %r2;", 'r', f32(-1), f32(2), 0, 0x4000},
      {"cvt.rna.tf32.f32 %r0, %r1;", 'r', 0x3f801000, 0, 0, 0x3f802000},
      {"cvt.sat.f32.f32 %r0, %r1;", 'r', f32(2), 0, 0, f32(1)},
      {"cvt.rn.satfinite.e4m3x2.f32 %rs0, %r1, %r2;", 's', f32(1), f32(1000), 0, 0x387e},
      {"cvt.rn.satfinite.e5m2x2.f32 %rs0, %r1, %r2;", 's', f32(1), f32(-0.25f), 0, 0x3cb4},
      {"cvt.rn.f16x2.e4m3x2 %r0, %rs1;", 'r', 0x38b8, 0, 0, 0x3c00bc00},
  };
  CHECK(rows);
}

static void words_are_moved(void **state) {
  (void)state;
  const row rows[] = {
      {"mov.b64 {%r0, %r4}, %rd1;", 'r', 0x1111111122222222, 0, 0, 0x22222222},
      {"mov.b64 {_, %r0}, %rd1;", 'r', 0x1111111122222222, 0, 0, 0x11111111},
      {"mov.b64 %rd0, {%r1, %r2};", 'd', 1, 2, 0, 0x200000001},
      {"mov.b32 %r0, {%rs1, %rs2};", 'r', 1, 2, 0, 0x20001},
      {"mov.b64 %rd0, {%rs1, %rs2, %rs3, %rs1};", 'd', 1, 2, 3, 0x1000300020001},
      {"mov.u32 %r0, %ntid.x;", 'r', 0, 0, 0, 1},
      {"mov.f32 %r0, 0f40490FDB;", 'r', 0, 0, 0, 0x40490fdb},
      {"mov.b64 %rd0, -1;", 'd', 0, 0, 0, UINT64_MAX},
      {"@%p1 mov.u32 %r0, 7;\n@!%p1 mov.u32 %r0, 8;", 'r', 0, 0, 0, 8},
      {"{ .reg .b32 %x; add.u32 %x, %r1, 1; mov.u32 %r0, %x; }", 'r', 4, 0, 0, 5},
  };
  CHECK(rows);
}

static void memory_is_updated(void **state) {
  (void)state;
  static const struct {
    const char *instruction;
    uint64_t before, b, c, after;
  } rows[] = {
      {"atom.global.add.u32 %r0, [%out+8], %r2;", 5, 3, 0, 8},
      {"red.global.add.u64 [%out+8], %rd2;", 5, 3, 0, 8},
      {"atom.min.s32 %r0, [%out+8], %r2;", 5, (uint32_t)-3, 0, (uint32_t)-3},
      {"atom.max.u32 %r0, [%out+8], %r2;", 5, 9, 0, 9},
      {"atom.and.b32 %r0, [%out+8], %r2;", 12, 10, 0, 8},
      {"atom.exch.b64 %rd0, [%out+8], %rd2;", 5, 9, 0, 9},
      {"atom.relaxed.gpu.global.cas.b32 %r0, [%out+8], %r2, %r3;", 5, 5, 7, 7},
      {"atom.cas.b32 %r0, [%out+8], %r2, %r3;", 5, 6, 7, 5},
      {"atom.inc.u32 %r0, [%out+8], %r2;", 5, 5, 0, 0},
      {"atom.dec.u32 %r0, [%out+8], %r2;", 0, 5, 0, 5},
      {"atom.add.f32 %r0, [%out+8], %r2;", 0x3f800000, 0x40000000, 0, 0x40400000},
      {"atom.add.noftz.f16x2 %r0, [%out+8], %r2;", 0x3c003c00, 0x40003c00, 0, 0x42004000},
      {"st.b8 [%out+9], %rs2;", 0x1111, 0xab22, 0, 0x2211},
      {"st.v2.b16 [%out+8], {%rs3, %rs2};", 0, 2, 3, 0x20003},
      {"st.v2.b32 [%out+8], {%r3, %r2};", 0, 2, 3, 0x200000003},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char body[2048];
    snprintf(body, sizeof body, "%s%s\n", load_operands, rows[i].instruction);
    uint64_t in[3] = {0, rows[i].b, rows[i].c}, out[2] = {0, rows[i].before};
    const ptx_case c = {
        .body = body, .in = in, .in_bytes = sizeof in, .out = out, .out_bytes = sizeof out};
    run_ptx(&c);
    if (out[1] != rows[i].after)
      fail_msg("%s leaves 0x%" PRIx64, rows[i].instruction, out[1]);
  }
}

// Loads extend what they read as their type says, and vectors come in order.
static void memory_is_read(void **state) {
  (void)state;
  const row rows[] = {
      {"ld.s8 %r0, [%in];", 'r', 0x80, 0, 0, 0xffffff80},
      {"ld.u8 %rs0, [%in+1];", 's', 0xff00, 0, 0, 0xff},
      {"ld.s16 %r0, [%in];", 'r', 0x8000, 0, 0, 0xffff8000},
      {"ld.s32 %rd0, [%in];", 'd', 0x80000000, 0, 0, 0xffffffff80000000},
      {"ld.global.nc.L1::no_allocate.v2.b64 {%rd4, %rd0}, [%in];", 'd', 1, 2, 0, 2},
      {"ld.v4.u32 {%r4, %r5, %r0, %r6}, [%in];", 'r', 0, 7, 0, 7},
      {"ld.const.f32 %r0, [%in+8];", 'r', 0, 7, 0, 7},
  };
  CHECK(rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_are_computed), cmocka_unit_test(bits_are_computed),
      cmocka_unit_test(floats_are_computed),   cmocka_unit_test(approximate_tanh_is_rough),
      cmocka_unit_test(numbers_are_compared),  cmocka_unit_test(numbers_are_converted),
      cmocka_unit_test(words_are_moved),       cmocka_unit_test(memory_is_updated),
      cmocka_unit_test(memory_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
