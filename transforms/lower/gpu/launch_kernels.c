//===- launch_kernels.c - Outlining of launches as named kernels -------------===//

#include "transforms/lower/gpu/launch_kernels.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/common/pipeline.h"
#include "transforms/lower/gpu/device_kernel.h"

#include <stdlib.h>

static MlirOperation find_kernel_module(MlirOperation module, MlirOperation launch) {
  return tune_ir_find_symbol(
      module, mlirSymbolRefAttrGetRootReference(tune_ir_attribute(launch, "kernel")));
}

static MlirWalkResult find_launch(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "gpu.launch") && !tune_ir_is(op, "gpu.launch_func"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

static tune_status list_launches(MlirOperation function, tune_op_list *launches) {
  mlirOperationWalk(function, find_launch, launches, MlirWalkPreOrder);
  return launches->failed ? tune_status_out_of_memory("listing launches") : TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Options
//===--------------------------------------------------------------------------===//

static bool is_option(MlirStringRef name) {
  return tune_ir_string_starts(name, "tune.spirv.") || tune_ir_string_starts(name, "tune.ptx.");
}

static tune_status refuse_option(MlirOperation function, MlirStringRef name,
                                 const char *const *known) {
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t i = 0; known[i]; ++i)
    tune_string_builder_appendf(&names, "%s%s", i ? ", " : "", known[i]);
  tune_status status =
      tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                          "%.*s is no option of the lowering for this target; there are: %s",
                          (int)name.length, name.data, names.text ? names.text : "");
  tune_string_builder_deinit(&names);
  return status;
}

static bool is_known(MlirStringRef name, const char *const *known) {
  while (*known && !tune_ir_string_equal(name, *known))
    ++known;
  return *known != NULL;
}

tune_status tune_launch_kernels_spread(MlirOperation function, const char *const *known) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(function); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(function, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!is_option(name))
      continue;
    if (!is_known(name, known))
      return refuse_option(function, name, known);
    for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(function));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      if (tune_ir_is(op, "gpu.launch") &&
          mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(op, name)))
        mlirOperationSetDiscardableAttributeByName(op, name, attribute.attribute);
  }
  return TUNE_OK;
}

// Those of a launch, as a dictionary.
static MlirAttribute collect_options(MlirOperation launch) {
  enum { MOST = 16 };
  MlirNamedAttribute found[MOST];
  intptr_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(launch) && count < MOST; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(launch, i);
    if (is_option(mlirIdentifierStr(attribute.name)))
      found[count++] = attribute;
  }
  return mlirDictionaryAttrGet(mlirOperationGetContext(launch), count, found);
}

//===--------------------------------------------------------------------------===//
// Kernels
//===--------------------------------------------------------------------------===//

static tune_status set_roots(MlirOperation launch, MlirOperation module) {
  MlirContext context = mlirOperationGetContext(launch);
  MlirAttribute segments = tune_ir_attribute(launch, "operandSegmentSizes");
  enum { KERNEL_OPERANDS = 11 };
  intptr_t begin = 0, count = mlirDenseI32ArrayGetElement(segments, KERNEL_OPERANDS);
  for (intptr_t i = 0; i < KERNEL_OPERANDS; ++i)
    begin += mlirDenseI32ArrayGetElement(segments, i);
  int64_t *roots = calloc((size_t)count + 1, sizeof *roots);
  if (!roots)
    return tune_status_out_of_memory("naming kernels");
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue root = tune_memory_access_root(mlirOperationGetOperand(launch, begin + i));
    while (roots[i] < i && !mlirValueEqual(root, tune_memory_access_root(mlirOperationGetOperand(
                                                     launch, begin + roots[i]))))
      ++roots[i];
  }
  mlirOperationSetAttributeByName(module, tune_ir_string(TUNE_DEVICE_KERNEL_ROOTS_ATTRIBUTE),
                                  mlirDenseI64ArrayGet(context, count, roots));
  free(roots);
  return TUNE_OK;
}

// Names the kernel of the `index`-th launch after the function, and hands over what is known of it.
static tune_status finish_kernel(MlirOperation module, MlirOperation function, MlirOperation launch,
                                 size_t index, MlirAttribute options) {
  MlirContext context = mlirOperationGetContext(module);
  MlirOperation kernel_module = find_kernel_module(module, launch);
  MlirOperation kernel = mlirBlockGetFirstOperation(tune_ir_body(kernel_module));
  MlirStringRef base = tune_ir_string_attribute(function, "sym_name");
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "%.*s_kernel", (int)base.length, base.data);
  if (index)
    tune_string_builder_appendf(&text, "_%zu", index);
  char *name = NULL;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&text, &name));
  MlirAttribute symbol = mlirStringAttrGet(context, tune_ir_string(name));
  mlirOperationSetAttributeByName(kernel_module, tune_ir_string("sym_name"), symbol);
  mlirOperationSetAttributeByName(kernel, tune_ir_string("sym_name"), symbol);
  MlirAttribute leaf = mlirFlatSymbolRefAttrGet(context, tune_ir_string(name));
  mlirOperationSetAttributeByName(launch, tune_ir_string("kernel"),
                                  mlirSymbolRefAttrGet(context, tune_ir_string(name), 1, &leaf));
  free(name);
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(options); ++i) {
    MlirNamedAttribute option = mlirDictionaryAttrGetElement(options, i);
    mlirOperationSetAttributeByName(kernel_module, mlirIdentifierStr(option.name),
                                    option.attribute);
  }
  return set_roots(launch, kernel_module);
}

// Upstream numbers kernels from 0 after the first, we from 1: from the last to the first, a name of
// ours is never still upstream's for another.
static tune_status finish_kernels(MlirOperation module, MlirOperation function,
                                  const MlirAttribute *options) {
  tune_op_list launches = {0};
  tune_status status = list_launches(function, &launches);
  for (size_t i = launches.count; i-- > 0 && tune_status_is_ok(status);)
    status = finish_kernel(module, function, launches.ops[i], i, options[i]);
  tune_op_list_deinit(&launches);
  return status;
}

tune_status tune_launch_kernels_outline(MlirOperation module, MlirOperation function,
                                        MlirPassManager outline) {
  tune_op_list launches = {0};
  tune_status status = list_launches(function, &launches);
  MlirAttribute *options = calloc(launches.count + 1, sizeof *options);
  if (tune_status_is_ok(status) && !options)
    status = tune_status_out_of_memory("outlining kernels");
  for (size_t i = 0; tune_status_is_ok(status) && i < launches.count; ++i)
    options[i] = collect_options(launches.ops[i]);
  tune_op_list_deinit(&launches);
  if (tune_status_is_ok(status))
    status = tune_pipeline_run(outline, module, "outlining kernels");
  if (tune_status_is_ok(status))
    status = finish_kernels(module, function, options);
  free(options);
  return status;
}

tune_status tune_launch_kernels_copy(MlirOperation module, MlirOperation function,
                                     MlirOperation *out_kernels) {
  *out_kernels = (MlirOperation){NULL};
  tune_op_list launches = {0};
  tune_status status = list_launches(function, &launches);
  if (tune_status_is_ok(status))
    *out_kernels = mlirModuleGetOperation(mlirModuleCreateEmpty(mlirOperationGetLocation(module)));
  for (size_t i = 0; i < launches.count && tune_status_is_ok(status); ++i)
    mlirBlockAppendOwnedOperation(tune_ir_body(*out_kernels),
                                  mlirOperationClone(find_kernel_module(module, launches.ops[i])));
  tune_op_list_deinit(&launches);
  return status;
}
