//===- variant_function.c -----------------------------------------------------===//

#include "transforms/variants/variant_function.h"

#include "dialects/argument_sizes.h"
#include "dialects/arguments.h"
#include "formats/signature.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/fixed_sizes.h"
#include "transforms/lower/common/memory.h"

#include "mlir-c/Dialect/Func.h"

#include <stdio.h>
#include <stdlib.h>

static tune_status make_name(MlirOperation module, MlirOperation function,
                             const tune_variant_plan *plan, const tune_variant *variant,
                             char **out_name) {
  MlirStringRef of = tune_ir_string_attribute(function, "sym_name");
  tune_string_builder name;
  tune_string_builder_init(&name);
  tune_string_builder_append_bytes(&name, of.data, of.length);
  tune_string_builder_append(&name, !variant                                    ? "_any"
                                    : tune_variant_plan_is_fixed(plan, variant) ? ""
                                                                                : "_near");
  for (size_t g = 0; variant && g < plan->group_count; ++g)
    tune_string_builder_appendf(&name, "_%lld", (long long)variant->sizes[g].at);
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&name, out_name));
  while (!mlirOperationIsNull(tune_ir_find_symbol(module, tune_ir_string(*out_name)))) {
    char *longer = realloc(*out_name, strlen(*out_name) + 2);
    if (!longer) {
      free(*out_name);
      *out_name = NULL;
      return tune_status_out_of_memory("naming a variant");
    }
    *out_name = strcat(longer, "_");
  }
  return TUNE_OK;
}

// The sizes of all that is open: those that the variant fixes, and TUNE_SIZE_STAYS_OPEN.
static tune_status fix(MlirOperation copy, MlirOperation function, const tune_variant_plan *plan,
                       const tune_variant *variant) {
  int64_t *sizes = calloc(plan->open_count + 1, sizeof *sizes);
  if (!sizes)
    return tune_status_out_of_memory("making a variant");
  bool any = false;
  for (size_t i = 0; i < plan->open_count; ++i) {
    size_t group = plan->open[i].group;
    bool is_fixed = group != TUNE_SIZE_GROUP_NONE && variant->sizes[group].is_fixed;
    sizes[i] = is_fixed ? variant->sizes[group].at : TUNE_SIZE_STAYS_OPEN;
    any |= is_fixed;
  }
  tune_status status = TUNE_OK;
  if (any)
    status = tune_memory_keep_reached(copy, function);
  if (any && tune_status_is_ok(status))
    status = tune_fixed_sizes_apply(copy, function, sizes, plan->open_count, true);
  free(sizes);
  return status;
}

// Where an argument is still open, the shape that it is measured at.
static void note_measured(MlirOperation function, const tune_variant_plan *plan,
                          const tune_variant *variant) {
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    MlirType input = mlirFunctionTypeGetInput(type, i);
    int64_t shape[TUNE_IR_MAX_RANK];
    bool is_said = false, is_shaped = mlirTypeIsARankedTensor(input) || mlirTypeIsAMemRef(input);
    intptr_t rank = is_shaped ? mlirShapedTypeGetRank(input) : 0;
    if (rank > TUNE_IR_MAX_RANK)
      continue;
    for (intptr_t d = 0; d < rank; ++d)
      shape[d] = mlirShapedTypeIsDynamicDim(input, d) ? 0 : mlirShapedTypeGetDimSize(input, d);
    for (size_t k = 0; k < plan->open_count; ++k)
      if (plan->open[k].argument == i && shape[plan->open[k].dimension] == 0) {
        int64_t size = tune_variant_plan_size_at(plan, variant, k);
        shape[plan->open[k].dimension] = size ? size : TUNE_DYNAMIC_SIZE;
        is_said |= size > 0;
      }
    if (is_said)
      mlirFuncSetArgAttr(
          function, i, tune_ir_string(TUNE_MEASURED_AT_ATTRIBUTE),
          tune_argument_make_measured_at(mlirOperationGetContext(function), shape, (size_t)rank));
  }
}

static bool is_about_sizes(MlirStringRef name) {
  return tune_ir_string_equal(name, TUNE_DIM_ATTRIBUTE) ||
         tune_ir_string_equal(name, TUNE_MEASURED_AT_ATTRIBUTE);
}

// `attributes`, a dictionary or null, without what is said of sizes. `kept` has room for all.
static MlirAttribute without_sizes(MlirContext context, MlirAttribute attributes,
                                   MlirNamedAttribute *kept) {
  intptr_t count =
      mlirAttributeIsNull(attributes) ? 0 : mlirDictionaryAttrGetNumElements(attributes);
  intptr_t kept_count = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute one = mlirDictionaryAttrGetElement(attributes, i);
    if (!is_about_sizes(mlirIdentifierStr(one.name)))
      kept[kept_count++] = one;
  }
  return mlirDictionaryAttrGet(context, kept_count, kept);
}

// What is said of the sizes of the whole function is not said of this one.
static tune_status forget_sizes(MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute all = tune_ir_attribute(function, "arg_attrs");
  if (mlirAttributeIsNull(all))
    return TUNE_OK;
  intptr_t count = mlirArrayAttrGetNumElements(all), most = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute attributes = tune_argument_attributes(function, i);
    intptr_t own =
        mlirAttributeIsNull(attributes) ? 0 : mlirDictionaryAttrGetNumElements(attributes);
    most = own > most ? own : most;
  }
  MlirAttribute *left = calloc((size_t)count + 1, sizeof *left);
  MlirNamedAttribute *kept = calloc((size_t)most + 1, sizeof *kept);
  if (left && kept) {
    for (intptr_t i = 0; i < count; ++i)
      left[i] = without_sizes(context, tune_argument_attributes(function, i), kept);
    mlirOperationSetAttributeByName(function, tune_ir_string("arg_attrs"),
                                    mlirArrayAttrGet(context, count, left));
  }
  tune_status status = left && kept ? TUNE_OK : tune_status_out_of_memory("making a variant");
  free(left);
  free(kept);
  return status;
}

static void set_text(MlirOperation op, const char *name, const char *text) {
  mlirOperationSetAttributeByName(
      op, tune_ir_string(name),
      mlirStringAttrGet(mlirOperationGetContext(op), tune_ir_string(text)));
}

tune_status tune_variant_function_make(MlirOperation module, MlirOperation function,
                                       const tune_variant_plan *plan, const tune_variant *variant,
                                       char **out_name) {
  TUNE_RETURN_IF_ERROR(make_name(module, function, plan, variant, out_name));
  // A copy of the module: sizes are carried through all that the function calls.
  MlirOperation copy = mlirOperationClone(module);
  MlirOperation own = tune_ir_find_symbol(copy, tune_ir_string_attribute(function, "sym_name"));
  tune_status status = variant ? fix(copy, own, plan, variant) : TUNE_OK;
  if (tune_status_is_ok(status))
    status = forget_sizes(own);
  if (!tune_status_is_ok(status)) {
    free(*out_name);
    *out_name = NULL;
  }
  if (tune_status_is_ok(status)) {
    mlirOperationRemoveFromParent(own);
    if (variant)
      note_measured(own, plan, variant);
    set_text(own, "sym_name", *out_name);
    set_text(own, "sym_visibility", "private");
    mlirBlockAppendOwnedOperation(tune_ir_body(module), own);
  }
  mlirOperationDestroy(copy);
  return status;
}
