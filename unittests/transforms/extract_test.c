//===- extract_test.c - What becomes a task, and how it is outlined --------------===//

#include "dialects/diagnostic.h"
#include "unittests/transforms/extract_fixture.h"

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
      {"attention 8x96x96x64 f32", 12, 1},
      {"matmul 192x256x256 f32 +transpose", 3, 1}}},
    {"shlo_mlp3_gelu_f32",
     {{"matmul 128x512x784 f32 +31 ops", 34, 1},
      {"matmul 128x256x512 f32 +31 ops", 34, 1},
      {"matmul 128x10x256 f32 +transpose +bias", 5, 1}}},
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
      {"batch_matmul 2x4x256x64 f32", 2, 1},
      {"softmax 8x256 f32", 9, 1},
      {"batch_matmul 2x4x64x256 f32", 2, 1},
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
    assert_ok(tune_extract(outlined, 1, &again));
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
    setup_stock_example(&f, examples[i].name);
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

//===--- Tasks that are cut apart ---------------------------------------------===//

#define MOST_CUTS 400

// Cuts one task after the other until all are single ops. Returns how many could be cut.
static size_t cut_all(fixture *f) {
  static tune_task_cut cuts[MOST_CUTS];
  size_t count = 0, cut = 0, next = 0;
  while (next < f->extraction->task_count) {
    assert_true(count < MOST_CUTS);
    size_t before = f->extraction->groups->group_count;
    tune_digest key = f->extraction->tasks[next].key;
    cuts[count++] = (tune_task_cut){.key = key};
    tune_extraction *again;
    assert_ok(tune_extract_cut(f->module, 1, cuts, count, &again));
    tune_extraction_destroy(f->extraction);
    f->extraction = again;
    bool is_there = false;
    for (size_t i = 0; i < again->task_count; ++i)
      is_there |= tune_digest_equal(&again->tasks[i].key, &key);
    // What is not there any more is several; what is stays as it was.
    assert_true(is_there ? again->groups->group_count >= before
                         : again->groups->group_count > before);
    cut += !is_there;
    next = is_there ? next + 1 : 0;
    count -= is_there;
  }
  return cut;
}

// What a cut leaves are tasks like others: each op is in one of them, with the key of its function,
// outlined by us and by stock mlir-opt.
static void parts_are_tasks(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t least;
  } CASES[] = {{"attention_12x128x64_f32", 2},
               {"torch_mlp3_gelu_f32", 3},
               {"torch_softmax_layernorm_f32", 2}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    fixture f;
    setup_example(&f, CASES[i].name);
    size_t left_out = f.extraction->left_out_count;
    assert_true(cut_all(&f) >= CASES[i].least);
    assert_true(f.extraction->left_out_count >= left_out);
    MlirModule outlined;
    assert_ok(tune_outline_module(f.extraction, &outlined));
    assert_true(mlirOperationVerify(mlirModuleGetOperation(outlined)));
    key_count keys = {0};
    mlirOperationWalk(mlirModuleGetOperation(outlined), check_key, &keys, MlirWalkPreOrder);
    assert_int_equal(keys.functions, f.extraction->task_count);
    mlirModuleDestroy(outlined);

    outlined = outline_by_script(&f, CASES[i].name);
    keys = (key_count){0};
    mlirOperationWalk(mlirModuleGetOperation(outlined), check_key, &keys, MlirWalkPreOrder);
    size_t occurrences = 0;
    for (size_t k = 0; k < f.extraction->task_count; ++k)
      occurrences += f.extraction->tasks[k].occurrence_count;
    assert_int_equal(keys.functions, occurrences);
    mlirModuleDestroy(outlined);
    teardown(&f);
  }
}

// The parts of attention are what they are where its rule does not take it, and only then single
// ops.
static void attention_falls_into_its_groups_first(void **state) {
  (void)state;
  fixture f;
  setup_example(&f, "attention_12x128x64_f32");
  assert_int_equal(f.extraction->task_count, 1);
  assert_int_equal(f.extraction->tasks[0].kind, TUNE_TASK_ATTENTION);
  tune_task_cut cut = {.key = f.extraction->tasks[0].key};
  tune_extraction *again;
  assert_ok(tune_extract_cut(f.module, 1, &cut, 1, &again));
  assert_int_equal(again->task_count, 3);
  assert_int_equal(again->tasks[0].kind, TUNE_TASK_CONTRACTION);
  assert_int_equal(again->tasks[1].kind, TUNE_TASK_CHAIN);
  assert_int_equal(again->tasks[2].kind, TUNE_TASK_CONTRACTION);
  for (size_t i = 0; i < 3; ++i)
    assert_true(again->tasks[i].is_cut);
  tune_extraction_destroy(again);
  teardown(&f);
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
      cmocka_unit_test(occurrences_lead_back_to_the_given_module),
      cmocka_unit_test(figures_are_those_of_a_matmul),
      cmocka_unit_test(payloads_stand_alone),
      cmocka_unit_test(real_modules_fall_into_tasks),
      cmocka_unit_test(many_ops_are_many_tasks_or_one),
      cmocka_unit_test(outlined_functions_have_the_keys),
      cmocka_unit_test(stock_mlir_outlines_the_same),
      cmocka_unit_test(parts_are_tasks),
      cmocka_unit_test(attention_falls_into_its_groups_first),
      cmocka_unit_test(what_computes_nothing_is_no_task),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
