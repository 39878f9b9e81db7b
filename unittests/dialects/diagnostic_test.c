//===- diagnostic_test.c - Places and messages survive the way to and fro --------===//

#include "unittests/dialects/dialects_test_context.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MlirLocation file_location(MlirContext context, const char *file, unsigned line,
                                  unsigned column) {
  return mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString(file), line, column);
}

static void check_location(MlirLocation location, const char *expected) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_location_append(&text, location);
  assert_string_equal(text.text, expected);
  tune_string_builder_deinit(&text);
}

// Names, calls and fusions, nested in each other, are seen through to a place in a file.
static void finds_places(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirLocation unknown = mlirLocationUnknownGet(context);
  MlirLocation here = file_location(context, "dir/in.mlir", 14, 8);
  MlirLocation there = file_location(context, "other.mlir", 1, 1);
  MlirLocation named =
      mlirLocationNameGet(context, mlirStringRefCreateFromCString("tune.op.3"), here);
  const MlirLocation parts[] = {unknown, named, there};
  MlirLocation fused = mlirLocationFusedGet(context, 3, parts, mlirAttributeGetNull());
  check_location(here, "dir/in.mlir:14:8");
  check_location(named, "dir/in.mlir:14:8");
  check_location(fused, "dir/in.mlir:14:8");
  check_location(mlirLocationCallSiteGet(fused, there), "dir/in.mlir:14:8");
  check_location(unknown, "<unknown>");
  check_location(mlirLocationNameGet(context, mlirStringRefCreateFromCString("x"), unknown),
                 "<unknown>");
  mlirContextDestroy(context);
}

static void locates_statuses_once(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  MlirLocation here = file_location(context, "in.mlir", 14, 8);
  MlirLocation there = file_location(context, "other.mlir", 1, 1);
  assert_true(tune_status_is_ok(tune_status_locate(TUNE_OK, here)));
  tune_status status = tune_status_make_located(TUNE_NOT_FOUND, here, "no %s", "knob");
  status = tune_status_annotate(status, "searching");
  assert_failure(tune_status_locate(status, there), TUNE_NOT_FOUND,
                 "searching: in.mlir:14:8: error: no knob");
  assert_failure(tune_status_locate(tune_status_make(TUNE_NOT_FOUND, "a 1:2 b"), here),
                 TUNE_NOT_FOUND, "in.mlir:14:8: error: a 1:2 b");
  assert_failure(
      tune_status_make_located(TUNE_NOT_FOUND, mlirLocationUnknownGet(context), "no knob"),
      TUNE_NOT_FOUND, "no knob");
  mlirContextDestroy(context);
}

// Errors become the status, with their notes; warnings are kept apart; remarks are not kept; long
// notes (whole functions) are cut; and the handler is gone afterwards.
static void collects(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  tune_diagnostics outer, inner;
  tune_diagnostics_begin(&outer, context);
  tune_diagnostics_begin(&inner, context);
  MlirLocation here = file_location(context, "in.mlir", 14, 8);
  tune_remark_emit(here, "not kept");
  tune_warning_emit(here, "careful, %d", 7);
  tune_status first = tune_status_make_located(TUNE_INTERNAL, here, "bad\nother.mlir:1:2: note: %s",
                                               "there\n  note: and here");
  tune_status_emit(first, mlirLocationUnknownGet(context));
  tune_status_free(first);
  char many[900];
  memset(many, 'x', sizeof many - 1);
  many[sizeof many - 1] = '\0';
  tune_status second = tune_status_make(TUNE_INTERNAL, "worse\nnote: %s", many);
  tune_status_emit(second, mlirLocationUnknownGet(context));
  tune_status_free(second);
  assert_int_equal(inner.error_count, 2);
  assert_int_equal(inner.warning_count, 1);
  tune_status status = tune_diagnostics_end(&inner, true, TUNE_INVALID_ARGUMENT, "the pass");
  many[400] = '\0';
  char expected[1024];
  snprintf(expected, sizeof expected,
           "in.mlir:14:8: error: bad\nother.mlir:1:2: note: there\nin.mlir:14:8: note: and here\n"
           "error: worse\nnote: %s ...",
           many);
  assert_failure(status, TUNE_INVALID_ARGUMENT, expected);
  assert_string_equal(inner.warnings.text, "in.mlir:14:8: warning: careful, 7");
  tune_diagnostics_deinit(&inner);

  mlirEmitError(here, "after");
  assert_failure(tune_diagnostics_end(&outer, true, TUNE_INTERNAL, "x"), TUNE_INTERNAL,
                 "in.mlir:14:8: error: after");
  tune_diagnostics_deinit(&outer);
  mlirContextDestroy(context);
}

// A success with errors said is a success; a failure without is told by name.
static void says_what_failed(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, context);
  assert_failure(tune_diagnostics_end(&diagnostics, true, TUNE_INTERNAL, "bufferization"),
                 TUNE_INTERNAL, "bufferization failed");
  tune_diagnostics_deinit(&diagnostics);
  tune_diagnostics_begin(&diagnostics, context);
  mlirEmitError(mlirLocationUnknownGet(context), "recovered from");
  assert_ok(tune_diagnostics_end(&diagnostics, false, TUNE_INTERNAL, "bufferization"));
  assert_string_equal(diagnostics.errors.text, "error: recovered from");
  tune_diagnostics_deinit(&diagnostics);
  mlirContextDestroy(context);
}

// A pass that complains without end does not fill memory, and all its errors are counted.
static void bounds_what_it_keeps(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, context);
  for (int i = 0; i < 5000; ++i)
    mlirEmitError(file_location(context, "in.mlir", 1, 1), "the same complaint again");
  assert_int_equal(diagnostics.error_count, 5000);
  assert_true(diagnostics.errors.length < 70000);
  tune_diagnostics_deinit(&diagnostics);
  mlirContextDestroy(context);
}

typedef struct emitted {
  size_t count;
  char text[512];
} emitted;

static MlirLogicalResult remember(MlirDiagnostic diagnostic, void *user_data) {
  emitted *seen = user_data;
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_location_append(&text, mlirDiagnosticGetLocation(diagnostic));
  tune_string_builder_append(&text, "|");
  mlirDiagnosticPrint(diagnostic, append_printed, &text);
  tune_string_builder_appendf(&text, "|%zd notes;", (ssize_t)mlirDiagnosticGetNumNotes(diagnostic));
  size_t used = strlen(seen->text);
  snprintf(seen->text + used, sizeof seen->text - used, "%s", text.text);
  ++seen->count;
  tune_string_builder_deinit(&text);
  return mlirLogicalResultSuccess();
}

// A status is emitted at the place it tells, without the place in its text; several errors in one
// status are several diagnostics; lines that are no notes stay in the message.
static void emits_at_the_told_place(void **state) {
  (void)state;
  static const struct {
    const char *message, *expected;
  } cases[] = {
      {"plain", "fallback.mlir:1:1|plain|0 notes;"},
      {"a.mlir:3:4: error: bad", "a.mlir:3:4|bad|0 notes;"},
      {"applying s.mlir: dir/a.mlir:3:4: error: bad",
       "dir/a.mlir:3:4|applying s.mlir: bad|0 notes;"},
      {"a.mlir:3:4: error: one\nb.mlir:5:6: note: x\nb.mlir:7:8: error: two",
       "a.mlir:3:4|one|1 notes;b.mlir:7:8|two|0 notes;"},
      {"error: one\nerror: two", "fallback.mlir:1:1|one|0 notes;fallback.mlir:1:1|two|0 notes;"},
      {"one\n  two\nnote: three\nfour", "fallback.mlir:1:1|one\n  two|1 notes;"},
      {"at 12:30: error: of time", "fallback.mlir:1:1|at 12:30: error: of time|0 notes;"},
      {":1:2: error: no file", "fallback.mlir:1:1|:1:2: error: no file|0 notes;"},
      {"", "fallback.mlir:1:1||0 notes;"},
  };
  MlirContext context = make_test_context();
  MlirLocation fallback = file_location(context, "fallback.mlir", 1, 1);
  emitted seen;
  MlirDiagnosticHandlerID id = mlirContextAttachDiagnosticHandler(context, remember, &seen, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    seen = (emitted){0};
    tune_status status = tune_status_make(TUNE_INTERNAL, "%s", cases[i].message);
    tune_status_emit(status, fallback);
    tune_status_free(status);
    assert_string_equal(seen.text, cases[i].expected);
  }
  seen = (emitted){0};
  tune_status_emit(TUNE_OK, fallback);
  assert_int_equal(seen.count, 0);
  mlirContextDetachDiagnosticHandler(context, id);
  mlirContextDestroy(context);
}

static void *emit_from_thread(void *context) {
  mlirEmitError(mlirLocationUnknownGet(*(MlirContext *)context), "from another thread");
  return NULL;
}

// A collector for one thread leaves the diagnostics of others to the handlers outside.
static void keeps_threads_apart(void **state) {
  (void)state;
  MlirContext context = make_test_context();
  tune_diagnostics outer, inner;
  tune_diagnostics_begin(&outer, context);
  tune_diagnostics_begin_thread(&inner, context);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, emit_from_thread, &context), 0);
  pthread_join(thread, NULL);
  mlirEmitError(mlirLocationUnknownGet(context), "from this one");
  assert_string_equal(inner.errors.text, "error: from this one");
  assert_string_equal(outer.errors.text, "error: from another thread");
  tune_diagnostics_deinit(&inner);
  tune_diagnostics_deinit(&outer);
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_places),
      cmocka_unit_test(locates_statuses_once),
      cmocka_unit_test(collects),
      cmocka_unit_test(says_what_failed),
      cmocka_unit_test(bounds_what_it_keeps),
      cmocka_unit_test(emits_at_the_told_place),
      cmocka_unit_test(keeps_threads_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
