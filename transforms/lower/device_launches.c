//===- device_launches.c - Lowering of a scheduled module to kernels and their launches -===//

#include "transforms/lower/device_launches.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/bufferize/bufferize.h"
#include "transforms/lower/common/blocks.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/common/pipeline.h"
#include "transforms/lower/gpu/edge_peeling.h"
#include "transforms/lower/gpu/fallback_kernels.h"
#include "transforms/lower/gpu/host/host_branches.h"
#include "transforms/lower/gpu/host/host_functions.h"
#include "transforms/lower/gpu/host/host_scalars.h"
#include "transforms/lower/gpu/kernel_memory.h"
#include "transforms/lower/gpu/lanes.h"
#include "transforms/lower/gpu/launch_kernels.h"
#include "transforms/lower/gpu/launch_sinking.h"
#include "transforms/lower/gpu/launches.h"
#include "transforms/lower/gpu/load_elimination.h"
#include "transforms/lower/gpu/matmul/tile_temporaries.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul.h"
#include "transforms/lower/gpu/pad_folding.h"
#include "transforms/lower/gpu/vectors/texel_reuse.h"
#include "transforms/lower/gpu/vectors/vector_legalization.h"

#include <stdlib.h>

#define GENERALIZE "linalg-generalize-named-ops"
// What is left in kernels: loops, and accesses to whole buffers.
#define OPEN "convert-linalg-to-loops,scf-forall-to-for,fold-memref-alias-ops,canonicalize,cse"
#define REMOVE_CALLED "symbol-dce"
#define PLAIN "fold-memref-alias-ops,expand-strided-metadata,lower-affine,canonicalize,cse"
#define OUTLINE "gpu-kernel-outlining"

struct tune_device_launches {
  tune_device device;
  const char *const *options;
  tune_stages stages;
  tune_bufferizer bufferizer;
  MlirPassManager generalize, open, remove_called, plain, outline;
};

static tune_status init(tune_device_launches *self, MlirContext context) {
  TUNE_RETURN_IF_ERROR(tune_bufferizer_init(&self->bufferizer, context));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, GENERALIZE, &self->generalize));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, OPEN, &self->open));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, REMOVE_CALLED, &self->remove_called));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, PLAIN, &self->plain));
  return tune_pipeline_create(context, OUTLINE, &self->outline);
}

tune_status tune_device_launches_create(MlirContext context, const tune_device *device,
                                        const char *const *options, const tune_stages *stages,
                                        tune_device_launches **out_launches) {
  *out_launches = NULL;
  tune_device_launches *self = calloc(1, sizeof *self);
  if (!self)
    return tune_status_out_of_memory("making a lowering");
  self->device = *device;
  self->options = options;
  self->stages = *stages;
  tune_status status = init(self, context);
  if (!tune_status_is_ok(status)) {
    tune_device_launches_destroy(self);
    return status;
  }
  *out_launches = self;
  return TUNE_OK;
}

void tune_device_launches_destroy(tune_device_launches *self) {
  if (!self)
    return;
  tune_bufferizer_deinit(&self->bufferizer);
  tune_pipeline_destroy(self->generalize);
  tune_pipeline_destroy(self->open);
  tune_pipeline_destroy(self->remove_called);
  tune_pipeline_destroy(self->plain);
  tune_pipeline_destroy(self->outline);
  free(self);
}

//===--------------------------------------------------------------------------===//
// Copies
//===--------------------------------------------------------------------------===//

static bool is_whole(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) &&
         tune_kernel_memory_bytes(type) ==
             tune_kernel_memory_bytes(mlirValueGetType(tune_memory_access_root(value)));
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
  return failed ? tune_status_out_of_memory("listing copies") : TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// To launches
//===--------------------------------------------------------------------------===//

typedef tune_status (*function_step)(tune_device_launches *self, MlirOperation function);

// Has a body, and is not the host's.
static bool is_of_device(MlirOperation op) {
  return tune_ir_is(op, "func.func") && !mlirBlockIsNull(tune_ir_body(op)) &&
         !tune_host_functions_is(op);
}

static tune_status for_each_function(tune_device_launches *self, MlirOperation module,
                                     function_step step) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_of_device(op))
      TUNE_RETURN_IF_ERROR(step(self, op));
  return TUNE_OK;
}

static tune_status drop_assertions(tune_device_launches *self, MlirOperation function) {
  (void)self;
  return tune_host_scalars_drop_assertions(function);
}

// Branches and loops of functions become marks in one block.
static tune_status flatten(MlirOperation module) {
  TUNE_RETURN_IF_ERROR(tune_blocks_lift(module, false));
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_of_device(op))
      TUNE_RETURN_IF_ERROR(tune_host_branches_flatten(module, op));
  return TUNE_OK;
}

static tune_status open_edges(tune_device_launches *self, MlirOperation function) {
  (void)self;
  TUNE_RETURN_IF_ERROR(tune_tile_temporaries_remove(function));
  TUNE_RETURN_IF_ERROR(tune_pad_folding_lower(function));
  return tune_edge_peeling_lower(function);
}

static tune_status open_launches(tune_device_launches *self, MlirOperation function) {
  TUNE_RETURN_IF_ERROR(tune_fallback_kernels_lower(function));
  TUNE_RETURN_IF_ERROR(tune_workgroup_matmul_lower(function, &self->device));
  TUNE_RETURN_IF_ERROR(tune_lanes_lower(
      function, self->device.has_subgroup_arithmetic ? self->device.subgroup_size : 0));
  TUNE_RETURN_IF_ERROR(tune_launches_lower(function, &self->device));
  TUNE_RETURN_IF_ERROR(tune_launch_kernels_spread(function, self->options));
  return tune_launch_sinking_run(function);
}

// Cleaning up has moved constants out of the launches again.
static tune_status open_vectors(tune_device_launches *self, MlirOperation function) {
  TUNE_RETURN_IF_ERROR(tune_launch_sinking_run(function));
  TUNE_RETURN_IF_ERROR(tune_load_elimination_run(function));
  return tune_vector_legalization_lower(function, &self->device);
}

// Puts what the function called by `call` does in its place. Upstream's inliner stops at ops of
// dialects that do not say that they may be, as nvgpu.
static tune_status inline_call(MlirOperation module, MlirOperation call) {
  MlirOperation called =
      tune_ir_find_symbol(module, mlirFlatSymbolRefAttrGetValue(tune_ir_attribute(call, "callee")));
  if (mlirOperationIsNull(called) || mlirBlockIsNull(tune_ir_body(called)) ||
      !mlirBlockIsNull(mlirBlockGetNextInRegion(tune_ir_body(called))))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, call,
                               "a call of a function that is not here, or has branches; a device "
                               "program has neither");
  MlirOperation copy = mlirOperationClone(called);
  MlirBlock body = tune_ir_body(copy);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), mlirOperationGetOperand(call, i));
  MlirOperation back = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(call, i),
                                  mlirOperationGetOperand(back, i));
  tune_ir_builder builder = tune_ir_builder_before(call);
  tune_ir_move_body(&builder, body);
  mlirOperationDestroy(copy);
  mlirOperationDestroy(call);
  return TUNE_OK;
}

// A task of a whole module is a function of its own until here. What is called may call.
static tune_status inline_calls(MlirOperation module, MlirOperation function) {
  enum { MOST = 10000 };
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(function));
  for (int count = 0; !mlirOperationIsNull(op);) {
    if (!tune_ir_is(op, "func.call") || tune_host_branches_mark(op) != TUNE_MARK_NONE ||
        tune_host_functions_is_call(module, op)) {
      op = mlirOperationGetNextInBlock(op);
      continue;
    }
    if (++count > MOST)
      return tune_status_make_at(
          TUNE_INVALID_ARGUMENT, op,
          "functions that call each other: a device program does not come back "
          "to where it was called; build for a cpu");
    TUNE_RETURN_IF_ERROR(inline_call(module, op));
    op = mlirBlockGetFirstOperation(tune_ir_body(function));
  }
  return TUNE_OK;
}

static tune_status lower_to_launches(tune_device_launches *self, MlirOperation module,
                                     const char *name, const tune_function_signature *signature,
                                     tune_host_maker make, void *make_user,
                                     MlirOperation *out_function) {
  TUNE_RETURN_IF_ERROR(for_each_function(self, module, drop_assertions));
  TUNE_RETURN_IF_ERROR(tune_bufferizer_run(&self->bufferizer, module));
  TUNE_RETURN_IF_ERROR(tune_host_functions_cut(module));
  if (make)
    TUNE_RETURN_IF_ERROR(make(make_user, module));
  TUNE_RETURN_IF_ERROR(flatten(module));
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, name, out_function));
  TUNE_RETURN_IF_ERROR(tune_memory_place_results(*out_function, signature));
  TUNE_RETURN_IF_ERROR(for_each_function(self, module, open_edges));
  TUNE_RETURN_IF_ERROR(open_copies(module));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->generalize, module, "generalizing"));
  TUNE_RETURN_IF_ERROR(for_each_function(self, module, open_launches));
  tune_stages_reach(&self->stages, "launches", module);
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->open, module, "lowering kernels to loops"));
  tune_stages_reach(&self->stages, "loops", module);
  TUNE_RETURN_IF_ERROR(for_each_function(self, module, open_vectors));
  tune_stages_reach(&self->stages, "pieces", module);
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, name, out_function));
  TUNE_RETURN_IF_ERROR(inline_calls(module, *out_function));
  // What a user's function says holds for its tasks where their schedules do not say.
  TUNE_RETURN_IF_ERROR(tune_launch_kernels_spread(*out_function, self->options));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->remove_called, module, "removing functions"));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->plain, module, "making accesses plain"));
  tune_stages_reach(&self->stages, "plain", module);
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, name, out_function));
  TUNE_RETURN_IF_ERROR(tune_host_scalars_lower(*out_function, &self->device));
  TUNE_RETURN_IF_ERROR(tune_launch_sinking_run(*out_function));
  TUNE_RETURN_IF_ERROR(tune_host_scalars_clean(*out_function));
  return tune_texel_reuse_lower(*out_function);
}

tune_status tune_device_launches_run(tune_device_launches *self, MlirOperation module,
                                     const char *name, const tune_function_signature *signature,
                                     tune_host_maker make, void *make_user,
                                     MlirOperation *out_function, MlirOperation *out_kernels) {
  *out_kernels = (MlirOperation){NULL};
  TUNE_RETURN_IF_ERROR(
      lower_to_launches(self, module, name, signature, make, make_user, out_function));
  TUNE_RETURN_IF_ERROR(tune_launch_kernels_outline(module, *out_function, self->outline));
  tune_stages_reach(&self->stages, "kernels", module);
  return tune_launch_kernels_copy(module, *out_function, out_kernels);
}

void tune_device_launches_merge(MlirOperation module, MlirOperation kernels, const char *op_name) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!tune_ir_is(op, op_name))
      continue;
    MlirOperation other = tune_ir_find_symbol(module, tune_ir_string_attribute(op, "sym_name"));
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(tune_ir_body(module), op);
    if (!mlirOperationIsNull(other))
      mlirOperationDestroy(other);
  }
}

tune_status tune_device_launches_print(MlirOperation module, MlirOperation kernels,
                                       char **out_bytes, size_t *out_size) {
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
