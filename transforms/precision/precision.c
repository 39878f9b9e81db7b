//===- precision.c ------------------------------------------------------------===//

#include "transforms/precision/precision.h"

#include "dialects/allow.h"
#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "support/units.h"
#include "transforms/ir/ir.h"
#include "transforms/precision/error_module.h"
#include "transforms/precision/rounding_choice.h"
#include "transforms/precision/rounding_errors.h"
#include "transforms/precision/rounding_gains.h"
#include "transforms/search/whole_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEASURING "looking at what may be rounded"
// Of the time of a search, at most.
#define MOST_SHARE 0.5
// What saves less of a run of the module is within what times are off by.
#define LEAST_GAIN 2e-3
// A task of which less is saved may have been slower the one time by chance.
#define LEAST_TASK_GAIN 0.03

typedef struct precision {
  MlirOperation module, function;
  const tune_search_options *options;
  const tune_precision_wanted *wanted;
  double deadline;
  tune_rounding_inputs inputs;
  tune_op_list products;
  tune_product_kinds kinds;
  // Of kinds and what they are rounded to, where that saves time:
  size_t count;
  tune_rounding *items; // what it saves and costs, of which kind
  tune_rounded_to *to;  //
  size_t *order;        // those to take, by number
  size_t taken;         // so many of these
  double error;         // of all that are left
  size_t *switch_of;    // of each product, and of each kind: its number; SIZE_MAX: none
  size_t *switch_of_kind;
  size_t switches;
  size_t outputs; // that errors are of
} precision;

//===- What is asked for --------------------------------------------------------===//

static tune_status check_wanted(const precision *p) {
  const tune_search_options *options = p->options;
  if (!tune_module_tasks_is_for_cpu(&options->tasks) ||
      strcmp(options->tasks.target, "null") == 0 || options->export_folder ||
      options->tasks.schedule)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "option 'error-budget' is for CPUs, measured here, and schedules of "
                            "rules; take it away");
  return tune_choices_are_in(p->module)
             ? tune_status_make(TUNE_INVALID_ARGUMENT,
                                "option 'error-budget' is for a module without choices, as these "
                                "are for products that are not rounded; begin with the module as "
                                "it was before, or take the option away")
             : TUNE_OK;
}

static MlirOperation function_of(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !tune_ir_is(op, "func.func"))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// Whether what is in `function` may be of something else than what is measured, too.
static bool is_shared(const precision *p, MlirOperation function) {
  if (mlirOperationEqual(function, p->function))
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(p->module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func") && !mlirOperationEqual(op, p->function) &&
        !tune_ir_string_equal(tune_ir_string_attribute(op, "sym_visibility"), "private"))
      return true;
  return false;
}

// Those that are not allowed it already.
static MlirWalkResult find_product(MlirOperation op, void *user_data) {
  precision *p = user_data;
  if (tune_allow_is_product(op) &&
      !((tune_allow_get_all(op) | tune_allow_get(op)) & TUNE_ROUNDED_ALL) &&
      !is_shared(p, function_of(op)))
    tune_op_list_add(&p->products, op);
  return MlirWalkResultAdvance;
}

//===- What is worth a look -----------------------------------------------------===//

static void add_item(precision *p, size_t kind, tune_rounded_to to) {
  const tune_product_kind *of = &p->kinds.items[kind];
  double before = of->seconds[TUNE_ROUNDED_NOT], gain = before - of->seconds[to];
  if (gain < LEAST_GAIN * p->kinds.seconds || gain < LEAST_TASK_GAIN * before)
    return;
  p->items[p->count] = (tune_rounding){.kind = kind, .gain = gain};
  p->to[p->count++] = to;
  if (p->switch_of_kind[kind] == SIZE_MAX)
    p->switch_of_kind[kind] = p->switches++;
}

static tune_status list_worthwhile(precision *p) {
  const tune_product_kinds *kinds = &p->kinds;
  size_t most = TUNE_ROUNDED_COUNT * kinds->count + 1;
  p->items = calloc(most, sizeof *p->items);
  p->to = calloc(most, sizeof *p->to);
  p->order = calloc(most, sizeof *p->order);
  p->switch_of_kind = calloc(kinds->count + 1, sizeof *p->switch_of_kind);
  p->switch_of = calloc(p->products.count + 1, sizeof *p->switch_of);
  if (!p->items || !p->to || !p->order || !p->switch_of_kind || !p->switch_of)
    return tune_status_out_of_memory(MEASURING);
  for (size_t k = 0; k < kinds->count; ++k) {
    p->switch_of_kind[k] = SIZE_MAX;
    for (tune_rounded_to to = TUNE_ROUNDED_NOT + 1; to < TUNE_ROUNDED_COUNT; ++to)
      add_item(p, k, to);
  }
  for (size_t i = 0; i < p->products.count; ++i)
    p->switch_of[i] = kinds->of[i] == SIZE_MAX ? SIZE_MAX : p->switch_of_kind[kinds->of[i]];
  return TUNE_OK;
}

static const char *inputs_of(const precision *p) {
  return p->wanted->inputs ? p->wanted->inputs : "made-up inputs";
}

//===- Errors -------------------------------------------------------------------===//

static size_t switch_of_item(const precision *p, size_t item) {
  return p->switch_of_kind[p->items[item].kind];
}

static tune_status measure_each(precision *p, tune_rounding_errors *errors, unsigned char *sets,
                                double *found) {
  for (size_t i = 0; i < p->count; ++i)
    sets[i * p->switches + switch_of_item(p, i)] = (unsigned char)p->to[i];
  TUNE_RETURN_IF_ERROR(tune_rounding_errors_run(errors, sets, p->count, found));
  bool any = false;
  for (size_t i = 0; i < p->count; ++i) {
    p->items[i].error = found[i];
    any |= isfinite(found[i]);
  }
  return any ? TUNE_OK
             : tune_status_make(TUNE_FAILED_PRECONDITION,
                                "on %s outputs are no numbers, too large for their squares, or all "
                                "zero",
                                inputs_of(p));
}

// Keeps the most of those to take that are within the budget together.
static tune_status measure_together(precision *p, tune_rounding_errors *errors, unsigned char *sets,
                                    double *found) {
  size_t wanted = tune_rounding_choose(p->items, p->count, p->wanted->budget, p->order);
  if (!wanted)
    return TUNE_OK;
  for (size_t i = 0; i < p->count * p->switches; ++i)
    sets[i] = TUNE_ROUNDED_NOT;
  // In their order: one takes the place of an earlier one of its kind.
  for (size_t i = 0; i < wanted; ++i)
    for (size_t k = 0; k <= i; ++k)
      sets[i * p->switches + switch_of_item(p, p->order[k])] = (unsigned char)p->to[p->order[k]];
  TUNE_RETURN_IF_ERROR(tune_rounding_errors_run(errors, sets, wanted, found));
  for (size_t i = 0; i < wanted; ++i)
    if (found[i] <= p->wanted->budget) {
      p->taken = i + 1;
      p->error = found[i];
    }
  return TUNE_OK;
}

static tune_status measure_errors(precision *p) {
  const tune_rounding_errors_wanted wanted = {.module = p->module,
                                              .options = p->options,
                                              .products = &p->products,
                                              .switch_of = p->switch_of,
                                              .switches = p->switches,
                                              .sets = p->count,
                                              .inputs = &p->inputs,
                                              .deadline = p->deadline};
  tune_rounding_errors *errors;
  unsigned char *sets = calloc(p->count * p->switches + 1, sizeof *sets);
  double *found = calloc(p->count + 1, sizeof *found);
  tune_status status = sets && found ? TUNE_OK : tune_status_out_of_memory(MEASURING);
  if (tune_status_is_ok(status))
    status = tune_rounding_errors_open(&wanted, &errors);
  if (tune_status_is_ok(status)) {
    p->outputs = tune_rounding_errors_get_outputs(errors);
    status = measure_each(p, errors, sets, found);
    if (tune_status_is_ok(status))
      status = measure_together(p, errors, sets, found);
    tune_rounding_errors_close(errors);
  }
  free(sets);
  free(found);
  return status;
}

//===- What comes of it -----------------------------------------------------------===//

// Whether the item is taken, and no other one of its kind after it.
static bool is_taken(const precision *p, size_t item) {
  size_t last = p->count;
  for (size_t i = 0; i < p->taken; ++i)
    if (p->items[p->order[i]].kind == p->items[item].kind)
      last = p->order[i];
  return last == item;
}

// How many products are written as `to`.
static size_t write_taken(const precision *p, tune_rounded_to to) {
  size_t count = 0;
  for (size_t item = 0; item < p->count; ++item)
    for (size_t i = 0; i < p->products.count && p->to[item] == to && is_taken(p, item); ++i)
      if (p->kinds.of[i] == p->items[item].kind) {
        tune_allow_add(p->products.ops[i], tune_rounded_forms[to].allowance);
        ++count;
      }
  return count;
}

static void tell_item(const precision *p, size_t item, FILE *stream) {
  const tune_product_kind *kind = &p->kinds.items[p->items[item].kind];
  fprintf(stream, "tune-search:   %s", kind->name);
  if (kind->products > 1)
    fprintf(stream, " (x%zu)", kind->products);
  fprintf(stream, ": %s in %s in place of %s, error %.3g %%%s\n",
          tune_figure_seconds(kind->seconds[p->to[item]]).text,
          tune_rounded_forms[p->to[item]].name,
          tune_figure_seconds(kind->seconds[TUNE_ROUNDED_NOT]).text, 100 * p->items[item].error,
          is_taken(p, item) ? "" : ", not taken");
}

// Those that the function runs.
static size_t count_products(const precision *p) {
  size_t count = 0;
  for (size_t k = 0; k < p->kinds.count; ++k)
    count += p->kinds.items[k].products;
  return count;
}

static void tell_taken(const precision *p, FILE *stream) {
  double gain = 0;
  for (size_t i = 0; i < p->count; ++i)
    gain += is_taken(p, i) ? p->items[i].gain : 0;
  fprintf(stream, "which saves %s of %s, error %.3g %% of %zu output%s on %s\n",
          tune_figure_seconds(gain).text, tune_figure_seconds(p->kinds.seconds).text,
          100 * p->error, p->outputs, p->outputs == 1 ? "" : "s", inputs_of(p));
}

// `written`: how many products were written as what.
static void tell(const precision *p, const size_t *written, FILE *stream) {
  size_t products = count_products(p);
  const char *plural = products == 1 ? "" : "s";
  fprintf(stream, "tune-search: error budget %g %%: ", 100 * p->wanted->budget);
  if (!products)
    fputs("there is no product of f32 left to round\n", stream);
  else if (!p->count)
    fprintf(stream, "none of %zu product%s is faster where it is rounded\n", products, plural);
  else if (!p->taken)
    fprintf(stream, "of %zu product%s none that is faster rounded is within it on %s\n", products,
            plural, inputs_of(p));
  else {
    size_t all = 0;
    for (size_t to = TUNE_ROUNDED_NOT + 1; to < TUNE_ROUNDED_COUNT; ++to)
      all += written[to];
    fprintf(stream, "%zu of %zu product%s may be rounded, ", all, products, plural);
    for (size_t to = TUNE_ROUNDED_NOT + 1; to < TUNE_ROUNDED_COUNT; ++to)
      if (written[to])
        fprintf(stream, "%zu to %s, ", written[to], tune_rounded_forms[to].name);
    tell_taken(p, stream);
  }
  for (size_t i = 0; i < p->count; ++i)
    tell_item(p, i, stream);
}

static void warn(const precision *p, const char *why) {
  tune_warning_emit(tune_location_get(p->module),
                    "error-budget: nothing is rounded, since its errors are not known: %s", why);
}

static void warn_of_inputs(const precision *p) {
  size_t made_up = p->inputs.signature->interface.argument_count - p->inputs.arrays.count;
  if (p->taken && made_up)
    tune_warning_emit(tune_location_get(p->module),
                      "error-budget: of %zu argument%s no array was given, and random ones may "
                      "round otherwise than yours; inputs=FILE.npz gives them, by their order",
                      made_up, made_up == 1 ? "" : "s");
}

// What keeps errors from being measured is told, and nothing is rounded.
static tune_status forgive(const precision *p, tune_status status) {
  if (tune_status_is_ok(status) || tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  warn(p, tune_status_get_message(status));
  tune_status_free(status);
  return TUNE_OK;
}

static bool is_interrupted(const precision *p) {
  const volatile sig_atomic_t *interrupted = p->options->session.interrupted;
  return interrupted && *interrupted;
}

static tune_status measure(precision *p, bool *out_done) {
  bool ended;
  *out_done = false;
  TUNE_RETURN_IF_ERROR(tune_error_module_check(p->function));
  TUNE_RETURN_IF_ERROR(tune_product_kinds_find(
      p->module, p->options, &p->products, p->wanted->allowances, p->deadline, &p->kinds, &ended));
  if (p->kinds.count && !(p->kinds.seconds > 0))
    return tune_status_make(TUNE_FAILED_PRECONDITION, "%s",
                            is_interrupted(p) ? "interrupted"
                            : ended           ? "no time was left; a longer time= has some"
                                              : "by default the module does not work as a whole, "
                                                "as it is or with all products rounded");
  TUNE_RETURN_IF_ERROR(list_worthwhile(p));
  if (p->count)
    TUNE_RETURN_IF_ERROR(measure_errors(p));
  *out_done = true;
  return TUNE_OK;
}

static tune_status look(precision *p, const tune_search_reporting *reporting) {
  bool is_done;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(p->module, p->options->function, &p->function));
  tune_status status = tune_rounding_inputs_init(&p->inputs, p->function);
  if (!tune_status_is_ok(status))
    return forgive(p, status);
  if (p->wanted->inputs)
    TUNE_RETURN_IF_ERROR(tune_rounding_inputs_read(&p->inputs, p->wanted->inputs));
  mlirOperationWalk(p->module, find_product, p, MlirWalkPreOrder);
  if (p->products.failed)
    return tune_status_out_of_memory(MEASURING);
  TUNE_RETURN_IF_ERROR(forgive(p, measure(p, &is_done)));
  if (!is_done)
    return TUNE_OK;
  size_t written[TUNE_ROUNDED_COUNT] = {0};
  for (tune_rounded_to to = TUNE_ROUNDED_NOT + 1; to < TUNE_ROUNDED_COUNT; ++to)
    written[to] = write_taken(p, to);
  if (reporting->style != TUNE_PROGRESS_QUIET)
    tell(p, written, reporting->stream);
  warn_of_inputs(p);
  return TUNE_OK;
}

static void precision_deinit(precision *p) {
  tune_rounding_inputs_deinit(&p->inputs);
  tune_op_list_deinit(&p->products);
  tune_product_kinds_deinit(&p->kinds);
  free(p->items);
  free(p->to);
  free(p->switch_of_kind);
  free(p->order);
  free(p->switch_of);
}

tune_status tune_precision_search(MlirOperation module, tune_search_options *options,
                                  const tune_precision_wanted *wanted,
                                  const tune_search_reporting *reporting) {
  double begin = tune_clock_seconds(), given = options->seconds;
  precision p = {.module = module, .options = options, .wanted = wanted};
  p.deadline = given > 0 ? begin + MOST_SHARE * given : 0;
  TUNE_RETURN_IF_ERROR(check_wanted(&p));
  tune_status status = look(&p, reporting);
  precision_deinit(&p);
  if (given > 0)
    options->seconds = fmax(given - (tune_clock_seconds() - begin), given * (1 - MOST_SHARE));
  return status;
}
