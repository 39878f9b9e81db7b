//===- memory_test.c - Memory that runs out ends in a status, and leaks nothing ----===//

#include "unittests/dialects/dialects_test_context.h"

#include "dialects/choices.h"
#include "unittests/common/failing_malloc.h"

static const char text[] =
    "module { func.func private @f() attributes {tune.choices = {a = #tune.tile<[8, 16]>, "
    "b = #tune.alternative<[\"x\", \"y\"]>, c = #tune.chosen<\"tile\", 3, \"search:s\">, "
    "d = \"word\"}} }";

static tune_status copy_all(const tune_choices *from, tune_choices *to) {
  for (size_t i = 0; i < from->count; ++i) {
    const tune_choice *item = &from->items[i];
    TUNE_RETURN_IF_ERROR(item->is_open ? tune_choices_set_open(to, item->name, &item->domain)
                                       : tune_choices_set_chosen(to, item->name, &item->chosen));
  }
  return TUNE_OK;
}

// Reads, verifies, copies and writes the choices of an op.
static tune_status read_and_write(void *context) {
  MlirOperation op = *(MlirOperation *)context;
  TUNE_RETURN_IF_ERROR(tune_choices_verify(op));
  tune_choices read = {0}, copy = {0};
  tune_status status = tune_choices_read(op, "cpu", &read);
  if (tune_status_is_ok(status))
    status = copy_all(&read, &copy);
  if (tune_status_is_ok(status))
    status = tune_choices_write(op, &copy);
  tune_choices_deinit(&copy);
  tune_choices_deinit(&read);
  return status;
}

static void choices_survive(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirOperation module;
  assert_ok(parse_test_module(context, text, &module));
  MlirOperation op = first_inside(module);
  assert_in_range(tune_fail_each_allocation(read_and_write, &op), 20, 1000);
  mlirOperationDestroy(module);
  mlirContextDestroy(context);
}

// A failure told while memory runs out is still a failure, though perhaps without its text.
static void errors_survive(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirLocation location =
      mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString("in.mlir"), 1, 2);
  for (size_t n = 1; n < 20; ++n) {
    tune_diagnostics diagnostics;
    tune_diagnostics_begin(&diagnostics, context);
    tune_failing_malloc_arm(n);
    tune_status status = tune_status_make_located(TUNE_NOT_FOUND, location, "no knob %d", 3);
    status = tune_status_annotate(status, "searching");
    tune_status_emit(status, location);
    tune_warning_emit(location, "and a %s", "warning");
    tune_status collected = tune_diagnostics_end(&diagnostics, true, TUNE_INTERNAL, "the test");
    tune_failing_malloc_disarm();
    assert_false(tune_status_is_ok(status));
    assert_false(tune_status_is_ok(collected));
    assert_int_equal(diagnostics.error_count, 1);
    tune_status_free(status);
    tune_status_free(collected);
    tune_diagnostics_deinit(&diagnostics);
  }
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(choices_survive),
      cmocka_unit_test(errors_survive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
