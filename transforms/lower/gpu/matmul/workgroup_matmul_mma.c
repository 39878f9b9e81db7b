//===- workgroup_matmul_mma.c - A group's tile by tensor cores ---------------===//
//
// mma.sync.m16n8k16 (workgroup_matmul_fragments.h). Where neighbours in shared memory are none
// along the depth, ldmatrix turns each matrix (.trans).
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_fragments.h"

enum { M = TUNE_FRAGMENT_ROWS, N = TUNE_FRAGMENT_COLS, K = 16 };

static tune_status mma_check(const tune_tile *tile, const tune_device *device) {
  if (!tune_ir_is_short_float(tile->a.element) ||
      !mlirTypeEqual(tile->a.element, tile->b.element) ||
      !(mlirTypeIsAF32(tile->sum) ||
        (mlirTypeIsAF16(tile->sum) && mlirTypeIsAF16(tile->a.element))))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "tensor cores multiply f16 (into f16 or f32) or bf16 (into f32)");
  return tune_fragment_check(tile, device, K);
}

//===--------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------===//

// Four matrices of `operand`: two along its lines (rows of A, columns of B) from `line` on, two
// along the depth from `depth` on. `lines_first`: the first two are those along the lines.
static MlirValue load_matrices(const tune_ir_builder *builder, const tune_tile_operand *operand,
                               MlirValue stage, MlirValue lane, MlirValue line, int64_t depth,
                               bool lines_first) {
  MlirValue matrix = tune_tile_divide(builder, lane, 8),
            in_matrix = tune_tile_remainder(builder, lane, 8);
  MlirValue first = tune_tile_scale(builder, tune_tile_remainder(builder, matrix, 2), 8),
            second = tune_tile_scale(builder, tune_tile_divide(builder, matrix, 2), 8);
  MlirValue along_lines = tune_tile_add(builder, line, lines_first ? first : second),
            along_depth = tune_tile_add_number(builder, lines_first ? second : first, depth);
  // A row of shared memory is a line's depths, or a depth's lines, which .trans turns.
  MlirValue row =
      tune_tile_add(builder, operand->depth_is_row ? along_lines : along_depth, in_matrix);
  return tune_fragment_load(builder, operand, stage, row,
                            operand->depth_is_row ? along_depth : along_lines,
                            !operand->depth_is_row);
}

static MlirAttribute numbers(MlirContext context, const int64_t *values, intptr_t count) {
  MlirAttribute items[4];
  for (intptr_t i = 0; i < count; ++i)
    items[i] = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), values[i]);
  return mlirArrayAttrGet(context, count, items);
}

// Half of what load_matrices brought of B: the fragment of eight columns.
static MlirValue take_half(const tune_ir_builder *builder, MlirValue matrices, int64_t half) {
  int64_t shape[] = {2, 2};
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(matrices));
  MlirType row = mlirVectorTypeGet(1, shape, element);
  MlirValue rows[2];
  for (int64_t i = 0; i < 2; ++i) {
    int64_t place = 2 * half + i;
    rows[i] = tune_ir_build_extract(builder, matrices, &place, 1, row);
  }
  return tune_tile_from_rows(builder, mlirVectorTypeGet(2, shape, element), rows);
}

static MlirValue multiply_f16(const tune_ir_builder *builder, MlirValue a, MlirValue b,
                              MlirValue sum) {
  static const int64_t SHAPE[] = {M, N, K};
  MlirValue operands[] = {a, b, sum};
  MlirType type = mlirValueGetType(sum);
  MlirNamedAttribute shape =
      tune_ir_named(builder->context, "mmaShape", numbers(builder->context, SHAPE, 3));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "nvgpu.mma.sync",
                                                        .operand_count = 3,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 1,
                                                        .attributes = &shape});
}

// Upstream's conversion of nvgpu.mma.sync leaves bf16 out.
static MlirValue multiply_bf16(const tune_ir_builder *builder, MlirValue a, MlirValue b,
                               MlirValue sum) {
  const tune_fragment_product product = {.a = "bf16",
                                         .b = "bf16",
                                         .shape = "m = 16, n = 8, k = 16",
                                         .sum = mlirF32TypeGet(builder->context)};
  MlirValue a_words[4], b_words[2], sums[4];
  tune_fragment_take_words(builder, a, 4, a_words);
  tune_fragment_take_words(builder, b, 2, b_words);
  tune_fragment_split(builder, sum, sums);
  tune_fragment_multiply(builder, &product, a_words, b_words, sums);
  return tune_fragment_join(builder, mlirValueGetType(sum), sums);
}

static void mma_multiply(const tune_tile *tile, const tune_ir_builder *builder, MlirValue stage,
                         MlirValue *pieces) {
  tune_fragment_origin at = tune_fragment_find_origin(tile, builder);
  int64_t down = tune_fragment_warp_rows(tile) / M, across = tune_fragment_warp_cols(tile) / N;
  MlirValue a[TUNE_TILE_MOST_PIECES], b[TUNE_TILE_MOST_PIECES];
  MlirValue (*multiply)(const tune_ir_builder *, MlirValue, MlirValue, MlirValue) =
      mlirTypeIsABF16(tile->a.element) ? multiply_bf16 : multiply_f16;
  for (int64_t depth = 0; depth < tile->depth; depth += K) {
    for (int64_t i = 0; i < down; ++i)
      a[i] = load_matrices(builder, &tile->a, stage, at.lane,
                           tune_tile_add_number(builder, at.row, i * M), depth, true);
    for (int64_t j = 0; j < across; j += 2) {
      MlirValue both = load_matrices(builder, &tile->b, stage, at.lane,
                                     tune_tile_add_number(builder, at.col, j * N), depth, false);
      b[j] = take_half(builder, both, 0);
      b[j + 1] = take_half(builder, both, 1);
    }
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; ++j)
        pieces[i * across + j] = multiply(builder, a[i], b[j], pieces[i * across + j]);
  }
}

const tune_tile_core tune_tile_mma = {.check = mma_check,
                                      .count = tune_fragment_count,
                                      .type = tune_fragment_type,
                                      .elements = 4,
                                      .run = tune_fragment_run,
                                      .place = tune_fragment_place,
                                      .position = tune_fragment_position,
                                      .lay_out = tune_fragment_lay_out,
                                      .multiply = mma_multiply};
