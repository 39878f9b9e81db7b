//===- constant_dependence.c ----------------------------------------------------------------===//

#include "transforms/lower/common/constant_dependence.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/common/parallel_loops.h"

#include <stdlib.h>

// Of ops between a value and what it is made of: beyond, it is not told.
#define MOST_STEPS 2000

// Memory that is there at the top level of the function.
typedef struct memory {
  MlirValue value;
  bool is_fixed;      // a constant, of the code or an argument
  bool is_taken;      // by an allocation of the function, of a size that is known
  bool is_ahead;      // filled by what is ahead, and only read by the rest
  bool is_of_weights; // filled from a constant argument
} memory;

// An outermost op that may read or write memory.
typedef struct statement {
  MlirOperation op;
  unsigned char *access; // to each memory
  bool has_loaded;       // what it uses was loaded from constants
  bool is_ahead;
} statement;

// What was found out about values: a vector is made of many elements, and each of these of others,
// by more ways than can be gone.
typedef struct derivation {
  tune_constant_dependence_constants constants;
  tune_op_map known; // a `derived` for each value
} derivation;

typedef enum derived { NOT_DERIVED, DERIVED, DERIVED_OF_LOADS } derived;

typedef struct finder {
  MlirBlock block;
  memory *memories;
  size_t memory_count;
  tune_op_map memory_of; // values
  derivation derivation;
  statement *statements;
  size_t statement_count;
} finder;

//===--------------------------------------------------------------------------===//
// Values
//===--------------------------------------------------------------------------===//

static bool is_allocation(MlirOperation op) {
  return tune_ir_is(op, "memref.alloc") || tune_ir_is(op, "memref.alloca");
}

static bool has_memory(MlirOperation op) {
  bool has = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    has |= mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    has |= mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, i)));
  return has;
}

// Without memory but for its sizes, regions or effects.
static bool is_arithmetic(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  if (mlirOperationGetNumRegions(op) != 0)
    return false;
  if (tune_ir_string_equal(name, "memref.dim"))
    return true;
  return !has_memory(op) && !tune_ir_string_equal(name, "vector.print") &&
         (tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "vector.") ||
          tune_ir_string_equal(name, "affine.apply") || tune_ir_string_equal(name, "affine.min") ||
          tune_ir_string_equal(name, "affine.max") || tune_ir_string_equal(name, "ub.poison"));
}

static bool is_argument(MlirValue value, const bool *constant) {
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  return tune_ir_is(mlirBlockGetParentOperation(block), "func.func") &&
         constant[mlirBlockArgumentGetArgNumber(value)];
}

// Whether `op` gets a global that nobody writes.
static bool gets_constant(MlirOperation op) {
  if (!tune_ir_is(op, "memref.get_global"))
    return false;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(tune_ir_attribute(op, "name"));
  MlirOperation module = op;
  while (!mlirOperationIsNull(module) && !tune_ir_is(module, "builtin.module"))
    module = mlirOperationGetParentOperation(module);
  MlirOperation global = mlirOperationIsNull(module) ? module : tune_ir_find_symbol(module, name);
  return !mlirOperationIsNull(global) &&
         !mlirAttributeIsNull(tune_ir_attribute(global, "constant"));
}

bool tune_constant_dependence_is_constant(MlirValue value,
                                          tune_constant_dependence_constants constants) {
  value = tune_memory_access_look_through_views(value);
  if (!mlirTypeIsAMemRef(mlirValueGetType(value)))
    return false;
  return mlirValueIsABlockArgument(value) ? is_argument(value, constants.arguments)
                                          : gets_constant(mlirOpResultGetOwner(value));
}

static derived look_at_value(derivation *d, MlirValue value, unsigned steps);

static derived look_at_definition(derivation *d, MlirOperation op, unsigned steps) {
  if (is_allocation(op))
    return mlirOperationGetNumOperands(op) == 0 ? DERIVED : NOT_DERIVED;
  if (tune_memory_access_is_call_ahead(op) || gets_constant(op))
    return DERIVED;
  // Memory of ours is not yet filled at just any place.
  bool is_load = tune_memory_access_is_load(op);
  if (is_load &&
      !tune_constant_dependence_is_constant(mlirOperationGetOperand(op, 0), d->constants))
    return NOT_DERIVED;
  if (!is_load && !tune_memory_access_is_view(op) && !is_arithmetic(op))
    return NOT_DERIVED;
  // A single number is no weight.
  bool is_of_weights =
      is_load && tune_ir_element_count(mlirValueGetType(mlirOperationGetOperand(op, 0))) != 1;
  derived all = is_of_weights ? DERIVED_OF_LOADS : DERIVED;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    derived operand = look_at_value(d, mlirOperationGetOperand(op, i), steps + 1);
    if (operand == NOT_DERIVED)
      return NOT_DERIVED;
    all = operand > all ? operand : all;
  }
  return all;
}

static derived look_at_value(derivation *d, MlirValue value, unsigned steps) {
  if (mlirValueIsABlockArgument(value))
    return tune_constant_dependence_is_constant(value, d->constants) ? DERIVED : NOT_DERIVED;
  size_t known = tune_op_map_get(&d->known, value.ptr);
  if (known != TUNE_OP_MAP_NONE)
    return (derived)known;
  if (steps > MOST_STEPS)
    return NOT_DERIVED;
  derived is = look_at_definition(d, mlirOpResultGetOwner(value), steps);
  tune_status status = tune_op_map_set(&d->known, value.ptr, is);
  if (!tune_status_is_ok(status))
    is = NOT_DERIVED; // without memory it is not told
  tune_status_free(status);
  return is;
}

bool tune_constant_dependence_is_derived(MlirValue value,
                                         tune_constant_dependence_constants constants) {
  derivation d = {.constants = constants};
  tune_op_map_init(&d.known);
  derived is = look_at_value(&d, value, 0);
  tune_op_map_deinit(&d.known);
  return is != NOT_DERIVED;
}

//===--------------------------------------------------------------------------===//
// What is read and written
//===--------------------------------------------------------------------------===//

// Whether what `op` does besides its results cannot be told, calls apart.
static bool has_unknown_effects(MlirOperation op) {
  return tune_ir_string_starts(tune_ir_name(op), "llvm.") || tune_ir_is(op, "vector.print") ||
         tune_ir_is(op, "cf.assert") || (tune_ir_is(op, "memref.get_global") && !gets_constant(op));
}

// Whether `op` calls a function that is not called ahead.
static bool is_open_call(MlirOperation op) {
  return tune_ir_string_starts(tune_ir_name(op), "func.call") &&
         !tune_memory_access_is_call_ahead(op);
}

// The function of this module that `op` calls for what it does to memory alone, or a null one.
static MlirOperation find_callee(MlirOperation op) {
  return tune_ir_is(op, "func.call") && mlirOperationGetNumResults(op) == 0
             ? tune_ir_called_function(op)
             : (MlirOperation){NULL};
}

// Whether what `op` itself does can be told, and be done ahead.
static bool is_told(const finder *self, MlirOperation op) {
  return !has_unknown_effects(op) &&
         !(self->derivation.constants.parallel_stays && tune_parallel_loops_is_parallel(op));
}

typedef struct body_look {
  const finder *self;
  bool is_told;
} body_look;

static MlirWalkResult look_at_body(MlirOperation op, void *user_data) {
  body_look *state = user_data;
  state->is_told = is_told(state->self, op) && !is_open_call(op);
  return state->is_told ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Whether all that the function which `op` calls does is to read and write what it is handed: a
// task of the module mostly.
static bool is_told_call(const finder *self, MlirOperation op) {
  MlirOperation callee = find_callee(op);
  body_look state = {.self = self, .is_told = !mlirOperationIsNull(callee)};
  if (state.is_told)
    mlirOperationWalk(callee, look_at_body, &state, MlirWalkPreOrder);
  return state.is_told;
}

typedef struct look {
  finder *self;
  statement *at;
  bool is_movable; // everything it uses from outside can be had elsewhere
} look;

static MlirWalkResult look_at_op(MlirOperation op, void *user_data) {
  look *state = user_data;
  if (!is_told(state->self, op) || (is_open_call(op) && !is_told_call(state->self, op)))
    state->is_movable = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirBlock block = mlirValueIsABlockArgument(value)
                          ? mlirBlockArgumentGetOwner(value)
                          : mlirOperationGetBlock(mlirOpResultGetOwner(value));
    bool is_outside = mlirBlockEqual(block, state->self->block);
    derived is = is_outside ? look_at_value(&state->self->derivation, value, 0) : DERIVED;
    state->is_movable &= is != NOT_DERIVED;
    state->at->has_loaded |= is == DERIVED_OF_LOADS;
    if (!mlirTypeIsAMemRef(mlirValueGetType(value)))
      continue;
    MlirValue base = tune_memory_access_look_through_views(value);
    size_t index = tune_op_map_get(&state->self->memory_of, base.ptr);
    if (index != TUNE_OP_MAP_NONE)
      state->at->access[index] |= (unsigned char)tune_memory_access_through_call(op, i);
    else if (!mlirValueIsAOpResult(base) || !is_allocation(mlirOpResultGetOwner(base)))
      state->is_movable = false; // a loop carries it: who knows which
  }
  return MlirWalkResultAdvance;
}

static tune_status add_statement(finder *self, MlirOperation op) {
  statement *added = &self->statements[self->statement_count++];
  *added = (statement){.op = op, .access = calloc(self->memory_count + 1, 1)};
  if (!added->access)
    return tune_status_out_of_memory("looking for what is constant");
  look state = {.self = self, .at = added, .is_movable = true};
  mlirOperationWalk(op, look_at_op, &state, MlirWalkPreOrder);
  bool is_call = tune_memory_access_is_call_ahead(op);
  added->is_ahead =
      state.is_movable && (is_call || (!tune_ir_is_used(op) && !tune_ir_is(op, "func.return")));
  return TUNE_OK;
}

static tune_status add_memory(finder *self, MlirValue value, bool is_taken) {
  self->memories[self->memory_count] =
      (memory){.value = value, .is_taken = is_taken, .is_ahead = is_taken};
  return tune_op_map_set(&self->memory_of, value.ptr, self->memory_count++);
}

static tune_status add_memories(finder *self) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(self->block); ++i) {
    MlirValue argument = mlirBlockGetArgument(self->block, i);
    if (mlirTypeIsAMemRef(mlirValueGetType(argument))) {
      TUNE_RETURN_IF_ERROR(add_memory(self, argument, false));
      memory *added = &self->memories[self->memory_count - 1];
      added->is_fixed = added->is_of_weights = self->derivation.constants.arguments[i];
    }
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(self->block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
      MlirValue value = mlirOperationGetResult(op, i);
      if (tune_memory_access_is_view(op) || !mlirTypeIsAMemRef(mlirValueGetType(value)))
        continue;
      TUNE_RETURN_IF_ERROR(
          add_memory(self, value, is_allocation(op) && mlirOperationGetNumOperands(op) == 0));
      memory *added = &self->memories[self->memory_count - 1];
      added->is_fixed = gets_constant(op);
      added->is_of_weights = tune_memory_access_is_call_ahead(op) || added->is_fixed;
      added->is_ahead |= tune_memory_access_is_call_ahead(op);
    }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// What is ahead
//===--------------------------------------------------------------------------===//

// Whether memory `index` is filled by ops that are ahead, before anything else looks at it.
static bool is_filled_ahead(const finder *self, size_t index) {
  bool is_written = false, is_read = false;
  for (size_t s = 0; s < self->statement_count; ++s) {
    const statement *at = &self->statements[s];
    bool writes = at->access[index] & TUNE_WRITES;
    if (writes && (!at->is_ahead || is_read))
      return false;
    is_written |= writes;
    is_read |= at->access[index] && !at->is_ahead;
  }
  return is_written;
}

// Whether all that the statement touches can be there ahead of the function.
static bool is_possible_ahead(const finder *self, const statement *at) {
  bool writes = tune_memory_access_is_call_ahead(at->op);
  for (size_t i = 0; i < self->memory_count; ++i) {
    const memory *touched = &self->memories[i];
    writes |= (at->access[i] & TUNE_WRITES) != 0;
    if (((at->access[i] & TUNE_WRITES) && !(touched->is_taken && touched->is_ahead)) ||
        (at->access[i] && !touched->is_ahead && !touched->is_fixed))
      return false;
  }
  return writes;
}

// What a statement that stays writes is not ahead.
static void drop_written(finder *self, const statement *at) {
  for (size_t i = 0; i < self->memory_count; ++i)
    if ((at->access[i] & TUNE_WRITES) && self->memories[i].is_taken)
      self->memories[i].is_ahead = false;
}

// Takes away what cannot be ahead until nothing changes.
static void narrow(finder *self) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < self->memory_count; ++i)
      if (self->memories[i].is_taken && self->memories[i].is_ahead && !is_filled_ahead(self, i)) {
        self->memories[i].is_ahead = false;
        changed = true;
      }
    // In their order, with what they write, so that a chain goes at once.
    for (size_t s = 0; s < self->statement_count; ++s)
      if (self->statements[s].is_ahead && !is_possible_ahead(self, &self->statements[s])) {
        self->statements[s].is_ahead = false;
        drop_written(self, &self->statements[s]);
        changed = true;
      }
  }
}

// Follows the weights through what is ahead.
static void spread_weights(finder *self) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t s = 0; s < self->statement_count; ++s) {
      const statement *at = &self->statements[s];
      bool reads_weights = at->is_ahead && at->has_loaded;
      for (size_t i = 0; i < self->memory_count && at->is_ahead; ++i)
        reads_weights |= (at->access[i] & TUNE_READS) && self->memories[i].is_of_weights;
      for (size_t i = 0; i < self->memory_count && reads_weights; ++i)
        if ((at->access[i] & TUNE_WRITES) && !self->memories[i].is_of_weights)
          self->memories[i].is_of_weights = changed = true;
    }
  }
}

// What is filled from nothing but constants of the code, zeroes say, costs more to hand over.
static void drop_others(finder *self) {
  for (size_t i = 0; i < self->memory_count; ++i)
    self->memories[i].is_ahead &= self->memories[i].is_of_weights;
}

static tune_status collect(const finder *self, tune_constant_dependence *out) {
  for (MlirOperation op = mlirBlockGetFirstOperation(self->block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    bool is_ahead = false;
    if (is_allocation(op)) {
      size_t index = tune_op_map_get(&self->memory_of, mlirOperationGetResult(op, 0).ptr);
      is_ahead = index != TUNE_OP_MAP_NONE && self->memories[index].is_ahead;
    }
    for (size_t s = 0; s < self->statement_count; ++s)
      is_ahead |= self->statements[s].is_ahead && mlirOperationEqual(self->statements[s].op, op);
    if (is_ahead)
      out->ops[out->op_count++] = op;
  }
  for (size_t i = 0; i < self->memory_count; ++i)
    for (size_t s = 0; s < self->statement_count && self->memories[i].is_ahead; ++s)
      if (self->statements[s].access[i] && !self->statements[s].is_ahead) {
        out->kept[out->kept_count++] = self->memories[i].value;
        break;
      }
  return TUNE_OK;
}

static tune_status find(finder *self, tune_constant_dependence *out) {
  size_t ops = 0, values = (size_t)mlirBlockGetNumArguments(self->block);
  for (MlirOperation op = mlirBlockGetFirstOperation(self->block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op), ++ops)
    values += (size_t)mlirOperationGetNumResults(op);
  self->memories = calloc(values + 1, sizeof *self->memories);
  self->statements = calloc(ops + 1, sizeof *self->statements);
  out->ops = calloc(ops + 1, sizeof *out->ops);
  out->kept = calloc(values + 1, sizeof *out->kept);
  if (!self->memories || !self->statements || !out->ops || !out->kept)
    return tune_status_out_of_memory("looking for what is constant");
  TUNE_RETURN_IF_ERROR(add_memories(self));
  for (MlirOperation op = mlirBlockGetFirstOperation(self->block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!tune_memory_access_is_view(op) && !is_allocation(op) && !is_arithmetic(op) &&
        !tune_ir_is(op, "memref.get_global"))
      TUNE_RETURN_IF_ERROR(add_statement(self, op));
  narrow(self);
  spread_weights(self);
  drop_others(self);
  narrow(self);
  return collect(self, out);
}

tune_status tune_constant_dependence_find(MlirOperation function,
                                          tune_constant_dependence_constants constants,
                                          tune_constant_dependence *out_ahead) {
  *out_ahead = (tune_constant_dependence){0};
  MlirBlock block = tune_ir_body(function);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return TUNE_OK;
  finder self = {.block = block, .derivation = {.constants = constants}};
  tune_op_map_init(&self.memory_of);
  tune_op_map_init(&self.derivation.known);
  tune_status status = find(&self, out_ahead);
  for (size_t s = 0; s < self.statement_count; ++s)
    free(self.statements[s].access);
  free(self.statements);
  free(self.memories);
  tune_op_map_deinit(&self.memory_of);
  tune_op_map_deinit(&self.derivation.known);
  if (!tune_status_is_ok(status))
    tune_constant_dependence_deinit(out_ahead);
  return status;
}

void tune_constant_dependence_deinit(tune_constant_dependence *ahead) {
  free(ahead->ops);
  free(ahead->kept);
  *ahead = (tune_constant_dependence){0};
}
