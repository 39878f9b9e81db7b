//===- extract_test.c - What becomes a task, and what its key depends on -----------===//

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/task_key.h"
#include "transforms/tasks/extract.h"
#include "transforms/tasks/outline.h"
#include "transforms/tasks/task_function.h"

#include "mlir-c/RegisterEverything.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static MlirContext make_context(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithThreading(false);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  return context;
}

static bool contains_op(MlirOperation op, const void *user_data) {
  const MlirBlock *block = user_data;
  return mlirBlockEqual(mlirOperationGetBlock(op), *block);
}

// The key of a func.func with one block, be it canonical or not: one made by tune_outline_module,
// or by stock MLIR from tune_outline_script.
static tune_status key_of_function(MlirOperation function, tune_digest *out_key) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirOperation terminator = mlirBlockGetTerminator(block);
  MlirValue results[8];
  size_t count = (size_t)mlirOperationGetNumOperands(terminator);
  assert_in_range(count, 1, 8);
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirOperationGetOperand(terminator, (intptr_t)i);
  tune_task_body body = {
      .results = results, .result_count = count, .contains = contains_op, .user_data = &block};
  tune_task_function canonical;
  TUNE_RETURN_IF_ERROR(tune_task_function_build(&body, TUNE_TASK_FUNCTION_NAME, &canonical));
  char *text;
  tune_status status = tune_task_key_print(canonical.function, &text);
  tune_task_function_deinit(&canonical);
  TUNE_RETURN_IF_ERROR(status);
  *out_key = tune_task_key_of_text(text);
  free(text);
  return TUNE_OK;
}

typedef struct fixture {
  MlirContext context;
  MlirModule module;
  tune_extraction *extraction;
} fixture;

static void extract_module(fixture *f) {
  if (mlirModuleIsNull(f->module))
    fail_msg("the input does not parse");
  assert_ok(tune_extract(f->module, &f->extraction));
}

static void setup(fixture *f, const char *text) {
  f->context = make_context();
  f->module = mlirModuleCreateParse(f->context, tune_ir_string(text));
  extract_module(f);
}

static void setup_example(fixture *f, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, TUNE_EXAMPLES_DIR "/%s.mlir", name);
  f->context = make_context();
  f->module = mlirModuleCreateParseFromFile(f->context, tune_ir_string(path));
  extract_module(f);
}

static void teardown(fixture *f) {
  tune_extraction_destroy(f->extraction);
  mlirModuleDestroy(f->module);
  mlirContextDestroy(f->context);
}

// The key of the only task in `text`, in a context of its own.
static tune_digest key_of(const char *text) {
  fixture f;
  setup(&f, text);
  assert_int_equal(f.extraction->task_count, 1);
  tune_digest key = f.extraction->tasks[0].key;
  teardown(&f);
  return key;
}

//===--- Keys -----------------------------------------------------------------===//

#define IDENTITY "affine_map<(i, j) -> (i, j)>"
#define COLUMN "affine_map<(i, j) -> (j)>"

// max(x * w + b, 0), of which each part can be varied.
#define DENSE(name, size, type, zero, bound)                                                       \
  "func.func @" name "(%x: tensor<" size "x" size "x" type ">, %w: tensor<" size "x" size "x" type \
  ">, %b: tensor<" size "x" type ">) -> tensor<" size "x" size "x" type "> {\n"                    \
  "  %z = arith.constant " zero " : " type "\n"                                                    \
  "  %m = arith.constant " bound " : " type "\n"                                                   \
  "  %e = tensor.empty() : tensor<" size "x" size "x" type ">\n"                                   \
  "  %f = linalg.fill ins(%z : " type ") outs(%e : tensor<" size "x" size "x" type                 \
  ">) -> tensor<" size "x" size "x" type ">\n"                                                     \
  "  %p = linalg.matmul ins(%x, %w : tensor<" size "x" size "x" type ">, tensor<" size "x" size    \
  "x" type ">) outs(%f : tensor<" size "x" size "x" type ">) -> tensor<" size "x" size "x" type    \
  ">\n"                                                                                            \
  "  %r = linalg.generic {indexing_maps = [" IDENTITY ", " COLUMN ", " IDENTITY "],\n"             \
  "      iterator_types = [\"parallel\", \"parallel\"]}\n"                                         \
  "      ins(%p, %b : tensor<" size "x" size "x" type ">, tensor<" size "x" type ">)\n"            \
  "      outs(%e : tensor<" size "x" size "x" type ">) {\n"                                        \
  "    ^bb0(%i: " type ", %c: " type ", %o: " type "):\n"                                          \
  "      %s = arith.addf %i, %c : " type "\n"                                                      \
  "      %t = arith.maximumf %s, %m : " type "\n"                                                  \
  "      linalg.yield %t : " type "\n"                                                             \
  "  } -> tensor<" size "x" size "x" type ">\n"                                                    \
  "  return %r : tensor<" size "x" size "x" type ">\n"                                             \
  "}\n"

// Names, the order of independent ops, locations, argument order, named or generic form,
// attributes that mean nothing here, and what else is in the function, are not in the key.
static void key_depends_on_nothing_around_the_task(void **state) {
  (void)state;
  static const char *const rewritten =
      "func.func @other(%bias: tensor<8xf32>, %unused: index, %right: tensor<8x8xf32>,\n"
      "                 %left: tensor<8x8xf32>) -> (index, tensor<8x8xf32>) {\n"
      "  %d = tensor.empty() : tensor<8x8xf32> loc(\"a place\")\n"
      "  %m = arith.constant 1.0 : f32\n"
      "  %z = arith.constant 0.0 : f32\n"
      "  %f = linalg.fill ins(%z : f32) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,\n"
      "      affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],\n"
      "      iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}\n"
      "      ins(%left, %right : tensor<8x8xf32>, tensor<8x8xf32>)\n"
      "      outs(%f : tensor<8x8xf32>) attrs = {my.note = \"fast\"} {\n"
      "    ^bb0(%a: f32, %b: f32, %c: f32):\n"
      "      %q = arith.mulf %a, %b : f32\n"
      "      %s = arith.addf %c, %q : f32\n"
      "      linalg.yield %s : f32\n"
      "  } -> tensor<8x8xf32>\n"
      "  %r = linalg.generic {indexing_maps = [" IDENTITY ", " COLUMN ", " IDENTITY "],\n"
      "      iterator_types = [\"parallel\", \"parallel\"]}\n"
      "      ins(%p, %bias : tensor<8x8xf32>, tensor<8xf32>) outs(%d : tensor<8x8xf32>) {\n"
      "    ^bb0(%x: f32, %y: f32, %o: f32):\n"
      "      %s = arith.addf %x, %y : f32\n"
      "      %t = arith.maximumf %s, %m : f32\n"
      "      linalg.yield %t : f32\n"
      "  } -> tensor<8x8xf32>\n"
      "  return %unused, %r : index, tensor<8x8xf32>\n"
      "}\n";
  tune_digest key = key_of(DENSE("dense", "8", "f32", "0.0", "1.0"));
  tune_digest other = key_of(rewritten);
  assert_string_equal(key.text, other.text);
  // The same in every run of every process, or records would not be found again. Changed by a
  // change of the canonical form, of which all databases must then be told.
  assert_string_equal(key.text, "8e964da2417b79b94bead3031021070d");
}

static void key_depends_on_structure(void **state) {
  (void)state;
  static const char *const texts[] = {
      DENSE("f", "8", "f32", "0.0", "1.0"),  DENSE("f", "16", "f32", "0.0", "1.0"), // shape
      DENSE("f", "8", "f64", "0.0", "1.0"),                                         // type
      DENSE("f", "8", "f32", "0.0", "2.0"),  // a constant in a body
      DENSE("f", "8", "f32", "-0.0", "1.0"), // one outside
  };
  enum { count = sizeof texts / sizeof *texts };
  tune_digest keys[count];
  for (size_t i = 0; i < count; ++i) {
    keys[i] = key_of(texts[i]);
    for (size_t k = 0; k < i; ++k)
      assert_string_not_equal(keys[i].text, keys[k].text);
  }
}

// Weights in the module are arguments of the task, not part of it: other weights, same key.
static void key_depends_on_no_data(void **state) {
  (void)state;
  static const char format[] =
      "func.func @f(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %%w = arith.constant dense<[1.0, 2.0, 3.0, %s]> : tensor<4xf32>\n"
      "  %%e = tensor.empty() : tensor<4xf32>\n"
      "  %%r = linalg.mul ins(%%x, %%w : tensor<4xf32>, tensor<4xf32>) outs(%%e : tensor<4xf32>)\n"
      "      -> tensor<4xf32>\n"
      "  return %%r : tensor<4xf32>\n"
      "}\n";
  char text[1024];
  snprintf(text, sizeof text, format, "4.0");
  tune_digest key = key_of(text);
  snprintf(text, sizeof text, format, "5.0");
  tune_digest other = key_of(text);
  assert_string_equal(key.text, other.text);
}

static const char matvec_format[] =
    "func.func @f(%%a: tensor<8x8xf32>, %%x: tensor<8xf32>, %%y: tensor<8xf32>) -> tensor<8xf32> "
    "{\n"
    "  %%r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (%s)>,\n"
    "      affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],\n"
    "      iterator_types = [\"parallel\", \"reduction\"]}\n"
    "      ins(%%a, %%x : tensor<8x8xf32>, tensor<8xf32>) outs(%%y : tensor<8xf32>) {\n"
    "    ^bb0(%%p: f32, %%q: f32, %%o: f32):\n"
    "      %%m = arith.mulf %%p, %%q : f32\n"
    "      %%s = arith.%s %%o, %%m : f32\n"
    "      linalg.yield %%s : f32\n"
    "  } -> tensor<8xf32>\n"
    "  return %%r : tensor<8xf32>\n"
    "}\n";

// An indexing map and a body are structure too.
static void key_depends_on_maps_and_bodies(void **state) {
  (void)state;
  char text[2048];
  snprintf(text, sizeof text, matvec_format, "i, k", "addf");
  tune_digest plain = key_of(text);
  snprintf(text, sizeof text, matvec_format, "k, i", "addf");
  tune_digest transposed = key_of(text);
  snprintf(text, sizeof text, matvec_format, "i, k", "maximumf");
  tune_digest tropical = key_of(text);
  assert_string_not_equal(plain.text, transposed.text);
  assert_string_not_equal(plain.text, tropical.text);
}

//===--- Tasks ----------------------------------------------------------------===//

// A task knows the op it comes from, in the module that was given, which is as it was.
static void occurrences_lead_back_to_the_given_module(void **state) {
  (void)state;
  static const char *const text =
      DENSE("first", "8", "f32", "0.0", "1.0") DENSE("second", "8", "f32", "0.0", "1.0");
  fixture f;
  f.context = make_context();
  f.module = mlirModuleCreateParse(f.context, tune_ir_string(text));
  char *before, *after;
  assert_ok(tune_ir_print(mlirModuleGetOperation(f.module), false, &before));
  extract_module(&f);
  assert_ok(tune_ir_print(mlirModuleGetOperation(f.module), false, &after));
  assert_string_equal(before, after);
  free(before);
  free(after);

  assert_int_equal(f.extraction->task_count, 1);
  const tune_extracted_task *task = &f.extraction->tasks[0];
  assert_int_equal(task->occurrence_count, 2);
  for (size_t i = 0; i < 2; ++i) {
    assert_true(tune_ir_is(task->occurrences[i].anchor, "linalg.matmul"));
    assert_string_equal(task->occurrences[i].function, i ? "second" : "first");
    MlirOperation function = mlirOperationGetParentOperation(task->occurrences[i].anchor);
    MlirStringRef name = tune_ir_string_attribute(function, "sym_name");
    assert_true(tune_ir_string_equal(name, i ? "second" : "first"));
  }
  teardown(&f);
}

static void figures_are_those_of_a_matmul(void **state) {
  (void)state;
  fixture f;
  setup(&f, DENSE("dense", "8", "f32", "0.0", "1.0"));
  const tune_extracted_task *task = &f.extraction->tasks[0];
  assert_int_equal(task->kind, TUNE_TASK_CONTRACTION);
  // An addition and a multiplication per step, an addition and a maximum per element.
  assert_int_equal(task->flops, 2 * 8 * 8 * 8 + 2 * 8 * 8);
  // Two operands, bias and result.
  assert_int_equal(task->bytes, 4 * (3 * 8 * 8 + 8));
  assert_int_equal(task->reduction_length, 8);
  assert_int_equal(task->op_count, 3);
  assert_string_equal(task->name, "matmul 8x8x8 f32 +relu");
  teardown(&f);
}

// The payload is a module that parses, and its function's key is the task's.
static void payloads_stand_alone(void **state) {
  (void)state;
  fixture f;
  setup_example(&f, "torch_bert_layer_f32");
  for (size_t i = 0; i < f.extraction->task_count; ++i) {
    const tune_extracted_task *task = &f.extraction->tasks[i];
    MlirModule payload = mlirModuleCreateParse(f.context, tune_ir_string(task->payload));
    assert_false(mlirModuleIsNull(payload));
    MlirOperation function = tune_ir_find_symbol(mlirModuleGetOperation(payload),
                                                 tune_ir_string(TUNE_TASK_FUNCTION_NAME));
    tune_digest key;
    assert_ok(key_of_function(function, &key));
    assert_string_equal(key.text, task->key.text);
    assert_non_null(strstr(task->payload, "{" TUNE_ANCHOR_ATTRIBUTE "}"));
    mlirModuleDestroy(payload);
  }
  teardown(&f);
}

typedef struct expected_task {
  const char *name;
  size_t ops, occurrences;
} expected_task;

typedef struct expected_module {
  const char *name;
  expected_task tasks[16];
} expected_module;

// What front ends really write, as a person would want it grouped.
static const expected_module examples[] = {
    {"jax_attn_f32",
     {{"matmul 192x256x256 f32", 2, 3},
      {"batch_matmul 8x96x96x64 f32 +7 ops", 15, 1},
      {"softmax 2x4x96x96 f32", 11, 1},
      {"batch_matmul 8x64x96x96 f32", 2, 1},
      {"matmul 192x256x256 f32", 2, 1}}},
    {"shlo_mlp3_gelu_f32",
     {{"matmul 128x512x784 f32 +33 ops", 39, 1},
      {"matmul 128x256x512 f32 +33 ops", 39, 1},
      {"matmul 128x10x256 f32 +transpose +mul +mul +bias", 9, 1}}},
    {"torch_bert_layer_f32",
     {{"matmul 128x768x768 f32 +transpose +bias", 5, 3},
      {"attention 12x128x128x64 f32", 18, 1},
      {"matmul 128x768x768 f32 +transpose +bias +add", 6, 1},
      {"layer_norm 128x768 f32", 18, 2},
      {"matmul 128x3072x768 f32 +transpose +bias +gelu", 6, 1},
      {"matmul 128x768x3072 f32 +transpose +bias +add", 6, 1}}},
    {"torch_llama_decode1_f32",
     {{"rms_norm 512 f32", 8, 2},
      {"matvec 512x512 f32 +transpose", 3, 1},
      {"matvec 128x512 f32 +transpose", 3, 2},
      {"neg 8x32 f32", 1, 1},
      {"elementwise 8x64 f32 (3 ops)", 3, 1},
      {"neg 2x32 f32", 1, 1},
      {"elementwise 2x64 f32 (3 ops)", 3, 1},
      {"broadcast 2x4x256x64 f32", 1, 2},
      {"batch_matvec 8x256x64 f32 +transpose +div", 4, 1},
      {"softmax 8x256 f32", 8, 1},
      {"batch_matvec 8x64x256 f32", 2, 1},
      {"matvec 512x512 f32 +transpose +add", 4, 1},
      {"matvec 1376x512 f32 +transpose", 3, 1},
      {"matvec 1376x512 f32 +transpose +sigmoid +mul +mul", 6, 1},
      {"matvec 512x1376 f32 +transpose +add", 4, 1}}},
    {"torch_matmul_bf16", {{"matmul 256x384x512 bf16->f32 +convert", 3, 1}}},
    {"torch_mlp3_gelu_dynbatch_f32",
     {{"matmul ?x512x784 f32 +transpose +bias +gelu", 6, 1},
      {"matmul ?x256x512 f32 +transpose +bias +gelu", 6, 1},
      {"matmul ?x10x256 f32 +transpose +bias", 5, 1}}},
    {"torch_mlp3_gelu_f32",
     {{"matmul 128x512x784 f32 +transpose +bias +gelu", 6, 1},
      {"matmul 128x256x512 f32 +transpose +bias +gelu", 6, 1},
      {"matmul 128x10x256 f32 +transpose +bias", 5, 1}}},
    {"torch_resnet50_bottleneck_folded_f32",
     {{"matmul 3136x64x256 f32 +bias +relu", 3, 1},
      {"conv 64x56x56 over 64x3x3 f32 +pad +bias +relu", 4, 1},
      {"matmul 3136x256x64 f32 +bias +add +relu", 4, 1}}},
    {"torch_softmax_layernorm_f32", {{"softmax+norm 8x128x768 f32", 25, 1}}},
    {"tosa_mlp3_gelu_f32",
     {{"matmul 128x512x784 f32 +7 ops", 9, 1},
      {"matmul 128x256x512 f32 +7 ops", 9, 1},
      {"matmul 128x10x256 f32 +transpose +bias", 4, 1}}},
};
enum { example_count = sizeof examples / sizeof *examples };

static void real_modules_fall_into_tasks(void **state) {
  (void)state;
  for (size_t i = 0; i < example_count; ++i) {
    fixture f;
    setup_example(&f, examples[i].name);
    assert_int_equal(f.extraction->left_out_count, 0);
    for (size_t k = 0; k < f.extraction->task_count; ++k) {
      const tune_extracted_task *task = &f.extraction->tasks[k];
      const expected_task *expected = &examples[i].tasks[k];
      assert_non_null(expected->name);
      assert_string_equal(task->name, expected->name);
      assert_int_equal(task->op_count, expected->ops);
      assert_int_equal(task->occurrence_count, expected->occurrences);
      for (size_t n = 0; n < task->occurrence_count; ++n)
        assert_false(mlirOperationIsNull(task->occurrences[n].anchor));
    }
    assert_null(examples[i].tasks[f.extraction->task_count].name);
    teardown(&f);
  }
}

// A chain of layers: all distinct, or all alike.
static char *make_layers(size_t count, bool alike) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_append(&text, "func.func @main(%x0: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
                                    "  %e = tensor.empty() : tensor<4x4xf32>\n");
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_appendf(
        &text,
        "  %%c%zu = arith.constant %zu.0 : f32\n"
        "  %%f%zu = linalg.fill ins(%%c%zu : f32) outs(%%e : tensor<4x4xf32>) -> tensor<4x4xf32>\n"
        "  %%x%zu = linalg.matmul ins(%%x%zu, %%x%zu : tensor<4x4xf32>, tensor<4x4xf32>)\n"
        "      outs(%%f%zu : tensor<4x4xf32>) -> tensor<4x4xf32>\n",
        i, alike ? 0 : i, i, i, i + 1, i, i, i);
  tune_string_builder_appendf(&text, "  return %%x%zu : tensor<4x4xf32>\n}\n", count);
  char *result;
  assert_ok(tune_string_builder_finish(&text, &result));
  return result;
}

static void many_ops_are_many_tasks_or_one(void **state) {
  (void)state;
  for (int alike = 0; alike < 2; ++alike) {
    char *text = make_layers(500, alike);
    fixture f;
    setup(&f, text);
    free(text);
    assert_int_equal(f.extraction->task_count, alike ? 1 : 500);
    assert_int_equal(f.extraction->tasks[0].occurrence_count, alike ? 500 : 1);
    teardown(&f);
  }
}

//===--- Outlining ------------------------------------------------------------===//

typedef struct key_count {
  size_t functions;
} key_count;

// Checks that a task function has the key it says.
static MlirWalkResult check_key(MlirOperation op, void *user_data) {
  MlirStringRef said = tune_ir_string_attribute(op, TUNE_TASK_ATTRIBUTE);
  if (!said.data)
    return MlirWalkResultAdvance;
  tune_digest key;
  assert_ok(key_of_function(op, &key));
  assert_int_equal(said.length, strlen(key.text));
  assert_memory_equal(said.data, key.text, said.length);
  ++((key_count *)user_data)->functions;
  return MlirWalkResultAdvance;
}

// Each task is a function, each occurrence a call, and nothing of a task remains outside.
static void outlined_functions_have_the_keys(void **state) {
  (void)state;
  for (size_t i = 0; i < example_count; ++i) {
    fixture f;
    setup_example(&f, examples[i].name);
    MlirModule outlined;
    assert_ok(tune_outline_module(f.extraction, &outlined));
    MlirOperation root = mlirModuleGetOperation(outlined);
    assert_true(mlirOperationVerify(root));
    key_count keys = {0};
    mlirOperationWalk(root, check_key, &keys, MlirWalkPreOrder);
    assert_int_equal(keys.functions, f.extraction->task_count);
    // What is left has no task any more, but in the functions.
    tune_extraction *again;
    MlirOperation main_function = tune_ir_find_symbol(root, tune_ir_string("main"));
    char *text;
    assert_ok(tune_ir_print(main_function, false, &text));
    assert_null(strstr(text, "linalg."));
    free(text);
    assert_ok(tune_extract(outlined, &again));
    tune_extraction_destroy(again);
    mlirModuleDestroy(outlined);
    teardown(&f);
  }
}

// Runs stock mlir-opt on the example with the script.
static MlirModule outline_by_script(const fixture *f, const char *name) {
  char script[] = "/tmp/tune_outline_XXXXXX", output[] = "/tmp/tune_outlined_XXXXXX";
  int script_file = mkstemp(script), output_file = mkstemp(output);
  assert_true(script_file >= 0 && output_file >= 0);
  close(output_file);
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  tune_string_builder_append(&builder, "module attributes {transform.with_named_sequence} {\n");
  assert_ok(tune_outline_script(f->extraction, &builder));
  tune_string_builder_append(
      &builder,
      "  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) "
      "{\n"
      "    transform.include @" TUNE_OUTLINE_SEQUENCE
      " failures(propagate) (%root) : (!transform.any_op) -> !transform.any_op\n"
      "    transform.yield\n  }\n}\n");
  char *text;
  assert_ok(tune_string_builder_finish(&builder, &text));
  FILE *file = fdopen(script_file, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  free(text);

  char command[4096];
  snprintf(command, sizeof command,
           TUNE_LLVM_TOOLS_DIR "/mlir-opt " TUNE_EXAMPLES_DIR "/%s.mlir "
                               "--transform-preload-library=transform-library-paths=%s "
                               "--transform-interpreter -o %s",
           name, script, output);
  if (system(command))
    fail_msg("failed: %s", command);
  MlirModule module = mlirModuleCreateParseFromFile(f->context, tune_ir_string(output));
  unlink(script);
  unlink(output);
  assert_false(mlirModuleIsNull(module));
  return module;
}

// Stock mlir-opt makes functions of the same structure, one for each occurrence.
static void stock_mlir_outlines_the_same(void **state) {
  (void)state;
  for (size_t i = 0; i < example_count; ++i) {
    fixture f;
    setup_example(&f, examples[i].name);
    MlirModule outlined = outline_by_script(&f, examples[i].name);
    key_count keys = {0};
    mlirOperationWalk(mlirModuleGetOperation(outlined), check_key, &keys, MlirWalkPreOrder);
    size_t occurrences = 0;
    for (size_t k = 0; k < f.extraction->task_count; ++k)
      occurrences += f.extraction->tasks[k].occurrence_count;
    assert_int_equal(keys.functions, occurrences);
    mlirModuleDestroy(outlined);
    teardown(&f);
  }
}

// A result that is an argument is no work of a task.
static void what_computes_nothing_is_no_task(void **state) {
  (void)state;
  MlirContext context = make_context();
  MlirModule module = mlirModuleCreateParse(
      context, tune_ir_string("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                              "  return %x : tensor<4xf32>\n}"));
  assert_false(mlirModuleIsNull(module));
  tune_digest key;
  tune_status status = key_of_function(mlirBlockGetFirstOperation(mlirModuleGetBody(module)), &key);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_string_equal(tune_status_get_message(status), "result 0 of a task is not computed in it");
  tune_status_free(status);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}

int main(void) {
  mlirRegisterAllPasses();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(key_depends_on_nothing_around_the_task),
      cmocka_unit_test(key_depends_on_structure),
      cmocka_unit_test(key_depends_on_maps_and_bodies),
      cmocka_unit_test(key_depends_on_no_data),
      cmocka_unit_test(occurrences_lead_back_to_the_given_module),
      cmocka_unit_test(figures_are_those_of_a_matmul),
      cmocka_unit_test(payloads_stand_alone),
      cmocka_unit_test(real_modules_fall_into_tasks),
      cmocka_unit_test(many_ops_are_many_tasks_or_one),
      cmocka_unit_test(outlined_functions_have_the_keys),
      cmocka_unit_test(stock_mlir_outlines_the_same),
      cmocka_unit_test(what_computes_nothing_is_no_task),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
