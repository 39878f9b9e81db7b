//===- cluster_test.c - Groups that share what comes, and wait for each other -----------------===//
//
// Two groups, of which the first copies a box to both: what has to be there, and what is found
// where it is not.
//
//===--------------------------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/ptx/run_ptx.h"

enum { ROWS = 8, COLUMNS = 64, THREADS = 32, GROUPS = 2 };

typedef struct input {
  _Alignas(64) ptx_tensor_map map;
  uint16_t tensor[2 * ROWS][COLUMNS];
} input;

static input in;
static uint16_t out[GROUPS][ROWS][COLUMNS];

#define PAIR ".explicitcluster\n.reqnctapercluster 2, 1, 1"
#define BEFORE                                                                                     \
  ".shared .align 1024 .b8 box[1024];\n"                                                           \
  ".shared .align 8 .b64 full;\n"                                                                  \
  ".shared .align 8 .b64 empty;"
// %p1: no first thread; %p3: not of the first group.
#define BEGIN                                                                                      \
  "mov.u32 %r1, %tid.x;\n"                                                                         \
  "mov.u32 %r2, full;\n"                                                                           \
  "mov.u32 %r3, box;\n"                                                                            \
  "mov.u32 %r10, empty;\n"                                                                         \
  "mov.u32 %r11, %cluster_ctarank;\n"                                                              \
  "setp.ne.u32 %p1, %r1, 0;\n"                                                                     \
  "setp.ne.u32 %p3, %r11, 0;\n"                                                                    \
  "mov.u16 %rs1, 3;\n"                                                                             \
  "mov.u32 %r20, 0;\n"
#define INIT                                                                                       \
  "@%p1 bra ready;\n"                                                                              \
  "mbarrier.init.shared::cta.b64 [%r2], 1;\n"                                                      \
  "mbarrier.init.shared::cta.b64 [%r10], 2;\n"                                                     \
  "fence.mbarrier_init.release.cluster;\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
#define READY "ready:\nbar.warp.sync 0xffffffff;\n"
#define MEET "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
#define EXPECT "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 1024;\n"
// The first thread of the first group has rows `y` on copied to both.
#define MULTICAST(label, y)                                                                        \
  "mov.u32 %r21, " #y ";\n"                                                                        \
  "@%p1 bra " #label ";\n"                                                                         \
  "@%p3 bra " #label ";\n"                                                                         \
  "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"        \
  "cluster "                                                                                       \
  "[%r3], [%in, {%r20, %r21}], [%r2], %rs1;\n" #label ":\n"
#define WAIT(label, parity)                                                                        \
#label ":\n"                                                                                     \
         "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], " #parity ";\n"                     \
         "@!%p2 bra " #label ";\n"
// 32 threads take the 1024 bytes of the box, 32 each, to where their group's output is.
#define STORE                                                                                      \
  "shl.b32 %r4, %r1, 5;\n"                                                                         \
  "add.u32 %r5, %r3, %r4;\n"                                                                       \
  "shl.b32 %r12, %r11, 10;\n"                                                                      \
  "add.u32 %r4, %r4, %r12;\n"                                                                      \
  "cvt.u64.u32 %rd1, %r4;\n"                                                                       \
  "add.u64 %rd1, %out, %rd1;\n"                                                                    \
  "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5];\n"                                                \
  "st.global.v4.u32 [%rd1], {%r6, %r7, %r8, %r9};\n"                                               \
  "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5+16];\n"                                             \
  "st.global.v4.u32 [%rd1+16], {%r6, %r7, %r8, %r9};\n"
// Each group says to the first one that it is done with the box.
#define DONE(scope)                                                                                \
  "bar.sync 0;\n"                                                                                  \
  "mov.u32 %r14, 0;\n"                                                                             \
  "mapa.shared::cluster.u32 %r13, %r10, %r14;\n"                                                   \
  "@!%p1 mbarrier.arrive.release." scope ".shared::cluster.b64 _, [%r13];\n"
// The first group waits until both have.
#define ALL_DONE(order)                                                                            \
  "@%p1 bra done;\n"                                                                               \
  "@%p3 bra done;\n"                                                                               \
  "wait_done:\n"                                                                                   \
  "mbarrier.try_wait.parity" order ".shared::cta.b64 %p2, [%r10], 0;\n"                            \
  "@!%p2 bra wait_done;\n"                                                                         \
  "done:\n"
// Long enough for the other group to have its turn.
#define SPIN                                                                                       \
  "mov.u32 %r30, 200000;\n"                                                                        \
  "spin:\n"                                                                                        \
  "sub.u32 %r30, %r30, 1;\n"                                                                       \
  "setp.ne.u32 %p4, %r30, 0;\n"                                                                    \
  "@%p4 bra spin;\n"
#define ONCE BEGIN INIT FENCE READY MEET EXPECT MULTICAST(first, 0) WAIT(there, 0) STORE

static void make_input(void) {
  for (unsigned row = 0; row < 2 * ROWS; row++)
    for (unsigned column = 0; column < COLUMNS; column++)
      in.tensor[row][column] = (uint16_t)(1 + row * 100 + column);
  in.map = (ptx_tensor_map){.magic = PTX_TENSOR_MAGIC,
                            .address = (uint64_t)(uintptr_t)in.tensor,
                            .strides = {sizeof in.tensor[0]},
                            .sizes = {COLUMNS, 2 * ROWS},
                            .box = {COLUMNS, ROWS},
                            .rank = 2,
                            .element_bytes = 2};
  memset(out, 0, sizeof out);
}

static ptx_case make_case(const char *body) {
  make_input();
  return (ptx_case){.before = BEFORE,
                    .body = body,
                    .directives = PAIR,
                    .groups = GROUPS,
                    .group_size = THREADS,
                    .in = &in,
                    .in_bytes = sizeof in,
                    .out = out,
                    .out_bytes = sizeof out};
}

static void expect_rows(unsigned first) {
  for (unsigned group = 0; group < GROUPS; group++)
    assert_memory_equal(out[group], in.tensor[first], sizeof out[group]);
}

static void groups_have_ranks(void **state) {
  (void)state;
  static uint32_t found[8][4];
  ptx_case c = {.body = "mov.u32 %r1, %ctaid.x;\n"
                        "shl.b32 %r1, %r1, 4;\n"
                        "cvt.u64.u32 %rd1, %r1;\n"
                        "add.u64 %rd1, %out, %rd1;\n"
                        "mov.u32 %r2, %cluster_ctarank;\n"
                        "mov.u32 %r3, %cluster_nctarank;\n"
                        "mov.u32 %r4, %clusterid.x;\n"
                        "mov.u32 %r5, %nclusterid.x;\n"
                        "st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};\n",
                .directives = ".reqnctapercluster 4",
                .groups = 8,
                .out = found,
                .out_bytes = sizeof found};
  run_ptx(&c);
  for (uint32_t g = 0; g < 8; g++) {
    const uint32_t expected[] = {g % 4, 4, g / 4, 2};
    assert_memory_equal(found[g], expected, sizeof expected);
  }
}

static void boxes_come_to_all(void **state) {
  (void)state;
  ptx_case c = make_case(ONCE);
  run_ptx(&c);
  expect_rows(0);
}

// Before anybody may reach an mbarrier it is made, fenced, and known to be.
static void groups_meet_first(void **state) {
  (void)state;
  ptx_case c = make_case(BEGIN INIT FENCE READY EXPECT MULTICAST(first, 0) WAIT(there, 0));
  expect_fault(&c, PTX_FAULT_RACE, "has made its mbarrier");
  c = make_case(BEGIN INIT READY MEET EXPECT MULTICAST(first, 0) WAIT(there, 0));
  expect_fault(&c, PTX_FAULT_RACE, "without fence.proxy.async after it");
  c = make_case(BEGIN INIT FENCE READY MEET DONE("cluster"));
  expect_fault(&c, PTX_FAULT_RACE, "has not waited for what group 1");
  c = make_case(BEGIN INIT FENCE READY DONE("cluster") ALL_DONE(".acquire.cluster"));
  expect_fault(&c, PTX_FAULT_RACE, "has made its mbarrier");
}

// A box is copied over when all have said that they are done with it.
static void boxes_are_read_before(void **state) {
  (void)state;
  ptx_case c = make_case(ONCE DONE("cluster") ALL_DONE(".acquire.cluster")
                             EXPECT MULTICAST(second, 8) WAIT(there_again, 1) STORE);
  run_ptx(&c);
  expect_rows(ROWS);
  static const char TOUCHED[] = "nothing at the scope of the cluster between them";
  c = make_case(ONCE "bar.sync 0;\n" EXPECT MULTICAST(second, 8) WAIT(there_again, 1) STORE);
  expect_fault(&c, PTX_FAULT_RACE, "which an asynchronous copy is still on its way to");
  c = make_case(ONCE DONE("cta") ALL_DONE(".acquire.cluster") EXPECT MULTICAST(second, 8)
                    WAIT(there_again, 1) STORE);
  expect_fault(&c, PTX_FAULT_RACE, TOUCHED);
  c = make_case(ONCE DONE("cluster") ALL_DONE("") EXPECT MULTICAST(second, 8) WAIT(there_again, 1)
                    STORE);
  expect_fault(&c, PTX_FAULT_RACE, TOUCHED);
  c = make_case(ONCE MEET EXPECT MULTICAST(second, 8) WAIT(there_again, 1) STORE);
  run_ptx(&c);
  expect_rows(ROWS);
}

// Nobody leaves while others write into its memory, or after it.
static void groups_stay(void **state) {
  (void)state;
  ptx_case c = make_case(BEGIN INIT FENCE READY MEET EXPECT "@%p3 bra other;\n" MULTICAST(first, 0)
                             WAIT(again, 0) "bra.uni there;\nother:\n" SPIN "there:\n");
  expect_fault(&c, PTX_FAULT_RACE, "ends while a bulk copy is on its way");
  c = make_case(BEGIN INIT FENCE READY MEET EXPECT "@%p3 bra there;\n" MULTICAST(first, 0)
                    WAIT(again, 0) "there:\n");
  expect_fault(&c, PTX_FAULT_ADDRESS, "group 1 of the cluster has left");
}

static void barriers_are_waited_for(void **state) {
  (void)state;
  ptx_case c = make_case("barrier.cluster.arrive;\nbarrier.cluster.arrive;\n");
  expect_fault(&c, PTX_FAULT_DEADLOCK, "once more before it has waited");
  c = make_case("barrier.cluster.wait;\n");
  expect_fault(&c, PTX_FAULT_DEADLOCK, "without having arrived");
  c = make_case(BEGIN "@%p3 bra left;\n" MEET "left:\n"); // those that have left are not waited for
  run_ptx(&c);
}

static void launches_are_checked(void **state) {
  (void)state;
  ptx_case c = make_case("ret;\n");
  c.groups = 3;
  expect_fault(&c, PTX_FAULT_LAUNCH, "3 groups along dimension 0, in clusters of 2");
  c = make_case(BEGIN "mov.u16 %rs1, 7;\n" INIT FENCE READY MEET EXPECT MULTICAST(first, 0));
  expect_fault(&c, PTX_FAULT_TRAP, "a mask of 0x7, in a cluster of 2 groups");
  c = make_case("mov.u32 %r1, 64;\nmov.u32 %r2, 2;\nmapa.shared::cluster.u32 %r3, %r1, %r2;\n");
  expect_fault(&c, PTX_FAULT_TRAP, "group 2 of a cluster of 2");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_have_ranks),    cmocka_unit_test(boxes_come_to_all),
      cmocka_unit_test(groups_meet_first),    cmocka_unit_test(boxes_are_read_before),
      cmocka_unit_test(groups_stay),          cmocka_unit_test(barriers_are_waited_for),
      cmocka_unit_test(launches_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
