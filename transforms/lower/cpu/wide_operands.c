//===- wide_operands.c - Narrow memory that products read again and again, widened once -===//
//
// Of each memory that may become wide the uses are listed, through views, and what becomes of what
// is read, up to the ops that widen it. An op that is not known ends that: the memory stays as it
// is. Then all that is listed gets its types.
//
//===----------------------------------------------------------------------------------------===//

#include "transforms/lower/cpu/wide_operands.h"

#include "dialects/threads.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/common/parallel_loops.h"
#include "transforms/lower/cpu/float_promotion.h"
#include "transforms/lower/cpu/strided_copies.h"

// A copy reads, widens and writes, and has more bytes to be read later: it is worth that from so
// many reads of each element on, more where the copy leaves the nearer caches meanwhile. What is
// copied anyway is better wide if it is read more than once.
#define ENOUGH_READS_OF_ARGUMENT 4
#define ENOUGH_READS_OF_LARGE_ARGUMENT 8
#define ELEMENTS_OF_LARGE_ARGUMENT (64 << 10)
#define ENOUGH_READS_OF_TEMPORARY 2
#define ALIGNMENT 64 // that of the panels of schedules
// Threads take longer to begin than to copy less than this.
#define MUCH_FOR_THREADS (64 << 10)

typedef struct wide_memory {
  MlirValue memory;
  bool is_temporary;
  const char *extension; // the op that widens what is read; NULL: none was seen
  MlirType wide;         // what it gives
  double reads;          // elements that are read, each as often as it is
  tune_op_list views, loads, moves, extensions, stores, copies, fills;
  tune_op_map moved; // values that are narrow and become wide
  bool failed;       // memory ran out
} wide_memory;

//===--------------------------------------------------------------------------===//
// How often
//===--------------------------------------------------------------------------===//

static double steps_between(double from, double to, double step) {
  double steps = step > 0 ? (to - from + step - 1) / step : 1;
  return steps < 1 ? 1 : (double)(int64_t)steps;
}

// How often `loop` goes around; 1 where that is not known.
static double steps_of(MlirOperation loop) {
  if (tune_ir_is(loop, "scf.for")) {
    int64_t bounds[3];
    for (intptr_t i = 0; i < 3; ++i)
      if (!tune_ir_is_constant_index(mlirOperationGetOperand(loop, i), &bounds[i]))
        return 1;
    return steps_between((double)bounds[0], (double)bounds[1], (double)bounds[2]);
  }
  if (!tune_ir_is(loop, "scf.forall"))
    return 1;
  static const char *const names[] = {"staticLowerBound", "staticUpperBound", "staticStep"};
  MlirAttribute bounds[3];
  for (size_t i = 0; i < 3; ++i)
    bounds[i] = tune_ir_attribute(loop, names[i]);
  double steps = 1;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(bounds[0]); ++i) {
    int64_t ends[3];
    bool is_known = true;
    for (size_t b = 0; b < 3; ++b) {
      ends[b] = mlirDenseI64ArrayGetElement(bounds[b], i);
      is_known &= ends[b] != mlirShapedTypeGetDynamicSize();
    }
    steps *= is_known ? steps_between((double)ends[0], (double)ends[1], (double)ends[2]) : 1;
  }
  return steps;
}

static double times_of(MlirOperation op) {
  double times = 1;
  for (op = mlirOperationGetParentOperation(op);
       !mlirOperationIsNull(op) && !tune_ir_is(op, "func.func");
       op = mlirOperationGetParentOperation(op))
    times *= steps_of(op);
  return times;
}

static double elements_of(MlirType type) {
  double elements = 1;
  if (mlirTypeIsAShaped(type))
    for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
      elements *= (double)mlirShapedTypeGetDimSize(type, i);
  return elements;
}

//===--------------------------------------------------------------------------===//
// What is read
//===--------------------------------------------------------------------------===//

static void list(wide_memory *self, tune_op_list *ops, MlirOperation op) {
  self->failed |= !tune_op_list_add(ops, op);
}

static bool is_moved(const wide_memory *self, MlirValue value) {
  return tune_op_map_get(&self->moved, value.ptr) != TUNE_OP_MAP_NONE;
}

static void mark_moved(wide_memory *self, MlirValue value) {
  tune_status status = tune_op_map_set(&self->moved, value.ptr, 0);
  self->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
}

// The name of `op` if it makes of each element a wider one.
static const char *extension_of(MlirOperation op) {
  static const char *const NAMES[] = {"arith.extf",   "arith.extsi",  "arith.extui",
                                      "arith.sitofp", "arith.uitofp", NULL};
  for (const char *const *name = NAMES; *name; ++name)
    if (tune_ir_is(op, *name))
      return *name;
  return NULL;
}

// Whether `op` gives of what it is given, and nothing else.
static bool moves(MlirOperation op) {
  static const char *const NAMES[] = {"vector.broadcast",
                                      "vector.extract",
                                      "vector.extract_strided_slice",
                                      "vector.from_elements",
                                      "vector.insert",
                                      "vector.insert_strided_slice",
                                      "vector.interleave",
                                      "vector.shape_cast",
                                      "vector.shuffle",
                                      "vector.transpose",
                                      NULL};
  return tune_ir_is_one_of(op, NAMES);
}

static bool list_extension(wide_memory *self, MlirOperation op, const char *name) {
  MlirType wide = tune_ir_element_type(mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (self->extension && (name != self->extension || !mlirTypeEqual(wide, self->wide)))
    return false;
  self->extension = name;
  self->wide = wide;
  list(self, &self->extensions, op);
  return true;
}

// Lists what becomes of `value`, a part of what is read. False where some of it stays narrow.
static bool follow(wide_memory *self, MlirValue value) {
  if (is_moved(self, value))
    return true;
  mark_moved(self, value);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use) && !self->failed;
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const char *extension = extension_of(user);
    if (extension) {
      if (!list_extension(self, user, extension))
        return false;
      continue;
    }
    if (!moves(user))
      return false;
    MlirValue result = mlirOperationGetResult(user, 0);
    if (!is_moved(self, result))
      list(self, &self->moves, user);
    if (!follow(self, result))
      return false;
  }
  return true;
}

//===--------------------------------------------------------------------------===//
// What is done to the memory
//===--------------------------------------------------------------------------===//

static bool list_uses(wide_memory *self, MlirValue memory);

static bool list_load(wide_memory *self, MlirOperation op) {
  static const char *const NAMES[] = {"memref.load", "vector.load", "vector.maskedload",
                                      "vector.transfer_read", NULL};
  if (!tune_ir_is_one_of(op, NAMES))
    return false;
  MlirValue result = mlirOperationGetResult(op, 0);
  list(self, &self->loads, op);
  self->reads += times_of(op) * elements_of(mlirValueGetType(result));
  return follow(self, result);
}

static bool list_store(wide_memory *self, MlirOperation op, intptr_t number) {
  static const char *const STORES[] = {"memref.store", "vector.store", "vector.transfer_write",
                                       NULL},
                           *const COPIES[] = {"linalg.copy", "memref.copy", NULL};
  if (!self->is_temporary || number != 1)
    return false;
  if (tune_ir_is_one_of(op, STORES)) {
    list(self, &self->stores, op);
    return true;
  }
  if (tune_ir_is(op, "linalg.fill")) {
    list(self, &self->fills, op);
    return true;
  }
  if (!tune_ir_is_one_of(op, COPIES) ||
      !tune_strided_copies_has_runs(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      !tune_strided_copies_has_runs(mlirValueGetType(mlirOperationGetOperand(op, 1))))
    return false;
  list(self, &self->copies, op);
  return true;
}

static bool list_use(wide_memory *self, MlirOperation user, intptr_t number) {
  static const char *const ANY[] = {"memref.dealloc", "memref.dim", "memref.prefetch", NULL};
  if (tune_ir_is_one_of(user, ANY))
    return true;
  if (tune_memory_access_is_view(user)) {
    list(self, &self->views, user);
    return list_uses(self, mlirOperationGetResult(user, 0));
  }
  return tune_memory_access_is_load(user) ? list_load(self, user) : list_store(self, user, number);
}

// False where something is done with `memory` that wide memory is not for.
static bool list_uses(wide_memory *self, MlirValue memory) {
  for (MlirOpOperand use = mlirValueGetFirstUse(memory); !mlirOpOperandIsNull(use) && !self->failed;
       use = mlirOpOperandGetNextUse(use))
    if (!list_use(self, mlirOpOperandGetOwner(use), (intptr_t)mlirOpOperandGetOperandNumber(use)))
      return false;
  return true;
}

static bool is_worth_it(const wide_memory *self) {
  double elements = elements_of(mlirValueGetType(self->memory));
  double enough = self->is_temporary                       ? ENOUGH_READS_OF_TEMPORARY
                  : elements >= ELEMENTS_OF_LARGE_ARGUMENT ? ENOUGH_READS_OF_LARGE_ARGUMENT
                                                           : ENOUGH_READS_OF_ARGUMENT;
  if (self->is_temporary)
    elements *= times_of(tune_ir_definition(self->memory));
  return self->extension && self->reads >= enough * elements;
}

//===--------------------------------------------------------------------------===//
// Types
//===--------------------------------------------------------------------------===//

static void give_wide_type(const wide_memory *self, MlirValue value) {
  mlirValueSetType(value, tune_ir_with_element(mlirValueGetType(value), self->wide));
}

static MlirValue extend(const wide_memory *self, MlirOperation place, MlirValue value) {
  tune_ir_builder builder = tune_ir_builder_before(place);
  MlirType type = tune_ir_with_element(mlirValueGetType(value), self->wide);
  if (tune_ir_is(tune_ir_definition(value), "ub.poison"))
    return tune_ir_build_value(&builder, "ub.poison", type, 0, NULL);
  return tune_ir_build_value(&builder, self->extension, type, 1, &value);
}

// Extends those operands of `op` that are of the narrow type `narrow`.
static void extend_operands(const wide_memory *self, MlirOperation op, MlirType narrow) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(operand);
    if (!mlirTypeIsAMemRef(type) && !is_moved(self, operand) &&
        mlirTypeEqual(tune_ir_element_type(type), narrow))
      mlirOperationSetOperand(op, i, extend(self, op, operand));
  }
}

static void widen_fill(const wide_memory *self, MlirOperation fill) {
  tune_ir_builder builder = tune_ir_builder_before(fill);
  tune_ir_build_fill(&builder, extend(self, fill, mlirOperationGetOperand(fill, 0)),
                     mlirOperationGetOperand(fill, 1));
  mlirOperationDestroy(fill);
}

// Contiguous memory as one run.
static MlirValue flatten(const tune_ir_builder *builder, MlirValue memory) {
  MlirType type = mlirValueGetType(memory);
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (rank == 1)
    return memory;
  MlirAttribute dimensions[TUNE_IR_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    dimensions[i] = mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 64), i);
  MlirAttribute all = mlirArrayAttrGet(builder->context, rank, dimensions);
  MlirNamedAttribute groups =
      tune_ir_named(builder->context, "reassociation", mlirArrayAttrGet(builder->context, 1, &all));
  int64_t size = (int64_t)elements_of(type);
  MlirType flat = mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 1, &size,
                                              mlirMemRefTypeGetMemorySpace(type));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "memref.collapse_shape",
                                                        .operand_count = 1,
                                                        .operands = &memory,
                                                        .type_count = 1,
                                                        .types = &flat,
                                                        .attribute_count = 1,
                                                        .attributes = &groups});
}

// Has all uses of the argument be of a copy of it that is wide.
static void copy_argument(const wide_memory *self, bool has_threads) {
  MlirOperation first = mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(self->memory));
  tune_ir_builder builder = tune_ir_builder_before(first);
  MlirValue copy = tune_ir_build_buffer_like(&builder, self->memory, self->wide);
  mlirOperationSetAttributeByName(
      tune_ir_definition(copy), tune_ir_string("alignment"),
      mlirIntegerAttrGet(mlirIntegerTypeGet(builder.context, 64), ALIGNMENT));
  mlirValueReplaceAllUsesOfWith(self->memory, copy);
  MlirOperation loop = tune_strided_copies_widen(first, flatten(&builder, self->memory),
                                                 flatten(&builder, copy), self->extension);
  if (has_threads && !mlirOperationIsNull(loop) &&
      elements_of(mlirValueGetType(copy)) >= MUCH_FOR_THREADS)
    mlirOperationSetDiscardableAttributeByName(loop, tune_ir_string(TUNE_THREADS_ATTRIBUTE),
                                               mlirUnitAttrGet(builder.context));
}

static void widen(wide_memory *self, bool has_threads) {
  MlirType narrow = tune_ir_element_type(mlirValueGetType(self->memory));
  if (self->is_temporary)
    give_wide_type(self, self->memory);
  else
    copy_argument(self, has_threads);
  for (size_t i = 0; i < self->views.count; ++i)
    give_wide_type(self, mlirOperationGetResult(self->views.ops[i], 0));
  const tune_op_list *const lists[] = {&self->loads, &self->moves, &self->stores};
  for (size_t l = 0; l < 3; ++l)
    for (size_t i = 0; i < lists[l]->count; ++i)
      extend_operands(self, lists[l]->ops[i], narrow);
  for (size_t l = 0; l < 2; ++l)
    for (size_t i = 0; i < lists[l]->count; ++i)
      give_wide_type(self, mlirOperationGetResult(lists[l]->ops[i], 0));
  for (size_t i = 0; i < self->copies.count; ++i) {
    MlirOperation copy = self->copies.ops[i];
    tune_strided_copies_widen(copy, mlirOperationGetOperand(copy, 0),
                              mlirOperationGetOperand(copy, 1), self->extension);
    mlirOperationDestroy(copy);
  }
  for (size_t i = 0; i < self->fills.count; ++i)
    widen_fill(self, self->fills.ops[i]);
  for (size_t i = 0; i < self->extensions.count; ++i) {
    MlirOperation extension = self->extensions.ops[i];
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(extension, 0),
                                  mlirOperationGetOperand(extension, 0));
    mlirOperationDestroy(extension);
  }
}

//===--------------------------------------------------------------------------===//
// Functions
//===--------------------------------------------------------------------------===//

static bool may_be_wide(MlirType type) {
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type) ||
      mlirShapedTypeGetRank(type) == 0 || mlirShapedTypeGetRank(type) > TUNE_IR_MAX_RANK ||
      elements_of(type) < 1)
    return false;
  MlirType element = mlirShapedTypeGetElementType(type);
  return tune_ir_is_short_float(element) ||
         (mlirTypeIsAInteger(element) &&
          (mlirIntegerTypeGetWidth(element) == 8 || mlirIntegerTypeGetWidth(element) == 16));
}

// Makes `memory` wide if it may be and should.
static bool try_memory(MlirValue memory, bool has_threads) {
  if (!may_be_wide(mlirValueGetType(memory)))
    return true;
  wide_memory self = {.memory = memory, .is_temporary = mlirValueIsAOpResult(memory)};
  if (!self.is_temporary &&
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(mlirValueGetType(memory))))
    return true;
  tune_op_map_init(&self.moved);
  if (list_uses(&self, memory) && !self.failed && is_worth_it(&self))
    widen(&self, has_threads);
  tune_op_list *const lists[] = {&self.views,  &self.loads,  &self.moves, &self.extensions,
                                 &self.stores, &self.copies, &self.fills};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    tune_op_list_deinit(lists[i]);
  tune_op_map_deinit(&self.moved);
  return !self.failed;
}

static MlirWalkResult list_temporary(MlirOperation op, void *user_data) {
  static const char *const NAMES[] = {"memref.alloc", "memref.alloca", NULL};
  return !tune_ir_is_one_of(op, NAMES) || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                                          : MlirWalkResultInterrupt;
}

static bool run_on_function(MlirOperation function, bool has_threads) {
  MlirRegion body = mlirOperationGetRegion(function, 0);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  if (mlirBlockIsNull(block))
    return true;
  tune_op_list temporaries = {0};
  mlirOperationWalk(function, list_temporary, &temporaries, MlirWalkPreOrder);
  bool is_done = !temporaries.failed;
  for (size_t i = 0; i < temporaries.count && is_done; ++i)
    is_done = try_memory(mlirOperationGetResult(temporaries.ops[i], 0), has_threads);
  tune_op_list_deinit(&temporaries);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block) && is_done; ++i)
    is_done = try_memory(mlirBlockGetArgument(block, i), has_threads);
  return is_done;
}

tune_status tune_wide_operands_run(MlirOperation module, bool has_threads) {
  bool is_done = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op) && is_done; op = mlirOperationGetNextInBlock(op)) {
    if (!tune_ir_take_flag(op, TUNE_WIDE_OPERANDS_ATTRIBUTE))
      continue;
    tune_ir_load_dialects(mlirOperationGetContext(module),
                          (const char *const[]){"arith", "linalg", "memref", "ub", "vector", NULL});
    // What multiplies f16 or bf16 as they are does so in f32, too: then it says so.
    TUNE_RETURN_IF_ERROR(tune_float_promotion_run(op));
    is_done = run_on_function(op, has_threads && !tune_parallel_loops_have_calls(op));
  }
  return is_done ? TUNE_OK : tune_status_out_of_memory("widening operands");
}
