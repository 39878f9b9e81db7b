//===- cuda_launch.c - The kernels of a program, ready to be launched -------------------===//

#include "targets/cuda/cuda_launch.h"
#include "targets/cuda/cuda_module.h"

#include <stdlib.h>

//===- Limits -----------------------------------------------------------------------===//

static tune_status check_limit(const char *what, uint64_t value, int64_t limit) {
  return value <= (uint64_t)limit
             ? TUNE_OK
             : tune_status_make(TUNE_INVALID_ARGUMENT, "%s: %llu, the device's limit is %lld", what,
                                (unsigned long long)value, (long long)limit);
}

static tune_status check_groups(const tune_gpu *gpu, const tune_program_step *launch) {
  static const char *const counts[] = {"groups in x", "groups in y", "groups in z"};
  static const char *const sizes[] = {"group size in x", "group size in y", "group size in z"};
  uint64_t invocations = 1;
  for (size_t i = 0; i < 3; ++i) {
    TUNE_RETURN_IF_ERROR(check_limit(counts[i], launch->groups[i], gpu->group_count[i]));
    TUNE_RETURN_IF_ERROR(check_limit(sizes[i], launch->group_size[i], gpu->group_size[i]));
    invocations *= launch->group_size[i];
  }
  return check_limit("invocations in a group", invocations, gpu->group_invocations);
}

static tune_status check_step(const tune_gpu *gpu, const tune_program_step *launch) {
  TUNE_RETURN_IF_ERROR(check_groups(gpu, launch));
  for (size_t i = 0; i < launch->argument_count; ++i)
    if (launch->arguments[i].kind == TUNE_PROGRAM_TEXEL_F32 ||
        launch->arguments[i].kind == TUNE_PROGRAM_TEXEL_4F32)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "argument %zu is read as texels, which this target has not", i);
  if (launch->subgroup_size != 0 && launch->subgroup_size != gpu->subgroup_size)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "a subgroup size of %u, the device has those of %lld",
                            launch->subgroup_size, (long long)gpu->subgroup_size);
  return check_limit("bytes of dynamic shared memory", launch->shared_bytes,
                     gpu->shared_bytes_most);
}

static tune_status read_attribute(const cuda_device *device, CUfunction function,
                                  CUfunction_attribute attribute, uint64_t *out_value) {
  const cuda_functions *f = &device->functions;
  int value = 0;
  CUresult result = f->FuncGetAttribute(&value, attribute, function);
  *out_value = (uint64_t)value;
  return cuda_status(f, result, "asking for the kernel's attribute %d", attribute);
}

// What only the compiled kernel tells. Registers are handed out in portions, so the product alone
// is not all that counts.
static tune_status check_registers(const cuda_device *device, CUfunction function,
                                   const tune_program_step *launch) {
  const tune_gpu *gpu = &device->fingerprint.gpu;
  uint64_t registers, most;
  TUNE_RETURN_IF_ERROR(read_attribute(device, function, CU_FUNC_ATTRIBUTE_NUM_REGS, &registers));
  TUNE_RETURN_IF_ERROR(
      read_attribute(device, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &most));
  uint64_t invocations =
      (uint64_t)launch->group_size[0] * launch->group_size[1] * launch->group_size[2];
  if (invocations <= most && invocations * registers <= (uint64_t)gpu->group_registers)
    return TUNE_OK;
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "a group of %llu invocations: %s has %llu registers of each and runs with "
      "at most %llu; a group has %lld registers",
      (unsigned long long)invocations, launch->entry, (unsigned long long)registers,
      (unsigned long long)most, (long long)gpu->group_registers);
}

// More than what a group has anyway is given to those who ask for it.
static tune_status allow_shared_memory(const cuda_device *device, CUfunction function,
                                       const tune_program_step *launch) {
  const tune_gpu *gpu = &device->fingerprint.gpu;
  const cuda_functions *f = &device->functions;
  uint64_t fixed;
  TUNE_RETURN_IF_ERROR(
      read_attribute(device, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &fixed));
  TUNE_RETURN_IF_ERROR(check_limit("bytes of shared memory of a group",
                                   fixed + launch->shared_bytes, gpu->shared_bytes_most));
  // Steps may share a function: none takes back what another one needs.
  uint64_t allowed;
  TUNE_RETURN_IF_ERROR(
      read_attribute(device, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &allowed));
  if (launch->shared_bytes <= allowed)
    return TUNE_OK;
  return cuda_status(f,
                     f->FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         (int)launch->shared_bytes),
                     "asking for %zu bytes of shared memory", launch->shared_bytes);
}

//===- Kernels ----------------------------------------------------------------------===//

static tune_status find_function(const cuda_device *device, CUmodule module,
                                 const tune_program_step *launch, CUfunction *out_function) {
  const cuda_functions *f = &device->functions;
  CUfunction function = NULL;
  CUresult result = f->ModuleGetFunction(&function, module, launch->entry);
  if (result == CUDA_ERROR_NOT_FOUND)
    return tune_status_make(TUNE_NOT_FOUND, "the module has no kernel %s", launch->entry);
  TUNE_RETURN_IF_ERROR(cuda_status(f, result, "looking for the kernel %s", launch->entry));
  *out_function = function;
  return TUNE_OK;
}

static tune_status prepare_step(const cuda_device *device, const tune_program *program, size_t step,
                                cuda_launches *launches) {
  const tune_program_step *launch = &program->steps[step];
  if (launch->kind != TUNE_PROGRAM_LAUNCH)
    return TUNE_OK;
  CUfunction *function = &launches->functions[step];
  TUNE_RETURN_IF_ERROR(check_step(&device->fingerprint.gpu, launch));
  TUNE_RETURN_IF_ERROR(cuda_module_check_launch(&program->modules[launch->module], launch));
  TUNE_RETURN_IF_ERROR(find_function(device, launches->modules[launch->module], launch, function));
  TUNE_RETURN_IF_ERROR(check_registers(device, *function, launch));
  return allow_shared_memory(device, *function, launch);
}

static tune_status prepare(const cuda_device *device, const tune_program *program,
                           cuda_launches *launches) {
  launches->modules = calloc(program->module_count + 1, sizeof *launches->modules);
  launches->functions = calloc(program->step_count + 1, sizeof *launches->functions);
  if (!launches->modules || !launches->functions)
    return tune_status_out_of_memory("loading a program");
  for (size_t i = 0; i < program->module_count; ++i) {
    if (!program->modules[i].is_host)
      TUNE_RETURN_IF_ERROR(tune_status_annotate(
          cuda_module_load(device, &program->modules[i], &launches->modules[i]), "module %zu", i));
    ++launches->module_count;
  }
  for (size_t i = 0; i < program->step_count; ++i)
    TUNE_RETURN_IF_ERROR(
        tune_status_annotate(prepare_step(device, program, i, launches), "step %zu", i));
  return TUNE_OK;
}

tune_status cuda_launches_init(const cuda_device *device, const tune_program *program,
                               cuda_launches *out_launches) {
  *out_launches = (cuda_launches){0};
  tune_status status = prepare(device, program, out_launches);
  if (!tune_status_is_ok(status))
    cuda_launches_deinit(device, out_launches);
  return status;
}

void cuda_launches_deinit(const cuda_device *device, cuda_launches *launches) {
  for (size_t i = 0; i < launches->module_count; ++i)
    if (launches->modules[i])
      device->functions.ModuleUnload(launches->modules[i]);
  free(launches->modules);
  free(launches->functions);
  *launches = (cuda_launches){0};
}
