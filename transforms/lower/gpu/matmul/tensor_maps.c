//===- tensor_maps.c - Tensor maps of bulk copies, as parameters of kernels --===//

#include "transforms/lower/gpu/matmul/tensor_maps.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"

#include <stdlib.h>

// A struct of the caller's, of which the kernel makes no copy.
#define PARAMETER "{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"

MlirValue tune_tensor_map_build(const tune_ir_builder *builder, MlirValue memory, int64_t swizzle,
                                const int64_t *box) {
  int64_t numbers[1 + TUNE_TENSOR_MAP_RANK] = {swizzle};
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memory));
  for (intptr_t i = 0; i < rank; ++i)
    numbers[1 + i] = box[i];
  MlirType type = mlirTypeParseGet(builder->context, tune_ir_string("!llvm.ptr"));
  MlirNamedAttribute attribute =
      tune_ir_named(builder->context, TUNE_TENSOR_MAP_ATTRIBUTE,
                    mlirDenseI64ArrayGet(builder->context, 1 + rank, numbers));
  return tune_ir_build_result(builder,
                              &(tune_ir_parts){.name = "builtin.unrealized_conversion_cast",
                                               .operand_count = 1,
                                               .operands = &memory,
                                               .type_count = 1,
                                               .types = &type,
                                               .attribute_count = 1,
                                               .attributes = &attribute});
}

static MlirWalkResult find_map(MlirOperation op, void *user_data) {
  if (mlirAttributeIsNull(tune_ir_attribute(op, TUNE_TENSOR_MAP_ATTRIBUTE)))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// What `memory`, contiguous and from its first element on, is another view of.
static MlirValue look_through(MlirValue memory) {
  static const char *const VIEWS[] = {"memref.expand_shape", "memref.collapse_shape", "memref.cast",
                                      "memref.reinterpret_cast", "memref.extract_strided_metadata"};
  for (size_t i = 0; i < sizeof VIEWS / sizeof *VIEWS && mlirValueIsAOpResult(memory); ++i)
    if (tune_ir_is(mlirOpResultGetOwner(memory), VIEWS[i]))
      return look_through(mlirOperationGetOperand(mlirOpResultGetOwner(memory), 0));
  return memory;
}

static tune_status describe(MlirOperation op, tune_device_kernel *described) {
  MlirValue memory = mlirOperationGetOperand(op, 0), root = look_through(memory);
  MlirType type = mlirValueGetType(memory), element = mlirShapedTypeGetElementType(type);
  intptr_t rank = mlirShapedTypeGetRank(type);
  MlirAttribute numbers = tune_ir_attribute(op, TUNE_TENSOR_MAP_ATTRIBUTE);
  if (!mlirValueIsABlockArgument(root) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) ||
      !mlirShapedTypeHasStaticShape(type) || rank > TUNE_TENSOR_MAP_RANK)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "a tensor map of what is no whole buffer of the kernel's; copy it "
                               "first, or set bulk_copies to 0");
  if (described->map_count == TUNE_TENSOR_MAPS)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op, "more than %d tensor maps in a kernel",
                               TUNE_TENSOR_MAPS);
  tune_tensor_map *map = &described->maps[described->map_count++];
  *map = (tune_tensor_map){.argument = (size_t)mlirBlockArgumentGetArgNumber(root),
                           .rank = rank,
                           .element_bytes =
                               (mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element)
                                                          : mlirIntegerTypeGetWidth(element)) /
                               8,
                           .swizzle = mlirDenseI64ArrayGetElement(numbers, 0)};
  for (intptr_t i = 0; i < rank; ++i) { // the innermost first
    map->sizes[i] = mlirShapedTypeGetDimSize(type, rank - 1 - i);
    map->box[i] = mlirDenseI64ArrayGetElement(numbers, rank - i);
  }
  return TUNE_OK;
}

static bool is_same(const tune_tensor_map *a, const tune_tensor_map *b) {
  bool is_same = a->argument == b->argument && a->rank == b->rank && a->swizzle == b->swizzle;
  for (int64_t i = 0; i < a->rank && is_same; ++i)
    is_same = a->sizes[i] == b->sizes[i] && a->box[i] == b->box[i];
  return is_same;
}

// Has `attributes` be those of the last `last` of the `all` arguments of `kernel`.
static tune_status extend_attributes(MlirOperation kernel, size_t all, MlirAttribute attributes,
                                     size_t last) {
  MlirAttribute *each = calloc(all + 1, sizeof *each),
                known = tune_ir_attribute(kernel, "arg_attrs");
  if (!each)
    return tune_status_out_of_memory("describing a kernel");
  for (size_t i = 0; i < all; ++i)
    each[i] = i < all - last ? mlirArrayAttrGetElement(known, (intptr_t)i) : attributes;
  mlirOperationSetAttributeByName(
      kernel, tune_ir_string("arg_attrs"),
      mlirArrayAttrGet(mlirOperationGetContext(kernel), (intptr_t)all, each));
  free(each);
  return TUNE_OK;
}

// The kernel has one parameter more for each map.
static tune_status add_parameters(MlirOperation kernel, size_t count) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirBlock entry = tune_ir_body(kernel);
  MlirType pointer = mlirTypeParseGet(context, tune_ir_string("!llvm.ptr"));
  for (size_t i = 0; i < count; ++i)
    mlirBlockAddArgument(entry, pointer, mlirOperationGetLocation(kernel));
  intptr_t all = mlirBlockGetNumArguments(entry);
  MlirType *types = calloc((size_t)all, sizeof *types);
  if (!types)
    return tune_status_out_of_memory("describing a kernel");
  for (intptr_t i = 0; i < all; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, i));
  MlirType type = mlirFunctionTypeGet(context, all, types, 0, NULL);
  free(types);
  mlirOperationSetAttributeByName(kernel, tune_ir_string("function_type"), mlirTypeAttrGet(type));
  return extend_attributes(kernel, (size_t)all, mlirDictionaryAttrGet(context, 0, NULL), count);
}

// `maps` are all of the kernel's; `*out_parameters` has which of the parameters each is.
static tune_status open_all(MlirOperation kernel, const tune_op_list *maps,
                            tune_device_kernel *described, size_t *out_parameters) {
  for (size_t i = 0; i < maps->count; ++i) {
    size_t other = 0;
    TUNE_RETURN_IF_ERROR(describe(maps->ops[i], described));
    size_t last = described->map_count - 1;
    while (!is_same(&described->maps[other], &described->maps[last]))
      ++other;
    described->map_count = other == last ? last + 1 : last;
    out_parameters[i] = other;
  }
  TUNE_RETURN_IF_ERROR(add_parameters(kernel, described->map_count));
  MlirBlock entry = tune_ir_body(kernel);
  intptr_t first = mlirBlockGetNumArguments(entry) - (intptr_t)described->map_count;
  for (size_t i = 0; i < maps->count; ++i) {
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(maps->ops[i], 0),
                                  mlirBlockGetArgument(entry, first + (intptr_t)out_parameters[i]));
    mlirOperationDestroy(maps->ops[i]);
  }
  return TUNE_OK;
}

tune_status tune_tensor_maps_lower(MlirOperation kernel, tune_device_kernel *described) {
  tune_op_list maps = {0};
  mlirOperationWalk(kernel, find_map, &maps, MlirWalkPreOrder);
  size_t *parameters = calloc(maps.count + 1, sizeof *parameters);
  tune_status status = TUNE_OK;
  if (!parameters || maps.failed)
    status = tune_status_out_of_memory("listing the tensor maps of a kernel");
  else if (maps.count)
    status = open_all(kernel, &maps, described, parameters);
  free(parameters);
  tune_op_list_deinit(&maps);
  return status;
}

tune_status tune_tensor_maps_finish(MlirOperation kernel, const tune_device_kernel *described) {
  if (!described->map_count)
    return TUNE_OK;
  MlirAttribute parameter =
      mlirAttributeParseGet(mlirOperationGetContext(kernel), tune_ir_string(PARAMETER));
  MlirBlock entry = tune_ir_body(kernel);
  return extend_attributes(kernel, (size_t)mlirBlockGetNumArguments(entry), parameter,
                           described->map_count);
}
