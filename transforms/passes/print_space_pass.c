//===- print_space_pass.c - The pass tune-print-space ------------------------===//
//
// Puts the schedules of the module's tasks, knobs open, in the module's place: what a search
// walks through, in the form in which a user may write one. What a person wants to know first
// (knobs, domains, size, constraints) goes to stderr. With one task, or one picked by
// `task=`, the result is a file for `schedule=`.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "support/table.h"
#include "transforms/ir/ir.h"
#include "transforms/passes/passes.h"
#include "transforms/passes/task_options.h"
#include "transforms/spaces/module_tasks.h"
#include "tuning/space/constraint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tune_pass_option options_table[] = {
    {.name = "task",
     .type = TUNE_PASS_OPTION_STRING,
     .takes_bare_word = true,
     .summary = "only the task whose key or name starts so, or of that number (from 0)"},
    TUNE_OPTION_TARGET,
    TUNE_OPTION_DEVICE,
    TUNE_OPTION_THREADS,
    TUNE_OPTION_SCHEDULE,
    TUNE_OPTION_ALLOW_PASS,
    TUNE_OPTION_DYNAMIC,
};

//===--------------------------------------------------------------------------===//
// For people
//===--------------------------------------------------------------------------===//

// Appends where the knob does something; nothing where it does so everywhere.
static tune_status append_condition(tune_string_builder *text, const tune_space *space,
                                    size_t index) {
  const tune_constraint *condition = tune_space_condition(space, index);
  char *printed;
  if (!condition)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_constraint_describe(condition, tune_space_knobs(space), &printed));
  tune_string_builder_append(text, printed);
  free(printed);
  return TUNE_OK;
}

static tune_status add_knob_row(tune_table *table, const tune_space *space, size_t index) {
  const tune_knob *knob = tune_space_knob(space, index);
  tune_string_builder domain, initial, where;
  tune_string_builder_init(&where);
  tune_string_builder_init(&domain);
  tune_string_builder_init(&initial);
  for (size_t i = 0; i < knob->value_count; i++) {
    tune_string_builder_append(&domain, i ? ", " : "");
    tune_knob_append_value(&domain, knob, i);
  }
  tune_knob_append_value(&initial, knob, knob->default_index);
  tune_status status = append_condition(&where, space, index);
  const char *cells[] = {knob->name, tune_level_name(knob->level), initial.text, where.text,
                         domain.text};
  tune_table_add_row(table, cells);
  tune_string_builder_deinit(&domain);
  tune_string_builder_deinit(&initial);
  tune_string_builder_deinit(&where);
  return status;
}

static tune_status print_knobs(const tune_space *space) {
  static const tune_table_column columns[] = {{"knob", false, false},
                                              {"level", false, false},
                                              {"default", true, false},
                                              {"only where", false, false},
                                              {"domain", false, true}};
  tune_table *table;
  TUNE_RETURN_IF_ERROR(tune_table_create(columns, 5, &table));
  tune_status status = TUNE_OK;
  for (size_t k = 0; k < tune_space_knob_count(space) && tune_status_is_ok(status); k++)
    status = add_knob_row(table, space, k);
  if (tune_status_is_ok(status))
    status = tune_table_print(table, tune_terminal_width(stderr), stderr);
  tune_table_destroy(table);
  return status;
}

// That is no knob of the schedule, which is of the task as a whole.
static void print_groupings(const tune_module_tasks *tasks, size_t task) {
  size_t first = tune_extraction_find_cut(tasks->extraction, task);
  if (first == TUNE_CUT_NONE || tasks->extraction->tasks[task].is_cut)
    return;
  fprintf(stderr, "level graph: " TUNE_GROUPING_CHOICE " = %s", tune_grouping_name(TUNE_CUT_NONE));
  for (size_t form = first; form < TUNE_GROUPINGS; form++)
    fprintf(stderr, ", %s", tune_grouping_name((tune_fusion_cut_form)form));
  fputs("\n", stderr);
}

static tune_status print_summary(const tune_task_space *space) {
  // Past a few digits only the order of magnitude says something.
  double size = (double)tune_space_size(space->space);
  fprintf(stderr,
          size < 1e7 ? "%s\n  key %s, %s, %.0f configs before constraints\n"
                     : "%s\n  key %s, %s, %.2g configs before constraints\n",
          space->task->name, space->task->key.text, space->origin, size);
  TUNE_RETURN_IF_ERROR(print_knobs(space->space));
  for (size_t i = 0; i < tune_space_constraint_count(space->space); i++) {
    if (tune_space_constraint_is_implied(space->space, i))
      continue; // the table has it
    const tune_constraint *constraint = tune_space_constraint(space->space, i);
    const char *why = tune_constraint_why(constraint);
    char *text;
    TUNE_RETURN_IF_ERROR(
        tune_constraint_describe(constraint, tune_space_knobs(space->space), &text));
    fprintf(stderr, "%s: %s\n", why ? why : "constraint", text);
    free(text);
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The module
//===--------------------------------------------------------------------------===//

static bool is_wanted(const tune_extracted_task *task, size_t index, const char *filter) {
  char number[32];
  snprintf(number, sizeof number, "%zu", index);
  return !filter || strcmp(filter, number) == 0 ||
         strncmp(task->name, filter, strlen(filter)) == 0 ||
         strncmp(task->key.text, filter, strlen(filter)) == 0;
}

// Makes a module of the schedules in `schedules`, which it takes: the one, or all side by side.
static void put_in_place(MlirOperation module, MlirModule schedules, size_t count) {
  MlirOperation source = mlirModuleGetOperation(schedules);
  if (count == 1)
    source = mlirBlockGetFirstOperation(mlirModuleGetBody(schedules));
  tune_ir_become(module, source);
  mlirModuleDestroy(schedules);
}

static tune_status add_task(const tune_module_tasks *tasks, size_t task, MlirModule schedules) {
  tune_task_space *space;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(tasks, task, &space));
  tune_status status = print_summary(space);
  print_groupings(tasks, task);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(schedules),
                                mlirOperationClone(space->schedule->module));
  tune_task_space_destroy(space);
  return status;
}

// Puts into `module` what there is of `looked_at`, which may be itself.
static tune_status print_spaces(MlirOperation module, MlirOperation looked_at,
                                const tune_pass_options *options) {
  tune_module_tasks_options wanted = tune_task_options_get(options);
  const char *filter = tune_pass_options_get_text(options, "task");
  tune_module_tasks tasks;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_init(&tasks, looked_at, &wanted));
  MlirModule schedules = mlirModuleCreateEmpty(mlirLocationUnknownGet(tasks.context));
  size_t count = 0;
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < tasks.extraction->task_count && tune_status_is_ok(status); i++)
    if (is_wanted(&tasks.extraction->tasks[i], i, filter)) {
      status = add_task(&tasks, i, schedules);
      count++;
    }
  if (tune_status_is_ok(status) && count == 0)
    status = tune_status_make_at(TUNE_NOT_FOUND, module,
                                 filter ? "no task of this module has a key, name or number that "
                                          "starts with '%s'; tune-extract names them"
                                        : "there is nothing to tune in this module%s",
                                 filter ? filter : "");
  if (tune_status_is_ok(status))
    put_in_place(module, schedules, count);
  else
    mlirModuleDestroy(schedules);
  tune_module_tasks_deinit(&tasks);
  return status;
}

static tune_status print_space_run(MlirOperation module, const tune_pass_options *options) {
  tune_sized_module sized;
  TUNE_RETURN_IF_ERROR(tune_task_options_size_module(options, module, &sized));
  tune_status status = print_spaces(module, sized.module, options);
  tune_sized_module_deinit(&sized);
  return status;
}

const tune_pass_class tune_pass_print_space = {
    .name = "tune-print-space",
    .summary = "Put the schedules with their knobs open in the module's place, and describe them",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .dialects = tune_module_tasks_dialects,
    .run = print_space_run,
};
