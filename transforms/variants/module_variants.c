//===- module_variants.c ------------------------------------------------------===//

#include "transforms/variants/module_variants.h"

#include "dialects/argument_sizes.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/variants/dispatch.h"

static MlirOperation next_that_asks(MlirOperation op) {
  while (!mlirOperationIsNull(op) &&
         !(tune_ir_is(op, "func.func") && tune_variant_plan_is_wanted(op)))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

// Of the functions of `module` that ask for variants, those other than `but`.
static void warn_of_others(MlirOperation module, MlirOperation but) {
  for (MlirOperation op = next_that_asks(mlirBlockGetFirstOperation(tune_ir_body(module)));
       !mlirOperationIsNull(op); op = next_that_asks(mlirOperationGetNextInBlock(op)))
    if (!mlirOperationEqual(op, but))
      tune_warning_emit(tune_location_get(op),
                        TUNE_DIM_ATTRIBUTE " is of no use here: variants are made of the function "
                                           "that is meant (function=)");
}

static tune_status check_made(MlirOperation function, const char *text) {
  MlirAttribute mark = tune_ir_attribute(function, TUNE_VARIANTS_ATTRIBUTE);
  if (!mlirAttributeIsAString(mark))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_VARIANTS_ATTRIBUTE
                               " is a text, the sizes that variants were made for; take it off "
                               "where this function calls no variants");
  MlirStringRef made = mlirStringAttrGetValue(mark);
  if (!text || tune_ir_string_equal(made, text))
    return TUNE_OK;
  if (tune_ir_string_equal(made, TUNE_DIM_ATTRIBUTE))
    made = tune_ir_string("that " TUNE_DIM_ATTRIBUTE " said");
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                             "dynamic=%s: the function has variants already, for the sizes %.*s; "
                             "begin with the module as it was before, or leave dynamic away to "
                             "tune these once more",
                             text, (int)made.length, made.data);
}

tune_status tune_module_variants_make(MlirOperation module, const char *function, const char *text,
                                      tune_variant_plan *plan) {
  *plan = (tune_variant_plan){.group_count = 0};
  MlirOperation first = mlirBlockGetFirstOperation(tune_ir_body(module));
  if (!text && mlirOperationIsNull(next_that_asks(first)))
    return TUNE_OK;
  MlirOperation of;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, function, &of));
  warn_of_others(module, of);
  if (!mlirAttributeIsNull(tune_ir_attribute(of, TUNE_VARIANTS_ATTRIBUTE)))
    return check_made(of, text);
  TUNE_RETURN_IF_ERROR(tune_variant_plan_init(plan, of, text));
  tune_status status = plan->count
                           ? tune_variants_make(module, of, plan, text ? text : TUNE_DIM_ATTRIBUTE)
                           : TUNE_OK;
  if (!tune_status_is_ok(status))
    tune_variant_plan_deinit(plan);
  return status;
}
