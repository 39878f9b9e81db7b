//===- workgroup_matmul_bulk.c - Bulk tensor copies to shared memory (sm_90) -===//
//
// cp.async.bulk.tensor of sm_90, as the PTX ISA describes it: one thread says which box of a tensor
// is to be copied to shared memory, and swizzled on the way; when it has arrived, with all others
// of its step, an mbarrier goes on to its next phase. What the tensor is, the kernel is told by a
// tensor map, which the host makes (tensor_maps.h).
//
//===--------------------------------------------------------------------------===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_bulk.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/tensor_maps.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_cluster.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_operand.h"

#include <stdio.h>

enum { BARRIER_BYTES = 8, ROW_BYTES = 16 };

//===--------------------------------------------------------------------------===//
// Instructions
//===--------------------------------------------------------------------------===//

static MlirType word_type(const tune_ir_builder *builder) {
  return mlirIntegerTypeGet(builder->context, 32);
}

static MlirValue to_word(const tune_ir_builder *builder, MlirValue index) {
  return tune_ir_build_value(builder, "arith.index_cast", word_type(builder), 1, &index);
}

static MlirValue word(const tune_ir_builder *builder, int64_t value) {
  MlirType type = word_type(builder);
  return tune_ir_build_constant(builder, type, mlirIntegerAttrGet(type, value));
}

// The address in shared memory `bytes` (an index) behind where `memory` begins.
static MlirValue address_in(const tune_ir_builder *builder, MlirValue memory, MlirValue bytes) {
  MlirValue start = tune_ir_build_value(builder, "memref.extract_aligned_pointer_as_index",
                                        mlirIndexTypeGet(builder->context), 1, &memory);
  return to_word(builder, tune_tile_add(builder, start, bytes));
}

// Where the tiles of a stage arrive.
static MlirValue barrier_of(const tune_tile *tile, const tune_ir_builder *builder,
                            MlirValue stage) {
  return address_in(builder, tile->barriers, tune_tile_scale(builder, stage, BARRIER_BYTES));
}

// Where those that they go to say that they have read them.
static MlirValue read_barrier_of(const tune_tile *tile, const tune_ir_builder *builder,
                                 MlirValue stage) {
  return barrier_of(tile, builder, tune_tile_add_number(builder, stage, tile->stages));
}

static tune_ir_builder by_first(const tune_tile *tile, const tune_ir_builder *builder) {
  return tune_ir_build_if(
      builder, tune_ir_build_compare(builder, "eq", tile->thread, tune_ir_build_index(builder, 0)));
}

// Whether those who copy are told at mbarriers that tiles have been read, rather than by being
// behind a barrier with all who have.
static bool tells_readers(const tune_tile *tile) {
  return tile->producer_warps || tune_tile_has_cluster(tile);
}

// How many tell so, for one stage: each group once, or each of its warps.
static int64_t count_tellers(const tune_tile *tile) {
  int64_t each = tile->producer_warps ? tile->warps_y * tile->warps_x : 1;
  return each * tune_tile_cluster_readers(tile);
}

//===--------------------------------------------------------------------------===//
// Barriers
//===--------------------------------------------------------------------------===//

void tune_tile_bulk_allocate(tune_tile *tile, const tune_ir_builder *builder) {
  MlirAttribute space =
      mlirAttributeParseGet(builder->context, tune_ir_string("#gpu.address_space<workgroup>"));
  int64_t count = tells_readers(tile) ? 2 * tile->stages : tile->stages;
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(builder->context, 64), 1, &count, space);
  int32_t segments[] = {0, 0};
  MlirNamedAttribute attribute = tune_ir_named(builder->context, "operandSegmentSizes",
                                               mlirDenseI32ArrayGet(builder->context, 2, segments));
  tile->barriers = tune_ir_build_result(builder, &(tune_ir_parts){.name = "memref.alloc",
                                                                  .type_count = 1,
                                                                  .types = &type,
                                                                  .attribute_count = 1,
                                                                  .attributes = &attribute});
}

static void make_barrier(const tune_ir_builder *builder, MlirValue address, int64_t arrivals) {
  MlirValue operands[] = {address, word(builder, arrivals)};
  tune_tile_build_asm(builder, "mbarrier.init.shared::cta.b64 [$0], $1;", 2, operands);
}

void tune_tile_bulk_begin(const tune_tile *tile, const tune_ir_builder *builder) {
  tune_ir_builder first = by_first(tile, builder);
  bool has_cluster = tune_tile_has_cluster(tile);
  for (int64_t stage = 0; stage < tile->stages; ++stage) {
    MlirValue number = tune_ir_build_index(&first, stage);
    make_barrier(&first, barrier_of(tile, &first, number), 1);
    if (tells_readers(tile))
      make_barrier(&first, read_barrier_of(tile, &first, number), count_tellers(tile));
  }
  if (has_cluster)
    tune_tile_build_asm(&first, "fence.mbarrier_init.release.cluster;", 0, NULL);
  tune_tile_build_asm(&first, "fence.proxy.async.shared::cta;", 0, NULL); // copies see them, too
  if (has_cluster)
    tune_tile_cluster_meet(builder);
  else
    tune_ir_build(builder, &(tune_ir_parts){.name = "gpu.barrier"});
}

// Waits until the phase of this parity is over; "" or ".acquire.cluster" is what that orders.
static void wait_for(const tune_ir_builder *builder, const char *order, MlirValue barrier,
                     MlirValue parity) {
  char text[192];
  snprintf(text, sizeof text,
           "{\n"
           ".reg .pred is_there;\n"
           "wait:\n"
           "mbarrier.try_wait.parity%s.shared::cta.b64 is_there, [$0], $1;\n"
           "@!is_there bra wait;\n"
           "}",
           order);
  MlirValue operands[] = {barrier, to_word(builder, parity)};
  tune_tile_build_asm(builder, text, 2, operands);
}

// How often, from 0, the stage of step `step` has been filled before it, and one more where
// `is_next`; modulo 2.
static MlirValue phase_of(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step,
                          bool is_next) {
  MlirValue turn = tune_tile_divide(builder, step, tile->stages);
  return tune_tile_remainder(builder, tune_tile_add_number(builder, turn, is_next), 2);
}

void tune_tile_bulk_wait(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  wait_for(builder, "", barrier_of(tile, builder, tune_tile_remainder(builder, step, tile->stages)),
           phase_of(tile, builder, step, false));
}

void tune_tile_bulk_tell(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  if (!tells_readers(tile))
    return;
  MlirValue stage = tune_tile_remainder(builder, step, tile->stages);
  tune_tile_cluster_tell(tile, builder, read_barrier_of(tile, builder, stage));
}

// Before the tiles of step `step` are copied over others: all that those went to have read them.
// The first time an mbarrier's phase before the first counts as over.
static void wait_for_readers(const tune_tile *tile, const tune_ir_builder *builder,
                             MlirValue step) {
  MlirValue stage = tune_tile_remainder(builder, step, tile->stages);
  wait_for(builder, tune_tile_has_cluster(tile) ? ".acquire.cluster" : "",
           read_barrier_of(tile, builder, stage), phase_of(tile, builder, step, true));
}

//===--------------------------------------------------------------------------===//
// Copies
//===--------------------------------------------------------------------------===//

tune_status tune_tile_bulk_check(const tune_tile *tile, const tune_tile_operand *operand) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(operand->read, 0));
  intptr_t rank = mlirShapedTypeGetRank(type);
  int64_t row = mlirShapedTypeGetDimSize(type, rank - 1) * tune_tile_bytes(operand->element);
  // What lies otherwise is turned on the way, which boxes are not.
  bool is_as_it_lies = operand->depth_is_row || tune_tile_bytes(operand->element) < 4;
  if (tile->core->takes_descriptors && is_as_it_lies && rank <= TUNE_TENSOR_MAP_RANK &&
      operand->dims[1] == rank - 1 && row % ROW_BYTES == 0)
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, operand->read,
                             "tune.tile.bulk_copies: boxes are copied for products of four warps "
                             "(tensor_cores = 2), of buffers of up to %d dimensions whose rows are "
                             "multiples of %d bytes, of f32 along the depth",
                             TUNE_TENSOR_MAP_RANK, ROW_BYTES);
}

// `mask`: the groups that it goes to; null: the group alone.
static void copy_panel(const tune_ir_builder *builder, MlirValue to, MlirValue map, intptr_t rank,
                       const MlirValue *origin, MlirValue barrier, MlirValue mask) {
  MlirValue operands[4 + TUNE_TENSOR_MAP_RANK] = {to, map};
  bool is_for_all = !mlirValueIsNull(mask);
  char text[224];
  int length = snprintf(text, sizeof text,
                        "cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::"
                        "bytes%s [$0], [$1, {",
                        (int)rank, is_for_all ? ".multicast::cluster" : "");
  for (intptr_t i = 0; i < rank; ++i) { // the innermost first
    operands[2 + i] = to_word(builder, origin[rank - 1 - i]);
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "%s$%d", i ? ", " : "", (int)(2 + i));
  }
  operands[2 + rank] = barrier;
  operands[3 + rank] = mask;
  length += snprintf(text + length, sizeof text - (size_t)length, "}], [$%d]", (int)(2 + rank));
  if (is_for_all)
    length += snprintf(text + length, sizeof text - (size_t)length, ", $%d", (int)(3 + rank));
  snprintf(text + length, sizeof text - (size_t)length, ";");
  tune_tile_build_asm(builder, text, 3 + is_for_all + rank, operands);
}

static void copy_operand(const tune_tile *tile, const tune_tile_operand *operand,
                         const tune_ir_builder *builder, MlirValue stage, MlirValue step,
                         MlirValue barrier) {
  MlirValue memory = mlirOperationGetOperand(operand->read, 0), origin[TUNE_TENSOR_MAP_RANK], part;
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memory));
  int64_t lines = operand->rows / tune_tile_cluster_parts(tile, operand, &part);
  int64_t box[TUNE_TENSOR_MAP_RANK], bytes = tune_tile_bytes(operand->element),
                                     wide = operand->swizzle / bytes,
                                     panel = operand->rows * operand->swizzle;
  for (intptr_t i = 0; i < rank; ++i)
    box[i] = i == operand->dims[0] ? lines : i == operand->dims[1] ? wide : 1;
  MlirValue map = tune_tensor_map_build(builder, memory, operand->swizzle, box), mask = {NULL};
  tune_tile_operand_find_origin(tile, operand, builder, step, origin);
  MlirValue first = origin[rank - 1],
            start = tune_tile_scale(builder, stage, operand->rows * operand->cols * bytes);
  if (!mlirValueIsNull(part)) {
    MlirValue *line = &origin[operand->dims[0]];
    *line = tune_tile_add(builder, *line, tune_tile_scale(builder, part, lines));
    start = tune_tile_add(builder, start, tune_tile_scale(builder, part, lines * operand->swizzle));
    mask = tune_tile_cluster_mask(tile, operand, builder);
  }
  for (int64_t i = 0; i < operand->cols / wide; ++i) {
    origin[rank - 1] = tune_tile_add_number(builder, first, i * wide);
    MlirValue to =
        address_in(builder, operand->shared, tune_tile_add_number(builder, start, i * panel));
    copy_panel(builder, to, map, rank, origin, barrier, mask);
  }
}

void tune_tile_bulk_copy(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  tune_ir_builder first = tile->producer_warps ? *builder : by_first(tile, builder);
  if (tells_readers(tile))
    wait_for_readers(tile, &first, step);
  MlirValue stage = tune_tile_remainder(&first, step, tile->stages);
  MlirValue barrier = barrier_of(tile, &first, stage);
  int64_t bytes = (tile->a.rows * tile->a.cols + tile->b.rows * tile->b.cols) *
                  tune_tile_bytes(tile->a.element);
  MlirValue operands[] = {barrier, word(&first, bytes)};
  tune_tile_build_asm(&first, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", 2,
                      operands);
  copy_operand(tile, &tile->a, &first, stage, step, barrier);
  copy_operand(tile, &tile->b, &first, stage, step, barrier);
}
