//===- ir_builder.c - A builder of ops ---------------------------------------===//

#include "transforms/ir/ir_builder.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

void tune_ir_load_dialects(MlirContext context, const char *const *names) {
  for (; *names; ++names)
    mlirContextGetOrLoadDialect(context, tune_ir_string(*names));
}

tune_ir_builder tune_ir_builder_before(MlirOperation op) {
  return (tune_ir_builder){.context = mlirOperationGetContext(op),
                           .location = mlirOperationGetLocation(op),
                           .block = mlirOperationGetBlock(op),
                           .before = op};
}

tune_ir_builder tune_ir_builder_at_end(MlirBlock block, MlirLocation location) {
  return (tune_ir_builder){
      .context = mlirLocationGetContext(location), .location = location, .block = block};
}

//===--------------------------------------------------------------------------===//
// Ops
//===--------------------------------------------------------------------------===//

static void insert(const tune_ir_builder *builder, MlirOperation op) {
  if (mlirOperationIsNull(builder->before))
    mlirBlockAppendOwnedOperation(builder->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, op);
}

MlirOperation tune_ir_build(const tune_ir_builder *builder, const tune_ir_parts *parts) {
  MlirOperationState state = mlirOperationStateGet(tune_ir_string(parts->name), builder->location);
  mlirOperationStateAddOperands(&state, parts->operand_count, parts->operands);
  mlirOperationStateAddResults(&state, parts->type_count, parts->types);
  mlirOperationStateAddAttributes(&state, parts->attribute_count, parts->attributes);
  mlirOperationStateAddOwnedRegions(&state, parts->region_count, parts->regions);
  MlirOperation op = mlirOperationCreate(&state);
  insert(builder, op);
  return op;
}

MlirValue tune_ir_build_result(const tune_ir_builder *builder, const tune_ir_parts *parts) {
  return mlirOperationGetResult(tune_ir_build(builder, parts), 0);
}

MlirValue tune_ir_build_value(const tune_ir_builder *builder, const char *name, MlirType type,
                              intptr_t operand_count, const MlirValue *operands) {
  tune_ir_parts parts = {.name = name,
                         .operand_count = operand_count,
                         .operands = operands,
                         .type_count = 1,
                         .types = &type};
  return tune_ir_build_result(builder, &parts);
}

MlirValue tune_ir_build_binary(const tune_ir_builder *builder, const char *name, MlirValue a,
                               MlirValue b) {
  MlirValue operands[] = {a, b};
  return tune_ir_build_value(builder, name, mlirValueGetType(a), 2, operands);
}

MlirValue tune_ir_build_select(const tune_ir_builder *builder, MlirValue condition, MlirValue a,
                               MlirValue b) {
  MlirValue operands[] = {condition, a, b};
  return tune_ir_build_value(builder, "arith.select", mlirValueGetType(a), 3, operands);
}

MlirValue tune_ir_build_extract(const tune_ir_builder *builder, MlirValue vector,
                                const int64_t *position, intptr_t count, MlirType type) {
  MlirNamedAttribute attribute = tune_ir_named(
      builder->context, "static_position", mlirDenseI64ArrayGet(builder->context, count, position));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "vector.extract",
                                                        .operand_count = 1,
                                                        .operands = &vector,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 1,
                                                        .attributes = &attribute});
}

MlirValue tune_ir_build_lane(const tune_ir_builder *builder, MlirValue vector, int64_t place) {
  return tune_ir_build_extract(builder, vector, &place, 1,
                               mlirShapedTypeGetElementType(mlirValueGetType(vector)));
}

MlirValue tune_ir_build_constant(const tune_ir_builder *builder, MlirType type,
                                 MlirAttribute attribute) {
  MlirNamedAttribute value = tune_ir_named(builder->context, "value", attribute);
  tune_ir_parts parts = {.name = "arith.constant",
                         .type_count = 1,
                         .types = &type,
                         .attribute_count = 1,
                         .attributes = &value};
  return tune_ir_build_result(builder, &parts);
}

MlirValue tune_ir_build_index(const tune_ir_builder *builder, int64_t value) {
  MlirType index = mlirIndexTypeGet(builder->context);
  return tune_ir_build_constant(builder, index, mlirIntegerAttrGet(index, value));
}

static MlirNamedAttribute name_numbers(MlirContext context, const char *name,
                                       const int64_t *numbers, size_t count) {
  return tune_ir_named(context, name, mlirDenseI64ArrayGet(context, (intptr_t)count, numbers));
}

tune_ir_builder tune_ir_build_forall(const tune_ir_builder *builder, size_t count,
                                     const int64_t *extents, MlirOperation *out_forall) {
  MlirContext context = builder->context;
  int64_t zeros[TUNE_IR_MAX_LOOPS] = {0}, ones[TUNE_IR_MAX_LOOPS];
  for (size_t i = 0; i < count; ++i)
    ones[i] = 1;
  MlirBlock body = tune_ir_make_block(builder, count);
  MlirRegion region = tune_ir_make_region(body);
  int32_t segments[] = {0, 0, 0, 0};
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 4, segments)),
      name_numbers(context, "staticLowerBound", zeros, count),
      name_numbers(context, "staticUpperBound", extents, count),
      name_numbers(context, "staticStep", ones, count)};
  *out_forall = tune_ir_build(builder, &(tune_ir_parts){.name = "scf.forall",
                                                        .attribute_count = 4,
                                                        .attributes = attributes,
                                                        .region_count = 1,
                                                        .regions = &region});
  tune_ir_builder inside = tune_ir_builder_at_end(body, builder->location);
  MlirRegion results = tune_ir_make_region(tune_ir_make_block(&inside, 0));
  inside.before = tune_ir_build(
      &inside,
      &(tune_ir_parts){.name = "scf.forall.in_parallel", .region_count = 1, .regions = &results});
  return inside;
}

MlirOperation tune_ir_build_fill(const tune_ir_builder *builder, MlirValue value, MlirValue into) {
  MlirValue operands[] = {value, into};
  MlirType type = mlirValueGetType(into);
  MlirNamedAttribute segments =
      tune_ir_named(builder->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(builder->context, 2, (const int32_t[]){1, 1}));
  MlirRegion region = mlirRegionCreate();
  MlirOperation fill =
      tune_ir_build(builder, &(tune_ir_parts){.name = "linalg.fill",
                                              .operand_count = 2,
                                              .operands = operands,
                                              .type_count = mlirTypeIsATensor(type) ? 1 : 0,
                                              .types = &type,
                                              .attribute_count = 1,
                                              .attributes = &segments,
                                              .region_count = 1,
                                              .regions = &region});
  mlirLinalgFillBuiltinNamedOpRegion(fill);
  return fill;
}

MlirValue tune_ir_build_buffer_like(const tune_ir_builder *builder, MlirValue like,
                                    MlirType element) {
  MlirType type = mlirValueGetType(like), index = mlirIndexTypeGet(builder->context);
  intptr_t rank = mlirShapedTypeGetRank(type), dynamic_count = 0;
  int64_t shape[TUNE_IR_MAX_RANK];
  MlirValue sizes[TUNE_IR_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    shape[i] = mlirShapedTypeGetDimSize(type, i);
    if (!mlirShapedTypeIsDynamicDim(type, i))
      continue;
    MlirValue operands[] = {like, tune_ir_build_index(builder, i)};
    sizes[dynamic_count++] = tune_ir_build_value(builder, "memref.dim", index, 2, operands);
  }
  MlirType made =
      mlirMemRefTypeContiguousGet(element, rank, shape, mlirMemRefTypeGetMemorySpace(type));
  int32_t segments[] = {(int32_t)dynamic_count, 0};
  MlirNamedAttribute attribute = tune_ir_named(builder->context, "operandSegmentSizes",
                                               mlirDenseI32ArrayGet(builder->context, 2, segments));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "memref.alloc",
                                                        .operand_count = dynamic_count,
                                                        .operands = sizes,
                                                        .type_count = 1,
                                                        .types = &made,
                                                        .attribute_count = 1,
                                                        .attributes = &attribute});
}

MlirValue tune_ir_make_index(MlirOperation place, int64_t value) {
  tune_ir_builder builder = tune_ir_builder_before(place);
  return tune_ir_build_index(&builder, value);
}

MlirValue tune_ir_build_number(const tune_ir_builder *builder, MlirType type, double number) {
  MlirType element = tune_ir_element_type(type);
  MlirAttribute value = mlirTypeIsAFloat(element)
                            ? mlirFloatAttrDoubleGet(builder->context, element, number)
                            : mlirIntegerAttrGet(element, (int64_t)number);
  if (mlirTypeIsAVector(type))
    value = mlirDenseElementsAttrSplatGet(type, value);
  return tune_ir_build_constant(builder, type, value);
}

// As arith numbers them.
static int64_t predicate_number(const char *predicate, bool is_float) {
  static const char *const INTEGERS[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                         "sge", "ult", "ule", "ugt", "uge"};
  static const char *const FLOATS[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                       "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
  const char *const *names = is_float ? FLOATS : INTEGERS;
  int64_t number = 0;
  while (strcmp(names[number], predicate) != 0)
    ++number;
  return number;
}

MlirValue tune_ir_build_compare(const tune_ir_builder *builder, const char *predicate, MlirValue a,
                                MlirValue b) {
  MlirType type = mlirValueGetType(a);
  bool is_float = mlirTypeIsAFloat(tune_ir_element_type(type));
  MlirType made = mlirIntegerTypeGet(builder->context, 1);
  if (mlirTypeIsAVector(type)) {
    int64_t length = mlirShapedTypeGetDimSize(type, 0);
    made = mlirVectorTypeGet(1, &length, made);
  }
  MlirNamedAttribute attribute =
      tune_ir_named(builder->context, "predicate",
                    mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 64),
                                       predicate_number(predicate, is_float)));
  MlirValue operands[] = {a, b};
  tune_ir_parts parts = {.name = is_float ? "arith.cmpf" : "arith.cmpi",
                         .operand_count = 2,
                         .operands = operands,
                         .type_count = 1,
                         .types = &made,
                         .attribute_count = 1,
                         .attributes = &attribute};
  return tune_ir_build_result(builder, &parts);
}

//===--------------------------------------------------------------------------===//
// Bodies
//===--------------------------------------------------------------------------===//

MlirBlock tune_ir_make_block(const tune_ir_builder *builder, size_t count) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (size_t i = 0; i < count; ++i)
    mlirBlockAddArgument(block, mlirIndexTypeGet(builder->context), builder->location);
  return block;
}

MlirRegion tune_ir_make_region(MlirBlock block) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return region;
}

MlirRegion tune_ir_clone_region(MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  return region;
}

tune_ir_builder tune_ir_build_if(const tune_ir_builder *builder, MlirValue condition) {
  tune_ir_builder inner = tune_ir_builder_at_end(tune_ir_make_block(builder, 0), builder->location);
  MlirRegion regions[] = {tune_ir_make_region(inner.block), mlirRegionCreate()};
  tune_ir_build(builder, &(tune_ir_parts){.name = "scf.if",
                                          .operand_count = 1,
                                          .operands = &condition,
                                          .region_count = 2,
                                          .regions = regions});
  inner.before = tune_ir_build(&inner, &(tune_ir_parts){.name = "scf.yield"});
  return inner;
}

tune_ir_builder tune_ir_build_for(const tune_ir_builder *builder, int64_t end,
                                  intptr_t initial_count, const MlirValue *initial,
                                  MlirOperation *out_loop) {
  MlirBlock body = tune_ir_make_block(builder, 1);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("scf.for"), builder->location);
  MlirValue from = tune_ir_build_index(builder, 0), to = tune_ir_build_index(builder, end);
  MlirValue bounds[] = {from, to, tune_ir_build_index(builder, 1)};
  mlirOperationStateAddOperands(&state, 3, bounds);
  mlirOperationStateAddOperands(&state, initial_count, initial);
  for (intptr_t i = 0; i < initial_count; ++i) {
    MlirType type = mlirValueGetType(initial[i]);
    mlirBlockAddArgument(body, type, builder->location);
    mlirOperationStateAddResults(&state, 1, &type);
  }
  MlirRegion region = tune_ir_make_region(body);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  *out_loop = mlirOperationCreate(&state);
  insert(builder, *out_loop);
  return tune_ir_builder_at_end(body, builder->location);
}

MlirOperation tune_ir_build_conversion(const tune_ir_builder *b, const char *conversion,
                                       MlirValue from, MlirValue to) {
  MlirType type = mlirValueGetType(to),
           types[] = {tune_ir_element_of(from), tune_ir_element_of(to)};
  MlirBlock block = mlirBlockCreate(2, types, (MlirLocation[]){b->location, b->location});
  tune_ir_builder body = tune_ir_builder_at_end(block, b->location);
  MlirValue element = mlirBlockGetArgument(block, 0);
  MlirValue converted = tune_ir_build_value(&body, conversion, types[1], 1, &element);
  tune_ir_build(
      &body, &(tune_ir_parts){.name = "linalg.yield", .operand_count = 1, .operands = &converted});

  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  MlirAttribute map = mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(b->context, rank));
  MlirAttribute maps[] = {map, map}, iterators[TUNE_IR_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    iterators[i] =
        mlirAttributeParseGet(b->context, tune_ir_string("#linalg.iterator_type<parallel>"));
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "indexing_maps", mlirArrayAttrGet(b->context, 2, maps)),
      tune_ir_named(b->context, "iterator_types", mlirArrayAttrGet(b->context, rank, iterators)),
      tune_ir_named(b->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(b->context, 2, (int32_t[]){1, 1}))};
  MlirRegion region = tune_ir_make_region(block);
  return tune_ir_build(b, &(tune_ir_parts){.name = "linalg.generic",
                                           .operand_count = 2,
                                           .operands = (MlirValue[]){from, to},
                                           .type_count = mlirTypeIsARankedTensor(type),
                                           .types = &type,
                                           .attribute_count = 3,
                                           .attributes = attributes,
                                           .region_count = 1,
                                           .regions = &region});
}

void tune_ir_build_prefetch(const tune_ir_builder *b, intptr_t count, const MlirValue *operands) {
  const int64_t second_cache = 2; // of llvm.prefetch: "locality"
  MlirType i32 = mlirIntegerTypeGet(b->context, 32);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "isWrite", mlirBoolAttrGet(b->context, false)),
      tune_ir_named(b->context, "localityHint", mlirIntegerAttrGet(i32, second_cache)),
      tune_ir_named(b->context, "isDataCache", mlirBoolAttrGet(b->context, true))};
  tune_ir_build(b, &(tune_ir_parts){.name = "memref.prefetch",
                                    .operand_count = count,
                                    .operands = operands,
                                    .attribute_count = 3,
                                    .attributes = attributes});
}

void tune_ir_move(const tune_ir_builder *builder, MlirOperation op) {
  mlirOperationRemoveFromParent(op);
  insert(builder, op);
}

static void move_until(const tune_ir_builder *builder, MlirBlock block, MlirOperation end) {
  MlirOperation op = mlirBlockGetFirstOperation(block);
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, end)) {
    tune_ir_move(builder, op);
    op = mlirBlockGetFirstOperation(block);
  }
}

void tune_ir_move_all(const tune_ir_builder *builder, MlirBlock block) {
  move_until(builder, block, (MlirOperation){NULL});
}

void tune_ir_move_body(const tune_ir_builder *builder, MlirBlock block) {
  move_until(builder, block, mlirBlockGetTerminator(block));
}

//===--------------------------------------------------------------------------===//
// Changing
//===--------------------------------------------------------------------------===//

tune_status tune_ir_append_operands(MlirOperation op, intptr_t count, const MlirValue *more) {
  intptr_t old = mlirOperationGetNumOperands(op);
  MlirValue *all = malloc((size_t)(old + count + 1) * sizeof *all);
  if (!all)
    return tune_status_out_of_memory("%td operands", old + count);
  for (intptr_t i = 0; i < old; ++i)
    all[i] = mlirOperationGetOperand(op, i);
  for (intptr_t i = 0; i < count; ++i)
    all[old + i] = more[i];
  mlirOperationSetOperands(op, old + count, all);
  free(all);
  return TUNE_OK;
}

MlirOperation tune_ir_carry_more(MlirOperation loop, intptr_t count, const MlirValue *initial) {
  MlirLocation location = mlirOperationGetLocation(loop);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("scf.for"), location);
  intptr_t results = mlirOperationGetNumResults(loop);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(loop); ++i) {
    MlirValue operand = mlirOperationGetOperand(loop, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  for (intptr_t i = 0; i < results; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(loop, i));
    mlirOperationStateAddResults(&state, 1, &type);
  }
  for (intptr_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(initial[i]);
    mlirOperationStateAddOperands(&state, 1, &initial[i]);
    mlirOperationStateAddResults(&state, 1, &type);
    mlirBlockAddArgument(tune_ir_body(loop), type, location);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(loop); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(loop, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(loop, 0));
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation made = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(loop), loop, made);
  for (intptr_t i = 0; i < results; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetResult(made, i));
  mlirOperationDestroy(loop);
  return made;
}

//===--------------------------------------------------------------------------===//
// Reading
//===--------------------------------------------------------------------------===//

bool tune_ir_is_constant_index(MlirValue value, int64_t *out_value) {
  if (!mlirValueIsAOpResult(value) || !mlirTypeIsAIndex(mlirValueGetType(value)))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!tune_ir_is(op, "arith.constant"))
    return false;
  *out_value = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "value"));
  return true;
}
