//===- entry.c - The function that an artifact exports -----------------------===//

#include "transforms/lower/cpu/entry.h"
#include "transforms/lower/cpu/leaning.h"

#include "llvm-c/Core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define C_WRAPPER_PREFIX "_mlir_ciface_"
// The descriptors of what is packed when the artifact is loaded.
#define PACKED "tune.packed"

bool tune_entry_takes_packed(const tune_prepack *prepack) {
  return prepack->function && !prepack->is_at_load;
}

bool tune_entry_packs_at_load(const tune_prepack *prepack) {
  return prepack->function && prepack->is_at_load;
}

static void make_internal(LLVMModuleRef module) {
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function))
    if (!LLVMIsDeclaration(function))
      LLVMSetLinkage(function, LLVMInternalLinkage);
  // What makes a reference lean is set from outside.
  LLVMValueRef leaning = LLVMGetNamedGlobal(module, TUNE_LEANING_NAME);
  for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
    if (!LLVMIsDeclaration(global) && global != leaning)
      LLVMSetLinkage(global, LLVMInternalLinkage);
}

// The lowered function takes a memref as (allocated, aligned, offset, sizes..., strides...), and
// reads and writes through `aligned` only.
static bool declare_no_overlap(LLVMValueRef function, const tune_function_signature *signature,
                               const tune_prepack *prepack) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
  unsigned parameter = 0;
  size_t own = signature->interface.argument_count;
  for (size_t i = 0; i < own + prepack->result_count; ++i) {
    if (i < own && signature->interface.arguments[i].is_scalar) {
      parameter += 1;
      continue;
    }
    // Attribute index 0 is the result's.
    LLVMAddAttributeAtIndex(function, parameter + 1 + 1,
                            LLVMCreateEnumAttribute(context, noalias, 0));
    parameter += 3 + 2 * (unsigned)(i < own ? signature->interface.arguments[i].rank
                                            : prepack->ranks[i - own]);
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

static uint64_t descriptor_size(size_t rank) { return 8 * (3 + 2 * (uint64_t)rank); }

static uint64_t size_of_packed(const tune_prepack *prepack) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < prepack->result_count; ++i)
    bytes += descriptor_size(prepack->ranks[i]);
  return bytes;
}

// Descriptors of what is packed stand one after the other, as those of results.
static LLVMValueRef address_of_packed(LLVMBuilderRef builder, LLVMValueRef packed,
                                      const tune_prepack *prepack, size_t index) {
  uint64_t before = 0;
  for (size_t i = 0; i < index; ++i)
    before += descriptor_size(prepack->ranks[i]);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(packed));
  LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(context), before, false);
  return LLVMBuildGEP2(builder, LLVMInt8TypeInContext(context), packed, &offset, 1, "");
}

// The C wrapper takes a pointer per memref and scalars by value. One scalar result is its result;
// everything else goes to a pointer that comes first.
static tune_status write_body(LLVMValueRef entry, LLVMValueRef wrapper,
                              const tune_function_signature *signature, const tune_prepack *prepack,
                              LLVMBuilderRef builder) {
  LLVMModuleRef module = LLVMGetGlobalParent(entry);
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef type = LLVMGlobalGetValueType(wrapper);
  bool returns = LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind;
  bool has_result_pointer = signature->interface.result_count > 0 && !returns;
  unsigned count =
      (unsigned)(signature->interface.argument_count + prepack->result_count) + has_result_pointer;
  if (LLVMCountParams(wrapper) != count)
    return tune_status_make(TUNE_INTERNAL,
                            "the lowered function takes %u arguments, its signature says %u",
                            LLVMCountParams(wrapper), count);
  LLVMTypeRef *types = calloc(count + 1, sizeof *types);
  LLVMValueRef *values = calloc(count + 1, sizeof *values);
  if (!types || !values) {
    free(types);
    free(values);
    return tune_status_out_of_memory("writing the entry");
  }
  LLVMGetParamTypes(type, types);

  LLVMValueRef array = LLVMGetParam(entry, 0);
  LLVMValueRef result_address = NULL;
  if (signature->interface.result_count > 0)
    result_address = load_pointer(builder, pointer, array, signature->interface.argument_count);
  unsigned next = 0;
  if (has_result_pointer)
    values[next++] = result_address;
  for (size_t i = 0; i < signature->interface.argument_count; ++i, ++next) {
    LLVMValueRef address = load_pointer(builder, pointer, array, i);
    values[next] = !signature->interface.arguments[i].is_scalar
                       ? address
                       : load_scalar(builder, types[next], address);
  }
  if (prepack->result_count > 0) {
    LLVMValueRef packed =
        tune_entry_takes_packed(prepack)
            ? load_pointer(builder, pointer, array, signature->interface.argument_count + 1)
            : LLVMGetNamedGlobal(module, PACKED);
    for (size_t i = 0; i < prepack->result_count; ++i, ++next)
      values[next] = address_of_packed(builder, packed, prepack, i);
  }
  LLVMValueRef result = LLVMBuildCall2(builder, type, wrapper, values, count, "");
  if (returns)
    store_scalar(builder, result, result_address);
  LLVMBuildRetVoid(builder);
  free(types);
  free(values);
  return TUNE_OK;
}

// The function of the runtime, `pointer name(argument)` or without a result.
static LLVMValueRef declare_runtime(LLVMModuleRef module, const char *name, LLVMTypeRef result,
                                    LLVMTypeRef argument) {
  LLVMValueRef known = LLVMGetNamedFunction(module, name);
  return known ? known
               : LLVMAddFunction(module, name, LLVMFunctionType(result, &argument, 1, false));
}

// A new function `result name(pointer)`, with the builder in its only block. A payload's own
// function of that name must not be taken for it.
static LLVMValueRef add_export(LLVMModuleRef module, const char *name, LLVMTypeRef result,
                               LLVMBuilderRef builder) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  LLVMValueRef taken = LLVMGetNamedFunction(module, name);
  if (taken)
    LLVMSetValueName2(taken, "tune.payload", strlen("tune.payload"));
  LLVMValueRef function =
      LLVMAddFunction(module, name, LLVMFunctionType(result, &pointer, 1, false));
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  return function;
}

// void *tune_prepack(void **arguments): memory for the descriptors of what is packed, which the C
// wrapper fills in.
static tune_status write_prepack(LLVMModuleRef module, LLVMValueRef wrapper,
                                 const tune_prepack *prepack, LLVMBuilderRef builder) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0),
              size = LLVMInt64TypeInContext(context);
  LLVMTypeRef type = LLVMGlobalGetValueType(wrapper);
  unsigned count = (unsigned)prepack->argument_count + 1;
  if (LLVMCountParams(wrapper) != count)
    return tune_status_make(TUNE_INTERNAL, "the function that packs takes %u arguments, not %u",
                            LLVMCountParams(wrapper), count);
  LLVMValueRef *values = calloc(count, sizeof *values);
  if (!values)
    return tune_status_out_of_memory("writing the entry");
  LLVMValueRef function = add_export(module, TUNE_PREPACK_NAME, pointer, builder);
  LLVMValueRef allocate = declare_runtime(module, "tune_runtime_allocate", pointer, size);
  LLVMValueRef length = LLVMConstInt(size, size_of_packed(prepack), false);
  values[0] = LLVMBuildCall2(builder, LLVMGlobalGetValueType(allocate), allocate, &length, 1, "");
  for (size_t i = 0; i < prepack->argument_count; ++i)
    values[i + 1] =
        load_pointer(builder, pointer, LLVMGetParam(function, 0), prepack->arguments[i]);
  LLVMBuildCall2(builder, type, wrapper, values, count, "");
  LLVMBuildRet(builder, values[0]);
  free(values);
  return TUNE_OK;
}

static void release_packed(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef packed,
                           const tune_prepack *prepack) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), none = LLVMVoidTypeInContext(context);
  LLVMValueRef release = declare_runtime(module, "tune_runtime_free", none, pointer);
  for (size_t i = 0; i < prepack->result_count; ++i) {
    LLVMValueRef allocated =
        LLVMBuildLoad2(builder, pointer, address_of_packed(builder, packed, prepack, i), "");
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(release), release, &allocated, 1, "");
  }
}

// void tune_prepack_free(void *packed): the memory of all, then that of the descriptors.
static void write_prepack_free(LLVMModuleRef module, const tune_prepack *prepack,
                               LLVMBuilderRef builder) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef none = LLVMVoidTypeInContext(context);
  LLVMValueRef function = add_export(module, TUNE_PREPACK_FREE_NAME, none, builder);
  LLVMValueRef packed = LLVMGetParam(function, 0);
  release_packed(module, builder, packed, prepack);
  LLVMValueRef release = LLVMGetNamedFunction(module, "tune_runtime_free");
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(release), release, &packed, 1, "");
  LLVMBuildRetVoid(builder);
}

// A function without arguments that is called when the artifact is loaded or unloaded, as `list`
// says (llvm.global_ctors, llvm.global_dtors).
static void add_hook(LLVMModuleRef module, const char *name, const char *list,
                     LLVMBuilderRef builder) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), none = LLVMVoidTypeInContext(context);
  LLVMValueRef function = LLVMAddFunction(module, name, LLVMFunctionType(none, NULL, 0, false));
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  LLVMValueRef members[] = {LLVMConstInt(LLVMInt32TypeInContext(context), 65535, false), function,
                            LLVMConstNull(pointer)};
  LLVMValueRef item = LLVMConstStructInContext(context, members, 3, false);
  LLVMValueRef items = LLVMConstArray2(LLVMTypeOf(item), &item, 1);
  LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(items), list);
  LLVMSetLinkage(global, LLVMAppendingLinkage);
  LLVMSetInitializer(global, items);
}

// Packs the module's own constants at load, and gives their memory back at unload: to the system,
// as the runtime may have done that already.
static void write_hooks(LLVMModuleRef module, LLVMValueRef wrapper, const tune_prepack *prepack,
                        LLVMValueRef packed, LLVMBuilderRef builder) {
  LLVMTypeRef none = LLVMVoidTypeInContext(LLVMGetModuleContext(module));
  add_hook(module, "tune.load", "llvm.global_ctors", builder);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(wrapper), wrapper, &packed, 1, "");
  LLVMBuildRetVoid(builder);
  add_hook(module, "tune.unload", "llvm.global_dtors", builder);
  release_packed(module, builder, packed, prepack);
  LLVMTypeRef type = LLVMFunctionType(none, NULL, 0, false);
  LLVMValueRef trim = LLVMAddFunction(module, "tune_runtime_trim", type);
  LLVMBuildCall2(builder, type, trim, NULL, 0, "");
  LLVMBuildRetVoid(builder);
}

static LLVMValueRef add_packed(LLVMModuleRef module, const tune_prepack *prepack) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef type = LLVMArrayType2(LLVMInt64TypeInContext(context), size_of_packed(prepack) / 8);
  LLVMValueRef packed = LLVMAddGlobal(module, type, PACKED);
  LLVMSetLinkage(packed, LLVMInternalLinkage);
  LLVMSetInitializer(packed, LLVMConstNull(type));
  return packed;
}

// Finds the function `name` and its C wrapper.
static tune_status find_lowered(LLVMModuleRef module, const char *name, LLVMValueRef *out_function,
                                LLVMValueRef *out_wrapper) {
  size_t size = strlen(C_WRAPPER_PREFIX) + strlen(name) + 1;
  char *wrapper_name = malloc(size);
  if (!wrapper_name)
    return tune_status_out_of_memory("writing the entry");
  snprintf(wrapper_name, size, "%s%s", C_WRAPPER_PREFIX, name);
  *out_function = LLVMGetNamedFunction(module, name);
  *out_wrapper = LLVMGetNamedFunction(module, wrapper_name);
  free(wrapper_name);
  if (!*out_function || !*out_wrapper)
    return tune_status_make(TUNE_INTERNAL, "the lowered module has no function @%s", name);
  return TUNE_OK;
}

tune_status tune_entry_add(LLVMModuleRef module, const char *name,
                           const tune_function_signature *signature, const tune_prepack *prepack) {
  LLVMValueRef function, wrapper, packing = NULL, packing_wrapper = NULL;
  TUNE_RETURN_IF_ERROR(find_lowered(module, name, &function, &wrapper));
  if (prepack->function)
    TUNE_RETURN_IF_ERROR(find_lowered(module, prepack->function, &packing, &packing_wrapper));
  make_internal(module);
  // Inlined, its body would be optimised once in each of the three functions, for nothing but a
  // call.
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMAddAttributeAtIndex(
      function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("noinline", 8), 0));
  if (!declare_no_overlap(function, signature, prepack))
    return tune_status_make(TUNE_INTERNAL,
                            "the lowered function @%s does not take what its signature says", name);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMValueRef entry = add_export(module, TUNE_ENTRY_NAME, LLVMVoidTypeInContext(context), builder);
  bool packs_at_load = tune_entry_packs_at_load(prepack);
  LLVMValueRef packed = packs_at_load ? add_packed(module, prepack) : NULL;
  tune_status status = write_body(entry, wrapper, signature, prepack, builder);
  if (tune_status_is_ok(status) && tune_entry_takes_packed(prepack)) {
    status = write_prepack(module, packing_wrapper, prepack, builder);
    write_prepack_free(module, prepack, builder);
  }
  if (tune_status_is_ok(status) && packs_at_load)
    write_hooks(module, packing_wrapper, prepack, packed, builder);
  LLVMDisposeBuilder(builder);
  return status;
}

void tune_entry_mark_unordered(LLVMModuleRef module) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(module));
  LLVMValueRef mark = LLVMAddGlobal(module, byte, TUNE_UNORDERED_NAME);
  LLVMSetInitializer(mark, LLVMConstInt(byte, 1, false));
  LLVMSetGlobalConstant(mark, true);
}
