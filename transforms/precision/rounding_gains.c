//===- rounding_gains.c -------------------------------------------------------===//

#include "transforms/precision/rounding_gains.h"

#include "dialects/allow.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/memory.h"
#include "transforms/normalize/quantized/byte_products.h"
#include "transforms/search/module_trials.h"

#include <stdlib.h>
#include <string.h>

#define LOOKING "looking at what rounding saves"
// On a product, while modules are copied: which one it is.
#define PLACE "tune.product"
// In the names of tasks that multiply bytes.
#define OF_BYTES " i8->i32"

#define NOT TUNE_ROUNDED_NOT
#define BYTES TUNE_ROUNDED_INT8

// A copy of the module, with the products that the function runs.
typedef struct form {
  MlirOperation module;
  MlirOperation *products; // null: it is not run
  bool *is_rounded;        // by default, each product
  tune_module_tasks tasks;
} form;

typedef struct finder {
  const tune_search_options *options;
  const tune_op_list *products;
  tune_allowances allowances;
  form forms[TUNE_ROUNDED_COUNT]; // by what their products are rounded to
  tune_product_kinds *kinds;
} finder;

//===- Forms --------------------------------------------------------------------===//

static MlirWalkResult find_product(MlirOperation op, void *user_data) {
  MlirOperation *products = user_data;
  MlirAttribute place = tune_ir_attribute(op, PLACE);
  if (!mlirAttributeIsNull(place))
    products[mlirIntegerAttrGetValueInt(place)] = op;
  return MlirWalkResultAdvance;
}

static tune_status make_form(finder *f, MlirOperation module, tune_allowances allowances,
                             form *out_form) {
  size_t count = f->products->count;
  MlirOperation function;
  *out_form = (form){.module = mlirOperationClone(module),
                     .products = calloc(count + 1, sizeof *out_form->products)};
  if (!out_form->products)
    return tune_status_out_of_memory(LOOKING);
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(out_form->module, f->options->function, &function));
  TUNE_RETURN_IF_ERROR(tune_memory_keep_reached(out_form->module, function));
  mlirOperationRemoveAttributeByName(function, tune_ir_string("sym_visibility"));
  mlirOperationWalk(out_form->module, find_product, out_form->products, MlirWalkPreOrder);
  for (size_t i = 0; i < count; ++i) {
    MlirOperation product = out_form->products[i];
    if (mlirOperationIsNull(product))
      continue;
    mlirOperationRemoveDiscardableAttributeByName(product, tune_ir_string(PLACE));
    if (allowances)
      tune_allow_add(product, allowances);
  }
  return tune_module_tasks_init(&out_form->tasks, out_form->module, &f->options->tasks);
}

static void form_deinit(form *of) {
  free(of->is_rounded);
  if (of->tasks.extraction)
    tune_module_tasks_deinit(&of->tasks);
  free(of->products);
  if (!mlirOperationIsNull(of->module))
    mlirOperationDestroy(of->module);
  *of = (form){.products = NULL};
}

// The task of a product; the count of tasks where it has none of its own.
static size_t task_of(const form *of, size_t product) {
  const tune_module_tasks *tasks = &of->tasks;
  size_t task = mlirOperationIsNull(of->products[product])
                    ? TUNE_OP_MAP_NONE
                    : tune_op_map_get(&tasks->anchors.task_of_op, of->products[product].ptr);
  return task < tasks->extraction->task_count ? task : tasks->extraction->task_count;
}

static tune_status make_forms(finder *f, MlirOperation module) {
  MlirContext context = mlirOperationGetContext(module);
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  for (size_t i = 0; i < f->products->count; ++i)
    mlirOperationSetDiscardableAttributeByName(f->products->ops[i], tune_ir_string(PLACE),
                                               mlirIntegerAttrGet(i64, (int64_t)i));
  tune_status status = TUNE_OK;
  for (size_t r = 0; r < TUNE_ROUNDED_COUNT && tune_status_is_ok(status); ++r)
    if (r == NOT || f->allowances & tune_rounded_forms[r].allowance)
      status = make_form(f, module, tune_rounded_forms[r].allowance, &f->forms[r]);
  for (size_t i = 0; i < f->products->count; ++i)
    mlirOperationRemoveDiscardableAttributeByName(f->products->ops[i], tune_ir_string(PLACE));
  return status;
}

//===- What is rounded ----------------------------------------------------------===//

static bool is_of_bytes(const form *of, size_t task) {
  return strstr(of->tasks.extraction->tasks[task].name, OF_BYTES) != NULL;
}

// Whether product `product` is rounded by default in form `r`: not what is Winograd's, say.
static tune_status is_rounded(const finder *f, size_t r, size_t product, bool *out_is_rounded) {
  const form *of = &f->forms[r], *plain = &f->forms[NOT];
  const char *suffix = tune_rounded_forms[r].rule_suffix;
  size_t task = task_of(of, product), before = task_of(plain, product);
  *out_is_rounded = false;
  if (task >= of->tasks.extraction->task_count || before >= plain->tasks.extraction->task_count)
    return TUNE_OK;
  if (!suffix) {
    *out_is_rounded = is_of_bytes(of, task) && !is_of_bytes(plain, before);
    return TUNE_OK;
  }
  for (size_t i = 0; i < product; ++i)
    if (task_of(of, i) == task && task_of(plain, i) < plain->tasks.extraction->task_count) {
      *out_is_rounded = of->is_rounded[i];
      return TUNE_OK;
    }
  tune_task_space *space;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(&of->tasks, task, &space));
  *out_is_rounded = strstr(space->origin, suffix) != NULL;
  tune_task_space_destroy(space);
  return TUNE_OK;
}

// What forms round by default. Those that round nothing are not built.
static tune_status find_rounded(finder *f) {
  for (size_t r = NOT + 1; r < TUNE_ROUNDED_COUNT; ++r) {
    form *of = &f->forms[r];
    bool any = false;
    if (mlirOperationIsNull(of->module))
      continue;
    of->is_rounded = calloc(f->products->count + 1, sizeof *of->is_rounded);
    if (!of->is_rounded)
      return tune_status_out_of_memory(LOOKING);
    for (size_t i = 0; i < f->products->count; ++i) {
      TUNE_RETURN_IF_ERROR(is_rounded(f, r, i, &of->is_rounded[i]));
      any |= of->is_rounded[i];
    }
    if (!any)
      form_deinit(of);
  }
  return TUNE_OK;
}

//===- Kinds --------------------------------------------------------------------===//

// A kind for each task of the plain form that has products.
static tune_status list_kinds(finder *f) {
  tune_product_kinds *kinds = f->kinds;
  const tune_extraction *extraction = f->forms[NOT].tasks.extraction;
  size_t *kind_of_task = calloc(extraction->task_count + 1, sizeof *kind_of_task); // its number + 1
  kinds->of = calloc(f->products->count + 1, sizeof *kinds->of);
  kinds->items = calloc(extraction->task_count + 1, sizeof *kinds->items);
  tune_status status =
      kind_of_task && kinds->of && kinds->items ? TUNE_OK : tune_status_out_of_memory(LOOKING);
  for (size_t i = 0; i < f->products->count && tune_status_is_ok(status); ++i) {
    size_t task = task_of(&f->forms[NOT], i);
    kinds->of[i] = SIZE_MAX;
    if (task == extraction->task_count)
      continue;
    if (!kind_of_task[task]) {
      kinds->items[kinds->count].name = strdup(extraction->tasks[task].name);
      if (!kinds->items[kinds->count].name)
        status = tune_status_out_of_memory(LOOKING);
      kind_of_task[task] = ++kinds->count;
    }
    kinds->of[i] = kind_of_task[task] - 1;
    tune_product_kind *kind = &kinds->items[kinds->of[i]];
    ++kind->products;
    kind->elements += tune_byte_products_elements(f->products->ops[i]);
  }
  free(kind_of_task);
  return status;
}

// Adds what the tasks of the kinds take, each once.
static tune_status add_before(finder *f, const tune_module_form *measured) {
  bool *is_counted = calloc(measured->task_count + 1, sizeof *is_counted);
  if (!is_counted)
    return tune_status_out_of_memory(LOOKING);
  for (size_t i = 0; i < f->products->count; ++i) {
    size_t task = task_of(&f->forms[NOT], i);
    if (task >= measured->task_count || is_counted[task])
      continue;
    is_counted[task] = true;
    f->kinds->items[f->kinds->of[i]].seconds[NOT] += measured->task_seconds[task];
  }
  free(is_counted);
  return TUNE_OK;
}

// What is not rounded takes as long as where nothing is, whatever was measured.
static void keep_unrounded(finder *f, size_t r) {
  for (size_t i = 0; i < f->products->count; ++i) {
    size_t kind = f->kinds->of[i];
    if (kind != SIZE_MAX && !f->forms[r].is_rounded[i])
      f->kinds->items[kind].seconds[r] = f->kinds->items[kind].seconds[NOT];
  }
}

// How many products of `kind` task `task` of form `r` has.
static size_t count_products(const finder *f, size_t r, size_t kind, size_t task) {
  size_t count = 0;
  for (size_t i = 0; i < f->products->count; ++i)
    count += f->kinds->of[i] == kind && task_of(&f->forms[r], i) == task;
  return count;
}

// A task of a rounded form may have products of several kinds: each has the share of it that it
// takes as it is.
static tune_status add_after(finder *f, size_t r, const tune_module_form *measured) {
  tune_product_kinds *kinds = f->kinds;
  double *shares = calloc(kinds->count + 1, sizeof *shares);
  if (!shares)
    return tune_status_out_of_memory(LOOKING);
  for (size_t task = 0; task < measured->task_count; ++task) {
    double sum = 0;
    for (size_t k = 0; k < kinds->count; ++k) {
      double all = (double)kinds->items[k].products;
      shares[k] = kinds->items[k].seconds[NOT] * (double)count_products(f, r, k, task) / all;
      sum += shares[k];
    }
    for (size_t k = 0; k < kinds->count && sum > 0; ++k)
      kinds->items[k].seconds[r] += measured->task_seconds[task] * shares[k] / sum;
  }
  // What is nowhere in the rounded form saves nothing that anybody knows of.
  for (size_t k = 0; k < kinds->count; ++k)
    if (!(kinds->items[k].seconds[r] > 0))
      kinds->items[k].seconds[r] = kinds->items[k].seconds[NOT];
  free(shares);
  return TUNE_OK;
}

static double sum_of(const tune_module_form *measured) {
  double sum = 0;
  for (size_t task = 0; task < measured->task_count; ++task)
    sum += measured->task_seconds[task];
  return sum;
}

// What tasks take that are in neither form's products, beside what such take in the plain form: the
// making of bytes.
static void share_making(finder *f, const tune_module_form *plain, const tune_module_form *bytes) {
  tune_product_kinds *kinds = f->kinds;
  double making = sum_of(bytes) - sum_of(plain), all = 0;
  for (size_t k = 0; k < kinds->count; ++k) {
    making += kinds->items[k].seconds[NOT] - kinds->items[k].seconds[BYTES];
    all += kinds->items[k].elements;
  }
  for (size_t k = 0; k < kinds->count && making > 0 && all > 0; ++k)
    kinds->items[k].seconds[BYTES] += making * kinds->items[k].elements / all;
}

static tune_status read_measured(finder *f, const tune_module_form *measured) {
  tune_product_kinds *kinds = f->kinds;
  kinds->seconds = measured[NOT].seconds;
  TUNE_RETURN_IF_ERROR(add_before(f, &measured[NOT]));
  for (size_t r = NOT + 1; r < TUNE_ROUNDED_COUNT; ++r) {
    if (!measured[r].task_seconds) {
      for (size_t k = 0; k < kinds->count; ++k)
        kinds->items[k].seconds[r] = kinds->items[k].seconds[NOT];
      continue;
    }
    TUNE_RETURN_IF_ERROR(add_after(f, r, &measured[r]));
    if (r == BYTES)
      share_making(f, &measured[NOT], &measured[r]);
    keep_unrounded(f, r);
  }
  return TUNE_OK;
}

static tune_status measure(finder *f, double deadline, bool *out_ended) {
  tune_target_facts *facts;
  tune_module_form measured[TUNE_ROUNDED_COUNT];
  for (size_t r = 0; r < TUNE_ROUNDED_COUNT; ++r)
    measured[r] = (tune_module_form){.module = f->forms[r].module, .times_tasks = true};
  TUNE_RETURN_IF_ERROR(tune_module_tasks_get_facts(&f->options->tasks, &facts));
  const tune_module_trials trials = {.options = f->options, .facts = facts, .deadline = deadline};
  tune_status status = tune_module_trials_run(&trials, measured, TUNE_ROUNDED_COUNT, out_ended);
  tune_target_facts_destroy(facts);
  size_t forms = 0, working = 0;
  for (size_t r = NOT + 1; r < TUNE_ROUNDED_COUNT; ++r) {
    forms += !mlirOperationIsNull(measured[r].module);
    working += measured[r].task_seconds != NULL;
  }
  if (tune_status_is_ok(status) && measured[NOT].task_seconds && (working || !forms))
    status = read_measured(f, measured);
  for (size_t r = 0; r < TUNE_ROUNDED_COUNT; ++r)
    free(measured[r].task_seconds);
  return status;
}

tune_status tune_product_kinds_find(MlirOperation module, const tune_search_options *options,
                                    const tune_op_list *products, unsigned allowances,
                                    double deadline, tune_product_kinds *out_kinds,
                                    bool *out_ended) {
  *out_kinds = (tune_product_kinds){.count = 0};
  *out_ended = false;
  finder f = {
      .options = options, .products = products, .allowances = allowances, .kinds = out_kinds};
  tune_status status = make_forms(&f, module);
  if (tune_status_is_ok(status))
    status = list_kinds(&f);
  if (tune_status_is_ok(status) && out_kinds->count)
    status = find_rounded(&f);
  if (tune_status_is_ok(status) && out_kinds->count)
    status = measure(&f, deadline, out_ended);
  for (size_t r = 0; r < TUNE_ROUNDED_COUNT; ++r)
    form_deinit(&f.forms[r]);
  return status;
}

void tune_product_kinds_deinit(tune_product_kinds *kinds) {
  for (size_t i = 0; kinds->items && i < kinds->count; ++i)
    free(kinds->items[i].name);
  free(kinds->items);
  free(kinds->of);
  *kinds = (tune_product_kinds){.count = 0};
}
