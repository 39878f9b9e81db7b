//===- launches.c - Parallel loops as launches of kernels --------------------===//

#include "transforms/lower/gpu/launches.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/gpu/launch_grid.h"

//===--------------------------------------------------------------------------===//
// Indices
//===--------------------------------------------------------------------------===//

// The arguments of a gpu.launch's body, by axis.
enum { BLOCK_ID = 0, THREAD_ID = 3, LAUNCH_ARGUMENTS = 12 };

static MlirValue scaled(const tune_ir_builder *place, MlirValue value, int64_t factor) {
  return factor == 1
             ? value
             : tune_ir_build_binary(place, "arith.muli", value, tune_ir_build_index(place, factor));
}

// The invocation's number along `axis`.
static MlirValue make_id(const tune_launch_grid *self, MlirBlock body, const tune_ir_builder *place,
                         size_t axis) {
  MlirValue block = mlirBlockGetArgument(body, (intptr_t)(BLOCK_ID + axis));
  MlirValue thread = mlirBlockGetArgument(body, (intptr_t)(THREAD_ID + axis));
  if (self->count[axis] == 1)
    return thread;
  block = scaled(place, block, self->group[axis]);
  return self->group[axis] == 1 ? block : tune_ir_build_binary(place, "arith.addi", block, thread);
}

// The invocation's number in a line that goes on along y and z.
static MlirValue make_id_in_line(const tune_launch_grid *self, MlirBlock body,
                                 const tune_ir_builder *place) {
  MlirValue block = mlirBlockGetArgument(body, BLOCK_ID);
  int64_t pieces = self->count[0];
  for (size_t axis = 1; axis < TUNE_LAUNCH_AXES; ++axis) {
    MlirValue piece = mlirBlockGetArgument(body, (intptr_t)(BLOCK_ID + axis));
    if (self->count[axis] > 1)
      block = tune_ir_build_binary(place, "arith.addi", block, scaled(place, piece, pieces));
    pieces *= self->count[axis];
  }
  return tune_ir_build_binary(place, "arith.addi", scaled(place, block, self->group[0]),
                              mlirBlockGetArgument(body, THREAD_ID));
}

// Takes the dimensions `order[from]` to before `order[to]`, the fastest first, out of `id`.
static void split_id(const tune_launch_grid *self, const tune_ir_builder *place, MlirValue id,
                     size_t from, size_t to, MlirValue *numbers) {
  for (size_t i = from; i < to; ++i) {
    bool is_last = i + 1 == to;
    MlirValue extent = {NULL};
    if (!is_last)
      extent = tune_ir_build_index(place, self->extent[self->order[i]]);
    numbers[self->order[i]] = is_last ? id : tune_ir_build_binary(place, "arith.remui", id, extent);
    if (!is_last)
      id = tune_ir_build_binary(place, "arith.divui", id, extent);
  }
}

// `guard` and that `id` is less than `bound`.
static MlirValue make_guard(const tune_ir_builder *place, MlirValue guard, MlirValue id,
                            int64_t bound) {
  MlirValue less = tune_ir_build_compare(place, "ult", id, tune_ir_build_index(place, bound));
  return mlirValueIsNull(guard) ? less : tune_ir_build_binary(place, "arith.andi", guard, less);
}

// `id`, or the last one below `bound`.
static MlirValue clamp(const tune_ir_builder *place, MlirValue id, int64_t bound) {
  return tune_ir_build_binary(place, "arith.minui", id, tune_ir_build_index(place, bound - 1));
}

// Computes the number of each dimension; returns whether there is something to do, or a null value
// where there always is. With `clamps` the numbers are those of some iteration all the same.
static MlirValue make_numbers(const tune_launch_grid *self, MlirBlock body,
                              const tune_ir_builder *place, bool clamps, MlirValue *numbers) {
  MlirValue guard = {NULL};
  if (self->is_line) {
    MlirValue id = make_id_in_line(self, body, place);
    int64_t bound = tune_launch_grid_invocations(self);
    bool is_whole = bound == self->group[0] * self->count[0] * self->count[1] * self->count[2];
    if (!is_whole)
      guard = make_guard(place, guard, id, bound);
    split_id(self, place, clamps && !is_whole ? clamp(place, id, bound) : id, 0, self->rank,
             numbers);
    return guard;
  }
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES && axis < self->rank; ++axis) {
    MlirValue id = make_id(self, body, place, axis);
    if (self->invocations[axis] % self->group[axis]) {
      guard = make_guard(place, guard, id, self->invocations[axis]);
      if (clamps)
        id = clamp(place, id, self->invocations[axis]);
    }
    split_id(self, place, id, axis, axis + 1 == TUNE_LAUNCH_AXES ? self->rank : axis + 1, numbers);
  }
  return guard;
}

// From the number of the iteration to the value that the loop counts by.
static MlirValue make_counter(const tune_launch_grid *self, const tune_ir_builder *place,
                              size_t dimension, MlirValue number) {
  number = scaled(place, number, self->step[dimension]);
  if (self->lower[dimension] == 0)
    return number;
  return tune_ir_build_binary(place, "arith.addi", number,
                              tune_ir_build_index(place, self->lower[dimension]));
}

//===--------------------------------------------------------------------------===//
// Launches
//===--------------------------------------------------------------------------===//

// What the kernel is told of clusters, where there are such.
static void set_cluster(const tune_launch_grid *self, MlirOperation launch) {
  int32_t sizes[TUNE_LAUNCH_AXES];
  int64_t groups = 1;
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES; ++axis) {
    sizes[axis] = (int32_t)self->cluster[axis];
    groups *= self->cluster[axis];
  }
  if (groups > 1)
    mlirOperationSetDiscardableAttributeByName(
        launch, tune_ir_string(TUNE_PTX_CLUSTER_ATTRIBUTE),
        mlirDenseI32ArrayGet(mlirOperationGetContext(launch), TUNE_LAUNCH_AXES, sizes));
}

// The launch, before the forall; what is returned is in it.
static tune_ir_builder make_launch(const tune_launch_grid *self) {
  tune_ir_builder builder = tune_ir_builder_before(self->forall);
  MlirValue sizes[2 * TUNE_LAUNCH_AXES];
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES; ++axis) {
    sizes[axis] = tune_ir_build_index(&builder, self->count[axis]);
    sizes[TUNE_LAUNCH_AXES + axis] = tune_ir_build_index(&builder, self->group[axis]);
  }
  MlirBlock body = tune_ir_make_block(&builder, LAUNCH_ARGUMENTS);
  MlirRegion region = tune_ir_make_region(body);
  int32_t segments[] = {0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
  MlirNamedAttribute attribute = tune_ir_named(
      builder.context, "operandSegmentSizes",
      mlirDenseI32ArrayGet(builder.context, sizeof segments / sizeof *segments, segments));
  MlirOperation launch =
      tune_ir_build(&builder, &(tune_ir_parts){.name = "gpu.launch",
                                               .operand_count = 2 * TUNE_LAUNCH_AXES,
                                               .operands = sizes,
                                               .attribute_count = 1,
                                               .attributes = &attribute,
                                               .region_count = 1,
                                               .regions = &region});
  tune_ir_copy_attributes(self->forall, launch);
  set_cluster(self, launch);
  builder = tune_ir_builder_at_end(body, builder.location);
  builder.before = tune_ir_build(&builder, &(tune_ir_parts){.name = "gpu.terminator"});
  return builder;
}

//===--------------------------------------------------------------------------===//
// Invocations without an iteration
//===--------------------------------------------------------------------------===//

typedef struct write_list {
  tune_op_list writes;
  bool is_opaque; // there may be other writes
} write_list;

static MlirWalkResult list_write(MlirOperation op, void *user_data) {
  write_list *list = user_data;
  static const char *const PREFIXES[] = {"arith.", "math.", "affine.", "scf."};
  static const char *const READS[] = {"vector.", "memref.load", "memref.subview", "memref.alloca"};
  if (tune_ir_is(op, "vector.transfer_write") || tune_ir_is(op, "vector.store") ||
      tune_ir_is(op, "memref.store"))
    return tune_op_list_add(&list->writes, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
  MlirStringRef name = tune_ir_name(op);
  bool is_known = tune_ir_is(op, "vector.mask") ? false : tune_ir_string_starts(name, READS[0]);
  for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES && !is_known; ++i)
    is_known = tune_ir_string_starts(name, PREFIXES[i]);
  for (size_t i = 1; i < sizeof READS / sizeof *READS && !is_known; ++i)
    is_known = tune_ir_is(op, READS[i]);
  list->is_opaque |= !is_known;
  return MlirWalkResultAdvance;
}

// Where lanes read together what all of them need, those without an iteration of their own have to
// be there: they compute what the last one does, and write nothing. `*out_list` has the writes.
static tune_status find_writes(MlirOperation forall, write_list *out_list) {
  *out_list = (write_list){.is_opaque = false};
  mlirOperationWalk(forall, list_write, out_list, MlirWalkPreOrder);
  return out_list->writes.failed ? tune_status_out_of_memory("listing writes") : TUNE_OK;
}

static void guard_writes(const write_list *list, MlirValue guard) {
  for (size_t i = 0; i < list->writes.count; ++i) {
    tune_ir_builder place = tune_ir_builder_before(list->writes.ops[i]);
    place = tune_ir_build_if(&place, guard);
    tune_ir_move(&place, list->writes.ops[i]);
  }
}

static tune_status open_forall(MlirOperation forall, const tune_device *device, bool shares) {
  tune_launch_grid self;
  TUNE_RETURN_IF_ERROR(tune_launch_grid_read(forall, &self));
  if (tune_launch_grid_invocations(&self) == 0) {
    mlirOperationDestroy(forall);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(tune_launch_grid_plan(&self, device));
  tune_ir_builder place = make_launch(&self);
  MlirValue numbers[TUNE_LAUNCH_MOST_DIMENSIONS];
  write_list list = {.is_opaque = true};
  if (shares)
    TUNE_RETURN_IF_ERROR(find_writes(forall, &list));
  MlirValue guard = make_numbers(&self, place.block, &place, !list.is_opaque, numbers);
  if (!mlirValueIsNull(guard) && list.is_opaque)
    place = tune_ir_build_if(&place, guard);
  MlirBlock body = tune_ir_body(forall);
  for (size_t i = 0; i < self.rank; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, (intptr_t)i),
                                  make_counter(&self, &place, i, numbers[i]));
  tune_ir_move_body(&place, body);
  if (!mlirValueIsNull(guard) && !list.is_opaque)
    guard_writes(&list, guard);
  tune_op_list_deinit(&list.writes);
  mlirOperationDestroy(forall);
  return TUNE_OK;
}

tune_status tune_launches_lower(MlirOperation function, const tune_device *device) {
  static const char *const MADE_OF[] = {"arith", "gpu", "scf", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(function), MADE_OF);
  MlirBlock body = tune_ir_body(function);
  MlirAttribute share = tune_ir_attribute(function, TUNE_GPU_SHARE_ATTRIBUTE);
  bool shares = !mlirAttributeIsNull(share) && mlirAttributeIsAInteger(share) &&
                mlirIntegerAttrGetValueInt(share) > 1;
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirStringRef name = tune_ir_name(op);
    if (tune_ir_is(op, "scf.forall"))
      TUNE_RETURN_IF_ERROR(open_forall(op, device, shares));
    else if (tune_ir_is(op, "scf.if") || tune_ir_is(op, "scf.while") ||
             tune_ir_is(op, "scf.index_switch"))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "%.*s: a branch around kernels; a device program launches all of "
                                 "its kernels, one after the other: build for a cpu, or a program "
                                 "for each branch and choose in what calls them",
                                 (int)name.length, name.data);
    else if (tune_ir_string_starts(name, "scf.") || tune_ir_string_starts(name, "affine.for"))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "%.*s: a loop around a kernel; for a device the outermost loops "
                                 "are scf.forall",
                                 (int)name.length, name.data);
  }
  return TUNE_OK;
}
