//===- grouping_test.c - How the database groups the ops of tasks --------------------===//

#include "transforms/spaces/best_grouping.h"

#include "dialects/choices.h"
#include "transforms/ir/ir.h"
#include "unittests/transforms/mlir_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static void assert_fails(tune_status status, tune_status_code code) {
  assert_int_equal(tune_status_get_code(status), code);
  tune_status_free(status);
}

// Two products with a maximum after each, which are one task, and another one without.
static const char text[] =
    "#map = affine_map<(i, j) -> (i, j)>\n"
    "func.func @f(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>)\n"
    "    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>) {\n"
    "  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>)\n"
    "    outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = [\"parallel\", "
    "\"parallel\"]}\n"
    "    ins(%0 : tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) {\n"
    "  ^bb0(%x: f32, %o: f32):\n"
    "    %e = math.exp %x : f32\n"
    "    linalg.yield %e : f32\n"
    "  } -> tensor<8x8xf32>\n"
    "  %2 = linalg.matmul ins(%1, %1 : tensor<8x8xf32>, tensor<8x8xf32>)\n"
    "    outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  %3 = linalg.matmul ins(%2, %a : tensor<8x8xf32>, tensor<8x16xf32>)\n"
    "    outs(%a : tensor<8x16xf32>) -> tensor<8x16xf32>\n"
    "  return %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>\n"
    "}\n";

typedef struct fixture {
  MlirContext context;
  MlirOperation module;
  tune_module_tasks tasks;
  tune_database *database;
} fixture;

static const tune_module_tasks_options OPTIONS = {.target = "null", .threads = 1};

static void put_tasks(fixture *f) {
  for (size_t i = 0; i < f->tasks.extraction->task_count; ++i) {
    tune_kept_task kept;
    assert_ok(tune_task_space_get_kept_task(f->tasks.extraction, i, &kept));
    assert_ok(tune_database_put_task(f->database, &kept));
    tune_kept_task_deinit(&kept);
  }
}

static void set_up(fixture *f) {
  f->context = make_full_context();
  tune_module_tasks_load_dialects(f->context);
  assert_ok(tune_dialect_load(f->context));
  assert_ok(tune_ir_parse(f->context, text, "in.mlir", &f->module));
  assert_ok(tune_module_tasks_init(&f->tasks, f->module, &OPTIONS));
  assert_ok(tune_database_open(":memory:", &f->database));
  assert_ok(tune_target_facts_put(f->tasks.facts, f->database));
  put_tasks(f);
}

static void tear_down(fixture *f) {
  tune_module_tasks_deinit(&f->tasks);
  tune_database_destroy(f->database);
  mlirOperationDestroy(f->module);
  mlirContextDestroy(f->context);
}

// The task that has more than one op.
static size_t find_joined(const fixture *f) {
  size_t task = 0;
  while (f->tasks.extraction->tasks[task].op_count < 2)
    ++task;
  return task;
}

static void keep(fixture *f, size_t task, tune_fusion_cut_form form, int64_t created_ms,
                 const char *schedule) {
  tune_task_space *space;
  tune_record record;
  char *config;
  assert_ok(tune_best_grouping_make_space(&f->tasks, task, &space));
  assert_ok(tune_best_grouping_record(space, form, 1e-6, &record, &config));
  record.fingerprint = f->tasks.facts->digest.text;
  record.strategy = (char *)"random";
  record.created_ms = created_ms;
  if (schedule)
    record.schedule = (char *)schedule;
  assert_ok(tune_database_append(f->database, &record));
  free(config);
  tune_task_space_destroy(space);
}

static tune_fusion_cut_form find(const fixture *f, size_t task) {
  tune_fusion_cut_form form;
  assert_ok(tune_best_grouping_find(&f->tasks, task, f->database, &form));
  return form;
}

static void the_last_one_of_this_version_holds(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  size_t task = find_joined(&f);
  assert_int_equal(find(&f, task), TUNE_CUT_NONE);
  keep(&f, task, TUNE_CUT_ALL, 1000, NULL);
  assert_int_equal(find(&f, task), TUNE_CUT_ALL);
  // The whole was best by another rule than the first.
  f.tasks.attempts[task].passed_over = 1;
  keep(&f, task, TUNE_CUT_HEAVY, 2000, NULL);
  assert_int_equal(find(&f, task), TUNE_CUT_HEAVY);
  f.tasks.attempts[task].passed_over = 0;
  assert_int_equal(find(&f, task), TUNE_CUT_HEAVY);
  // It is nothing that was tried.
  tune_record best;
  tune_record_init(&best);
  assert_fails(tune_database_best(f.database, f.tasks.extraction->tasks[task].key.text,
                                  f.tasks.facts->digest.text, NULL, &best),
               TUNE_NOT_FOUND);
  keep(&f, task, TUNE_CUT_NONE, 3000, NULL);
  assert_int_equal(find(&f, task), TUNE_CUT_NONE);
  keep(&f, task, TUNE_CUT_ALL, 4000, "0123456789abcdef0123456789abcdef");
  assert_int_equal(find(&f, task), TUNE_CUT_NONE);
  tear_down(&f);
}

// The parts are in the task's place; what else is on the ops is not touched.
static void what_the_database_has_is_followed(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  size_t task = find_joined(&f), count = f.tasks.extraction->task_count;
  MlirOperation anchor = f.tasks.extraction->tasks[task].occurrences[0].anchor;
  tune_digest module = f.tasks.module;
  keep(&f, task, TUNE_CUT_HEAVY, 1000, NULL);
  assert_ok(tune_best_grouping_follow(&f.tasks, f.module, f.database, true));
  assert_int_equal(f.tasks.extraction->task_count, count + 1);
  assert_true(tune_digest_equal(&module, &f.tasks.module));
  tune_choices choices;
  assert_ok(tune_choices_read(anchor, "null", &choices));
  assert_int_equal(choices.count, 1);
  assert_string_equal(choices.items[0].name, "grouping");
  assert_string_equal(choices.items[0].chosen.label, "anchors");
  tune_choices_deinit(&choices);

  // The ops say it now, and a search that begins with the whole forgets it.
  tune_module_tasks_deinit(&f.tasks);
  assert_ok(tune_module_tasks_init(&f.tasks, f.module, &OPTIONS));
  assert_int_equal(f.tasks.extraction->task_count, count + 1);
  bool any;
  assert_ok(tune_grouping_forget(&f.tasks, &any));
  assert_true(any);
  tune_module_tasks_deinit(&f.tasks);
  assert_ok(tune_module_tasks_init(&f.tasks, f.module, &OPTIONS));
  assert_int_equal(f.tasks.extraction->task_count, count);
  assert_ok(tune_grouping_forget(&f.tasks, &any));
  assert_false(any);
  tear_down(&f);
}

// Where a part is a task of its own elsewhere, and cut apart there: nobody would read it here.
static void parts_are_not_cut_again(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  keep(&f, find_joined(&f), TUNE_CUT_HEAVY, 1000, NULL);
  assert_ok(tune_best_grouping_follow(&f.tasks, f.module, f.database, true));
  put_tasks(&f);
  size_t parts = 0;
  for (size_t i = 0; i < f.tasks.extraction->task_count; ++i) {
    if (!f.tasks.extraction->tasks[i].is_cut)
      continue;
    keep(&f, i, TUNE_CUT_ALL, 2000, NULL);
    assert_int_equal(find(&f, i), TUNE_CUT_NONE);
    ++parts;
  }
  assert_int_equal(parts, 2);
  tear_down(&f);
}

static void choose(fixture *f, size_t task, const char *name, const char *word) {
  MlirOperation anchor = f->tasks.extraction->tasks[task].occurrences[0].anchor;
  tune_choices choices = {.count = 0};
  tune_chosen chosen = {
      .kind = TUNE_CHOICE_ALTERNATIVE, .label = (char *)word, .provenance = (char *)"user"};
  assert_ok(tune_choices_set_chosen(&choices, name, &chosen));
  assert_ok(tune_choices_write(anchor, &choices));
  tune_choices_deinit(&choices);
}

// What the user has chosen of the task is of the whole: the database does not cut it.
static void users_choices_are_not_cut(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  size_t task = find_joined(&f);
  keep(&f, task, TUNE_CUT_HEAVY, 1000, NULL);
  choose(&f, task, "rule", "general");
  assert_int_equal(find(&f, task), TUNE_CUT_NONE);
  choose(&f, task, "grouping", "whole");
  assert_int_equal(find(&f, task), TUNE_CUT_NONE);
  tear_down(&f);
}

// A record may come from anywhere: a product has no stages.
static void what_the_task_does_not_have_is_not_taken(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  size_t task = find_joined(&f);
  keep(&f, task, TUNE_CUT_ATTENTION, 1000, NULL);
  assert_int_equal(find(&f, task), TUNE_CUT_NONE);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_one_of_this_version_holds),
      cmocka_unit_test(what_the_database_has_is_followed),
      cmocka_unit_test(parts_are_not_cut_again),
      cmocka_unit_test(users_choices_are_not_cut),
      cmocka_unit_test(what_the_task_does_not_have_is_not_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
