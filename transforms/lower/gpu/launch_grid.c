//===- launch_grid.c - The grid of a launch: iterations to workgroups and invocations -===//

#include "transforms/lower/gpu/launch_grid.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/attributes.h"

#include <stdio.h>

#define GROUP_PREFIX "tune.group_"
#define LINE_GROUP 64
#define SQUARE_GROUP 8

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===--------------------------------------------------------------------------===//
// Bounds
//===--------------------------------------------------------------------------===//

// 0 to 2 for a mapping to a thread or block of the axis x to z, else TUNE_LAUNCH_AXES.
static size_t mapped_axis(MlirAttribute mapping) {
  static const char *const WORDS[][TUNE_LAUNCH_AXES] = {
      {"#gpu.thread<x>", "#gpu.thread<y>", "#gpu.thread<z>"},
      {"#gpu.block<x>", "#gpu.block<y>", "#gpu.block<z>"}};
  MlirContext context = mlirAttributeGetContext(mapping);
  for (size_t kind = 0; kind < sizeof WORDS / sizeof *WORDS; ++kind)
    for (size_t axis = 0; axis < TUNE_LAUNCH_AXES; ++axis)
      if (mlirAttributeEqual(mapping,
                             mlirAttributeParseGet(context, tune_ir_string(WORDS[kind][axis]))))
        return axis;
  return TUNE_LAUNCH_AXES;
}

static void read_order(tune_launch_grid *self) {
  // Along an axis of one iteration all of a group but one would have nothing to do.
  size_t count = 0;
  for (size_t i = self->rank; i-- > 0;)
    if (self->extent[i] > 1)
      self->order[count++] = i;
  self->axis_count = count < TUNE_LAUNCH_AXES ? count : TUNE_LAUNCH_AXES;
  for (size_t i = self->rank; i-- > 0;)
    if (self->extent[i] <= 1)
      self->order[count++] = i;
  MlirAttribute mapping = tune_ir_attribute(self->forall, "mapping");
  if (mlirAttributeIsNull(mapping) || self->rank > TUNE_LAUNCH_AXES)
    return;
  size_t order[TUNE_LAUNCH_AXES] = {TUNE_LAUNCH_AXES, TUNE_LAUNCH_AXES, TUNE_LAUNCH_AXES};
  for (size_t i = 0; i < self->rank; ++i) {
    size_t axis = mapped_axis(mlirArrayAttrGetElement(mapping, (intptr_t)i));
    if (axis >= self->rank || order[axis] != TUNE_LAUNCH_AXES)
      return;
    order[axis] = i;
  }
  self->axis_count = self->rank;
  for (size_t i = 0; i < self->rank; ++i)
    self->order[i] = order[i];
}

static tune_status read_bounds(tune_launch_grid *self) {
  if (mlirOperationGetNumOperands(self->forall))
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, self->forall,
        "the bounds of the loop are known only at run time; " TUNE_DEVICE_FIXED_SIZES);
  MlirAttribute lower = tune_ir_attribute(self->forall, "staticLowerBound"),
                upper = tune_ir_attribute(self->forall, "staticUpperBound"),
                step = tune_ir_attribute(self->forall, "staticStep");
  self->rank = (size_t)mlirDenseArrayGetNumElements(lower);
  if (self->rank == 0 || self->rank > TUNE_LAUNCH_MOST_DIMENSIONS)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, self->forall,
                               "%zu dimensions; kernels have 1 to %d", self->rank,
                               TUNE_LAUNCH_MOST_DIMENSIONS);
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
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES; ++axis)
    self->invocations[axis] = 1;
  for (size_t i = 0; i < self->rank; ++i)
    self->invocations[i < TUNE_LAUNCH_AXES ? i : TUNE_LAUNCH_AXES - 1] *=
        self->extent[self->order[i]];
  return TUNE_OK;
}

tune_status tune_launch_grid_read(MlirOperation forall, tune_launch_grid *out_grid) {
  *out_grid = (tune_launch_grid){.forall = forall};
  return read_bounds(out_grid);
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

static void choose_group(tune_launch_grid *self) {
  int64_t x = round_up(self->invocations[0]), y = round_up(self->invocations[1]);
  self->group[2] = 1;
  self->group[0] = least(x, y == 1 ? LINE_GROUP : SQUARE_GROUP);
  self->group[1] = least(y, LINE_GROUP / self->group[0]);
  self->group[0] = least(x, LINE_GROUP / self->group[1]);
}

// Reads the group off the attributes, and takes them away.
static tune_status take_group(tune_launch_grid *self, bool *out_given) {
  *out_given = false;
  int64_t group[TUNE_LAUNCH_AXES] = {1, 1, 1};
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES; ++axis) {
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
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES && *out_given; ++axis)
    self->group[axis] = axis < self->axis_count ? group[axis] : 1;
  return TUNE_OK;
}

tune_status tune_launch_grid_check_group(MlirOperation op, const int64_t *group,
                                         const tune_device *device) {
  int64_t invocations = 1;
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES; ++axis) {
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

tune_status tune_launch_grid_read_group(MlirOperation kernel, const tune_device *device,
                                        int64_t *out_group) {
  MlirAttribute known = tune_ir_attribute(kernel, "known_block_size");
  if (mlirAttributeIsNull(known))
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, kernel,
        "the size of the kernel's groups is known only at run time; " TUNE_DEVICE_FIXED_SIZES);
  for (intptr_t i = 0; i < TUNE_LAUNCH_AXES; ++i)
    out_group[i] = mlirDenseI32ArrayGetElement(known, i);
  return tune_launch_grid_check_group(kernel, out_group, device);
}

int64_t tune_launch_grid_invocations(const tune_launch_grid *self) {
  return self->invocations[0] * self->invocations[1] * self->invocations[2];
}

// Counts all groups in one line and cuts that into pieces the device takes.
static tune_status count_in_line(tune_launch_grid *self, const tune_device *device) {
  self->is_line = true;
  self->group[0] *= self->group[1] * self->group[2];
  self->group[1] = self->group[2] = 1;
  if (self->group[0] > device->group_size[0])
    self->group[0] = device->group_size[0];
  int64_t groups = ceil_div(tune_launch_grid_invocations(self), self->group[0]);
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

// The axis that dimension `dimension` has for itself, TUNE_LAUNCH_AXES where it has none.
static size_t axis_of(const tune_launch_grid *self, size_t dimension) {
  size_t axis = 0;
  while (axis < TUNE_LAUNCH_AXES && (axis >= self->rank || self->order[axis] != dimension))
    ++axis;
  return axis;
}

// Reads the clusters off the attribute, and takes it away.
static tune_status take_cluster(tune_launch_grid *self, const tune_device *device) {
  MlirStringRef name = tune_ir_string(TUNE_LAUNCH_CLUSTER_ATTRIBUTE);
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES; ++axis)
    self->cluster[axis] = 1;
  MlirAttribute sizes = mlirOperationGetDiscardableAttributeByName(self->forall, name);
  if (mlirAttributeIsNull(sizes))
    return TUNE_OK;
  bool fits = mlirAttributeIsADenseI64Array(sizes) && device->arch >= 90 && !self->is_line;
  size_t count = fits ? (size_t)mlirDenseArrayGetNumElements(sizes) : 0, last = TUNE_LAUNCH_AXES;
  for (size_t i = 0; i < count && fits; ++i) {
    int64_t size = mlirDenseI64ArrayGetElement(sizes, (intptr_t)i);
    if (size == 1)
      continue;
    size_t axis = count <= self->rank ? axis_of(self, self->rank - count + i) : TUNE_LAUNCH_AXES;
    fits = size > 1 && axis < last && self->group[axis] == 1 && self->count[axis] % size == 0 &&
           self->extent[self->order[axis]] % size == 0;
    if (fits)
      self->cluster[axis] = size;
    last = axis;
  }
  if (!fits)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, self->forall,
                               TUNE_LAUNCH_CLUSTER_ATTRIBUTE
                               ": clusters (of sm_90 and later) divide groups of one along each "
                               "axis; %lld x %lld x %lld groups are not so",
                               (long long)self->count[0], (long long)self->count[1],
                               (long long)self->count[2]);
  mlirOperationRemoveDiscardableAttributeByName(self->forall, name);
  return TUNE_OK;
}

tune_status tune_launch_grid_plan(tune_launch_grid *self, const tune_device *device) {
  bool given;
  TUNE_RETURN_IF_ERROR(take_group(self, &given));
  if (!given)
    choose_group(self);
  TUNE_RETURN_IF_ERROR(tune_launch_grid_check_group(self->forall, self->group, device));
  bool fits = true;
  for (size_t axis = 0; axis < TUNE_LAUNCH_AXES; ++axis) {
    self->count[axis] = ceil_div(self->invocations[axis], self->group[axis]);
    fits &= self->count[axis] <= device->group_count[axis];
  }
  if (!fits)
    TUNE_RETURN_IF_ERROR(count_in_line(self, device));
  return take_cluster(self, device);
}
