//===- weights_ahead.c --------------------------------------------------------------===//

#include "transforms/lower/cpu/weights/weights_ahead.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_facts.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/loop_range.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/cpu/weights/part_views.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LOOPS 8     // around a part
#define MOST_WRITERS 16  // ops of a loop's body that fill a part
#define MOST_VALUES 512  // that these use from outside
#define LINE_BYTES 64    // of a cache: where parts begin
#define MOST_GROWTH 2    // times the memory that they are made of
#define FREE_BYTES 65536 // that they may take anyhow

//===--------------------------------------------------------------------------===//
// Loops
//===--------------------------------------------------------------------------===//

// Loops with known bounds that hand nothing on, those around a body, the outermost first, which
// stands in the function itself.
typedef struct loop_nest {
  tune_loop_range ranges[MOST_LOOPS];
  bool is_used[MOST_LOOPS]; // by what fills the part
  size_t count;
} loop_nest;

static bool read_range(MlirOperation loop, size_t dimension, tune_loop_range *out) {
  bool is_known =
      tune_ir_is(loop, "scf.for")
          ? tune_loop_range_read_for(loop, out)
          : tune_loop_range_read_forall(loop, (intptr_t)dimension, out) && out->from >= 0;
  return is_known && mlirOperationGetNumResults(loop) == 0 && tune_loop_range_count(out) > 0;
}

// Puts the ranges of `loop` before those that are there.
static bool add_loop(loop_nest *nest, MlirOperation loop) {
  size_t count = tune_ir_is(loop, "scf.for") ? 1
                 : tune_ir_is(loop, "scf.forall")
                     ? (size_t)mlirBlockGetNumArguments(tune_ir_body(loop))
                     : 0;
  if (count == 0 || nest->count + count > MOST_LOOPS)
    return false;
  memmove(nest->ranges + count, nest->ranges, nest->count * sizeof *nest->ranges);
  nest->count += count;
  bool is_known = true;
  for (size_t i = 0; i < count; ++i)
    is_known &= read_range(loop, i, &nest->ranges[i]);
  return is_known;
}

// The loops around the body of `innermost`; false where what is around it is something else.
static bool read_nest(MlirOperation innermost, MlirOperation function, loop_nest *out) {
  *out = (loop_nest){.count = 0};
  for (MlirOperation loop = innermost; !mlirOperationEqual(loop, function);
       loop = mlirOperationGetParentOperation(loop))
    if (!add_loop(out, loop))
      return false;
  return true;
}

//===--------------------------------------------------------------------------===//
// What fills a part
//===--------------------------------------------------------------------------===//

typedef struct part {
  MlirValue memory; // that is filled again and again
  MlirBlock body;   // of the innermost loop
  MlirOperation writers[MOST_WRITERS];
  size_t writer_count;
  MlirValue values[MOST_VALUES]; // what these need from outside, each after what it is made of
  size_t value_count;
  tune_op_list stores;  // in these
  int64_t stored;       // elements
  int64_t source_bytes; // that they are made of
} part;

typedef struct finder {
  MlirOperation function;
  tune_constant_dependence_constants constants;
  const tune_constant_dependence *ahead;
  loop_nest *nest;
  part *part;
  MlirOperation writer; // that is looked at
  bool fits;
} finder;

static bool is_source(const finder *f, MlirValue memory) {
  if (tune_constant_dependence_is_constant(memory, f->constants))
    return true;
  MlirValue root = tune_memory_access_look_through_views(memory);
  for (size_t i = 0; i < f->ahead->kept_count; ++i)
    if (mlirValueEqual(root, f->ahead->kept[i]))
      return true;
  return false;
}

static bool is_known_size(MlirType type) {
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type);
}

static int64_t count_bytes(MlirType type) {
  return tune_ir_element_count(type) *
         (int64_t)tune_op_element_bytes(mlirShapedTypeGetElementType(type));
}

// Without effects, and the same wherever its operands are.
static bool is_pure(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return mlirOperationGetNumRegions(op) == 0 &&
         (tune_memory_access_is_view(op) || tune_ir_string_starts(name, "arith.") ||
          tune_ir_string_starts(name, "affine."));
}

static bool is_listed(const part *p, MlirValue value) {
  for (size_t i = 0; i < p->value_count; ++i)
    if (mlirValueEqual(p->values[i], value))
      return true;
  return false;
}

// Lists `value`, which is made outside of the writers, and what it is made of, unless it stands
// before all the loops; false where it cannot be made elsewhere.
static bool list_value(finder *f, MlirValue value) {
  part *p = f->part;
  loop_nest *nest = f->nest;
  if (is_listed(p, value) || mlirValueEqual(value, p->memory))
    return true;
  if (!tune_ir_is_made_inside(value, nest->ranges[0].loop))
    return tune_constant_dependence_is_derived(value, f->constants);
  if (mlirValueIsABlockArgument(value)) {
    for (size_t i = 0; i < nest->count; ++i)
      if (mlirValueEqual(nest->ranges[i].index, value))
        return nest->is_used[i] = true;
    return false;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!is_pure(op) || p->value_count == MOST_VALUES)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!list_value(f, mlirOperationGetOperand(op, i)))
      return false;
  if (p->value_count == MOST_VALUES)
    return false;
  p->values[p->value_count++] = value;
  return true;
}

// Whether `value`, an index or memory, is made of `index` in such a way that it is another one for
// each: by sums, products and views, and not as a remainder.
static bool moves_with(MlirValue value, MlirValue index) {
  if (mlirValueEqual(value, index))
    return true;
  MlirOperation op = tune_ir_definition(value);
  if (mlirOperationIsNull(op) || !(tune_memory_access_is_view(op) ||
                                   tune_ir_is(op, "affine.apply") || tune_ir_is(op, "arith.addi") ||
                                   tune_ir_is(op, "arith.muli") || tune_ir_is(op, "arith.subi")))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (moves_with(mlirOperationGetOperand(op, i), index))
      return true;
  return false;
}

static bool is_stored_elsewhere(MlirOperation op, MlirValue index) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (moves_with(mlirOperationGetOperand(op, i), index) &&
        (mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, i))) ||
         mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetOperand(op, i)))))
      return true;
  return false;
}

// In how many places `op` stores where `writer` is run once; 0: that is not known. Loops that it
// does not move with store the same again.
static int64_t count_places(MlirOperation op, MlirOperation writer) {
  int64_t runs = 1;
  MlirOperation store = op;
  while (!mlirOperationEqual(op, writer)) {
    tune_loop_range range;
    op = mlirOperationGetParentOperation(op);
    if (!tune_ir_is(op, "scf.for") || !read_range(op, 0, &range))
      return 0;
    runs *= is_stored_elsewhere(store, range.index) ? tune_loop_range_count(&range) : 1;
  }
  return runs;
}

// Elements that `op` stores of the memory that is its operand `number`.
static int64_t count_stored(MlirOperation op, intptr_t number) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, number));
  if (tune_ir_is(op, "memref.store"))
    return 1;
  if (tune_ir_string_starts(tune_ir_name(op), "affine.") ||
      (tune_ir_is(op, "vector.transfer_write") &&
       mlirOperationGetNumOperands(op) != 2 + mlirShapedTypeGetRank(type)))
    return 0; // masked, or of a place that is not looked into
  if (tune_ir_string_starts(tune_ir_name(op), "vector.")) {
    MlirType vector = mlirValueGetType(mlirOperationGetOperand(op, 0));
    return mlirTypeIsAVector(vector) ? tune_ir_element_count(vector) : 1;
  }
  return is_known_size(type) ? tune_ir_element_count(type) : 0;
}

// Whether `op` stores where another op that was counted does.
static bool is_counted(part *p, MlirOperation op) {
  for (size_t i = 0; i < p->stores.count; ++i) {
    MlirOperation other = p->stores.ops[i];
    intptr_t count = mlirOperationGetNumOperands(op);
    bool is_same = mlirOperationGetNumOperands(other) == count &&
                   tune_ir_is(other, "vector.store") == tune_ir_is(op, "vector.store");
    // The first is what is stored, or both are one op.
    for (intptr_t k = 1; k < count && is_same; ++k)
      is_same = mlirValueEqual(mlirOperationGetOperand(op, k), mlirOperationGetOperand(other, k));
    if (is_same)
      return true;
  }
  return !tune_op_list_add(&p->stores, op);
}

// Ops whose result is what was there before, too, would need what another step left.
static bool only_writes(MlirOperation op, intptr_t number) {
  unsigned access = tune_memory_access_of(op, number);
  return access == TUNE_WRITES || tune_ir_is(op, "linalg.fill") ||
         (tune_ir_is(op, "linalg.copy") && number == 1);
}

static MlirWalkResult look_at_op(MlirOperation op, void *user_data) {
  finder *f = user_data;
  MlirStringRef name = tune_ir_name(op);
  bool is_told = tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "affine.") ||
                 tune_ir_string_starts(name, "vector.") || tune_ir_string_starts(name, "memref.") ||
                 tune_ir_string_starts(name, "linalg.") || tune_ir_is(op, "scf.for") ||
                 tune_ir_is(op, "scf.yield") || tune_ir_is(op, "ub.poison");
  bool is_inside_op = tune_ir_string_starts(tune_ir_name(mlirOperationGetParentOperation(op)),
                                            "linalg."); // a body of numbers
  f->fits &= is_told;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && f->fits; ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!tune_ir_is_made_inside(value, f->writer))
      f->fits = list_value(f, value);
    if (!mlirTypeIsAMemRef(mlirValueGetType(value)) || is_inside_op)
      continue;
    unsigned access = tune_memory_access_of(op, i);
    MlirValue root = tune_memory_access_look_through_views(value);
    if (access & TUNE_WRITES) {
      f->fits &= mlirValueEqual(root, f->part->memory) && only_writes(op, i);
      if (!is_counted(f->part, op))
        f->part->stored += count_places(op, f->writer) * count_stored(op, i);
    } else if (access & TUNE_READS) {
      f->fits &= is_source(f, root) && is_known_size(mlirValueGetType(root));
      if (f->fits)
        f->part->source_bytes = f->part->source_bytes > count_bytes(mlirValueGetType(root))
                                    ? f->part->source_bytes
                                    : count_bytes(mlirValueGetType(root));
    }
  }
  return f->fits ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

//===--------------------------------------------------------------------------===//
// Who uses it
//===--------------------------------------------------------------------------===//

// The op of `block` that `op` is, or is in; null where it is elsewhere.
static MlirOperation find_in_block(MlirOperation op, MlirBlock block) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block)) {
    MlirOperation parent = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(parent) || tune_ir_is(parent, "func.func"))
      return (MlirOperation){NULL};
    op = parent;
  }
  return op;
}

// The uses of some memory, seen as it is or otherwise, in the body of a loop, and in the block that
// the loop is in.
typedef struct uses {
  MlirOperation loop;
  tune_op_list inside, beside; // ops of either that use it
  bool escapes;                // others do, or who knows what becomes of it
} uses;

static void deinit_uses(uses *all) {
  tune_op_list_deinit(&all->inside);
  tune_op_list_deinit(&all->beside);
}

static void list_uses(MlirValue memory, uses *all) {
  for (MlirOpOperand use = mlirValueGetFirstUse(memory); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirOperation inside = find_in_block(user, tune_ir_body(all->loop));
    MlirOperation beside = find_in_block(user, mlirOperationGetBlock(all->loop));
    bool is_view = tune_memory_access_is_view(user);
    all->escapes |=
        mlirOperationIsNull(beside) || tune_ir_is(user, "func.return") ||
        (!is_view && mlirOperationGetNumResults(user) > 0 && !tune_memory_access_is_load(user)) ||
        tune_ir_is(user, "scf.yield") || tune_ir_string_starts(tune_ir_name(user), "func.call");
    if (is_view)
      list_uses(mlirOperationGetResult(user, 0), all);
    if (!mlirOperationIsNull(inside) && !is_view)
      all->escapes |= !tune_op_list_add_once(&all->inside, inside) && all->inside.failed;
    if (mlirOperationIsNull(inside) && !mlirOperationIsNull(beside))
      all->escapes |= !tune_op_list_add_once(&all->beside, beside) && all->beside.failed;
  }
}

typedef struct access_look {
  MlirValue memory;
  unsigned access;
} access_look;

static MlirWalkResult look_at_access(MlirOperation op, void *user_data) {
  access_look *look = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirTypeIsAMemRef(mlirValueGetType(value)) &&
        mlirValueEqual(tune_memory_access_look_through_views(value), look->memory))
      look->access |= tune_memory_access_of(op, i);
  }
  return MlirWalkResultAdvance;
}

static unsigned access_to(MlirOperation op, MlirValue memory) {
  access_look look = {.memory = memory};
  mlirOperationWalk(op, look_at_access, &look, MlirWalkPreOrder);
  return look.access;
}

static bool is_in_list(const tune_op_list *list, MlirOperation op) {
  for (size_t i = 0; i < list->count; ++i)
    if (mlirOperationEqual(list->ops[i], op))
      return true;
  return false;
}

// Whether what comes beside the loop comes after it, and fills the memory anew: a last part that is
// a shorter one. (Views of it are listed, and neither read nor write.)
static bool begins_anew_beside(const uses *all, MlirValue memory) {
  bool is_after = false, is_filled = false;
  size_t seen = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(all->loop));
       !mlirOperationIsNull(op) && seen < all->beside.count; op = mlirOperationGetNextInBlock(op)) {
    is_after |= mlirOperationEqual(op, all->loop);
    if (!is_in_list(&all->beside, op))
      continue;
    ++seen;
    unsigned access = access_to(op, memory);
    if (!is_after || (!is_filled && access && access != TUNE_WRITES))
      return false;
    is_filled |= access != 0;
  }
  return true;
}

// Lists the ops of the body that fill the part, which have to come before those that read it.
static bool split_uses(const uses *all, part *p) {
  bool is_read = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_in_list(&all->inside, op))
      continue;
    bool writes = access_to(op, p->memory) & TUNE_WRITES;
    if (writes && (is_read || p->writer_count == MOST_WRITERS || tune_ir_is_used(op)))
      return false;
    is_read |= !writes;
    if (writes)
      p->writers[p->writer_count++] = op;
  }
  return p->writer_count > 0 && is_read;
}

static bool is_part_type(MlirType type) {
  return is_known_size(type) && count_bytes(type) > 0 &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) &&
         mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type));
}

// Whether the part is filled, as a whole, from constants, and then read in the body alone.
static bool fill_part(finder *f, MlirOperation loop) {
  part *p = f->part;
  uses all = {.loop = loop};
  list_uses(p->memory, &all);
  f->fits = !all.escapes && split_uses(&all, p) && begins_anew_beside(&all, p->memory);
  deinit_uses(&all);
  for (size_t i = 0; i < p->writer_count && f->fits; ++i) {
    f->writer = p->writers[i];
    mlirOperationWalk(f->writer, look_at_op, f, MlirWalkPreOrder);
  }
  return f->fits && p->stored >= tune_ir_element_count(mlirValueGetType(p->memory));
}

static int64_t count_parts(const loop_nest *nest) {
  int64_t parts = 1;
  for (size_t i = 0; i < nest->count; ++i)
    parts *= nest->is_used[i] ? tune_loop_range_count(&nest->ranges[i]) : 1;
  return parts;
}

static int64_t bytes_of_part(const part *p) {
  int64_t bytes = count_bytes(mlirValueGetType(p->memory));
  return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

static bool is_worth_it(const part *p, const loop_nest *nest) {
  double all = (double)bytes_of_part(p) * (double)count_parts(nest);
  return p->source_bytes > 0 && all <= MOST_GROWTH * (double)p->source_bytes + FREE_BYTES;
}

//===--------------------------------------------------------------------------===//
// Making all of them
//===--------------------------------------------------------------------------===//

// What stands for which value in the loops ahead.
typedef struct value_map {
  MlirValue from[MOST_VALUES + MOST_LOOPS + 1], to[MOST_VALUES + MOST_LOOPS + 1];
  size_t count;
} value_map;

static void map_value(value_map *map, MlirValue from, MlirValue to) {
  map->from[map->count] = from;
  map->to[map->count++] = to;
}

static MlirWalkResult map_operands(MlirOperation op, void *user_data) {
  const value_map *map = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    for (size_t k = 0; k < map->count; ++k)
      if (mlirValueEqual(mlirOperationGetOperand(op, i), map->from[k])) {
        mlirOperationSetOperand(op, i, map->to[k]);
        break;
      }
  return MlirWalkResultAdvance;
}

static MlirOperation copy_op(const tune_ir_builder *b, MlirOperation op, value_map *map) {
  MlirOperation copy = mlirOperationClone(op);
  mlirOperationWalk(copy, map_operands, map, MlirWalkPreOrder);
  tune_ir_move(b, copy);
  return copy;
}

static MlirValue combine(const tune_ir_builder *b, const char *name, MlirValue value, int64_t by) {
  return tune_ir_build_binary(b, name, value, tune_ir_build_index(b, by));
}

// Part `number` of `all`, seen as the memory that it was.
static MlirValue build_part(const tune_ir_builder *b, MlirValue all, MlirValue number,
                            const part *p) {
  MlirValue operands[] = {all, combine(b, "arith.muli", number, bytes_of_part(p))};
  return tune_ir_build_value(b, "memref.view", mlirValueGetType(p->memory), 2, operands);
}

static MlirValue build_all(const tune_ir_builder *b, int64_t bytes) {
  MlirType byte = mlirIntegerTypeGet(b->context, 8);
  MlirType type = mlirMemRefTypeContiguousGet(byte, 1, &bytes, (MlirAttribute){NULL});
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(b->context, 2, (const int32_t[]){0, 0})),
      tune_ir_named(b->context, "alignment",
                    mlirIntegerAttrGet(mlirIntegerTypeGet(b->context, 64), LINE_BYTES))};
  return tune_ir_build_result(b, &(tune_ir_parts){.name = "memref.alloc",
                                                  .type_count = 1,
                                                  .types = &type,
                                                  .attribute_count = 2,
                                                  .attributes = attributes});
}

// Fills all parts, ahead of the outermost loop.
static void build_filling(const part *p, const loop_nest *nest, MlirValue all, value_map *map) {
  tune_ir_builder b = tune_ir_builder_before(nest->ranges[0].loop);
  MlirValue number = tune_ir_build_index(&b, 0);
  for (size_t i = 0; i < nest->count; ++i) {
    const tune_loop_range *range = &nest->ranges[i];
    if (!nest->is_used[i])
      continue;
    MlirOperation loop;
    tune_ir_builder inside = tune_ir_build_for(&b, tune_loop_range_count(range), 0, NULL, &loop);
    // Its end, before which all goes.
    MlirOperation end = tune_ir_build(&inside, &(tune_ir_parts){.name = "scf.yield"});
    inside.before = end;
    MlirValue step = mlirBlockGetArgument(tune_ir_body(loop), 0);
    number = tune_ir_build_binary(
        &inside, "arith.addi", combine(&inside, "arith.muli", number, tune_loop_range_count(range)),
        step);
    MlirValue index = range->step == 1 ? step : combine(&inside, "arith.muli", step, range->step);
    map_value(map, range->index,
              range->from ? combine(&inside, "arith.addi", index, range->from) : index);
    b = inside;
  }
  map_value(map, p->memory, build_part(&b, all, number, p));
  for (size_t i = 0; i < p->value_count; ++i) {
    MlirOperation op = mlirOpResultGetOwner(p->values[i]);
    MlirOperation copy = copy_op(&b, op, map);
    map_value(map, p->values[i],
              mlirOperationGetResult(copy, mlirOpResultGetResultNumber(p->values[i])));
  }
  for (size_t i = 0; i < p->writer_count; ++i)
    copy_op(&b, p->writers[i], map);
}

// Reads the parts in the place of the one.
static void read_parts(const part *p, const loop_nest *nest, MlirValue all, value_map *map) {
  for (size_t i = 0; i < p->writer_count; ++i)
    mlirOperationDestroy(p->writers[i]);
  tune_ir_builder b = tune_ir_builder_before(mlirBlockGetFirstOperation(p->body));
  MlirValue number = tune_ir_build_index(&b, 0);
  for (size_t i = 0; i < nest->count; ++i) {
    const tune_loop_range *range = &nest->ranges[i];
    if (!nest->is_used[i])
      continue;
    MlirValue distance =
        range->from ? combine(&b, "arith.subi", range->index, range->from) : range->index;
    MlirValue step =
        range->step == 1 ? distance : combine(&b, "arith.divui", distance, range->step);
    number = tune_ir_build_binary(
        &b, "arith.addi", combine(&b, "arith.muli", number, tune_loop_range_count(range)), step);
  }
  *map = (value_map){.count = 0};
  map_value(map, p->memory, build_part(&b, all, number, p));
  for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, map_operands, map, MlirWalkPreOrder);
}

static tune_status move_ahead(const part *p, const loop_nest *nest) {
  value_map *map = calloc(1, sizeof *map);
  if (!map)
    return tune_status_out_of_memory("making weights ahead");
  tune_ir_builder b = tune_ir_builder_before(nest->ranges[0].loop);
  MlirValue all = build_all(&b, bytes_of_part(p) * count_parts(nest));
  build_filling(p, nest, all, map);
  read_parts(p, nest, all, map);
  free(map);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The memory of a function
//===--------------------------------------------------------------------------===//

// Lists the loops that uses of `memory` are in.
static bool list_loops(MlirValue memory, MlirOperation function, tune_op_list *loops) {
  for (MlirOpOperand use = mlirValueGetFirstUse(memory); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    for (MlirOperation op = mlirOperationGetParentOperation(mlirOpOperandGetOwner(use));
         !mlirOperationEqual(op, function); op = mlirOperationGetParentOperation(op))
      if ((tune_ir_is(op, "scf.for") || tune_ir_is(op, "scf.forall")) &&
          !tune_op_list_add_once(loops, op) && loops->failed)
        return false;
  return true;
}

// Makes the parts of `memory` that the body of `loop` fills ahead, if it does.
static tune_status run_on_loop(MlirValue memory, MlirOperation loop, finder *f, bool *out_changed) {
  loop_nest nest;
  if (!read_nest(loop, f->function, &nest))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_part_views_bring_in(memory, loop));
  part *p = calloc(1, sizeof *p);
  if (!p)
    return tune_status_out_of_memory("making weights ahead");
  p->memory = memory;
  p->body = tune_ir_body(loop);
  f->nest = &nest;
  f->part = p;
  tune_status status = TUNE_OK;
  if (fill_part(f, loop) && is_worth_it(p, &nest)) {
    *out_changed = true;
    status = move_ahead(p, &nest);
  }
  tune_op_list_deinit(&p->stores);
  free(p);
  return status;
}

static tune_status run_on_memory(MlirOperation allocation, finder *f, bool *out_changed) {
  MlirValue memory = mlirOperationGetResult(allocation, 0);
  tune_op_list loops = {0};
  if (!is_part_type(mlirValueGetType(memory)))
    return TUNE_OK;
  tune_status status = list_loops(memory, f->function, &loops)
                           ? TUNE_OK
                           : tune_status_out_of_memory("making weights ahead");
  bool is_moved = false;
  for (size_t i = 0; i < loops.count && tune_status_is_ok(status) && !is_moved; ++i)
    status = run_on_loop(memory, loops.ops[i], f, &is_moved);
  tune_op_list_deinit(&loops);
  *out_changed |= is_moved;
  if (is_moved && mlirOpOperandIsNull(mlirValueGetFirstUse(memory)))
    mlirOperationDestroy(allocation);
  return status;
}

static MlirWalkResult list_allocation(MlirOperation op, void *user_data) {
  bool is_one = (tune_ir_is(op, "memref.alloc") || tune_ir_is(op, "memref.alloca")) &&
                mlirOperationGetNumOperands(op) == 0;
  return !is_one || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                    : MlirWalkResultInterrupt;
}

tune_status tune_weights_ahead_run(MlirOperation function,
                                   tune_constant_dependence_constants constants,
                                   const tune_constant_dependence *ahead, bool *out_changed) {
  finder f = {.function = function, .constants = constants, .ahead = ahead};
  tune_op_list allocations = {0};
  *out_changed = false;
  mlirOperationWalk(function, list_allocation, &allocations, MlirWalkPreOrder);
  tune_status status =
      allocations.failed ? tune_status_out_of_memory("making weights ahead") : TUNE_OK;
  for (size_t i = 0; i < allocations.count && tune_status_is_ok(status); ++i)
    status = run_on_memory(allocations.ops[i], &f, out_changed);
  tune_op_list_deinit(&allocations);
  return status;
}
