//===- openmp_noalias.c -------------------------------------------------------------===//
//
// What the translation leaves, in which memory is a descriptor with its address at index 1:
//
//   caller                                   outlined
//     %kept = alloca {descriptor}
//     store {descriptor} %memory, %kept
//     store ptr %kept, %struct.i               %kept = load ptr, %struct.i
//     call @__kmpc_fork_call(…, %struct)       %memory = load {descriptor}, %kept
//                                              %base = extractvalue %memory, 1
//
//===--------------------------------------------------------------------------===//

#include "transforms/lower/cpu/backend/openmp_noalias.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "llvm-c/Core.h"

// Operands of @__kmpc_fork_call that are of interest; its own number follows its arguments.
enum { OUTLINED = 2, STRUCT = 3 };
#define MOST_OBJECTS 64 // that a function is told apart

typedef struct outlined {
  LLVMValueRef function, structure; // `structure` is the caller's
  LLVMValueRef objects[MOST_OBJECTS];
  LLVMMetadataRef scopes[MOST_OBJECTS];
  size_t count;
  LLVMContextRef context;
  unsigned scope_kind, noalias_kind;
} outlined;

//===--------------------------------------------------------------------------===//
// Where memory comes from
//===--------------------------------------------------------------------------===//

// Which field of `structure` the address `address` is; -1 if none.
static long long field_of(LLVMValueRef address, LLVMValueRef structure) {
  if (address == structure)
    return 0;
  if (!LLVMIsAGetElementPtrInst(address) || LLVMGetOperand(address, 0) != structure ||
      LLVMGetNumOperands(address) != 3 || !LLVMIsAConstantInt(LLVMGetOperand(address, 2)))
    return -1;
  return (long long)LLVMConstIntGetZExtValue(LLVMGetOperand(address, 2));
}

// The value that is stored to `address`, the only one; NULL where that is not so.
static LLVMValueRef only_stored(LLVMValueRef address) {
  LLVMValueRef found = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != address)
      continue;
    if (found)
      return NULL;
    found = LLVMGetOperand(user, 0);
  }
  return found;
}

// What the caller has put into field `field` of the struct.
static LLVMValueRef stored_in_field(LLVMValueRef structure, long long field) {
  LLVMValueRef found = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(structure); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef address = LLVMGetUser(use);
    if (!LLVMIsAGetElementPtrInst(address) || field_of(address, structure) != field)
      continue;
    LLVMValueRef value = only_stored(address);
    if (!value || found)
      return NULL;
    found = value;
  }
  return found;
}

// Element `index` of `aggregate`, which insertvalues have made.
static LLVMValueRef element_of(LLVMValueRef aggregate, unsigned index) {
  while (aggregate && LLVMIsAInsertValueInst(aggregate)) {
    if (LLVMGetNumIndices(aggregate) == 1 && LLVMGetIndices(aggregate)[0] == index)
      return LLVMGetOperand(aggregate, 1);
    aggregate = LLVMGetOperand(aggregate, 0);
  }
  return NULL;
}

static bool has_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  return LLVMGetEnumAttributeAtIndex(function, index, kind) != NULL;
}

// An argument that overlaps with nothing, or what an allocation gives.
static bool is_object(LLVMValueRef value) {
  if (LLVMIsAArgument(value)) {
    LLVMValueRef function = LLVMGetParamParent(value);
    unsigned index = 0;
    while (LLVMGetParam(function, index) != value)
      ++index;
    return has_attribute(function, index + 1, "noalias");
  }
  LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
  return callee && LLVMIsAFunction(callee) &&
         has_attribute(callee, LLVMAttributeReturnIndex, "noalias");
}

// The object of the caller that `address`, of the outlined function, is in; NULL if that is not
// known.
static LLVMValueRef find_object(const outlined *self, LLVMValueRef address) {
  while (LLVMIsAGetElementPtrInst(address))
    address = LLVMGetOperand(address, 0);
  if (!LLVMIsAExtractValueInst(address) || LLVMGetNumIndices(address) != 1)
    return NULL;
  unsigned index = LLVMGetIndices(address)[0];
  LLVMValueRef memory = LLVMGetOperand(address, 0);
  LLVMValueRef kept = LLVMIsALoadInst(memory) ? LLVMGetOperand(memory, 0) : NULL;
  if (!kept || !LLVMIsALoadInst(kept))
    return NULL;
  long long field = field_of(LLVMGetOperand(kept, 0), LLVMGetParam(self->function, 2));
  LLVMValueRef place = field < 0 ? NULL : stored_in_field(self->structure, field);
  LLVMValueRef stored = place && LLVMIsAAllocaInst(place) ? only_stored(place) : NULL;
  LLVMValueRef object = stored ? element_of(stored, index) : NULL;
  return object && is_object(object) ? object : NULL;
}

//===--------------------------------------------------------------------------===//
// Loads and stores
//===--------------------------------------------------------------------------===//

// The address that `instruction` reads or writes; NULL for those of none, or of several.
static LLVMValueRef find_address(LLVMValueRef instruction) {
  if (LLVMIsALoadInst(instruction))
    return LLVMGetOperand(instruction, 0);
  if (LLVMIsAStoreInst(instruction))
    return LLVMGetOperand(instruction, 1);
  LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
  size_t length;
  if (!callee || !LLVMIsAFunction(callee))
    return NULL;
  const char *name = LLVMGetValueName2(callee, &length);
  if (strncmp(name, "llvm.masked.load.", strlen("llvm.masked.load.")) == 0)
    return LLVMGetOperand(instruction, 0);
  if (strncmp(name, "llvm.masked.store.", strlen("llvm.masked.store.")) == 0)
    return LLVMGetOperand(instruction, 1);
  return NULL;
}

typedef void (*instruction_visitor)(outlined *self, LLVMValueRef instruction, LLVMValueRef object);

static void visit_instructions(outlined *self, instruction_visitor visit) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self->function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef instruction = LLVMGetFirstInstruction(block); instruction;
         instruction = LLVMGetNextInstruction(instruction)) {
      LLVMValueRef address = find_address(instruction);
      LLVMValueRef object = address ? find_object(self, address) : NULL;
      if (object)
        visit(self, instruction, object);
    }
}

static size_t number_of(const outlined *self, LLVMValueRef object) {
  size_t number = 0;
  while (number < self->count && self->objects[number] != object)
    ++number;
  return number;
}

static void add_object(outlined *self, LLVMValueRef instruction, LLVMValueRef object) {
  (void)instruction;
  if (number_of(self, object) == self->count && self->count < MOST_OBJECTS)
    self->objects[self->count++] = object;
}

static LLVMMetadataRef make_text(const outlined *self, const char *suffix, size_t number) {
  char text[256];
  size_t length;
  const char *name = LLVMGetValueName2(self->function, &length);
  snprintf(text, sizeof text, "%.200s%s%zu", name, suffix, number);
  return LLVMMDStringInContext2(self->context, text, strlen(text));
}

// A scope is a list of its name, which tells it from others, and its domain.
static void make_scopes(outlined *self) {
  LLVMMetadataRef domain_name = make_text(self, ".memory.", 0);
  LLVMMetadataRef domain = LLVMMDNodeInContext2(self->context, &domain_name, 1);
  for (size_t i = 0; i < self->count; ++i) {
    LLVMMetadataRef parts[] = {make_text(self, ".memory.", i + 1), domain};
    self->scopes[i] = LLVMMDNodeInContext2(self->context, parts, 2);
  }
}

static void set_list(const outlined *self, LLVMValueRef instruction, unsigned kind,
                     LLVMMetadataRef *list, size_t count) {
  LLVMMetadataRef node = LLVMMDNodeInContext2(self->context, list, count);
  LLVMSetMetadata(instruction, kind, LLVMMetadataAsValue(self->context, node));
}

static void put_scope(outlined *self, LLVMValueRef instruction, LLVMValueRef object) {
  size_t number = number_of(self, object), count = 0;
  LLVMMetadataRef others[MOST_OBJECTS];
  if (number == self->count)
    return;
  for (size_t i = 0; i < self->count; ++i)
    if (i != number)
      others[count++] = self->scopes[i];
  set_list(self, instruction, self->scope_kind, &self->scopes[number], 1);
  set_list(self, instruction, self->noalias_kind, others, count);
}

//===--------------------------------------------------------------------------===//
// Functions
//===--------------------------------------------------------------------------===//

static void declare_in_outlined(LLVMValueRef call) {
  LLVMContextRef context = LLVMGetModuleContext(
      LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))));
  outlined self = {.context = context,
                   .scope_kind = LLVMGetMDKindIDInContext(context, "alias.scope", 11),
                   .noalias_kind = LLVMGetMDKindIDInContext(context, "noalias", 7)};
  if (LLVMGetNumOperands(call) < STRUCT + 2)
    return; // it takes nothing along
  self.function = LLVMGetOperand(call, OUTLINED);
  self.structure = LLVMGetOperand(call, STRUCT);
  if (!LLVMIsAFunction(self.function) || LLVMCountParams(self.function) != 3 ||
      !LLVMIsAAllocaInst(self.structure))
    return;
  visit_instructions(&self, add_object);
  if (self.count < 2)
    return;
  make_scopes(&self);
  visit_instructions(&self, put_scope);
}

void tune_openmp_noalias_declare(LLVMModuleRef module) {
  LLVMValueRef fork = LLVMGetNamedFunction(module, "__kmpc_fork_call");
  for (LLVMUseRef use = fork ? LLVMGetFirstUse(fork) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == fork)
      declare_in_outlined(call);
  }
}
