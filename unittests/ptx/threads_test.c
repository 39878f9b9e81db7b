//===- threads_test.c - Threads that part, meet, and get into each other's way
//---------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/ptx/run_ptx.h"

#define WARP 32

// The thread's number in the group in %r1, and where its result goes in %rd1.
#define BEGIN                                                                                      \
  "mov.u32 %r1, %tid.x;\n"                                                                         \
  "mad.wide.u32 %rd1, %r1, 4, %out;\n"
#define STORE "st.u32 [%rd1], %r0;\n"

static void run_group(const char *before, const char *body, unsigned size, uint32_t *out,
                      size_t out_bytes) {
  const ptx_case c = {
      .before = before, .body = body, .group_size = size, .out = out, .out_bytes = out_bytes};
  run_ptx(&c);
}

// Each goes its own way round a loop, and they all meet behind it.
static void threads_part_and_meet(void **state) {
  (void)state;
  uint32_t out[64];
  run_group(NULL,
            BEGIN "mov.u32 %r0, 0;\n"
                  "mov.u32 %r2, 0;\n"
                  "again: setp.ge.u32 %p1, %r2, %r1;\n"
                  "@%p1 bra done;\n"
                  "add.u32 %r0, %r0, %r2;\n"
                  "add.u32 %r2, %r2, 1;\n"
                  "bra again;\n"
                  "done:\n" STORE,
            64, out, sizeof out);
  for (uint32_t i = 0; i < 64; i++)
    assert_int_equal(out[i], i * (i - 1) / 2);
}

static void branches_are_indexed(void **state) {
  (void)state;
  uint32_t out[3];
  run_group(NULL,
            BEGIN "targets: .branchtargets zero, one, two;\n"
                  "brx.idx %r1, targets;\n"
                  "zero: mov.u32 %r0, 100;\n bra.uni done;\n"
                  "one: mov.u32 %r0, 101;\n bra done;\n"
                  "two: mov.u32 %r0, 102;\n"
                  "done:\n" STORE,
            3, out, sizeof out);
  assert_int_equal(out[0], 100);
  assert_int_equal(out[1], 101);
  assert_int_equal(out[2], 102);
}

// A group reverses its numbers by way of shared memory.
#define REVERSE(barrier)                                                                           \
  BEGIN "mov.u64 %rd2, buffer;\n"                                                                  \
        "mad.wide.u32 %rd3, %r1, 4, %rd2;\n"                                                       \
        "st.shared.u32 [%rd3], %r1;\n" barrier "sub.u32 %r2, 127, %r1;\n"                          \
        "mad.wide.u32 %rd4, %r2, 4, %rd2;\n"                                                       \
        "ld.shared.u32 %r0, [%rd4];\n" STORE

static const char *const buffer = ".shared .align 4 .b8 buffer[512];";

static void barriers_order_the_group(void **state) {
  (void)state;
  static const char *const bodies[] = {REVERSE("bar.sync 0;\n"), REVERSE("barrier.sync 3;\n"),
                                       REVERSE("bar.sync 1, 128;\n")};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    uint32_t out[128];
    run_group(buffer, bodies[k], 128, out, sizeof out);
    for (uint32_t i = 0; i < 128; i++)
      assert_int_equal(out[i], 127 - i);
  }
}

static void missing_barriers_are_found(void **state) {
  (void)state;
  uint32_t out[128];
  const ptx_case c = {.before = buffer,
                      .body = REVERSE(""),
                      .group_size = 128,
                      .out = out,
                      .out_bytes = sizeof out};
  expect_fault(&c, PTX_FAULT_RACE, "shared memory, which thread ");
  // Without looking for races, those that come first read what was there before: 0xff.
  ptx_case unwatched = c;
  unwatched.ignore_races = true;
  run_ptx(&unwatched);
  assert_int_equal(out[0], UINT32_MAX);
}

// Threads of a warp that read what others will overwrite.
static void overwriting_too_early_is_found(void **state) {
  (void)state;
  uint32_t out[WARP];
  const ptx_case c = {.before = buffer,
                      .body = BEGIN "mov.u64 %rd2, buffer;\n"
                                    "mad.wide.u32 %rd3, %r1, 4, %rd2;\n"
                                    "st.shared.u32 [%rd3], %r1;\n"
                                    "bar.sync 0;\n"
                                    "ld.shared.u32 %r0, [buffer+4];\n"
                                    "st.shared.u32 [%rd3], %r0;\n" STORE,
                      .group_size = WARP,
                      .out = out,
                      .out_bytes = sizeof out};
  expect_fault(&c, PTX_FAULT_RACE, "has read with no barrier between them");
}

// What is in order is not called a race: atomics, warps that have met, flags with fences.
static void orders_are_no_races(void **state) {
  (void)state;
  uint32_t out[64];
  run_group(buffer,
            BEGIN "mov.u64 %rd2, buffer;\n"
                  "setp.eq.u32 %p1, %r1, 0;\n"
                  "@%p1 st.shared.u32 [buffer], 0;\n"
                  "bar.sync 0;\n"
                  "atom.shared.add.u32 %r3, [buffer], %r1;\n"
                  "bar.sync 0;\n"
                  "ld.shared.u32 %r0, [buffer];\n" STORE,
            64, out, sizeof out);
  assert_int_equal(out[63], 63 * 32);
  run_group(buffer,
            BEGIN "mad.wide.u32 %rd3, %r1, 4, 0;\n"
                  "mov.u64 %rd2, buffer;\n"
                  "add.u64 %rd3, %rd3, %rd2;\n"
                  "st.shared.u32 [%rd3], %r1;\n"
                  "bar.warp.sync 0xffffffff;\n"
                  "xor.b32 %r2, %r1, 1;\n"
                  "mad.wide.u32 %rd4, %r2, 4, %rd2;\n"
                  "ld.shared.u32 %r0, [%rd4];\n" STORE,
            64, out, sizeof out);
  assert_int_equal(out[40], 41);
  // Thread 0 waits for what thread 63, of another warp, tells it by way of a flag.
  run_group(buffer,
            BEGIN "setp.eq.u32 %p1, %r1, 63;\n"
                  "setp.eq.u32 %p2, %r1, 0;\n"
                  "@%p1 st.volatile.shared.u32 [buffer+4], 0;\n"
                  "bar.sync 0;\n"
                  "mov.u32 %r0, 5;\n"
                  "@%p1 st.shared.u32 [buffer], 77;\n"
                  "@%p1 membar.cta;\n"
                  "@%p1 st.volatile.shared.u32 [buffer+4], 1;\n"
                  "@!%p2 bra done;\n"
                  "again: ld.volatile.shared.u32 %r2, [buffer+4];\n"
                  "setp.ne.u32 %p3, %r2, 1;\n"
                  "@%p3 bra again;\n"
                  "membar.cta;\n"
                  "ld.shared.u32 %r0, [buffer];\n"
                  "done:\n" STORE,
            64, out, sizeof out);
  assert_int_equal(out[0], 77);
  assert_int_equal(out[5], 5);
}

// 64 threads tell that they have come, 64 wait for them; a vote is taken with another barrier.
static void barriers_have_names_and_votes(void **state) {
  (void)state;
  uint32_t out[128];
  run_group(buffer,
            BEGIN "setp.lt.u32 %p1, %r1, 64;\n"
                  "@%p1 bra first;\n"
                  "bar.sync 2, 128;\n"
                  "ld.shared.u32 %r0, [buffer+252];\n"
                  "bra vote;\n"
                  "first: mov.u64 %rd2, buffer;\n"
                  "mad.wide.u32 %rd3, %r1, 4, %rd2;\n"
                  "st.shared.u32 [%rd3], %r1;\n"
                  "mov.u32 %r0, 1;\n"
                  "bar.arrive 2, 128;\n"
                  "vote: setp.lt.u32 %p2, %r1, 10;\n"
                  "bar.red.popc.u32 %r3, 0, %p2;\n"
                  "mad.lo.u32 %r0, %r3, 1000, %r0;\n" STORE,
            128, out, sizeof out);
  assert_int_equal(out[0], 10001);
  assert_int_equal(out[127], 10063);
}

static void barriers_apart_are_found(void **state) {
  (void)state;
  const ptx_case divergent = {.body = BEGIN "setp.lt.u32 %p1, %r1, 7;\n"
                                            "@%p1 bra other;\n"
                                            "bar.sync 0;\n"
                                            "bra done;\n"
                                            "other: bar.sync 0;\n"
                                            "done:\n",
                              .group_size = WARP};
  expect_fault(&divergent, PTX_FAULT_DEADLOCK, "the instruction is for whole warps");
  const ptx_case missing = {.body = BEGIN "bar.sync 1, 64;\n", .group_size = WARP};
  expect_fault(&missing, PTX_FAULT_DEADLOCK, "all threads wait here for others");
  const ptx_case crossed = {.body = BEGIN "setp.lt.u32 %p1, %r1, 32;\n"
                                          "@%p1 bra other;\n"
                                          "barrier.sync 1;\n"
                                          "bra done;\n"
                                          "other: barrier.sync 2;\n"
                                          "done:\n",
                            .group_size = 64};
  expect_fault(&crossed, PTX_FAULT_DEADLOCK,
               "waits for ever: thread 32 of the group waits for its group");
}

static void lanes_exchange(void **state) {
  (void)state;
  static const struct {
    const char *instruction;
    uint32_t first, sixth, last; // of lanes 0, 5 and 31
  } rows[] = {
      {"shfl.sync.bfly.b32 %r0, %r1, 1, 31, -1;", 1, 4, 30},
      {"shfl.sync.up.b32 %r0, %r1, 2, 0, -1;", 0, 3, 29},
      {"shfl.sync.down.b32 %r0, %r1, 2, 31, -1;", 2, 7, 31},
      {"shfl.sync.down.b32 %r0, %r1, 3, 0x1807, -1;", 3, 5, 31}, // in eights
      {"shfl.sync.idx.b32 %r0, %r1, 9, 31, -1;", 9, 9, 9},
      {"shfl.sync.idx.b32 %r0, %r1, 9, 0x181f, -1;", 1, 1, 25},
      {"shfl.sync.up.b32 %r2|%p1, %r1, 2, 0, -1;\nselp.u32 %r0, 1, 0, %p1;", 0, 1, 1},
      {"setp.lt.u32 %p1, %r1, 6;\nvote.sync.ballot.b32 %r0, %p1, -1;", 63, 63, 63},
      {"setp.lt.u32 %p1, %r1, 6;\nvote.sync.any.pred %p2, !%p1, -1;\nselp.u32 %r0, 1, 0, %p2;", 1,
       1, 1},
      {"setp.lt.u32 %p1, %r1, 6;\nvote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r0, 1, 0, %p2;", 0, 0,
       0},
      {"redux.sync.add.s32 %r0, %r1, -1;", 496, 496, 496},
      {"redux.sync.max.u32 %r0, %r1, -1;", 31, 31, 31},
      {"and.b32 %r2, %r1, 1;\nmatch.any.sync.b32 %r0, %r2, -1;", 0x55555555, 0xaaaaaaaa,
       0xaaaaaaaa},
      {"elect.sync %r2|%p1, -1;\nselp.u32 %r0, 1, 0, %p1;", 1, 0, 0},
      {"activemask.b32 %r0;", UINT32_MAX, UINT32_MAX, UINT32_MAX},
      {"mov.u32 %r0, %lanemask_lt;", 0, 31, 0x7fffffff},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char body[1024];
    snprintf(body, sizeof body, "%s%s\n%s", BEGIN, rows[k].instruction, STORE);
    uint32_t out[WARP];
    run_group(NULL, body, WARP, out, sizeof out);
    if (out[0] != rows[k].first || out[5] != rows[k].sixth || out[31] != rows[k].last)
      fail_msg("%s gives %u, %u, %u", rows[k].instruction, out[0], out[5], out[31]);
  }
}

// Halves of a warp that exchange among themselves, at different places.
static void parts_of_a_warp_exchange(void **state) {
  (void)state;
  uint32_t out[WARP];
  run_group(NULL,
            BEGIN "setp.lt.u32 %p1, %r1, 16;\n"
                  "@%p1 bra low;\n"
                  "shfl.sync.bfly.b32 %r0, %r1, 8, 31, 0xffff0000;\n"
                  "bra done;\n"
                  "low: shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0x0000ffff;\n"
                  "done:\n" STORE,
            WARP, out, sizeof out);
  assert_int_equal(out[4], 5);
  assert_int_equal(out[16], 24);
  const ptx_case outside = {.body = BEGIN "setp.lt.u32 %p1, %r1, 16;\n"
                                          "@%p1 shfl.sync.idx.b32 %r0, %r1, 20, 31, 0x0000ffff;\n",
                            .group_size = WARP};
  expect_fault(&outside, PTX_FAULT_TRAP, "reads lane 20, which is not among 0x0000ffff");
  const ptx_case absent = {.body = BEGIN "setp.lt.u32 %p1, %r1, 16;\n"
                                         "@%p1 shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;\n"
                                         "bar.sync 0;\n",
                           .group_size = WARP};
  expect_fault(&absent, PTX_FAULT_DEADLOCK, "waits for ever");
}

#define COPY(wait)                                                                                 \
  BEGIN "mov.u64 %rd2, buffer;\n"                                                                  \
        "mad.wide.u32 %rd3, %r1, 16, %rd2;\n"                                                      \
        "mad.wide.u32 %rd4, %r1, 16, %in;\n"                                                       \
        "cp.async.cg.shared.global [%rd3], [%rd4], 16;\n"                                          \
        "cp.async.commit_group;\n"                                                                 \
        "cp.async.ca.shared.global [%rd3+256], [%rd4], 4, 2;\n"                                    \
        "cp.async.ca.shared.global [%rd3+260], [%rd4], 4;\n"                                       \
        "cp.async.commit_group;\n" wait "ld.shared.u32 %r0, [%rd3];\n"

static void copies_arrive_when_waited_for(void **state) {
  (void)state;
  _Alignas(16) uint32_t in[64];
  uint32_t out[16];
  for (uint32_t i = 0; i < 64; i++)
    in[i] = 0x10001 * i;
  ptx_case c = {.before = ".shared .align 16 .b8 buffer[512];",
                .group_size = 16,
                .in = in,
                .in_bytes = sizeof in,
                .out = out,
                .out_bytes = sizeof out};
  c.body = COPY("cp.async.wait_group 1;\n") STORE;
  run_ptx(&c);
  assert_int_equal(out[3], 0x10001 * 12);
  c.body = COPY("cp.async.wait_all;\n") "ld.shared.u32 %r0, [%rd3+256];\n" STORE;
  run_ptx(&c);
  assert_int_equal(out[3], 12); // two bytes taken, the others zeros
  c.body = COPY("") STORE;
  expect_fault(&c, PTX_FAULT_RACE, "which an asynchronous copy is still on its way to");
  c.body = COPY("cp.async.wait_group 1;\n") "ld.shared.u32 %r0, [%rd3+260];\n" STORE;
  expect_fault(&c, PTX_FAULT_RACE, "which an asynchronous copy is still on its way to");
  c.ignore_races = true;
  run_ptx(&c);
  assert_int_equal(out[3], UINT32_MAX);
  // Waiting is for one's own copies: others' need a barrier too.
  c.ignore_races = false;
  c.body = COPY("cp.async.wait_all;\n") "xor.b32 %r2, %r1, 1;\n"
                                        "mad.wide.u32 %rd3, %r2, 16, %rd2;\n"
                                        "ld.shared.u32 %r0, [%rd3];\n" STORE;
  expect_fault(&c, PTX_FAULT_RACE, "with no barrier between them");
}

static void wrong_accesses_are_found(void **state) {
  (void)state;
  uint32_t in[16] = {0}, out[16]; // the first 8 of each are there
  static const struct {
    const char *body;
    ptx_fault fault;
    const char *message;
  } rows[] = {
      {"ld.global.u32 %r0, [%in+32];", PTX_FAULT_ADDRESS,
       "PTX line 13, `ld.global.u32 %r0, [%in+32]`, thread (0, 0, 0) of group (0, 0, 0): reads 4 "
       "bytes at 0x"},
      {"st.global.u32 [%out+-4], 1;", PTX_FAULT_ADDRESS, "writes 4 bytes"},
      {"atom.add.u32 %r0, [%out+32], 1;", PTX_FAULT_ADDRESS, "updates 4 bytes"},
      {"ld.u32 %r0, [%in+2];", PTX_FAULT_MISALIGNED, "which is no multiple of that"},
      {"ld.v2.u32 {%r0, %r1}, [%in+4];", PTX_FAULT_MISALIGNED, "reads 8 bytes"},
      {"ld.shared.u32 %r0, [buffer+512];", PTX_FAULT_ADDRESS, "outside of shared memory"},
      {"mov.u64 %rd1, 0;\nld.shared.u32 %r0, [%rd1];", PTX_FAULT_ADDRESS,
       "outside of shared memory"},
      {"ld.shared.u32 %r0, [%in];", PTX_FAULT_ADDRESS, "outside of shared memory"},
      {"mov.u64 %rd1, 0;\nld.u32 %r0, [%rd1];", PTX_FAULT_ADDRESS, "all of the device's memory"},
      {"ld.param.u32 %r0, [k_in+16];", PTX_FAULT_ADDRESS, "outside of the parameters"},
      {".local .align 4 .b8 here[8];\nld.local.u32 %r0, [here+8];", PTX_FAULT_ADDRESS,
       "the thread's local memory"},
      {"trap;", PTX_FAULT_TRAP, "gives up"},
      {"cp.async.ca.shared.global [buffer], [%in+32], 4;", PTX_FAULT_ADDRESS, "reads 1 bytes"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const ptx_case c = {.before = buffer,
                        .body = rows[k].body,
                        .in = in,
                        .in_bytes = 8 * sizeof *in,
                        .out = out + 8,
                        .out_bytes = 8 * sizeof *out};
    expect_fault(&c, rows[k].fault, rows[k].message);
  }
}

static void endless_loops_are_stopped(void **state) {
  (void)state;
  const ptx_case c = {.body = "again: bra again;", .group_size = 2, .limit = 1000000};
  expect_fault(&c, PTX_FAULT_LIMIT, "more than 1000000 instructions of all threads");
}

// Spaces of memory: local, shared and global ones by generic addresses, and dynamic shared memory
// behind the static.
static void spaces_are_one_by_generic_addresses(void **state) {
  (void)state;
  uint32_t out[2];
  const ptx_case c = {.before = ".shared .align 4 .b8 fixed[4];\n"
                                ".extern .shared .align 16 .b8 more[];\n"
                                ".global .align 4 .u32 table[3] = {5, 6, 7};\n"
                                ".const .align 8 .u64 place = generic(table);",
                      .body = ".local .align 8 .b8 depot[16];\n"
                              "mov.u64 %rd1, depot;\n"
                              "cvta.local.u64 %rd2, %rd1;\n"
                              "st.u32 [%rd2+4], 100;\n"
                              "ld.local.u32 %r0, [%rd1+4];\n"
                              "mov.u64 %rd3, more;\n"
                              "cvta.shared.u64 %rd4, %rd3;\n"
                              "st.u32 [%rd4+60], %r0;\n"
                              "st.shared.u32 [fixed], 0;\n"
                              "isspacep.shared %p1, %rd4;\n"
                              "@!%p1 trap;\n"
                              "cvta.to.shared.u64 %rd5, %rd4;\n"
                              "ld.shared.u32 %r1, [%rd5+60];\n"
                              "ld.const.u64 %rd6, [place];\n"
                              "ld.global.u32 %r2, [%rd6+8];\n"
                              "add.u32 %r0, %r1, %r2;\n"
                              "mov.u32 %r3, %dynamic_smem_size;\n"
                              "st.v2.u32 [%out], {%r0, %r3};\n",
                      .out = out,
                      .out_bytes = sizeof out,
                      .dynamic_bytes = 64};
  ptx_report report;
  assert_ok(try_ptx(&c, &report));
  assert_int_equal(out[0], 107);
  assert_int_equal(out[1], 64);
  assert_int_equal(report.shared_bytes, 16 + 64);
}

// Functions have registers, parameters and local memory of their own, also where they call
// themselves.
static void functions_are_called(void **state) {
  (void)state;
  uint32_t out[4];
  run_group(".func (.param .b32 result) factorial(.param .b32 n)\n"
            "{\n"
            ".reg .b32 %r<4>;\n"
            ".reg .pred %p<2>;\n"
            ".local .align 4 .b8 kept[4];\n"
            "ld.param.b32 %r1, [n];\n"
            "st.local.b32 [kept], %r1;\n"
            "mov.b32 %r2, 1;\n"
            "setp.lt.u32 %p1, %r1, 2;\n"
            "@%p1 bra done;\n"
            "sub.u32 %r3, %r1, 1;\n"
            "{ .param .b32 param0; st.param.b32 [param0], %r3; .param .b32 retval0;\n"
            "call.uni (retval0), factorial, (param0); ld.param.b32 %r2, [retval0]; }\n"
            "ld.local.b32 %r1, [kept];\n"
            "mul.lo.u32 %r2, %r2, %r1;\n"
            "done: st.param.b32 [result], %r2;\n"
            "ret;\n"
            "}\n",
            BEGIN "add.u32 %r2, %r1, 3;\n"
                  "{ .param .b32 param0; st.param.b32 [param0], %r2; .param .b32 retval0;\n"
                  "call (retval0), factorial, (param0); ld.param.b32 %r0, [retval0]; }\n" STORE,
            4, out, sizeof out);
  assert_int_equal(out[0], 6);
  assert_int_equal(out[3], 720);
}

// Groups and threads in three dimensions know where they are; a sample of groups is some of them.
static void grids_have_three_dimensions(void **state) {
  (void)state;
  char *text = make_ptx(NULL, "", NULL,
                        "mov.u32 %r1, %ctaid.z;\nmov.u32 %r2, %nctaid.y;\nmov.u32 %r3, %ctaid.y;\n"
                        "mad.lo.u32 %r1, %r1, %r2, %r3;\n"
                        "mov.u32 %r2, %nctaid.x;\nmov.u32 %r3, %ctaid.x;\n"
                        "mad.lo.u32 %r1, %r1, %r2, %r3;\n"
                        "mov.u32 %r4, %tid.z;\nmov.u32 %r5, %ntid.y;\nmov.u32 %r6, %tid.y;\n"
                        "mad.lo.u32 %r4, %r4, %r5, %r6;\n"
                        "mov.u32 %r5, %ntid.x;\nmov.u32 %r6, %tid.x;\n"
                        "mad.lo.u32 %r4, %r4, %r5, %r6;\n"
                        "mad.lo.u32 %r1, %r1, 24, %r4;\n"
                        "mad.wide.u32 %rd1, %r1, 4, %out;\n"
                        "red.add.u32 [%rd1], 1;\n");
  ptx_module *module;
  ptx_kernel *kernel;
  ptx_memory *memory;
  uint32_t counts[60 * 24] = {0}, *in = counts, *out = counts;
  assert_ok(ptx_module_create(text, strlen(text), &module));
  assert_ok(ptx_module_find_kernel(module, "k", &kernel));
  assert_ok(ptx_memory_create(&memory));
  assert_ok(ptx_memory_add(memory, counts, sizeof counts));
  void *const parameters[] = {&in, &out};
  ptx_launch launch = {
      .groups = {3, 4, 5}, .group_size = {2, 3, 4}, .parameters = parameters, .memory = memory};
  ptx_report report;
  assert_ok(ptx_kernel_launch(kernel, &launch, &report));
  for (size_t i = 0; i < 60 * 24; i++)
    assert_int_equal(counts[i], 1);
  assert_true(report.has_changed_memory);
  assert_int_equal(ptx_module_executed(module, "red"), 60 * 24);
  launch.sample = 2;
  assert_ok(ptx_kernel_launch(kernel, &launch, &report));
  assert_int_equal(counts[0], 2);
  assert_int_equal(counts[59 * 24], 2);
  assert_int_equal(counts[30 * 24], 1);
  launch.group_size[0] = 2000;
  tune_status status = ptx_kernel_launch(kernel, &launch, &report);
  assert_non_null(
      strstr(tune_status_get_message(status), "groups of 24000 threads, of 1024 at most"));
  tune_status_free(status);
  assert_int_equal(report.fault, PTX_FAULT_LAUNCH);
  ptx_memory_destroy(memory);
  ptx_module_destroy(module);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_part_and_meet),
      cmocka_unit_test(branches_are_indexed),
      cmocka_unit_test(barriers_order_the_group),
      cmocka_unit_test(missing_barriers_are_found),
      cmocka_unit_test(overwriting_too_early_is_found),
      cmocka_unit_test(orders_are_no_races),
      cmocka_unit_test(barriers_have_names_and_votes),
      cmocka_unit_test(barriers_apart_are_found),
      cmocka_unit_test(lanes_exchange),
      cmocka_unit_test(parts_of_a_warp_exchange),
      cmocka_unit_test(copies_arrive_when_waited_for),
      cmocka_unit_test(wrong_accesses_are_found),
      cmocka_unit_test(endless_loops_are_stopped),
      cmocka_unit_test(spaces_are_one_by_generic_addresses),
      cmocka_unit_test(functions_are_called),
      cmocka_unit_test(grids_have_three_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
