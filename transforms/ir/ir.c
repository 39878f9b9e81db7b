//===- ir.c - Helpers over MLIR's C API --------------------------------------===//

#include "transforms/ir/ir.h"

#include "dialects/diagnostic.h"
#include "dialects/printing.h"
#include "support/file.h"
#include "transforms/ir/foreign_dialects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tune_ir_is_one_of(MlirOperation op, const char *const *names) {
  for (size_t i = 0; names[i]; ++i)
    if (tune_ir_is(op, names[i]))
      return true;
  return false;
}

bool tune_ir_is_used(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

bool tune_ir_has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

MlirStringRef tune_ir_string_attribute(MlirOperation op, const char *name) {
  MlirAttribute attribute = tune_ir_attribute(op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute))
    return mlirStringRefCreate(NULL, 0);
  return mlirStringAttrGetValue(attribute);
}

MlirOperation tune_ir_find_symbol(MlirOperation module, MlirStringRef name) {
  MlirBlock body = tune_ir_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef symbol = tune_ir_string_attribute(op, "sym_name");
    if (symbol.data && mlirStringRefEqual(symbol, name))
      return op;
  }
  return (MlirOperation){NULL};
}

MlirOperation tune_ir_called_function(MlirOperation call) {
  const MlirOperation none = {NULL};
  MlirAttribute callee = tune_ir_attribute(call, "callee");
  MlirOperation module = mlirOperationGetParentOperation(call);
  while (!mlirOperationIsNull(module) && !tune_ir_is(module, "builtin.module"))
    module = mlirOperationGetParentOperation(module);
  if (mlirOperationIsNull(module) || mlirAttributeIsNull(callee) ||
      !mlirAttributeIsAFlatSymbolRef(callee))
    return none;
  MlirOperation function = tune_ir_find_symbol(module, mlirFlatSymbolRefAttrGetValue(callee));
  bool has_body = tune_ir_is(function, "func.func") &&
                  !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)));
  return has_body ? function : none;
}

static bool is_function_with_body(MlirOperation op) {
  return tune_ir_is(op, "func.func") && !mlirBlockIsNull(tune_ir_body(op));
}

tune_status tune_ir_find_function(MlirOperation module, const char *name,
                                  MlirOperation *out_function) {
  *out_function = (MlirOperation){NULL};
  name += name && *name == '@'; // as MLIR and our messages write it
  MlirOperation found = {NULL}, only = {NULL};
  size_t count = 0;
  tune_string_builder names;
  tune_string_builder_init(&names);
  MlirBlock body = tune_ir_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_function_with_body(op))
      continue;
    MlirStringRef symbol = tune_ir_string_attribute(op, "sym_name");
    if (tune_ir_string_equal(symbol, name ? name : "main"))
      found = op;
    only = op;
    tune_string_builder_append(&names, count++ ? ", @" : "@");
    tune_string_builder_append_bytes(&names, symbol.data, symbol.length);
  }
  if (mlirOperationIsNull(found) && !name && count == 1)
    found = only;
  tune_status status = TUNE_OK;
  if (mlirOperationIsNull(found)) {
    if (count == 0)
      status = tune_status_make(TUNE_NOT_FOUND, "the module has no function with a body");
    else if (name)
      status = tune_status_make(TUNE_NOT_FOUND, "no function @%s with a body; there is %s", name,
                                names.text ? names.text : "");
    else
      status = tune_status_make(TUNE_NOT_FOUND, "several functions and no @main: name one of %s",
                                names.text ? names.text : "");
  } else if (tune_ir_string_attribute(found, "sym_name").length == 0) {
    status = tune_status_make_at(TUNE_INVALID_ARGUMENT, found,
                                 "the function is named @\"\", which no code can be looked up by: "
                                 "give it a name");
  }
  tune_string_builder_deinit(&names);
  *out_function = found;
  return status;
}

// What upstream says of text whose ops are not in a module.
#define SEVERAL_OPS "single top-level operation"

static MlirOperation parse_once(MlirContext context, const char *text, const char *source,
                                bool wrap) {
  if (text && !wrap)
    return mlirOperationCreateParse(context, tune_ir_string(text), tune_ir_string(source));
  MlirModule module = text ? mlirModuleCreateParse(context, tune_ir_string(text))
                           : mlirModuleCreateParseFromFile(context, tune_ir_string(source));
  return mlirModuleIsNull(module) ? (MlirOperation){NULL} : mlirModuleGetOperation(module);
}

static tune_status parse_under_diagnostics(MlirContext context, const char *text,
                                           const char *source, bool wrap,
                                           MlirOperation *out_module) {
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, context);
  *out_module = parse_once(context, text, source, wrap);
  tune_status status = tune_diagnostics_end(&diagnostics, mlirOperationIsNull(*out_module),
                                            TUNE_INVALID_ARGUMENT, "parsing");
  tune_diagnostics_deinit(&diagnostics);
  return status;
}

// Upstream says that a file cannot be opened, and not why.
static tune_status check_file(const char *path) {
  struct stat info;
  if (strcmp(path, "-") == 0)
    return TUNE_OK;
  if (stat(path, &info) != 0 || access(path, R_OK) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s: %s", path, strerror(errno));
  return S_ISDIR(info.st_mode) ? tune_status_make(TUNE_INVALID_ARGUMENT,
                                                  "%s is a folder; expected a file of MLIR", path)
                               : tune_file_check_ends(path);
}

// Adds what lowers a dialect that upstream has no parser for, where that is what failed.
static tune_status add_advice(tune_status failure, const char *text, const char *source) {
  const char *message = tune_status_get_message(failure), *name;
  if (tune_status_is_ok(failure) ||
      (!strstr(message, "unregistered dialect") && !strstr(message, "' not found for custom op")))
    return failure;
  char *read = NULL;
  if (!text)
    tune_status_free(tune_file_read(source, &read, NULL));
  const char *whole = text ? text : read ? read : "";
  const char *advice = tune_foreign_dialect_find(whole, &name);
  if (advice) {
    // Not upstream's list of all dialects there are.
    const char *end = strstr(message, "\n");
    tune_status better =
        tune_status_make(tune_status_get_code(failure), "%.*s\nnote: %s: %s",
                         end ? (int)(end - message) : (int)strlen(message), message, name, advice);
    tune_status_free(failure);
    failure = better;
  }
  free(read);
  return failure;
}

tune_status tune_ir_parse(MlirContext context, const char *text, const char *source,
                          MlirOperation *out_module) {
  *out_module = (MlirOperation){NULL};
  if (!text)
    TUNE_RETURN_IF_ERROR(check_file(source));
  tune_status status = parse_under_diagnostics(context, text, source, false, out_module);
  bool is_bare = tune_status_is_ok(status)
                     ? !tune_ir_is(*out_module, "builtin.module")
                     : strstr(tune_status_get_message(status), SEVERAL_OPS) != NULL;
  if (!is_bare)
    return add_advice(status, text, source);
  tune_status_free(status);
  if (!mlirOperationIsNull(*out_module))
    mlirOperationDestroy(*out_module);
  return add_advice(parse_under_diagnostics(context, text, source, true, out_module), text, source);
}

tune_status tune_ir_print(MlirOperation op, bool generic, char **out_text) {
  *out_text = NULL;
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (generic)
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOperationPrintWithFlags(op, flags, tune_printing_append, &builder);
  mlirOpPrintingFlagsDestroy(flags);
  return tune_string_builder_finish(&builder, out_text);
}

MlirType tune_ir_element_type(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

int64_t tune_ir_element_count(MlirType type) {
  int64_t count = 1;
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    count *= mlirShapedTypeIsDynamicDim(type, i) ? 0 : mlirShapedTypeGetDimSize(type, i);
  return count;
}

bool tune_ir_is_short_float(MlirType type) { return mlirTypeIsAF16(type) || mlirTypeIsABF16(type); }

MlirType tune_ir_with_element(MlirType type, MlirType element) {
  bool is_memory = mlirTypeIsAMemRef(type), is_tensor = mlirTypeIsARankedTensor(type);
  if (!is_memory && !is_tensor && !mlirTypeIsAVector(type))
    return element;
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
  if (is_tensor)
    return mlirRankedTensorTypeGet(rank, sizes, element, mlirRankedTensorTypeGetEncoding(type));
  return is_memory ? mlirMemRefTypeGet(element, rank, sizes, mlirMemRefTypeGetLayout(type),
                                       mlirMemRefTypeGetMemorySpace(type))
                   : mlirVectorTypeGet(rank, sizes, element);
}

const char *tune_ir_scalar_type_name(MlirType type) {
  if (mlirTypeIsAF16(type))
    return "f16";
  if (mlirTypeIsABF16(type))
    return "bf16";
  if (mlirTypeIsAF32(type))
    return "f32";
  if (mlirTypeIsAF64(type))
    return "f64";
  if (mlirTypeIsAIndex(type))
    return "index";
  if (!mlirTypeIsAInteger(type))
    return NULL;
  switch (mlirIntegerTypeGetWidth(type)) {
  case 1:
    return "i1";
  case 8:
    return "i8";
  case 16:
    return "i16";
  case 32:
    return "i32";
  case 64:
    return "i64";
  default:
    return NULL;
  }
}

bool tune_ir_take_flag(MlirOperation op, const char *name) {
  MlirAttribute flag = tune_ir_attribute(op, name);
  if (mlirAttributeIsNull(flag))
    return false;
  mlirOperationRemoveDiscardableAttributeByName(op, tune_ir_string(name));
  return tune_ir_is(op, "func.func") && mlirAttributeIsAInteger(flag) &&
         mlirIntegerAttrGetValueInt(flag) == 1;
}

void tune_ir_copy_attributes(MlirOperation from, MlirOperation to) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(from); ++i) {
    MlirNamedAttribute named = mlirOperationGetDiscardableAttribute(from, i);
    mlirOperationSetDiscardableAttributeByName(to, mlirIdentifierStr(named.name), named.attribute);
  }
}

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = tune_ir_is(op, "func.call");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_ir_has_calls(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, find_call, &found, MlirWalkPreOrder);
  return found;
}

bool tune_ir_is_inside(MlirOperation op, MlirOperation outer) {
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, outer))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

bool tune_ir_is_made_inside(MlirValue value, MlirOperation outer) {
  return tune_ir_is_inside(mlirValueIsABlockArgument(value)
                               ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
                               : mlirOpResultGetOwner(value),
                           outer);
}

void tune_ir_become(MlirOperation module, MlirOperation source) {
  mlirRegionTakeBody(mlirOperationGetRegion(module, 0), mlirOperationGetRegion(source, 0));
  while (mlirOperationGetNumDiscardableAttributes(module) > 0)
    mlirOperationRemoveDiscardableAttributeByName(
        module, mlirIdentifierStr(mlirOperationGetDiscardableAttribute(module, 0).name));
  tune_ir_copy_attributes(source, module);
}

bool tune_ir_has_same_attributes(MlirOperation a, MlirOperation b) {
  intptr_t count = mlirOperationGetNumAttributes(a);
  if (count != mlirOperationGetNumAttributes(b))
    return false;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(a, i);
    if (!mlirAttributeEqual(attribute.attribute,
                            mlirOperationGetAttributeByName(b, mlirIdentifierStr(attribute.name))))
      return false;
  }
  return true;
}
