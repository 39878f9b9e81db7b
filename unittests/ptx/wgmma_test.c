//===- wgmma_test.c - Products of warp groups out of shared memory
//-----------------------------------===//
//
// Operands are laid down here, chunk by chunk of 16 bytes, as the figures of the PTX ISA's chapter
// on wgmma show it, and the product is computed a second time without any layout.
//
//===--------------------------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/ptx/run_ptx.h"

enum { ROWS = 64, COLUMNS = 32, DEPTH = 16, THREADS = 128, REGISTERS = COLUMNS / 2, PART = 16384 };

typedef struct input {
  uint64_t a, b;           // descriptors without their start
  uint64_t a_skip, b_skip; // bytes from the parts' beginnings to the starts
  uint8_t parts[2][PART];
} input;

// Copies both parts to shared memory, and makes the descriptors %rd10 and %rd11 of them.
#define BEFORE ".shared .align 1024 .b8 parts[32768];"
#define BEGIN                                                                                      \
  "mov.u32 %r30, %tid.x;\n"                                                                        \
  "mul.wide.u32 %rd0, %r30, 4;\n"                                                                  \
  "add.u64 %rd0, %in, %rd0;\n"                                                                     \
  "mov.u32 %r31, parts;\n"                                                                         \
  "shl.b32 %r32, %r30, 2;\n"                                                                       \
  "add.u32 %r32, %r31, %r32;\n"                                                                    \
  "mov.u32 %r33, 0;\n"                                                                             \
  "copy:\n"                                                                                        \
  "ld.global.u32 %r34, [%rd0+32];\n"                                                               \
  "st.shared.u32 [%r32], %r34;\n"                                                                  \
  "add.u64 %rd0, %rd0, 512;\n"                                                                     \
  "add.u32 %r32, %r32, 512;\n"                                                                     \
  "add.u32 %r33, %r33, 512;\n"                                                                     \
  "setp.lt.u32 %p1, %r33, 32768;\n"                                                                \
  "@%p1 bra copy;\n"                                                                               \
  "ld.global.u64 %rd10, [%in];\n"                                                                  \
  "ld.global.u64 %rd11, [%in+8];\n"                                                                \
  "ld.global.u64 %rd12, [%in+16];\n"                                                               \
  "ld.global.u64 %rd13, [%in+24];\n"                                                               \
  "cvt.u64.u32 %rd1, %r31;\n"                                                                      \
  "add.u64 %rd12, %rd12, %rd1;\n"                                                                  \
  "add.u64 %rd13, %rd13, %rd1;\n"                                                                  \
  "shr.u64 %rd12, %rd12, 4;\n"                                                                     \
  "shr.u64 %rd13, %rd13, 4;\n"                                                                     \
  "add.u64 %rd10, %rd10, %rd12;\n"                                                                 \
  "add.u64 %rd11, %rd11, %rd13;\n"                                                                 \
  "setp.eq.u32 %p2, 0, 0;\n"                                                                       \
  "setp.eq.u32 %p3, 0, 1;\n"
#define VISIBLE "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define SUMS "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}"
#define FENCE "wgmma.fence.sync.aligned;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT(n) "wgmma.wait_group.sync.aligned " #n ";\n"
#define MULTIPLY(type, keeps, a_turned, b_turned)                                                  \
  "wgmma.mma_async.sync.aligned.m64n32k16.f32." type "." type " " SUMS ", %rd10, %rd11, " keeps    \
  ", 1, 1, " a_turned ", " b_turned ";\n"
#define STORE                                                                                      \
  "mul.wide.u32 %rd2, %r30, 64;\n"                                                                 \
  "add.u64 %rd2, %out, %rd2;\n"                                                                    \
  "st.global.v4.b32 [%rd2], {%r0,%r1,%r2,%r3};\n"                                                  \
  "st.global.v4.b32 [%rd2+16], {%r4,%r5,%r6,%r7};\n"                                               \
  "st.global.v4.b32 [%rd2+32], {%r8,%r9,%r10,%r11};\n"                                             \
  "st.global.v4.b32 [%rd2+48], {%r12,%r13,%r14,%r15};\n"

// How an operand lies. `width`: bytes of a row of a pattern; 16 where nothing is swizzled.
typedef struct layout {
  unsigned width, mode;     // 62-63
  unsigned leading, stride; // bytes
  unsigned skip;            // bytes of a row before the operand
} layout;

// "128-Byte swizzling mode" and the others: the chunk of 16 bytes that is at `chunk` of row `row`.
static unsigned swizzled(unsigned width, unsigned row, unsigned chunk) {
  return width == 128  ? chunk ^ row % 8
         : width == 64 ? chunk ^ row / 2 % 4
         : width == 32 ? chunk ^ row / 4 % 2
                       : chunk;
}

// Along the depth ("K-major"): patterns of eight lines, one behind the other at `stride`; without
// swizzles the second eight of the depth is at `leading`.
static unsigned place_by_depth(const layout *l, unsigned line, unsigned k) {
  unsigned byte = l->skip + 2 * k;
  if (l->width == 16)
    return line / 8 * l->stride + k / 8 * l->leading + line % 8 * 16 + k % 8 * 2;
  return line / 8 * l->stride + line % 8 * l->width + swizzled(l->width, line % 8, byte / 16) * 16 +
         byte % 16;
}

// Along the lines ("MN-major"): patterns of eight depths; `leading` from as many lines as a row has
// to the next ones, `stride` from eight depths to the next ones. Without swizzles the other way.
static unsigned place_by_line(const layout *l, unsigned line, unsigned k) {
  unsigned each = l->width / 2, chunk = line % each / 8;
  unsigned outer = l->width == 16 ? line / 8 * l->stride + k / 8 * l->leading
                                  : line / each * l->leading + k / 8 * l->stride;
  return outer + k % 8 * l->width + swizzled(l->width, k % 8, chunk) * 16 + line % 8 * 2;
}

static uint64_t descriptor(const layout *l) {
  return (uint64_t)(l->leading / 16) << 16 | (uint64_t)(l->stride / 16) << 32 |
         (uint64_t)l->mode << 62;
}

static int value_of(unsigned operand, unsigned line, unsigned k) {
  return (int)((operand ? 7 : 5) * line + (operand ? 3 : 11) * k) % 15 - 7;
}

// Small whole numbers: their upper bits are all there is, in bf16 as in f32.
static uint16_t bits_of(int value, bool is_bf16) {
  _Float16 half = (_Float16)value;
  float single = (float)value;
  uint32_t word;
  uint16_t bits;
  memcpy(&word, &single, sizeof word);
  memcpy(&bits, &half, sizeof bits);
  return is_bf16 ? (uint16_t)(word >> 16) : bits;
}

// The same with noise in the bits that a tf32 has not, which make no difference.
static uint32_t tf32_of(int value) {
  float single = (float)value;
  uint32_t word;
  memcpy(&word, &single, sizeof word);
  return word | ((uint32_t)value * 2654435761u & 0x1fff);
}

// By depth, as half of each operand that place_by_depth knows takes as many bytes.
static void lay_down_tf32(input *in, unsigned operand, const layout *l) {
  for (unsigned line = 0; line < (operand ? COLUMNS : ROWS); line++)
    for (unsigned k = 0; k < DEPTH / 2; k++) {
      unsigned at = place_by_depth(l, line, 2 * k);
      uint32_t bits = tf32_of(value_of(operand, line, k));
      assert_true(at + sizeof bits <= PART);
      memcpy(&in->parts[operand][at], &bits, sizeof bits);
    }
  *(operand ? &in->b : &in->a) = descriptor(l);
  *(operand ? &in->b_skip : &in->a_skip) = operand * PART + l->skip;
}

static void lay_down(input *in, unsigned operand, const layout *l, bool is_turned, bool is_bf16) {
  for (unsigned line = 0; line < (operand ? COLUMNS : ROWS); line++)
    for (unsigned k = 0; k < DEPTH; k++) {
      unsigned at = (is_turned ? place_by_line : place_by_depth)(l, line, k);
      uint16_t bits = bits_of(value_of(operand, line, k), is_bf16);
      assert_true(at + sizeof bits <= PART);
      memcpy(&in->parts[operand][at], &bits, sizeof bits);
    }
  *(operand ? &in->b : &in->a) = descriptor(l);
  *(operand ? &in->b_skip : &in->a_skip) = operand * PART + l->skip;
}

static void expect_products_of(const float *out, unsigned depth, float scale) {
  for (unsigned thread = 0; thread < THREADS; thread++)
    for (unsigned i = 0; i < REGISTERS; i++) {
      // "Register fragment layout for wgmma .m64nNk16", matrix D.
      unsigned row = thread / 32 * 16 + thread % 32 / 4 + (i / 2 % 2 ? 8 : 0);
      unsigned column = i / 4 * 8 + thread % 4 * 2 + i % 2;
      float sum = 0;
      for (unsigned k = 0; k < depth; k++)
        sum += (float)(value_of(0, row, k) * value_of(1, column, k));
      if (out[thread * REGISTERS + i] != scale * sum)
        fail_msg("row %u, column %u: %g, not %g", row, column, (double)out[thread * REGISTERS + i],
                 (double)(scale * sum));
    }
}

static void expect_products(const float *out, float scale) {
  expect_products_of(out, DEPTH, scale);
}

// Eight lines, and eight depths, are as far apart as a pattern is long, or 128 bytes more than what
// they take; panels a pattern more.
static layout layout_of(unsigned width, bool is_turned) {
  unsigned pattern = 8 * width;
  layout l = {.width = width,
              .mode = width == 128  ? 1
                      : width == 64 ? 2
                      : width == 32 ? 3
                                    : 0,
              .stride = width == 16 ? 256 : pattern,
              .leading = width == 16 ? 128 : 3 * pattern};
  if (width == 16 && is_turned) // eight lines: 128 bytes; eight depths behind all of them
    l = (layout){.width = 16, .stride = 128, .leading = 8 * 128 + 128};
  if (!is_turned && width > 32)
    l.skip = 32; // the second sixteen of the depth
  return l;
}

static void every_layout_is_read(void **state) {
  (void)state;
  static const char *const BODIES[] = {
      BEGIN VISIBLE FENCE MULTIPLY("f16", "%p3", "0", "0") COMMIT WAIT(0) STORE,
      BEGIN VISIBLE FENCE MULTIPLY("bf16", "%p3", "1", "0") COMMIT WAIT(0) STORE,
      BEGIN VISIBLE FENCE MULTIPLY("f16", "%p3", "0", "1") COMMIT WAIT(0) STORE,
      BEGIN VISIBLE FENCE MULTIPLY("bf16", "%p3", "1", "1") COMMIT WAIT(0) STORE,
  };
  static const unsigned WIDTHS[] = {16, 32, 64, 128};
  static input in;
  static float out[THREADS * REGISTERS];
  for (unsigned order = 0; order < 4; order++)
    for (unsigned i = 0; i < 16; i++) {
      bool a_is_turned = order & 1, b_is_turned = order & 2;
      layout a = layout_of(WIDTHS[i % 4], a_is_turned), b = layout_of(WIDTHS[i / 4], b_is_turned);
      memset(&in, 0, sizeof in);
      lay_down(&in, 0, &a, a_is_turned, a_is_turned);
      lay_down(&in, 1, &b, b_is_turned, a_is_turned);
      run_ptx(&(ptx_case){.before = BEFORE,
                          .body = BODIES[order],
                          .target = "sm_90a",
                          .group_size = THREADS,
                          .in = &in,
                          .in_bytes = sizeof in,
                          .out = out,
                          .out_bytes = sizeof out});
      expect_products(out, 1);
    }
}

#define MULTIPLY_TF32                                                                              \
  "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 " SUMS ", %rd10, %rd11, %p3, 1, 1;\n"

// Half as deep, and along the depth alone.
static void every_layout_of_tf32_is_read(void **state) {
  (void)state;
  static const unsigned WIDTHS[] = {16, 32, 64, 128};
  static input in;
  static float out[THREADS * REGISTERS];
  for (unsigned i = 0; i < 16; i++) {
    layout a = layout_of(WIDTHS[i % 4], false), b = layout_of(WIDTHS[i / 4], false);
    memset(&in, 0, sizeof in);
    lay_down_tf32(&in, 0, &a);
    lay_down_tf32(&in, 1, &b);
    run_ptx(&(ptx_case){.before = BEFORE,
                        .body = BEGIN VISIBLE FENCE MULTIPLY_TF32 COMMIT WAIT(0) STORE,
                        .target = "sm_90a",
                        .group_size = THREADS,
                        .in = &in,
                        .in_bytes = sizeof in,
                        .out = out,
                        .out_bytes = sizeof out});
    expect_products_of(out, DEPTH / 2, 1);
  }
}

static ptx_case make_case(const char *body) {
  static input in;
  static float out[THREADS * REGISTERS];
  layout l = layout_of(128, false);
  memset(&in, 0, sizeof in);
  lay_down(&in, 0, &l, false, false);
  lay_down(&in, 1, &l, false, false);
  return (ptx_case){.before = BEFORE,
                    .body = body,
                    .target = "sm_90a",
                    .group_size = THREADS,
                    .in = &in,
                    .in_bytes = sizeof in,
                    .out = out,
                    .out_bytes = sizeof out};
}

#define PRODUCT(keeps) MULTIPLY("f16", keeps, "0", "0")

// A second product adds to the first; wait_group 1 lets the last group be on its way.
static void products_add_up(void **state) {
  (void)state;
  ptx_case c = make_case(BEGIN VISIBLE FENCE PRODUCT("%p3") COMMIT PRODUCT("%p2") PRODUCT("%p2")
                             COMMIT WAIT(1) WAIT(0) STORE);
  run_ptx(&c);
  expect_products(c.out, 3);
}

static void accumulators_are_not_touched(void **state) {
  (void)state;
  static const char IN_FLIGHT[] = "touches an accumulator of a wgmma.mma_async";
  ptx_case c = make_case(BEGIN VISIBLE FENCE PRODUCT("%p3") COMMIT STORE WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, IN_FLIGHT);
  c = make_case(BEGIN VISIBLE FENCE PRODUCT("%p3") COMMIT PRODUCT("%p2") COMMIT WAIT(1)
                    STORE WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, IN_FLIGHT);
  c = make_case(BEGIN VISIBLE FENCE PRODUCT("%p3") WAIT(0) STORE COMMIT WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, IN_FLIGHT);
  c = make_case(BEGIN VISIBLE FENCE PRODUCT("%p3") COMMIT "mov.u32 %r7, 0;\n" WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, IN_FLIGHT);
  c = make_case(BEGIN VISIBLE FENCE "mov.u32 %r7, 0;\n" PRODUCT("%p2") COMMIT WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, "accumulators were touched after wgmma.fence");
  c = make_case(BEGIN VISIBLE PRODUCT("%p3") COMMIT WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, "no wgmma.fence");
  c = make_case(BEGIN VISIBLE FENCE PRODUCT("%p3") COMMIT);
  expect_fault(&c, PTX_FAULT_TRAP, "the thread ends while a wgmma.mma_async");
}

static void shared_memory_is_fenced(void **state) {
  (void)state;
  ptx_case c = make_case(BEGIN "bar.sync 0;\n" FENCE PRODUCT("%p3") COMMIT WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, "without fence.proxy.async after it");
  c = make_case(BEGIN "fence.proxy.async.shared::cta;\n" FENCE PRODUCT("%p3") COMMIT WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, "with no barrier between them");
  c = make_case(BEGIN VISIBLE FENCE PRODUCT("%p3") COMMIT
                "bar.sync 0;\nst.shared.u32 [parts+32], %r30;\n" WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, "may still read");
}

static void descriptors_are_checked(void **state) {
  (void)state;
  ptx_case c =
      make_case(BEGIN VISIBLE "add.u64 %rd10, %rd10, 8;\n" FENCE PRODUCT("%p3") COMMIT WAIT(0));
  expect_fault(&c, PTX_FAULT_MISALIGNED, "begins in the middle");
  c = make_case(BEGIN VISIBLE "or.b64 %rd10, %rd10, 16384;\n" FENCE PRODUCT("%p3") COMMIT WAIT(0));
  expect_fault(&c, PTX_FAULT_TRAP, "bits that have no meaning");
  c = make_case(BEGIN VISIBLE
                "setp.lt.u32 %p4, %r30, 64;\n@%p4 add.u64 %rd10, %rd10, 2;\n" FENCE PRODUCT("%p3")
                    COMMIT WAIT(0));
  expect_fault(&c, PTX_FAULT_TRAP, "the first warp of its warp group");
  c = make_case(BEGIN VISIBLE FENCE PRODUCT("%p3") COMMIT WAIT(0));
  c.group_size = 96;
  expect_fault(&c, PTX_FAULT_TRAP, "fewer than four warps");
}

#define MULTIPLY_S8                                                                                \
  "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 " SUMS ", %rd10, %rd11, %p3;\n"

// Twice as deep as of 16 bits; sums are integers.
static void bytes_are_summed_up(void **state) {
  (void)state;
  static input in;
  static int32_t out[THREADS * REGISTERS];
  layout l = layout_of(64, false);
  memset(&in, 0, sizeof in);
  for (unsigned operand = 0; operand < 2; operand++) {
    for (unsigned line = 0; line < (operand ? COLUMNS : ROWS); line++)
      for (unsigned k = 0; k < 2 * DEPTH; k++) // a pair is where an element of 16 bits would be
        in.parts[operand][place_by_depth(&l, line, k / 2) + k % 2] =
            (uint8_t)value_of(operand, line, k);
    *(operand ? &in.b : &in.a) = descriptor(&l);
    *(operand ? &in.b_skip : &in.a_skip) = operand * PART + l.skip;
  }
  run_ptx(&(ptx_case){.before = BEFORE,
                      .body = BEGIN VISIBLE FENCE MULTIPLY_S8 COMMIT WAIT(0) STORE,
                      .target = "sm_90a",
                      .group_size = THREADS,
                      .in = &in,
                      .in_bytes = sizeof in,
                      .out = out,
                      .out_bytes = sizeof out});
  for (unsigned thread = 0; thread < THREADS; thread++)
    for (unsigned i = 0; i < REGISTERS; i++) {
      unsigned row = thread / 32 * 16 + thread % 32 / 4 + (i / 2 % 2 ? 8 : 0);
      unsigned column = i / 4 * 8 + thread % 4 * 2 + i % 2;
      int sum = 0;
      for (unsigned k = 0; k < 2 * DEPTH; k++)
        sum += value_of(0, row, k) * value_of(1, column, k);
      assert_int_equal(out[thread * REGISTERS + i], sum);
    }
}

// A depth that the type has not, and words that say what is turned where nothing can be.
static void tf32_is_not_turned(void **state) {
  (void)state;
  static const char *const BODIES[] = {"wgmma.mma_async.sync.aligned.m64n32k16.f32.tf32.tf32 " SUMS
                                       ", %rd10, %rd11, %p3, 1, 1;\n",
                                       "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 " SUMS
                                       ", %rd10, %rd11, %p3, 1, 1, 0, 0;\n"};
  for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
    char *text = make_ptx("sm_90a", "", NULL, BODIES[i]);
    ptx_module *module;
    tune_status status = ptx_module_create(text, strlen(text), &module);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    tune_status_free(status);
    free(text);
  }
}

static void other_targets_refuse(void **state) {
  (void)state;
  char *text = make_ptx("sm_90", "", NULL, FENCE);
  ptx_module *module;
  tune_status status = ptx_module_create(text, strlen(text), &module);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(tune_status_get_message(status), "sm_90a alone"));
  tune_status_free(status);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout_is_read),         cmocka_unit_test(products_add_up),
      cmocka_unit_test(accumulators_are_not_touched), cmocka_unit_test(shared_memory_is_fenced),
      cmocka_unit_test(every_layout_of_tf32_is_read), cmocka_unit_test(tf32_is_not_turned),
      cmocka_unit_test(bytes_are_summed_up),          cmocka_unit_test(descriptors_are_checked),
      cmocka_unit_test(other_targets_refuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
