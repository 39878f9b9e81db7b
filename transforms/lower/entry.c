//===- entry.c - The function that an artifact exports ----------------------------===//

#include "transforms/lower/entry.h"

#include "llvm-c/Core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define C_WRAPPER_PREFIX "_mlir_ciface_"

static void make_internal(LLVMModuleRef module) {
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function))
    if (!LLVMIsDeclaration(function))
      LLVMSetLinkage(function, LLVMInternalLinkage);
  for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
    if (!LLVMIsDeclaration(global))
      LLVMSetLinkage(global, LLVMInternalLinkage);
}

// The lowered function takes a memref as (allocated, aligned, offset, sizes..., strides...), and
// reads and writes through `aligned` only.
static bool declare_no_overlap(LLVMValueRef function, const tune_function_signature *signature) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
  unsigned parameter = 0;
  for (size_t i = 0; i < signature->argument_count; ++i) {
    if (signature->arguments[i].is_tensor) {
      // Attribute index 0 is the result's.
      LLVMAddAttributeAtIndex(function, parameter + 1 + 1,
                              LLVMCreateEnumAttribute(context, noalias, 0));
      parameter += 3 + 2 * (unsigned)signature->arguments[i].rank;
    } else {
      parameter += 1;
    }
  }
  return parameter == LLVMCountParams(function);
}

static LLVMValueRef load_pointer(LLVMBuilderRef builder, LLVMTypeRef pointer, LLVMValueRef array,
                                 size_t index) {
  LLVMContextRef context = LLVMGetTypeContext(pointer);
  LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(context), index, false);
  LLVMValueRef address = LLVMBuildGEP2(builder, pointer, array, &offset, 1, "");
  return LLVMBuildLoad2(builder, pointer, address, "");
}

// An i1 is a byte in memory whose lowest bit counts.
static LLVMValueRef load_scalar(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef address) {
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 1)
    return LLVMBuildLoad2(builder, type, address, "");
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
  return LLVMBuildTrunc(builder, LLVMBuildLoad2(builder, byte, address, ""), type, "");
}

static void store_scalar(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef address) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1)
    value = LLVMBuildZExt(builder, value, LLVMInt8TypeInContext(LLVMGetTypeContext(type)), "");
  LLVMBuildStore(builder, value, address);
}

// The C wrapper takes a pointer per memref and scalars by value. One scalar result is its result;
// everything else goes to a pointer that comes first.
static tune_status write_body(LLVMValueRef entry, LLVMValueRef wrapper,
                              const tune_function_signature *signature) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(entry));
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef type = LLVMGlobalGetValueType(wrapper);
  bool returns = LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind;
  bool has_result_pointer = signature->result_count > 0 && !returns;
  unsigned count = (unsigned)signature->argument_count + has_result_pointer;
  if (LLVMCountParams(wrapper) != count)
    return tune_status_make(TUNE_INTERNAL,
                            "the lowered function takes %u arguments, its signature says %u",
                            LLVMCountParams(wrapper), count);
  LLVMTypeRef *types = calloc(count + 1, sizeof *types);
  LLVMValueRef *values = calloc(count + 1, sizeof *values);
  if (!types || !values) {
    free(types);
    free(values);
    return tune_status_make(TUNE_OUT_OF_MEMORY, "writing the entry");
  }
  LLVMGetParamTypes(type, types);

  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, entry, ""));
  LLVMValueRef array = LLVMGetParam(entry, 0);
  LLVMValueRef result_address = NULL;
  if (signature->result_count > 0)
    result_address = load_pointer(builder, pointer, array, signature->argument_count);
  unsigned next = 0;
  if (has_result_pointer)
    values[next++] = result_address;
  for (size_t i = 0; i < signature->argument_count; ++i, ++next) {
    LLVMValueRef address = load_pointer(builder, pointer, array, i);
    values[next] =
        signature->arguments[i].is_tensor ? address : load_scalar(builder, types[next], address);
  }
  LLVMValueRef result = LLVMBuildCall2(builder, type, wrapper, values, count, "");
  if (returns)
    store_scalar(builder, result, result_address);
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  free(types);
  free(values);
  return TUNE_OK;
}

tune_status tune_entry_add(LLVMModuleRef module, const char *name,
                           const tune_function_signature *signature) {
  size_t size = strlen(C_WRAPPER_PREFIX) + strlen(name) + 1;
  char *wrapper_name = malloc(size);
  if (!wrapper_name)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "writing the entry");
  snprintf(wrapper_name, size, "%s%s", C_WRAPPER_PREFIX, name);
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  LLVMValueRef wrapper = LLVMGetNamedFunction(module, wrapper_name);
  free(wrapper_name);
  if (!function || !wrapper)
    return tune_status_make(TUNE_INTERNAL, "the lowered module has no function @%s", name);

  make_internal(module);
  // Inlined, its body would be optimised once in each of the three functions, for nothing but a
  // call.
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("noinline", 8), 0));
  if (!declare_no_overlap(function, signature))
    return tune_status_make(TUNE_INTERNAL,
                            "the lowered function @%s does not take what its signature says", name);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  // A payload's own function of that name must not be taken for it.
  LLVMValueRef taken = LLVMGetNamedFunction(module, TUNE_ENTRY_NAME);
  if (taken)
    LLVMSetValueName2(taken, "tune_entry.payload", strlen("tune_entry.payload"));
  LLVMValueRef entry =
      LLVMAddFunction(module, TUNE_ENTRY_NAME,
                      LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false));
  return write_body(entry, wrapper, signature);
}
