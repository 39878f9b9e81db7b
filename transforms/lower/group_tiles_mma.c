//===- group_tiles_mma.c - A group's tile by tensor cores -----------------------------===//
//
// Fragments of mma.sync.m16n8k16 as PTX's manual has them ("Matrix Fragments for mma.m16n8k16"):
// thread `lane` of a warp has rows lane / 4 and lane / 4 + 8 of a 16 x 8 piece of the output, two
// neighbours at column 2 (lane % 4) of each. ldmatrix brings four 8 x 8 matrices from shared
// memory, lane l saying where row l % 8 of matrix l / 8 begins; with .trans it turns each.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/lower/group_tiles_parts.h"

enum { M = 16, N = 8, K = 16 };

static int64_t warp_rows(const tune_tile *tile) { return tile->rows / tile->warps_y; }
static int64_t warp_cols(const tune_tile *tile) { return tile->cols / tile->warps_x; }

static bool is_short_float(MlirType type) { return mlirTypeIsAF16(type) || mlirTypeIsABF16(type); }

static tune_status mma_check(const tune_tile *tile, const tune_device *device) {
  if (device->arch < 80)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "tensor cores are used from sm_80 on; the device is sm_%d",
                               device->arch);
  if (!is_short_float(tile->a.element) || !mlirTypeEqual(tile->a.element, tile->b.element) ||
      !(mlirTypeIsAF32(tile->sum) ||
        (mlirTypeIsAF16(tile->sum) && mlirTypeIsAF16(tile->a.element))))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "tensor cores multiply f16 (into f16 or f32) or bf16 (into f32)");
  if (tile->rows % (tile->warps_y * M) || tile->cols % (tile->warps_x * 2 * N) || tile->depth % K)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "%lld x %lld warps divide a tile of %lld x %lld, %lld deep; tensor "
                               "cores take multiples of %d x %d of each, %d deep",
                               (long long)tile->warps_y, (long long)tile->warps_x,
                               (long long)tile->rows, (long long)tile->cols, (long long)tile->depth,
                               M, 2 * N, K);
  return TUNE_OK;
}

static size_t mma_count(const tune_tile *tile) {
  return (size_t)(warp_rows(tile) / M * (warp_cols(tile) / N));
}

MlirType tune_tile_mma_type(const tune_tile *tile) {
  int64_t shape[] = {2, 2};
  return mlirVectorTypeGet(2, shape, tile->sum);
}

size_t tune_tile_mma_run(const tune_tile *tile) {
  (void)tile;
  return 2;
}

void tune_tile_mma_position(size_t element, int64_t out_position[2], intptr_t *out_count) {
  out_position[0] = (int64_t)(element / 2);
  out_position[1] = (int64_t)(element % 2);
  *out_count = 2;
}

// Where the warp's part begins, and the thread's number in the warp.
typedef struct origin {
  MlirValue row, col, lane;
} origin;

static origin find_origin(const tune_tile *tile, const tune_ir_builder *builder) {
  MlirValue warp = tune_tile_divide(builder, tile->thread, TUNE_TILE_WARP);
  return (origin){.row = tune_tile_scale(builder, tune_tile_divide(builder, warp, tile->warps_x),
                                         warp_rows(tile)),
                  .col = tune_tile_scale(builder, tune_tile_remainder(builder, warp, tile->warps_x),
                                         warp_cols(tile)),
                  .lane = tune_tile_remainder(builder, tile->thread, TUNE_TILE_WARP)};
}

static void mma_place(const tune_tile *tile, const tune_ir_builder *builder, size_t piece,
                      size_t element, MlirValue *out_row, MlirValue *out_col) {
  origin at = find_origin(tile, builder);
  int64_t across = warp_cols(tile) / N, number = (int64_t)piece;
  MlirValue group = tune_tile_divide(builder, at.lane, 4),
            pair = tune_tile_scale(builder, tune_tile_remainder(builder, at.lane, 4), 2);
  *out_row = tune_tile_add_number(builder, tune_tile_add(builder, at.row, group),
                                  number / across * M + (element >= 2 ? 8 : 0));
  *out_col = tune_tile_add_number(builder, tune_tile_add(builder, at.col, pair),
                                  number % across * N + (int64_t)(element % 2));
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
  MlirValue operands[] = {operand->shared, stage, row,
                          operand->depth_is_row ? along_depth : along_lines};
  MlirNamedAttribute attributes[] = {
      tune_ir_named(builder->context, "transpose",
                    mlirBoolAttrGet(builder->context, !operand->depth_is_row)),
      tune_ir_named(builder->context, "numTiles",
                    mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 32), 4))};
  int64_t shape[] = {4, 2};
  MlirType type = mlirVectorTypeGet(2, shape, operand->element);
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "nvgpu.ldmatrix",
                                                        .operand_count = 4,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 2,
                                                        .attributes = attributes});
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
    rows[i] = tune_tile_extract(builder, matrices, &place, 1, row);
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

// The registers of a fragment of bf16: pairs, as words.
static void take_words(const tune_ir_builder *builder, MlirValue fragment, int64_t count,
                       MlirValue *out_words) {
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32);
  int64_t pair = 2, one = 1, first = 0;
  MlirType row = mlirVectorTypeGet(1, &pair,
                                   mlirShapedTypeGetElementType(mlirValueGetType(fragment))),
           word = mlirVectorTypeGet(1, &one, i32);
  for (int64_t i = 0; i < count; ++i) {
    MlirValue value = tune_tile_extract(builder, fragment, &i, 1, row);
    value = tune_ir_build_value(builder, "vector.bitcast", word, 1, &value);
    out_words[i] = tune_tile_extract(builder, value, &first, 1, i32);
  }
}

// Upstream's conversion of nvgpu.mma.sync leaves bf16 out.
static MlirValue multiply_bf16(const tune_ir_builder *builder, MlirValue a, MlirValue b,
                               MlirValue sum) {
  MlirContext context = builder->context;
  MlirValue operands[10], elements[4];
  MlirType f32 = mlirF32TypeGet(context);
  take_words(builder, a, 4, operands);
  take_words(builder, b, 2, operands + 4);
  for (size_t e = 0; e < 4; ++e) {
    int64_t position[2];
    intptr_t count;
    tune_tile_mma_position(e, position, &count);
    operands[6 + e] = tune_tile_extract(builder, sum, position, count, f32);
  }
  static const struct {
    const char *name, *value;
  } WORDS[] = {{"layoutA", "#nvvm.mma_layout<row>"},
               {"layoutB", "#nvvm.mma_layout<col>"},
               {"multiplicandAPtxType", "#nvvm.mma_type<bf16>"},
               {"multiplicandBPtxType", "#nvvm.mma_type<bf16>"},
               {"shape", "#nvvm.shape<m = 16, n = 8, k = 16>"}};
  enum { WORD_COUNT = sizeof WORDS / sizeof *WORDS };
  MlirNamedAttribute attributes[WORD_COUNT + 1];
  for (size_t i = 0; i < WORD_COUNT; ++i)
    attributes[i] = tune_ir_named(context, WORDS[i].name,
                                  mlirAttributeParseGet(context, tune_ir_string(WORDS[i].value)));
  int32_t segments[] = {4, 2, 4};
  attributes[WORD_COUNT] =
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 3, segments));
  MlirType type = mlirTypeParseGet(context, tune_ir_string("!llvm.struct<(f32, f32, f32, f32)>"));
  MlirValue made = tune_ir_build_result(builder, &(tune_ir_parts){.name = "nvvm.mma.sync",
                                                                  .operand_count = 10,
                                                                  .operands = operands,
                                                                  .type_count = 1,
                                                                  .types = &type,
                                                                  .attribute_count = WORD_COUNT + 1,
                                                                  .attributes = attributes});
  for (int64_t e = 0; e < 4; ++e) {
    MlirNamedAttribute position =
        tune_ir_named(context, "position", mlirDenseI64ArrayGet(context, 1, &e));
    elements[e] = tune_ir_build_result(builder, &(tune_ir_parts){.name = "llvm.extractvalue",
                                                                 .operand_count = 1,
                                                                 .operands = &made,
                                                                 .type_count = 1,
                                                                 .types = &f32,
                                                                 .attribute_count = 1,
                                                                 .attributes = &position});
  }
  return tune_tile_from_elements(builder, mlirValueGetType(sum), 4, elements);
}

static void mma_multiply(const tune_tile *tile, const tune_ir_builder *builder, MlirValue stage,
                         MlirValue *pieces) {
  origin at = find_origin(tile, builder);
  int64_t down = warp_rows(tile) / M, across = warp_cols(tile) / N;
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
                                      .count = mma_count,
                                      .type = tune_tile_mma_type,
                                      .elements = 4,
                                      .run = tune_tile_mma_run,
                                      .place = mma_place,
                                      .position = tune_tile_mma_position,
                                      .multiply = mma_multiply};
