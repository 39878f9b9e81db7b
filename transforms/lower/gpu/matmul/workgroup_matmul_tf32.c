//===- workgroup_matmul_tf32.c - A group's tile of f32 by tensor cores, as tf32 -===//
//
// mma.sync.m16n8k8 of tf32, whose words are an element of 32 bits each
// (workgroup_matmul_fragments.h). Where neighbours in shared memory are along the depth, ldmatrix
// brings these words as if they were pairs of 16 bits. It cannot turn words, so that where
// neighbours are lines (rows of A, columns of B) each thread reads its words by themselves: eight
// lines of four depths, which meet each bank once where rows of shared memory begin eight words
// apart, modulo 32.
//
// What tensor cores are given should be rounded to tf32 (cvt.rna), though they only look at the
// upper bits: cut, factors are off by twice as much, and all to the same side.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_fragments.h"

enum { M = TUNE_FRAGMENT_ROWS, N = TUNE_FRAGMENT_COLS, K = 8, WORDS_OF_A = 4, WORDS_OF_B = 2 };

static tune_status tf32_check(const tune_tile *tile, const tune_device *device) {
  if (!mlirTypeIsAF32(tile->a.element) || !mlirTypeIsAF32(tile->b.element) ||
      !mlirTypeIsAF32(tile->sum))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "tensor cores multiply f32, as tf32, into f32");
  return tune_fragment_check(tile, device, K);
}

static void tf32_lay_out(const tune_tile *tile, tune_tile_operand *operand) {
  (void)tile;
  enum { GAP = 8 };
  if (!operand->depth_is_row)
    operand->pitch = operand->cols + GAP; // of multiples of 16
}

// The words of tf32 that elements are.
static void round_words(const tune_ir_builder *builder, int64_t count, MlirValue *words) {
  MlirContext context = builder->context;
  MlirType f32 = mlirF32TypeGet(context), i32 = mlirIntegerTypeGet(context, 32);
  MlirNamedAttribute rounding = tune_ir_named(
      context, "rnd", mlirAttributeParseGet(context, tune_ir_string("#nvvm.fp_rnd_mode<rna>")));
  for (int64_t i = 0; i < count; ++i) {
    MlirValue element = words[i];
    if (!mlirTypeIsAF32(mlirValueGetType(element)))
      element = tune_ir_build_value(builder, "arith.bitcast", f32, 1, &element);
    words[i] = tune_ir_build_result(builder, &(tune_ir_parts){.name = "nvvm.convert.float.to.tf32",
                                                              .operand_count = 1,
                                                              .operands = &element,
                                                              .type_count = 1,
                                                              .types = &i32,
                                                              .attribute_count = 1,
                                                              .attributes = &rounding});
  }
}

// Sixteen lines from `line` on, and eight depths from `depth` on: words of the first eight lines
// and of the others, four depths each, then those of the other four.
static void load_words(const tune_ir_builder *builder, const tune_tile_operand *operand,
                       MlirValue stage, MlirValue lane, MlirValue line, int64_t depth,
                       MlirValue words[4]) {
  if (operand->depth_is_row) {
    MlirValue matrix = tune_tile_divide(builder, lane, 8),
              in_matrix = tune_tile_remainder(builder, lane, 8);
    MlirValue lines = tune_tile_scale(builder, tune_tile_remainder(builder, matrix, 2), 8),
              half = tune_tile_scale(builder, tune_tile_divide(builder, matrix, 2), K / 2);
    MlirValue row = tune_tile_add(builder, line, tune_tile_add(builder, lines, in_matrix)),
              loaded = tune_fragment_load(builder, operand, stage, row,
                                          tune_tile_add_number(builder, half, depth), false);
    tune_fragment_take_words(builder, loaded, 4, words);
  } else {
    MlirValue of_eight = tune_tile_divide(builder, lane, 4),
              of_four = tune_tile_remainder(builder, lane, 4);
    for (int64_t i = 0, first = 0; i < 4; ++i) {
      MlirValue indices[] = {
          stage, tune_tile_add_number(builder, of_four, depth + i / 2 * K / 2),
          tune_tile_add_number(builder, tune_tile_add(builder, line, of_eight), i % 2 * 8)};
      MlirValue loaded = tune_tile_load(builder, operand->shared, 3, indices, 1);
      words[i] = tune_ir_build_extract(builder, loaded, &first, 1, operand->element);
    }
  }
  round_words(builder, 4, words);
}

static void tf32_multiply(const tune_tile *tile, const tune_ir_builder *builder, MlirValue stage,
                          MlirValue *pieces) {
  tune_fragment_origin at = tune_fragment_find_origin(tile, builder);
  int64_t down = tune_fragment_warp_rows(tile) / M, across = tune_fragment_warp_cols(tile) / N;
  const tune_fragment_product product = {
      .a = "tf32", .b = "tf32", .shape = "m = 16, n = 8, k = 8", .sum = tile->sum};
  MlirValue a[TUNE_TILE_MOST_PIECES][WORDS_OF_A], b[TUNE_TILE_MOST_PIECES][WORDS_OF_B];
  for (int64_t depth = 0; depth < tile->depth; depth += K) {
    for (int64_t i = 0; i < down; ++i)
      load_words(builder, &tile->a, stage, at.lane, tune_tile_add_number(builder, at.row, i * M),
                 depth, a[i]);
    for (int64_t j = 0; j < across; j += 2) {
      MlirValue both[4];
      load_words(builder, &tile->b, stage, at.lane, tune_tile_add_number(builder, at.col, j * N),
                 depth, both);
      for (int64_t i = 0; i < 4; ++i)
        b[j + i % 2][i / 2] = both[i];
    }
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; ++j) {
        MlirValue *piece = &pieces[i * across + j], sums[4];
        tune_fragment_split(builder, *piece, sums);
        tune_fragment_multiply(builder, &product, a[i], b[j], sums);
        *piece = tune_fragment_join(builder, mlirValueGetType(*piece), sums);
      }
  }
}

const tune_tile_core tune_tile_tf32 = {.check = tf32_check,
                                       .count = tune_fragment_count,
                                       .type = tune_fragment_type,
                                       .elements = 4,
                                       .run = tune_fragment_run,
                                       .place = tune_fragment_place,
                                       .position = tune_fragment_position,
                                       .lay_out = tf32_lay_out,
                                       .multiply = tf32_multiply};
