//===- cpu.c - The lowering for CPUs -----------------------------------------===//

#include "transforms/lower/cpu/cpu.h"

#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/bufferize/bufferize.h"
#include "transforms/lower/common/blocks.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/common/parallel_loops.h"
#include "transforms/lower/common/pipeline.h"
#include "transforms/lower/common/unordered.h"
#include "transforms/lower/common/warm_up.h"
#include "transforms/lower/cpu/accumulator_promotion.h"
#include "transforms/lower/cpu/arena/arena.h"
#include "transforms/lower/cpu/arena/handed_memory.h"
#include "transforms/lower/cpu/bf16_moves.h"
#include "transforms/lower/cpu/carried_sums.h"
#include "transforms/lower/cpu/code.h"
#include "transforms/lower/cpu/entry.h"
#include "transforms/lower/cpu/float_promotion.h"
#include "transforms/lower/cpu/function_modules.h"
#include "transforms/lower/cpu/leaning.h"
#include "transforms/lower/cpu/nests/nest_vectors.h"
#include "transforms/lower/cpu/padding.h"
#include "transforms/lower/cpu/reference_functions.h"
#include "transforms/lower/cpu/reference_loops.h"
#include "transforms/lower/cpu/small_loops.h"
#include "transforms/lower/cpu/store_order.h"
#include "transforms/lower/cpu/strided_copies.h"
#include "transforms/lower/cpu/vectors/kernel_reads.h"
#include "transforms/lower/cpu/vectors/math.h"
#include "transforms/lower/cpu/weights/panel_ahead.h"
#include "transforms/lower/cpu/weights/prepack.h"
#include "transforms/lower/cpu/wide_operands.h"

#include <stdio.h>
#include <stdlib.h>

#define GIVE_BACK_MEMORY                                                                           \
  "expand-realloc,canonicalize,ownership-based-buffer-deallocation,canonicalize,"                  \
  "buffer-deallocation-simplification,bufferization-lower-deallocations,cse,canonicalize,"         \
  "convert-bufferization-to-memref"

// A function that returns an argument's memory need not.
#define DROP_RESULTS "drop-equivalent-buffer-results"

// Memory that a loop carries from step to step and leaves what it is, goes around it no more.
#define SETTLE_LOOPS "canonicalize"

#define LOOPS_OF_LINALG "convert-linalg-to-loops"

#define FORALL_TO_LOOPS "scf-forall-to-for"
#define FORALL_TO_THREADS "scf-forall-to-parallel,convert-scf-to-openmp"

// fold-memref-alias-ops and expand-strided-metadata come before vectors become loops, so that views
// are gone when addresses are computed. math-expand-ops only takes what LLVM has no code for.
// convert-openmp-to-llvm takes memrefs along, with plain malloc, so it comes after them. What ends
// a memref.alloca_scope, which convert-scf-to-openmp makes, has to be in its last block when
// memrefs are converted, and convert-cf-to-llvm puts another one behind it for each cf.assert.
#define BEFORE_FORALL "func.func(lower-vector-multi-reduction),fold-memref-alias-ops"
#define TO_LLVM                                                                                    \
  "expand-strided-metadata,convert-vector-to-scf{full-unroll=true},lower-affine,"                  \
  "func.func(math-expand-ops{ops=fpowi}),convert-scf-to-cf,"                                       \
  "convert-vector-to-llvm{enable-x86vector=true reassociate-fp-reductions=true},"                  \
  "convert-complex-to-llvm,convert-math-to-llvm,convert-math-to-libm,"                             \
  "convert-func-to-llvm,convert-ub-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"           \
  "finalize-memref-to-llvm{use-generic-functions=1},convert-cf-to-llvm"
#define LAST "reconcile-unrealized-casts"

struct tune_cpu_lowering {
  MlirContext context;
  tune_llvm_target target;
  int threads;
  bool has_threads; // more than one
  tune_bufferizer bufferizer;
  MlirPassManager drop_results;
  MlirPassManager settle_loops; // what loops carry and never change
  MlirPassManager give_back_memory;
  MlirPassManager generalize; // named ops that are left, to linalg.generic
  MlirPassManager to_loops;   // what threads would share, to loops
  MlirPassManager convert;
};

static tune_status make_all_passes(tune_cpu_lowering *lowering) {
  TUNE_RETURN_IF_ERROR(
      tune_pipeline_create(lowering->context, GIVE_BACK_MEMORY, &lowering->give_back_memory));
  TUNE_RETURN_IF_ERROR(
      tune_pipeline_create(lowering->context, DROP_RESULTS, &lowering->drop_results));
  TUNE_RETURN_IF_ERROR(
      tune_pipeline_create(lowering->context, SETTLE_LOOPS, &lowering->settle_loops));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(lowering->context, "linalg-generalize-named-ops",
                                            &lowering->generalize));
  TUNE_RETURN_IF_ERROR(
      tune_pipeline_create(lowering->context, FORALL_TO_LOOPS, &lowering->to_loops));
  static const char ONE_THREAD[] =
      LOOPS_OF_LINALG "," BEFORE_FORALL "," FORALL_TO_LOOPS "," TO_LLVM "," LAST;
  static const char THREADS[] = LOOPS_OF_LINALG "," BEFORE_FORALL "," FORALL_TO_THREADS "," TO_LLVM
                                                ",convert-openmp-to-llvm," LAST;
  return tune_pipeline_create(lowering->context, lowering->has_threads ? THREADS : ONE_THREAD,
                              &lowering->convert);
}

tune_status tune_cpu_lowering_create(MlirContext context, const tune_cpu_options *options,
                                     tune_cpu_lowering **out_lowering) {
  *out_lowering = NULL;
  tune_cpu_lowering *lowering = calloc(1, sizeof *lowering);
  if (!lowering)
    return tune_status_out_of_memory("making a lowering");
  lowering->context = context;
  lowering->threads = options->threads;
  lowering->has_threads = options->threads > 1;
  tune_status status =
      tune_llvm_target_init(&lowering->target, options->triple, options->cpu, options->features);
  if (tune_status_is_ok(status))
    status = tune_bufferizer_init(&lowering->bufferizer, context);
  if (tune_status_is_ok(status))
    status = make_all_passes(lowering);
  if (!tune_status_is_ok(status)) {
    tune_cpu_lowering_destroy(lowering);
    return status;
  }
  *out_lowering = lowering;
  return TUNE_OK;
}

void tune_cpu_lowering_destroy(tune_cpu_lowering *lowering) {
  if (!lowering)
    return;
  tune_bufferizer_deinit(&lowering->bufferizer);
  tune_pipeline_destroy(lowering->drop_results);
  tune_pipeline_destroy(lowering->settle_loops);
  tune_pipeline_destroy(lowering->give_back_memory);
  tune_pipeline_destroy(lowering->generalize);
  tune_pipeline_destroy(lowering->to_loops);
  tune_pipeline_destroy(lowering->convert);
  tune_llvm_target_deinit(&lowering->target);
  free(lowering);
}

//===--------------------------------------------------------------------------===//
// MLIR
//===--------------------------------------------------------------------------===//

// The first op that no conversion took, or a null one.
static MlirWalkResult find_unlowered(MlirOperation op, void *user_data) {
  MlirOperation *found = user_data;
  MlirStringRef name = tune_ir_name(op);
  if (tune_ir_string_starts(name, "llvm.") || tune_ir_string_starts(name, "omp.") ||
      tune_ir_string_equal(name, "builtin.module") ||
      tune_ir_string_equal(name, "builtin.unrealized_conversion_cast"))
    return MlirWalkResultAdvance;
  *found = op;
  return MlirWalkResultInterrupt;
}

// Conversions leave what they do not know; the translation would only complain of the casts around.
static tune_status check_lowered(MlirOperation module) {
  MlirOperation op = {NULL};
  mlirOperationWalk(module, find_unlowered, &op, MlirWalkPreOrder);
  if (mlirOperationIsNull(op))
    return TUNE_OK;
  MlirStringRef name = tune_ir_name(op);
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                             "%.*s is left after lowering; a schedule has to lower it",
                             (int)name.length, name.data);
}

// Where a loop that threads share is the last thing that its omp.parallel does, they wait for each
// other at the end of that anyway.
static MlirWalkResult wait_once(MlirOperation op, void *user_data) {
  (void)user_data;
  if (tune_ir_is(op, "omp.wsloop") &&
      tune_ir_is(mlirOperationGetParentOperation(op), "omp.parallel") &&
      tune_ir_is(mlirOperationGetNextInBlock(op), "omp.terminator"))
    mlirOperationSetAttributeByName(op, tune_ir_string("nowait"),
                                    mlirUnitAttrGet(mlirOperationGetContext(op)));
  return MlirWalkResultAdvance;
}

// With `out_arena` buffers of functions that call others are laid together first.
static tune_status give_back_memory(tune_cpu_lowering *lowering, MlirOperation module,
                                    tune_arena_report *out_arena) {
  if (lowering->has_threads)
    TUNE_RETURN_IF_ERROR(tune_parallel_loops_lower(module));
  if (tune_memory_has_allocations(module))
    TUNE_RETURN_IF_ERROR(tune_blocks_lift(module, true));
  if (out_arena) {
    TUNE_RETURN_IF_ERROR(tune_handed_memory_temporaries(module, lowering->has_threads));
    TUNE_RETURN_IF_ERROR(tune_arena_make(module, lowering->threads, out_arena));
  }
  if (tune_memory_has_allocations(module))
    TUNE_RETURN_IF_ERROR(
        tune_pipeline_run(lowering->give_back_memory, module, "giving memory back"));
  return tune_memory_open_copies(module);
}

// What one thread has done before others would have begun stays with it.
static tune_status leave_small_loops(tune_cpu_lowering *lowering, MlirOperation module) {
  MlirBlock body = tune_ir_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func") && tune_small_loops_are_all(op))
      TUNE_RETURN_IF_ERROR(tune_pipeline_run(lowering->to_loops, op, "leaving loops to a thread"));
  return TUNE_OK;
}

static tune_status convert(tune_cpu_lowering *lowering, MlirOperation module,
                           const tune_math_options *math) {
  if (lowering->has_threads)
    TUNE_RETURN_IF_ERROR(leave_small_loops(lowering, module));
  tune_memory_hoist_stack(module, lowering->has_threads);
  TUNE_RETURN_IF_ERROR(tune_store_order_run(module));
  TUNE_RETURN_IF_ERROR(tune_math_lower(module, math, &lowering->target));
  TUNE_RETURN_IF_ERROR(
      tune_pipeline_run(lowering->convert, module, "lowering to the LLVM dialect"));
  TUNE_RETURN_IF_ERROR(check_lowered(module));
  if (lowering->has_threads)
    mlirOperationWalk(module, wait_once, NULL, MlirWalkPreOrder);
  return tune_bf16_moves_run(module, tune_math_lacks_bf16(&lowering->target));
}

static tune_status convert_with_parts(tune_cpu_lowering *lowering, MlirOperation module,
                                      const tune_math_options *math,
                                      const tune_function_modules *parts) {
  for (size_t i = 0; i < parts->count; ++i)
    TUNE_RETURN_IF_ERROR(convert(lowering, parts->items[i].module, &parts->items[i].math));
  return convert(lowering, module, math);
}

// What a schedule marks for it becomes loops of vectors. What none has turned into loops or vectors
// becomes loops: in the reference's order, so
// that a default is not slower than what it is checked against.
static tune_status order_loops(tune_cpu_lowering *lowering, MlirOperation module) {
  TUNE_RETURN_IF_ERROR(tune_nest_vectors_make(module));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(lowering->generalize, module, "generalizing"));
  tune_reference_loops_order(module);
  return TUNE_OK;
}

// The loops of a batch in turns (transforms/normalize/batches.h) carry what they leave.
static MlirWalkResult find_carrying_loop(MlirOperation op, void *user_data) {
  bool carries = false;
  for (intptr_t i = 0; tune_ir_is(op, "scf.for") && i < mlirOperationGetNumResults(op); ++i)
    carries |= mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, i)));
  *(bool *)user_data |= carries;
  return carries ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static tune_status settle_loops(tune_cpu_lowering *lowering, MlirOperation module) {
  MlirBlock body = tune_ir_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    bool found = false;
    if (tune_ir_is(op, "func.func") && tune_ir_has_calls(op))
      mlirOperationWalk(op, find_carrying_loop, &found, MlirWalkPreOrder);
    if (found)
      TUNE_RETURN_IF_ERROR(tune_pipeline_run(lowering->settle_loops, op, "settling loops"));
  }
  return TUNE_OK;
}

static tune_status bufferize(tune_cpu_lowering *lowering, MlirOperation module, bool is_plain) {
  if (!is_plain)
    TUNE_RETURN_IF_ERROR(tune_handed_memory_separate(module));
  TUNE_RETURN_IF_ERROR(tune_bufferizer_run(&lowering->bufferizer, module));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(lowering->drop_results, module, "dropping results"));
  return is_plain ? TUNE_OK : settle_loops(lowering, module);
}

static void emit_c_interface(MlirOperation module, const char *name) {
  mlirOperationSetAttributeByName(tune_ir_find_symbol(module, tune_ir_string(name)),
                                  tune_ir_string("llvm.emit_c_interface"),
                                  mlirUnitAttrGet(mlirOperationGetContext(module)));
}

// Marks of arguments have been looked at. LLVM's translation takes time as the square of a
// function's arguments where one of them has an attribute, and a network's weights are many.
static void forget_argument_marks(MlirOperation function) {
  MlirAttribute all = tune_ir_attribute(function, "arg_attrs");
  intptr_t count = mlirAttributeIsNull(all) ? 0 : mlirArrayAttrGetNumElements(all);
  for (intptr_t i = 0; i < count; ++i) {
    MlirAttribute of_one = mlirArrayAttrGetElement(all, i);
    for (intptr_t k = 0; k < mlirDictionaryAttrGetNumElements(of_one); ++k)
      if (!tune_ir_string_starts(mlirIdentifierStr(mlirDictionaryAttrGetElement(of_one, k).name),
                                 "tune."))
        return;
  }
  mlirOperationRemoveAttributeByName(function, tune_ir_string("arg_attrs"));
}

// The plain lowering has no `out_prepack`: nothing is packed ahead, and ops stay as they are.
static tune_status lower_to_llvm_dialect(tune_cpu_lowering *lowering, MlirOperation module,
                                         const char *name, const tune_function_signature *signature,
                                         tune_llvm_options *options, tune_prepack *out_prepack,
                                         tune_arena_report *out_arena,
                                         tune_function_modules *out_parts) {
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, name, &function));
  TUNE_RETURN_IF_ERROR(tune_llvm_options_take(function, options));
  tune_math_options math = tune_math_options_default();
  TUNE_RETURN_IF_ERROR(tune_math_options_take(function, &math));
  TUNE_RETURN_IF_ERROR(bufferize(lowering, module, !out_prepack));
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, name, &function));
  TUNE_RETURN_IF_ERROR(tune_memory_place_results(function, signature));
  emit_c_interface(module, name);
  if (out_prepack) {
    TUNE_RETURN_IF_ERROR(tune_handed_memory_results(module));
    TUNE_RETURN_IF_ERROR(tune_wide_operands_run(module, lowering->has_threads));
    TUNE_RETURN_IF_ERROR(tune_carried_sums_run(module));
    TUNE_RETURN_IF_ERROR(tune_prepack_split(module, function, lowering->has_threads, out_prepack));
    if (out_prepack->function)
      emit_c_interface(module, out_prepack->function);
    TUNE_RETURN_IF_ERROR(tune_padding_lower(module, lowering->has_threads));
  }
  TUNE_RETURN_IF_ERROR(give_back_memory(lowering, module, out_prepack ? out_arena : NULL));
  if (out_prepack) {
    TUNE_RETURN_IF_ERROR(tune_strided_copies_vectorize(module));
    TUNE_RETURN_IF_ERROR(tune_panel_ahead_run(module));
  }
  TUNE_RETURN_IF_ERROR(order_loops(lowering, module));
  if (out_prepack) {
    TUNE_RETURN_IF_ERROR(tune_float_promotion_run(module));
    TUNE_RETURN_IF_ERROR(tune_kernel_reads_run(module));
  } else {
    tune_accumulator_promotion_run(module);
    TUNE_RETURN_IF_ERROR(tune_leaning_add(module, name));
    TUNE_RETURN_IF_ERROR(tune_reference_loops_tile_products(module));
    TUNE_RETURN_IF_ERROR(tune_reference_functions_make(module));
  }
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, name, &function));
  forget_argument_marks(function);
  TUNE_RETURN_IF_ERROR(tune_function_modules_split(module, name, out_parts));
  return convert_with_parts(lowering, module, &math, out_parts);
}

// The one decision about the backend that the LLVM dialect has a place for.
static void pass_vector_width(const tune_function_module *part) {
  if (part->llvm.prefer_vector_width <= 0)
    return;
  MlirContext context = mlirOperationGetContext(part->module);
  char width[32];
  snprintf(width, sizeof width, "%lld", (long long)part->llvm.prefer_vector_width);
  MlirAttribute pair[] = {mlirStringAttrGet(context, tune_ir_string("prefer-vector-width")),
                          mlirStringAttrGet(context, tune_ir_string(width))};
  MlirAttribute list = mlirArrayAttrGet(context, 2, pair);
  MlirOperation function = tune_ir_find_symbol(part->module, tune_ir_string(part->function));
  mlirOperationSetAttributeByName(function, tune_ir_string("passthrough"),
                                  mlirArrayAttrGet(context, 1, &list));
}

tune_status tune_cpu_lowering_run_module(tune_cpu_lowering *lowering, MlirOperation module) {
  TUNE_RETURN_IF_ERROR(bufferize(lowering, module, false));
  TUNE_RETURN_IF_ERROR(tune_handed_memory_results(module));
  TUNE_RETURN_IF_ERROR(tune_wide_operands_run(module, lowering->has_threads));
  TUNE_RETURN_IF_ERROR(tune_padding_lower(module, lowering->has_threads));
  tune_arena_report arena;
  TUNE_RETURN_IF_ERROR(give_back_memory(lowering, module, &arena));
  TUNE_RETURN_IF_ERROR(tune_strided_copies_vectorize(module));
  TUNE_RETURN_IF_ERROR(tune_panel_ahead_run(module));
  TUNE_RETURN_IF_ERROR(order_loops(lowering, module));
  TUNE_RETURN_IF_ERROR(tune_float_promotion_run(module));
  TUNE_RETURN_IF_ERROR(tune_kernel_reads_run(module));
  tune_function_modules parts;
  TUNE_RETURN_IF_ERROR(tune_function_modules_split(module, NULL, &parts));
  for (size_t i = 0; i < parts.count; ++i)
    pass_vector_width(&parts.items[i]);
  tune_math_options math = tune_math_options_default();
  tune_status status = convert_with_parts(lowering, module, &math, &parts);
  if (tune_status_is_ok(status))
    tune_function_modules_merge(&parts, module);
  tune_function_modules_deinit(&parts);
  return status;
}

static bool is_unordered(MlirOperation module, const tune_function_modules *parts) {
  bool found = tune_unordered_find(module);
  for (size_t i = 0; i < parts->count && !found; ++i)
    found = tune_unordered_find(parts->items[i].module);
  return found;
}

//===--------------------------------------------------------------------------===//
// Whole builds
//===--------------------------------------------------------------------------===//

// The backend's decisions where the schedule has none.
static tune_llvm_options start_options(bool plain) {
  tune_llvm_options options = tune_llvm_options_default();
  if (plain) {
    options.opt_level = 2;
    options.contract = 0;
    // It makes whole modules of plain loops compile for a second and run hardly faster.
    options.loop_unroll = 0;
  }
  return options;
}

tune_status tune_cpu_lowering_run(tune_cpu_lowering *lowering, const tune_build_order *order,
                                  tune_code *out_code) {
  *out_code = (tune_code){.bytes = NULL};
  double start = tune_clock_seconds();
  tune_llvm_options options = start_options(order->plain);
  tune_function_modules parts = {0};
  tune_prepack prepack = {0};
  tune_arena_report arena = {0};
  tune_status status =
      lower_to_llvm_dialect(lowering, order->module, order->function, order->signature, &options,
                            order->plain ? NULL : &prepack, &arena, &parts);
  out_code->report.lower = tune_clock_seconds() - start;
  if (tune_status_is_ok(status) && order->emit == TUNE_EMIT_MLIR) {
    tune_function_modules_merge(&parts, order->module);
    status = tune_ir_print(order->module, false, &out_code->bytes);
    out_code->size = out_code->bytes ? strlen(out_code->bytes) : 0;
  } else if (tune_status_is_ok(status)) {
    tune_code_source source = {.module = order->module,
                               .parts = &parts,
                               .function = order->function,
                               .signature = order->signature,
                               .prepack = &prepack,
                               .options = &options,
                               .is_unordered = is_unordered(order->module, &parts),
                               .times_tasks = order->times_tasks};
    status = tune_code_generate(&source, &lowering->target, order->emit, out_code);
  }
  tune_function_modules_deinit(&parts);
  out_code->report.packs_ahead = tune_entry_takes_packed(&prepack);
  out_code->report.packs_at_load = tune_entry_packs_at_load(&prepack);
  out_code->report.arena = arena;
  tune_prepack_deinit(&prepack);
  return status;
}

static tune_status run_once(void *lowering, const tune_build_order *order, tune_code *out_code) {
  return tune_cpu_lowering_run(lowering, order, out_code);
}

tune_status tune_cpu_lowering_warm_up(tune_cpu_lowering *lowering) {
  return tune_warm_up(lowering->context, run_once, lowering);
}
