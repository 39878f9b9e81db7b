//===- bulk_test.c - mbarriers, and boxes of tensors that arrive at them
//---------------------------------------===//
//
// Tensor maps are filled in by hand here; what the driver makes of a call is fake_cuda_test.c's.
//
//===--------------------------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/ptx/run_ptx.h"

enum { ROWS = 12, COLUMNS = 72, BOX_ROWS = 16, BOX_COLUMNS = 64, THREADS = 64 };

typedef struct input {
  _Alignas(64) ptx_tensor_map map;
  uint16_t tensor[ROWS][COLUMNS];
} input;

#define BEFORE                                                                                     \
  ".shared .align 1024 .b8 box[2048];\n"                                                           \
  ".shared .align 8 .b64 barrier;"
#define BEGIN                                                                                      \
  "mov.u32 %r1, %tid.x;\n"                                                                         \
  "mov.u32 %r2, barrier;\n"                                                                        \
  "mov.u32 %r3, box;\n"                                                                            \
  "setp.ne.u32 %p1, %r1, 0;\n"
// One arrival, of whoever asks for the copy.
#define INIT "@%p1 bra ready;\nmbarrier.init.shared::cta.b64 [%r2], 1;\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
#define READY "ready:\nbar.sync 0;\n@%p1 bra asked;\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], " #bytes ";\n"
#define COPY                                                                                       \
  "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%in, "      \
  "{%r20, %r21}], [%r2];\n"
#define AT(x, y) "mov.u32 %r20, " #x ";\nmov.u32 %r21, " #y ";\n"
#define WAIT(parity)                                                                               \
  "asked:\n"                                                                                       \
  "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], " #parity ";\n"                            \
  "@!%p2 bra asked;\n"
// 64 threads take the 2048 bytes of the box, 32 each.
#define STORE                                                                                      \
  "shl.b32 %r4, %r1, 5;\n"                                                                         \
  "add.u32 %r5, %r3, %r4;\n"                                                                       \
  "cvt.u64.u32 %rd1, %r4;\n"                                                                       \
  "add.u64 %rd1, %out, %rd1;\n"                                                                    \
  "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5];\n"                                                \
  "st.global.v4.u32 [%rd1], {%r6, %r7, %r8, %r9};\n"                                               \
  "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5+16];\n"                                             \
  "st.global.v4.u32 [%rd1+16], {%r6, %r7, %r8, %r9};\n"

static input in;
static uint16_t out[BOX_ROWS * BOX_COLUMNS];

static void make_input(unsigned swizzle) {
  for (unsigned row = 0; row < ROWS; row++)
    for (unsigned column = 0; column < COLUMNS; column++)
      in.tensor[row][column] = (uint16_t)(1 + row * 100 + column);
  in.map = (ptx_tensor_map){.magic = PTX_TENSOR_MAGIC,
                            .address = (uint64_t)(uintptr_t)in.tensor,
                            .strides = {sizeof in.tensor[0]},
                            .sizes = {COLUMNS, ROWS},
                            .box = {BOX_COLUMNS, BOX_ROWS},
                            .rank = 2,
                            .element_bytes = 2,
                            .swizzle = (uint16_t)swizzle};
  memset(out, 0, sizeof out);
}

static ptx_case make_case(const char *body) {
  return (ptx_case){.before = BEFORE,
                    .body = body,
                    .group_size = THREADS,
                    .in = &in,
                    .in_bytes = sizeof in,
                    .out = out,
                    .out_bytes = sizeof out};
}

// Rows of 128 bytes: chunk c of row r is at c ^ r % 8.
static void expect_box(int x, int y, bool is_swizzled) {
  for (int row = 0; row < BOX_ROWS; row++)
    for (int column = 0; column < BOX_COLUMNS; column++) {
      bool is_there = x + column >= 0 && x + column < COLUMNS && y + row >= 0 && y + row < ROWS;
      uint16_t expected = is_there ? in.tensor[y + row][x + column] : 0;
      int chunk = is_swizzled ? column / 8 ^ row % 8 : column / 8;
      uint16_t found = out[row * BOX_COLUMNS + chunk * 8 + column % 8];
      if (found != expected)
        fail_msg("row %d, column %d: %u, not %u", row, column, found, expected);
    }
}

static void boxes_arrive(void **state) {
  (void)state;
  ptx_case c = make_case(BEGIN INIT FENCE READY EXPECT(2048) AT(0, 0) COPY WAIT(0) STORE);
  make_input(0);
  run_ptx(&c);
  expect_box(0, 0, false);
  make_input(128);
  run_ptx(&c);
  expect_box(0, 0, true);
}

static void what_is_outside_is_zero(void **state) {
  (void)state;
  make_input(128);
  ptx_case c = make_case(BEGIN INIT FENCE READY EXPECT(2048) AT(40, -3) COPY WAIT(0) STORE);
  run_ptx(&c);
  expect_box(40, -3, true);
  c = make_case(BEGIN INIT FENCE READY EXPECT(2048) AT(-5, 7) COPY WAIT(0) STORE);
  run_ptx(&c);
  expect_box(-5, 7, true);
}

// What is not waited for is not there: without a wait, by the parity before, or with fewer bytes.
static void copies_are_waited_for(void **state) {
  (void)state;
  static const char ON_ITS_WAY[] = "which an asynchronous copy is still on its way to";
  make_input(128);
  ptx_case c =
      make_case(BEGIN INIT FENCE READY EXPECT(2048) AT(0, 0) COPY "asked:\nbar.sync 0;\n" STORE);
  expect_fault(&c, PTX_FAULT_RACE, ON_ITS_WAY);
  c = make_case(BEGIN INIT FENCE READY EXPECT(2048) AT(0, 0) COPY WAIT(1) "bar.sync 0;\n" STORE);
  expect_fault(&c, PTX_FAULT_RACE, ON_ITS_WAY);
  c = make_case(BEGIN INIT FENCE READY EXPECT(4096) AT(0, 0) COPY WAIT(0) STORE);
  expect_fault(&c, PTX_FAULT_DEADLOCK, "wait");
  c = make_case(BEGIN INIT FENCE READY AT(0, 0) COPY WAIT(0) STORE);
  expect_fault(&c, PTX_FAULT_DEADLOCK, "wait");
}

static void barriers_are_made_and_fenced(void **state) {
  (void)state;
  make_input(128);
  ptx_case c = make_case(BEGIN INIT READY EXPECT(2048) AT(0, 0) COPY WAIT(0));
  expect_fault(&c, PTX_FAULT_RACE, "without fence.proxy.async after it");
  c = make_case(BEGIN "@%p1 bra ready;\n" READY EXPECT(2048) AT(0, 0) COPY WAIT(0));
  expect_fault(&c, PTX_FAULT_TRAP, "there is no mbarrier");
  c = make_case(BEGIN INIT FENCE READY EXPECT(2048) EXPECT(2048) AT(0, 0) COPY WAIT(0));
  expect_fault(&c, PTX_FAULT_TRAP, "more arrivals");
  c = make_case(BEGIN INIT FENCE READY EXPECT(2048) "add.u32 %r3, %r3, 128;\n" AT(0, 0)
                    COPY WAIT(0));
  expect_fault(&c, PTX_FAULT_MISALIGNED, "no multiple of 1024 bytes");
  in.map.magic[0] = 0;
  c = make_case(BEGIN INIT FENCE READY EXPECT(2048) AT(0, 0) COPY WAIT(0));
  expect_fault(&c, PTX_FAULT_TRAP, "there is no tensor map");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_arrive),
      cmocka_unit_test(what_is_outside_is_zero),
      cmocka_unit_test(copies_are_waited_for),
      cmocka_unit_test(barriers_are_made_and_fenced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
