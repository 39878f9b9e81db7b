//===- nvvm_test.c - Kernels as PTX, and what the assembler says of them --------------------===//
// Tier: check-all

#include "transforms/lower/cuda/ptxas.h"
#include "unittests/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/file.h"
#include "support/scratch.h"
#include "unittests/lower/device_fixture.h"
#include "unittests/transforms/context_fixture.h"

// A launch of one group of 32 with the body `BODY`.
#define LAUNCH(ARGUMENTS, BODY)                                                                    \
  "func.func @f(" ARGUMENTS ") {\n  %c0 = arith.constant 0 : index\n"                              \
  "  %c1 = arith.constant 1 : index\n  %c32 = arith.constant 32 : index\n"                         \
  "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)\n"                      \
  "      threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {\n" BODY                    \
  "    gpu.terminator\n  }\n  return\n}\n"

//===--------------------------------------------------------------------------===//
// Shared memory
//===--------------------------------------------------------------------------===//

// Two pieces of shared memory, each written by all and read by their neighbours.
#define PIECE(NAME, SIZE)                                                                          \
  "    %" NAME " = memref.alloc() : memref<" SIZE "xf32, #gpu.address_space<workgroup>>\n"         \
  "    memref.store %x, %" NAME "[%tx] : memref<" SIZE "xf32, #gpu.address_space<workgroup>>\n"
#define READ(NAME, SIZE)                                                                           \
  "    %of_" NAME " = memref.load %" NAME "[%other] : memref<" SIZE                                \
  "xf32, #gpu.address_space<workgroup>>\n"
#define TWO_PIECES(A, B)                                                                           \
  LAUNCH("%a: memref<32xf32>",                                                                     \
         "    %x = memref.load %a[%tx] : memref<32xf32>\n" PIECE("p", A)                           \
             PIECE("q", B) "    gpu.barrier\n    %c31 = arith.constant 31 : index\n"               \
                           "    %other = arith.subi %c31, %tx : index\n" READ("p", A)              \
                               READ("q", B) "    %sum = arith.addf %of_p, %of_q : f32\n"           \
                                            "    memref.store %sum, %a[%tx] : memref<32xf32>\n")

typedef struct memory_case {
  const char *text;
  size_t variables, at_launch; // bytes
} memory_case;

static const memory_case MEMORY[] = {
    {TWO_PIECES("32", "32"), 256, 0},
    {TWO_PIECES("6144", "6144"), 49152, 0},
    // Each begins at a multiple of 128 bytes; the second of the two comes first.
    {TWO_PIECES("6144", "6145"), 0, 24576 + 24704},
    {TWO_PIECES("33", "20000"), 0, 80000 + 132},
};

// What is left free between two pieces counts, too: 132 and 166780 bytes would fit.
static void shared_memory_is_as_much_as_its_pieces_take(void **state) {
  (void)state;
  char *text;
  size_t size;
  tune_status status = lower_for_cuda(TWO_PIECES("33", "41695"), TUNE_EMIT_ASSEMBLY, &text, &size);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(tune_status_get_message(status),
                         "166916 bytes of workgroup memory; the device has 166912"));
  tune_status_free(status);
}

static void more_shared_memory_than_variables_may_have_is_for_the_launch(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof MEMORY / sizeof *MEMORY; ++i) {
    char *text, *program;
    size_t size;
    assert_ok(lower_for_cuda(MEMORY[i].text, TUNE_EMIT_ASSEMBLY, &text, &size));
    ptx_module *module;
    ptx_kernel *kernel;
    assert_ok(ptx_module_create(text, strlen(text), &module));
    assert_ok(ptx_module_find_kernel(module, "f_kernel", &kernel));
    assert_int_equal(ptx_kernel_shared_bytes(kernel), MEMORY[i].variables);
    free(text);

    // Behind the magic and the length there is JSON.
    assert_ok(lower_for_cuda(MEMORY[i].text, TUNE_EMIT_OBJECT, &program, &size));
    json_error_t error;
    json_t *head = json_loadb(program + 12, size - 12, JSON_DISABLE_EOF_CHECK, &error);
    assert_non_null(head);
    json_t *step = json_array_get(json_object_get(head, "steps"), 0);
    assert_int_equal(json_integer_value(json_object_get(step, "shared_bytes")),
                     MEMORY[i].at_launch);
    json_decref(head);
    free(program);

    float values[32];
    for (int lane = 0; lane < 32; ++lane)
      values[lane] = (float)lane;
    ptx_memory *memory;
    assert_ok(ptx_memory_create(&memory));
    assert_ok(ptx_memory_add(memory, values, sizeof values));
    void *address = values, *const parameters[] = {&address};
    const ptx_launch launch = {.groups = {1, 1, 1},
                               .group_size = {32, 1, 1},
                               .dynamic_bytes = MEMORY[i].at_launch,
                               .parameters = parameters,
                               .memory = memory};
    ptx_report report;
    assert_ok(ptx_kernel_launch(kernel, &launch, &report));
    for (int lane = 0; lane < 32; ++lane)
      assert_true(values[lane] == (float)(2 * (31 - lane)));
    ptx_memory_destroy(memory);
    ptx_module_destroy(module);
  }
}

//===--------------------------------------------------------------------------===//
// Sums over a subgroup
//===--------------------------------------------------------------------------===//

#define REDUCE(TYPE, HOW)                                                                          \
  LAUNCH("%a: memref<32x" TYPE ">",                                                                \
         "    %x = memref.load %a[%tx] : memref<32x" TYPE ">\n"                                    \
         "    %y = gpu.subgroup_reduce " HOW " %x : (" TYPE ") -> " TYPE "\n"                      \
         "    memref.store %y, %a[%tx] : memref<32x" TYPE ">\n")

// Runs it on `values`, and tells how many shuffles a thread took.
static uint64_t reduce(const char *text, void *values, size_t bytes) {
  char *code;
  size_t size;
  assert_ok(lower_for_cuda(text, TUNE_EMIT_ASSEMBLY, &code, &size));
  ptx_module *module;
  ptx_kernel *kernel;
  ptx_memory *memory;
  assert_ok(ptx_module_create(code, strlen(code), &module));
  free(code);
  assert_ok(ptx_module_find_kernel(module, "f_kernel", &kernel));
  assert_ok(ptx_memory_create(&memory));
  assert_ok(ptx_memory_add(memory, values, bytes));
  void *const parameters[] = {&values};
  const ptx_launch launch = {
      .groups = {1, 1, 1}, .group_size = {32, 1, 1}, .parameters = parameters, .memory = memory};
  ptx_report report;
  assert_ok(ptx_kernel_launch(kernel, &launch, &report));
  uint64_t shuffles = ptx_module_executed(module, "shfl.sync") / 32;
  ptx_memory_destroy(memory);
  ptx_module_destroy(module);
  return shuffles;
}

static void sums_over_a_subgroup_are_shuffles(void **state) {
  (void)state;
  float numbers[32];
  int64_t wide[32];
  int8_t narrow[32];
  for (int lane = 0; lane < 32; ++lane) {
    numbers[lane] = (float)(lane * lane);
    wide[lane] = (INT64_C(1) << 40) * (lane == 13 ? 2 : -lane);
    narrow[lane] = (int8_t)(lane - 20);
  }
  assert_int_equal(reduce(REDUCE("f32", "add"), numbers, sizeof numbers), 5);
  assert_int_equal(reduce(REDUCE("i64", "maxsi"), wide, sizeof wide), 10);
  assert_int_equal(reduce(REDUCE("i8", "minsi"), narrow, sizeof narrow), 5);
  for (int lane = 0; lane < 32; ++lane) {
    assert_true(numbers[lane] == 31 * 32 * 63 / 6);
    assert_true(wide[lane] == INT64_C(1) << 41);
    assert_int_equal(narrow[lane], -20);
  }
}

//===--------------------------------------------------------------------------===//
// What cannot be
//===--------------------------------------------------------------------------===//

typedef struct error_case {
  const char *text, *message;
} error_case;

static const error_case ERRORS[] = {
    {TWO_PIECES("32", "50000"), "the device has 166912"},
    {LAUNCH("%a: memref<32xf64>", "    %x = memref.load %a[%tx] : memref<32xf64>\n"
                                  "    %y = math.exp %x : f64\n"
                                  "    memref.store %y, %a[%tx] : memref<32xf64>\n"),
     "math.exp: there is no such function of float64 on this target"},
    {LAUNCH("%a: memref<32xf64>", "    %x = memref.load %a[%tx] : memref<32xf64>\n"
                                  "    %y = math.cosh %x : f64\n"
                                  "    memref.store %y, %a[%tx] : memref<32xf64>\n"),
     "math.cosh: there is no such function of float64 on this target"},
    {LAUNCH("%a: memref<32xf32>",
            "    %x = memref.load %a[%tx] : memref<32xf32>\n"
            "    %y = gpu.subgroup_reduce add %x cluster(size = 4) : (f32) -> f32\n"
            "    memref.store %y, %a[%tx] : memref<32xf32>\n"),
     "lanes cannot combine this"},
};

static void what_cannot_be_is_an_error(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; ++i) {
    char *bytes;
    size_t size;
    tune_status status = lower_for_cuda(ERRORS[i].text, TUNE_EMIT_ASSEMBLY, &bytes, &size);
    if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT ||
        !strstr(tune_status_get_message(status), ERRORS[i].message))
      fail_msg("expected %s, got %s", ERRORS[i].message,
               tune_status_is_ok(status) ? "code" : tune_status_get_message(status));
    tune_status_free(status);
  }
}

//===--------------------------------------------------------------------------===//
// The assembler
//===--------------------------------------------------------------------------===//

// Makes a program that says `said` and ends with `code` the assembler. While there is a file
// "ptxas.kills" beside it, which it removes, it is killed.
static tune_ptxas *make_assembler(const tune_scratch *scratch, const char *said, int code) {
  char *path, *script;
  assert_true(asprintf(&path, "%s/ptxas", tune_scratch_get_path(scratch)) > 0);
  assert_true(asprintf(&script,
                       "#!/bin/sh\nrm \"$0.kills\" 2>/dev/null && kill -KILL $$\n[ \"$1 $2 $4\" = "
                       "'-v -arch=sm_90 -o' ] || exit 99\n"
                       "cp \"$3\" \"$5\"\n[ -z \"$6\" ] || printf '%%s' \"$6$7\" > \"$5\"\n"
                       "cat >&2 <<'END'\n%s\nEND\nexit %d\n",
                       said, code) > 0);
  assert_ok(tune_file_write(path, script, strlen(script)));
  assert_int_equal(chmod(path, 0755), 0);
  setenv("TUNE_PTXAS", path, 1);
  tune_ptxas *ptxas;
  assert_ok(tune_ptxas_create(&ptxas));
  unsetenv("TUNE_PTXAS");
  free(path);
  free(script);
  return ptxas;
}

static void reports_of_the_assembler_are_read(void **state) {
  (void)state;
  static const char SAID[] =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
      "ptxas info    : Function properties for a\n"
      "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 1 barriers, 8 bytes cumulative stack size, 4096 "
      "bytes smem, 384 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "ptxas info    : Function properties for b\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 0 barriers\n";
  tune_scratch *scratch;
  assert_ok(tune_scratch_create(&scratch));
  tune_ptxas *ptxas = make_assembler(scratch, SAID, 0);
  tune_jit_options told = {0};
  tune_kernel_resources report;
  char *cubin;
  size_t size;
  assert_ok(tune_ptxas_run(ptxas, "code", 4, 90, told, &report, &cubin, &size));
  assert_int_equal(report.registers, 255);
  assert_int_equal(report.spilled, 4);
  assert_int_equal(report.stack, 8);
  assert_int_equal(report.shared_bytes, 4096);
  assert_int_equal(size, 4);
  assert_memory_equal(cubin, "code", 4);
  free(cubin);
  told = (tune_jit_options){.opt_level = 2, .load_cache = "cg"};
  assert_ok(tune_ptxas_run(ptxas, "code", 4, 90, told, &report, &cubin, &size));
  assert_int_equal(size, strlen("-O2-dlcm=cg"));
  assert_memory_equal(cubin, "-O2-dlcm=cg", size);
  free(cubin);
  tune_ptxas_destroy(ptxas);

  ptxas = make_assembler(scratch, "ptxas kernel.ptx, line 3; fatal : no", 255);
  tune_status status = tune_ptxas_run(ptxas, "code", 4, 90, told, &report, NULL, NULL);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(tune_status_get_message(status), "line 3; fatal : no"));
  tune_status_free(status);
  tune_ptxas_destroy(ptxas);
  tune_scratch_destroy(scratch);
}

// Killed by somebody else it is run once more.
static void a_killed_assembler_is_run_again(void **state) {
  (void)state;
  tune_scratch *scratch;
  assert_ok(tune_scratch_create(&scratch));
  tune_ptxas *ptxas = make_assembler(scratch, "ptxas info    : Used 7 registers", 0);
  char *kills;
  assert_true(asprintf(&kills, "%s/ptxas.kills", tune_scratch_get_path(scratch)) > 0);
  assert_ok(tune_file_write(kills, "", 0));
  tune_kernel_resources report;
  assert_ok(tune_ptxas_run(ptxas, "code", 4, 90, (tune_jit_options){0}, &report, NULL, NULL));
  assert_int_equal(report.registers, 7);
  assert_int_equal(access(kills, F_OK), -1);
  free(kills);
  tune_ptxas_destroy(ptxas);
  tune_scratch_destroy(scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shared_memory_is_as_much_as_its_pieces_take),
      cmocka_unit_test(more_shared_memory_than_variables_may_have_is_for_the_launch),
      cmocka_unit_test(sums_over_a_subgroup_are_shuffles),
      cmocka_unit_test(what_cannot_be_is_an_error),
      cmocka_unit_test(reports_of_the_assembler_are_read),
      cmocka_unit_test(a_killed_assembler_is_run_again),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
