//===- dispatch.c -------------------------------------------------------------===//

#include "transforms/variants/dispatch.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/variants/variant_function.h"

#include <stdlib.h>

typedef struct writer {
  MlirOperation module;
  const tune_variant_plan *plan;
  MlirType type;    // of the function
  MlirBlock block;  // its new body
  MlirValue *sizes; // that are open, in the order of the plan; null where nothing is said of them
  tune_status status;
} writer;

static intptr_t result_count(const writer *w) { return mlirFunctionTypeGetNumResults(w->type); }

static MlirValue cast(const tune_ir_builder *builder, MlirValue value, MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  const char *name = mlirTypeIsAMemRef(type) ? "memref.cast" : "tensor.cast";
  return tune_ir_build_value(builder, name, type, 1, &value);
}

// Whether open size `open` is one that `variant` takes.
static MlirValue compare_size(const writer *w, const tune_ir_builder *builder,
                              const tune_variant *variant, size_t open) {
  const tune_variant_sizes *sizes = &variant->sizes[w->plan->open[open].group];
  MlirValue first = tune_ir_build_index(builder, sizes->first);
  if (sizes->first == sizes->last)
    return tune_ir_build_compare(builder, "eq", w->sizes[open], first);
  MlirValue last = tune_ir_build_index(builder, sizes->last);
  MlirValue from = tune_ir_build_compare(builder, "sge", w->sizes[open], first);
  MlirValue to = tune_ir_build_compare(builder, "sle", w->sizes[open], last);
  return tune_ir_build_binary(builder, "arith.andi", from, to);
}

static MlirValue compare_all(const writer *w, const tune_ir_builder *builder,
                             const tune_variant *variant) {
  MlirValue all = {NULL};
  for (size_t i = 0; i < w->plan->open_count; ++i) {
    if (w->plan->open[i].group == TUNE_SIZE_GROUP_NONE)
      continue;
    MlirValue one = compare_size(w, builder, variant, i);
    all = mlirValueIsNull(all) ? one : tune_ir_build_binary(builder, "arith.andi", all, one);
  }
  return all;
}

// Calls the function `name` with the arguments, cast to what it takes, and casts what it gives.
// `results` has room for that.
static void call(writer *w, const tune_ir_builder *builder, const char *name, MlirValue *results) {
  MlirOperation callee = tune_ir_find_symbol(w->module, tune_ir_string(name));
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(callee, "function_type"));
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type), count = result_count(w);
  MlirValue *operands = calloc((size_t)inputs + 1, sizeof *operands);
  MlirType *types = calloc((size_t)count + 1, sizeof *types);
  if (!operands || !types) {
    w->status = tune_status_out_of_memory("calling variants");
  } else {
    for (intptr_t i = 0; i < inputs; ++i)
      operands[i] =
          cast(builder, mlirBlockGetArgument(w->block, i), mlirFunctionTypeGetInput(type, i));
    for (intptr_t i = 0; i < count; ++i)
      types[i] = mlirFunctionTypeGetResult(type, i);
    MlirNamedAttribute symbol =
        tune_ir_named(builder->context, "callee",
                      mlirFlatSymbolRefAttrGet(builder->context, tune_ir_string(name)));
    MlirOperation made = tune_ir_build(builder, &(tune_ir_parts){.name = "func.call",
                                                                 .operand_count = inputs,
                                                                 .operands = operands,
                                                                 .type_count = count,
                                                                 .types = types,
                                                                 .attribute_count = 1,
                                                                 .attributes = &symbol});
    for (intptr_t i = 0; i < count; ++i)
      results[i] =
          cast(builder, mlirOperationGetResult(made, i), mlirFunctionTypeGetResult(w->type, i));
  }
  free(operands);
  free(types);
}

static void write_from(writer *w, const tune_ir_builder *builder, size_t variant,
                       MlirValue *results);

// A region that calls `name`, or where that is NULL decides between the variants from `variant` on.
static MlirRegion make_branch(writer *w, const tune_ir_builder *outer, const char *name,
                              size_t variant, MlirValue *results) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  tune_ir_builder builder = tune_ir_builder_at_end(block, outer->location);
  if (name)
    call(w, &builder, name, results);
  else
    write_from(w, &builder, variant, results);
  if (tune_status_is_ok(w->status))
    tune_ir_build(&builder, &(tune_ir_parts){.name = "scf.yield",
                                             .operand_count = result_count(w),
                                             .operands = results});
  return tune_ir_make_region(block);
}

// Decides between the variants from number `variant` on, and the one for all sizes.
static void write_from(writer *w, const tune_ir_builder *builder, size_t variant,
                       MlirValue *results) {
  if (variant == w->plan->count) {
    call(w, builder, w->plan->general, results);
    return;
  }
  const tune_variant *taken = &w->plan->variants[variant];
  intptr_t count = result_count(w);
  MlirType *types = calloc((size_t)count + 1, sizeof *types);
  if (!types) {
    w->status = tune_status_out_of_memory("calling variants");
    return;
  }
  for (intptr_t i = 0; i < count; ++i)
    types[i] = mlirFunctionTypeGetResult(w->type, i);
  MlirValue condition = compare_all(w, builder, taken);
  MlirRegion regions[2];
  regions[0] = make_branch(w, builder, taken->function, 0, results);
  regions[1] = make_branch(w, builder, NULL, variant + 1, results);
  if (tune_status_is_ok(w->status)) {
    MlirOperation branch = tune_ir_build(builder, &(tune_ir_parts){.name = "scf.if",
                                                                   .operand_count = 1,
                                                                   .operands = &condition,
                                                                   .type_count = count,
                                                                   .types = types,
                                                                   .region_count = 2,
                                                                   .regions = regions});
    for (intptr_t i = 0; i < count; ++i)
      results[i] = mlirOperationGetResult(branch, i);
  } else {
    mlirRegionDestroy(regions[0]);
    mlirRegionDestroy(regions[1]);
  }
  free(types);
}

static void read_sizes(writer *w, const tune_ir_builder *builder) {
  for (size_t i = 0; i < w->plan->open_count; ++i) {
    const tune_open_size *open = &w->plan->open[i];
    if (open->group == TUNE_SIZE_GROUP_NONE)
      continue;
    MlirValue operands[] = {mlirBlockGetArgument(w->block, open->argument),
                            tune_ir_build_index(builder, open->dimension)};
    const char *name =
        mlirTypeIsAMemRef(mlirValueGetType(operands[0])) ? "memref.dim" : "tensor.dim";
    w->sizes[i] =
        tune_ir_build_value(builder, name, mlirIndexTypeGet(builder->context), 2, operands);
  }
}

// A block with the arguments of the one that `function` begins with.
static MlirBlock make_body(MlirOperation function) {
  MlirBlock before = tune_ir_body(function);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); ++i) {
    MlirValue argument = mlirBlockGetArgument(before, i);
    mlirBlockAddArgument(block, mlirValueGetType(argument), mlirOperationGetLocation(function));
  }
  return block;
}

static void write_body(writer *w, const tune_ir_builder *builder, MlirValue *results) {
  read_sizes(w, builder);
  write_from(w, builder, 0, results);
  if (tune_status_is_ok(w->status))
    tune_ir_build(builder, &(tune_ir_parts){.name = "func.return",
                                            .operand_count = result_count(w),
                                            .operands = results});
}

tune_status tune_variants_write_dispatch(MlirOperation module, MlirOperation function,
                                         const tune_variant_plan *plan) {
  writer w = {.module = module,
              .plan = plan,
              .type = mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type")),
              .block = make_body(function)};
  tune_ir_builder builder = tune_ir_builder_at_end(w.block, mlirOperationGetLocation(function));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, w.block);
  MlirValue *results = calloc((size_t)result_count(&w) + 1, sizeof *results);
  w.sizes = calloc(plan->open_count + 1, sizeof *w.sizes);
  if (!results || !w.sizes)
    w.status = tune_status_out_of_memory("calling variants");
  else
    write_body(&w, &builder, results);
  if (tune_status_is_ok(w.status))
    mlirRegionTakeBody(mlirOperationGetRegion(function, 0), region);
  mlirRegionDestroy(region);
  free(results);
  free(w.sizes);
  return w.status;
}

tune_status tune_variants_make(MlirOperation module, MlirOperation function,
                               tune_variant_plan *plan, const char *text) {
  static const char *const MADE_OF[] = {"tensor", "memref", "arith", "scf", "func", NULL};
  MlirContext context = mlirOperationGetContext(module);
  tune_ir_load_dialects(context, MADE_OF);
  for (size_t v = 0; v < plan->count; ++v)
    TUNE_RETURN_IF_ERROR(tune_variant_function_make(module, function, plan, &plan->variants[v],
                                                    &plan->variants[v].function));
  TUNE_RETURN_IF_ERROR(tune_variant_function_make(module, function, plan, NULL, &plan->general));
  TUNE_RETURN_IF_ERROR(tune_variants_write_dispatch(module, function, plan));
  mlirOperationSetAttributeByName(function, tune_ir_string(TUNE_VARIANTS_ATTRIBUTE),
                                  mlirStringAttrGet(context, tune_ir_string(text)));
  return TUNE_OK;
}

tune_status tune_variants_add(MlirOperation module, MlirOperation function, tune_variant_plan *plan,
                              const tune_variant *sizes) {
  tune_variant added = *sizes;
  added.function = NULL;
  for (size_t g = 0; g < plan->group_count; ++g)
    added.sizes[g] = (tune_variant_sizes){.first = sizes->sizes[g].at,
                                          .last = sizes->sizes[g].at,
                                          .at = sizes->sizes[g].at,
                                          .is_fixed = true};
  // Made for these sizes, the function is that of its variants which runs them.
  TUNE_RETURN_IF_ERROR(tune_variant_function_make(module, function, plan, &added, &added.function));
  MlirOperation made = tune_ir_find_symbol(module, tune_ir_string(added.function));
  mlirOperationRemoveAttributeByName(made, tune_ir_string(TUNE_VARIANTS_ATTRIBUTE));
  tune_choices_strip(made);
  TUNE_RETURN_IF_ERROR(tune_variant_plan_add(plan, &added));
  return tune_variants_write_dispatch(module, function, plan);
}
