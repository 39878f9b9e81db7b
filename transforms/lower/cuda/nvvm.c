//===- nvvm.c - Conversion of kernels to NVVM and PTX ------------------------===//

#include "transforms/lower/cuda/nvvm.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/pipeline.h"
#include "transforms/lower/cuda/nvvm_math.h"
#include "transforms/lower/cuda/nvvm_memory.h"
#include "transforms/lower/cuda/ptxas.h"
#include "transforms/lower/cuda/subgroup_shuffles.h"
#include "transforms/lower/gpu/kernel_memory.h"
#include "transforms/lower/gpu/launch_grid.h"
#include "transforms/lower/gpu/matmul/tensor_maps.h"
#include "transforms/lower/gpu/value_sinking.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLEAN "gpu.module(gpu.func(canonicalize,cse))"
// Indices of 32 bits: no buffer of a kernel has more elements (launches.h), and a GPU has registers
// of 32 bits. Upstream's conversion of nvgpu knows those of 64 alone.
#define CONVERT(BITS)                                                                              \
  "gpu.module(fold-memref-alias-ops,expand-strided-metadata,lower-affine,convert-nvgpu-to-nvvm,"   \
  "convert-scf-to-cf,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true index-bitwidth=" BITS  \
  "})"
#define FINISH                                                                                     \
  "gpu.module(convert-math-to-llvm,canonicalize,cse,reconcile-unrealized-casts,"                   \
  "convert-nvvm-to-llvm,symbol-dce)"
#define SERIALIZE "gpu-module-to-binary{format=isa}"

// Bytes that an invocation may spill: a few that do not matter, not a loop's.
#define MOST_SPILLED 256

struct tune_nvvm {
  MlirContext context;
  tune_device device;
  MlirAttribute target; // #nvvm.target
  // The same for code that runs on this compute capability alone; null where there is no such.
  MlirAttribute target_for_one;
  MlirPassManager clean, convert, convert_nvgpu, finish, serialize;
  tune_ptxas *ptxas; // NULL where there is none
};

// The PTX version that knows the compute capability, in LLVM's words: LLVM ends the program where
// it is an older one.
static const char *version_for(int arch) {
  static const struct {
    int arch; // and those before, down to that of the row above
    const char *version;
  } VERSIONS[] = {{80, "+ptx70"},  {86, "+ptx71"},  {87, "+ptx74"},  {88, "+ptx90"},
                  {90, "+ptx80"},  {102, "+ptx86"}, {103, "+ptx88"}, {110, "+ptx90"},
                  {120, "+ptx87"}, {121, "+ptx88"}};
  enum { COUNT = sizeof VERSIONS / sizeof *VERSIONS };
  size_t row = 0;
  while (row < COUNT - 1 && VERSIONS[row].arch < arch)
    ++row;
  return VERSIONS[row].version;
}

static tune_status parse_target(const tune_nvvm *self, const char *suffix,
                                MlirAttribute *out_target) {
  char text[128];
  snprintf(text, sizeof text, "#nvvm.target<O = 3, chip = \"sm_%d%s\", features = \"%s\">",
           self->device.arch, suffix, version_for(self->device.arch));
  *out_target = mlirAttributeParseGet(self->context, tune_ir_string(text));
  return mlirAttributeIsNull(*out_target)
             ? tune_status_make(TUNE_INTERNAL, "this MLIR does not take %s", text)
             : TUNE_OK;
}

static tune_status init(tune_nvvm *self, MlirContext context, const tune_device *device) {
  self->context = context;
  self->device = *device;
  static const char *const DIALECTS[] = {"gpu", "llvm", "memref", "nvgpu", "nvvm"};
  for (size_t i = 0; i < sizeof DIALECTS / sizeof *DIALECTS; ++i)
    mlirContextGetOrLoadDialect(context, tune_ir_string(DIALECTS[i]));
  TUNE_RETURN_IF_ERROR(parse_target(self, "", &self->target));
  if (device->arch == 90)
    TUNE_RETURN_IF_ERROR(parse_target(self, "a", &self->target_for_one));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, CLEAN, &self->clean));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, CONVERT("32"), &self->convert));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, CONVERT("64"), &self->convert_nvgpu));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, FINISH, &self->finish));
  TUNE_RETURN_IF_ERROR(tune_pipeline_create(context, SERIALIZE, &self->serialize));
  tune_status status = tune_ptxas_create(&self->ptxas);
  // One that is named and not there is a mistake, none at all is not.
  const char *named = getenv("TUNE_PTXAS");
  if (tune_status_get_code(status) != TUNE_UNAVAILABLE || (named && *named))
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

tune_status tune_nvvm_create(MlirContext context, const tune_device *device, tune_nvvm **out_nvvm) {
  *out_nvvm = NULL;
  tune_nvvm *self = calloc(1, sizeof *self);
  if (!self)
    return tune_status_out_of_memory("making a lowering to PTX");
  tune_status status = init(self, context, device);
  if (!tune_status_is_ok(status)) {
    tune_nvvm_destroy(self);
    return status;
  }
  *out_nvvm = self;
  return TUNE_OK;
}

void tune_nvvm_destroy(tune_nvvm *self) {
  if (!self)
    return;
  tune_pipeline_destroy(self->clean);
  tune_pipeline_destroy(self->convert);
  tune_pipeline_destroy(self->convert_nvgpu);
  tune_pipeline_destroy(self->finish);
  tune_pipeline_destroy(self->serialize);
  tune_ptxas_destroy(self->ptxas);
  free(self);
}

//===--------------------------------------------------------------------------===//
// Kernels
//===--------------------------------------------------------------------------===//

static tune_status find_kernel(MlirOperation module, MlirOperation *out_kernel) {
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
  while (!mlirOperationIsNull(op) && !tune_ir_is(op, "gpu.func"))
    op = mlirOperationGetNextInBlock(op);
  *out_kernel = op;
  return mlirOperationIsNull(op) ? tune_status_make(TUNE_INTERNAL, "a gpu.module without a kernel")
                                 : TUNE_OK;
}

static MlirNamedAttribute unit(MlirContext context, const char *name) {
  return tune_ir_named(context, name, mlirUnitAttrGet(context));
}

// Addresses are those of whole buffers, which begin at such as allocations do; nothing else points
// there where no two arguments are in one buffer of which one is written.
static tune_status set_arguments(MlirOperation kernel, const tune_device_kernel *described) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirOperation module = mlirOperationGetParentOperation(kernel);
  MlirAttribute *all = calloc(described->argument_count + 1, sizeof *all);
  if (!all)
    return tune_status_out_of_memory("describing a kernel");
  for (size_t i = 0; i < described->argument_count; ++i) {
    MlirNamedAttribute attributes[2];
    intptr_t count = 0;
    MlirType type = mlirValueGetType(mlirBlockGetArgument(tune_ir_body(kernel), (intptr_t)i));
    if (mlirTypeIsAMemRef(type) && !tune_device_kernel_is_aliased(described, module, i))
      attributes[count++] = unit(context, "llvm.noalias");
    if (mlirTypeIsAMemRef(type) && !described->is_written[i])
      attributes[count++] = unit(context, "llvm.readonly");
    all[i] = mlirDictionaryAttrGet(context, count, attributes);
  }
  mlirOperationSetAttributeByName(
      kernel, tune_ir_string("arg_attrs"),
      mlirArrayAttrGet(context, (intptr_t)described->argument_count, all));
  free(all);
  return TUNE_OK;
}

// The number of the option `name` of `module` goes on the kernel as `bound`, where it is one.
static tune_status take_bound(MlirOperation module, MlirOperation kernel, const char *name,
                              int64_t most, const char *bound) {
  MlirAttribute option = tune_ir_attribute(module, name);
  if (mlirAttributeIsNull(option))
    return TUNE_OK;
  int64_t value = mlirAttributeIsAInteger(option) ? mlirIntegerAttrGetValueInt(option) : -1;
  if (value < 0 || value > most)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, kernel, "%s: expected 0 to %lld", name,
                               (long long)most);
  MlirContext context = mlirOperationGetContext(kernel);
  if (value)
    mlirOperationSetAttributeByName(kernel, tune_ir_string(bound),
                                    mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), value));
  return TUNE_OK;
}

static void take_cluster(MlirOperation module, MlirOperation kernel) {
  MlirAttribute cluster = tune_ir_attribute(module, TUNE_PTX_CLUSTER_ATTRIBUTE);
  if (!mlirAttributeIsNull(cluster))
    mlirOperationSetAttributeByName(kernel, tune_ir_string("nvvm.cluster_dim"), cluster);
}

// What is said to the compiler of PTX.
static tune_status read_told(MlirOperation module, MlirOperation kernel, tune_jit_options *out) {
  static const char *const CACHES[] = {"ca", "cg", "default"};
  MlirAttribute level = tune_ir_attribute(module, TUNE_PTX_OPT_LEVEL_ATTRIBUTE),
                cache = tune_ir_attribute(module, TUNE_PTX_LOAD_CACHE_ATTRIBUTE);
  if (!mlirAttributeIsNull(level)) {
    out->opt_level = mlirAttributeIsAInteger(level) ? mlirIntegerAttrGetValueInt(level) : 0;
    if (out->opt_level < 1 || out->opt_level > 4)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, kernel,
                                 TUNE_PTX_OPT_LEVEL_ATTRIBUTE ": expected 1 to 4");
  }
  if (mlirAttributeIsNull(cache))
    return TUNE_OK;
  for (size_t i = 0; mlirAttributeIsAString(cache) && i < sizeof CACHES / sizeof *CACHES; ++i)
    if (tune_ir_string_equal(mlirStringAttrGetValue(cache), CACHES[i])) {
      out->load_cache = strcmp(CACHES[i], "default") ? CACHES[i] : NULL;
      return TUNE_OK;
    }
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, kernel,
                             TUNE_PTX_LOAD_CACHE_ATTRIBUTE
                             ": expected \"ca\", \"cg\" or \"default\"");
}

static MlirWalkResult find_wgmma(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = tune_ir_string_starts(tune_ir_name(op), "nvvm.wgmma.");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Code for sm_90 runs on what comes after it as well, that for sm_90a does not: only what has such
// instructions is made so.
static MlirAttribute target_of(const tune_nvvm *self, MlirOperation kernel) {
  bool is_for_one = false;
  mlirOperationWalk(kernel, find_wgmma, &is_for_one, MlirWalkPreOrder);
  return is_for_one && !mlirAttributeIsNull(self->target_for_one) ? self->target_for_one
                                                                  : self->target;
}

static tune_status prepare_kernel(const tune_nvvm *self, MlirOperation module,
                                  tune_device_kernel *out) {
  MlirOperation kernel;
  int64_t group[3];
  TUNE_RETURN_IF_ERROR(find_kernel(module, &kernel));
  TUNE_RETURN_IF_ERROR(tune_device_kernel_describe(kernel, self->device.subgroup_size, out));
  TUNE_RETURN_IF_ERROR(tune_launch_grid_read_group(kernel, &self->device, group));
  TUNE_RETURN_IF_ERROR(
      take_bound(module, kernel, TUNE_PTX_REGISTERS_ATTRIBUTE, 255, "nvvm.maxnreg"));
  TUNE_RETURN_IF_ERROR(take_bound(module, kernel, TUNE_PTX_GROUPS_ATTRIBUTE, 32, "nvvm.minctasm"));
  take_cluster(module, kernel);
  TUNE_RETURN_IF_ERROR(read_told(module, kernel, &out->told));
  TUNE_RETURN_IF_ERROR(set_arguments(kernel, out));
  TUNE_RETURN_IF_ERROR(tune_tensor_maps_lower(kernel, out));
  TUNE_RETURN_IF_ERROR(tune_kernel_memory_place(kernel, &self->device));
  TUNE_RETURN_IF_ERROR(
      tune_nvvm_memory_place(kernel, self->device.shared_bytes, &out->shared_bytes));
  MlirAttribute target = target_of(self, kernel);
  mlirOperationSetAttributeByName(module, tune_ir_string("targets"),
                                  mlirArrayAttrGet(self->context, 1, &target));
  return TUNE_OK;
}

static MlirWalkResult find_nvgpu(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = tune_ir_string_starts(tune_ir_name(op), "nvgpu.");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static tune_status finish_maps(MlirOperation kernels, const tune_device_kernels *described) {
  size_t index = 0;
  for (MlirOperation module = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(module); module = mlirOperationGetNextInBlock(module), ++index)
    for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      if (tune_ir_is(op, "llvm.func") && !mlirBlockIsNull(tune_ir_body(op)))
        TUNE_RETURN_IF_ERROR(tune_tensor_maps_finish(op, &described->items[index]));
  return TUNE_OK;
}

tune_status tune_nvvm_convert(tune_nvvm *self, MlirOperation kernels,
                              tune_device_kernels *out_kernels) {
  *out_kernels = (tune_device_kernels){0};
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->clean, kernels, "cleaning up kernels"));
  TUNE_RETURN_IF_ERROR(tune_device_kernels_init(kernels, out_kernels));
  size_t index = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    TUNE_RETURN_IF_ERROR(prepare_kernel(self, op, &out_kernels->items[index++]));
  TUNE_RETURN_IF_ERROR(tune_subgroup_shuffles_lower(kernels, self->device.subgroup_size));
  TUNE_RETURN_IF_ERROR(tune_nvvm_math_lower(kernels));
  TUNE_RETURN_IF_ERROR(tune_value_sinking_run(kernels));
  bool has_nvgpu = false;
  mlirOperationWalk(kernels, find_nvgpu, &has_nvgpu, MlirWalkPreOrder);
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(has_nvgpu ? self->convert_nvgpu : self->convert, kernels,
                                         "converting kernels to NVVM"));
  TUNE_RETURN_IF_ERROR(tune_nvvm_math_finish(kernels));
  TUNE_RETURN_IF_ERROR(tune_nvvm_memory_finish(kernels));
  TUNE_RETURN_IF_ERROR(finish_maps(kernels, out_kernels));
  return tune_pipeline_run(self->finish, kernels, "finishing kernels in NVVM");
}

//===--------------------------------------------------------------------------===//
// Code
//===--------------------------------------------------------------------------===//

// Threads of the group that `text`, PTX of one kernel, was made for; 0 where it does not say.
static int64_t find_invocations(const char *text) {
  long long x, y, z;
  const char *at = strstr(text, ".maxntid");
  return at && sscanf(at, ".maxntid %lld, %lld, %lld", &x, &y, &z) == 3 ? x * y * z : 0;
}

static tune_status check_report(const tune_nvvm *self, const tune_device_kernel *kernel,
                                const tune_kernel_resources *report, int64_t invocations) {
  enum { GRANULE = 8 }; // registers are given out in such steps
  int64_t registers = (report->registers + GRANULE - 1) / GRANULE * GRANULE;
  if (report->spilled > MOST_SPILLED)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s spills %lld bytes an invocation (of %lld registers); up to %d are "
                            "let pass",
                            kernel->name, (long long)report->spilled, (long long)report->registers,
                            MOST_SPILLED);
  if (report->serializes)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s: ptxas makes its products of four warps wait for each other (wgmma "
                            "serialized)",
                            kernel->name);
  if (self->device.group_registers && registers * invocations > self->device.group_registers)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s takes %lld registers in each of %lld invocations; a group has %lld",
                            kernel->name, (long long)report->registers, (long long)invocations,
                            (long long)self->device.group_registers);
  return TUNE_OK;
}

static tune_status assemble(const tune_nvvm *self, tune_nvvm_form form,
                            tune_device_kernel *kernel) {
  bool is_wanted = form == TUNE_NVVM_CUBIN;
  if (!self->ptxas)
    return is_wanted ? tune_ptxas_refuse() : TUNE_OK;
  char *cubin = NULL;
  size_t size = 0;
  TUNE_RETURN_IF_ERROR(tune_ptxas_run(self->ptxas, kernel->code, strlen(kernel->code),
                                      self->device.arch, kernel->told, &kernel->assembled,
                                      is_wanted ? &cubin : NULL, &size));
  tune_status status =
      check_report(self, kernel, &kernel->assembled, find_invocations(kernel->code));
  if (is_wanted && tune_status_is_ok(status)) {
    free(kernel->code);
    kernel->code = cubin;
    kernel->code_size = size;
    kernel->told = (tune_jit_options){0}; // it has been compiled
    return TUNE_OK;
  }
  free(cubin);
  return status;
}

// The text of `binary`, with its NUL.
static tune_status take_code(MlirOperation binary, tune_device_kernel *kernel) {
  MlirStringRef object =
      mlirGPUObjectAttrGetObject(mlirArrayAttrGetElement(tune_ir_attribute(binary, "objects"), 0));
  size_t length = strnlen(object.data, object.length);
  kernel->code = strndup(object.data, length);
  kernel->code_size = length + 1;
  if (!kernel->code)
    return tune_status_out_of_memory("taking the code of a kernel");
  // What LLVM has no instruction for would be a call that nothing answers.
  const char *call = strstr(kernel->code, ".extern .func");
  if (call)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s calls what is not there: %.*s", kernel->name,
                            (int)strcspn(call, "\n"), call);
  return TUNE_OK;
}

tune_status tune_nvvm_serialize(tune_nvvm *self, MlirOperation kernels, tune_nvvm_form form,
                                tune_device_kernels *out_kernels) {
  TUNE_RETURN_IF_ERROR(tune_pipeline_run(self->serialize, kernels, "making PTX"));
  size_t index = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "gpu.binary")) {
      TUNE_RETURN_IF_ERROR(take_code(op, &out_kernels->items[index]));
      TUNE_RETURN_IF_ERROR(assemble(self, form, &out_kernels->items[index]));
      ++index;
    }
  return TUNE_OK;
}
