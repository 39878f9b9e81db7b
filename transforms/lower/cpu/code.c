//===- code.c -----------------------------------------------------------------===//

#include "transforms/lower/cpu/code.h"

#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/cpu/backend/openmp_noalias.h"
#include "transforms/lower/cpu/backend/task_times.h"
#include "transforms/lower/cpu/entry.h"

#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Core.h"
#include "llvm-c/Linker.h"

#include <stdlib.h>

static tune_status translate(MlirOperation module, LLVMContextRef llvm_context,
                             LLVMModuleRef *out_module) {
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, mlirOperationGetContext(module));
  *out_module = mlirTranslateModuleToLLVMIR(module, llvm_context);
  tune_status status = tune_diagnostics_end(&diagnostics, !*out_module, TUNE_INVALID_ARGUMENT,
                                            "translating to LLVM IR");
  tune_diagnostics_deinit(&diagnostics);
  return status;
}

static tune_status copy_out(const char *bytes, size_t size, tune_code *code) {
  code->bytes = malloc(size + 1);
  if (!code->bytes)
    return tune_status_out_of_memory("keeping the code");
  memcpy(code->bytes, bytes, size);
  code->bytes[size] = 0;
  code->size = size;
  return TUNE_OK;
}

static tune_status emit_module(LLVMModuleRef module, const tune_llvm_target *target, tune_emit emit,
                               tune_code *code) {
  if (emit == TUNE_EMIT_LLVM) {
    char *text = LLVMPrintModuleToString(module);
    tune_status status = copy_out(text, strlen(text), code);
    LLVMDisposeMessage(text);
    return status;
  }
  LLVMMemoryBufferRef buffer;
  TUNE_RETURN_IF_ERROR(tune_llvm_generate(
      module, target, emit == TUNE_EMIT_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile, &buffer));
  tune_status status = copy_out(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), code);
  LLVMDisposeMemoryBuffer(buffer);
  return status;
}

//===--------------------------------------------------------------------------===//
// Parts
//===--------------------------------------------------------------------------===//

static void declare_no_overlap(LLVMValueRef function, const tune_function_module *part) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
  for (size_t i = 0; i < part->pointer_count; ++i)
    // Attribute index 0 is the result's.
    LLVMAddAttributeAtIndex(function, part->pointers[i] + 1,
                            LLVMCreateEnumAttribute(context, noalias, 0));
}

// What a part brings along besides its function is its own.
static void make_others_internal(LLVMModuleRef module, LLVMValueRef function) {
  for (LLVMValueRef other = LLVMGetFirstFunction(module); other; other = LLVMGetNextFunction(other))
    if (other != function && !LLVMIsDeclaration(other))
      LLVMSetLinkage(other, LLVMInternalLinkage);
  for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
    if (!LLVMIsDeclaration(global))
      LLVMSetLinkage(global, LLVMInternalLinkage);
}

// Optimises a part and links it to `whole`.
static tune_status add_part(const tune_function_module *part, const tune_llvm_target *target,
                            LLVMModuleRef whole) {
  LLVMModuleRef module;
  TUNE_RETURN_IF_ERROR(translate(part->module, LLVMGetModuleContext(whole), &module));
  LLVMValueRef function = LLVMGetNamedFunction(module, part->function);
  tune_status status = TUNE_OK;
  if (!function || LLVMIsDeclaration(function)) {
    status =
        tune_status_make(TUNE_INTERNAL, "the lowered module has no function @%s", part->function);
  } else {
    declare_no_overlap(function, part);
    tune_openmp_noalias_declare(module);
    make_others_internal(module, function);
    status = tune_llvm_optimize(module, target, &part->llvm);
  }
  if (!tune_status_is_ok(status)) {
    LLVMDisposeModule(module);
    return status;
  }
  // Takes `module` in any case.
  if (LLVMLinkModules2(whole, module))
    return tune_status_make(TUNE_INTERNAL, "LLVM cannot link @%s to the rest", part->function);
  LLVMSetLinkage(LLVMGetNamedFunction(whole, part->function), LLVMInternalLinkage);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

// Whether all that the function does is to hand on: it calls, with numbers and pointers that it
// reads and puts in their places.
static bool hands_on(LLVMValueRef function, size_t *out_length) {
  bool calls = false;
  *out_length = 0;
  if (LLVMCountBasicBlocks(function) != 1)
    return false;
  for (LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(function)); at;
       at = LLVMGetNextInstruction(at), ++*out_length) {
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(at));
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMCall:
      calls = true;
      break;
    case LLVMLoad:
      if (kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind)
        return false;
      break;
    case LLVMStore:
    case LLVMAlloca:
    case LLVMGetElementPtr:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMRet:
      break;
    default:
      return false;
    }
  }
  return calls;
}

// A network's arguments are thousands of such instructions in one block, and LLVM's schedulers take
// time that is quadratic in these, a second of eight for MobileNetV2. So they are not scheduled.
static void hurry_long_glue(LLVMModuleRef module) {
  const size_t least = 500;
  unsigned none = LLVMGetEnumAttributeKindForName("optnone", 7);
  unsigned apart = LLVMGetEnumAttributeKindForName("noinline", 8); // what optnone asks for
  LLVMContextRef context = LLVMGetModuleContext(module);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    size_t length;
    if (!hands_on(f, &length) || length < least)
      continue;
    LLVMAttributeRef attributes[] = {LLVMCreateEnumAttribute(context, none, 0),
                                     LLVMCreateEnumAttribute(context, apart, 0)};
    for (size_t i = 0; i < 2; i++)
      LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, attributes[i]);
  }
}

static tune_status time_parts(const tune_function_modules *parts, LLVMModuleRef module) {
  const char **names = malloc((parts->count + 1) * sizeof *names);
  if (!names)
    return tune_status_out_of_memory("timing tasks");
  for (size_t i = 0; i < parts->count; i++)
    names[i] = parts->items[i].function;
  tune_status status = tune_task_times_add(module, names, parts->count);
  free(names);
  return status;
}

static tune_status generate(const tune_code_source *source, const tune_llvm_target *target,
                            tune_emit emit, LLVMContextRef llvm_context, tune_code *code) {
  double start = tune_clock_seconds();
  LLVMModuleRef module;
  TUNE_RETURN_IF_ERROR(translate(source->module, llvm_context, &module));
  tune_status status = tune_entry_add(module, source->function, source->signature, source->prepack);
  if (source->is_unordered)
    tune_entry_mark_unordered(module);
  tune_openmp_noalias_declare(module);
  double translated = tune_clock_seconds();
  code->report.lower += translated - start;
  if (tune_status_is_ok(status))
    status = tune_llvm_optimize(module, target, source->options);
  if (tune_status_is_ok(status))
    hurry_long_glue(module);
  for (size_t i = 0; i < source->parts->count && tune_status_is_ok(status); ++i)
    status = add_part(&source->parts->items[i], target, module);
  if (tune_status_is_ok(status) && source->times_tasks)
    status = time_parts(source->parts, module);
  double optimized = tune_clock_seconds();
  code->report.optimize += optimized - translated;
  if (tune_status_is_ok(status))
    status = emit_module(module, target, emit, code);
  code->report.codegen += tune_clock_seconds() - optimized;
  LLVMDisposeModule(module);
  return status;
}

tune_status tune_code_generate(const tune_code_source *source, const tune_llvm_target *target,
                               tune_emit emit, tune_code *code) {
  LLVMContextRef llvm_context = LLVMContextCreate();
  tune_status status = generate(source, target, emit, llvm_context, code);
  LLVMContextDispose(llvm_context);
  return status;
}
