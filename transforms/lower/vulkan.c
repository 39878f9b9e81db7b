//===- vulkan.c - From a scheduled module to a device program for Vulkan --------------===//

#include "transforms/lower/vulkan.h"

#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "transforms/ir.h"
#include "transforms/lower/bufferize.h"
#include "transforms/lower/device_program.h"
#include "transforms/lower/element_loops.h"
#include "transforms/lower/kernel_memory.h"
#include "transforms/lower/lanes.h"
#include "transforms/lower/launch_kernels.h"
#include "transforms/lower/launch_values.h"
#include "transforms/lower/launches.h"
#include "transforms/lower/memory.h"
#include "transforms/lower/pipeline.h"
#include "transforms/lower/spirv.h"
#include "transforms/lower/spirv_tools.h"
#include "transforms/lower/vector_pieces.h"
#include "transforms/lower/warm_up.h"
#include "transforms/op_list.h"

#include <stdio.h>
#include <stdlib.h>

#define GENERALIZE "linalg-generalize-named-ops"
// What is left in kernels: loops, and accesses to whole buffers.
#define OPEN "convert-linalg-to-loops,scf-forall-to-for,fold-memref-alias-ops,canonicalize,cse"
// A task of a whole module is a function of its own until here.
#define INLINE "inline{default-pipeline=},symbol-dce"
#define PLAIN "fold-memref-alias-ops,expand-strided-metadata,lower-affine,canonicalize,cse"
#define OUTLINE "gpu-kernel-outlining"

#define OPTION_PREFIX "tune.spirv."

struct tune_vulkan_lowering {
  MlirContext context;
  tune_device device;
  tune_bufferizer bufferizer;
  MlirPassManager generalize, open, inline_calls, plain, outline;
  tune_spirv *spirv;
};

static tune_status init(tune_vulkan_lowering *lowering, MlirContext context,
                        const tune_vulkan_options *options) {
  lowering->context = context;
  lowering->device = tune_device_least();
  if (options->device)
    TUNE_RETURN_IF_ERROR(tune_device_read(options->device, &lowering->device));
  TUNE_RETURN_IF_ERROR(tune_bufferizer_init(&lowering->bufferizer, context));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, GENERALIZE, &lowering->generalize));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, OPEN, &lowering->open));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, INLINE, &lowering->inline_calls));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, PLAIN, &lowering->plain));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, OUTLINE, &lowering->outline));
  return tune_spirv_create(context, &lowering->device, &lowering->spirv);
}

tune_status tune_vulkan_lowering_create(MlirContext context, const tune_vulkan_options *options,
                                        tune_vulkan_lowering **out_lowering) {
  *out_lowering = NULL;
  tune_vulkan_lowering *lowering = calloc(1, sizeof *lowering);
  if (!lowering)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making a lowering");
  tune_status status = init(lowering, context, options);
  if (!tune_status_is_ok(status)) {
    tune_vulkan_lowering_destroy(lowering);
    return status;
  }
  *out_lowering = lowering;
  return TUNE_OK;
}

void tune_vulkan_lowering_destroy(tune_vulkan_lowering *lowering) {
  if (!lowering)
    return;
  tune_bufferizer_deinit(&lowering->bufferizer);
  tune_pipeline_destroy(lowering->generalize);
  tune_pipeline_destroy(lowering->open);
  tune_pipeline_destroy(lowering->inline_calls);
  tune_pipeline_destroy(lowering->plain);
  tune_pipeline_destroy(lowering->outline);
  tune_spirv_destroy(lowering->spirv);
  free(lowering);
}

//===--------------------------------------------------------------------------===//
// Options
//===--------------------------------------------------------------------------===//

static MlirBlock body_of(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

// What a function says of its kernels goes to their launches: the functions of a module's tasks end
// up in one.
static tune_status spread_options(MlirOperation function) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(function); ++i) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetDiscardableAttribute(function, i).name);
    if (tune_ir_string_starts(name, OPTION_PREFIX) &&
        !tune_ir_string_equal(name, TUNE_SPIRV_OPT_ATTRIBUTE))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                 "%.*s is no option of the lowering to SPIR-V; there "
                                 "is " TUNE_SPIRV_OPT_ATTRIBUTE,
                                 (int)name.length, name.data);
  }
  MlirAttribute opt = tune_ir_attribute(function, TUNE_SPIRV_OPT_ATTRIBUTE);
  if (mlirAttributeIsNull(opt))
    return TUNE_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(body_of(function)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "gpu.launch") &&
        mlirAttributeIsNull(tune_ir_attribute(op, TUNE_SPIRV_OPT_ATTRIBUTE)))
      mlirOperationSetDiscardableAttributeByName(op, tune_ir_string(TUNE_SPIRV_OPT_ATTRIBUTE), opt);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// To launches
//===--------------------------------------------------------------------------===//

static bool is_whole(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) &&
         tune_kernel_memory_bytes(type) ==
             tune_kernel_memory_bytes(mlirValueGetType(tune_device_program_root(value)));
}

// The host copies whole buffers; kernels copy the rest.
static MlirWalkResult find_copy(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "memref.copy"))
    return MlirWalkResultAdvance;
  bool is_of_host = tune_ir_is(mlirOperationGetParentOperation(op), "func.func");
  if (is_of_host && is_whole(mlirOperationGetOperand(op, 0)) &&
      is_whole(mlirOperationGetOperand(op, 1)))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status open_copies(MlirOperation module) {
  tune_op_list copies = {0};
  mlirOperationWalk(module, find_copy, &copies, MlirWalkPreOrder);
  mlirContextGetOrLoadDialect(mlirOperationGetContext(module), tune_ir_string("linalg"));
  for (size_t i = 0; i < copies.count; ++i)
    tune_memory_open_copy(copies.ops[i]);
  bool failed = copies.failed;
  tune_op_list_deinit(&copies);
  return failed ? tune_status_make(TUNE_OUT_OF_MEMORY, "listing copies") : TUNE_OK;
}

typedef tune_status (*function_step)(tune_vulkan_lowering *lowering, MlirOperation function);

static tune_status for_each_function(tune_vulkan_lowering *lowering, MlirOperation module,
                                     function_step step) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body_of(module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func") && !mlirBlockIsNull(body_of(op)))
      TUNE_RETURN_IF_ERROR(step(lowering, op));
  return TUNE_OK;
}

static tune_status open_launches(tune_vulkan_lowering *lowering, MlirOperation function) {
  TUNE_RETURN_IF_ERROR(tune_element_loops_open(function));
  TUNE_RETURN_IF_ERROR(tune_lanes_open(
      function, lowering->device.has_subgroup_arithmetic ? lowering->device.subgroup_size : 0));
  TUNE_RETURN_IF_ERROR(tune_launches_open(function, &lowering->device));
  TUNE_RETURN_IF_ERROR(spread_options(function));
  return tune_launch_values_sink(function);
}

// Cleaning up has moved constants out of the launches again.
static tune_status open_vectors(tune_vulkan_lowering *lowering, MlirOperation function) {
  (void)lowering;
  TUNE_RETURN_IF_ERROR(tune_launch_values_sink(function));
  return tune_vector_pieces_open(function);
}

static tune_status lower_to_launches(tune_vulkan_lowering *lowering, MlirOperation module,
                                     const char *name, const tune_function_signature *signature,
                                     MlirOperation *out_function) {
  TUNE_RETURN_IF_ERROR(tune_bufferizer_run(&lowering->bufferizer, module));
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, name, out_function));
  TUNE_RETURN_IF_ERROR(tune_memory_place_results(*out_function, signature));
  TUNE_RETURN_IF_ERROR(open_copies(module));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(lowering->generalize, module, "generalizing"));
  TUNE_RETURN_IF_ERROR(for_each_function(lowering, module, open_launches));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(lowering->open, module, "lowering kernels to loops"));
  TUNE_RETURN_IF_ERROR(for_each_function(lowering, module, open_vectors));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(lowering->inline_calls, module, "inlining"));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(lowering->plain, module, "making accesses plain"));
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, name, out_function));
  return tune_launch_values_sink(*out_function);
}

//===--------------------------------------------------------------------------===//
// Whole builds
//===--------------------------------------------------------------------------===//

static tune_status print_modules(MlirOperation module, MlirOperation kernels, char **out_bytes,
                                 size_t *out_size) {
  char *host = NULL, *device = NULL;
  tune_status status = tune_ir_print(module, false, &host);
  if (tune_status_is_ok(status))
    status = tune_ir_print(kernels, false, &device);
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "%s\n%s", host ? host : "", device ? device : "");
  free(host);
  free(device);
  if (tune_status_is_ok(status)) {
    *out_size = text.length;
    status = tune_string_builder_finish(&text, out_bytes);
  }
  tune_string_builder_deinit(&text);
  return status;
}

static tune_status disassemble(const tune_device_kernels *kernels, const tune_device *device,
                               char **out_bytes, size_t *out_size) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < kernels->count && tune_status_is_ok(status); ++i) {
    const tune_device_kernel *kernel = &kernels->items[i];
    tune_spirv_code code = {.words = kernel->code,
                            .word_count = kernel->code_size / sizeof *code.words};
    char *one;
    status = tune_spirv_disassemble(&code, device, &one);
    if (tune_status_is_ok(status))
      tune_string_builder_append(&text, one);
    free(one);
  }
  if (tune_status_is_ok(status)) {
    *out_size = text.length;
    status = tune_string_builder_finish(&text, out_bytes);
  }
  tune_string_builder_deinit(&text);
  return status;
}

static tune_status emit_code(tune_vulkan_lowering *lowering, MlirOperation module,
                             MlirOperation function, MlirOperation kernels, tune_emit emit,
                             char **out_bytes, size_t *out_size, tune_cpu_report *report) {
  tune_device_kernels described = {0};
  double start = tune_clock_seconds();
  tune_status status = tune_spirv_convert(lowering->spirv, kernels, &described);
  report->lower += tune_clock_seconds() - start;
  if (tune_status_is_ok(status) && emit == TUNE_EMIT_MLIR)
    status = print_modules(module, kernels, out_bytes, out_size);
  else if (tune_status_is_ok(status)) {
    start = tune_clock_seconds();
    status = tune_spirv_serialize(lowering->spirv, kernels, &described);
    report->codegen = tune_clock_seconds() - start;
    if (tune_status_is_ok(status))
      status = emit == TUNE_EMIT_ASSEMBLY
                   ? disassemble(&described, &lowering->device, out_bytes, out_size)
                   : tune_device_program_write(function, "vulkan", &described, out_bytes, out_size);
  }
  tune_device_kernels_deinit(&described);
  return status;
}

tune_status tune_vulkan_lowering_run(tune_vulkan_lowering *lowering, MlirOperation module,
                                     const char *function_name,
                                     const tune_function_signature *signature, tune_emit emit,
                                     char **out_bytes, size_t *out_size,
                                     tune_cpu_report *out_report) {
  *out_bytes = NULL;
  *out_size = 0;
  tune_cpu_report report = {0};
  if (emit == TUNE_EMIT_LLVM)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "there is no LLVM IR of what runs on Vulkan: it is SPIR-V");
  double start = tune_clock_seconds();
  MlirOperation function, kernels;
  tune_status status = lower_to_launches(lowering, module, function_name, signature, &function);
  if (tune_status_is_ok(status))
    status = tune_launch_kernels_outline(module, function, lowering->outline);
  if (tune_status_is_ok(status))
    status = tune_launch_kernels_copy(module, function, &kernels);
  report.lower = tune_clock_seconds() - start;
  if (tune_status_is_ok(status)) {
    status = emit_code(lowering, module, function, kernels, emit, out_bytes, out_size, &report);
    mlirOperationDestroy(kernels);
  }
  if (out_report)
    *out_report = report;
  return status;
}

static tune_status run_once(void *lowering, MlirOperation module, const char *function,
                            const tune_function_signature *signature, char **out_bytes) {
  size_t size;
  return tune_vulkan_lowering_run(lowering, module, function, signature, TUNE_EMIT_OBJECT,
                                  out_bytes, &size, NULL);
}

tune_status tune_vulkan_lowering_warm_up(tune_vulkan_lowering *lowering) {
  return tune_warm_up(lowering->context, run_once, lowering);
}
