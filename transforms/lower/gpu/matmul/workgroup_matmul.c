//===- workgroup_matmul.c - Products that a workgroup computes through shared memory -===//

#include "transforms/lower/gpu/matmul/workgroup_matmul.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/gpu/lanes.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_bulk.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_cluster.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_copies.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_order.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_producer.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

#include <stdio.h>

#define PREFIX "tune.tile."

//===--------------------------------------------------------------------------===//
// Reading
//===--------------------------------------------------------------------------===//

static tune_status read_number(MlirOperation forall, const char *name, int64_t least, int64_t most,
                               int64_t *out_number) {
  char text[48];
  snprintf(text, sizeof text, PREFIX "%s", name);
  MlirAttribute attribute = tune_ir_attribute(forall, text);
  if (!mlirAttributeIsNull(attribute) && mlirAttributeIsAInteger(attribute)) {
    *out_number = mlirIntegerAttrGetValueInt(attribute);
    if (*out_number >= least && *out_number <= most)
      return TUNE_OK;
  }
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, forall,
                             "%s: expected an integer from %lld to "
                             "%lld",
                             text, (long long)least, (long long)most);
}

// With those that only copy.
static int64_t all_threads(const tune_tile *tile) {
  return tile->threads + tile->producer_warps * TUNE_TILE_WARP;
}

static tune_status read_attributes(tune_tile *tile, const tune_device *device) {
  int64_t tensor_cores;
  TUNE_RETURN_IF_ERROR(read_number(tile->forall, "warps_y", 1, 32, &tile->warps_y));
  TUNE_RETURN_IF_ERROR(read_number(tile->forall, "warps_x", 1, 32, &tile->warps_x));
  TUNE_RETURN_IF_ERROR(read_number(tile->forall, "stages", 1, 16, &tile->stages));
  TUNE_RETURN_IF_ERROR(read_number(tile->forall, "tensor_cores", 0, 2, &tensor_cores));
  static const tune_tile_core *const CORES[] = {&tune_tile_fma, &tune_tile_mma, &tune_tile_wgmma};
  tile->core = CORES[tensor_cores]; // or int8, tf32, once A is known
  tile->warp = TUNE_TILE_WARP;
  if (tune_device_is_vulkan(device) && tensor_cores == 1) {
    tile->core = &tune_tile_matrices;
    tile->warp = device->subgroup_size > 0 ? device->subgroup_size : TUNE_TILE_WARP;
  }
  tile->threads = tile->warps_y * tile->warps_x * tile->warp;
  tile->is_async = device->arch >= 80;
  int64_t is_bulk = 0;
  if (!mlirAttributeIsNull(tune_ir_attribute(tile->forall, PREFIX "bulk_copies")))
    TUNE_RETURN_IF_ERROR(read_number(tile->forall, "bulk_copies", 0, 1, &is_bulk));
  tile->is_bulk = is_bulk;
  int64_t is_swizzled = 0;
  if (!mlirAttributeIsNull(tune_ir_attribute(tile->forall, PREFIX "swizzle")))
    TUNE_RETURN_IF_ERROR(read_number(tile->forall, "swizzle", 0, 1, &is_swizzled));
  tile->is_swizzled = is_swizzled;
  TUNE_RETURN_IF_ERROR(tune_tile_cluster_read(tile));
  TUNE_RETURN_IF_ERROR(tune_tile_producer_read(tile));
  if (tune_device_is_vulkan(device) && tensor_cores > 1)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               PREFIX "tensor_cores: the instructions are CUDA's; a Vulkan device "
                                      "has none of them");
  static const char *const GROUPS[] = {"tune.group_x", "tune.group_y", "tune.group_z"};
  for (size_t i = 0; i < sizeof GROUPS / sizeof *GROUPS; ++i)
    if (!mlirAttributeIsNull(tune_ir_attribute(tile->forall, GROUPS[i])))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                                 "%s: a group's tile is all that a group has", GROUPS[i]);
  if (all_threads(tile) > device->group_invocations)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "a group of %lld threads; the device takes up to %lld",
                               (long long)all_threads(tile), (long long)device->group_invocations);
  return TUNE_OK;
}

// Patterns are of rows of 16 bytes to 128, or of panels of the latter.
static tune_status check_swizzle(const tune_tile *tile) {
  enum { PANEL = 128 };
  const tune_tile_operand *operands[] = {&tile->a, &tile->b};
  bool fits = tile->core == &tune_tile_mma || tile->core == &tune_tile_int8;
  for (size_t i = 0; i < 2 && fits; ++i) {
    int64_t bytes = operands[i]->cols * tune_tile_bytes(operands[i]->element);
    fits = bytes % PANEL == 0 || (bytes < PANEL && (bytes & (bytes - 1)) == 0);
  }
  return fits || !tile->is_swizzled
             ? TUNE_OK
             : tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                                   "tune.tile.swizzle: rows of shared memory are swizzled for "
                                   "mma.sync (tensor_cores = 1), of f16, bf16 or i8, where their "
                                   "bytes are a power of two or a multiple of %d",
                                   PANEL);
}

static tune_status refuse_loop(const tune_tile *tile) {
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                             "expected one loop of constant bounds in a group's tile, or loops "
                             "within each other, which add up one product of matrices "
                             "(vector.contract)");
}

// The read that `value` is, through what only widens or turns it.
static MlirOperation find_read(MlirValue value, bool *is_turned, bool *is_unsigned) {
  MlirOperation none = {NULL};
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (tune_ir_is(op, "vector.transfer_read"))
      return op;
    if (tune_ir_is(op, "vector.transpose"))
      *is_turned ^= mlirDenseI64ArrayGetElement(tune_ir_attribute(op, "permutation"), 0) != 0;
    else if (tune_ir_is(op, "arith.extui"))
      *is_unsigned = true;
    // A sign that is extended by zeroes later is of a narrower type than that.
    else if (!tune_ir_is(op, "arith.extf") && (!tune_ir_is(op, "arith.extsi") || *is_unsigned))
      return none;
    value = mlirOperationGetOperand(op, 0);
  }
  return none;
}

// The position of `dim` in result `result` of an affine map of dims, or -1.
static intptr_t dim_at(MlirAffineMap map, intptr_t result) {
  MlirAffineExpr expression = mlirAffineMapGetResult(map, result);
  return mlirAffineExprIsADim(expression) ? mlirAffineDimExprGetPosition(expression) : -1;
}

// Sets A and B from the contraction, whose maps say which of its dimensions is what.
static tune_status read_contraction(tune_tile *tile) {
  MlirAttribute maps = tune_ir_attribute(tile->contract, "indexing_maps"),
                kind = tune_ir_attribute(tile->contract, "kind");
  MlirContext context = mlirOperationGetContext(tile->contract);
  if (!mlirAttributeIsNull(kind) &&
      !mlirAttributeEqual(kind,
                          mlirAttributeParseGet(context, tune_ir_string("#vector.kind<add>"))))
    return refuse_loop(tile);
  MlirAffineMap of[3];
  for (intptr_t i = 0; i < 3; ++i) {
    of[i] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    if (mlirAffineMapGetNumDims(of[i]) != 3 || mlirAffineMapGetNumResults(of[i]) != 2)
      return refuse_loop(tile);
  }
  intptr_t row = dim_at(of[2], 0), col = dim_at(of[2], 1), depth = 3 - row - col;
  // A is what the rows of the output are of, whichever operand that is.
  bool is_swapped = dim_at(of[0], 0) == col || dim_at(of[0], 1) == col;
  tune_tile_operand *operands[] = {is_swapped ? &tile->b : &tile->a,
                                   is_swapped ? &tile->a : &tile->b};
  for (intptr_t i = 0; i < 2; ++i) {
    bool is_turned = false;
    operands[i]->read = find_read(mlirOperationGetOperand(tile->contract, i), &is_turned,
                                  &operands[i]->is_unsigned);
    if (mlirOperationIsNull(operands[i]->read))
      return refuse_loop(tile);
    operands[i]->depth_is_row = (dim_at(of[i], 1) == depth) != is_turned;
    TUNE_RETURN_IF_ERROR(tune_tile_operand_read(tile, operands[i]));
  }
  MlirType type = mlirValueGetType(mlirOperationGetResult(tile->contract, 0));
  tile->sum = mlirShapedTypeGetElementType(type);
  tile->rows = mlirShapedTypeGetDimSize(type, 0);
  tile->cols = mlirShapedTypeGetDimSize(type, 1);
  tile->depth = tile->a.depth_is_row ? tile->a.cols : tile->a.rows;
  if (tile->core == &tune_tile_mma && tune_tile_bytes(tile->a.element) == 1)
    tile->core = &tune_tile_int8;
  if (tile->core == &tune_tile_mma && mlirTypeIsAF32(tile->a.element))
    tile->core = &tune_tile_tf32;
  return TUNE_OK;
}

// Whether `op` may stand in a tile, or in its loop: one that only makes values, reads or writes of
// vectors. Another would be done by every thread of the group, with memory of its own.
static bool is_of_tile(MlirOperation op) {
  static const char *const PREFIXES[] = {
      "arith.",     "math.",     "affine.apply", "affine.min",
      "affine.max", "ub.poison", "memref.load",  "memref.get_global"};
  static const char *const NOT_VECTORS[] = {
      "vector.print",      "vector.store",         "vector.scatter", "vector.maskedstore",
      "vector.mask",       "vector.compressstore", "vector.load",    "vector.gather",
      "vector.maskedload", "vector.expandload"};
  for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; ++i)
    if (tune_ir_string_starts(tune_ir_name(op), PREFIXES[i]))
      return true;
  for (size_t i = 0; i < sizeof NOT_VECTORS / sizeof *NOT_VECTORS; ++i)
    if (tune_ir_is(op, NOT_VECTORS[i]))
      return false;
  return tune_ir_string_starts(tune_ir_name(op), "vector.") || tune_memory_access_is_view(op);
}

// Of `outer`, in which `loop` may be; only a tile itself writes.
static tune_status check_body(const tune_tile *tile, MlirOperation outer, MlirOperation loop) {
  MlirBlock body = tune_ir_body(outer);
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = tune_ir_name(op);
    bool writes = tune_ir_is(op, "vector.transfer_write");
    if (!mlirOperationEqual(op, loop) &&
        (!is_of_tile(op) || (writes && !mlirOperationEqual(outer, tile->forall))))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "%.*s in a group's tile: expected one loop, and around it vectors "
                                 "of the whole tile alone",
                                 (int)name.length, name.data);
  }
  return TUNE_OK;
}

static bool read_level(MlirOperation loop, tune_tile_level *level) {
  int64_t end;
  level->loop = loop;
  if (mlirOperationGetNumResults(loop) != 1 ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(loop, 0), &level->first) ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(loop, 1), &end) ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(loop, 2), &level->step) ||
      level->step < 1 || end < level->first || (end - level->first) % level->step)
    return false;
  level->count = (end - level->first) / level->step;
  return true;
}

// Reads the loops from tile->loop inwards, as long as each carries what the next one adds up.
static tune_status read_levels(tune_tile *tile) {
  MlirOperation loop = tile->loop;
  tile->steps = 1;
  while (tune_ir_is(loop, "scf.for")) {
    if (tile->level_count == TUNE_TILE_MOST_LEVELS ||
        !read_level(loop, &tile->levels[tile->level_count]))
      return refuse_loop(tile);
    tile->steps *= tile->levels[tile->level_count++].count;
    MlirBlock body = tune_ir_body(loop);
    MlirValue sum = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
    MlirOperation maker = tune_ir_definition(sum);
    bool is_loop = !mlirOperationIsNull(maker) && tune_ir_is(maker, "scf.for");
    if (mlirOperationIsNull(maker) || (!is_loop && !tune_ir_is(maker, "vector.contract")) ||
        mlirOperationGetNumOperands(maker) < 3 + is_loop ||
        !mlirValueEqual(mlirOperationGetOperand(maker, is_loop ? 3 : 2),
                        mlirBlockGetArgument(body, 1)))
      return refuse_loop(tile);
    TUNE_RETURN_IF_ERROR(check_body(tile, loop, is_loop ? maker : (MlirOperation){NULL}));
    loop = maker;
  }
  tile->contract = loop;
  return TUNE_OK;
}

static tune_status read_loop(tune_tile *tile) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(tile->forall));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "scf.for")) {
      if (!mlirOperationIsNull(tile->loop))
        return refuse_loop(tile);
      tile->loop = op;
    }
  if (mlirOperationIsNull(tile->loop))
    return refuse_loop(tile);
  TUNE_RETURN_IF_ERROR(check_body(tile, tile->forall, tile->loop));
  return read_levels(tile);
}

// What cooperative matrices the device has for the tile.
static void find_matrix(tune_tile *tile, const tune_device *device) {
  const tune_tile_operand *a = &tile->a;
  if (tile->core != &tune_tile_matrices || !mlirTypeEqual(a->element, tile->b.element) ||
      a->is_unsigned != tile->b.is_unsigned)
    return;
  const char *input = mlirTypeIsAF16(a->element)   ? "f16"
                      : mlirTypeIsAF32(a->element) ? "f32"
                      : a->is_unsigned             ? "u8"
                                                   : "s8";
  const char *sum = mlirTypeIsAF16(tile->sum)   ? "f16"
                    : mlirTypeIsAF32(tile->sum) ? "f32"
                    : a->is_unsigned            ? "u32"
                                                : "s32";
  tile->matrix = tune_device_find_matrix(device, input, sum, tile->rows / tile->warps_y,
                                         tile->cols / tile->warps_x, tile->depth);
}

//===--------------------------------------------------------------------------===//
// The loop
//===--------------------------------------------------------------------------===//

// What the sum starts with, as the thread has it.
static tune_status start_pieces(const tune_tile *tile, const tune_ir_builder *builder,
                                MlirValue *pieces) {
  MlirValue initial = mlirOperationGetOperand(tile->loop, 3);
  for (size_t p = 0; p < tile->core->count(tile); ++p) {
    MlirValue elements[8];
    for (size_t e = 0; e < tile->core->elements; ++e) {
      tune_tile_elements context = {.tile = tile};
      MlirValue indices[2];
      tile->core->place(tile, builder, p, e, &indices[0], &indices[1]);
      TUNE_RETURN_IF_ERROR(tune_tile_element(&context, builder, initial, indices, 2, &elements[e]));
    }
    pieces[p] = tune_tile_from_elements(builder, tile->core->type(tile),
                                        (intptr_t)tile->core->elements, elements);
  }
  return TUNE_OK;
}

static void copy_step(const tune_tile *tile, const tune_ir_builder *builder, MlirValue stage,
                      MlirValue step) {
  tune_tile_operand_copy(tile, &tile->a, builder, stage, step);
  tune_tile_operand_copy(tile, &tile->b, builder, stage, step);
}

static void make_barrier(const tune_ir_builder *builder) {
  tune_ir_build(builder, &(tune_ir_parts){.name = "gpu.barrier"});
}

// Copies that run `stages` - 1 steps ahead. Each step ends a group, also those in which nothing is
// left to copy, so that as many groups are on their way whenever one is waited for.
static void make_step_ahead(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  tune_tile_wait(tile, builder, tile->stages - 2);
  make_barrier(builder); // what all have copied is there, and what is copied over is read
  MlirValue next = tune_tile_add_number(builder, step, tile->stages - 1);
  MlirValue is_left =
      tune_ir_build_compare(builder, "ult", next, tune_ir_build_index(builder, tile->steps));
  tune_ir_builder inside = tune_ir_build_if(builder, is_left);
  copy_step(tile, &inside, tune_tile_remainder(&inside, next, tile->stages), next);
  tune_tile_commit(tile, builder);
}

// Where no copy is asynchronous: what the next step takes is read into registers before this one's
// product, and put into the other stage after it. All have read that by then, at the last barrier
// but one. The last step reads once more what it has.
static void make_step_fetched(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step,
                              MlirValue *sums) {
  const tune_tile_operand *operands[] = {&tile->a, &tile->b};
  MlirValue chunks[2][TUNE_TILE_MOST_CHUNKS];
  make_barrier(builder);
  MlirValue next = tune_tile_add_number(builder, step, 1),
            there = tune_ir_build_binary(builder, "arith.minui", next,
                                         tune_ir_build_index(builder, tile->steps - 1));
  for (size_t i = 0; i < 2; ++i)
    tune_tile_operand_fetch(tile, operands[i], builder, there, chunks[i]);
  tile->core->multiply(tile, builder, tune_tile_remainder(builder, step, tile->stages), sums);
  for (size_t i = 0; i < 2; ++i)
    tune_tile_operand_put(tile, operands[i], builder,
                          tune_tile_remainder(builder, next, tile->stages), chunks[i]);
}

static void make_step_now(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  make_barrier(builder); // what is copied over is read
  copy_step(tile, builder, tune_ir_build_index(builder, 0), step);
  tune_tile_commit(tile, builder);
  tune_tile_wait(tile, builder, 0);
  make_barrier(builder);
}

static tune_status make_loop(const tune_tile *tile, const tune_ir_builder *builder,
                             MlirValue *pieces) {
  bool has_sums = tile->core->sum_count;
  size_t count = has_sums ? tile->core->sum_count(tile) : tile->core->count(tile);
  MlirValue started[TUNE_TILE_MOST_PIECES], *carried = has_sums ? started : pieces;
  TUNE_RETURN_IF_ERROR(start_pieces(tile, builder, pieces));
  if (has_sums)
    tile->core->begin(tile, builder, carried);
  if (tile->core->loop) {
    tile->core->loop(tile, builder, pieces);
    return TUNE_OK;
  }
  int64_t ahead = tile->is_async || tile->stages == 1 ? tile->stages - 1 : 1;
  for (int64_t s = 0; s < ahead; ++s) {
    MlirValue number = tune_ir_build_index(builder, s);
    if (s < tile->steps)
      copy_step(tile, builder, number, number);
    tune_tile_commit(tile, builder);
  }
  MlirOperation loop;
  tune_ir_builder inside = tune_ir_build_for(builder, tile->steps, (intptr_t)count, carried, &loop);
  MlirBlock body = tune_ir_body(loop);
  MlirValue step = mlirBlockGetArgument(body, 0), sums[TUNE_TILE_MOST_PIECES];
  for (size_t p = 0; p < count; ++p)
    sums[p] = mlirBlockGetArgument(body, 1 + (intptr_t)p);
  if (tile->stages > 1 && !tile->is_async) {
    make_step_fetched(tile, &inside, step, sums);
  } else {
    if (tile->stages > 1)
      make_step_ahead(tile, &inside, step);
    else
      make_step_now(tile, &inside, step);
    tile->core->multiply(tile, &inside, tune_tile_remainder(&inside, step, tile->stages), sums);
  }
  tune_ir_build(
      &inside,
      &(tune_ir_parts){.name = "scf.yield", .operand_count = (intptr_t)count, .operands = sums});
  for (size_t p = 0; p < count; ++p)
    carried[p] = mlirOperationGetResult(loop, (intptr_t)p);
  if (has_sums)
    tile->core->end(tile, builder, carried, pieces);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// All of it
//===--------------------------------------------------------------------------===//

static tune_status open_tile(MlirOperation forall, const tune_device *device) {
  tune_tile tile = {.forall = forall};
  TUNE_RETURN_IF_ERROR(read_attributes(&tile, device));
  TUNE_RETURN_IF_ERROR(read_loop(&tile));
  TUNE_RETURN_IF_ERROR(read_contraction(&tile));
  find_matrix(&tile, device);
  TUNE_RETURN_IF_ERROR(tile.core->check(&tile, device));
  TUNE_RETURN_IF_ERROR(check_swizzle(&tile));
  if (tile.core->count(&tile) > TUNE_TILE_MOST_PIECES)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, forall,
                               "%zu pieces of the output a thread; up to %d are let pass",
                               tile.core->count(&tile), TUNE_TILE_MOST_PIECES);
  if (!tile.is_async && tile.stages > 1 &&
      (tune_tile_operand_chunks(&tile, &tile.a) > TUNE_TILE_MOST_CHUNKS ||
       tune_tile_operand_chunks(&tile, &tile.b) > TUNE_TILE_MOST_CHUNKS))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, forall,
                               "a thread reads more than %d pieces of A or B ahead; expected more "
                               "threads, or one stage",
                               TUNE_TILE_MOST_CHUNKS);
  if (tile.is_bulk) {
    TUNE_RETURN_IF_ERROR(tune_tile_bulk_check(&tile, &tile.a));
    TUNE_RETURN_IF_ERROR(tune_tile_bulk_check(&tile, &tile.b));
  }
  if (tile.core->lay_out) {
    tile.core->lay_out(&tile, &tile.a);
    tile.core->lay_out(&tile, &tile.b);
  }
  TUNE_RETURN_IF_ERROR(tune_tile_cluster_check(&tile));
  TUNE_RETURN_IF_ERROR(tune_tile_order(forall, tile.cluster_y, tile.cluster_x));
  tune_tile_cluster_place(&tile);
  tile.forall = tune_lanes_add(forall, all_threads(&tile), &tile.thread);
  tune_ir_builder start =
      tune_ir_builder_before(mlirBlockGetFirstOperation(tune_ir_body(tile.forall)));
  tune_tile_operand_allocate(&tile, &start, &tile.a);
  tune_tile_operand_allocate(&tile, &start, &tile.b);
  if (tile.is_bulk)
    tune_tile_bulk_allocate(&tile, &start);
  MlirOperation last = {NULL};
  if (tile.producer_warps)
    tune_tile_producer_begin(&tile, &last);
  MlirValue pieces[TUNE_TILE_MOST_PIECES];
  tune_ir_builder builder = tune_ir_builder_before(tile.loop);
  TUNE_RETURN_IF_ERROR(make_loop(&tile, &builder, pieces));
  TUNE_RETURN_IF_ERROR(tune_tile_make_writes(&tile, pieces));
  if (tile.producer_warps)
    tune_tile_producer_end(&tile, last);
  // LLVM takes vectors of any length; SPIR-V has pieces of them (vector_legalization.h).
  if (!tune_device_is_vulkan(device))
    mlirOperationSetDiscardableAttributeByName(
        tile.forall, tune_ir_string(TUNE_TILE_DONE_ATTRIBUTE),
        mlirUnitAttrGet(mlirOperationGetContext(tile.forall)));
  return TUNE_OK;
}

tune_status tune_workgroup_matmul_lower(MlirOperation function, const tune_device *device) {
  static const char *const MADE_OF[] = {"arith", "gpu", "math",   "memref", "nvgpu",
                                        "nvvm",  "scf", "vector", NULL};
  MlirBlock body = tune_ir_body(function);
  bool is_ready = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!tune_ir_is(op, "scf.forall") ||
        mlirAttributeIsNull(tune_ir_attribute(op, TUNE_TILE_STAGES_ATTRIBUTE)))
      continue;
    if (!is_ready)
      tune_ir_load_dialects(mlirOperationGetContext(function), MADE_OF);
    is_ready = true;
    TUNE_RETURN_IF_ERROR(open_tile(op, device));
  }
  return TUNE_OK;
}
