//===- spirv_test.c - Functions as SPIR-V ---------------------------------------------------===//
//
// The lowering passes every module through the validator of SPIRV-Tools, so that it is valid where
// it succeeds.
//
//===--------------------------------------------------------------------------===//

#include "transforms/lower/device_lowering.h"
#include "transforms/lower/vulkan/vulkan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/lower/device_fixture.h"
#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// An elementwise function over `TYPE` of `ELEMENT`s, which computes %r of %x and %y.
#define ELEMENTWISE(SHAPE, ELEMENT, BODY)                                                          \
  "func.func @f(%a: tensor<" SHAPE "x" ELEMENT ">, %b: tensor<" SHAPE "x" ELEMENT                  \
  ">) -> tensor<" SHAPE "x" ELEMENT "> {\n"                                                        \
  "  %e = tensor.empty() : tensor<" SHAPE "x" ELEMENT ">\n"                                        \
  "  %0 = linalg.map ins(%a, %b : tensor<" SHAPE "x" ELEMENT ">, tensor<" SHAPE "x" ELEMENT        \
  ">) outs(%e : tensor<" SHAPE "x" ELEMENT ">) (%x: " ELEMENT ", %y: " ELEMENT ", %o: " ELEMENT    \
  ") {\n" BODY "    linalg.yield %r : " ELEMENT "\n  }\n  return %0 : tensor<" SHAPE "x" ELEMENT   \
  ">\n}\n"
#define OF_TWO(OP, ELEMENT) "    %r = " OP " %x, %y : " ELEMENT "\n"
#define OF_ONE(OP, ELEMENT) "    %r = " OP " %x : " ELEMENT "\n"
// A launch of one group of 8 with the body `BODY`.
#define LAUNCH_WITH(ATTRIBUTES, ARGUMENTS, BODY)                                                   \
  "func.func @f(" ARGUMENTS ")" ATTRIBUTES " {\n  %c0 = arith.constant 0 : index\n"                \
  "  %c1 = arith.constant 1 : index\n  %c8 = arith.constant 8 : index\n"                           \
  "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)\n"                      \
  "      threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {\n" BODY                     \
  "    gpu.terminator\n  }\n  return\n}\n"
#define LAUNCH(ARGUMENTS, BODY) LAUNCH_WITH("", ARGUMENTS, BODY)
#define WORKGROUP(SIZE)                                                                            \
  LAUNCH("%a: memref<8xf32>",                                                                      \
         "    %w = memref.alloc() : memref<" SIZE "xf32, #gpu.address_space<workgroup>>\n"         \
         "    %x = memref.load %a[%tx] : memref<8xf32>\n"                                          \
         "    memref.store %x, %w[%tx] : memref<" SIZE "xf32, #gpu.address_space<workgroup>>\n"    \
         "    gpu.barrier\n"                                                                       \
         "    %y = memref.load %w[%c1] : memref<" SIZE "xf32, #gpu.address_space<workgroup>>\n"    \
         "    memref.store %y, %a[%tx] : memref<8xf32>\n")

typedef struct spirv_case {
  rewrite_case becomes; // as text of SPIR-V
  const char *word;
  size_t count;
} spirv_case;

static const spirv_case CASES[] = {
    {{"after a loop that may not run is what it began with",
      LAUNCH_WITH("attributes {tune.spirv.opt = \"none\"}", "%a: memref<8xf32>",
                  "    %one = arith.constant 1.0 : f32\n"
                  "    %r = scf.for %i = %tx to %c8 step %c8 iter_args(%x = %one) -> (f32) {\n"
                  "      %v = memref.load %a[%i] : memref<8xf32>\n"
                  "      %y = arith.mulf %x, %v : f32\n      scf.yield %y : f32\n    }\n"
                  "    memref.store %r, %a[%tx] : memref<8xf32>\n"),
      {"OpStore %", "%float_1\n"},
      NULL},
     "OpStore",
     3},
    {{"what a loop divides by is divided by before",
      LAUNCH_WITH("attributes {tune.spirv.opt = \"none\"}", "%a: memref<8xf32>",
                  "    %d = memref.load %a[%tx] : memref<8xf32>\n"
                  "    scf.for %i = %c0 to %c8 step %c1 {\n"
                  "      %v = memref.load %a[%i] : memref<8xf32>\n"
                  "      %q = arith.divf %v, %d : f32\n"
                  "      memref.store %q, %a[%i] : memref<8xf32>\n    }\n"),
      {"OpFDiv %float %float_1 ", "OpFMul"},
      NULL},
     "OpFDiv",
     1},
    {{"what changes in it is divided by there",
      LAUNCH_WITH("attributes {tune.spirv.opt = \"none\"}", "%a: memref<8xf32>",
                  "    %d = memref.load %a[%tx] : memref<8xf32>\n"
                  "    scf.for %i = %c0 to %c8 step %c1 {\n"
                  "      %v = memref.load %a[%i] : memref<8xf32>\n"
                  "      %q = arith.divf %d, %v : f32\n"
                  "      memref.store %q, %a[%i] : memref<8xf32>\n    }\n"),
      {"OpFDiv"},
      "OpFMul"},
     "OpFDiv",
     1},
    {{"one that runs needs no such",
      LAUNCH_WITH("attributes {tune.spirv.opt = \"none\"}", "%a: memref<8xf32>",
                  "    %one = arith.constant 1.0 : f32\n"
                  "    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %one) -> (f32) {\n"
                  "      %v = memref.load %a[%i] : memref<8xf32>\n"
                  "      %y = arith.mulf %x, %v : f32\n      scf.yield %y : f32\n    }\n"
                  "    memref.store %r, %a[%tx] : memref<8xf32>\n"),
      {"OpStore"},
      NULL},
     "OpStore",
     2},
    {{"a maximum takes the number where the other is none",
      ELEMENTWISE("64x32", "f32", OF_TWO("arith.maxnumf", "f32")),
      {" NMax "},
      "OpIsNan"},
     NULL,
     0},
    {{"so does a minimum",
      ELEMENTWISE("64x32", "f32", OF_TWO("arith.minnumf", "f32")),
      {" NMin "},
      "OpIsNan"},
     NULL,
     0},
    {{"one that is NaN where an operand is asks them",
      ELEMENTWISE("64x32", "f32", OF_TWO("arith.maximumf", "f32")),
      {" NMax ", "OpIsNan"},
      NULL},
     NULL,
     0},
    {{"an addition", ELEMENTWISE("64x32", "f32", OF_TWO("arith.addf", "f32")), {"OpFAdd"}, "OpPhi"},
     "OpFunctionEnd",
     1},
    {{"odd sizes", ELEMENTWISE("63x33", "f32", OF_TWO("arith.addf", "f32")), {"OpULessThan"}, NULL},
     "OpSelectionMerge",
     1},
    {{"four dimensions",
      ELEMENTWISE("3x5x7x9", "f32", OF_TWO("arith.mulf", "f32")),
      {"OpUMod", "OpUDiv"},
      NULL},
     "OpFunctionEnd",
     1},
    {{"half precision, its functions in single",
      ELEMENTWISE("16", "f16", OF_ONE("math.exp", "f16")),
      {"OpFConvert", "Exp", "OpCapability Float16"},
      NULL},
     NULL,
     0},
    {{"bytes", ELEMENTWISE("16", "i8", OF_TWO("arith.addi", "i8")), {"OpCapability Int8"}, NULL},
     NULL,
     0},
    {{"bits are bytes in memory",
      ELEMENTWISE("16", "i1", OF_TWO("arith.xori", "i1")),
      {"OpCapability StorageBuffer8BitAccess", "OpLogicalNotEqual"},
      NULL},
     NULL,
     0},
    {{"long integers",
      ELEMENTWISE("16", "i64", OF_TWO("arith.muli", "i64")),
      {"OpCapability Int64"},
      NULL},
     NULL,
     0},
    {{"functions that GLSL has",
      ELEMENTWISE("16", "f32", OF_ONE("math.tanh", "f32")),
      {"Tanh"},
      ""},
     NULL,
     0},
    {{"and one that it has by another name",
      ELEMENTWISE("16", "f32", OF_ONE("math.exp2", "f32")),
      {"Exp2"},
      NULL},
     NULL,
     0},
    {{"one that rounds to zero",
      ELEMENTWISE("16", "f32", OF_ONE("math.trunc", "f32")),
      {"Ceil", "Floor", "OpSelect"},
      NULL},
     NULL,
     0},
    {{"division that rounds down",
      ELEMENTWISE("16", "i32", OF_TWO("arith.floordivsi", "i32")),
      {"OpSDiv"},
      NULL},
     NULL,
     0},
    {{"powers of what is below zero",
      ELEMENTWISE("16", "f32", OF_TWO("math.powf", "f32")),
      {"Pow", "OpFUnordNotEqual", NULL},
      NULL},
     NULL,
     0},
    {{"powers that are products",
      ELEMENTWISE("16", "f32", "%c2 = arith.constant 2.0 : f32\n%r = math.powf %x, %c2 : f32\n"),
      {"OpFMul"},
      "Pow"},
     NULL,
     0},
    {{"an approximation",
      ELEMENTWISE("16", "f32", OF_ONE("math.erf", "f32")),
      {"OpFunctionEnd"},
      NULL},
     NULL,
     0},
    {{"a product that no schedule took",
      "func.func @f(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<16x8xf32>)"
      " -> tensor<16x8xf32> {\n"
      "  %0 = linalg.matmul ins(%a, %b : tensor<16x32xf32>, tensor<32x8xf32>)"
      " outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>\n  return %0 : tensor<16x8xf32>\n}\n",
      {"OpLoopMerge", "OpFMul"},
      NULL},
     "OpLoopMerge",
     1},
    {{"softmax is several kernels",
      "func.func @f(%a: tensor<16x32xf32>) -> tensor<16x32xf32> {\n"
      "  %e = tensor.empty() : tensor<16x32xf32>\n"
      "  %0 = linalg.softmax dimension(1) ins(%a : tensor<16x32xf32>)"
      " outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>\n  return %0 : tensor<16x32xf32>\n}\n",
      {"%f_kernel_5 = OpFunction"},
      NULL},
     "OpFunctionEnd",
     6},
    {{"memory of a group", WORKGROUP("8"), {"Workgroup", "OpControlBarrier"}, NULL}, NULL, 0},
    {{"memory of an invocation, in a loop and through a view",
      LAUNCH("%a: memref<8xf32>",
             "    scf.for %k = %c0 to %c8 step %c1 {\n"
             "      %p = memref.alloc() : memref<4xf32>\n"
             "      %s = memref.subview %p[1] [2] [1]"
             " : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>\n"
             "      %x = memref.load %a[%k] : memref<8xf32>\n"
             "      memref.store %x, %s[%c0] : memref<2xf32, strided<[1], offset: 1>>\n"
             "      %y = memref.load %p[%c1] : memref<4xf32>\n"
             "      memref.store %y, %a[%tx] : memref<8xf32>\n"
             "      memref.dealloc %p : memref<4xf32>\n    }\n"),
      {"OpTypePointer Function"},
      NULL},
     NULL,
     0},
    {{"texels of scalars",
      LAUNCH("%a: memref<8xf32>, %b: memref<8xf32>",
             "    %u = builtin.unrealized_conversion_cast %a"
             " : memref<8xf32> to memref<8xf32, \"texel\">\n"
             "    %y = memref.load %u[%tx] : memref<8xf32, \"texel\">\n"
             "    memref.store %y, %b[%tx] : memref<8xf32>\n"),
      {"OpCapability SampledBuffer", "OpTypeImage %float Buffer", "OpCompositeExtract %float"},
      NULL},
     "OpImageFetch",
     1},
    {{"texels of vectors, where a schedule reads such",
      LAUNCH_WITH(" attributes {tune.gpu.texels = 8 : i64}", "%a: memref<8xf32>, %b: memref<8xf32>",
                  "    %z = arith.constant 0.0 : f32\n"
                  "    %y = vector.transfer_read %a[%c0], %z {in_bounds = [true]}"
                  " : memref<8xf32>, vector<8xf32>\n"
                  "    vector.transfer_write %y, %b[%c0] {in_bounds = [true]}"
                  " : vector<8xf32>, memref<8xf32>\n"),
      {"OpTypeImage %float Buffer", "OpTypePointer UniformConstant"},
      "OpCompositeExtract %float"},
     "OpImageFetch",
     2},
    {{"two ways to look at one buffer that is written",
      "func.func @f(%a: memref<8xf32>) {\n"
      "  %i = builtin.unrealized_conversion_cast %a : memref<8xf32> to memref<8xi32>\n"
      "  scf.forall (%k) in (8) {\n"
      "    %w = memref.load %i[%k] : memref<8xi32>\n"
      "    %y = arith.sitofp %w : i32 to f32\n"
      "    memref.store %y, %a[%k] : memref<8xf32>\n  }\n  return\n}\n",
      {"Aliased"},
      NULL},
     "Aliased",
     2},
    {{"what a subgroup does together",
      LAUNCH("%a: memref<8xf32>",
             "    %w = arith.constant 8 : i32\n    %o = arith.constant 1 : i32\n"
             "    %x = memref.load %a[%tx] : memref<8xf32>\n"
             "    %s, %ok = gpu.shuffle xor %x, %o, %w : f32\n"
             "    memref.store %s, %a[%tx] : memref<8xf32>\n"),
      {"OpCapability GroupNonUniformShuffle", "OpGroupNonUniformShuffleXor"},
      NULL},
     NULL,
     0},
};

static void functions_become_valid_modules(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    const rewrite_case *one = &CASES[i].becomes;
    char *text;
    size_t size;
    tune_status status =
        lower_for_vulkan(one->text, LARGE_DEVICE, TUNE_EMIT_ASSEMBLY, &text, &size);
    if (!tune_status_is_ok(status))
      fail_msg("%s: %s", one->name, tune_status_get_message(status));
    assert_int_equal(strlen(text), size);
    bool is_right = (!one->lacks || !*one->lacks || !strstr(text, one->lacks)) &&
                    (!CASES[i].word || count_words(text, CASES[i].word) == CASES[i].count);
    for (size_t k = 0; k < 3 && one->has[k]; ++k)
      is_right = is_right && strstr(text, one->has[k]);
    if (!is_right)
      fail_msg("%s: became\n%s", one->name, text);
    free(text);
  }
}

// A loop of 16 steps over a buffer, with the option `OPT`.
#define LOOP(OPT)                                                                                  \
  "func.func @f(%a: tensor<64x16xf32>, %b: tensor<64xf32>) -> tensor<64xf32>"                      \
  " attributes {tune.spirv.opt = \"" OPT "\"} {\n"                                                 \
  "  %0 = linalg.reduce ins(%a : tensor<64x16xf32>) outs(%b : tensor<64xf32>) dimensions = [1]\n"  \
  "    (%x: f32, %s: f32) {\n      %r = arith.addf %x, %s : f32\n"                                 \
  "      linalg.yield %r : f32\n    }\n  return %0 : tensor<64xf32>\n}\n"

// 8 invocations %i, with a loop from `FROM` to `TO`, which may be a number in memory.
#define STEPS(FROM, TO)                                                                            \
  "func.func @f(%a: memref<1xi32>, %b: memref<8xf32>) {\n"                                         \
  "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"                           \
  "  %c64 = arith.constant 64 : index\n  %one = arith.constant 1.0 : f32\n"                        \
  "  scf.forall (%i) in (8) {\n    %x = memref.load %a[%c0] : memref<1xi32>\n"                     \
  "    %n = arith.index_cast %x : i32 to index\n"                                                  \
  "    %r = scf.for %k = " FROM " to " TO " step %c1 iter_args(%s = %one) -> (f32) {\n"            \
  "      %y = arith.mulf %s, %one : f32\n      %t = arith.addf %y, %s : f32\n"                     \
  "      scf.yield %t : f32\n    }\n    memref.store %r, %b[%i] : memref<8xf32>\n"                 \
  "  }\n  return\n}\n"

static size_t count_in(const char *text, const char *word) {
  char *assembly;
  size_t size;
  assert_ok(lower_for_vulkan(text, NULL, TUNE_EMIT_ASSEMBLY, &assembly, &size));
  size_t count = count_words(assembly, word);
  free(assembly);
  return count;
}

static void a_schedule_chooses_how_to_optimize(void **state) {
  (void)state;
  assert_int_equal(count_in(LOOP("none"), "OpFAdd"), 1);
  assert_int_equal(count_in(LOOP("none"), "OpVariable %_ptr_Function"), 1);
  assert_int_equal(count_in(LOOP("performance"), "OpVariable %_ptr_Function"), 0);
  assert_int_equal(count_in(LOOP("size"), "OpFAdd"), 1);
  assert_int_equal(count_in(LOOP("unroll"), "OpFAdd"), 16);
  assert_int_equal(count_in(LOOP("unroll"), "OpLoopMerge"), 0);
  char *program;
  size_t size;
  assert_ok(
      lower_for_vulkan(LOOP("unroll"), "{\"loop_limit\": 10}", TUNE_EMIT_OBJECT, &program, &size));
  free(program);
}

// Bounds that are made of the numbers of invocations are known well enough.
static void loops_are_counted_from_where_invocations_begin(void **state) {
  (void)state;
  char *program;
  size_t size;
  assert_ok(lower_for_vulkan(STEPS("%i", "%c64"), "{\"loop_limit\": 64}", TUNE_EMIT_OBJECT,
                             &program, &size));
  free(program);
}

typedef struct error_case {
  const char *text, *device, *message;
} error_case;

static const error_case ERRORS[] = {
    {ELEMENTWISE("16", "f64", OF_TWO("arith.addf", "f64")), NULL, "the device has no float64"},
    {ELEMENTWISE("16", "i64", OF_TWO("arith.addi", "i64")), NULL, "the device has no int64"},
    {ELEMENTWISE("16", "index", OF_TWO("arith.addi", "index")), LARGE_DEVICE, "memory of indices"},
    {ELEMENTWISE("16", "f64", OF_ONE("math.exp", "f64")), LARGE_DEVICE,
     "math.exp: shaders do not have it of float64"},
    {WORKGROUP("512"), LARGE_DEVICE, "2048 bytes of workgroup memory; the device has 1024"},
    {"func.func @f(%a: memref<?xf32>, %v: f32) {\n"
     "  linalg.fill ins(%v : f32) outs(%a : memref<?xf32>)\n  return\n}\n",
     NULL, "known only at run time"},
    {LOOP("none"), "{\"loop_limit\": 10}",
     "loops of 16 iterations in an invocation; the device stops after 10"},
    {STEPS("%i", "%c64"), "{\"loop_limit\": 63}", "loops of 64 iterations in an invocation"},
    {STEPS("%c0", "%n"), "{\"loop_limit\": 10}",
     "a loop of which it is not known how often it goes on; the device stops it after 10"},
    {LOOP("fast"), NULL, "expected \"none\", \"performance\", \"size\" or \"unroll\""},
    {"func.func @f(%a: memref<8xf32>) attributes {tune.spirv.optimize = 1 : i64} {\n  return\n}\n",
     NULL, "tune.spirv.optimize is no option"},
    {"func.func @f(%a: memref<8xf32>, %i: index) -> f32 {\n"
     "  %x = memref.load %a[%i] : memref<8xf32>\n  return %x : f32\n}\n",
     NULL, "result 0 is a scalar"},
};

static void what_a_device_does_not_have_is_an_error(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; ++i) {
    char *bytes;
    size_t size;
    tune_status status =
        lower_for_vulkan(ERRORS[i].text, ERRORS[i].device, TUNE_EMIT_OBJECT, &bytes, &size);
    if (tune_status_is_ok(status))
      fail_msg("no error: %s", ERRORS[i].message);
    if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT ||
        !strstr(tune_status_get_message(status), ERRORS[i].message))
      fail_msg("expected %s, got %s: %s", ERRORS[i].message,
               tune_status_code_name(tune_status_get_code(status)),
               tune_status_get_message(status));
    assert_null(bytes);
    tune_status_free(status);
  }
}

static void a_fingerprint_that_is_none_is_refused(void **state) {
  (void)state;
  static const char *const WRONG[] = {"[]", "{\"api\": 1}", "{\"group_size\": [1, 2]}",
                                      "{\"shared_bytes\": \"many\"}", "{\"features\": [1]}"};
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; ++i) {
    json_t *device = json_loads(WRONG[i], 0, NULL);
    tune_device_lowering *lowering;
    tune_status status = tune_device_lowering_create(context, &tune_vulkan_code, device,
                                                     &(tune_stages){0}, &lowering);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    assert_null(lowering);
    tune_status_free(status);
    json_decref(device);
  }
}

static void warming_up_works_on_any_device(void **state) {
  (void)state;
  tune_device_lowering *lowering;
  assert_ok(
      tune_device_lowering_create(context, &tune_vulkan_code, NULL, &(tune_stages){0}, &lowering));
  assert_ok(tune_device_lowering_warm_up(lowering));
  tune_device_lowering_destroy(lowering);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_become_valid_modules),
      cmocka_unit_test(a_schedule_chooses_how_to_optimize),
      cmocka_unit_test(loops_are_counted_from_where_invocations_begin),
      cmocka_unit_test(what_a_device_does_not_have_is_an_error),
      cmocka_unit_test(a_fingerprint_that_is_none_is_refused),
      cmocka_unit_test(warming_up_works_on_any_device)};
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
