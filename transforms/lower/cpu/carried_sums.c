//===- carried_sums.c - Sums on the stack become what a loop carries -----------------------===//

#include "transforms/lower/cpu/carried_sums.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include <stdlib.h>

#define MOST_SUMS 64 // of one buffer: more than registers that any CPU has
#define MOST_RANK 4

// A vector in the buffer, as the loop reads and writes it.
typedef struct sum {
  int64_t place[MOST_RANK];
  MlirType type;
  bool is_written;
  MlirValue value; // as the walk through the new body finds it
} sum;

typedef struct buffer {
  MlirValue memory;
  MlirOperation loop;
  intptr_t rank;
  sum sums[MOST_SUMS];
  size_t count;
} buffer;

//===--- The buffer in the loop ------------------------------------------------------------===//

// The operand of a vector.load or vector.store that is the memory, which the places follow.
static intptr_t memory_operand(MlirOperation op) { return tune_ir_is(op, "vector.store") ? 1 : 0; }

static MlirType accessed_type(MlirOperation op) {
  return mlirValueGetType(tune_ir_is(op, "vector.store") ? mlirOperationGetOperand(op, 0)
                                                         : mlirOperationGetResult(op, 0));
}

static bool is_access(MlirOperation op, MlirValue memory) {
  return (tune_ir_is(op, "vector.load") || tune_ir_is(op, "vector.store")) &&
         mlirValueEqual(mlirOperationGetOperand(op, memory_operand(op)), memory);
}

// Of one dimension, and within the buffer: rows that run into each other are not apart, and what
// the loop does not do where it has no steps is to do no harm.
static bool read_sum(MlirOperation op, const buffer *b, sum *out) {
  *out = (sum){.type = accessed_type(op), .is_written = tune_ir_is(op, "vector.store")};
  if (!mlirTypeIsAVector(out->type) || mlirShapedTypeGetRank(out->type) != 1 ||
      mlirVectorTypeIsScalable(out->type))
    return false;
  MlirType memory = mlirValueGetType(b->memory);
  for (intptr_t i = 0; i < b->rank; ++i) {
    int64_t size = i + 1 < b->rank ? 1 : mlirShapedTypeGetDimSize(out->type, 0);
    if (!tune_ir_is_constant_index(mlirOperationGetOperand(op, memory_operand(op) + 1 + i),
                                   &out->place[i]) ||
        out->place[i] < 0 || out->place[i] + size > mlirShapedTypeGetDimSize(memory, i))
      return false;
  }
  return true;
}

static bool is_same(const sum *a, const sum *b, intptr_t rank) {
  for (intptr_t i = 0; i < rank; ++i)
    if (a->place[i] != b->place[i])
      return false;
  return mlirTypeEqual(a->type, b->type);
}

static bool is_apart(const sum *a, const sum *b, intptr_t rank) {
  for (intptr_t i = 0; i + 1 < rank; ++i)
    if (a->place[i] != b->place[i])
      return true;
  int64_t from = a->place[rank - 1], to = b->place[rank - 1];
  return from + mlirShapedTypeGetDimSize(a->type, 0) <= to ||
         to + mlirShapedTypeGetDimSize(b->type, 0) <= from;
}

// Finds the sum that is accessed; NULL: it is none of those there are. False where it overlaps with
// one in part.
static bool find_sum(buffer *b, const sum *accessed, sum **out) {
  *out = NULL;
  for (size_t i = 0; i < b->count; ++i)
    if (is_same(&b->sums[i], accessed, b->rank))
      *out = &b->sums[i];
    else if (!is_apart(&b->sums[i], accessed, b->rank))
      return false;
  return true;
}

// Notes an access of the loop's body. What is written before it is read is no sum.
static bool add_access(buffer *b, MlirOperation op) {
  sum accessed, *known;
  if (!read_sum(op, b, &accessed) || !find_sum(b, &accessed, &known))
    return false;
  if (known) {
    known->is_written |= accessed.is_written;
    return true;
  }
  if (accessed.is_written || b->count == MOST_SUMS)
    return false;
  b->sums[b->count++] = accessed;
  return true;
}

// What is only read is not carried.
static void drop_unwritten(buffer *b) {
  size_t count = 0;
  for (size_t i = 0; i < b->count; ++i)
    if (b->sums[i].is_written)
      b->sums[count++] = b->sums[i];
  b->count = count;
}

// Whether `op` does something with the memory that it takes, and does not hand it on: to what its
// results are, to other blocks or regions, or as a number.
static bool keeps(MlirOperation op) {
  static const char *const NAMES[] = {"memref.load", "memref.store",   "memref.copy",
                                      "memref.dim",  "memref.dealloc", "memref.prefetch",
                                      NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, i))))
      return false;
  bool is_of_vectors = tune_ir_string_starts(tune_ir_name(op), "vector.") &&
                       mlirOperationGetNumRegions(op) == 0 && !tune_ir_is(op, "vector.yield");
  bool is_linalg =
      tune_ir_string_starts(tune_ir_name(op), "linalg.") && !tune_ir_is(op, "linalg.yield");
  return is_of_vectors || is_linalg || tune_ir_is_one_of(op, NAMES);
}

// Whether the memory is seen under no other name, and in the loop by its own body alone.
static bool is_plainly_used(const buffer *b) {
  for (MlirOpOperand use = mlirValueGetFirstUse(b->memory); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool is_in_body = mlirBlockEqual(mlirOperationGetBlock(user), tune_ir_body(b->loop));
    if (!keeps(user))
      return false;
    if (tune_ir_is_inside(user, b->loop) && !(is_in_body && is_access(user, b->memory)))
      return false;
  }
  return true;
}

static bool read_buffer(buffer *b) {
  MlirType type = mlirValueGetType(b->memory), element = mlirShapedTypeGetElementType(type);
  b->rank = mlirShapedTypeGetRank(type);
  if (!mlirShapedTypeHasStaticShape(type) || b->rank < 1 || b->rank > MOST_RANK ||
      tune_ir_is_short_float(element) || mlirTypeIsAVector(element) || !is_plainly_used(b))
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(b->loop));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_access(op, b->memory) && !add_access(b, op))
      return false;
  drop_unwritten(b);
  return b->count > 0;
}

//===--- The loop anew -----------------------------------------------------------------------===//

// Appends the memory and the place of `s` to `operands`; how many these are then.
static intptr_t add_place(const tune_ir_builder *builder, const buffer *b, const sum *s,
                          MlirValue *operands, intptr_t count) {
  operands[count++] = b->memory;
  for (intptr_t i = 0; i < b->rank; ++i)
    operands[count++] = tune_ir_build_index(builder, s->place[i]);
  return count;
}

static MlirValue build_load(const tune_ir_builder *builder, const buffer *b, const sum *s) {
  MlirValue operands[MOST_RANK + 1];
  intptr_t count = add_place(builder, b, s, operands, 0);
  return tune_ir_build_value(builder, "vector.load", s->type, count, operands);
}

static void build_store(const tune_ir_builder *builder, const buffer *b, const sum *s,
                        MlirValue value) {
  MlirValue operands[MOST_RANK + 2] = {value};
  intptr_t count = add_place(builder, b, s, operands, 1);
  tune_ir_build(builder, &(tune_ir_parts){
                             .name = "vector.store", .operand_count = count, .operands = operands});
}

// Takes what is read and written in the body from what is carried.
static void carry_accesses(buffer *b) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(b->loop));
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    sum accessed, *carried;
    if (!is_access(op, b->memory) || !read_sum(op, b, &accessed) ||
        !find_sum(b, &accessed, &carried) || !carried)
      continue;
    if (accessed.is_written)
      carried->value = mlirOperationGetOperand(op, 0);
    else
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), carried->value);
    mlirOperationDestroy(op);
  }
}

static tune_status carry(buffer *b) {
  MlirValue values[MOST_SUMS];
  intptr_t count = (intptr_t)b->count, others = mlirOperationGetNumResults(b->loop);
  tune_ir_builder builder = tune_ir_builder_before(b->loop);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = build_load(&builder, b, &b->sums[i]);
  b->loop = tune_ir_carry_more(b->loop, count, values);
  for (intptr_t i = 0; i < count; ++i)
    b->sums[i].value = mlirBlockGetArgument(tune_ir_body(b->loop), 1 + others + i);
  carry_accesses(b);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = b->sums[i].value;
  TUNE_RETURN_IF_ERROR(
      tune_ir_append_operands(mlirBlockGetTerminator(tune_ir_body(b->loop)), count, values));
  builder.before = mlirOperationGetNextInBlock(b->loop);
  for (intptr_t i = 0; i < count; ++i)
    build_store(&builder, b, &b->sums[i], mlirOperationGetResult(b->loop, others + i));
  return TUNE_OK;
}

//===--- All of them -----------------------------------------------------------------------===//

static MlirWalkResult list_loop(MlirOperation op, void *user_data) {
  return !tune_ir_is(op, "scf.for") || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                                       : MlirWalkResultInterrupt;
}

// Lists the buffers of the stack that the body of `loop` reads vectors of.
static bool list_buffers(MlirOperation loop, tune_op_list *allocations) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirOperation of = tune_ir_is(op, "vector.load")
                           ? tune_ir_definition(mlirOperationGetOperand(op, 0))
                           : (MlirOperation){NULL};
    if (tune_ir_is(of, "memref.alloca") && !tune_ir_is_inside(of, loop) &&
        !tune_op_list_add_once(allocations, of) && allocations->failed)
      return false;
  }
  return true;
}

static tune_status run_on_loop(MlirOperation loop, buffer *b) {
  tune_op_list allocations = {0};
  tune_status status =
      list_buffers(loop, &allocations) ? TUNE_OK : tune_status_out_of_memory("carrying sums");
  for (size_t i = 0; i < allocations.count && tune_status_is_ok(status); ++i) {
    *b = (buffer){.memory = mlirOperationGetResult(allocations.ops[i], 0), .loop = loop};
    if (read_buffer(b)) {
      status = carry(b);
      loop = b->loop;
    }
  }
  tune_op_list_deinit(&allocations);
  return status;
}

tune_status tune_carried_sums_run(MlirOperation root) {
  tune_op_list loops = {0};
  buffer *b = malloc(sizeof *b);
  mlirOperationWalk(root, list_loop, &loops, MlirWalkPostOrder);
  tune_status status = loops.failed || !b ? tune_status_out_of_memory("carrying sums") : TUNE_OK;
  if (loops.count)
    tune_ir_load_dialects(mlirOperationGetContext(root),
                          (const char *const[]){"arith", "scf", "vector", NULL});
  for (size_t i = 0; i < loops.count && tune_status_is_ok(status); ++i)
    status = run_on_loop(loops.ops[i], b);
  free(b);
  tune_op_list_deinit(&loops);
  return status;
}
