//===- odd_vectors.c --------------------------------------------------------------------===//

#include "transforms/lower/cpu/vectors/odd_vectors.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/cpu/vectors/odd_tiles.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

#define MOST_OPERANDS 8
#define MOST_ATTRIBUTES 16

typedef struct splitter {
  tune_odd_tiles tiles;
  tune_op_list gone;     // ops that others stand for
  tune_op_list elements; // vector.to_elements: what was made of them may be gone
} splitter;

//===--- Ops -------------------------------------------------------------------------------===//

static void is_gone(splitter *s, MlirOperation op) {
  s->tiles.failed |= !tune_op_list_add(&s->gone, op);
}

// A copy of `op` on pieces: with `operands`, and a result of `type`, which may be null. Pieces are
// not aligned as the whole is.
static MlirValue copy_op(MlirOperation op, intptr_t count, const MlirValue *operands,
                         MlirType type) {
  MlirNamedAttribute attributes[MOST_ATTRIBUTES];
  intptr_t attribute_count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    if (!tune_ir_string_equal(mlirIdentifierStr(attribute.name), "alignment"))
      attributes[attribute_count++] = attribute;
  }
  MlirStringRef name = tune_ir_name(op);
  MlirOperationState state = mlirOperationStateGet(name, mlirOperationGetLocation(op));
  mlirOperationStateAddOperands(&state, count, operands);
  mlirOperationStateAddAttributes(&state, attribute_count, attributes);
  if (!mlirTypeIsNull(type))
    mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation copy = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, copy);
  return mlirTypeIsNull(type) ? (MlirValue){NULL} : mlirOperationGetResult(copy, 0);
}

static bool is_elementwise(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return (tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.") ||
          tune_ir_string_equal(name, "vector.fma")) &&
         !tune_ir_string_equal(name, "arith.constant");
}

// Whether all of its vectors have the shape of its result, `t`.
static bool is_of_one_shape(MlirOperation op, const tune_odd_tile *t) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    tune_odd_tile of_operand;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (mlirTypeIsAVector(type) && (!tune_odd_tile_read(type, &of_operand) ||
                                    of_operand.rows != t->rows || of_operand.length != t->length))
      return false;
  }
  return true;
}

static void split_elementwise(splitter *s, MlirOperation op, tune_odd_tile t) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  size_t places[MOST_OPERANDS], count = tune_odd_tile_count_pieces(&t);
  intptr_t operand_count = mlirOperationGetNumOperands(op);
  MlirValue operands[MOST_OPERANDS];
  for (intptr_t i = 0; i < operand_count; ++i) {
    operands[i] = mlirOperationGetOperand(op, i);
    const MlirValue *pieces = mlirTypeIsAVector(mlirValueGetType(operands[i]))
                                  ? tune_odd_tiles_pieces_of(&s->tiles, operands[i])
                                  : NULL;
    places[i] = pieces ? (size_t)(pieces - s->tiles.pieces) : TUNE_OP_MAP_NONE;
  }
  MlirValue *results = tune_odd_tiles_note(&s->tiles, mlirOperationGetResult(op, 0), t);
  int64_t at[TUNE_ODD_MOST_PIECES], sizes[TUNE_ODD_MOST_PIECES];
  size_t in_row = tune_odd_tile_list_pieces(t.length, at, sizes);
  for (size_t p = 0; results && p < count; ++p) {
    for (intptr_t i = 0; i < operand_count; ++i)
      if (places[i] != TUNE_OP_MAP_NONE)
        operands[i] = s->tiles.pieces[places[i] + p];
    results[p] =
        copy_op(op, operand_count, operands, tune_odd_tile_piece_type(type, sizes[p % in_row]));
  }
  is_gone(s, op);
}

// vector.load or vector.store of one row, of `type`; where in it is its last operand.
static void split_access(splitter *s, MlirOperation op, MlirType type, tune_odd_tile t) {
  bool stores = tune_ir_is(op, "vector.store");
  MlirValue operands[MOST_OPERANDS];
  intptr_t operand_count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < operand_count; ++i)
    operands[i] = mlirOperationGetOperand(op, i);
  MlirValue index = operands[operand_count - 1];
  int64_t at[TUNE_ODD_MOST_PIECES], sizes[TUNE_ODD_MOST_PIECES];
  size_t count = tune_odd_tile_list_pieces(t.length, at, sizes);
  const MlirValue *stored = stores ? tune_odd_tiles_pieces_of(&s->tiles, operands[0]) : NULL;
  MlirValue *loaded =
      stores ? NULL : tune_odd_tiles_note(&s->tiles, mlirOperationGetResult(op, 0), t);
  tune_ir_builder b = tune_ir_builder_before(op);
  for (size_t p = 0; p < count && !s->tiles.failed; ++p) {
    if (at[p])
      operands[operand_count - 1] =
          tune_ir_build_binary(&b, "arith.addi", index, tune_ir_build_index(&b, at[p]));
    if (stores)
      operands[0] = stored[p];
    MlirValue made = copy_op(op, operand_count, operands,
                             stores ? (MlirType){NULL} : tune_odd_tile_piece_type(type, sizes[p]));
    if (loaded)
      loaded[p] = made;
  }
  if (stores && !s->tiles.failed)
    mlirOperationDestroy(op);
  else
    is_gone(s, op);
}

// vector.broadcast of a number, or of a row.
static bool split_broadcast(splitter *s, MlirOperation op, tune_odd_tile t) {
  MlirValue source = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  tune_odd_tile of_source;
  bool is_row = tune_odd_tile_read(mlirValueGetType(source), &of_source);
  if (mlirTypeIsAVector(mlirValueGetType(source)) &&
      (!is_row || of_source.rows != 1 || of_source.length != t.length))
    return false;
  size_t row = 0;
  if (is_row) {
    const MlirValue *pieces = tune_odd_tiles_pieces_of(&s->tiles, source);
    row = pieces ? (size_t)(pieces - s->tiles.pieces) : 0;
  }
  MlirValue *results = tune_odd_tiles_note(&s->tiles, mlirOperationGetResult(op, 0), t);
  int64_t at[TUNE_ODD_MOST_PIECES], sizes[TUNE_ODD_MOST_PIECES];
  size_t in_row = tune_odd_tile_list_pieces(t.length, at, sizes),
         count = tune_odd_tile_count_pieces(&t);
  for (size_t p = 0; results && p < count; ++p)
    results[p] = is_row       ? s->tiles.pieces[row + p % in_row]
                 : p < in_row ? copy_op(op, 1, &source, tune_odd_tile_piece_type(type, sizes[p]))
                              : results[p - in_row];
  is_gone(s, op);
  return true;
}

// The first row of `whole` that `op`, vector.extract or vector.insert of a part of it, is at. False
// where it is not at numbers, or within a row.
static bool read_rows(MlirOperation op, MlirType whole, const tune_odd_tile *part,
                      int64_t *out_row) {
  MlirAttribute position = tune_ir_attribute(op, "static_position");
  intptr_t count = mlirDenseArrayGetNumElements(position);
  intptr_t rank = mlirShapedTypeGetRank(whole);
  int64_t row = 0;
  if (count >= rank)
    return false;
  for (intptr_t d = 0; d < count; ++d) {
    int64_t at = mlirDenseI64ArrayGetElement(position, d);
    if (at < 0 || at >= mlirShapedTypeGetDimSize(whole, d))
      return false;
    row = row * mlirShapedTypeGetDimSize(whole, d) + at;
  }
  *out_row = row * part->rows;
  return true;
}

static bool split_extract(splitter *s, MlirOperation op, tune_odd_tile t) {
  MlirValue whole = mlirOperationGetOperand(op, 0);
  int64_t row;
  tune_odd_tile of_whole;
  if (mlirOperationGetNumOperands(op) != 1 ||
      !tune_odd_tile_read(mlirValueGetType(whole), &of_whole) ||
      !read_rows(op, mlirValueGetType(whole), &t, &row))
    return false;
  const MlirValue *from = tune_odd_tiles_pieces_of(&s->tiles, whole);
  size_t first = from ? (size_t)(from - s->tiles.pieces) : 0;
  MlirValue *pieces = tune_odd_tiles_note(&s->tiles, mlirOperationGetResult(op, 0), t);
  size_t count = tune_odd_tile_count_pieces(&t), in_row = count / (size_t)t.rows;
  for (size_t p = 0; pieces && p < count; ++p)
    pieces[p] = s->tiles.pieces[first + (size_t)row * in_row + p];
  is_gone(s, op);
  return true;
}

static bool split_insert(splitter *s, MlirOperation op, tune_odd_tile t) {
  MlirValue part = mlirOperationGetOperand(op, 0), whole = mlirOperationGetOperand(op, 1);
  int64_t row;
  tune_odd_tile of_part;
  if (mlirOperationGetNumOperands(op) != 2 ||
      !tune_odd_tile_read(mlirValueGetType(part), &of_part) ||
      !read_rows(op, mlirValueGetType(whole), &of_part, &row))
    return false;
  tune_odd_tiles_pieces_of(&s->tiles, whole);
  tune_odd_tiles_pieces_of(&s->tiles, part);
  MlirValue *pieces = tune_odd_tiles_note(&s->tiles, mlirOperationGetResult(op, 0), t);
  if (!pieces)
    return true;
  const MlirValue *of_others = tune_odd_tiles_pieces_of(&s->tiles, whole),
                  *own = tune_odd_tiles_pieces_of(&s->tiles, part);
  size_t count = tune_odd_tile_count_pieces(&t), in_row = count / (size_t)t.rows;
  size_t from = (size_t)row * in_row, to = from + tune_odd_tile_count_pieces(&of_part);
  for (size_t p = 0; p < count; ++p)
    pieces[p] = p >= from && p < to ? own[p - from] : of_others[p];
  is_gone(s, op);
  return true;
}

// The vector whose elements are those of row `row` of the vector.from_elements `op`, in order.
static MlirValue find_row(MlirOperation op, int64_t row, int64_t length) {
  MlirValue found = {NULL};
  for (int64_t e = 0; e < length; ++e) {
    MlirValue element = mlirOperationGetOperand(op, row * length + e);
    MlirOperation from = tune_ir_definition(element);
    if (mlirOperationIsNull(from) || !tune_ir_is(from, "vector.to_elements") ||
        mlirOpResultGetResultNumber(element) != e || mlirOperationGetNumResults(from) != length)
      return (MlirValue){NULL};
    MlirValue vector = mlirOperationGetOperand(from, 0);
    if (mlirShapedTypeGetRank(mlirValueGetType(vector)) != 1 ||
        (!mlirValueIsNull(found) && !mlirValueEqual(found, vector)))
      return (MlirValue){NULL};
    found = vector;
  }
  return found;
}

// What upstream makes of rows that are put into a tile.
static bool split_from_elements(splitter *s, MlirOperation op, tune_odd_tile t) {
  MlirValue rows[TUNE_ODD_MOST_ROWS];
  for (int64_t r = 0; r < t.rows; ++r) {
    rows[r] = find_row(op, r, t.length);
    if (mlirValueIsNull(rows[r]))
      return false;
    tune_odd_tiles_pieces_of(&s->tiles, rows[r]);
  }
  MlirValue *pieces = tune_odd_tiles_note(&s->tiles, mlirOperationGetResult(op, 0), t);
  size_t in_row = tune_odd_tile_count_pieces(&t) / (size_t)t.rows;
  for (int64_t r = 0; pieces && r < t.rows; ++r) {
    const MlirValue *row = tune_odd_tiles_pieces_of(&s->tiles, rows[r]);
    for (size_t p = 0; p < in_row; ++p)
      *pieces++ = row[p];
  }
  is_gone(s, op);
  return true;
}

// Memory may be of vectors itself, or of bits.
static bool is_of_elements(MlirValue memory, MlirType vector) {
  MlirType element = mlirShapedTypeGetElementType(vector);
  bool is_bits = mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) < 8;
  return !is_bits && mlirTypeEqual(mlirShapedTypeGetElementType(mlirValueGetType(memory)), element);
}

// Whether `op` makes an odd vector and pieces stand for that now.
static bool split_result(splitter *s, MlirOperation op) {
  tune_odd_tile t;
  if (mlirOperationGetNumResults(op) != 1 ||
      !tune_odd_tile_read(mlirValueGetType(mlirOperationGetResult(op, 0)), &t) ||
      mlirOperationGetNumAttributes(op) > MOST_ATTRIBUTES)
    return false;
  if (tune_ir_is(op, "vector.from_elements"))
    return split_from_elements(s, op, t);
  if (mlirOperationGetNumOperands(op) > MOST_OPERANDS)
    return false;
  if (tune_ir_is(op, "vector.load") && t.rows == 1 &&
      is_of_elements(mlirOperationGetOperand(op, 0),
                     mlirValueGetType(mlirOperationGetResult(op, 0)))) {
    split_access(s, op, mlirValueGetType(mlirOperationGetResult(op, 0)), t);
    return true;
  }
  if (is_elementwise(op) && is_of_one_shape(op, &t)) {
    split_elementwise(s, op, t);
    return true;
  }
  return tune_ir_is(op, "vector.broadcast") ? split_broadcast(s, op, t)
         : tune_ir_is(op, "vector.extract") ? split_extract(s, op, t)
         : tune_ir_is(op, "vector.insert")  ? split_insert(s, op, t)
                                            : false;
}

static bool split_store(splitter *s, MlirOperation op) {
  tune_odd_tile t;
  if (!tune_ir_is(op, "vector.store") || mlirOperationGetNumOperands(op) > MOST_OPERANDS ||
      mlirOperationGetNumAttributes(op) > MOST_ATTRIBUTES)
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!tune_odd_tile_read(type, &t) || t.rows != 1 ||
      !is_of_elements(mlirOperationGetOperand(op, 1), type))
    return false;
  split_access(s, op, type, t);
  return true;
}

// What is made of pieces is put together for `op`, which takes none.
static void give_whole(splitter *s, MlirOperation op) {
  // A mask is around one op and nothing else.
  MlirOperation parent = mlirOperationGetParentOperation(op);
  MlirOperation place = tune_ir_is(parent, "vector.mask") ? parent : op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !s->tiles.failed; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirOperation definition = tune_ir_definition(operand);
    tune_odd_tile t;
    // Those that were taken apart are still whole.
    bool is_whole = !mlirOperationIsNull(definition) && (tune_ir_is(definition, "arith.constant") ||
                                                         tune_ir_is(definition, "ub.poison"));
    if (!is_whole && tune_odd_tiles_find(&s->tiles, operand, &t))
      mlirOperationSetOperand(op, i, tune_odd_tiles_put_together(&s->tiles, place, operand, &t));
  }
}

//===--- Loops -----------------------------------------------------------------------------===//

static void split_block(splitter *s, MlirBlock block);

// The pieces of `value` are `first` and those behind it of the results of `op`, or of the arguments
// of `block`.
static void note_carried(splitter *s, MlirValue value, tune_odd_tile t, MlirOperation op,
                         MlirBlock block, intptr_t first) {
  MlirValue *pieces = tune_odd_tiles_note(&s->tiles, value, t);
  size_t count = tune_odd_tile_count_pieces(&t);
  for (size_t p = 0; pieces && p < count; ++p)
    pieces[p] = mlirBlockIsNull(block) ? mlirOperationGetResult(op, first + (intptr_t)p)
                                       : mlirBlockGetArgument(block, first + (intptr_t)p);
}

static size_t count_carried(MlirOperation loop) {
  size_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    tune_odd_tile t;
    if (tune_odd_tile_read(mlirValueGetType(mlirOperationGetResult(loop, i)), &t))
      count += tune_odd_tile_count_pieces(&t);
  }
  return count;
}

// Appends the pieces of `operand`s `from` to `to` of `op` that are odd to `list`.
static size_t list_carried(splitter *s, MlirOperation op, intptr_t from, intptr_t to,
                           MlirValue *list) {
  size_t count = 0;
  for (intptr_t i = from; i < to && !s->tiles.failed; ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    tune_odd_tile t;
    if (!tune_odd_tile_read(mlirValueGetType(value), &t))
      continue;
    const MlirValue *pieces = tune_odd_tiles_pieces_of(&s->tiles, value);
    for (size_t p = 0; pieces && p < tune_odd_tile_count_pieces(&t); ++p)
      list[count++] = pieces[p];
  }
  return count;
}

// What the loop begins its tiles with, operands `from` to `to`, is of no use any more.
static void leave_tiles(MlirOperation loop, intptr_t from, intptr_t to) {
  tune_ir_builder b = tune_ir_builder_before(loop);
  tune_odd_tile t;
  for (intptr_t i = from; i < to; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(loop, i));
    if (tune_odd_tile_read(type, &t))
      mlirOperationSetOperand(loop, i, tune_ir_build_value(&b, "ub.poison", type, 0, NULL));
  }
}

// The loop carries pieces beside its tiles. These it hands on as they came, so that they are of no
// use any more.
static void split_carrying(splitter *s, MlirOperation loop, MlirValue *list) {
  intptr_t tiles = mlirOperationGetNumResults(loop);
  intptr_t operands = mlirOperationGetNumOperands(loop);
  size_t count = list_carried(s, loop, operands - tiles, operands, list);
  if (s->tiles.failed)
    return;
  MlirOperation made = tune_ir_carry_more(loop, (intptr_t)count, list);
  MlirBlock body = tune_ir_body(made);
  leave_tiles(made, operands - tiles, operands);
  for (intptr_t i = 0, next = tiles; i < tiles; ++i) {
    tune_odd_tile t;
    MlirValue result = mlirOperationGetResult(made, i);
    if (!tune_odd_tile_read(mlirValueGetType(result), &t))
      continue;
    note_carried(s, mlirBlockGetArgument(body, 1 + i), t, made, body, 1 + next);
    note_carried(s, result, t, made, (MlirBlock){NULL}, next);
    next += (intptr_t)tune_odd_tile_count_pieces(&t);
  }
  split_block(s, body);
  MlirOperation yield = mlirBlockGetTerminator(body);
  count = list_carried(s, yield, 0, tiles, list);
  for (intptr_t i = 0; i < tiles && !s->tiles.failed; ++i) {
    tune_odd_tile t;
    if (tune_odd_tile_read(mlirValueGetType(mlirOperationGetResult(made, i)), &t))
      mlirOperationSetOperand(yield, i, mlirBlockGetArgument(body, 1 + i));
  }
  tune_status status =
      s->tiles.failed ? TUNE_OK : tune_ir_append_operands(yield, (intptr_t)count, list);
  s->tiles.failed |= !tune_status_is_ok(status);
  tune_status_free(status);
}

static bool split_loop(splitter *s, MlirOperation op) {
  size_t count = tune_ir_is(op, "scf.for") ? count_carried(op) : 0;
  if (count == 0)
    return false;
  MlirValue *list = calloc(count, sizeof *list);
  s->tiles.failed |= !list;
  if (list)
    split_carrying(s, op, list);
  free(list);
  return true;
}

static void split_op(splitter *s, MlirOperation op) {
  if (split_loop(s, op) || split_store(s, op) || split_result(s, op))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      split_block(s, block);
  bool ends_loop =
      tune_ir_is(op, "scf.yield") && tune_ir_is(mlirOperationGetParentOperation(op), "scf.for");
  if (tune_ir_is(op, "vector.to_elements"))
    s->tiles.failed |= !tune_op_list_add(&s->elements, op);
  else if (!ends_loop)
    give_whole(s, op);
}

static void split_block(splitter *s, MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !s->tiles.failed; op = next) {
    next = mlirOperationGetNextInBlock(op);
    split_op(s, op);
  }
}

//===--- The whole -------------------------------------------------------------------------===//

// Whether `op` stands in a loop and makes an odd vector, or is one that carries such.
static MlirWalkResult find_odd(MlirOperation op, void *user_data) {
  bool *found = user_data;
  tune_odd_tile t;
  bool is_odd_here = mlirOperationGetNumResults(op) == 1 &&
                     tune_odd_tile_read(mlirValueGetType(mlirOperationGetResult(op, 0)), &t) &&
                     tune_ir_is(mlirOperationGetParentOperation(op), "scf.for");
  *found = is_odd_here || (tune_ir_is(op, "scf.for") && count_carried(op) > 0);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static void split_function(splitter *s, MlirOperation function) {
  bool found = false;
  mlirOperationWalk(function, find_odd, &found, MlirWalkPreOrder);
  if (!found)
    return;
  for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    split_block(s, block);
}

static void finish(splitter *s) {
  tune_op_list_destroy_unused(&s->gone);
  for (size_t i = 0; i < s->elements.count; ++i)
    if (tune_ir_is_used(s->elements.ops[i]))
      give_whole(s, s->elements.ops[i]);
    else
      mlirOperationDestroy(s->elements.ops[i]);
}

tune_status tune_odd_vectors_split(MlirOperation module) {
  static const char *const DIALECTS[] = {"arith", "vector", "ub", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(module), DIALECTS);
  splitter s = {.tiles = {.failed = false}};
  tune_op_map_init(&s.tiles.tile_of);
  MlirBlock body = tune_ir_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func"))
      split_function(&s, op);
  finish(&s);
  tune_op_list_deinit(&s.gone);
  tune_op_list_deinit(&s.elements);
  tune_odd_tiles_deinit(&s.tiles);
  return s.tiles.failed ? tune_status_out_of_memory("splitting vectors") : TUNE_OK;
}
