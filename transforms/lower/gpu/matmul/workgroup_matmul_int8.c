//===- workgroup_matmul_int8.c - A group's tile of bytes by tensor cores -----===//
//
// mma.sync.m16n8k32 of s8 and u8 into s32 (workgroup_matmul_fragments.h), whose words are four
// bytes along the depth. Where neighbours in shared memory are such, ldmatrix brings these words as
// if they were pairs of 16 bits. Where neighbours are lines (rows of A, columns of B), it turns
// pairs of lines: a thread then has two depths of lines 2 g and 2 g + 1, and of two such words
// permutes the bytes (prmt) to four depths of either line. So line g of a fragment is line 2 g of
// sixteen, and the other fragment (or line g + 8) has line 2 g + 1.
//
// Sums wrap around, as those of i32 do.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_fragments.h"

enum { M = TUNE_FRAGMENT_ROWS, N = TUNE_FRAGMENT_COLS, K = 32 };

static tune_status int8_check(const tune_tile *tile, const tune_device *device) {
  if (!mlirTypeIsAInteger(tile->sum) || mlirIntegerTypeGetWidth(tile->sum) != 32 ||
      tune_tile_bytes(tile->b.element) != 1)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "tensor cores multiply i8 by i8 into i32");
  return tune_fragment_check(tile, device, K);
}

static void int8_place(const tune_tile *tile, const tune_ir_builder *builder, size_t piece,
                       size_t element, MlirValue *out_row, MlirValue *out_col) {
  tune_fragment_origin at = tune_fragment_find_origin(tile, builder);
  int64_t across = tune_fragment_warp_cols(tile) / N, down = (int64_t)piece / across,
          number = (int64_t)piece % across, second = element >= 2, right = (int64_t)element % 2;
  MlirValue group = tune_tile_divide(builder, at.lane, 4),
            of_four = tune_tile_remainder(builder, at.lane, 4);
  // Lines that were turned are beside each other.
  bool turns_a = !tile->a.depth_is_row, turns_b = !tile->b.depth_is_row;
  *out_row = tune_tile_add_number(
      builder, tune_tile_add(builder, at.row, tune_tile_scale(builder, group, turns_a ? 2 : 1)),
      down * M + (turns_a ? second : 8 * second));
  *out_col = tune_tile_add_number(
      builder, tune_tile_add(builder, at.col, tune_tile_scale(builder, of_four, turns_b ? 4 : 2)),
      (turns_b ? number / 2 * 2 * N + number % 2 * 2 : number * N) + right);
}

//===--------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------===//

// What does not change from one load to the next.
typedef struct loads {
  const tune_ir_builder *builder;
  MlirValue stage, lane;
  MlirValue selectors[2]; // of prmt: the bytes of lines 2 g and 2 g + 1
} loads;

static MlirValue number_of_32_bits(const tune_ir_builder *builder, int64_t value) {
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32);
  return tune_ir_build_constant(builder, i32, mlirIntegerAttrGet(i32, value));
}

static loads begin_loads(const tune_ir_builder *builder, MlirValue stage, MlirValue lane) {
  loads self = {.builder = builder, .stage = stage, .lane = lane};
  MlirValue swaps = tune_ir_build_compare(builder, "uge", tune_tile_remainder(builder, lane, 4),
                                          tune_ir_build_index(builder, 2));
  for (int i = 0; i < 2; ++i) {
    MlirValue operands[] = {swaps, number_of_32_bits(builder, i ? 0x3175 : 0x2064),
                            number_of_32_bits(builder, i ? 0x7531 : 0x6420)};
    self.selectors[i] = tune_ir_build_value(builder, "arith.select",
                                            mlirIntegerTypeGet(builder->context, 32), 3, operands);
  }
  return self;
}

// Words of sixteen lines, from `line` on, and 32 depths, from `depth` on: [0] and [1] of eight
// lines and of the others, 16 depths each, then those of the other 16. Rows of shared memory are
// lines.
static void load_along_depth(const loads *self, const tune_tile_operand *operand, MlirValue line,
                             int64_t depth, MlirValue words[4]) {
  const tune_ir_builder *builder = self->builder;
  MlirValue matrix = tune_tile_divide(builder, self->lane, 8),
            in_matrix = tune_tile_remainder(builder, self->lane, 8);
  MlirValue lines = tune_tile_scale(builder, tune_tile_remainder(builder, matrix, 2), 8),
            half = tune_tile_scale(builder, tune_tile_divide(builder, matrix, 2), 8);
  MlirValue row = tune_tile_add(builder, line, tune_tile_add(builder, lines, in_matrix)),
            loaded = tune_fragment_load(builder, operand, self->stage, row,
                                        tune_tile_add_number(builder, half, depth / 2), false);
  tune_fragment_take_words(builder, loaded, 4, words);
}

// The same where rows of shared memory are depths. Row j of the first of two matrices is depth
// 4 (j / 2) + j % 2, two more where j is 4 or more, and the second has the others, so that the
// eight rows of either begin at eight places of 16 bytes, which meet each bank once.
static void load_along_lines(const loads *self, const tune_tile_operand *operand, MlirValue line,
                             int64_t depth, MlirValue words[4]) {
  const tune_ir_builder *builder = self->builder;
  MlirValue matrix = tune_tile_divide(builder, self->lane, 8),
            j = tune_tile_remainder(builder, self->lane, 8);
  MlirValue half = tune_tile_scale(builder, tune_tile_divide(builder, matrix, 2), 16),
            four = tune_tile_scale(builder, tune_tile_divide(builder, j, 2), 4),
            odd = tune_tile_remainder(builder, j, 2);
  MlirValue others = tune_tile_remainder(
      builder, tune_tile_add(builder, matrix, tune_tile_divide(builder, j, 4)), 2);
  MlirValue row = tune_tile_add(builder, tune_tile_add(builder, half, four),
                                tune_tile_add(builder, odd, tune_tile_scale(builder, others, 2)));
  MlirValue loaded =
      tune_fragment_load(builder, operand, self->stage, tune_tile_add_number(builder, row, depth),
                         tune_tile_divide(builder, line, 2), true);
  MlirValue turned[4];
  tune_fragment_take_words(builder, loaded, 4, turned);
  MlirNamedAttribute mode = tune_ir_named(
      builder->context, "mode",
      mlirAttributeParseGet(builder->context, tune_ir_string("#nvvm.permute_mode<default>")));
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32);
  for (int r = 0; r < 4; ++r) {
    MlirValue operands[] = {turned[r / 2 * 2], turned[r / 2 * 2 + 1], self->selectors[r % 2]};
    words[r] = tune_ir_build_result(builder, &(tune_ir_parts){.name = "nvvm.prmt",
                                                              .operand_count = 3,
                                                              .operands = operands,
                                                              .type_count = 1,
                                                              .types = &i32,
                                                              .attribute_count = 1,
                                                              .attributes = &mode});
  }
}

static void load_words(const loads *self, const tune_tile_operand *operand, MlirValue line,
                       int64_t depth, MlirValue words[4]) {
  (operand->depth_is_row ? load_along_depth : load_along_lines)(self, operand, line, depth, words);
}

// Two products that lie beside each other, of the same rows; where B was turned, the first has the
// even columns of sixteen, and the second the odd ones.
static void multiply_two(const tune_tile *tile, const tune_ir_builder *builder,
                         const MlirValue a[4], const MlirValue b[4], MlirValue *pieces) {
  const tune_fragment_product product = {.a = tile->a.is_unsigned ? "u8" : "s8",
                                         .b = tile->b.is_unsigned ? "u8" : "s8",
                                         .shape = "m = 16, n = 8, k = 32",
                                         .sum = tile->sum};
  bool turns = !tile->b.depth_is_row;
  MlirValue sums[2][4];
  for (int i = 0; i < 2; ++i)
    tune_fragment_split(builder, pieces[i], sums[i]);
  for (int i = 0; i < 2; ++i) {
    MlirValue of_product[4], words[] = {b[i], b[2 + i]};
    for (int e = 0; e < 4; ++e)
      of_product[e] = turns ? sums[e % 2][e / 2 * 2 + i] : sums[i][e];
    tune_fragment_multiply(builder, &product, a, words, of_product);
    for (int e = 0; e < 4; ++e)
      *(turns ? &sums[e % 2][e / 2 * 2 + i] : &sums[i][e]) = of_product[e];
  }
  for (int i = 0; i < 2; ++i)
    pieces[i] = tune_fragment_join(builder, tune_fragment_type(tile), sums[i]);
}

static void int8_multiply(const tune_tile *tile, const tune_ir_builder *builder, MlirValue stage,
                          MlirValue *pieces) {
  tune_fragment_origin at = tune_fragment_find_origin(tile, builder);
  int64_t down = tune_fragment_warp_rows(tile) / M, across = tune_fragment_warp_cols(tile) / N;
  MlirValue a[TUNE_TILE_MOST_PIECES][4], b[TUNE_TILE_MOST_PIECES / 2][4];
  loads from = begin_loads(builder, stage, at.lane);
  for (int64_t depth = 0; depth < tile->depth; depth += K) {
    for (int64_t i = 0; i < down; ++i)
      load_words(&from, &tile->a, tune_tile_add_number(builder, at.row, i * M), depth, a[i]);
    for (int64_t j = 0; j < across; j += 2)
      load_words(&from, &tile->b, tune_tile_add_number(builder, at.col, j * N), depth, b[j / 2]);
    for (int64_t i = 0; i < down; ++i)
      for (int64_t j = 0; j < across; j += 2)
        multiply_two(tile, builder, a[i], b[j / 2], &pieces[i * across + j]);
  }
}

const tune_tile_core tune_tile_int8 = {.check = int8_check,
                                       .count = tune_fragment_count,
                                       .type = tune_fragment_type,
                                       .has_pairs = true,
                                       .elements = 4,
                                       .run = tune_fragment_run,
                                       .place = int8_place,
                                       .position = tune_fragment_position,
                                       .lay_out = tune_fragment_lay_out,
                                       .multiply = int8_multiply};
