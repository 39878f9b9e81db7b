//===- passes_test.c - A pass in C runs, clones and fails as one of MLIR's own -----===//

#include "dialects/diagnostic.h"
#include "dialects/tune_dialect.h"
#include "transforms/passes/passes.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/IR.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static MlirStringRef ref(const char *text) { return mlirStringRefCreateFromCString(text); }

// A pass that writes its options on the module, or fails as it is told.
static tune_status test_run(MlirOperation module, const tune_pass_options *options) {
  const char *failure = tune_pass_options_get_text(options, "fail");
  if (failure)
    return tune_status_make(TUNE_INTERNAL, "%s", failure);
  MlirContext context = mlirOperationGetContext(module);
  mlirOperationSetDiscardableAttributeByName(
      module, ref("test.word"),
      mlirStringAttrGet(context, ref(tune_pass_options_get_text(options, "word"))));
  return TUNE_OK;
}

static const tune_pass_option test_options[] = {
    {.name = "word", .initial = "none", .takes_bare_word = true},
    {.name = "fail"},
};
static const tune_dialect_getter test_dialects[] = {mlirGetDialectHandle__func__, NULL};
static const tune_pass_class test_class = {.name = "test-pass",
                                           .summary = "for tests",
                                           .options = test_options,
                                           .option_count = 2,
                                           .dialects = test_dialects,
                                           .run = test_run};

typedef struct fixture {
  MlirContext context;
  MlirOperation module;
} fixture;

// A context in which nothing but builtin is loaded, and a module read from `text`.
static void setup(fixture *f, const char *text) {
  f->context = mlirContextCreateWithThreading(false);
  mlirContextSetAllowUnregisteredDialects(f->context, true);
  f->module = mlirOperationCreateParse(f->context, ref(text), ref("test.mlir"));
  assert_false(mlirOperationIsNull(f->module));
}

static void teardown(fixture *f) {
  mlirOperationDestroy(f->module);
  mlirContextDestroy(f->context);
}

// Runs `pass` on the module; what MLIR says becomes the status.
static tune_status run_pass(fixture *f, MlirPass pass) {
  MlirPassManager manager = mlirPassManagerCreate(f->context);
  mlirPassManagerAddOwnedPass(manager, pass);
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, f->context);
  MlirLogicalResult result = mlirPassManagerRunOnOp(manager, f->module);
  tune_status status = tune_diagnostics_end(&diagnostics, mlirLogicalResultIsFailure(result),
                                            TUNE_INVALID_ARGUMENT, "the pass");
  tune_diagnostics_deinit(&diagnostics);
  mlirPassManagerDestroy(manager);
  return status;
}

static tune_status run_class(fixture *f, const char *options) {
  MlirPass pass;
  tune_status status = tune_pass_create_of_class(&test_class, options, &pass);
  assert_true(tune_status_is_ok(status));
  return run_pass(f, pass);
}

static void check_failure(tune_status status, tune_status_code code, const char *message) {
  assert_string_equal(tune_status_get_message(status), message);
  assert_int_equal(tune_status_get_code(status), code);
  tune_status_free(status);
}

static void runs_with_options_and_dialects(void **state) {
  (void)state;
  fixture f;
  setup(&f, "module { }");
  intptr_t loaded = mlirContextGetNumLoadedDialects(f.context);
  assert_true(tune_status_is_ok(run_class(&f, "hello")));
  MlirAttribute word = mlirOperationGetDiscardableAttributeByName(f.module, ref("test.word"));
  assert_true(mlirStringRefEqual(mlirStringAttrGetValue(word), ref("hello")));
  // tune and func.
  assert_int_equal(mlirContextGetNumLoadedDialects(f.context), loaded + 2);
  teardown(&f);
}

// A failure is an error where it says, else at the module with the name of the pass.
static void fails_at_the_place(void **state) {
  (void)state;
  fixture f;
  setup(&f, "module { }");
  check_failure(run_class(&f, "fail='out of luck'"), TUNE_INVALID_ARGUMENT,
                "test.mlir:1:1: error: test-pass: out of luck");
  check_failure(run_class(&f, "fail='other.mlir:7:3: error: bad\nnote: see manual'"),
                TUNE_INVALID_ARGUMENT,
                "other.mlir:7:3: error: bad\nother.mlir:7:3: note: see manual");
  teardown(&f);
}

// Before any pass of ours runs, the choices are verified: the pass sees only right ones.
static void verifies_choices_first(void **state) {
  (void)state;
  fixture f;
  setup(&f, "module { \"x.y\"() {tune.choices = {mc = 1.5}} : () -> () }");
  check_failure(run_class(&f, "fail=never"), TUNE_INVALID_ARGUMENT,
                "test.mlir:1:10: error: tune.choices: \"mc\": expected a domain such as "
                "#tune.tile<[8, 16]>, a #tune.chosen, an i64 or a string");
  assert_true(
      mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(f.module, ref("test.word"))));
  teardown(&f);
}

// A pass nested under modules is cloned for each thread that runs it; clones have the options too,
// and the last one frees them.
static void clones_share_options(void **state) {
  (void)state;
  MlirContext context = mlirContextCreateWithThreading(true);
  mlirContextSetAllowUnregisteredDialects(context, true);
  char text[4096] = "module { ";
  for (int i = 0; i < 64; ++i)
    strcat(text, "module { \"x.y\"() : () -> () } ");
  strcat(text, "}");
  fixture f = {.context = context,
               .module = mlirOperationCreateParse(context, ref(text), ref("test.mlir"))};
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager nested = mlirPassManagerGetNestedUnder(manager, ref("builtin.module"));
  MlirPass pass;
  assert_true(tune_status_is_ok(tune_pass_create_of_class(&test_class, "many", &pass)));
  mlirOpPassManagerAddOwnedPass(nested, pass);
  assert_true(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, f.module)));
  mlirPassManagerDestroy(manager);
  size_t count = 0;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(f.module, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op), ++count) {
    MlirAttribute word = mlirOperationGetDiscardableAttributeByName(op, ref("test.word"));
    assert_true(mlirStringRefEqual(mlirStringAttrGetValue(word), ref("many")));
  }
  assert_int_equal(count, 64);
  teardown(&f);
}

static void collect_text(MlirStringRef chunk, void *text) {
  strncat(text, chunk.data, chunk.length);
}

// Options stand in the pipeline that MLIR prints (for reproducers): they would be lost otherwise.
static void prints_options_in_pipelines(void **state) {
  (void)state;
  MlirContext context = mlirContextCreateWithThreading(false);
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirPass pass;
  assert_true(tune_status_is_ok(tune_pass_create_of_class(&test_class, "a fail='b c'", &pass)));
  mlirPassManagerAddOwnedPass(manager, pass);
  assert_true(tune_status_is_ok(tune_pass_create("tune-verify", NULL, &pass)));
  mlirPassManagerAddOwnedPass(manager, pass);
  char text[256] = "";
  mlirPrintPassPipeline(mlirPassManagerGetAsOpPassManager(manager), collect_text, text);
  assert_string_equal(text, "any(test-pass{a fail='b c'},tune-verify)");
  mlirPassManagerDestroy(manager);
  mlirContextDestroy(context);
}

static void names_and_options_are_checked(void **state) {
  (void)state;
  MlirPass pass;
  tune_status status = tune_pass_create("tune-verfy", NULL, &pass);
  assert_null(pass.ptr);
  assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
  assert_non_null(strstr(tune_status_get_message(status),
                         "no pass 'tune-verfy'; did you mean 'tune-verify'? The passes are: "));
  tune_status_free(status);
  check_failure(tune_pass_create("tune-verify", "list=7", &pass), TUNE_INVALID_ARGUMENT,
                "tune-verify: option 'list': no such value: '7'; the values are: none, open, "
                "chosen, all");
  assert_null(pass.ptr);
}

// What the table says about defaults is right for every pass, and every pass can be made.
static void every_pass_has_right_defaults(void **state) {
  (void)state;
  assert_true(tune_pass_class_count() > 0);
  for (size_t i = 0; i < tune_pass_class_count(); ++i) {
    const tune_pass_class *pass_class = tune_pass_class_at(i);
    tune_pass_options *options;
    tune_status status =
        tune_pass_options_parse(pass_class->options, pass_class->option_count, NULL, &options);
    if (!tune_status_is_ok(status))
      fail_msg("%s: %s", pass_class->name, tune_status_get_message(status));
    tune_pass_options_destroy(options);
    assert_non_null(pass_class->summary);
    for (size_t j = 0; j < pass_class->option_count; ++j)
      assert_non_null(pass_class->options[j].summary);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_with_options_and_dialects),
      cmocka_unit_test(fails_at_the_place),
      cmocka_unit_test(verifies_choices_first),
      cmocka_unit_test(clones_share_options),
      cmocka_unit_test(prints_options_in_pipelines),
      cmocka_unit_test(names_and_options_are_checked),
      cmocka_unit_test(every_pass_has_right_defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
