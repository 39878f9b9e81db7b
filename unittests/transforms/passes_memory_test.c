//===- passes_memory_test.c - Making a pass when memory runs out -------------------===//

#include "transforms/passes/passes.h"
#include "unittests/common/failing_malloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static tune_status parse_options(void *context) {
  (void)context;
  static const tune_pass_option table[] = {
      {.name = "name", .takes_bare_word = true},
      {.name = "flag", .type = TUNE_PASS_OPTION_FLAG},
      {.name = "count", .type = TUNE_PASS_OPTION_INTEGER, .initial = "3"},
  };
  tune_pass_options *options;
  tune_status status = tune_pass_options_parse(table, 3, "'a word' flag", &options);
  tune_pass_options_destroy(options);
  return status;
}

static tune_status make_pass(void *context) {
  MlirPass pass;
  TUNE_RETURN_IF_ERROR(tune_pass_create("tune-verify", "all", &pass));
  // A pass can be destroyed only by a manager.
  MlirPassManager manager = mlirPassManagerCreate(*(MlirContext *)context);
  mlirPassManagerAddOwnedPass(manager, pass);
  mlirPassManagerDestroy(manager);
  return TUNE_OK;
}

static void options_survive(void **state) {
  (void)state;
  assert_in_range(tune_fail_each_allocation(parse_options, NULL), 5, 100);
}

static void passes_survive(void **state) {
  (void)state;
  MlirContext context = mlirContextCreateWithThreading(false);
  assert_in_range(tune_fail_each_allocation(make_pass, &context), 5, 100);
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_survive),
      cmocka_unit_test(passes_survive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
