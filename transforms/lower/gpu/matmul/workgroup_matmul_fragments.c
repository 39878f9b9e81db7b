//===- workgroup_matmul_fragments.c - Layouts of the fragments of mma.sync ---===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_fragments.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_operand.h"

#include <stdio.h>

enum { ROWS = TUNE_FRAGMENT_ROWS, COLS = TUNE_FRAGMENT_COLS };

int64_t tune_fragment_warp_rows(const tune_tile *tile) { return tile->rows / tile->warps_y; }
int64_t tune_fragment_warp_cols(const tune_tile *tile) { return tile->cols / tile->warps_x; }

tune_fragment_origin tune_fragment_find_origin(const tune_tile *tile,
                                               const tune_ir_builder *builder) {
  MlirValue warp = tune_tile_divide(builder, tile->thread, TUNE_TILE_WARP);
  return (tune_fragment_origin){
      .row = tune_tile_scale(builder, tune_tile_divide(builder, warp, tile->warps_x),
                             tune_fragment_warp_rows(tile)),
      .col = tune_tile_scale(builder, tune_tile_remainder(builder, warp, tile->warps_x),
                             tune_fragment_warp_cols(tile)),
      .lane = tune_tile_remainder(builder, tile->thread, TUNE_TILE_WARP)};
}

tune_status tune_fragment_check(const tune_tile *tile, const tune_device *device, int64_t depth) {
  if (device->arch < 80)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "tensor cores are used from sm_80 on; the device is sm_%d",
                               device->arch);
  if (tile->rows % (tile->warps_y * ROWS) || tile->cols % (tile->warps_x * 2 * COLS) ||
      tile->depth % depth)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "%lld x %lld warps divide a tile of %lld x %lld, %lld deep; tensor "
                               "cores take multiples of %d x %d of each, %lld deep",
                               (long long)tile->warps_y, (long long)tile->warps_x,
                               (long long)tile->rows, (long long)tile->cols, (long long)tile->depth,
                               ROWS, 2 * COLS, (long long)depth);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Pieces
//===--------------------------------------------------------------------------===//

size_t tune_fragment_count(const tune_tile *tile) {
  return (size_t)(tune_fragment_warp_rows(tile) / ROWS * (tune_fragment_warp_cols(tile) / COLS));
}

MlirType tune_fragment_type(const tune_tile *tile) {
  int64_t shape[] = {2, 2};
  return mlirVectorTypeGet(2, shape, tile->sum);
}

size_t tune_fragment_run(const tune_tile *tile) {
  (void)tile;
  return 2;
}

void tune_fragment_position(size_t element, int64_t out_position[2], intptr_t *out_count) {
  out_position[0] = (int64_t)(element / 2);
  out_position[1] = (int64_t)(element % 2);
  *out_count = 2;
}

void tune_fragment_place(const tune_tile *tile, const tune_ir_builder *builder, size_t piece,
                         size_t element, MlirValue *out_row, MlirValue *out_col) {
  tune_fragment_origin at = tune_fragment_find_origin(tile, builder);
  int64_t across = tune_fragment_warp_cols(tile) / COLS, number = (int64_t)piece;
  MlirValue group = tune_tile_divide(builder, at.lane, 4),
            pair = tune_tile_scale(builder, tune_tile_remainder(builder, at.lane, 4), 2);
  *out_row = tune_tile_add_number(builder, tune_tile_add(builder, at.row, group),
                                  number / across * ROWS + (element >= 2 ? 8 : 0));
  *out_col = tune_tile_add_number(builder, tune_tile_add(builder, at.col, pair),
                                  number % across * COLS + (int64_t)(element % 2));
}

void tune_fragment_split(const tune_ir_builder *builder, MlirValue piece, MlirValue out_sums[4]) {
  MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(piece));
  for (size_t e = 0; e < 4; ++e) {
    int64_t position[2];
    intptr_t count;
    tune_fragment_position(e, position, &count);
    out_sums[e] = tune_ir_build_extract(builder, piece, position, count, type);
  }
}

MlirValue tune_fragment_join(const tune_ir_builder *builder, MlirType type,
                             const MlirValue sums[4]) {
  return tune_tile_from_elements(builder, type, 4, sums);
}

//===--------------------------------------------------------------------------===//
// A and B
//===--------------------------------------------------------------------------===//

void tune_fragment_lay_out(const tune_tile *tile, tune_tile_operand *operand) {
  enum { MOST = 128 };
  int64_t bytes = operand->cols * tune_tile_bytes(operand->element);
  operand->swizzle = !tile->is_swizzled ? 0 : bytes < MOST ? bytes : MOST;
}

MlirValue tune_fragment_load(const tune_ir_builder *builder, const tune_tile_operand *operand,
                             MlirValue stage, MlirValue row, MlirValue col, bool turns) {
  MlirValue memory = tune_tile_bytes(operand->element) == 1 ? operand->pairs : operand->shared;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
  int64_t bytes = tune_tile_bytes(element), shape[] = {4, 4 / bytes};
  MlirValue operands[5] = {memory};
  intptr_t rank =
      tune_tile_operand_find_shared(operand, builder, bytes, stage, row, col, operands + 1);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(builder->context, "transpose", mlirBoolAttrGet(builder->context, turns)),
      tune_ir_named(builder->context, "numTiles",
                    mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 32), 4))};
  MlirType type = mlirVectorTypeGet(2, shape, element);
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "nvgpu.ldmatrix",
                                                        .operand_count = 1 + rank,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 2,
                                                        .attributes = attributes});
}

void tune_fragment_take_words(const tune_ir_builder *builder, MlirValue fragment, int64_t count,
                              MlirValue *out_words) {
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32), type = mlirValueGetType(fragment);
  int64_t width = mlirShapedTypeGetDimSize(type, 1), one = 1, first = 0;
  MlirType row = mlirVectorTypeGet(1, &width, mlirShapedTypeGetElementType(type)),
           word = mlirVectorTypeGet(1, &one, i32);
  for (int64_t i = 0; i < count; ++i) {
    MlirValue value = tune_ir_build_extract(builder, fragment, &i, 1, row);
    value = tune_ir_build_value(builder, "vector.bitcast", word, 1, &value);
    out_words[i] = tune_ir_build_extract(builder, value, &first, 1, i32);
  }
}

//===--------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------===//

static MlirNamedAttribute parse_named(MlirContext context, const char *name, const char *format,
                                      const char *value) {
  char text[64];
  snprintf(text, sizeof text, format, value);
  return tune_ir_named(context, name, mlirAttributeParseGet(context, tune_ir_string(text)));
}

// Of NVVM, since upstream's conversion of nvgpu.mma.sync leaves bf16 out, and has sums of integers
// stop at the greatest.
void tune_fragment_multiply(const tune_ir_builder *builder, const tune_fragment_product *product,
                            const MlirValue a[4], const MlirValue b[2], MlirValue sums[4]) {
  MlirContext context = builder->context;
  bool is_float = mlirTypeIsAFloat(product->sum);
  MlirValue operands[] = {a[0], a[1], a[2], a[3], b[0], b[1], sums[0], sums[1], sums[2], sums[3]};
  int32_t segments[] = {4, 2, 4};
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 3, segments)),
      parse_named(context, "layoutA", "#nvvm.mma_layout<%s>", "row"),
      parse_named(context, "layoutB", "#nvvm.mma_layout<%s>", "col"),
      parse_named(context, "multiplicandAPtxType", "#nvvm.mma_type<%s>", product->a),
      parse_named(context, "multiplicandBPtxType", "#nvvm.mma_type<%s>", product->b),
      parse_named(context, "shape", "#nvvm.shape<%s>", product->shape),
      parse_named(context, "intOverflowBehavior", "#nvvm.mma_int_overflow<%s>", "wrapped")};
  MlirType type =
      mlirTypeParseGet(context, tune_ir_string(is_float ? "!llvm.struct<(f32, f32, f32, f32)>"
                                                        : "!llvm.struct<(i32, i32, i32, i32)>"));
  MlirValue made =
      tune_ir_build_result(builder, &(tune_ir_parts){.name = "nvvm.mma.sync",
                                                     .operand_count = 10,
                                                     .operands = operands,
                                                     .type_count = 1,
                                                     .types = &type,
                                                     .attribute_count = is_float ? 6 : 7,
                                                     .attributes = attributes});
  for (int64_t e = 0; e < 4; ++e) {
    MlirNamedAttribute position =
        tune_ir_named(context, "position", mlirDenseI64ArrayGet(context, 1, &e));
    sums[e] = tune_ir_build_result(builder, &(tune_ir_parts){.name = "llvm.extractvalue",
                                                             .operand_count = 1,
                                                             .operands = &made,
                                                             .type_count = 1,
                                                             .types = &product->sum,
                                                             .attribute_count = 1,
                                                             .attributes = &position});
  }
}
