//===- task_times.c -----------------------------------------------------------===//

#include "transforms/lower/cpu/backend/task_times.h"

#include "llvm-c/Core.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// What the code that is added refers to.
typedef struct writer {
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMTypeRef i64, timespec, time, clock_type;
  LLVMValueRef clock, times;
} writer;

static LLVMValueRef number(const writer *w, uint64_t value) {
  return LLVMConstInt(w->i64, value, false);
}

static void begin(writer *w, LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef parameters[] = {i32, pointer};
  *w = (writer){.module = module,
                .builder = LLVMCreateBuilderInContext(context),
                .i64 = LLVMInt64TypeInContext(context),
                .clock_type = LLVMFunctionType(i32, parameters, 2, false)};
  LLVMTypeRef halves[] = {w->i64, w->i64};
  LLVMTypeRef members[] = {pointer, w->i64, w->i64};
  w->timespec = LLVMStructTypeInContext(context, halves, 2, false);
  w->time = LLVMStructTypeInContext(context, members, 3, false);
  w->clock = LLVMGetNamedFunction(module, "clock_gettime");
  if (!w->clock)
    w->clock = LLVMAddFunction(module, "clock_gettime", w->clock_type);
}

static LLVMValueRef add_name(const writer *w, const char *name) {
  LLVMContextRef context = LLVMGetModuleContext(w->module);
  LLVMValueRef text = LLVMConstStringInContext2(context, name, strlen(name), false);
  LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(text), "tune_task_name");
  LLVMSetInitializer(global, text);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  return global;
}

static tune_status add_times(writer *w, const char *const *functions, size_t count) {
  LLVMValueRef *elements = malloc((count + 1) * sizeof *elements);
  if (!elements)
    return tune_status_out_of_memory("timing tasks");
  LLVMContextRef context = LLVMGetModuleContext(w->module);
  LLVMValueRef zero = number(w, 0),
               none = LLVMConstPointerNull(LLVMPointerTypeInContext(context, 0));
  for (size_t i = 0; i <= count; i++) {
    LLVMValueRef members[] = {i < count ? add_name(w, functions[i]) : none, zero, zero};
    elements[i] = LLVMConstStructInContext(context, members, 3, false);
  }
  LLVMValueRef all = LLVMConstArray2(w->time, elements, count + 1);
  w->times = LLVMAddGlobal(w->module, LLVMTypeOf(all), TUNE_TASK_TIMES_NAME);
  LLVMSetInitializer(w->times, all);
  free(elements);
  return TUNE_OK;
}

// Memory for what the clock says, once in the function.
static LLVMValueRef add_timespec(const writer *w, LLVMValueRef function) {
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  LLVMPositionBuilderBefore(w->builder, first);
  return LLVMBuildAlloca(w->builder, w->timespec, "clock");
}

static LLVMValueRef load_half(const writer *w, LLVMValueRef timespec, unsigned half) {
  return LLVMBuildLoad2(w->builder, w->i64,
                        LLVMBuildStructGEP2(w->builder, w->timespec, timespec, half, ""), "");
}

static LLVMValueRef read_clock(const writer *w, LLVMValueRef timespec) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(w->module));
  LLVMValueRef arguments[] = {LLVMConstInt(i32, CLOCK_MONOTONIC, false), timespec};
  LLVMBuildCall2(w->builder, w->clock_type, w->clock, arguments, 2, "");
  LLVMValueRef seconds = load_half(w, timespec, 0), nanoseconds = load_half(w, timespec, 1);
  return LLVMBuildAdd(w->builder, LLVMBuildMul(w->builder, seconds, number(w, 1000000000), ""),
                      nanoseconds, "");
}

static void add_to_member(const writer *w, size_t task, unsigned member, LLVMValueRef value) {
  LLVMValueRef at[] = {number(w, task)};
  LLVMValueRef element = LLVMBuildGEP2(w->builder, w->time, w->times, at, 1, "");
  LLVMValueRef place = LLVMBuildStructGEP2(w->builder, w->time, element, member, "");
  LLVMBuildAtomicRMW(w->builder, LLVMAtomicRMWBinOpAdd, place, value, LLVMAtomicOrderingMonotonic,
                     false);
}

static void time_call(const writer *w, LLVMValueRef call, size_t task) {
  LLVMValueRef timespec = add_timespec(w, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
  LLVMSetTailCall(call, false);
  LLVMPositionBuilderBefore(w->builder, call);
  LLVMValueRef begin = read_clock(w, timespec);
  LLVMPositionBuilderBefore(w->builder, LLVMGetNextInstruction(call));
  LLVMValueRef end = read_clock(w, timespec);
  add_to_member(w, task, 1, LLVMBuildSub(w->builder, end, begin, ""));
  add_to_member(w, task, 2, number(w, 1));
}

tune_status tune_task_times_add(LLVMModuleRef module, const char *const *functions, size_t count) {
  writer w;
  begin(&w, module);
  tune_status status = add_times(&w, functions, count);
  for (size_t i = 0; i < count && tune_status_is_ok(status); i++) {
    LLVMValueRef function = LLVMGetNamedFunction(module, functions[i]);
    if (!function)
      status =
          tune_status_make(TUNE_INTERNAL, "the lowered module has no function @%s", functions[i]);
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use;
         use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function)
        time_call(&w, user, i);
    }
  }
  LLVMDisposeBuilder(w.builder);
  return status;
}
