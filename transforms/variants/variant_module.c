//===- variant_module.c -------------------------------------------------------===//

#include "transforms/variants/variant_module.h"

#include "dialects/argument_sizes.h"
#include "dialects/choices.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/fixed_sizes.h"
#include "transforms/lower/common/memory.h"
#include "transforms/variants/dispatch.h"

#include "mlir-c/Dialect/Func.h"

// The shapes of the arguments, where they are open.
static void note_sizes(MlirOperation function, const tune_variant_plan *plan,
                       const int64_t *sizes) {
  MlirContext context = mlirOperationGetContext(function);
  for (size_t first = 0; first < plan->open_count;) {
    intptr_t argument = plan->open[first].argument;
    MlirType type = mlirValueGetType(mlirBlockGetArgument(tune_ir_body(function), argument));
    intptr_t rank = mlirShapedTypeGetRank(type);
    int64_t shape[TUNE_IR_MAX_RANK];
    for (intptr_t d = 0; d < rank && d < TUNE_IR_MAX_RANK; ++d)
      shape[d] = mlirShapedTypeIsDynamicDim(type, d) ? 0 : mlirShapedTypeGetDimSize(type, d);
    for (; first < plan->open_count && plan->open[first].argument == argument; ++first)
      if (plan->open[first].dimension < TUNE_IR_MAX_RANK)
        shape[plan->open[first].dimension] = sizes[first];
    if (rank <= TUNE_IR_MAX_RANK)
      mlirFuncSetArgAttr(function, argument, tune_ir_string(TUNE_MEASURED_AT_ATTRIBUTE),
                         tune_argument_make_measured_at(context, shape, (size_t)rank));
  }
}

static tune_status make(MlirOperation copy, MlirOperation function, const tune_variant_plan *plan,
                        const tune_variant_module_options *options) {
  tune_variant_plan one = *plan; // borrows all
  one.count = 0;
  one.general = (char *)options->called;
  TUNE_RETURN_IF_ERROR(tune_variants_write_dispatch(copy, function, &one));
  mlirOperationRemoveAttributeByName(function, tune_ir_string(TUNE_VARIANTS_ATTRIBUTE));
  TUNE_RETURN_IF_ERROR(tune_memory_keep_reached(copy, function));
  mlirOperationRemoveAttributeByName(function, tune_ir_string("sym_visibility"));
  if (options->by_default)
    tune_choices_strip(copy);
  if (options->is_fixed) {
    TUNE_RETURN_IF_ERROR(
        tune_fixed_sizes_apply(copy, function, options->sizes, plan->open_count, false));
    return tune_memory_keep_reached(copy, function);
  }
  note_sizes(function, plan, options->sizes);
  return TUNE_OK;
}

tune_status tune_variant_module_make(MlirOperation module, MlirOperation function,
                                     const tune_variant_plan *plan,
                                     const tune_variant_module_options *options,
                                     MlirOperation *out_module) {
  *out_module = mlirOperationClone(module);
  MlirOperation own =
      tune_ir_find_symbol(*out_module, tune_ir_string_attribute(function, "sym_name"));
  tune_status status = make(*out_module, own, plan, options);
  if (!tune_status_is_ok(status)) {
    mlirOperationDestroy(*out_module);
    *out_module = (MlirOperation){NULL};
  }
  return status;
}
