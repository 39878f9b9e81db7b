//===- ir.h - Helpers over MLIR's C API --------------------------------------===//
//
// What nearly every file that reads IR needs: names of ops, attributes by name, symbols
// of a module, printing into a text.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_IR_H
#define TUNE_TRANSFORMS_IR_IR_H

#include "support/status.h"
#include "support/string_builder.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dimensions of a buffer, vector or tensor that is made, at most.
#define TUNE_IR_MAX_RANK 16

// A function of upstream that returns the handle of a dialect: mlirGetDialectHandle__func__.
typedef MlirDialectHandle (*tune_dialect_getter)(void);

static inline MlirStringRef tune_ir_string(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static inline bool tune_ir_string_equal(MlirStringRef string, const char *text) {
  return string.length == strlen(text) && memcmp(string.data, text, string.length) == 0;
}

static inline bool tune_ir_string_starts(MlirStringRef string, const char *prefix) {
  size_t length = strlen(prefix);
  return string.length >= length && memcmp(string.data, prefix, length) == 0;
}

// The full name of the kind of `op`, "linalg.matmul"; borrowed from the context.
static inline MlirStringRef tune_ir_name(MlirOperation op) {
  return mlirIdentifierStr(mlirOperationGetName(op));
}

static inline bool tune_ir_is(MlirOperation op, const char *name) {
  return !mlirOperationIsNull(op) && tune_ir_string_equal(tune_ir_name(op), name);
}

// Whether `op` is of a kind among `names`, NULL after the last.
bool tune_ir_is_one_of(MlirOperation op, const char *const *names);

// The first block of the first region of `op`, which has one.
static inline MlirBlock tune_ir_body(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

// Whether `block` is the only one of its region.
static inline bool tune_ir_is_only_block(MlirBlock block) {
  return mlirBlockEqual(mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)), block) &&
         mlirBlockIsNull(mlirBlockGetNextInRegion(block));
}

// The op that `value` is a result of, or a null one.
static inline MlirOperation tune_ir_definition(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
}

// Whether a result of `op` has a use.
bool tune_ir_is_used(MlirOperation op);
// Whether one operand of one op is `value`.
bool tune_ir_has_one_use(MlirValue value);

// The attribute of `op` of that name, inherent or discardable, or a null one.
static inline MlirAttribute tune_ir_attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, tune_ir_string(name));
}

// Whether both ops have the same attributes, by name.
bool tune_ir_has_same_attributes(MlirOperation a, MlirOperation b);

// For an op that is made: `attribute` under that name.
static inline MlirNamedAttribute tune_ir_named(MlirContext owner, const char *name,
                                               MlirAttribute attribute) {
  return mlirNamedAttributeGet(mlirIdentifierGet(owner, tune_ir_string(name)), attribute);
}

// The text of the string attribute `name` of `op`; length 0 and data NULL where there is none.
MlirStringRef tune_ir_string_attribute(MlirOperation op, const char *name);

// The symbol `name` among the top-level ops of `module`, or a null op.
MlirOperation tune_ir_find_symbol(MlirOperation module, MlirStringRef name);

// The function with a body that `call`, a func.call, calls; a null op where there is none.
MlirOperation tune_ir_called_function(MlirOperation call);

// The function of `module` that a user means: the one named `name` (or `@name`), or where `name` is
// NULL the only one with a body, or @main. NOT_FOUND lists the functions there are;
// INVALID_ARGUMENT: it is named @"".
tune_status tune_ir_find_function(MlirOperation module, const char *name,
                                  MlirOperation *out_function);

// Parses a module: `text`, or where that is NULL the file `source`. Text that is no single
// builtin.module is wrapped in one, as mlir-opt does, but then messages cannot name `source`.
// INVALID_ARGUMENT with MLIR's diagnostics. mlirOperationDestroy it.
tune_status tune_ir_parse(MlirContext context, const char *text, const char *source,
                          MlirOperation *out_module);

// Gives `to` the discardable attributes of `from`.
void tune_ir_copy_attributes(MlirOperation from, MlirOperation to);
// Takes the discardable attribute `name` off `op`. Whether it was the integer 1, on a func.func.
bool tune_ir_take_flag(MlirOperation op, const char *name);

// Whether there are calls of functions (func.call) in `op`.
bool tune_ir_has_calls(MlirOperation op);

// Whether `op` is `outer` or in it.
bool tune_ir_is_inside(MlirOperation op, MlirOperation outer);
// Whether `value` is a result of such an op, or an argument of a block in it.
bool tune_ir_is_made_inside(MlirValue value, MlirOperation outer);

// The elements' type of a shaped `type`, or else itself.
MlirType tune_ir_element_type(MlirType type);
// That of a shaped `value`, or else its type.
static inline MlirType tune_ir_element_of(MlirValue value) {
  return tune_ir_element_type(mlirValueGetType(value));
}
// How many elements a shaped `type` has; 0 where a size is not known.
int64_t tune_ir_element_count(MlirType type);
// Whether `type` is f16 or bf16.
bool tune_ir_is_short_float(MlirType type);
// `element`, or a vector, buffer or ranked tensor of it with the shape of `type`, which has at most
// TUNE_IR_MAX_RANK dimensions.
MlirType tune_ir_with_element(MlirType type, MlirType element);

// "f32", "bf16", "i8", "index", ... for the scalar types that artifacts and records know, else
// NULL.
const char *tune_ir_scalar_type_name(MlirType type);

// Gives `module` the body and the discardable attributes of the module `source`, which is left
// empty and stays the caller's.
void tune_ir_become(MlirOperation module, MlirOperation source);

// Prints `op` as text that parses back; free() it. With `generic`, in the generic form.
tune_status tune_ir_print(MlirOperation op, bool generic, char **out_text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_IR_H
