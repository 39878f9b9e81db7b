//===- sized_module.c ---------------------------------------------------------===//

#include "transforms/spaces/sized_module.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/fixed_sizes.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/common/pipeline.h"
#include "tuning/device/target_name.h"

// Which op of the module one of the copy is, while upstream's passes make other ops of them.
#define PLACE "tune.place"

static bool may_have_choices(MlirOperation op) {
  return tune_ir_string_starts(tune_ir_name(op), "linalg.") ||
         tune_ir_string_starts(tune_ir_name(op), "tensor.");
}

static MlirWalkResult mark(MlirOperation op, void *user_data) {
  tune_op_list *marked = user_data;
  if (!may_have_choices(op))
    return MlirWalkResultAdvance;
  MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(op), 64);
  mlirOperationSetAttributeByName(op, tune_ir_string(PLACE),
                                  mlirIntegerAttrGet(type, (int64_t)marked->count));
  return tune_op_list_add(marked, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static MlirWalkResult find_marked(MlirOperation op, void *user_data) {
  bool is_marked = !mlirAttributeIsNull(tune_ir_attribute(op, PLACE));
  return !is_marked || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                       : MlirWalkResultInterrupt;
}

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  MlirOperation *called = user_data;
  MlirAttribute callee = tune_ir_attribute(op, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee) ||
      !mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee),
                          tune_ir_string_attribute(*called, "sym_name")))
    return MlirWalkResultAdvance;
  *called = (MlirOperation){NULL};
  return MlirWalkResultInterrupt;
}

static bool is_called(MlirOperation module, MlirOperation function) {
  MlirOperation called = function;
  mlirOperationWalk(module, find_call, &called, MlirWalkPreOrder);
  return mlirOperationIsNull(called);
}

// Makes `function`, which nobody calls, for `size`. One that cannot be made for any is left out.
static tune_status fix_function(MlirOperation module, MlirOperation function, int64_t size,
                                bool *out_is_left_out) {
  *out_is_left_out = false;
  // What nobody calls would go with the first pass that looks for such.
  mlirOperationRemoveAttributeByName(function, tune_ir_string("sym_visibility"));
  tune_status status = tune_fixed_sizes_apply(module, function, &size, 1, false);
  if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT)
    return status;
  tune_warning_emit(tune_location_get(function), "the function is left out: %s",
                    tune_status_get_message(status));
  tune_status_free(status);
  *out_is_left_out = true;
  return TUNE_OK;
}

static bool is_entry(MlirOperation module, MlirOperation op) {
  return tune_ir_is(op, "func.func") && !mlirBlockIsNull(tune_ir_body(op)) &&
         !is_called(module, op);
}

// What other functions call is made for the sizes that these hand on, and may go with that.
static tune_status fix_sizes(MlirOperation module, int64_t size) {
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
  while (!mlirOperationIsNull(op)) {
    MlirOperation fixed = op;
    bool is_left_out = false;
    if (is_entry(module, op))
      TUNE_RETURN_IF_ERROR(fix_function(module, op, size, &is_left_out));
    op = mlirOperationGetNextInBlock(op);
    if (is_left_out)
      mlirOperationDestroy(fixed);
  }
  return TUNE_OK;
}

// A copy is made of a module, and what is done to that knows nothing of the other one.
typedef struct copy_order {
  int64_t size;           // of all that functions leave open
  MlirStringRef function; // or where this is not empty of it alone,
  const int64_t *sizes;   // these
  size_t count;
} copy_order;

static tune_status fix_one(MlirOperation copy, const copy_order *order) {
  MlirOperation function = tune_ir_find_symbol(copy, order->function);
  TUNE_RETURN_IF_ERROR(tune_memory_keep_reached(copy, function));
  return tune_fixed_sizes_apply(copy, function, order->sizes, order->count, false);
}

static tune_status fix_copy(MlirOperation copy, const copy_order *order) {
  TUNE_RETURN_IF_ERROR(order->function.length ? fix_one(copy, order)
                                              : fix_sizes(copy, order->size));
  // What was called for other sizes alone is called no more, and choices on it would be nobody's.
  MlirPassManager passes;
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(mlirOperationGetContext(copy), "symbol-dce", &passes));
  tune_status status = tune_pipeline_run(passes, copy, "making a module for sizes");
  tune_pipeline_destroy(passes);
  return status;
}

static tune_status make_copy(tune_sized_module *sized, MlirOperation module,
                             const copy_order *order) {
  tune_op_list marked = {0};
  mlirOperationWalk(module, mark, &marked, MlirWalkPreOrder);
  sized->copy = mlirOperationClone(module);
  sized->module = sized->copy;
  for (size_t i = 0; i < marked.count; ++i)
    mlirOperationRemoveAttributeByName(marked.ops[i], tune_ir_string(PLACE));
  tune_status status = marked.failed ? tune_status_out_of_memory("making a module for sizes")
                                     : fix_copy(sized->copy, order);
  if (tune_status_is_ok(status))
    mlirOperationWalk(sized->copy, find_marked, &sized->ops, MlirWalkPreOrder);
  for (size_t i = 0; i < sized->ops.count && !sized->ops.failed; ++i) {
    int64_t place = mlirIntegerAttrGetValueInt(tune_ir_attribute(sized->ops.ops[i], PLACE));
    mlirOperationRemoveAttributeByName(sized->ops.ops[i], tune_ir_string(PLACE));
    tune_op_list_add(&sized->origins, marked.ops[place]);
  }
  if (tune_status_is_ok(status) && (sized->ops.failed || sized->origins.failed))
    status = tune_status_out_of_memory("making a module for sizes");
  tune_op_list_deinit(&marked);
  if (!tune_status_is_ok(status))
    tune_sized_module_deinit(sized);
  return status;
}

tune_status tune_sized_module_init(tune_sized_module *sized, MlirOperation module,
                                   const char *target, int64_t size) {
  *sized = (tune_sized_module){.module = module};
  if (tune_target_kind_of_name(target) == TUNE_KIND_CPU || !tune_fixed_sizes_are_open(module))
    return TUNE_OK;
  return make_copy(sized, module, &(copy_order){.size = size});
}

tune_status tune_sized_module_init_function(tune_sized_module *sized, MlirOperation module,
                                            MlirOperation function, const int64_t *sizes,
                                            size_t count) {
  *sized = (tune_sized_module){.module = module};
  return make_copy(sized, module,
                   &(copy_order){.function = tune_ir_string_attribute(function, "sym_name"),
                                 .sizes = sizes,
                                 .count = count});
}

void tune_sized_module_take_choices(tune_sized_module *sized) {
  for (size_t i = 0; i < sized->ops.count; ++i) {
    MlirAttribute choices = tune_ir_attribute(sized->ops.ops[i], TUNE_CHOICES_ATTRIBUTE);
    if (!mlirAttributeIsNull(choices))
      mlirOperationSetAttributeByName(sized->origins.ops[i], tune_ir_string(TUNE_CHOICES_ATTRIBUTE),
                                      choices);
  }
}

void tune_sized_module_deinit(tune_sized_module *sized) {
  tune_op_list_deinit(&sized->ops);
  tune_op_list_deinit(&sized->origins);
  if (!mlirOperationIsNull(sized->copy))
    mlirOperationDestroy(sized->copy);
  *sized = (tune_sized_module){.copy = {NULL}};
}
