//===- byte_products.c ------------------------------------------------------------===//

#include "transforms/normalize/quantized/byte_products.h"

#include "dialects/allow.h"
#include "dialects/constant.h"
#include "transforms/ir/constant_value.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/quantized/product_build.h"
#include "transforms/normalize/quantized/scaled_bytes.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdint.h>
#include <stdlib.h>

// Multiplications for each element that is rounded in each call. That takes as long as ten with
// AVX-512, and as forty with AVX2, where bytes are multiplied half again as fast as f32.
static const double LEAST_PRODUCTS = 64;

//===--- What is taken ----------------------------------------------------------------===//

// A product, and its factors before they were repeated: weights are, for each image of a batch.
typedef struct byte_product {
  tune_quantized_product product;
  MlirValue factors[2];
} byte_product;

// Whether some operand says how long each loop is.
static bool has_all_loops(const tune_nest_maps *n) {
  bool has = true;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    has &= n->extents[loop] == 1 || tune_nest_maps_dimension(n->maps[0], loop) >= 0 ||
           tune_nest_maps_dimension(n->maps[1], loop) >= 0 ||
           tune_nest_maps_dimension(tune_nest_maps_result(n), loop) >= 0;
  return has;
}

// Goes from `*value`, read by `*map`, to what it repeats.
static void look_through_repeats(MlirValue *value, MlirAffineMap *map) {
  tune_nest_maps n;
  MlirOperation op = tune_ir_definition(*value);
  while (!mlirOperationIsNull(op) && tune_nest_maps_read(op, &n) && n.operand_count == 2 &&
         tune_nest_maps_moves(&n) && mlirAffineMapIsIdentity(tune_nest_maps_result(&n)) &&
         mlirAffineMapGetNumResults(n.maps[0]) < n.loop_count &&
         tune_tensor_is_plain(mlirValueGetType(mlirOperationGetOperand(op, 0)))) {
    *map = tune_nest_maps_compose(n.maps[0], *map);
    *value = mlirOperationGetOperand(op, 0);
    op = tune_ir_definition(*value);
  }
}

// Whether factor `f` is an image whose pixels are multiplied each by itself, before channels that
// come first: a 1x1 convolution.
static bool has_pixels(const tune_nest_maps *n, intptr_t f) {
  MlirAffineMap map = n->maps[f], result = tune_nest_maps_result(n);
  bool has_depth = false;
  intptr_t after = 0;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
    intptr_t loop = tune_nest_maps_loop(map, d);
    bool is_kept = loop >= 0 && tune_nest_maps_has(result, loop);
    after += has_depth && is_kept && n->extents[loop] > 1;
    has_depth |= loop >= 0 && !is_kept && n->extents[loop] > 1;
  }
  return after > 1;
}

// Whether `op` is one, allowed or not; `*out_rounded` elements of it are rounded in each call.
static bool find(MlirOperation op, byte_product *out, double *out_rounded) {
  tune_nest_maps *n = &out->product.nest;
  *out = (byte_product){.product = {.nest = {.operand_count = 0}}};
  if (!tune_allow_is_product(op) || mlirOperationGetNumOperands(op) != 3 ||
      !tune_nest_maps_read(op, n) ||
      mlirAffineMapGetNumResults(tune_nest_maps_result(n)) > TUNE_IR_MAX_RANK)
    return false;
  tune_nest_maps_drop_units(n);
  double rounded = 0;
  intptr_t constants = 0;
  *out_rounded = 0;
  for (intptr_t f = 0; f < 2; ++f) {
    MlirValue *factor = &out->factors[f];
    *factor = mlirOperationGetOperand(op, f);
    if (!tune_tensor_is_plain(mlirValueGetType(*factor)))
      return false;
    MlirValue whole = *factor;
    MlirAffineMap of_whole = n->maps[f];
    look_through_repeats(factor, &n->maps[f]);
    if (!has_all_loops(n)) { // a window, or what is added up
      *factor = whole;
      n->maps[f] = of_whole;
    }
    bool is_constant = tune_constant_is_derived(*factor);
    rounded +=
        is_constant ? 0 : tune_tensor_bytes(mlirValueGetType(*factor)) / (double)sizeof(float);
    constants += is_constant;
  }
  if (!tune_product_fits_bytes(n) || has_pixels(n, 0) || has_pixels(n, 1))
    return false;
  tune_product_size size = tune_product_size_of(n);
  double most = TUNE_SCALED_BYTES_MOST;
  *out_rounded = rounded;
  return constants < 2 && (constants || !size.has_batch) &&
         size.products >= LEAST_PRODUCTS * rounded && size.depth > 0 &&
         size.depth * most * most <= (double)INT32_MAX;
}

//===--- Scales -----------------------------------------------------------------------===//

// How many of the first dimensions of the result are those of factor `f`, in their order, and not
// of the other one: the rows of a batch of matrices.
static intptr_t count_rows(const tune_nest_maps *n, intptr_t f) {
  MlirAffineMap result = tune_nest_maps_result(n);
  intptr_t rows = 0, loop;
  while (rows + 1 < mlirAffineMapGetNumResults(result) &&
         rows + 1 < mlirAffineMapGetNumResults(n->maps[f]) &&
         (loop = tune_nest_maps_loop(result, rows)) >= 0 &&
         tune_nest_maps_only_dimension(n->maps[f], loop) == rows &&
         !tune_nest_maps_has(n->maps[1 - f], loop))
    ++rows;
  return rows;
}

// Which dimensions of factor `f` have scales of their own: those of the result. Where there are
// several of more than one index that are no rows, nor a batch that the other factor has, too, they
// are the pixels of images, and the first dimension alone has.
static void find_kept(const tune_nest_maps *n, intptr_t f, bool *is_kept) {
  MlirAffineMap map = n->maps[f], result = tune_nest_maps_result(n);
  intptr_t first = -1, long_ones = 0;
  for (intptr_t d = 0; d < TUNE_IR_MAX_RANK; ++d) {
    intptr_t loop = d < mlirAffineMapGetNumResults(map) ? tune_nest_maps_loop(map, d) : -1;
    is_kept[d] = loop >= 0 && tune_nest_maps_dimension(result, loop) >= 0 &&
                 tune_nest_maps_only_dimension(map, loop) == d;
    first = is_kept[d] && first < 0 ? d : first;
    long_ones += is_kept[d] && n->extents[loop] > 1;
  }
  if (long_ones > 1 && !tune_product_size_of(n).has_batch && count_rows(n, f) < 2)
    for (intptr_t d = first + 1; d < TUNE_IR_MAX_RANK; ++d)
      is_kept[d] = false;
}

double tune_byte_products_elements(MlirOperation op) {
  byte_product found;
  double rounded;
  return find(op, &found, &rounded) ? rounded : 0;
}

bool tune_byte_products_kept(MlirOperation op, intptr_t factor, bool *is_kept) {
  tune_nest_maps n;
  if (!tune_byte_products_elements(op) || !tune_nest_maps_read(op, &n))
    return false;
  tune_nest_maps_drop_units(&n);
  find_kept(&n, factor, is_kept);
  return true;
}

//===--- Factors ----------------------------------------------------------------------===//

// What was made so far: of which tensor, with which dimensions kept.
typedef struct made_bytes {
  MlirValue value;
  bool is_kept[TUNE_IR_MAX_RANK];
  tune_scaled_bytes bytes;
} made_bytes;

typedef struct rewriter {
  made_bytes *made;
  size_t count, capacity;
  tune_op_list replaced; // products that others have taken the place of
  bool failed;
} rewriter;

static tune_scaled_bytes make_bytes(rewriter *r, MlirValue value, const bool *is_kept,
                                    MlirLocation location) {
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(value));
  size_t size = (size_t)rank * sizeof *is_kept;
  for (size_t i = 0; i < r->count; ++i)
    if (mlirValueEqual(r->made[i].value, value) && !memcmp(r->made[i].is_kept, is_kept, size))
      return r->made[i].bytes;
  if (r->count == r->capacity) {
    size_t capacity = r->capacity ? 2 * r->capacity : 16;
    made_bytes *grown = realloc(r->made, capacity * sizeof *grown);
    r->failed |= !grown;
    if (!grown)
      return (tune_scaled_bytes){.bytes = {NULL}};
    r->made = grown;
    r->capacity = capacity;
  }
  tune_ir_builder b = tune_turn_builder_behind(value); // before all that reads it
  b.location = location;
  made_bytes *made = &r->made[r->count++];
  *made = (made_bytes){.value = value, .bytes = tune_scaled_bytes_build(&b, value, is_kept)};
  memcpy(made->is_kept, is_kept, size);
  return made->bytes;
}

// A border of zeroes, of none of the dimensions that are kept: it is one of the bytes.
static bool has_border(MlirValue value, const bool *is_kept, int64_t *out_low, int64_t *out_high) {
  MlirOperation pad = tune_ir_definition(value);
  double filled;
  if (mlirOperationIsNull(pad) || !tune_ir_is(pad, "tensor.pad") ||
      mlirOperationGetNumOperands(pad) != 1)
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(pad, 0));
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  if (!tune_tensor_is_plain(type) || !tune_tensor_read_numbers(pad, "static_low", rank, out_low) ||
      !tune_tensor_read_numbers(pad, "static_high", rank, out_high) ||
      !tune_constant_value(mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(pad)), 0),
                           &filled) ||
      filled != 0)
    return false;
  bool is_free = true;
  for (intptr_t d = 0; d < rank; ++d)
    is_free &= !is_kept[d] || (out_low[d] == 0 && out_high[d] == 0);
  return is_free;
}

// Sets what `product` reads for factor `f`: its bytes, and the scales of the result.
static void take_factor(rewriter *r, byte_product *of, intptr_t f, MlirLocation location) {
  tune_quantized_product *product = &of->product;
  const tune_nest_maps *n = &product->nest;
  MlirContext context = mlirOperationGetContext(n->op);
  MlirAffineMap map = n->maps[f], result = tune_nest_maps_result(n);
  MlirValue value = of->factors[f];
  MlirAffineExpr kept[TUNE_IR_MAX_RANK];
  bool is_kept[TUNE_IR_MAX_RANK];
  intptr_t count = 0;
  find_kept(n, f, is_kept);
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
    if (is_kept[d])
      kept[count++] = mlirAffineDimExprGet(
          context, tune_nest_maps_dimension(result, tune_nest_maps_loop(map, d)));
  int64_t low[TUNE_IR_MAX_RANK], high[TUNE_IR_MAX_RANK];
  bool is_padded = has_border(value, is_kept, low, high);
  if (is_padded)
    value = mlirOperationGetOperand(tune_ir_definition(value), 0);
  tune_scaled_bytes bytes = make_bytes(r, value, is_kept, location);
  if (r->failed)
    return;
  tune_ir_builder b = tune_ir_builder_before(n->op);
  b.location = location;
  product->factors[f] = (tune_quantized_factor){
      .bytes = is_padded ? tune_tensor_pad(&b, bytes.bytes, low, high, 0) : bytes.bytes,
      .zero = {.dimension = -1, .place = -1}};
  product->read[f] = map;
  product->scales[f] = bytes.scale;
  product->scale_maps[f] =
      mlirAffineMapGet(context, mlirAffineMapGetNumResults(result), 0, count, kept);
}

//===--- Rows -------------------------------------------------------------------------===//

// `value` with the first `rows` dimensions as one.
static MlirValue join_rows(const tune_ir_builder *b, MlirValue value, intptr_t rows) {
  MlirType type = mlirValueGetType(value);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type), members[TUNE_IR_MAX_RANK] = {rows};
  int64_t sizes[TUNE_IR_MAX_RANK] = {1};
  for (intptr_t d = 0; d < rows; ++d)
    sizes[0] *= mlirShapedTypeGetDimSize(type, d);
  for (intptr_t d = rows; d < rank; ++d) {
    sizes[d - rows + 1] = mlirShapedTypeGetDimSize(type, d);
    members[d - rows + 1] = 1;
  }
  return tune_tensor_reshape(b, value, rank - rows + 1, sizes, members);
}

static MlirValue split_rows(const tune_ir_builder *b, MlirValue value, intptr_t rows,
                            MlirType type) {
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type), members[TUNE_IR_MAX_RANK] = {rows};
  int64_t sizes[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
  for (intptr_t d = rows; d < rank; ++d)
    members[d - rows + 1] = 1;
  return tune_tensor_reshape(b, value, rank, sizes, members);
}

static MlirAffineMap join_indices(MlirAffineMap map, intptr_t rows) {
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t d = rows - 1; d < rank; ++d)
    indices[d - rows + 1] = mlirAffineMapGetResult(map, d);
  return mlirAffineMapGet(mlirAffineMapGetContext(map), mlirAffineMapGetNumDims(map), 0,
                          rank - rows + 1, indices);
}

// A product of matrices by the same weights becomes one of all their rows, which has a scale for
// each, and one with a loop that nothing reads, as the window of a 1x1 convolution, one without;
// null: it is neither.
static MlirOperation simplify(rewriter *r, const byte_product *of) {
  tune_nest_maps n = of->product.nest;
  intptr_t f = count_rows(&n, 0) > 1 ? 0 : 1, rows = count_rows(&n, f);
  if (rows < 2 && tune_product_reads_loops(&n, n.maps))
    return (MlirOperation){NULL};
  MlirValue added = mlirOperationGetOperand(n.op, 2);
  tune_ir_builder b = tune_ir_builder_before(n.op);
  b.location = tune_marks_without(b.location);
  MlirValue operands[3] = {of->factors[0], of->factors[1], added};
  MlirAffineMap maps[3] = {n.maps[0], n.maps[1], n.maps[2]};
  if (rows > 1) {
    operands[f] = join_rows(&b, of->factors[f], rows);
    operands[2] = join_rows(&b, added, rows);
    maps[f] = join_indices(n.maps[f], rows);
    maps[2] = join_indices(n.maps[2], rows);
    for (intptr_t d = 0; d + 1 < rows; ++d) // loops that are in none of them
      n.extents[tune_nest_maps_loop(n.maps[2], d)] = 1;
  }
  MlirValue product = tune_nest_maps_build(&n, operands, maps);
  MlirValue result = rows > 1 ? split_rows(&b, product, rows, mlirValueGetType(added)) : product;
  tune_quantized_product_replace(n.op, result, &r->replaced);
  return tune_ir_definition(product);
}

//===--- All of them ------------------------------------------------------------------===//

static void rewrite(rewriter *r, byte_product *of) {
  MlirOperation op = of->product.nest.op;
  // Choices are for the product.
  MlirLocation location = tune_marks_without(mlirOperationGetLocation(op));
  for (intptr_t f = 0; f < 2 && !r->failed; ++f)
    take_factor(r, of, f, location);
  if (r->failed)
    return;
  tune_quantized_product_replace(op, tune_quantized_product_build(&of->product), &r->replaced);
}

bool tune_normalize_byte_products(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "math", "tensor", NULL};
  tune_op_list products = {0};
  rewriter r = {.made = NULL};
  tune_spread_list_products(root, &products);
  for (size_t i = 0; i < products.count && !r.failed; ++i) {
    byte_product found;
    double rounded;
    if (!(tune_allow_get(products.ops[i]) & TUNE_ALLOWS_INT8) ||
        !find(products.ops[i], &found, &rounded))
      continue;
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
    MlirOperation simpler = simplify(&r, &found);
    if (!r.failed && (mlirOperationIsNull(simpler) || find(simpler, &found, &rounded)))
      rewrite(&r, &found);
  }
  if (r.count)
    mlirOperationSetAttributeByName(root, tune_ir_string(TUNE_BYTE_PRODUCTS_ATTRIBUTE),
                                    mlirUnitAttrGet(mlirOperationGetContext(root)));
  bool is_done = tune_quantized_products_drop(&r.replaced) && !products.failed && !r.failed;
  free(r.made);
  tune_op_list_deinit(&r.replaced);
  tune_op_list_deinit(&products);
  return is_done;
}
