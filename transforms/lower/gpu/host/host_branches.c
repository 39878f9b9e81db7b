//===- host_branches.c --------------------------------------------------------===//

#include "transforms/lower/gpu/host/host_branches.h"

#include "dialects/diagnostic.h"
#include "formats/device_facts.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/memory_access.h"

#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// Marks
//===--------------------------------------------------------------------------===//

static const char *const MARKS[] = {
    [TUNE_MARK_IF] = "tune_mark_if",       [TUNE_MARK_ELSE] = "tune_mark_else",
    [TUNE_MARK_END] = "tune_mark_end",     [TUNE_MARK_LOOP] = "tune_mark_loop",
    [TUNE_MARK_WHILE] = "tune_mark_while", [TUNE_MARK_AGAIN] = "tune_mark_again",
};
enum { MARK_COUNT = sizeof MARKS / sizeof *MARKS };

tune_host_mark tune_host_branches_mark(MlirOperation op) {
  if (!tune_ir_is(op, "func.call"))
    return TUNE_MARK_NONE;
  MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(tune_ir_attribute(op, "callee"));
  for (int i = TUNE_MARK_IF; i < MARK_COUNT; ++i)
    if (tune_ir_string_equal(callee, MARKS[i]))
      return (tune_host_mark)i;
  return TUNE_MARK_NONE;
}

typedef struct flattening {
  MlirOperation module, function;
  MlirContext context;
} flattening;

static void declare(const flattening *self, const char *name, intptr_t count,
                    const MlirType *types) {
  MlirOperation there = tune_ir_find_symbol(self->module, tune_ir_string(name));
  if (!mlirOperationIsNull(there))
    return;
  tune_ir_builder builder = tune_ir_builder_before(self->function);
  MlirType type = mlirFunctionTypeGet(self->context, count, types, 0, NULL);
  MlirRegion region = mlirRegionCreate();
  MlirNamedAttribute attributes[] = {
      tune_ir_named(self->context, "sym_name",
                    mlirStringAttrGet(self->context, tune_ir_string(name))),
      tune_ir_named(self->context, "function_type", mlirTypeAttrGet(type)),
      tune_ir_named(self->context, "sym_visibility",
                    mlirStringAttrGet(self->context, tune_ir_string("private")))};
  tune_ir_build(&builder, &(tune_ir_parts){.name = "func.func",
                                           .attribute_count = 3,
                                           .attributes = attributes,
                                           .region_count = 1,
                                           .regions = &region});
}

// `condition` is its memory; NULL for marks without one.
static void put_mark(const flattening *self, const tune_ir_builder *at, tune_host_mark mark,
                     const MlirValue *condition) {
  intptr_t count = condition ? 1 : 0;
  MlirType type = condition ? mlirValueGetType(*condition) : (MlirType){NULL};
  declare(self, MARKS[mark], count, &type);
  MlirNamedAttribute callee =
      tune_ir_named(self->context, "callee",
                    mlirFlatSymbolRefAttrGet(self->context, tune_ir_string(MARKS[mark])));
  tune_ir_build(at, &(tune_ir_parts){.name = "func.call",
                                     .operand_count = count,
                                     .operands = condition,
                                     .attribute_count = 1,
                                     .attributes = &callee});
}

//===--------------------------------------------------------------------------===//
// Places of values
//===--------------------------------------------------------------------------===//

// Where a value is that goes around a loop or out of a branch.
typedef struct place {
  MlirType type; // of the value
  MlirValue memory;
  bool is_buffer; // the value is a buffer, whose contents are there
} place;

static bool is_bit(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

// What a scalar is in memory: indices have 32 bits on a device.
static MlirType stored_type(MlirContext context, MlirType type) {
  return is_bit(type) || mlirTypeIsAIndex(type) ? mlirIntegerTypeGet(context, 32) : type;
}

// Memory at the beginning of the function, so that all of it sees it.
static MlirValue allocate(const flattening *self, MlirType type) {
  tune_ir_builder builder =
      tune_ir_builder_before(mlirBlockGetFirstOperation(tune_ir_body(self->function)));
  int32_t segments[] = {0, 0};
  MlirNamedAttribute attribute = tune_ir_named(self->context, "operandSegmentSizes",
                                               mlirDenseI32ArrayGet(self->context, 2, segments));
  return tune_ir_build_result(&builder, &(tune_ir_parts){.name = "memref.alloc",
                                                         .type_count = 1,
                                                         .types = &type,
                                                         .attribute_count = 1,
                                                         .attributes = &attribute});
}

static tune_status make_place(const flattening *self, MlirOperation op, MlirType type,
                              place *out_place) {
  *out_place = (place){.type = type, .is_buffer = mlirTypeIsAMemRef(type)};
  if (out_place->is_buffer && !mlirShapedTypeHasStaticShape(type))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "a buffer of a size known only at run time goes through a branch or "
                               "a loop; " TUNE_DEVICE_FIXED_SIZES);
  if (!out_place->is_buffer && !tune_ir_scalar_type_name(type))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "what goes through a branch or a loop around kernels has to be a "
                               "buffer or a scalar that a device has in memory");
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t rank = out_place->is_buffer ? mlirShapedTypeGetRank(type) : 0;
  if (rank > TUNE_IR_MAX_RANK)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op, "a buffer of more than %d dimensions",
                               TUNE_IR_MAX_RANK);
  for (intptr_t i = 0; i < rank; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
  MlirType element =
      out_place->is_buffer ? mlirShapedTypeGetElementType(type) : stored_type(self->context, type);
  MlirAttribute space =
      out_place->is_buffer ? mlirMemRefTypeGetMemorySpace(type) : mlirAttributeGetNull();
  out_place->memory = allocate(self, mlirMemRefTypeContiguousGet(element, rank, sizes, space));
  return TUNE_OK;
}

// One for each of `count` values, which `get` gives.
static tune_status make_places(const flattening *self, MlirOperation op, intptr_t count,
                               MlirValue (*get)(MlirOperation op, intptr_t i), place **out_places) {
  *out_places = calloc((size_t)count + 1, sizeof **out_places);
  if (!*out_places)
    return tune_status_out_of_memory("flattening branches");
  for (intptr_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(make_place(self, op, mlirValueGetType(get(op, i)), &(*out_places)[i]));
  return TUNE_OK;
}

static void copy(const tune_ir_builder *at, MlirValue from, MlirValue to) {
  MlirValue operands[] = {from, to};
  tune_ir_build(at,
                &(tune_ir_parts){.name = "memref.copy", .operand_count = 2, .operands = operands});
}

static void put(const flattening *self, const tune_ir_builder *at, const place *to,
                MlirValue value) {
  if (tune_ir_is(tune_ir_definition(value), "ub.poison"))
    return; // nobody looks at it
  if (to->is_buffer) {
    if (!mlirValueEqual(tune_memory_access_root(value), to->memory))
      copy(at, value, to->memory);
    return;
  }
  MlirType stored = stored_type(self->context, to->type);
  if (is_bit(to->type))
    value = tune_ir_build_value(at, "arith.extui", stored, 1, &value);
  else if (mlirTypeIsAIndex(to->type))
    value = tune_ir_build_value(at, "arith.index_cast", stored, 1, &value);
  MlirValue operands[] = {value, to->memory};
  tune_ir_build(at,
                &(tune_ir_parts){.name = "memref.store", .operand_count = 2, .operands = operands});
}

static MlirValue get(const flattening *self, const tune_ir_builder *at, const place *from) {
  if (from->is_buffer)
    return mlirTypeEqual(from->type, mlirValueGetType(from->memory))
               ? from->memory
               : tune_ir_build_value(at, "memref.cast", from->type, 1, &from->memory);
  MlirType stored = stored_type(self->context, from->type);
  MlirValue value = tune_ir_build_value(at, "memref.load", stored, 1, &from->memory);
  if (is_bit(from->type))
    return tune_ir_build_compare(at, "ne", value, tune_ir_build_number(at, stored, 0));
  return mlirTypeIsAIndex(from->type)
             ? tune_ir_build_value(at, "arith.index_cast", from->type, 1, &value)
             : value;
}

// Puts all of the values at once: what is in a place that another value goes to is kept first.
static tune_status put_all(const flattening *self, const tune_ir_builder *at, const place *places,
                           MlirOperation from, intptr_t first, intptr_t count) {
  MlirValue *values = calloc((size_t)count + 1, sizeof *values);
  if (!values)
    return tune_status_out_of_memory("flattening branches");
  for (intptr_t i = 0; i < count; ++i) {
    values[i] = mlirOperationGetOperand(from, first + i);
    MlirValue root = places[i].is_buffer ? tune_memory_access_root(values[i]) : values[i];
    for (intptr_t other = 0; other < i && places[i].is_buffer; ++other)
      if (mlirValueEqual(places[other].memory, root)) {
        MlirValue kept = allocate(self, mlirValueGetType(places[i].memory));
        copy(at, values[i], kept);
        values[i] = kept;
        break;
      }
  }
  for (intptr_t i = 0; i < count; ++i)
    put(self, at, &places[i], values[i]);
  free(values);
  return TUNE_OK;
}

// Has `block` take what is in `places`, from its argument `first` on.
static void take_all(const flattening *self, const tune_ir_builder *at, const place *places,
                     MlirBlock block, intptr_t first, intptr_t count) {
  for (intptr_t i = 0; i < count; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, first + i),
                                  get(self, at, &places[i]));
}

static void replace_results(const flattening *self, const tune_ir_builder *at, const place *places,
                            MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (tune_ir_is_used(op))
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), get(self, at, &places[i]));
}

static MlirValue get_result(MlirOperation op, intptr_t i) { return mlirOperationGetResult(op, i); }

// Writes a condition to memory of its own and marks by it.
static tune_status mark_by(const flattening *self, const tune_ir_builder *at, MlirOperation op,
                           tune_host_mark mark, MlirValue condition) {
  place memory;
  TUNE_RETURN_IF_ERROR(make_place(self, op, mlirValueGetType(condition), &memory));
  put(self, at, &memory, condition);
  put_mark(self, at, mark, &memory.memory);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Branches
//===--------------------------------------------------------------------------===//

static MlirBlock block_of(MlirOperation op, intptr_t region) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

// Moves what is in `region` of `op` to before `op`, and puts what it yields.
static tune_status open_branch(const flattening *self, const tune_ir_builder *at, MlirOperation op,
                               intptr_t region, const place *places) {
  MlirBlock block = block_of(op, region);
  tune_ir_move_body(at, block);
  return put_all(self, at, places, mlirBlockGetTerminator(block), 0,
                 mlirOperationGetNumResults(op));
}

static tune_status flatten_if(const flattening *self, const tune_ir_builder *at, MlirOperation op,
                              const place *places) {
  TUNE_RETURN_IF_ERROR(mark_by(self, at, op, TUNE_MARK_IF, mlirOperationGetOperand(op, 0)));
  TUNE_RETURN_IF_ERROR(open_branch(self, at, op, 0, places));
  if (!mlirBlockIsNull(block_of(op, 1))) {
    put_mark(self, at, TUNE_MARK_ELSE, NULL);
    TUNE_RETURN_IF_ERROR(open_branch(self, at, op, 1, places));
  }
  put_mark(self, at, TUNE_MARK_END, NULL);
  return TUNE_OK;
}

// Region 0 is what is done where no case is met.
static tune_status flatten_switch(const flattening *self, const tune_ir_builder *at,
                                  MlirOperation op, const place *places) {
  MlirAttribute cases = tune_ir_attribute(op, "cases");
  intptr_t count = mlirDenseArrayGetNumElements(cases);
  MlirValue by = mlirOperationGetOperand(op, 0);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue value = tune_ir_build_index(at, mlirDenseI64ArrayGetElement(cases, i));
    TUNE_RETURN_IF_ERROR(
        mark_by(self, at, op, TUNE_MARK_IF, tune_ir_build_compare(at, "eq", by, value)));
    TUNE_RETURN_IF_ERROR(open_branch(self, at, op, i + 1, places));
    put_mark(self, at, TUNE_MARK_ELSE, NULL);
  }
  TUNE_RETURN_IF_ERROR(open_branch(self, at, op, 0, places));
  for (intptr_t i = 0; i < count; ++i)
    put_mark(self, at, TUNE_MARK_END, NULL);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Loops
//===--------------------------------------------------------------------------===//

static tune_status flatten_for(const flattening *self, const tune_ir_builder *at, MlirOperation op,
                               const place *places) {
  enum { BEGIN, END, STEP, INITIAL };
  MlirBlock block = tune_ir_body(op);
  intptr_t count = mlirOperationGetNumResults(op);
  MlirValue index = mlirBlockGetArgument(block, 0);
  place counter;
  TUNE_RETURN_IF_ERROR(make_place(self, op, mlirValueGetType(index), &counter));
  TUNE_RETURN_IF_ERROR(put_all(self, at, places, op, INITIAL, count));
  put(self, at, &counter, mlirOperationGetOperand(op, BEGIN));
  put_mark(self, at, TUNE_MARK_LOOP, NULL);
  MlirValue now = get(self, at, &counter);
  bool is_unsigned = !mlirAttributeIsNull(tune_ir_attribute(op, "unsignedCmp"));
  MlirValue goes_on =
      tune_ir_build_compare(at, is_unsigned ? "ult" : "slt", now, mlirOperationGetOperand(op, END));
  TUNE_RETURN_IF_ERROR(mark_by(self, at, op, TUNE_MARK_WHILE, goes_on));
  now = get(self, at, &counter);
  mlirValueReplaceAllUsesOfWith(index, now);
  take_all(self, at, places, block, 1, count);
  tune_ir_move_body(at, block);
  TUNE_RETURN_IF_ERROR(put_all(self, at, places, mlirBlockGetTerminator(block), 0, count));
  put(self, at, &counter,
      tune_ir_build_binary(at, "arith.addi", now, mlirOperationGetOperand(op, STEP)));
  put_mark(self, at, TUNE_MARK_AGAIN, NULL);
  return TUNE_OK;
}

static MlirValue get_initial(MlirOperation op, intptr_t i) {
  return mlirBlockGetArgument(block_of(op, 0), i);
}

// `places` are those of the results, which are what the second region takes.
static tune_status flatten_while_by(const flattening *self, const tune_ir_builder *at,
                                    MlirOperation op, const place *places, const place *before) {
  intptr_t initial_count = mlirOperationGetNumOperands(op);
  intptr_t count = mlirOperationGetNumResults(op);
  TUNE_RETURN_IF_ERROR(put_all(self, at, before, op, 0, initial_count));
  put_mark(self, at, TUNE_MARK_LOOP, NULL);
  MlirBlock block = block_of(op, 0);
  take_all(self, at, before, block, 0, initial_count);
  tune_ir_move_body(at, block);
  MlirOperation condition = mlirBlockGetTerminator(block);
  TUNE_RETURN_IF_ERROR(put_all(self, at, places, condition, 1, count));
  TUNE_RETURN_IF_ERROR(
      mark_by(self, at, op, TUNE_MARK_WHILE, mlirOperationGetOperand(condition, 0)));
  block = block_of(op, 1);
  take_all(self, at, places, block, 0, count);
  tune_ir_move_body(at, block);
  TUNE_RETURN_IF_ERROR(put_all(self, at, before, mlirBlockGetTerminator(block), 0, initial_count));
  put_mark(self, at, TUNE_MARK_AGAIN, NULL);
  return TUNE_OK;
}

static tune_status flatten_while(const flattening *self, const tune_ir_builder *at,
                                 MlirOperation op, const place *places) {
  place *before;
  tune_status status = make_places(self, op, mlirOperationGetNumOperands(op), get_initial, &before);
  if (tune_status_is_ok(status))
    status = flatten_while_by(self, at, op, places, before);
  free(before);
  return status;
}

//===--------------------------------------------------------------------------===//
// In one kernel
//===--------------------------------------------------------------------------===//

// Of a loop of scalars that one invocation does; each turn on the host would take some launches.
#define MOST_TURNS 4096

typedef struct scalar_search {
  MlirOperation outer;
  bool is_refused;
} scalar_search;

// How often the body of `op` is done for each time that `outer` is; MOST_TURNS + 1: who knows.
static int64_t count_turns(MlirOperation op, MlirOperation outer) {
  int64_t turns = 1, begin, end, step;
  for (; tune_ir_is_inside(op, outer) && turns <= MOST_TURNS;
       op = mlirOperationGetParentOperation(op)) {
    if (!tune_ir_is(op, "scf.for"))
      continue;
    if (!tune_ir_is_constant_index(mlirOperationGetOperand(op, 0), &begin) ||
        !tune_ir_is_constant_index(mlirOperationGetOperand(op, 1), &end) ||
        !tune_ir_is_constant_index(mlirOperationGetOperand(op, 2), &step) || step < 1)
      return MOST_TURNS + 1;
    int64_t own = end > begin ? (end - begin - 1) / step + 1 : 0;
    turns = own > MOST_TURNS ? MOST_TURNS + 1 : turns * own;
  }
  return turns;
}

static MlirWalkResult refuse_others(MlirOperation op, void *user_data) {
  static const char *const TAKEN[] = {"scf.for",     "scf.if",       "scf.yield",
                                      "memref.load", "memref.store", NULL};
  scalar_search *search = user_data;
  MlirStringRef name = tune_ir_name(op);
  bool is_taken = tune_ir_is_one_of(op, TAKEN) || tune_ir_string_starts(name, "arith.") ||
                  tune_ir_string_starts(name, "math.") || tune_ir_string_starts(name, "index.");
  search->is_refused = !is_taken || count_turns(op, search->outer) > MOST_TURNS;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !search->is_refused; ++i)
    search->is_refused = !tune_ir_scalar_type_name(mlirValueGetType(mlirOperationGetResult(op, i)));
  return search->is_refused ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether nothing in `op` needs a launch of its own.
static bool is_of_scalars(MlirOperation op) {
  scalar_search search = {.outer = op};
  mlirOperationWalk(op, refuse_others, &search, MlirWalkPreOrder);
  return !search.is_refused;
}

// A kernel of one invocation does all of `op`, and puts what comes of it.
static tune_status put_into_kernel(const flattening *self, MlirOperation op) {
  const int64_t once = 1;
  MlirOperation forall;
  tune_ir_builder at = tune_ir_builder_before(op);
  place *places;
  tune_status status = make_places(self, op, mlirOperationGetNumResults(op), get_result, &places);
  if (tune_status_is_ok(status)) {
    tune_ir_builder inside = tune_ir_build_forall(&at, 1, &once, &forall);
    replace_results(self, &at, places, op);
    tune_ir_move(&inside, op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      put(self, &inside, &places[i], mlirOperationGetResult(op, i));
  }
  free(places);
  return status;
}

//===--------------------------------------------------------------------------===//
// The function
//===--------------------------------------------------------------------------===//

typedef tune_status (*flattener)(const flattening *self, const tune_ir_builder *at,
                                 MlirOperation op, const place *places);

static flattener find_flattener(MlirOperation op) {
  static const struct {
    const char *name;
    flattener flatten;
  } OPS[] = {{"scf.if", flatten_if},
             {"scf.for", flatten_for},
             {"scf.while", flatten_while},
             {"scf.index_switch", flatten_switch}};
  for (size_t i = 0; i < sizeof OPS / sizeof *OPS; ++i)
    if (tune_ir_is(op, OPS[i].name))
      return OPS[i].flatten;
  return NULL;
}

static tune_status flatten_op(const flattening *self, MlirOperation op, flattener flatten) {
  if (is_of_scalars(op))
    return put_into_kernel(self, op);
  tune_ir_builder at = tune_ir_builder_before(op);
  place *places;
  tune_status status = make_places(self, op, mlirOperationGetNumResults(op), get_result, &places);
  if (tune_status_is_ok(status))
    status = flatten(self, &at, op, places);
  if (tune_status_is_ok(status)) {
    replace_results(self, &at, places, op);
    mlirOperationDestroy(op);
  }
  free(places);
  return status;
}

tune_status tune_host_branches_flatten(MlirOperation module, MlirOperation function) {
  static const char *const MADE_OF[] = {"arith", "func", "memref", "scf", NULL};
  flattening self = {
      .module = module, .function = function, .context = mlirOperationGetContext(function)};
  tune_ir_load_dialects(self.context, MADE_OF);
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(function));
  while (!mlirOperationIsNull(op)) {
    flattener flatten = find_flattener(op);
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (flatten) {
      TUNE_RETURN_IF_ERROR(flatten_op(&self, op, flatten));
      next = mlirBlockGetFirstOperation(tune_ir_body(function)); // what was in it may have such
    }
    op = next;
  }
  return TUNE_OK;
}
