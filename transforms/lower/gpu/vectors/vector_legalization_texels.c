//===- vector_legalization_texels.c - Elements of a texel buffer, wherever they lie -===//
//
// A fetch brings four elements at once, and one of a single element would take longer: on software
// nearly twice as long. Neighbours that begin within a texel are made of it and the next one.
//
//===--------------------------------------------------------------------------===//

#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

#define FOUR 4

// Where in its texel an element lies: a constant, or bits of an index.
typedef struct texel_place {
  int known; // -1: not known
  MlirValue odd, high;
} texel_place;

static MlirValue fetch_texel(const tune_ir_builder *builder, MlirValue texels, MlirValue element) {
  MlirValue operands[] = {texels, tune_ir_build_binary(builder, "arith.divui", element,
                                                       tune_ir_build_index(builder, FOUR))};
  return tune_ir_build_value(builder, "memref.load",
                             mlirShapedTypeGetElementType(mlirValueGetType(texels)), 2, operands);
}

static void take_apart(const tune_ir_builder *builder, MlirValue texel, MlirValue *elements) {
  tune_pieces_shape shape = {
      .element = mlirF32TypeGet(builder->context), .rank = 1, .sizes = {4}, .width = 4, .count = 1};
  tune_piece_list list = {shape, &texel};
  for (int64_t i = 0; i < FOUR; ++i)
    elements[i] = tune_pieces_element(builder, &list, i);
}

static MlirValue has_bit(const tune_ir_builder *builder, MlirValue number, int64_t bit) {
  MlirValue masked =
      tune_ir_build_binary(builder, "arith.andi", number, tune_ir_build_index(builder, bit));
  return tune_ir_build_compare(builder, "ne", masked, tune_ir_build_index(builder, 0));
}

static texel_place find_place(const tune_ir_builder *builder, MlirValue element, int residue) {
  texel_place place = {.known = residue};
  if (residue < 0) {
    place.odd = has_bit(builder, element, 1);
    place.high = has_bit(builder, element, 2);
  }
  return place;
}

// `wanted` elements of `elements` from the place on, into the first of them.
static void move_down(const tune_ir_builder *builder, const texel_place *place, MlirValue *elements,
                      int64_t wanted) {
  if (place->known >= 0) {
    for (int64_t i = 0; i < wanted; ++i)
      elements[i] = elements[i + place->known];
    return;
  }
  for (int64_t i = 0; i <= wanted; ++i)
    elements[i] = tune_ir_build_select(builder, place->high, elements[i + 2], elements[i]);
  for (int64_t i = 0; i < wanted; ++i)
    elements[i] = tune_ir_build_select(builder, place->odd, elements[i + 1], elements[i]);
}

MlirValue tune_access_fetch(const tune_ir_builder *builder, MlirValue texels,
                            const tune_access *access, const MlirValue *indices, int residue,
                            int64_t width) {
  MlirValue element = tune_ir_build_index(builder, 0);
  int64_t stride = 1, count = mlirShapedTypeGetDimSize(mlirValueGetType(texels), 0);
  for (intptr_t m = access->memref_rank; m-- > 0; stride *= access->memref_sizes[m]) {
    MlirValue part = tune_ir_build_binary(builder, "arith.muli", indices[m],
                                          tune_ir_build_index(builder, stride));
    element = tune_ir_build_binary(builder, "arith.addi", element, part);
  }
  texel_place place = find_place(builder, element, residue);
  bool may_be_beyond = false;
  for (intptr_t d = 0; d < access->shape.rank; ++d)
    may_be_beyond |= access->is_any[d];
  if (may_be_beyond)
    element = tune_ir_build_binary(builder, "arith.minui", element,
                                   tune_ir_build_index(builder, FOUR * count - 1));
  MlirValue elements[2 * FOUR], first = fetch_texel(builder, texels, element);
  take_apart(builder, first, elements);
  if (width == 1) {
    move_down(builder, &place, elements, 1);
    return elements[0];
  }
  if (residue == 0)
    return first;
  // The texel that the last of the four is in; the last there is where they go on beyond.
  MlirValue last =
      tune_ir_build_binary(builder, "arith.addi", element, tune_ir_build_index(builder, FOUR - 1));
  last = tune_ir_build_binary(builder, "arith.minui", last,
                              tune_ir_build_index(builder, FOUR * count - 1));
  MlirValue second = fetch_texel(builder, texels, last);
  if (residue > 0)
    mlirOperationSetDiscardableAttributeByName(mlirOpResultGetOwner(second),
                                               tune_ir_string(TUNE_SECOND_TEXEL),
                                               mlirUnitAttrGet(builder->context));
  take_apart(builder, second, elements + FOUR);
  move_down(builder, &place, elements, FOUR);
  int64_t four = FOUR;
  return tune_ir_build_value(builder, "vector.from_elements",
                             mlirVectorTypeGet(1, &four, access->element), FOUR, elements);
}
