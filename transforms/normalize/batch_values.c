//===- batch_values.c -------------------------------------------------------------===//

#include "transforms/normalize/batch_values.h"

#include "dialects/constant.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/same_for_all.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

// A place is kept as one number.
enum { PART_BITS = 48 };
#define MOST_PART ((int64_t)1 << PART_BITS)

static void note(tune_batch_values *values, MlirValue value, tune_batch_place place) {
  size_t number = (size_t)place.dimension << PART_BITS | (size_t)place.part;
  tune_status status = tune_op_map_set(&values->place_of, value.ptr, number);
  values->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
}

bool tune_batch_values_get(const tune_batch_values *values, MlirValue value,
                           tune_batch_place *out_place) {
  size_t number = tune_op_map_get(&values->place_of, value.ptr);
  if (number == TUNE_OP_MAP_NONE)
    return false;
  *out_place = (tune_batch_place){.dimension = (intptr_t)(number >> PART_BITS),
                                  .part = (int64_t)(number & (MOST_PART - 1))};
  return true;
}

static bool has_images(const tune_batch_values *values, MlirValue value) {
  return tune_op_map_get(&values->place_of, value.ptr) != TUNE_OP_MAP_NONE;
}

static int64_t size_of(MlirValue value, intptr_t dimension) {
  return mlirShapedTypeGetDimSize(mlirValueGetType(value), dimension);
}

static bool is_equal(tune_batch_place a, tune_batch_place b) {
  return a.dimension == b.dimension && a.part == b.part;
}

//===--- Linalg ops ------------------------------------------------------------------===//

// What the body of a linalg op reads by itself: elements of images, by tensor.extract, as gathers
// do and what makes images larger.
typedef struct reader {
  const tune_batch_values *values;
  MlirOperation op;
  intptr_t loop;  // of the images; -1: not known yet
  int64_t extent; // of that
  bool is_other;  // it reads images, or their number, in another way
  bool has_memory;
} reader;

// Memory may be another one by the time that the op has moved behind others.
static bool may_read_memory(MlirOperation op) {
  bool found = tune_ir_is(op, "func.call") || tune_ir_is(op, "func.call_indirect");
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
    found |= mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, o)));
  return found;
}

// Whether `inner` is a tensor.extract of images, at `*out_index` among them.
static bool reads_at(const tune_batch_values *values, MlirOperation inner, MlirValue *out_index,
                     int64_t *out_size) {
  tune_batch_place place;
  if (!tune_ir_is(inner, "tensor.extract") ||
      !tune_batch_values_get(values, mlirOperationGetOperand(inner, 0), &place))
    return false;
  *out_index = mlirOperationGetOperand(inner, 1 + place.dimension);
  *out_size = size_of(mlirOperationGetOperand(inner, 0), place.dimension);
  return true;
}

static bool is_index_of(MlirOperation op, intptr_t loop) {
  return tune_ir_is(op, "linalg.index") &&
         mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim")) == loop;
}

// Whether all that uses `index`, which image it is, reads of that image.
static bool is_used_for_images(const tune_batch_values *values, MlirValue index) {
  for (MlirOpOperand use = mlirValueGetFirstUse(index); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirValue of_image;
    int64_t size;
    MlirOperation owner = mlirOpOperandGetOwner(use);
    intptr_t uses = 0;
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(owner); ++o)
      uses += mlirValueEqual(mlirOperationGetOperand(owner, o), index);
    if (uses != 1 || !reads_at(values, owner, &of_image, &size) || !mlirValueEqual(of_image, index))
      return false;
  }
  return true;
}

static MlirWalkResult look_inside(MlirOperation inner, void *user_data) {
  reader *self = user_data;
  MlirValue index;
  int64_t size;
  self->has_memory |= may_read_memory(inner);
  if (mlirOperationEqual(inner, self->op))
    return MlirWalkResultAdvance;
  bool gathers = reads_at(self->values, inner, &index, &size);
  if (gathers)
    self->is_other |= !is_index_of(tune_ir_definition(index), self->loop) || size != self->extent;
  for (intptr_t o = gathers ? 1 : 0; o < mlirOperationGetNumOperands(inner); ++o)
    self->is_other |= has_images(self->values, mlirOperationGetOperand(inner, o));
  if (is_index_of(inner, self->loop))
    self->is_other |= !is_used_for_images(self->values, mlirOperationGetResult(inner, 0));
  return MlirWalkResultAdvance;
}

static MlirWalkResult find_gathering_loop(MlirOperation inner, void *user_data) {
  reader *self = user_data;
  MlirValue index;
  int64_t size;
  if (!reads_at(self->values, inner, &index, &size) ||
      !tune_ir_is(tune_ir_definition(index), "linalg.index"))
    return MlirWalkResultAdvance;
  self->loop = mlirIntegerAttrGetValueInt(tune_ir_attribute(tune_ir_definition(index), "dim"));
  return MlirWalkResultInterrupt;
}

// What is in `op`, of which no loop is one of images.
static reader read_inside(const tune_batch_values *values, MlirOperation op) {
  reader self = {.values = values, .op = op, .loop = -1};
  mlirOperationWalk(op, look_inside, &self, MlirWalkPreOrder);
  return self;
}

// The loop of the images, -1 where there is none that stands for them alone.
static intptr_t find_loop(const tune_batch_values *values, const tune_nest_maps *n) {
  reader self = {.values = values, .op = n->op, .loop = -1};
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    tune_batch_place place;
    if (!tune_batch_values_get(values, mlirOperationGetOperand(n->op, o), &place))
      continue;
    intptr_t of_operand = tune_nest_maps_loop(n->maps[o], place.dimension);
    if (of_operand < 0 || (self.loop >= 0 && of_operand != self.loop))
      return -1;
    self.loop = of_operand;
  }
  if (self.loop < 0)
    mlirOperationWalk(n->op, find_gathering_loop, &self, MlirWalkPreOrder);
  return self.loop;
}

// What is not made of the batch and has a part for each image, as embeddings of positions that were
// broadcast to all of them, is read by parts as an argument is: operand `number` of `n`, along
// `dimension`. Unless it is read in another way, too, by this op or by one before.
static bool is_read_by_parts(const tune_batch_values *values, const tune_nest_maps *n,
                             intptr_t number, intptr_t dimension, intptr_t loop) {
  MlirValue value = mlirOperationGetOperand(n->op, number);
  MlirBlock block = mlirOperationGetBlock(n->op);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation owner = mlirOpOperandGetOwner(use), outer = owner;
    while (!mlirOperationIsNull(outer) && !mlirBlockEqual(mlirOperationGetBlock(outer), block))
      outer = mlirOperationGetParentOperation(outer);
    bool is_own = mlirOperationEqual(outer, n->op);
    if (is_own && (!mlirOperationEqual(owner, n->op) ||
                   tune_nest_maps_only_dimension(n->maps[mlirOpOperandGetOperandNumber(use)],
                                                 loop) != dimension))
      return false;
    if (!is_own && !mlirOperationIsNull(outer) && mlirOperationGetNumResults(outer) > 0 &&
        has_images(values, mlirOperationGetResult(outer, 0)))
      return false;
  }
  return true;
}

static void note_others(tune_batch_values *values, const tune_nest_maps *n, intptr_t loop) {
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    MlirValue operand = mlirOperationGetOperand(n->op, o);
    intptr_t dimension = tune_nest_maps_only_dimension(n->maps[o], loop);
    if (dimension < 0 || has_images(values, operand) || tune_same_for_all(operand, dimension))
      continue;
    note(values, operand, (tune_batch_place){dimension, n->extents[loop] / values->count});
    ++values->other_count;
  }
}

static bool place_nest(tune_batch_values *values, MlirOperation op, tune_batch_place *out_place) {
  tune_nest_maps n;
  if (mlirOperationGetNumResults(op) != 1 || !tune_nest_maps_read_any(op, &n))
    return false;
  reader self = {.values = values, .op = op, .loop = find_loop(values, &n)};
  if (self.loop < 0)
    return false;
  self.extent = n.extents[self.loop];
  for (intptr_t o = 0; o < n.operand_count; ++o) {
    MlirValue operand = mlirOperationGetOperand(op, o);
    intptr_t dimension = tune_nest_maps_only_dimension(n.maps[o], self.loop);
    bool is_read = tune_nest_maps_has(n.maps[o], self.loop);
    if (is_read && (dimension < 0 || !tune_tensor_is_plain(mlirValueGetType(operand)) ||
                    size_of(operand, dimension) != self.extent))
      return false;
    if (is_read && !has_images(values, operand) && !tune_same_for_all(operand, dimension) &&
        !is_read_by_parts(values, &n, o, dimension, self.loop))
      return false;
  }
  mlirOperationWalk(op, look_inside, &self, MlirWalkPreOrder);
  out_place->dimension = tune_nest_maps_only_dimension(tune_nest_maps_result(&n), self.loop);
  out_place->part = n.extents[self.loop] / values->count;
  if (self.is_other || self.has_memory || out_place->dimension < 0 ||
      self.extent % values->count != 0)
    return false;
  note_others(values, &n, self.loop);
  return true;
}

static void shrink_nest(const tune_batch_values *values, MlirOperation op, int64_t images) {
  tune_nest_maps n;
  tune_ir_builder b = tune_ir_builder_before(op);
  tune_batch_place place;
  tune_batch_values_get(values, mlirOperationGetResult(op, 0), &place);
  tune_nest_maps_read_any(op, &n);
  intptr_t loop = find_loop(values, &n);
  for (intptr_t o = 0; o < n.operand_count; ++o) {
    MlirValue operand = mlirOperationGetOperand(op, o);
    if (!has_images(values, operand) && tune_nest_maps_has(n.maps[o], loop))
      mlirOperationSetOperand(
          op, o,
          tune_same_for_all_of_size(&b, operand, tune_nest_maps_only_dimension(n.maps[o], loop),
                                    images * place.part));
  }
}

//===--- Ops on whole tensors ---------------------------------------------------------===//

// Groups of dimensions of the larger one, of a reshape: where each begins.
static bool read_groups(MlirOperation op, intptr_t *begins, intptr_t *out_count) {
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  intptr_t next = 0;
  *out_count = mlirArrayAttrGetNumElements(groups);
  if (*out_count > TUNE_IR_MAX_RANK)
    return false;
  for (intptr_t g = 0; g < *out_count; ++g) {
    begins[g] = next;
    next += mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g));
  }
  begins[*out_count] = next;
  return true;
}

static bool place_expanded(const tune_batch_values *values, MlirOperation op,
                           tune_batch_place *place) {
  MlirValue result = mlirOperationGetResult(op, 0);
  intptr_t begins[TUNE_IR_MAX_RANK + 1], count;
  if (mlirOperationGetNumOperands(op) != 1 || !read_groups(op, begins, &count))
    return false;
  intptr_t d = begins[place->dimension];
  while (d + 1 < begins[place->dimension + 1] && size_of(result, d) == 1)
    ++d;
  *place = (tune_batch_place){.dimension = d, .part = size_of(result, d) / values->count};
  return size_of(result, d) % values->count == 0;
}

static bool place_collapsed(const tune_batch_values *values, MlirOperation op,
                            tune_batch_place *place) {
  MlirValue operand = mlirOperationGetOperand(op, 0);
  intptr_t begins[TUNE_IR_MAX_RANK + 1], count, group = 0;
  if (!read_groups(op, begins, &count))
    return false;
  while (group + 1 < count && begins[group + 1] <= place->dimension)
    ++group;
  for (intptr_t d = begins[group]; d < place->dimension; ++d)
    if (size_of(operand, d) != 1)
      return false;
  place->dimension = group;
  place->part = size_of(mlirOperationGetResult(op, 0), group) / values->count;
  return true;
}

// Whether the border asks neither where it is nor for images.
static bool has_plain_border(const tune_batch_values *values, MlirOperation op) {
  MlirBlock block = tune_ir_body(op);
  reader inside = read_inside(values, op);
  if (inside.is_other || inside.has_memory)
    return false;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(block, i))))
      return false;
  return true;
}

static bool is_all_along(MlirOperation op, intptr_t rank, intptr_t dimension, int64_t size) {
  int64_t offsets[TUNE_IR_MAX_RANK], sizes[TUNE_IR_MAX_RANK], steps[TUNE_IR_MAX_RANK];
  return tune_tensor_read_numbers(op, "static_offsets", rank, offsets) &&
         tune_tensor_read_numbers(op, "static_sizes", rank, sizes) &&
         tune_tensor_read_numbers(op, "static_strides", rank, steps) && offsets[dimension] == 0 &&
         sizes[dimension] == size && steps[dimension] == 1;
}

static bool place_padded(const tune_batch_values *values, MlirOperation op, intptr_t rank,
                         const tune_batch_place *place) {
  int64_t low[TUNE_IR_MAX_RANK], high[TUNE_IR_MAX_RANK];
  return mlirOperationGetNumOperands(op) == 1 &&
         tune_tensor_read_numbers(op, "static_low", rank, low) &&
         tune_tensor_read_numbers(op, "static_high", rank, high) && low[place->dimension] == 0 &&
         high[place->dimension] == 0 && has_plain_border(values, op);
}

// Whether all operands have images at `place`, or are the same for all.
static bool is_joint(const tune_batch_values *values, MlirOperation op,
                     const tune_batch_place *place) {
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
    MlirValue operand = mlirOperationGetOperand(op, o);
    tune_batch_place of_operand;
    if (tune_batch_values_get(values, operand, &of_operand)
            ? !is_equal(of_operand, *place)
            : !tune_same_for_all(operand, place->dimension))
      return false;
  }
  return true;
}

static bool has_rank(MlirValue value, intptr_t rank) {
  return mlirShapedTypeGetRank(mlirValueGetType(value)) == rank;
}

// Of an op whose operand `first` has images at `place`, which becomes that of the result.
static bool place_tensor_op(const tune_batch_values *values, MlirOperation op, MlirValue first,
                            tune_batch_place *place) {
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(first));
  int64_t size = size_of(first, place->dimension);
  bool keeps_rank = has_rank(mlirOperationGetResult(op, 0), rank);
  if (tune_ir_is(op, "tensor.expand_shape"))
    return place_expanded(values, op, place);
  if (tune_ir_is(op, "tensor.collapse_shape"))
    return place_collapsed(values, op, place);
  if (tune_ir_is(op, "tensor.pad"))
    return place_padded(values, op, rank, place);
  if (tune_ir_is(op, "tensor.extract_slice"))
    return keeps_rank && mlirOperationGetNumOperands(op) == 1 &&
           is_all_along(op, rank, place->dimension, size);
  if (tune_ir_is(op, "tensor.insert_slice"))
    return has_rank(mlirOperationGetOperand(op, 0), rank) &&
           has_rank(mlirOperationGetOperand(op, 1), rank) && mlirOperationGetNumOperands(op) == 2 &&
           is_joint(values, op, place) && is_all_along(op, rank, place->dimension, size);
  return tune_ir_is(op, "tensor.concat") && is_joint(values, op, place) &&
         mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim")) != place->dimension;
}

static void set_number(MlirOperation op, const char *name, intptr_t dimension, int64_t number) {
  int64_t numbers[TUNE_IR_MAX_RANK];
  MlirAttribute before = tune_ir_attribute(op, name);
  if (mlirAttributeIsNull(before))
    return;
  intptr_t rank = mlirDenseArrayGetNumElements(before);
  for (intptr_t d = 0; d < rank; ++d)
    numbers[d] = d == dimension ? number : mlirDenseI64ArrayGetElement(before, d);
  mlirOperationSetAttributeByName(op, tune_ir_string(name),
                                  mlirDenseI64ArrayGet(mlirOperationGetContext(op), rank, numbers));
}

static void shrink_tensor_op(const tune_batch_values *values, MlirOperation op, int64_t images) {
  tune_ir_builder b = tune_ir_builder_before(op);
  tune_batch_place place;
  tune_batch_values_get(values, mlirOperationGetResult(op, 0), &place);
  int64_t size = images * place.part;
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
    MlirValue operand = mlirOperationGetOperand(op, o);
    if (!has_images(values, operand))
      mlirOperationSetOperand(op, o, tune_same_for_all_of_size(&b, operand, place.dimension, size));
  }
  if (tune_ir_is(op, "tensor.expand_shape"))
    set_number(op, "static_output_shape", place.dimension, size);
  else if (tune_ir_is(op, "tensor.extract_slice") || tune_ir_is(op, "tensor.insert_slice"))
    set_number(op, "static_sizes", place.dimension, size);
}

//===--- All of them -------------------------------------------------------------------===//

static MlirValue find_first(const tune_batch_values *values, MlirOperation op) {
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
    if (has_images(values, mlirOperationGetOperand(op, o)))
      return mlirOperationGetOperand(op, o);
  return (MlirValue){NULL};
}

// Notes what `op` makes; false where it reads images otherwise than one by one.
static bool add_op(tune_batch_values *values, MlirOperation op) {
  MlirValue first = find_first(values, op);
  tune_batch_place place;
  bool has_place = false;
  if (mlirValueIsNull(first) && !read_inside(values, op).is_other)
    return true;
  if (tune_ir_string_starts(tune_ir_name(op), "linalg."))
    has_place = place_nest(values, op, &place);
  else if (!mlirValueIsNull(first) && mlirOperationGetNumResults(op) == 1 &&
           tune_tensor_is_plain(mlirValueGetType(mlirOperationGetResult(op, 0))))
    has_place =
        tune_batch_values_get(values, first, &place) && place_tensor_op(values, op, first, &place);
  // A part of something larger may have as much of each image, and more behind.
  MlirValue result = has_place ? mlirOperationGetResult(op, 0) : (MlirValue){NULL};
  if (!has_place || place.part < 1 || place.part >= MOST_PART ||
      size_of(result, place.dimension) != values->count * place.part)
    return false;
  note(values, result, place);
  values->failed |= !tune_op_list_add(&values->ops, op);
  return true;
}

static void add_arguments(MlirOperation function, bool only_first, tune_batch_values *values) {
  MlirBlock block = tune_ir_body(function);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    MlirType type = mlirValueGetType(argument);
    if (!mlirTypeIsARankedTensor(type) || tune_constant_is_argument(function, i))
      continue;
    bool is_plain = tune_tensor_is_plain(type) && mlirShapedTypeGetRank(type) > 0;
    bool is_first = values->count == 0;
    if (is_first)
      values->count = is_plain ? mlirShapedTypeGetDimSize(type, 0) : 1;
    if (is_plain && (is_first || !only_first) && values->count > 1 &&
        mlirShapedTypeGetDimSize(type, 0) == values->count)
      note(values, argument, (tune_batch_place){.dimension = 0, .part = 1});
  }
}

void tune_batch_values_find(MlirOperation function, bool only_first,
                            tune_batch_values *out_values) {
  *out_values = (tune_batch_values){.count = 0};
  tune_op_map_init(&out_values->place_of);
  add_arguments(function, only_first, out_values);
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(function));
  while (out_values->count > 1 && !mlirOperationIsNull(op) && add_op(out_values, op))
    op = mlirOperationGetNextInBlock(op);
}

void tune_batch_values_deinit(tune_batch_values *values) {
  tune_op_map_deinit(&values->place_of);
  tune_op_list_deinit(&values->ops);
}

MlirType tune_batch_values_type(const tune_batch_values *values, MlirValue value, int64_t images) {
  tune_batch_place place;
  tune_batch_values_get(values, value, &place);
  return tune_tensor_type_with_size(mlirValueGetType(value), place.dimension, images * place.part);
}

void tune_batch_values_shrink(const tune_batch_values *values, MlirOperation op, int64_t images) {
  MlirValue result = mlirOperationGetResult(op, 0);
  (tune_ir_string_starts(tune_ir_name(op), "linalg.") ? shrink_nest : shrink_tensor_op)(values, op,
                                                                                        images);
  mlirValueSetType(result, tune_batch_values_type(values, result, images));
}
