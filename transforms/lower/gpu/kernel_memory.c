//===- kernel_memory.c - Memory that a kernel takes for itself ---------------===//

#include "transforms/lower/gpu/kernel_memory.h"

#include "dialects/diagnostic.h"
#include "formats/device_facts.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/gpu/launch_sinking.h"

#include <stdlib.h>

#define MOST_DIMENSIONS 32

// As upstream's map-memref-spirv-storage-class has it for Vulkan.
#define SHARED_SPACE "#gpu.address_space<workgroup>"
enum { WORKGROUP_SPACE = 3, FUNCTION_SPACE = 6 };

//===--------------------------------------------------------------------------===//
// Types
//===--------------------------------------------------------------------------===//

static int64_t element_bytes(MlirType type) {
  if (mlirTypeIsAVector(type)) {
    int64_t bytes = element_bytes(mlirShapedTypeGetElementType(type));
    for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
      bytes *= mlirShapedTypeGetDimSize(type, i);
    return bytes;
  }
  if (mlirTypeIsAIndex(type))
    return 8;
  int64_t bits = mlirTypeIsAFloat(type)     ? (int64_t)mlirFloatTypeGetWidth(type)
                 : mlirTypeIsAInteger(type) ? (int64_t)mlirIntegerTypeGetWidth(type)
                                            : -8;
  return bits == 1 ? 1 : bits % 8 ? -1 : bits / 8;
}

int64_t tune_kernel_memory_bytes(MlirType type) {
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type) ||
      mlirShapedTypeGetRank(type) > MOST_DIMENSIONS)
    return -1;
  int64_t bytes = element_bytes(mlirShapedTypeGetElementType(type));
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type) && bytes >= 0; ++i)
    if (__builtin_mul_overflow(bytes, mlirShapedTypeGetDimSize(type, i), &bytes))
      return -1;
  return bytes;
}

static MlirType with_space(MlirType type, MlirAttribute space) {
  int64_t shape[MOST_DIMENSIONS];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), rank, shape,
                           mlirMemRefTypeGetLayout(type), space);
}

// Gives `value` and the views of it the memory space.
static void set_space(MlirValue value, MlirAttribute space) {
  mlirValueSetType(value, with_space(mlirValueGetType(value), space));
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tune_memory_access_is_view(user))
      set_space(mlirOperationGetResult(user, 0), space);
  }
}

// Of CUDA the gpu dialect's own words are converted, and an invocation's own memory has none.
static MlirAttribute make_space(MlirContext context, bool is_shared, bool is_cuda) {
  if (is_cuda)
    return is_shared ? mlirAttributeParseGet(context, tune_ir_string(SHARED_SPACE))
                     : mlirAttributeGetNull();
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64),
                            is_shared ? WORKGROUP_SPACE : FUNCTION_SPACE);
}

bool tune_kernel_memory_is_shared(MlirType type) {
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(type);
  if (mlirAttributeIsNull(space))
    return false;
  if (mlirAttributeIsAInteger(space))
    return mlirIntegerAttrGetValueInt(space) == WORKGROUP_SPACE;
  MlirContext context = mlirTypeGetContext(type);
  static const char *const WORDS[] = {SHARED_SPACE, "#spirv.storage_class<Workgroup>"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; ++i)
    if (mlirAttributeEqual(space, mlirAttributeParseGet(context, tune_ir_string(WORDS[i]))))
      return true;
  return false;
}

//===--------------------------------------------------------------------------===//
// Memory
//===--------------------------------------------------------------------------===//

typedef struct memory_ops {
  tune_op_list taken, given_back;
} memory_ops;

static MlirWalkResult find_memory(MlirOperation op, void *user_data) {
  memory_ops *ops = user_data;
  bool is_added = true;
  if (tune_ir_is(op, "memref.alloc") || tune_ir_is(op, "memref.alloca"))
    is_added = tune_op_list_add(&ops->taken, op);
  else if (tune_ir_is(op, "memref.dealloc"))
    is_added = tune_op_list_add(&ops->given_back, op);
  return is_added ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

int64_t tune_kernel_memory_alignment(MlirOperation allocation) {
  const int64_t least = 128, most = TUNE_CUDA_SHARED_ALIGNMENT;
  MlirAttribute alignment = tune_ir_attribute(allocation, "alignment");
  int64_t value = mlirAttributeIsNull(alignment) ? 0 : mlirIntegerAttrGetValueInt(alignment);
  return value < least ? least : value < most ? value : most;
}

int64_t tune_kernel_memory_put(MlirOperation allocation, int64_t start, int64_t *out_offset) {
  int64_t alignment = tune_kernel_memory_alignment(allocation);
  *out_offset = (start + alignment - 1) / alignment * alignment;
  return *out_offset +
         tune_kernel_memory_bytes(mlirValueGetType(mlirOperationGetResult(allocation, 0)));
}

// Of all allocations of workgroup memory, which stand where the kernel begins, in their order.
static int64_t count_shared_bytes(MlirBlock entry, bool is_cuda) {
  int64_t bytes = 0, offset;
  for (MlirOperation op = mlirBlockGetFirstOperation(entry); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!tune_ir_is(op, "memref.alloc"))
      continue;
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    bytes = is_cuda ? tune_kernel_memory_put(op, bytes, &offset)
                    : bytes + tune_kernel_memory_bytes(type);
  }
  return bytes;
}

static MlirOperation make_allocation(MlirOperation old, const char *name) {
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string(name), mlirOperationGetLocation(old));
  MlirContext context = mlirOperationGetContext(old);
  int32_t segments[] = {0, 0};
  MlirAttribute alignment = tune_ir_attribute(old, "alignment");
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments)),
      tune_ir_named(context, "alignment", alignment)};
  MlirType type = mlirValueGetType(mlirOperationGetResult(old, 0));
  mlirOperationStateAddAttributes(&state, mlirAttributeIsNull(alignment) ? 1 : 2, attributes);
  mlirOperationStateAddResults(&state, 1, &type);
  return mlirOperationCreate(&state);
}

// Variables are made where the kernel begins, whatever loop the memory is of.
static void replace(MlirOperation old, MlirBlock entry, bool is_shared, bool is_cuda) {
  const char *name = is_shared ? "memref.alloc" : "memref.alloca";
  MlirOperation allocation = make_allocation(old, name);
  mlirBlockInsertOwnedOperationBefore(entry, mlirBlockGetFirstOperation(entry), allocation);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(old, 0),
                                mlirOperationGetResult(allocation, 0));
  mlirOperationDestroy(old);
  set_space(mlirOperationGetResult(allocation, 0),
            make_space(mlirOperationGetContext(allocation), is_shared, is_cuda));
}

static tune_status place_allocation(MlirOperation op, MlirBlock entry, bool is_cuda) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (tune_kernel_memory_bytes(type) < 0)
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, op,
        "memory in a kernel of a size known only at run time; " TUNE_DEVICE_FIXED_SIZES);
  replace(op, entry, tune_kernel_memory_is_shared(type), is_cuda);
  return TUNE_OK;
}

static tune_status place_all(const memory_ops *ops, MlirOperation kernel,
                             const tune_device *device) {
  MlirBlock entry = tune_ir_body(kernel);
  int64_t most = device->shared_bytes;
  if (most < device->shared_bytes_most)
    most = device->shared_bytes_most;
  for (size_t i = 0; i < ops->given_back.count; ++i)
    mlirOperationDestroy(ops->given_back.ops[i]);
  for (size_t i = 0; i < ops->taken.count; ++i)
    TUNE_RETURN_IF_ERROR(
        place_allocation(ops->taken.ops[i], entry, !tune_device_is_vulkan(device)));
  int64_t shared_bytes = count_shared_bytes(entry, !tune_device_is_vulkan(device));
  if (shared_bytes > most)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, kernel,
                               "%lld bytes of workgroup memory; the device has %lld",
                               (long long)shared_bytes, (long long)most);
  return TUNE_OK;
}

// A texture is a buffer like others until its kernel is SPIR-V (texels.h).
static tune_status open_texels(MlirOperation kernel) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirBlock entry = tune_ir_body(kernel);
  intptr_t count = mlirBlockGetNumArguments(entry);
  MlirType *types = calloc((size_t)count + 1, sizeof *types);
  if (!types)
    return tune_status_out_of_memory("placing the memory of a kernel");
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, i);
    if (tune_launch_sinking_is_texels(mlirValueGetType(argument)))
      set_space(argument, mlirAttributeGetNull());
    types[i] = mlirValueGetType(argument);
  }
  MlirType type = mlirFunctionTypeGet(context, count, types, 0, NULL);
  mlirOperationSetAttributeByName(kernel, tune_ir_string("function_type"), mlirTypeAttrGet(type));
  free(types);
  return TUNE_OK;
}

tune_status tune_kernel_memory_place(MlirOperation kernel, const tune_device *device) {
  memory_ops ops = {.taken = {0}, .given_back = {0}};
  mlirOperationWalk(kernel, find_memory, &ops, MlirWalkPreOrder);
  tune_status status = ops.taken.failed || ops.given_back.failed
                           ? tune_status_out_of_memory("listing the memory of a kernel")
                           : place_all(&ops, kernel, device);
  tune_op_list_deinit(&ops.taken);
  tune_op_list_deinit(&ops.given_back);
  return tune_status_is_ok(status) ? open_texels(kernel) : status;
}
