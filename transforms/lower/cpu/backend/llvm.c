//===- llvm.c - LLVM's optimizer and code generator --------------------------===//

#include "transforms/lower/cpu/backend/llvm.h"

#include "dialects/diagnostic.h"
#include "support/nearest.h"
#include "transforms/ir/ir.h"

#include "llvm-c/Analysis.h"
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/Target.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_PREFIX "tune.llvm."

typedef struct option_row {
  const char *name; // after the prefix
  size_t offset;    // in tune_llvm_options
  int64_t least;
  int64_t most;
} option_row;

static const option_row OPTIONS[] = {
    {"opt_level", offsetof(tune_llvm_options, opt_level), 0, 3},
    {"prefer_vector_width", offsetof(tune_llvm_options, prefer_vector_width), 0, 4096},
    {"loop_unroll", offsetof(tune_llvm_options, loop_unroll), 0, 1},
    {"interleave", offsetof(tune_llvm_options, interleave), 0, 1},
    {"contract", offsetof(tune_llvm_options, contract), 0, 1},
};
#define OPTION_COUNT (sizeof OPTIONS / sizeof *OPTIONS)

tune_llvm_options tune_llvm_options_default(void) {
  return (tune_llvm_options){.opt_level = 3, .loop_unroll = 1, .interleave = 1, .contract = 1};
}

static tune_status unknown_option(MlirOperation function, MlirStringRef name) {
  char word[128];
  snprintf(word, sizeof word, "%.*s", (int)(name.length - strlen(OPTION_PREFIX)),
           name.data + strlen(OPTION_PREFIX));
  tune_nearest nearest;
  tune_nearest_init(&nearest, word);
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t i = 0; i < OPTION_COUNT; ++i) {
    tune_nearest_offer(&nearest, OPTIONS[i].name);
    tune_string_builder_appendf(&names, "%s" OPTION_PREFIX "%s", i ? ", " : "", OPTIONS[i].name);
  }
  tune_status status = tune_status_make_at(
      TUNE_INVALID_ARGUMENT, function,
      OPTION_PREFIX "%s is no option of the backend%s%s%s; there are %s", word,
      nearest.best ? ", did you mean " OPTION_PREFIX : "", nearest.best ? nearest.best : "",
      nearest.best ? "?" : "", names.text ? names.text : "");
  tune_string_builder_deinit(&names);
  return status;
}

static tune_status read_option(MlirOperation function, MlirNamedAttribute attribute,
                               tune_llvm_options *options) {
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  const option_row *row = NULL;
  for (size_t i = 0; i < OPTION_COUNT && !row; ++i)
    if (tune_ir_string_equal(mlirStringRefCreate(name.data + strlen(OPTION_PREFIX),
                                                 name.length - strlen(OPTION_PREFIX)),
                             OPTIONS[i].name))
      row = &OPTIONS[i];
  if (!row)
    return unknown_option(function, name);
  int64_t value = 0;
  if (mlirAttributeIsABool(attribute.attribute))
    value = mlirBoolAttrGetValue(attribute.attribute);
  else if (mlirAttributeIsAInteger(attribute.attribute))
    value = mlirIntegerAttrGetValueInt(attribute.attribute);
  else
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function, "%s%s: expected an integer",
                               OPTION_PREFIX, row->name);
  if (value < row->least || value > row->most)
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, function, "%s%s: the value %lld is not in %lld to %lld",
        OPTION_PREFIX, row->name, (long long)value, (long long)row->least, (long long)row->most);
  *(int64_t *)((char *)options + row->offset) = value;
  return TUNE_OK;
}

tune_status tune_llvm_options_take(MlirOperation function, tune_llvm_options *options) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(function); i-- > 0;) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(function, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (!tune_ir_string_starts(name, OPTION_PREFIX))
      continue;
    TUNE_RETURN_IF_ERROR(read_option(function, attribute, options));
    mlirOperationRemoveDiscardableAttributeByName(function, name);
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The target
//===--------------------------------------------------------------------------===//

// LLVM's messages are freed by its own function.
static char *take_message(char *message) {
  char *copy = strdup(message ? message : "");
  LLVMDisposeMessage(message);
  return copy;
}

tune_status tune_llvm_target_init(tune_llvm_target *target, const char *triple, const char *cpu,
                                  const char *features) {
  *target = (tune_llvm_target){0};
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();

  target->triple = triple ? strdup(triple) : take_message(LLVMGetDefaultTargetTriple());
  target->cpu = cpu ? strdup(cpu) : take_message(LLVMGetHostCPUName());
  if (features)
    target->features = strdup(features);
  else
    target->features = cpu ? strdup("") : take_message(LLVMGetHostCPUFeatures());
  if (!target->triple || !target->cpu || !target->features) {
    tune_llvm_target_deinit(target);
    return tune_status_out_of_memory("making a target");
  }

  LLVMTargetRef backend = NULL;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(target->triple, &backend, &message)) {
    tune_status status = tune_status_make(TUNE_UNAVAILABLE, "no LLVM backend for %s: %s",
                                          target->triple, message ? message : "");
    LLVMDisposeMessage(message);
    tune_llvm_target_deinit(target);
    return status;
  }
  target->machine =
      LLVMCreateTargetMachine(backend, target->triple, target->cpu, target->features,
                              LLVMCodeGenLevelAggressive, LLVMRelocPIC, LLVMCodeModelDefault);
  if (!target->machine) {
    tune_status status = tune_status_make(TUNE_UNAVAILABLE, "LLVM makes no code for %s %s",
                                          target->triple, target->cpu);
    tune_llvm_target_deinit(target);
    return status;
  }
  return TUNE_OK;
}

void tune_llvm_target_deinit(tune_llvm_target *target) {
  if (target->machine)
    LLVMDisposeTargetMachine(target->machine);
  free(target->triple);
  free(target->cpu);
  free(target->features);
  *target = (tune_llvm_target){0};
}

//===--------------------------------------------------------------------------===//
// Optimising
//===--------------------------------------------------------------------------===//

static void set_function_attribute(LLVMContextRef context, LLVMValueRef function, const char *name,
                                   const char *value) {
  LLVMAttributeRef attribute = LLVMCreateStringAttribute(context, name, (unsigned)strlen(name),
                                                         value, (unsigned)strlen(value));
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void set_function_attributes(LLVMModuleRef module, const tune_llvm_target *target,
                                    const tune_llvm_options *options) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
  char width[32];
  snprintf(width, sizeof width, "%lld", (long long)options->prefer_vector_width);
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function)) {
    if (LLVMIsDeclaration(function))
      continue;
    set_function_attribute(context, function, "target-cpu", target->cpu);
    set_function_attribute(context, function, "target-features", target->features);
    // Nobody reads the floating-point exception flags, as in clang's default.
    set_function_attribute(context, function, "no-trapping-math", "true");
    if (options->prefer_vector_width > 0)
      set_function_attribute(context, function, "prefer-vector-width", width);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, nounwind, 0));
  }
}

// -ffp-contract of the tools is a property of the code generator that x86 does not heed: the
// permission has to be on the instructions.
static void allow_contraction(LLVMModuleRef module) {
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block); instruction;
           instruction = LLVMGetNextInstruction(instruction))
        if (LLVMCanValueUseFastMathFlags(instruction))
          LLVMSetFastMathFlags(instruction,
                               LLVMGetFastMathFlags(instruction) | LLVMFastMathAllowContract);
}

static void rename_extremum(LLVMModuleRef module, const char *from, const char *to,
                            LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(module, from);
  if (!function)
    return;
  // Of two zeros maxnum gives any.
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    LLVMSetFastMathFlags(call, LLVMGetFastMathFlags(call) | LLVMFastMathNoSignedZeros);
  }
  unsigned other = LLVMLookupIntrinsicID(to, strlen(to));
  LLVMReplaceAllUsesWith(function, LLVMGetIntrinsicDeclaration(module, other, &type, 1));
}

// Makes maximumnum of maxnum, which takes the same instructions. LLVM 22 vectorizes loops of up to
// 15 steps with the last vector masked, and leaves those over maxnum before that one.
static void avoid_maxnum(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef f32 = LLVMFloatTypeInContext(context), f64 = LLVMDoubleTypeInContext(context);
  rename_extremum(module, "llvm.maxnum.f32", "llvm.maximumnum", f32);
  rename_extremum(module, "llvm.minnum.f32", "llvm.minimumnum", f32);
  rename_extremum(module, "llvm.maxnum.f64", "llvm.maximumnum", f64);
  rename_extremum(module, "llvm.minnum.f64", "llvm.minimumnum", f64);
}

// For code that a schedule has vectorized and unrolled: cleans up what lowering leaves, and takes a
// tenth of the time of LLVM's own pipelines, which look for loops to vectorize, calls to inline and
// globals to merge.
#define LIGHT_PIPELINE                                                                             \
  "function(sroa,early-cse<memssa>,simplifycfg,instcombine,loop-mssa(licm),simplifycfg),globaldce"

// What LLVM's passes break is compiled without a word otherwise, and computes anything.
static tune_status verify(LLVMModuleRef module) {
  char *message = NULL;
  if (!LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
    LLVMDisposeMessage(message);
    return TUNE_OK;
  }
  tune_status status =
      tune_status_make(TUNE_INTERNAL, "LLVM's optimiser made code that is not valid: %.*s",
                       (int)strcspn(message, "\n"), message);
  LLVMDisposeMessage(message);
  return status;
}

tune_status tune_llvm_optimize(LLVMModuleRef module, const tune_llvm_target *target,
                               const tune_llvm_options *options) {
  LLVMSetTarget(module, target->triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(target->machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  set_function_attributes(module, target, options);
  if (options->contract)
    allow_contraction(module);
  avoid_maxnum(module);

  LLVMPassBuilderOptionsRef builder = LLVMCreatePassBuilderOptions();
  // The options for the vectorizers do nothing in LLVM 22: O2 and O3 always have both.
  LLVMPassBuilderOptionsSetLoopUnrolling(builder, options->loop_unroll != 0);
  LLVMPassBuilderOptionsSetLoopInterleaving(builder, options->interleave != 0);
  char pipeline[32];
  snprintf(pipeline, sizeof pipeline, "default<O%d>", (int)options->opt_level);
  const char *passes = options->opt_level == 1 ? LIGHT_PIPELINE : pipeline;
  LLVMErrorRef error = LLVMRunPasses(module, passes, target->machine, builder);
  LLVMDisposePassBuilderOptions(builder);
  if (!error)
    return verify(module);
  char *message = LLVMGetErrorMessage(error);
  tune_status status = tune_status_make(TUNE_INTERNAL, "LLVM's optimiser: %s", message);
  LLVMDisposeErrorMessage(message);
  return status;
}

tune_status tune_llvm_generate(LLVMModuleRef module, const tune_llvm_target *target,
                               LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out_buffer) {
  *out_buffer = NULL;
  char *message = NULL;
  if (!LLVMTargetMachineEmitToMemoryBuffer(target->machine, module, kind, &message, out_buffer))
    return TUNE_OK;
  tune_status status =
      tune_status_make(TUNE_INTERNAL, "LLVM's code generator: %s", message ? message : "");
  LLVMDisposeMessage(message);
  return status;
}
