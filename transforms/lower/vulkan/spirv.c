//===- spirv.c - Conversion of kernels to SPIR-V -----------------------------===//

#include "transforms/lower/vulkan/spirv.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/pipeline.h"
#include "transforms/lower/gpu/kernel_loops.h"
#include "transforms/lower/gpu/kernel_memory.h"
#include "transforms/lower/gpu/kernel_types.h"
#include "transforms/lower/gpu/launch_grid.h"
#include "transforms/lower/gpu/launch_sinking.h"
#include "transforms/lower/gpu/value_sinking.h"
#include "transforms/lower/vulkan/extended_compares.h"
#include "transforms/lower/vulkan/float_emulation.h"
#include "transforms/lower/vulkan/odd_integers.h"
#include "transforms/lower/vulkan/shader_math.h"
#include "transforms/lower/vulkan/spirv_environment.h"
#include "transforms/lower/vulkan/spirv_loops.h"
#include "transforms/lower/vulkan/spirv_matrices.h"
#include "transforms/lower/vulkan/spirv_tools.h"
#include "transforms/lower/vulkan/texels.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLEAN "gpu.module(gpu.func(canonicalize,cse))"
#define CONVERT                                                                                    \
  "gpu.module(gpu.func(convert-math-to-spirv,map-memref-spirv-storage-class)),"                    \
  "convert-gpu-to-spirv,spirv.module(spirv-lower-abi-attrs)"
#define FINISH "spirv.module(canonicalize,cse,spirv-update-vce)"
#define SERIALIZE "gpu-module-to-binary"

// What upstream calls what it makes of a gpu.module.
#define SPIRV_PREFIX "__spv__"

#define ENVIRONMENT_ATTRIBUTE "spirv.target_env" // of what is in the op

#define TEXELS_ATTRIBUTE "tune.texels" // on a gpu.module: whether each argument is a texture

// Longer loops would be seconds in spirv-opt, and in the driver.
#define MOST_UNROLLED 64

struct tune_spirv {
  MlirContext context;
  tune_device device;
  MlirAttribute environments[TUNE_SPIRV_NEEDS_COUNT]; // #spirv.target_env
  MlirPassManager clean, convert, finish, serialize;
};

static tune_status init(tune_spirv *self, MlirContext context, const tune_device *device) {
  self->context = context;
  self->device = *device;
  mlirContextGetOrLoadDialect(context, tune_ir_string("spirv"));
  for (int needs = 0; needs < TUNE_SPIRV_NEEDS_COUNT; ++needs)
    TUNE_RETURN_IF_ERROR(tune_spirv_environment_make(context, device, (tune_spirv_needs)needs,
                                                     &self->environments[needs]));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, CLEAN, &self->clean));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, CONVERT, &self->convert));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, FINISH, &self->finish));
  return tune_pipeline_create(context, SERIALIZE, &self->serialize);
}

tune_status tune_spirv_create(MlirContext context, const tune_device *device,
                              tune_spirv **out_spirv) {
  *out_spirv = NULL;
  tune_spirv *self = calloc(1, sizeof *self);
  if (!self)
    return tune_status_out_of_memory("making a lowering to SPIR-V");
  tune_status status = init(self, context, device);
  if (!tune_status_is_ok(status)) {
    tune_spirv_destroy(self);
    return status;
  }
  *out_spirv = self;
  return TUNE_OK;
}

void tune_spirv_destroy(tune_spirv *self) {
  if (!self)
    return;
  tune_pipeline_destroy(self->clean);
  tune_pipeline_destroy(self->convert);
  tune_pipeline_destroy(self->finish);
  tune_pipeline_destroy(self->serialize);
  free(self);
}

//===--------------------------------------------------------------------------===//
// Kernels
//===--------------------------------------------------------------------------===//

static MlirOperation first_of(MlirOperation module, const char *name) {
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
  while (!mlirOperationIsNull(op) && !tune_ir_is(op, name))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static MlirWalkResult open_subgroup_reduce(MlirOperation op, void *user_data) {
  static const struct {
    const char *kind, *name;
  } BITWISE[] = {{"and", "spirv.GroupNonUniformBitwiseAnd"},
                 {"or", "spirv.GroupNonUniformBitwiseOr"},
                 {"xor", "spirv.GroupNonUniformBitwiseXor"}};
  (void)user_data;
  if (!tune_ir_is(op, "gpu.subgroup_reduce"))
    return MlirWalkResultAdvance;
  // Canonicalization says of reductions that all lanes take part in them, which makes them ops of
  // another capability, that of OpenCL.
  mlirOperationRemoveAttributeByName(op, tune_ir_string("uniform"));
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute kind = tune_ir_attribute(op, "op");
  for (size_t i = 0; i < sizeof BITWISE / sizeof *BITWISE; ++i) {
    char text[48];
    snprintf(text, sizeof text, "#gpu<all_reduce_op %s>", BITWISE[i].kind);
    if (!mlirAttributeEqual(kind, mlirAttributeParseGet(context, tune_ir_string(text))))
      continue;
    // Upstream does not convert these.
    tune_ir_builder builder = tune_ir_builder_before(op);
    MlirValue operand = mlirOperationGetOperand(op, 0);
    MlirType type = mlirValueGetType(operand);
    MlirNamedAttribute attributes[] = {
        tune_ir_named(context, "execution_scope",
                      mlirAttributeParseGet(context, tune_ir_string("#spirv.scope<Subgroup>"))),
        tune_ir_named(
            context, "group_operation",
            mlirAttributeParseGet(context, tune_ir_string("#spirv.group_operation<Reduce>")))};
    MlirValue made = tune_ir_build_result(&builder, &(tune_ir_parts){.name = BITWISE[i].name,
                                                                     .operand_count = 1,
                                                                     .operands = &operand,
                                                                     .type_count = 1,
                                                                     .types = &type,
                                                                     .attribute_count = 2,
                                                                     .attributes = attributes});
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), made);
    mlirOperationDestroy(op);
    return MlirWalkResultSkip;
  }
  return MlirWalkResultAdvance;
}

// Which arguments are textures is forgotten by what comes before SPIR-V.
static tune_status mark_texels(MlirOperation kernel, const tune_device_kernel *described) {
  int32_t *is_texels = calloc(described->argument_count + 1, sizeof *is_texels);
  if (!is_texels)
    return tune_status_out_of_memory("describing a kernel");
  for (size_t i = 0; i < described->argument_count; ++i)
    is_texels[i] = tune_launch_sinking_is_texels(
        mlirValueGetType(mlirBlockGetArgument(tune_ir_body(kernel), (intptr_t)i)));
  mlirOperationSetAttributeByName(
      mlirOperationGetParentOperation(kernel), tune_ir_string(TEXELS_ATTRIBUTE),
      mlirDenseI32ArrayGet(mlirOperationGetContext(kernel), (intptr_t)described->argument_count,
                           is_texels));
  free(is_texels);
  return TUNE_OK;
}

// SPIR-V has the size of a group in its code.
static tune_status set_group(const tune_spirv *self, MlirOperation kernel) {
  int64_t group[3];
  TUNE_RETURN_IF_ERROR(tune_launch_grid_read_group(kernel, &self->device, group));
  char text[128];
  snprintf(text, sizeof text, "#spirv.entry_point_abi<workgroup_size = [%lld, %lld, %lld]>",
           (long long)group[0], (long long)group[1], (long long)group[2]);
  mlirOperationSetAttributeByName(kernel, tune_ir_string("spirv.entry_point_abi"),
                                  mlirAttributeParseGet(self->context, tune_ir_string(text)));
  return TUNE_OK;
}

static tune_status read_opt(MlirOperation module, tune_spirv_opt *out_opt) {
  *out_opt = TUNE_SPIRV_OPT_NONE;
  MlirAttribute attribute = tune_ir_attribute(module, TUNE_SPIRV_OPT_ATTRIBUTE);
  if (mlirAttributeIsNull(attribute))
    return TUNE_OK;
  MlirStringRef word = tune_ir_string_attribute(module, TUNE_SPIRV_OPT_ATTRIBUTE);
  if (word.data && tune_spirv_opt_parse(word.data, word.length, out_opt))
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, module,
                             TUNE_SPIRV_OPT_ATTRIBUTE
                             ": expected \"none\", \"performance\", \"size\" or \"unroll\"");
}

static MlirWalkResult find_dot(MlirOperation op, void *user_data) {
  bool *has_dots = user_data;
  *has_dots |=
      tune_ir_is(op, "spirv.SDot") || tune_ir_is(op, "spirv.UDot") || tune_ir_is(op, "spirv.SUDot");
  return *has_dots ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static tune_spirv_needs find_needs(MlirOperation kernel) {
  if (tune_spirv_matrices_are_in(kernel))
    return TUNE_SPIRV_NEEDS_MATRICES;
  bool has_dots = false;
  mlirOperationWalk(kernel, find_dot, &has_dots, MlirWalkPreOrder);
  return has_dots ? TUNE_SPIRV_NEEDS_DOTS : TUNE_SPIRV_NEEDS_NOTHING;
}

static tune_status prepare_kernel(const tune_spirv *self, MlirOperation module,
                                  tune_device_kernel *out) {
  MlirOperation kernel = first_of(module, "gpu.func");
  TUNE_RETURN_IF_ERROR(tune_device_kernel_describe(kernel, self->device.subgroup_size, out));
  TUNE_RETURN_IF_ERROR(mark_texels(kernel, out));
  tune_spirv_opt opt;
  TUNE_RETURN_IF_ERROR(read_opt(module, &opt));
  TUNE_RETURN_IF_ERROR(tune_kernel_loops_check(kernel, &self->device,
                                               opt == TUNE_SPIRV_OPT_UNROLL ? MOST_UNROLLED : 0));
  TUNE_RETURN_IF_ERROR(set_group(self, kernel));
  mlirOperationWalk(kernel, open_subgroup_reduce, NULL, MlirWalkPostOrder);
  TUNE_RETURN_IF_ERROR(tune_kernel_types_check(kernel, &self->device));
  TUNE_RETURN_IF_ERROR(tune_kernel_memory_place(kernel, &self->device));
  tune_spirv_needs needs = find_needs(kernel);
  MlirAttribute environment = self->environments[needs];
  mlirOperationSetAttributeByName(module, tune_ir_string("targets"),
                                  mlirArrayAttrGet(self->context, 1, &environment));
  if (needs == TUNE_SPIRV_NEEDS_MATRICES)
    mlirOperationSetAttributeByName(module, tune_ir_string(ENVIRONMENT_ATTRIBUTE), environment);
  return TUNE_OK;
}

static tune_status prepare_kernels(const tune_spirv *self, MlirOperation kernels,
                                   tune_device_kernels *out) {
  TUNE_RETURN_IF_ERROR(tune_device_kernels_init(kernels, out));
  size_t index = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    TUNE_RETURN_IF_ERROR(prepare_kernel(self, op, &out->items[index++]));
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// In the SPIR-V dialect
//===--------------------------------------------------------------------------===//

static MlirOperation find_prefixed(MlirOperation kernels, MlirOperation module) {
  MlirStringRef name = tune_ir_string_attribute(module, "sym_name");
  size_t prefix = strlen(SPIRV_PREFIX);
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef other = tune_ir_string_attribute(op, "sym_name");
    if (tune_ir_is(op, "spirv.module") && other.length == prefix + name.length &&
        memcmp(other.data + prefix, name.data, name.length) == 0)
      return op;
  }
  return (MlirOperation){NULL};
}

// The variable of argument `index` in the spirv.module; null where the kernel does not use it.
static MlirOperation find_variable(MlirOperation spirv, size_t index) {
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(spirv));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    MlirAttribute binding = tune_ir_attribute(op, "binding");
    if (tune_ir_is(op, "spirv.GlobalVariable") && !mlirAttributeIsNull(binding) &&
        mlirIntegerAttrGetValueInt(binding) == (int64_t)index)
      return op;
  }
  return op;
}

static tune_status finish_module(const tune_spirv *self, MlirOperation kernels,
                                 MlirOperation module, const tune_device_kernel *kernel) {
  MlirOperation spirv = find_prefixed(kernels, module);
  if (mlirOperationIsNull(spirv))
    return tune_status_make(TUNE_INTERNAL, "upstream made no spirv.module of %s", kernel->name);
  MlirAttribute environment = tune_ir_attribute(module, ENVIRONMENT_ATTRIBUTE);
  if (!mlirAttributeIsNull(environment)) {
    mlirOperationSetAttributeByName(spirv, tune_ir_string(ENVIRONMENT_ATTRIBUTE), environment);
    tune_spirv_matrices_settle(spirv);
  }
  tune_spirv_loops_start(spirv);
  tune_spirv_opt opt;
  TUNE_RETURN_IF_ERROR(read_opt(module, &opt));
  if (opt == TUNE_SPIRV_OPT_UNROLL)
    tune_spirv_loops_mark(spirv, MOST_UNROLLED);
  MlirAttribute is_texels = tune_ir_attribute(module, TEXELS_ATTRIBUTE);
  for (size_t i = 0; i < kernel->argument_count; ++i) {
    MlirOperation variable = find_variable(spirv, i);
    if (mlirOperationIsNull(variable))
      continue;
    if (tune_device_kernel_is_aliased(kernel, module, i))
      mlirOperationSetAttributeByName(variable, tune_ir_string("aliased"),
                                      mlirUnitAttrGet(self->context));
    if (mlirDenseI32ArrayGetElement(is_texels, (intptr_t)i))
      TUNE_RETURN_IF_ERROR(tune_texels_lower(spirv, variable));
  }
  return TUNE_OK;
}

tune_status tune_spirv_convert(tune_spirv *self, MlirOperation kernels,
                               tune_device_kernels *out_kernels) {
  *out_kernels = (tune_device_kernels){0};
  TUNE_RETURN_IF_ERROR(tune_odd_integers_widen(kernels));
  TUNE_RETURN_IF_ERROR(tune_float_emulation_widen(kernels, &self->device));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->clean, kernels, "cleaning up kernels"));
  TUNE_RETURN_IF_ERROR(tune_extended_compares_narrow(kernels));
  TUNE_RETURN_IF_ERROR(tune_float_emulation_lower_words(kernels, &self->device));
  TUNE_RETURN_IF_ERROR(tune_shader_math_lower(kernels));
  TUNE_RETURN_IF_ERROR(tune_value_sinking_run(kernels));
  TUNE_RETURN_IF_ERROR(prepare_kernels(self, kernels, out_kernels));
  mlirOperationSetAttributeByName(kernels, tune_ir_string(ENVIRONMENT_ATTRIBUTE),
                                  self->environments[TUNE_SPIRV_NEEDS_NOTHING]);
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->convert, kernels, "converting kernels to SPIR-V"));
  size_t index = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "gpu.module"))
      TUNE_RETURN_IF_ERROR(finish_module(self, kernels, op, &out_kernels->items[index++]));
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->finish, kernels, "finishing SPIR-V"));
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "gpu.module") &&
        !mlirAttributeIsNull(tune_ir_attribute(op, ENVIRONMENT_ATTRIBUTE)))
      TUNE_RETURN_IF_ERROR(tune_spirv_matrices_declare(find_prefixed(kernels, op)));
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Words
//===--------------------------------------------------------------------------===//

// Puts the spirv.module into its gpu.module in place of the kernel: that is where upstream's
// serialization looks for it.
static void move_inside(MlirOperation kernels, MlirOperation module) {
  MlirOperation spirv = find_prefixed(kernels, module), next;
  MlirBlock body = tune_ir_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    mlirOperationDestroy(op);
  }
  mlirOperationRemoveFromParent(spirv);
  mlirBlockAppendOwnedOperation(body, spirv);
}

// Maxima and minima of GLSL.std.450, the only extended instructions there are, become those that
// take the number where one of two is NaN: upstream's dialect has the others alone, of which that
// is not said, and which drivers make the same code of.
static void settle_extrema(tune_spirv_code *code) {
  enum { HEADER = 5, EXTENDED = 12, WHICH = 4, FMIN = 37, FMAX = 40, NMIN = 79, NMAX = 80 };
  for (size_t at = HEADER; at < code->word_count;) {
    uint32_t *words = code->words + at, length = words[0] >> 16;
    if ((words[0] & 0xffff) == EXTENDED && length > WHICH && words[WHICH] == FMIN)
      words[WHICH] = NMIN;
    else if ((words[0] & 0xffff) == EXTENDED && length > WHICH && words[WHICH] == FMAX)
      words[WHICH] = NMAX;
    at += length ? length : code->word_count;
  }
}

static tune_status take_code(const tune_spirv *self, MlirOperation binary, tune_spirv_opt opt,
                             tune_device_kernel *kernel) {
  MlirStringRef object =
      mlirGPUObjectAttrGetObject(mlirArrayAttrGetElement(tune_ir_attribute(binary, "objects"), 0));
  tune_spirv_code code = {.words = malloc(object.length + 1),
                          .word_count = object.length / sizeof *code.words};
  if (!code.words)
    return tune_status_out_of_memory("taking the code of a kernel");
  memcpy(code.words, object.data, object.length);
  settle_extrema(&code);
  tune_status status = tune_spirv_validate(&code, &self->device, kernel->name);
  if (tune_status_is_ok(status) && opt != TUNE_SPIRV_OPT_NONE) {
    status = tune_spirv_optimize(&code, &self->device, opt);
    if (tune_status_is_ok(status))
      status = tune_spirv_validate(&code, &self->device, kernel->name);
  }
  kernel->code = code.words;
  kernel->code_size = code.word_count * sizeof *code.words;
  return status;
}

static tune_status serialize(tune_spirv *self, MlirOperation kernels, tune_spirv_opt *opts,
                             tune_device_kernels *out_kernels) {
  size_t index = 0;
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels)), next;
  for (; !mlirOperationIsNull(op) && index < out_kernels->count; op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!tune_ir_is(op, "gpu.module"))
      continue;
    TUNE_RETURN_IF_ERROR(read_opt(op, &opts[index++]));
    if (mlirOperationEqual(next, find_prefixed(kernels, op)))
      next = mlirOperationGetNextInBlock(next);
    move_inside(kernels, op);
  }
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->serialize, kernels, "serializing SPIR-V"));
  index = 0;
  for (op = mlirBlockGetFirstOperation(tune_ir_body(kernels)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "gpu.binary")) {
      TUNE_RETURN_IF_ERROR(take_code(self, op, opts[index], &out_kernels->items[index]));
      ++index;
    }
  return TUNE_OK;
}

tune_status tune_spirv_serialize(tune_spirv *self, MlirOperation kernels,
                                 tune_device_kernels *out_kernels) {
  tune_spirv_opt *opts = calloc(out_kernels->count + 1, sizeof *opts);
  if (!opts)
    return tune_status_out_of_memory("serializing SPIR-V");
  tune_status status = serialize(self, kernels, opts, out_kernels);
  free(opts);
  return status;
}
