//===- padding.c --------------------------------------------------------------===//

#include "transforms/lower/cpu/padding.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/common/parallel_loops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define MOST_DIMENSIONS TUNE_MOST_PARALLEL_LOOPS
// Threads take less time for a copy of so many bytes than to be woken for it, and back.
#define LEAST_SHARED_BYTES (128 << 10)
// Steps of a parallel copy, at least, that threads can be even with; and bytes of a step.
#define LEAST_STEPS 16
#define LEAST_STEP_BYTES 512

// Memory of a known shape, or a part of it.
typedef struct box {
  intptr_t rank;
  int64_t offset[MOST_DIMENSIONS], size[MOST_DIMENSIONS];
} box;

typedef struct layout {
  int64_t offset, strides[MOST_DIMENSIONS];
} layout;

// False for what is not of a known shape and strides.
static bool read_memory(MlirValue memory, box *out_whole, layout *out_layout) {
  MlirType type = mlirValueGetType(memory);
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type) ||
      mlirShapedTypeGetRank(type) > MOST_DIMENSIONS ||
      mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, out_layout->strides, &out_layout->offset)))
    return false;
  out_whole->rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < out_whole->rank; ++i) {
    out_whole->offset[i] = 0;
    out_whole->size[i] = mlirShapedTypeGetDimSize(type, i);
    if (mlirShapedTypeIsDynamicStrideOrOffset(out_layout->strides[i]))
      return false;
  }
  return true;
}

//===--------------------------------------------------------------------------===//
// Views
//===--------------------------------------------------------------------------===//

// memref.subview of `part` of `memory`, before `place`. The offsets of the first `index_count`
// dimensions are `indices`.
static MlirValue make_view(MlirOperation place, MlirValue memory, const layout *of, const box *part,
                           const MlirValue *indices, intptr_t index_count) {
  MlirContext context = mlirOperationGetContext(place);
  MlirType type = mlirValueGetType(memory);
  int64_t offsets[MOST_DIMENSIONS], ones[MOST_DIMENSIONS], offset = of->offset;
  bool is_known = index_count == 0 && !mlirShapedTypeIsDynamicStrideOrOffset(of->offset);
  for (intptr_t i = 0; i < part->rank; ++i) {
    offsets[i] = i < index_count ? mlirShapedTypeGetDynamicSize() : part->offset[i];
    ones[i] = 1;
    offset += part->offset[i] * of->strides[i];
  }
  if (!is_known)
    offset = mlirShapedTypeGetDynamicStrideOrOffset();
  MlirType result =
      mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), part->rank, part->size,
                        mlirStridedLayoutAttrGet(context, offset, part->rank, of->strides),
                        mlirMemRefTypeGetMemorySpace(type));
  int32_t segments[] = {1, (int32_t)index_count, 0, 0};
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 4, segments)),
      tune_ir_named(context, "static_offsets", mlirDenseI64ArrayGet(context, part->rank, offsets)),
      tune_ir_named(context, "static_sizes", mlirDenseI64ArrayGet(context, part->rank, part->size)),
      tune_ir_named(context, "static_strides", mlirDenseI64ArrayGet(context, part->rank, ones))};
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("memref.subview"), mlirOperationGetLocation(place));
  mlirOperationStateAddOperands(&state, 1, &memory);
  mlirOperationStateAddOperands(&state, index_count, indices);
  mlirOperationStateAddResults(&state, 1, &result);
  mlirOperationStateAddAttributes(&state, 4, attributes);
  MlirOperation view = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, view);
  return mlirOperationGetResult(view, 0);
}

// What part of which memory `value` is; false for other views than those with known offsets and
// steps of one, in as many dimensions.
static bool read_view(MlirValue value, MlirValue *out_memory, box *out_part) {
  if (!mlirValueIsAOpResult(value) || !tune_ir_is(mlirOpResultGetOwner(value), "memref.subview"))
    return false;
  MlirOperation view = mlirOpResultGetOwner(value);
  MlirAttribute offsets = tune_ir_attribute(view, "static_offsets"),
                sizes = tune_ir_attribute(view, "static_sizes"),
                strides = tune_ir_attribute(view, "static_strides");
  intptr_t rank = mlirDenseArrayGetNumElements(offsets);
  if (mlirOperationGetNumOperands(view) != 1 || rank > MOST_DIMENSIONS ||
      mlirShapedTypeGetRank(mlirValueGetType(value)) != rank)
    return false;
  *out_memory = mlirOperationGetOperand(view, 0);
  out_part->rank = rank;
  for (intptr_t i = 0; i < rank; ++i) {
    out_part->offset[i] = mlirDenseI64ArrayGetElement(offsets, i);
    out_part->size[i] = mlirDenseI64ArrayGetElement(sizes, i);
    if (mlirDenseI64ArrayGetElement(strides, i) != 1)
      return false;
  }
  return true;
}

//===--------------------------------------------------------------------------===//
// Fills
//===--------------------------------------------------------------------------===//

// Whether the memory of `value` is known by views of it alone, which can be looked through: it goes
// into no other op that hands it on.
static bool is_known_by_views(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool is_end = mlirOperationEqual(mlirBlockGetTerminator(mlirOperationGetBlock(user)), user);
    if (tune_memory_access_is_view(user) ? !is_known_by_views(mlirOperationGetResult(user, 0))
                                         : is_end && !tune_ir_is(user, "func.return"))
      return false;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(user) && !tune_memory_access_is_view(user);
         ++i) {
      MlirType type = mlirValueGetType(mlirOperationGetResult(user, i));
      bool is_element = mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type) ||
                        mlirTypeIsAVector(type) || tune_ir_is(user, "memref.dim");
      if (!is_element)
        return false;
    }
  }
  return true;
}

// Whether `op` may look at `memory`, or at other ops that do. Those of linalg have bodies that look
// at elements only.
static bool may_touch(MlirOperation op, MlirValue memory) {
  if (mlirOperationGetNumRegions(op) > 0 && !tune_ir_string_starts(tune_ir_name(op), "linalg."))
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(tune_memory_access_look_through_views(mlirOperationGetOperand(op, i)),
                       memory))
      return !tune_memory_access_is_view(op);
  return false;
}

// The copy into a part of `memory` that follows its fill, before anything else looks at it.
static bool find_copy(MlirOperation fill, MlirValue memory, MlirOperation *out_copy,
                      box *out_part) {
  MlirOperation op = mlirOperationGetNextInBlock(fill);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirValue target;
    *out_copy = op;
    bool is_copy = tune_ir_is(op, "memref.copy") || tune_ir_is(op, "linalg.copy");
    if (is_copy &&
        !mlirValueEqual(tune_memory_access_look_through_views(mlirOperationGetOperand(op, 0)),
                        memory) &&
        read_view(mlirOperationGetOperand(op, 1), &target, out_part) &&
        mlirValueEqual(target, memory))
      return true;
    if (may_touch(op, memory))
      return false;
  }
  return false;
}

// A fill of `part` of `memory` in place of `fill`, which is of all of it.
static void fill_part(MlirOperation fill, MlirValue memory, const layout *of, const box *part) {
  for (intptr_t i = 0; i < part->rank; ++i)
    if (part->size[i] <= 0)
      return;
  MlirValue view = make_view(fill, memory, of, part, NULL, 0);
  MlirOperation fill_of_part = mlirOperationClone(fill);
  mlirOperationSetOperand(fill_of_part, 1, view);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(fill), fill, fill_of_part);
}

// Both sides of each dimension: of all there is in the dimensions after it, and in those before it
// of what is between their sides.
static void fill_borders(MlirOperation fill, MlirValue memory, const layout *of, const box *whole,
                         const box *middle) {
  box side = *whole;
  for (intptr_t i = 0; i < whole->rank; ++i) {
    side.size[i] = middle->offset[i];
    fill_part(fill, memory, of, &side);
    side.offset[i] = middle->offset[i] + middle->size[i];
    side.size[i] = whole->size[i] - side.offset[i];
    fill_part(fill, memory, of, &side);
    side.offset[i] = middle->offset[i];
    side.size[i] = middle->size[i];
  }
}

//===--------------------------------------------------------------------------===//
// Copies
//===--------------------------------------------------------------------------===//

static bool is_done_by_one_thread(MlirOperation op) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
    bool is_of_one = tune_ir_is(op, "func.func") &&
                     (!mlirAttributeIsNull(tune_ir_attribute(op, TUNE_AHEAD_ATTRIBUTE)) ||
                      tune_parallel_loops_have_calls(op));
    if (tune_parallel_loops_is_parallel(op) || is_of_one)
      return true;
  }
  return false;
}

static int64_t size_in_bytes(const box *part, MlirType element) {
  int64_t bytes = mlirTypeIsAFloat(element) ? (int64_t)mlirFloatTypeGetWidth(element) / 8
                  : mlirTypeIsAInteger(element)
                      ? ((int64_t)mlirIntegerTypeGetWidth(element) + 7) / 8
                      : 8;
  for (intptr_t i = 0; i < part->rank; ++i)
    bytes *= part->size[i];
  return bytes;
}

// A parallel loop over the first `loops` dimensions around `op`, all of whose memory has the shape
// `whole`; the loop's body has it with views of one step.
static void share(MlirOperation op, const box *whole, intptr_t loops) {
  tune_loop_bounds bounds[MOST_DIMENSIONS];
  MlirValue indices[MOST_DIMENSIONS];
  box line = *whole;
  for (intptr_t i = 0; i < loops; ++i) {
    bounds[i] =
        (tune_loop_bounds){{tune_ir_make_index(op, 0), tune_ir_make_index(op, whole->size[i]),
                            tune_ir_make_index(op, 1)}};
    line.size[i] = 1;
  }
  MlirBlock body = tune_parallel_loops_make(op, bounds, (size_t)loops);
  mlirOperationMoveBefore(op, mlirBlockGetTerminator(body));
  for (intptr_t i = 0; i < loops; ++i)
    indices[i] = mlirBlockGetArgument(body, i);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue memory = mlirOperationGetOperand(op, i);
    box all;
    layout of;
    if (read_memory(memory, &all, &of))
      mlirOperationSetOperand(op, i, make_view(op, memory, &of, &line, indices, loops));
  }
}

// Gives a fill or copy to the threads, where it is large enough.
static void try_share(MlirOperation op) {
  box whole;
  layout of;
  MlirValue target = mlirOperationGetOperand(op, 1);
  if (!read_memory(target, &whole, &of))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue memory = mlirOperationGetOperand(op, i);
    box all;
    if (mlirTypeIsAShaped(mlirValueGetType(memory)) && !read_memory(memory, &all, &of))
      return;
  }
  int64_t bytes = size_in_bytes(&whole, mlirShapedTypeGetElementType(mlirValueGetType(target)));
  intptr_t loops = 0;
  int64_t steps = 1;
  for (; steps < LEAST_STEPS && loops + 1 < whole.rank; ++loops)
    steps *= whole.size[loops];
  if (loops > 0 && bytes >= LEAST_SHARED_BYTES && bytes / steps >= LEAST_STEP_BYTES &&
      !is_done_by_one_thread(op))
    share(op, &whole, loops);
}

//===--------------------------------------------------------------------------===//
// All
//===--------------------------------------------------------------------------===//

// Fills the borders alone where a copy follows; returns that, else the fill.
static MlirOperation open_fill(MlirOperation fill) {
  MlirValue memory = mlirOperationGetOperand(fill, 1);
  box whole, middle;
  layout of;
  MlirOperation copy;
  if (!mlirValueIsAOpResult(memory) || !tune_ir_is(mlirOpResultGetOwner(memory), "memref.alloc") ||
      !read_memory(memory, &whole, &of) || !is_known_by_views(memory) ||
      !find_copy(fill, memory, &copy, &middle))
    return fill;
  fill_borders(fill, memory, &of, &whole, &middle);
  mlirOperationDestroy(fill);
  return copy;
}

// What tensor.pad becomes where no schedule takes it apart: a linalg.map without inputs that yields
// what is known outside of it.
static MlirWalkResult find_map(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "linalg.map") || mlirOperationGetNumOperands(op) != 1 ||
      mlirOperationGetNumResults(op) != 0)
    return MlirWalkResultAdvance;
  MlirOperation yield = mlirBlockGetTerminator(tune_ir_body(op));
  if (tune_ir_is_made_inside(mlirOperationGetOperand(yield, 0), op))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static void make_fill(MlirOperation map) {
  MlirOperation yield = mlirBlockGetTerminator(tune_ir_body(map));
  tune_ir_builder builder = tune_ir_builder_before(map);
  tune_ir_build_fill(&builder, mlirOperationGetOperand(yield, 0), mlirOperationGetOperand(map, 0));
  mlirOperationDestroy(map);
}

static MlirWalkResult find_fill(MlirOperation op, void *user_data) {
  bool is_found = tune_ir_is(op, "linalg.fill") && mlirOperationGetNumOperands(op) == 2 &&
                  mlirOperationGetNumResults(op) == 0;
  return !is_found || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                      : MlirWalkResultInterrupt;
}

tune_status tune_padding_lower(MlirOperation module, bool has_threads) {
  tune_op_list ops = {0}, maps = {0};
  mlirOperationWalk(module, find_map, &maps, MlirWalkPreOrder);
  for (size_t i = 0; i < maps.count; ++i)
    make_fill(maps.ops[i]);
  mlirOperationWalk(module, find_fill, &ops, MlirWalkPreOrder);
  bool failed = ops.failed || maps.failed;
  tune_op_list_deinit(&maps);
  // All of them before any is shared: a copy is not found behind a loop.
  for (size_t i = 0; i < ops.count && !failed; ++i)
    ops.ops[i] = open_fill(ops.ops[i]);
  for (size_t i = 0; i < ops.count && !failed && has_threads; ++i)
    try_share(ops.ops[i]);
  tune_op_list_deinit(&ops);
  return failed ? tune_status_out_of_memory("listing fills") : TUNE_OK;
}
