//===- workgroup_matmul_matrices.c - A group's tile by cooperative matrices --===//
//
// A warp is a subgroup of the device, whatever its size, and has a part of the tile as matrices of
// SPV_KHR_cooperative_matrix: of A and B as they are loaded from shared memory, and of the sum.
// Which lane has what of these no one says, so that the sums begin at zero and go through shared
// memory when all is added up, one matrix of each subgroup at a time: there each thread finds
// elements of places that it knows, fours of a row, and adds what the sum starts with.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_operand.h"

#include <stdio.h>

enum { WIDTH = 4 };

static int64_t part_rows(const tune_tile *tile) { return tile->rows / tile->warps_y; }
static int64_t part_cols(const tune_tile *tile) { return tile->cols / tile->warps_x; }
static int64_t count_down(const tune_tile *tile) { return part_rows(tile) / tile->matrix->rows; }
static int64_t count_across(const tune_tile *tile) { return part_cols(tile) / tile->matrix->cols; }

// A thread's pieces of one matrix.
static int64_t pieces_each(const tune_tile *tile) {
  return tile->matrix->rows * tile->matrix->cols / (tile->warp * WIDTH);
}

static tune_status matrices_check(const tune_tile *tile, const tune_device *device) {
  if (!device->has_cooperative_matrix)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "the device has no cooperative matrices");
  if (!device->can_validate_matrices)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "cooperative matrices: the SPIRV-Tools that this was built with do "
                               "not know them, and could not tell whether the code is valid; "
                               "build with newer ones, as those of Debian 13");
  if (!tile->matrix)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "the device has no cooperative matrices that %lld x %lld subgroups "
                               "of %lld could divide a tile of %lld x %lld into, %lld deep, of "
                               "these types",
                               (long long)tile->warps_y, (long long)tile->warps_x,
                               (long long)tile->warp, (long long)tile->rows, (long long)tile->cols,
                               (long long)tile->depth);
  return TUNE_OK;
}

static size_t matrices_sums(const tune_tile *tile) {
  return (size_t)(count_down(tile) * count_across(tile));
}

static size_t matrices_count(const tune_tile *tile) {
  return matrices_sums(tile) * (size_t)pieces_each(tile);
}

static MlirType matrices_type(const tune_tile *tile) {
  int64_t width = WIDTH;
  return mlirVectorTypeGet(1, &width, tile->sum);
}

static size_t matrices_run(const tune_tile *tile) {
  (void)tile;
  return WIDTH;
}

static void matrices_position(size_t element, int64_t out_position[2], intptr_t *out_count) {
  out_position[0] = (int64_t)element;
  *out_count = 1;
}

// The place within its matrix of what begins piece `piece` of those a thread has of one.
static void find_in_matrix(const tune_tile *tile, const tune_ir_builder *builder, int64_t piece,
                           MlirValue *out_row, MlirValue *out_col) {
  MlirValue lane = tune_tile_remainder(builder, tile->thread, tile->warp);
  MlirValue number = tune_tile_add_number(builder, lane, piece * tile->warp);
  int64_t across = tile->matrix->cols / WIDTH;
  *out_row = tune_tile_divide(builder, number, across);
  *out_col = tune_tile_scale(builder, tune_tile_remainder(builder, number, across), WIDTH);
}

// Where the part of warp `warp` begins.
static void find_part(const tune_tile *tile, const tune_ir_builder *builder, MlirValue warp,
                      MlirValue *out_row, MlirValue *out_col) {
  *out_row =
      tune_tile_scale(builder, tune_tile_divide(builder, warp, tile->warps_x), part_rows(tile));
  *out_col =
      tune_tile_scale(builder, tune_tile_remainder(builder, warp, tile->warps_x), part_cols(tile));
}

static void matrices_place(const tune_tile *tile, const tune_ir_builder *builder, size_t piece,
                           size_t element, MlirValue *out_row, MlirValue *out_col) {
  int64_t each = pieces_each(tile), matrix = (int64_t)piece / each;
  MlirValue part_row, part_col, row, col;
  find_part(tile, builder, tune_tile_divide(builder, tile->thread, tile->warp), &part_row,
            &part_col);
  find_in_matrix(tile, builder, (int64_t)piece % each, &row, &col);
  row = tune_tile_add_number(builder, row, matrix / count_across(tile) * tile->matrix->rows);
  col = tune_tile_add_number(builder, col, matrix % count_across(tile) * tile->matrix->cols);
  *out_row = tune_tile_add(builder, part_row, row);
  *out_col = tune_tile_add_number(builder, tune_tile_add(builder, part_col, col), (int64_t)element);
}

//===--------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------===//

// "AOp", "BOp" or "COp"; bytes say with their type whether they have a sign.
static MlirType matrix_type(const tune_ir_builder *builder, const char *type, int64_t rows,
                            int64_t cols, const char *use) {
  const char *sign = type[0] == 's' ? "si" : type[0] == 'u' ? "ui" : "f";
  bool is_sum = use[0] == 'C' && type[0] != 'f';
  char text[64];
  snprintf(text, sizeof text, "!gpu.mma_matrix<%lldx%lldx%s%s, \"%s\">", (long long)rows,
           (long long)cols, is_sum ? "i" : sign, type + 1, use);
  return mlirTypeParseGet(builder->context, tune_ir_string(text));
}

static MlirType sum_type(const tune_tile *tile, const tune_ir_builder *builder) {
  return matrix_type(builder, tile->matrix->sum, tile->matrix->rows, tile->matrix->cols, "COp");
}

static void matrices_begin(const tune_tile *tile, const tune_ir_builder *builder,
                           MlirValue *out_sums) {
  MlirAttribute zero = mlirTypeIsAFloat(tile->sum)
                           ? mlirFloatAttrDoubleGet(builder->context, tile->sum, 0)
                           : mlirIntegerAttrGet(tile->sum, 0);
  MlirValue number = tune_ir_build_constant(builder, tile->sum, zero);
  MlirValue matrix = tune_ir_build_value(builder, "gpu.subgroup_mma_constant_matrix",
                                         sum_type(tile, builder), 1, &number);
  for (size_t i = 0; i < matrices_sums(tile); ++i)
    out_sums[i] = matrix;
}

// A matrix of the operand at `line` (a row of A, or a column of B) and `depth`.
static MlirValue load(const tune_ir_builder *builder, const tune_tile_operand *operand,
                      MlirType type, bool lines_are_rows, MlirValue stage, MlirValue line,
                      int64_t depth) {
  MlirValue at = tune_ir_build_index(builder, depth);
  bool is_by_depth = operand->depth_is_row;
  MlirValue operands[] = {operand->shared, stage, is_by_depth ? line : at, is_by_depth ? at : line};
  MlirContext context = builder->context;
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "leadDimension",
                    mlirIntegerAttrGet(mlirIndexTypeGet(context), operand->pitch)),
      tune_ir_named(context, "transpose", mlirUnitAttrGet(context))};
  bool turns = is_by_depth != lines_are_rows;
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "gpu.subgroup_mma_load_matrix",
                                                        .operand_count = 4,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = turns ? 2 : 1,
                                                        .attributes = attributes});
}

static MlirValue find_subgroup(const tune_ir_builder *builder) {
  return tune_ir_build_value(builder, "gpu.subgroup_id", mlirIndexTypeGet(builder->context), 0,
                             NULL);
}

static void matrices_multiply(const tune_tile *tile, const tune_ir_builder *builder,
                              MlirValue stage, MlirValue *sums) {
  const tune_device_matrix *matrix = tile->matrix;
  MlirType a_type = matrix_type(builder, matrix->input, matrix->rows, matrix->depth, "AOp"),
           b_type = matrix_type(builder, matrix->input, matrix->depth, matrix->cols, "BOp");
  int64_t down = count_down(tile), across = count_across(tile);
  MlirValue row, col, a[TUNE_TILE_MOST_PIECES];
  find_part(tile, builder, find_subgroup(builder), &row, &col);
  for (int64_t depth = 0; depth < tile->depth; depth += matrix->depth) {
    for (int64_t i = 0; i < down; ++i)
      a[i] = load(builder, &tile->a, a_type, true, stage,
                  tune_tile_add_number(builder, row, i * matrix->rows), depth);
    for (int64_t j = 0; j < across; ++j) {
      MlirValue b = load(builder, &tile->b, b_type, false, stage,
                         tune_tile_add_number(builder, col, j * matrix->cols), depth);
      for (int64_t i = 0; i < down; ++i) {
        MlirValue *sum = &sums[i * across + j], operands[] = {a[i], b, *sum};
        *sum = tune_ir_build_value(builder, "gpu.subgroup_mma_compute", mlirValueGetType(*sum), 3,
                                   operands);
      }
    }
  }
}

//===--------------------------------------------------------------------------===//
// Sums
//===--------------------------------------------------------------------------===//

static void wait_for_all(const tune_ir_builder *builder) {
  tune_ir_build(builder, &(tune_ir_parts){.name = "gpu.barrier"});
}

static void store(const tune_tile *tile, const tune_ir_builder *builder, MlirValue sum,
                  MlirValue memory) {
  MlirValue zero = tune_ir_build_index(builder, 0),
            operands[] = {sum, memory, find_subgroup(builder), zero, zero};
  MlirNamedAttribute stride =
      tune_ir_named(builder->context, "leadDimension",
                    mlirIntegerAttrGet(mlirIndexTypeGet(builder->context), tile->matrix->cols));
  tune_ir_build(builder, &(tune_ir_parts){.name = "gpu.subgroup_mma_store_matrix",
                                          .operand_count = 5,
                                          .operands = operands,
                                          .attribute_count = 1,
                                          .attributes = &stride});
}

static void matrices_end(const tune_tile *tile, const tune_ir_builder *builder,
                         const MlirValue *sums, MlirValue *pieces) {
  const tune_device_matrix *matrix = tile->matrix;
  int64_t each = pieces_each(tile),
          shape[] = {tile->warps_y * tile->warps_x, matrix->rows, matrix->cols};
  MlirValue memory = tune_tile_allocate(builder, tile->sum, 3, shape);
  MlirValue warp = tune_tile_divide(builder, tile->thread, tile->warp);
  const char *add = mlirTypeIsAFloat(tile->sum) ? "arith.addf" : "arith.addi";
  for (size_t i = 0; i < matrices_sums(tile); ++i) {
    wait_for_all(builder); // the matrix before has been read
    store(tile, builder, sums[i], memory);
    wait_for_all(builder);
    for (int64_t p = 0; p < each; ++p) {
      MlirValue indices[] = {warp, {NULL}, {NULL}}, *piece = &pieces[(int64_t)i * each + p];
      find_in_matrix(tile, builder, p, &indices[1], &indices[2]);
      *piece = tune_ir_build_binary(builder, add, *piece,
                                    tune_tile_load(builder, memory, 3, indices, WIDTH));
    }
  }
}

const tune_tile_core tune_tile_matrices = {.check = matrices_check,
                                           .count = matrices_count,
                                           .type = matrices_type,
                                           .elements = WIDTH,
                                           .run = matrices_run,
                                           .place = matrices_place,
                                           .position = matrices_position,
                                           .sum_count = matrices_sums,
                                           .begin = matrices_begin,
                                           .multiply = matrices_multiply,
                                           .end = matrices_end};
