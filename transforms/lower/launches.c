//===- launches.c - From parallel loops to launches of kernels ------------------------===//

#include "transforms/lower/launches.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/builder.h"

#include <stdio.h>

#define MOST_DIMENSIONS 32
#define AXES 3
#define GROUP_PREFIX "tune.group_"
#define LINE_GROUP 64
#define SQUARE_GROUP 8

// A forall on its way.
typedef struct grid {
  MlirOperation forall;
  size_t rank;
  int64_t lower[MOST_DIMENSIONS], step[MOST_DIMENSIONS], extent[MOST_DIMENSIONS];
  size_t order[MOST_DIMENSIONS]; // dimensions, the one along x first
  int64_t invocations[AXES];     // along each axis
  int64_t group[AXES], count[AXES];
  bool is_line; // all counted in one, cut into pieces
} grid;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===--------------------------------------------------------------------------===//
// Bounds
//===--------------------------------------------------------------------------===//

// 0 to 2 for a mapping to a thread or block of the axis x to z, else AXES.
static size_t mapped_axis(MlirAttribute mapping) {
  static const char *const WORDS[][AXES] = {{"#gpu.thread<x>", "#gpu.thread<y>", "#gpu.thread<z>"},
                                            {"#gpu.block<x>", "#gpu.block<y>", "#gpu.block<z>"}};
  MlirContext context = mlirAttributeGetContext(mapping);
  for (size_t kind = 0; kind < sizeof WORDS / sizeof *WORDS; ++kind)
    for (size_t axis = 0; axis < AXES; ++axis)
      if (mlirAttributeEqual(mapping,
                             mlirAttributeParseGet(context, tune_ir_string(WORDS[kind][axis]))))
        return axis;
  return AXES;
}

static void read_order(grid *self) {
  for (size_t i = 0; i < self->rank; ++i)
    self->order[i] = self->rank - 1 - i;
  MlirAttribute mapping = tune_ir_attribute(self->forall, "mapping");
  if (mlirAttributeIsNull(mapping) || self->rank > AXES)
    return;
  size_t order[AXES] = {AXES, AXES, AXES};
  for (size_t i = 0; i < self->rank; ++i) {
    size_t axis = mapped_axis(mlirArrayAttrGetElement(mapping, (intptr_t)i));
    if (axis >= self->rank || order[axis] != AXES)
      return;
    order[axis] = i;
  }
  for (size_t i = 0; i < self->rank; ++i)
    self->order[i] = order[i];
}

static tune_status read_bounds(grid *self) {
  if (mlirOperationGetNumOperands(self->forall))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, self->forall,
                               "the bounds of the loop are known only at run time; kernels for a "
                               "device have fixed sizes");
  MlirAttribute lower = tune_ir_attribute(self->forall, "staticLowerBound"),
                upper = tune_ir_attribute(self->forall, "staticUpperBound"),
                step = tune_ir_attribute(self->forall, "staticStep");
  self->rank = (size_t)mlirDenseArrayGetNumElements(lower);
  if (self->rank == 0 || self->rank > MOST_DIMENSIONS)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, self->forall,
                               "%zu dimensions; kernels have 1 to %d", self->rank, MOST_DIMENSIONS);
  double total = 1;
  for (size_t i = 0; i < self->rank; ++i) {
    self->lower[i] = mlirDenseI64ArrayGetElement(lower, (intptr_t)i);
    self->step[i] = mlirDenseI64ArrayGetElement(step, (intptr_t)i);
    int64_t end = mlirDenseI64ArrayGetElement(upper, (intptr_t)i);
    self->extent[i] = end > self->lower[i] ? ceil_div(end - self->lower[i], self->step[i]) : 0;
    total *= (double)self->extent[i];
  }
  if (total > INT32_MAX)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, self->forall,
                               "%.0f iterations; indices on a device have 32 bits, which is for up "
                               "to %d",
                               total, INT32_MAX);
  read_order(self);
  for (size_t axis = 0; axis < AXES; ++axis)
    self->invocations[axis] = 1;
  for (size_t i = 0; i < self->rank; ++i)
    self->invocations[i < AXES ? i : AXES - 1] *= self->extent[self->order[i]];
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Groups
//===--------------------------------------------------------------------------===//

static const char *const AXIS_NAMES[] = {"x", "y", "z"};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// The least power of two that is not less.
static int64_t round_up(int64_t number) {
  int64_t power = 1;
  while (power < number)
    power *= 2;
  return power;
}

static void choose_group(grid *self) {
  int64_t x = round_up(self->invocations[0]), y = round_up(self->invocations[1]);
  self->group[2] = 1;
  self->group[0] = least(x, y == 1 ? LINE_GROUP : SQUARE_GROUP);
  self->group[1] = least(y, LINE_GROUP / self->group[0]);
  self->group[0] = least(x, LINE_GROUP / self->group[1]);
}

// Reads the group off the attributes, and takes them away.
static tune_status take_group(grid *self, bool *out_given) {
  *out_given = false;
  int64_t group[AXES] = {1, 1, 1};
  for (size_t axis = 0; axis < AXES; ++axis) {
    char name[sizeof GROUP_PREFIX + 1];
    snprintf(name, sizeof name, "%s%s", GROUP_PREFIX, AXIS_NAMES[axis]);
    MlirAttribute attribute =
        mlirOperationGetDiscardableAttributeByName(self->forall, tune_ir_string(name));
    if (mlirAttributeIsNull(attribute))
      continue;
    if (!mlirAttributeIsAInteger(attribute) || mlirIntegerAttrGetValueInt(attribute) < 1)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, self->forall,
                                 "%s: expected a positive integer", name);
    group[axis] = mlirIntegerAttrGetValueInt(attribute);
    *out_given = true;
    mlirOperationRemoveDiscardableAttributeByName(self->forall, tune_ir_string(name));
  }
  for (size_t axis = 0; axis < AXES && *out_given; ++axis)
    self->group[axis] = group[axis];
  return TUNE_OK;
}

tune_status tune_launches_check_group(MlirOperation op, const int64_t *group,
                                      const tune_device *device) {
  int64_t invocations = 1;
  for (size_t axis = 0; axis < AXES; ++axis) {
    if (group[axis] > device->group_size[axis])
      return tune_status_make_at(
          TUNE_INVALID_ARGUMENT, op, "a group of %lld along %s; the device takes up to %lld",
          (long long)group[axis], AXIS_NAMES[axis], (long long)device->group_size[axis]);
    invocations *= group[axis];
  }
  if (invocations > device->group_invocations)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "a group of %lld invocations; the device takes up to %lld",
                               (long long)invocations, (long long)device->group_invocations);
  return TUNE_OK;
}

static int64_t invocations_of(const grid *self) {
  return self->invocations[0] * self->invocations[1] * self->invocations[2];
}

// Counts all groups in one line and cuts that into pieces the device takes.
static tune_status count_in_line(grid *self, const tune_device *device) {
  self->is_line = true;
  self->group[0] *= self->group[1] * self->group[2];
  self->group[1] = self->group[2] = 1;
  if (self->group[0] > device->group_size[0])
    self->group[0] = device->group_size[0];
  int64_t groups = ceil_div(invocations_of(self), self->group[0]);
  self->count[0] = least(groups, device->group_count[0]);
  self->count[1] = least(ceil_div(groups, self->count[0]), device->group_count[1]);
  self->count[2] = ceil_div(groups, self->count[0] * self->count[1]);
  if (self->count[2] > device->group_count[2])
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, self->forall,
                               "%lld groups of %lld; the device takes up to %lld x %lld x %lld",
                               (long long)groups, (long long)self->group[0],
                               (long long)device->group_count[0], (long long)device->group_count[1],
                               (long long)device->group_count[2]);
  return TUNE_OK;
}

static tune_status plan_groups(grid *self, const tune_device *device) {
  bool given;
  TUNE_RETURN_IF_ERROR(take_group(self, &given));
  if (!given)
    choose_group(self);
  TUNE_RETURN_IF_ERROR(tune_launches_check_group(self->forall, self->group, device));
  bool fits = true;
  for (size_t axis = 0; axis < AXES; ++axis) {
    self->count[axis] = ceil_div(self->invocations[axis], self->group[axis]);
    fits &= self->count[axis] <= device->group_count[axis];
  }
  return fits ? TUNE_OK : count_in_line(self, device);
}

//===--------------------------------------------------------------------------===//
// Indices
//===--------------------------------------------------------------------------===//

// The arguments of a gpu.launch's body, by axis.
enum { BLOCK_ID = 0, THREAD_ID = 3, LAUNCH_ARGUMENTS = 12 };

static MlirValue scaled(MlirOperation place, MlirValue value, int64_t factor) {
  return factor == 1
             ? value
             : tune_build_binary(place, "arith.muli", value, tune_ir_make_index(place, factor));
}

// The invocation's number along `axis`.
static MlirValue make_id(const grid *self, MlirBlock body, MlirOperation place, size_t axis) {
  MlirValue block = mlirBlockGetArgument(body, (intptr_t)(BLOCK_ID + axis));
  MlirValue thread = mlirBlockGetArgument(body, (intptr_t)(THREAD_ID + axis));
  if (self->count[axis] == 1)
    return thread;
  block = scaled(place, block, self->group[axis]);
  return self->group[axis] == 1 ? block : tune_build_binary(place, "arith.addi", block, thread);
}

// The invocation's number in a line that goes on along y and z.
static MlirValue make_id_in_line(const grid *self, MlirBlock body, MlirOperation place) {
  MlirValue block = mlirBlockGetArgument(body, BLOCK_ID);
  int64_t pieces = self->count[0];
  for (size_t axis = 1; axis < AXES; ++axis) {
    MlirValue piece = mlirBlockGetArgument(body, (intptr_t)(BLOCK_ID + axis));
    if (self->count[axis] > 1)
      block = tune_build_binary(place, "arith.addi", block, scaled(place, piece, pieces));
    pieces *= self->count[axis];
  }
  return tune_build_binary(place, "arith.addi", scaled(place, block, self->group[0]),
                           mlirBlockGetArgument(body, THREAD_ID));
}

// Takes the dimensions `order[from]` to before `order[to]`, the fastest first, out of `id`.
static void split_id(const grid *self, MlirOperation place, MlirValue id, size_t from, size_t to,
                     MlirValue *numbers) {
  for (size_t i = from; i < to; ++i) {
    bool is_last = i + 1 == to;
    MlirValue extent = {NULL};
    if (!is_last)
      extent = tune_ir_make_index(place, self->extent[self->order[i]]);
    numbers[self->order[i]] = is_last ? id : tune_build_binary(place, "arith.remui", id, extent);
    if (!is_last)
      id = tune_build_binary(place, "arith.divui", id, extent);
  }
}

// `guard` and that `id` is less than `bound`.
static MlirValue make_guard(MlirOperation place, MlirValue guard, MlirValue id, int64_t bound) {
  MlirContext context = mlirOperationGetContext(place);
  enum { ULT = 6 };
  MlirNamedAttribute predicate =
      tune_ir_named(context, "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), ULT));
  MlirValue operands[] = {id, tune_ir_make_index(place, bound)};
  MlirType bit = mlirIntegerTypeGet(context, 1);
  tune_build_parts parts = {.operands = operands,
                            .operand_count = 2,
                            .results = &bit,
                            .result_count = 1,
                            .attributes = &predicate,
                            .attribute_count = 1};
  MlirValue less = mlirOperationGetResult(tune_build_op(place, "arith.cmpi", &parts), 0);
  return mlirValueIsNull(guard) ? less : tune_build_binary(place, "arith.andi", guard, less);
}

// Computes the number of each dimension; returns whether there is something to do, or a null value
// where there always is.
static MlirValue make_numbers(const grid *self, MlirBlock body, MlirOperation place,
                              MlirValue *numbers) {
  MlirValue guard = {NULL};
  if (self->is_line) {
    MlirValue id = make_id_in_line(self, body, place);
    split_id(self, place, id, 0, self->rank, numbers);
    int64_t bound = invocations_of(self);
    bool is_whole = bound == self->group[0] * self->count[0] * self->count[1] * self->count[2];
    return is_whole ? guard : make_guard(place, guard, id, bound);
  }
  for (size_t axis = 0; axis < AXES && axis < self->rank; ++axis) {
    MlirValue id = make_id(self, body, place, axis);
    split_id(self, place, id, axis, axis + 1 == AXES ? self->rank : axis + 1, numbers);
    if (self->invocations[axis] % self->group[axis])
      guard = make_guard(place, guard, id, self->invocations[axis]);
  }
  return guard;
}

// From the number of the iteration to the value that the loop counts by.
static MlirValue make_counter(const grid *self, MlirOperation place, size_t dimension,
                              MlirValue number) {
  number = scaled(place, number, self->step[dimension]);
  if (self->lower[dimension] == 0)
    return number;
  return tune_build_binary(place, "arith.addi", number,
                           tune_ir_make_index(place, self->lower[dimension]));
}

//===--------------------------------------------------------------------------===//
// Launches
//===--------------------------------------------------------------------------===//

static MlirOperation append(MlirBlock block, const char *name, MlirLocation location) {
  MlirOperationState state = mlirOperationStateGet(tune_ir_string(name), location);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(block, op);
  return op;
}

// The launch, before the forall; what is returned is the end of its body.
static MlirOperation make_launch(const grid *self) {
  MlirContext context = mlirOperationGetContext(self->forall);
  MlirLocation location = mlirOperationGetLocation(self->forall);
  MlirValue sizes[2 * AXES];
  for (size_t axis = 0; axis < AXES; ++axis) {
    sizes[axis] = tune_ir_make_index(self->forall, self->count[axis]);
    sizes[AXES + axis] = tune_ir_make_index(self->forall, self->group[axis]);
  }
  MlirType types[LAUNCH_ARGUMENTS];
  MlirLocation locations[LAUNCH_ARGUMENTS];
  for (size_t i = 0; i < LAUNCH_ARGUMENTS; ++i) {
    types[i] = mlirIndexTypeGet(context);
    locations[i] = location;
  }
  MlirBlock body = mlirBlockCreate(LAUNCH_ARGUMENTS, types, locations);
  MlirOperation end = append(body, "gpu.terminator", location);
  int32_t segments[] = {0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
  MlirNamedAttribute attribute =
      tune_ir_named(context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(context, sizeof segments / sizeof *segments, segments));
  tune_build_parts parts = {.operands = sizes,
                            .operand_count = 2 * AXES,
                            .attributes = &attribute,
                            .attribute_count = 1,
                            .body = body};
  MlirOperation launch = tune_build_op(self->forall, "gpu.launch", &parts);
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(self->forall); ++i) {
    MlirNamedAttribute kept = mlirOperationGetDiscardableAttribute(self->forall, i);
    mlirOperationSetDiscardableAttributeByName(launch, mlirIdentifierStr(kept.name),
                                               kept.attribute);
  }
  return end;
}

// An scf.if before `place`; what is returned is the end of its body.
static MlirOperation make_if(MlirOperation place, MlirValue condition) {
  MlirLocation location = mlirOperationGetLocation(place);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  MlirOperation end = append(body, "scf.yield", location);
  MlirRegion regions[] = {mlirRegionCreate(), mlirRegionCreate()};
  mlirRegionAppendOwnedBlock(regions[0], body);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("scf.if"), location);
  mlirOperationStateAddOperands(&state, 1, &condition);
  mlirOperationStateAddOwnedRegions(&state, 2, regions);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place,
                                      mlirOperationCreate(&state));
  return end;
}

static tune_status open_forall(MlirOperation forall, const tune_device *device) {
  grid self = {.forall = forall};
  TUNE_RETURN_IF_ERROR(read_bounds(&self));
  if (invocations_of(&self) == 0) {
    mlirOperationDestroy(forall);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(plan_groups(&self, device));
  MlirOperation place = make_launch(&self);
  MlirValue numbers[MOST_DIMENSIONS];
  MlirValue guard = make_numbers(&self, mlirOperationGetBlock(place), place, numbers);
  if (!mlirValueIsNull(guard))
    place = make_if(place, guard);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  for (size_t i = 0; i < self.rank; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, (intptr_t)i),
                                  make_counter(&self, place, i, numbers[i]));
  MlirOperation end = mlirBlockGetTerminator(body), next;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationMoveBefore(op, place);
  }
  mlirOperationDestroy(forall);
  return TUNE_OK;
}

tune_status tune_launches_open(MlirOperation function, const tune_device *device) {
  static const char *const MADE_OF[] = {"arith", "gpu", "scf", NULL};
  tune_build_load(mlirOperationGetContext(function), MADE_OF);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirStringRef name = tune_ir_name(op);
    if (tune_ir_is(op, "scf.forall"))
      TUNE_RETURN_IF_ERROR(open_forall(op, device));
    else if (tune_ir_string_starts(name, "scf.") || tune_ir_string_starts(name, "affine.for"))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "%.*s: a loop around a kernel; for a device the outermost loops "
                                 "are scf.forall",
                                 (int)name.length, name.data);
  }
  return TUNE_OK;
}
