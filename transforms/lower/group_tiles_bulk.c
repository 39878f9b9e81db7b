//===- group_tiles_bulk.c - Boxes of memory that come to a group by themselves ---------===//
//
// cp.async.bulk.tensor of sm_90, as the PTX ISA describes it: one thread says which box of a tensor
// is to be copied to shared memory, and swizzled on the way; when it has arrived, with all others
// of its step, an mbarrier goes on to its next phase. What the tensor is, the kernel is told by a
// tensor map, which the host makes (tensor_maps.h).
//
//===--------------------------------------------------------------------------===//

#include "transforms/lower/group_tiles_bulk.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/group_tiles_copies.h"
#include "transforms/lower/tensor_maps.h"

#include <stdio.h>

enum { BARRIER_BYTES = 8, ROW_BYTES = 16, ASM_OPERANDS = 12 };

//===--------------------------------------------------------------------------===//
// Instructions
//===--------------------------------------------------------------------------===//

// An instruction without results, of operands of 32 bits and addresses.
static void build_asm(const tune_ir_builder *builder, const char *text, intptr_t count,
                      const MlirValue *operands) {
  MlirContext context = builder->context;
  char constraints[2 * ASM_OPERANDS + 1] = "";
  for (intptr_t i = 0; i < count; ++i) {
    bool is_word = mlirTypeIsAInteger(mlirValueGetType(operands[i]));
    snprintf(constraints + (i ? 2 * i - 1 : 0), sizeof constraints - (size_t)(2 * i), "%s%s",
             i ? "," : "", is_word ? "r" : "l");
  }
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "asm_string", mlirStringAttrGet(context, tune_ir_string(text))),
      tune_ir_named(context, "constraints",
                    mlirStringAttrGet(context, tune_ir_string(constraints))),
      tune_ir_named(context, "has_side_effects", mlirUnitAttrGet(context))};
  tune_ir_build(builder, &(tune_ir_parts){.name = "llvm.inline_asm",
                                          .operand_count = count,
                                          .operands = operands,
                                          .attribute_count = 3,
                                          .attributes = attributes});
}

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

static MlirValue barrier_of(const tune_tile *tile, const tune_ir_builder *builder,
                            MlirValue stage) {
  return address_in(builder, tile->barriers, tune_tile_scale(builder, stage, BARRIER_BYTES));
}

static tune_ir_builder by_first(const tune_tile *tile, const tune_ir_builder *builder) {
  return tune_ir_build_if(
      builder, tune_ir_build_compare(builder, "eq", tile->thread, tune_ir_build_index(builder, 0)));
}

//===--------------------------------------------------------------------------===//
// Barriers
//===--------------------------------------------------------------------------===//

void tune_tile_bulk_allocate(tune_tile *tile, const tune_ir_builder *builder) {
  MlirAttribute space =
      mlirAttributeParseGet(builder->context, tune_ir_string("#gpu.address_space<workgroup>"));
  MlirType type = mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(builder->context, 64), 1,
                                              &tile->stages, space);
  int32_t segments[] = {0, 0};
  MlirNamedAttribute attribute = tune_ir_named(builder->context, "operandSegmentSizes",
                                               mlirDenseI32ArrayGet(builder->context, 2, segments));
  tile->barriers = tune_ir_build_result(builder, &(tune_ir_parts){.name = "memref.alloc",
                                                                  .type_count = 1,
                                                                  .types = &type,
                                                                  .attribute_count = 1,
                                                                  .attributes = &attribute});
}

void tune_tile_bulk_begin(const tune_tile *tile, const tune_ir_builder *builder) {
  tune_ir_builder first = by_first(tile, builder);
  for (int64_t stage = 0; stage < tile->stages; ++stage) {
    MlirValue operands[] = {barrier_of(tile, &first, tune_ir_build_index(&first, stage)),
                            word(&first, 1)};
    build_asm(&first, "mbarrier.init.shared::cta.b64 [$0], $1;", 2, operands);
  }
  build_asm(&first, "fence.proxy.async.shared::cta;", 0, NULL); // copies see them, too
  tune_ir_build(builder, &(tune_ir_parts){.name = "gpu.barrier"});
}

void tune_tile_bulk_wait(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  MlirValue phase = tune_tile_remainder(builder, tune_tile_divide(builder, step, tile->stages), 2);
  MlirValue operands[] = {
      barrier_of(tile, builder, tune_tile_remainder(builder, step, tile->stages)),
      to_word(builder, phase)};
  build_asm(builder,
            "{\n"
            ".reg .pred is_there;\n"
            "wait:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 is_there, [$0], $1;\n"
            "@!is_there bra wait;\n"
            "}",
            2, operands);
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
  if (tile->core == &tune_tile_wgmma && is_as_it_lies && rank <= TUNE_TENSOR_MAP_RANK &&
      operand->dims[1] == rank - 1 && row % ROW_BYTES == 0)
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, operand->read,
                             "tune.tile.bulk_copies: boxes are copied for products of four warps "
                             "(tensor_cores = 2), of buffers of up to %d dimensions whose rows are "
                             "multiples of %d bytes, of f32 along the depth",
                             TUNE_TENSOR_MAP_RANK, ROW_BYTES);
}

static void copy_panel(const tune_ir_builder *builder, MlirValue to, MlirValue map, intptr_t rank,
                       const MlirValue *origin, MlirValue barrier) {
  MlirValue operands[ASM_OPERANDS] = {to, map};
  char text[192];
  int length = snprintf(text, sizeof text,
                        "cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::"
                        "bytes [$0], [$1, {",
                        (int)rank);
  for (intptr_t i = 0; i < rank; ++i) { // the innermost first
    operands[2 + i] = to_word(builder, origin[rank - 1 - i]);
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "%s$%d", i ? ", " : "", (int)(2 + i));
  }
  operands[2 + rank] = barrier;
  snprintf(text + length, sizeof text - (size_t)length, "}], [$%d];", (int)(2 + rank));
  build_asm(builder, text, 3 + rank, operands);
}

static void copy_operand(const tune_tile *tile, const tune_tile_operand *operand,
                         const tune_ir_builder *builder, MlirValue stage, MlirValue step,
                         MlirValue barrier) {
  MlirValue memory = mlirOperationGetOperand(operand->read, 0), origin[TUNE_TENSOR_MAP_RANK];
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memory));
  int64_t box[TUNE_TENSOR_MAP_RANK], bytes = tune_tile_bytes(operand->element),
                                     wide = operand->swizzle / bytes,
                                     panel = operand->rows * operand->swizzle;
  for (intptr_t i = 0; i < rank; ++i)
    box[i] = i == operand->dims[0] ? operand->rows : i == operand->dims[1] ? wide : 1;
  MlirValue map = tune_tensor_map_build(builder, memory, operand->swizzle, box);
  tune_tile_operand_find_origin(tile, operand, builder, step, origin);
  MlirValue first = origin[rank - 1],
            start = tune_tile_scale(builder, stage, operand->rows * operand->cols * bytes);
  for (int64_t i = 0; i < operand->cols / wide; ++i) {
    origin[rank - 1] = tune_tile_add_number(builder, first, i * wide);
    MlirValue to =
        address_in(builder, operand->shared, tune_tile_add_number(builder, start, i * panel));
    copy_panel(builder, to, map, rank, origin, barrier);
  }
}

void tune_tile_bulk_copy(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step) {
  tune_ir_builder first = by_first(tile, builder);
  MlirValue stage = tune_tile_remainder(&first, step, tile->stages);
  MlirValue barrier = barrier_of(tile, &first, stage);
  int64_t bytes = (tile->a.rows * tile->a.cols + tile->b.rows * tile->b.cols) *
                  tune_tile_bytes(tile->a.element);
  MlirValue operands[] = {barrier, word(&first, bytes)};
  build_asm(&first, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", 2, operands);
  copy_operand(tile, &tile->a, &first, stage, step, barrier);
  copy_operand(tile, &tile->b, &first, stage, step, barrier);
}
