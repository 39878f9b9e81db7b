//===- batches.c -------------------------------------------------------------------===//

#include "transforms/normalize/batches.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "dialects/threads.h"
#include "transforms/normalize/batch_turns.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdbool.h>
#include <stdlib.h>

static const char TAKING_TURNS[] = "having images take turns";

//===--- The loop -----------------------------------------------------------------------===//

typedef struct looper {
  tune_batch *batch;
  int64_t images;
  bool is_shared;       // by threads
  size_t op_count;      // of the first ops, which go into the loop
  tune_op_map slice_of; // what comes from before, by its place in `slices`
  MlirValue *slices;
  size_t slice_count;
  MlirValue *crossing; // what is read behind the loop, too
  intptr_t crossing_count;
  tune_ir_builder body;
  MlirValue index;
  bool failed;
} looper;

static void put(looper *l, tune_op_map *map, const void *key, size_t value) {
  tune_status status = tune_op_map_set(map, key, value);
  l->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
}

// tensor.extract_slice of `value`, or with `into` tensor.insert_slice of it into that: of the
// images of this turn.
static MlirValue build_slice(const looper *l, MlirValue value, MlirValue into,
                             tune_batch_place place) {
  const tune_ir_builder *b = &l->body;
  bool inserts = !mlirValueIsNull(into);
  MlirType whole = mlirValueGetType(inserts ? into : value);
  intptr_t rank = mlirShapedTypeGetRank(whole);
  int64_t offsets[TUNE_IR_MAX_RANK] = {0}, sizes[TUNE_IR_MAX_RANK], ones[TUNE_IR_MAX_RANK];
  int64_t size = l->images * place.part;
  for (intptr_t d = 0; d < rank; ++d) {
    sizes[d] = d == place.dimension ? size : mlirShapedTypeGetDimSize(whole, d);
    ones[d] = 1;
  }
  offsets[place.dimension] = mlirShapedTypeGetDynamicStrideOrOffset();
  MlirType part = mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(whole),
                                          (MlirAttribute){NULL});
  MlirValue offset = tune_ir_build_binary(b, "arith.muli", l->index, tune_ir_build_index(b, size));
  MlirValue operands[3] = {value, inserts ? into : offset, offset};
  MlirAttribute segments = inserts ? mlirDenseI32ArrayGet(b->context, 5, (int32_t[]){1, 1, 1, 0, 0})
                                   : mlirDenseI32ArrayGet(b->context, 4, (int32_t[]){1, 1, 0, 0});
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "static_offsets", mlirDenseI64ArrayGet(b->context, rank, offsets)),
      tune_ir_named(b->context, "static_sizes", mlirDenseI64ArrayGet(b->context, rank, sizes)),
      tune_ir_named(b->context, "static_strides", mlirDenseI64ArrayGet(b->context, rank, ones)),
      tune_ir_named(b->context, "operandSegmentSizes", segments)};
  return tune_ir_build_result(
      b, &(tune_ir_parts){.name = inserts ? "tensor.insert_slice" : "tensor.extract_slice",
                          .operand_count = inserts ? 3 : 2,
                          .operands = operands,
                          .type_count = 1,
                          .types = inserts ? &whole : &part,
                          .attribute_count = 4,
                          .attributes = attributes});
}

// Whether `value` comes from before the loop: an argument, or what is made of no image.
static bool is_from_before(const looper *l, MlirValue value) {
  return mlirValueIsABlockArgument(value) ||
         tune_op_map_get(&l->batch->place_of, mlirOpResultGetOwner(value).ptr) == TUNE_OP_MAP_NONE;
}

// What the loop has of `value`, which comes from before it.
static MlirValue slice_of(looper *l, MlirValue value, tune_batch_place place) {
  size_t at = tune_op_map_get(&l->slice_of, value.ptr);
  if (at != TUNE_OP_MAP_NONE)
    return l->slices[at];
  put(l, &l->slice_of, value.ptr, l->slice_count);
  return l->slices[l->slice_count++] = build_slice(l, value, (MlirValue){NULL}, place);
}

// Has `op` read slices of what comes from before.
static MlirWalkResult read_slices(MlirOperation op, void *user_data) {
  looper *l = user_data;
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
    MlirValue operand = mlirOperationGetOperand(op, o);
    tune_batch_place place;
    if (l->failed || !tune_batch_values_get(&l->batch->values, operand, &place) ||
        !is_from_before(l, operand))
      continue;
    MlirValue slice = slice_of(l, operand, place);
    mlirOperationSetOperand(op, o, slice);
    put(l, &l->batch->values.place_of, slice.ptr,
        tune_op_map_get(&l->batch->values.place_of, operand.ptr));
  }
  return MlirWalkResultAdvance;
}

static void move_op(looper *l, MlirOperation op) {
  mlirOperationWalk(op, read_slices, l, MlirWalkPreOrder);
  if (l->failed)
    return;
  tune_ir_move(&l->body, op);
  tune_batch_values_shrink(&l->batch->values, op, l->images);
}

static void list_crossing(looper *l) {
  for (size_t i = 0; i < l->op_count; ++i)
    if (l->batch->last_reader[i] >= l->op_count)
      l->crossing[l->crossing_count++] = mlirOperationGetResult(l->batch->values.ops.ops[i], 0);
}

// Has what is behind the loop read `whole` in place of `value`.
static void read_whole(const looper *l, MlirValue value, MlirValue whole) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    next = mlirOpOperandGetNextUse(use);
    if (tune_batch_find_place(l->batch, owner) >= l->op_count)
      mlirOperationSetOperand(owner, (intptr_t)mlirOpOperandGetOperandNumber(use), whole);
  }
}

static void build_loop(looper *l, MlirValue *carried) {
  tune_batch_values *values = &l->batch->values;
  // Behind all that its ops read.
  tune_ir_builder b =
      tune_ir_builder_before(mlirOperationGetNextInBlock(values->ops.ops[l->op_count - 1]));
  for (intptr_t i = 0; i < l->crossing_count; ++i)
    carried[i] = tune_ir_build_value(&b, "tensor.empty", mlirValueGetType(l->crossing[i]), 0, NULL);
  MlirOperation loop;
  l->body = tune_ir_build_for(&b, values->count / l->images, l->crossing_count, carried, &loop);
  if (l->is_shared)
    mlirOperationSetDiscardableAttributeByName(loop, tune_ir_string(TUNE_THREADS_ATTRIBUTE),
                                               mlirUnitAttrGet(b.context));
  MlirBlock block = tune_ir_body(loop);
  l->index = mlirBlockGetArgument(block, 0);
  for (intptr_t i = 0; i < l->crossing_count; ++i)
    read_whole(l, l->crossing[i], mlirOperationGetResult(loop, i));
  for (size_t i = 0; i < l->op_count && !l->failed; ++i)
    move_op(l, values->ops.ops[i]);
  for (intptr_t i = 0; i < l->crossing_count && !l->failed; ++i) {
    tune_batch_place place;
    tune_batch_values_get(values, l->crossing[i], &place);
    carried[i] = build_slice(l, l->crossing[i], mlirBlockGetArgument(block, i + 1), place);
  }
  tune_ir_build(&l->body, &(tune_ir_parts){.name = "scf.yield",
                                           .operand_count = l->crossing_count,
                                           .operands = carried});
}

static bool take_turns(tune_batch *b, const tune_turns *how) {
  looper l = {.batch = b,
              .images = how->images,
              .is_shared = how->is_shared,
              .op_count = tune_batch_count_ops(b, how->layers)};
  size_t from_before = (size_t)mlirBlockGetNumArguments(b->block) + b->values.other_count;
  l.slices = calloc(from_before + 1, sizeof *l.slices);
  l.crossing = calloc(l.op_count + 1, sizeof *l.crossing);
  MlirValue *carried = calloc(l.op_count + 1, sizeof *carried);
  tune_op_map_init(&l.slice_of);
  bool is_done = l.slices && l.crossing && carried;
  if (is_done) {
    list_crossing(&l);
    build_loop(&l, carried);
  }
  tune_op_map_deinit(&l.slice_of);
  free(l.slices);
  free(l.crossing);
  free(carried);
  return is_done && !l.failed;
}

//===--- What choices are for -----------------------------------------------------------===//

static bool says(MlirOperation function, const char *name) {
  return !mlirAttributeIsNull(tune_ir_attribute(function, name));
}

static void set_number(MlirOperation function, const char *name, int64_t number) {
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(function), 64);
  if (!says(function, name))
    mlirOperationSetAttributeByName(function, tune_ir_string(name),
                                    mlirIntegerAttrGet(i64, number));
}

static void set_taken(MlirOperation function, int64_t images, int64_t layers) {
  const int64_t numbers[] = {images, layers};
  mlirOperationSetAttributeByName(
      function, tune_ir_string(TUNE_IMAGES_TAKEN_ATTRIBUTE),
      mlirDenseI64ArrayGet(mlirOperationGetContext(function), 2, numbers));
}

// False where nothing says so.
static bool get_taken(MlirOperation function, int64_t *out_images, int64_t *out_layers) {
  MlirAttribute taken = tune_ir_attribute(function, TUNE_IMAGES_TAKEN_ATTRIBUTE);
  if (mlirAttributeIsNull(taken) || !mlirAttributeIsADenseI64Array(taken) ||
      mlirDenseArrayGetNumElements(taken) != 2)
    return false;
  *out_images = mlirDenseI64ArrayGetElement(taken, 0);
  *out_layers = mlirDenseI64ArrayGetElement(taken, 1);
  return true;
}

// Those of another target are of tasks that are others anyway.
static bool has_choices_of_cpu(MlirOperation op) {
  return tune_choices_are_on(op) &&
         (!tune_choices_are_by_target(op) ||
          !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
              tune_ir_attribute(op, TUNE_CHOICES_ATTRIBUTE), tune_ir_string("cpu"))));
}

static MlirWalkResult find_choices(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = has_choices_of_cpu(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether ops of `function` have choices, or of `root`, where it calls others.
static bool has_choices(MlirOperation root, MlirOperation function) {
  bool found = false;
  mlirOperationWalk(tune_ir_has_calls(function) ? root : function, find_choices, &found,
                    MlirWalkPreOrder);
  return found;
}

void tune_batches_note_choices(MlirOperation root) {
  if (!tune_ir_is(root, "builtin.module"))
    return;
  MlirBlock body = tune_ir_body(root);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func") && !says(op, TUNE_IMAGES_AT_ONCE_ATTRIBUTE) &&
        !says(op, TUNE_IMAGES_TAKEN_ATTRIBUTE) && has_choices(root, op))
      set_taken(op, 0, 0);
}

void tune_batches_forget_choices(MlirOperation root) {
  if (!tune_ir_is(root, "builtin.module"))
    return;
  MlirBlock body = tune_ir_body(root);
  int64_t images, layers;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (get_taken(op, &images, &layers) && images == 0)
      mlirOperationRemoveAttributeByName(op, tune_ir_string(TUNE_IMAGES_TAKEN_ATTRIBUTE));
}

void tune_batches_pin(MlirOperation root, MlirOperation normalized) {
  MlirBlock body = tune_ir_body(normalized);
  int64_t images, layers;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!get_taken(op, &images, &layers) || images < 1)
      continue;
    MlirOperation function = tune_ir_find_symbol(root, tune_ir_string_attribute(op, "sym_name"));
    if (mlirOperationIsNull(function))
      continue;
    set_number(function, TUNE_IMAGES_AT_ONCE_ATTRIBUTE, images);
    set_number(function, TUNE_IMAGES_LAYERS_ATTRIBUTE, layers);
  }
}

//===--- The whole ----------------------------------------------------------------------===//

static tune_status normalize_batch(tune_batch *b, MlirOperation function, size_t threads) {
  tune_turns how;
  bool is_read = tune_batch_read(function, threads, false, b);
  // Weights that are not said to be constant may have as many rows as there are images.
  if (is_read && b->layer_count < 2) {
    tune_batch_deinit(b);
    is_read = tune_batch_read(function, threads, true, b);
  }
  if (!is_read)
    return tune_status_out_of_memory(TAKING_TURNS);
  TUNE_RETURN_IF_ERROR(tune_batch_decide(b, function, &how));
  if (how.layers && !take_turns(b, &how))
    return tune_status_out_of_memory(TAKING_TURNS);
  if (how.layers)
    set_taken(function, how.images, (int64_t)how.layers);
  mlirOperationRemoveAttributeByName(function, tune_ir_string(TUNE_IMAGES_AT_ONCE_ATTRIBUTE));
  mlirOperationRemoveAttributeByName(function, tune_ir_string(TUNE_IMAGES_LAYERS_ATTRIBUTE));
  return TUNE_OK;
}

static tune_status normalize_function(MlirOperation function, size_t threads) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  bool is_asked = says(function, TUNE_IMAGES_AT_ONCE_ATTRIBUTE);
  if (mlirBlockIsNull(block) || says(function, TUNE_IMAGES_TAKEN_ATTRIBUTE))
    return TUNE_OK;
  if (!tune_ir_is_only_block(block))
    return is_asked ? tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                          TUNE_IMAGES_AT_ONCE_ATTRIBUTE
                                          " is for functions of one block; take the attribute away")
                    : TUNE_OK;
  tune_batch b;
  tune_status status = normalize_batch(&b, function, threads);
  tune_batch_deinit(&b);
  return status;
}

tune_status tune_normalize_batches(MlirOperation root, size_t threads) {
  static const char *const DIALECTS[] = {"arith", "linalg", "scf", "tensor", NULL};
  if (!tune_ir_is(root, "builtin.module"))
    return TUNE_OK;
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  MlirBlock body = tune_ir_body(root);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func"))
      TUNE_RETURN_IF_ERROR(normalize_function(op, threads));
  tune_batches_forget_choices(root);
  return TUNE_OK;
}
