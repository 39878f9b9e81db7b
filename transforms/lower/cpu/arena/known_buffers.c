//===- known_buffers.c -----------------------------------------------------------===//

#include "transforms/lower/cpu/arena/known_buffers.h"

#include "transforms/ir/ir.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/common/parallel_loops.h"
#include "transforms/lower/cpu/arena/arena_offsets.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

// More is no memory, and sums of some thousands of them are to be numbers.
#define MOST_BYTES (INT64_C(1) << 46)

// As the LLVM dialect has them in memory; -1: others.
static int64_t element_bytes(MlirType type) {
  if (mlirTypeIsAIndex(type))
    return 8;
  if (mlirTypeIsAInteger(type)) {
    unsigned width = mlirIntegerTypeGetWidth(type);
    int64_t bytes = 1;
    while (bytes * 8 < width)
      bytes *= 2;
    return width > 64 ? -1 : bytes;
  }
  if (mlirTypeIsAComplex(type)) {
    int64_t half = element_bytes(mlirComplexTypeGetElementType(type));
    return half < 0 ? -1 : 2 * half;
  }
  if (tune_ir_is_short_float(type))
    return 2;
  return mlirTypeIsAF32(type) ? 4 : mlirTypeIsAF64(type) ? 8 : -1;
}

int64_t tune_known_buffer_bytes(MlirType type) {
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) ||
      !mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)))
    return -1;
  int64_t bytes = element_bytes(mlirShapedTypeGetElementType(type));
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type) && bytes >= 0; ++i)
    if (__builtin_mul_overflow(bytes, mlirShapedTypeGetDimSize(type, i), &bytes))
      return -1;
  return bytes <= MOST_BYTES ? bytes : -1;
}

static bool has_large_alignment(MlirOperation op) {
  MlirAttribute alignment = tune_ir_attribute(op, "alignment");
  return !mlirAttributeIsNull(alignment) &&
         mlirIntegerAttrGetValueInt(alignment) > TUNE_ARENA_ALIGNMENT;
}

bool tune_known_buffer_is(MlirOperation op) {
  return tune_ir_is(op, "memref.alloc") && !has_large_alignment(op) &&
         mlirOperationGetNumOperands(op) == 0 &&
         tune_known_buffer_bytes(mlirValueGetType(mlirOperationGetResult(op, 0))) > 0;
}

MlirValue tune_known_buffer_allocate(const tune_ir_builder *builder, MlirType type) {
  MlirType i64 = mlirIntegerTypeGet(builder->context, 64);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(builder->context, "alignment", mlirIntegerAttrGet(i64, TUNE_ARENA_ALIGNMENT)),
      tune_ir_named(builder->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(builder->context, 2, (const int32_t[]){0, 0}))};
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "memref.alloc",
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 2,
                                                        .attributes = attributes});
}

static bool gives_memory(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (!mlirTypeIsAInteger(type) && !mlirTypeIsAIndex(type) && !mlirTypeIsAFloat(type) &&
        !mlirTypeIsAVector(type) && !mlirTypeIsAComplex(type))
      return true;
  }
  return false;
}

static bool only_looks(MlirOperation op) {
  static const char *const DIALECTS[] = {"memref.", "vector.",    "linalg.",
                                         "affine.", "x86vector.", NULL};
  if (gives_memory(op) || tune_ir_is(op, "memref.dealloc") ||
      tune_ir_is(op, "memref.extract_aligned_pointer_as_index"))
    return false;
  if (tune_ir_is(op, "func.call"))
    return true;
  for (const char *const *dialect = DIALECTS; *dialect; ++dialect)
    if (tune_ir_string_starts(tune_ir_name(op), *dialect))
      return true;
  return false;
}

bool tune_known_buffer_stays(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tune_memory_access_is_view(user) ? !tune_known_buffer_stays(mlirOperationGetResult(user, 0))
                                         : !only_looks(user))
      return false;
  }
  return true;
}

typedef struct lister {
  MlirOperation root;
  bool has_threads;
  tune_op_list *buffers;
} lister;

static MlirWalkResult list(MlirOperation op, void *user_data) {
  const lister *self = user_data;
  // Its body is a function of each thread.
  if (self->has_threads && !mlirOperationEqual(op, self->root) &&
      (tune_parallel_loops_is_parallel(op) || tune_ir_string_starts(tune_ir_name(op), "omp.")))
    return MlirWalkResultSkip;
  // Among several blocks the order of ops is not that of time.
  if (tune_known_buffer_is(op) && tune_ir_is_only_block(mlirOperationGetBlock(op)) &&
      tune_known_buffer_stays(mlirOperationGetResult(op, 0)) &&
      !tune_op_list_add(self->buffers, op))
    return MlirWalkResultInterrupt;
  return MlirWalkResultAdvance;
}

void tune_known_buffers_list(MlirOperation root, bool has_threads, tune_op_list *out_buffers) {
  lister self = {.root = root, .has_threads = has_threads, .buffers = out_buffers};
  mlirOperationWalk(root, list, &self, MlirWalkPreOrder);
}
