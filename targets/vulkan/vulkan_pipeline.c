//===- vulkan_pipeline.c - The kernels of a program, ready to be launched -------------===//

#include "targets/vulkan/vulkan_pipeline.h"
#include "targets/vulkan/vulkan_module.h"

#include <stdlib.h>
#include <string.h>

VkDescriptorType vulkan_descriptor_type(const tune_program_argument *argument) {
  return argument->kind == TUNE_PROGRAM_STORAGE ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                                : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
}

//===- Limits -----------------------------------------------------------------------===//

static tune_status check_limit(const char *what, uint64_t value, uint64_t limit) {
  return value <= limit
             ? TUNE_OK
             : tune_status_make(TUNE_INVALID_ARGUMENT, "%s: %llu, the device's limit is %llu", what,
                                (unsigned long long)value, (unsigned long long)limit);
}

static tune_status check_groups(const VkPhysicalDeviceLimits *limits,
                                const tune_program_step *launch) {
  static const char *const counts[] = {"groups in x", "groups in y", "groups in z"};
  static const char *const sizes[] = {"group size in x", "group size in y", "group size in z"};
  uint64_t invocations = 1;
  for (size_t i = 0; i < 3; ++i) {
    TUNE_RETURN_IF_ERROR(
        check_limit(counts[i], launch->groups[i], limits->maxComputeWorkGroupCount[i]));
    TUNE_RETURN_IF_ERROR(
        check_limit(sizes[i], launch->group_size[i], limits->maxComputeWorkGroupSize[i]));
    invocations *= launch->group_size[i];
  }
  return check_limit("invocations in a group", invocations, limits->maxComputeWorkGroupInvocations);
}

static tune_status check_arguments(const vulkan_device *device, const tune_program *program,
                                   const tune_program_step *launch) {
  const VkPhysicalDeviceLimits *limits = &device->properties.limits;
  uint64_t storage_count = 0, texel_count = 0;
  for (size_t i = 0; i < launch->argument_count; ++i) {
    const tune_program_argument *argument = &launch->arguments[i];
    if (argument->kind == TUNE_PROGRAM_I32 || argument->kind == TUNE_PROGRAM_F32)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "argument %zu is handed over by value, which this target has not", i);
    if (argument->kind == TUNE_PROGRAM_TENSOR_MAP)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "argument %zu is a tensor map, which this target has not", i);
    uint64_t size = program->buffers[argument->buffer].size;
    tune_status status;
    if (argument->kind == TUNE_PROGRAM_STORAGE) {
      ++storage_count;
      status = check_limit("bytes of a storage buffer", size, limits->maxStorageBufferRange);
    } else {
      size_t texel = argument->kind == TUNE_PROGRAM_TEXEL_F32 ? 4 : 16;
      ++texel_count;
      status = check_limit("texels of a buffer", (size + texel - 1) / texel,
                           limits->maxTexelBufferElements);
      if (tune_status_is_ok(status) && (size == 0 || size % 4 != 0))
        status = tune_status_make(TUNE_INVALID_ARGUMENT, "%llu bytes of texels are no f32",
                                  (unsigned long long)size);
    }
    TUNE_RETURN_IF_ERROR(tune_status_annotate(status, "argument %zu", i));
  }
  TUNE_RETURN_IF_ERROR(check_limit("storage buffers of a kernel", storage_count,
                                   limits->maxPerStageDescriptorStorageBuffers));
  TUNE_RETURN_IF_ERROR(check_limit("texel buffers of a kernel", texel_count,
                                   limits->maxPerStageDescriptorSampledImages));
  return check_limit("buffers of a kernel", launch->argument_count, limits->maxPerStageResources);
}

// Whether a pipeline has to be told about the launch's subgroup size, which it else is anyway.
static bool asks_for_subgroup_size(const vulkan_device *device, const tune_program_step *launch) {
  return launch->subgroup_size != 0 && vulkan_device_has(device, VULKAN_SUBGROUP_SIZE_CONTROL) &&
         (device->subgroup_sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
}

// Whether no lane of the launch's subgroups may be missing: groups are whole ones of them.
static bool asks_for_full_subgroups(const vulkan_device *device, const tune_program_step *launch) {
  return launch->subgroup_size != 0 && device->has_full_subgroups &&
         launch->group_size[0] % launch->subgroup_size == 0;
}

static tune_status check_subgroup_size(const vulkan_device *device,
                                       const tune_program_step *launch) {
  uint32_t size = launch->subgroup_size;
  uint32_t least = device->subgroup.subgroupSize, most = least;
  if (asks_for_subgroup_size(device, launch)) {
    least = device->subgroup_sizes.minSubgroupSize;
    most = device->subgroup_sizes.maxSubgroupSize;
  }
  if (size == 0 || (size >= least && size <= most && (size & (size - 1)) == 0))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "a subgroup size of %u, the device has those from %u to %u", size, least,
                          most);
}

static tune_status check_launch(const vulkan_device *device, const tune_program *program,
                                const tune_program_step *launch) {
  TUNE_RETURN_IF_ERROR(check_groups(&device->properties.limits, launch));
  TUNE_RETURN_IF_ERROR(check_arguments(device, program, launch));
  TUNE_RETURN_IF_ERROR(check_subgroup_size(device, launch));
  if (launch->shared_bytes)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%zu bytes of dynamic shared memory, which this target has not",
                            launch->shared_bytes);
  return vulkan_module_check_launch(&program->modules[launch->module], launch);
}

//===- Pipelines --------------------------------------------------------------------===//

static tune_status create_layout(vulkan_device *device, const tune_program_step *launch,
                                 vulkan_pipeline *out) {
  const vulkan_functions *f = &device->functions;
  VkDescriptorSetLayoutBinding *bindings = calloc(launch->argument_count + 1, sizeof *bindings);
  if (!bindings)
    return tune_status_out_of_memory("making a pipeline");
  for (uint32_t i = 0; i < launch->argument_count; ++i)
    bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                 .descriptorType =
                                                     vulkan_descriptor_type(&launch->arguments[i]),
                                                 .descriptorCount = 1,
                                                 .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  VkDescriptorSetLayoutCreateInfo set = {.sType =
                                             VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                         .bindingCount = (uint32_t)launch->argument_count,
                                         .pBindings = bindings};
  VkResult result = f->CreateDescriptorSetLayout(device->device, &set, NULL, &out->set_layout);
  free(bindings);
  VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &out->set_layout};
  if (result == VK_SUCCESS)
    result = f->CreatePipelineLayout(device->device, &layout, NULL, &out->layout);
  return vulkan_status(result, "making a pipeline");
}

// What a driver says of a kernel that it does not take is said of that, unless memory ran out.
static tune_status refusal(VkResult result) {
  tune_status status = vulkan_status(result, "the driver refuses the kernel");
  if (tune_status_get_code(status) != TUNE_INTERNAL)
    return status;
  tune_status_free(status);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "the driver refuses the kernel: %s",
                          vulkan_result_name(result));
}

static tune_status create_pipeline(vulkan_device *device, const tune_program_module *module,
                                   const tune_program_step *launch, vulkan_pipeline *out) {
  const vulkan_functions *f = &device->functions;
  TUNE_RETURN_IF_ERROR(create_layout(device, launch, out));
  VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                   .codeSize = module->size,
                                   .pCode = module->code};
  VkShaderModule shader;
  TUNE_RETURN_IF_ERROR(refusal(f->CreateShaderModule(device->device, &code, NULL, &shader)));
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = launch->subgroup_size};
  VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = asks_for_subgroup_size(device, launch) ? &size : NULL,
                .flags = asks_for_full_subgroups(device, launch)
                             ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
                             : 0,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = shader,
                .pName = launch->entry},
      .layout = out->layout};
  VkResult result =
      f->CreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &info, NULL, &out->pipeline);
  f->DestroyShaderModule(device->device, shader, NULL);
  return refusal(result);
}

static bool can_share(const tune_program_step *a, const tune_program_step *b) {
  if (a->kind != TUNE_PROGRAM_LAUNCH || b->kind != TUNE_PROGRAM_LAUNCH || a->module != b->module ||
      strcmp(a->entry, b->entry) != 0 || a->subgroup_size != b->subgroup_size ||
      a->argument_count != b->argument_count)
    return false;
  for (size_t i = 0; i < a->argument_count; ++i)
    if (vulkan_descriptor_type(&a->arguments[i]) != vulkan_descriptor_type(&b->arguments[i]))
      return false;
  return true;
}

static tune_status create_step(vulkan_device *device, const tune_program *program, size_t step,
                               vulkan_pipeline *pipelines) {
  const tune_program_step *launch = &program->steps[step];
  if (launch->kind != TUNE_PROGRAM_LAUNCH)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(check_launch(device, program, launch));
  for (size_t i = 0; i < step; ++i)
    if (can_share(launch, &program->steps[i])) {
      pipelines[step] = pipelines[i];
      pipelines[step].is_shared = true;
      return TUNE_OK;
    }
  return create_pipeline(device, &program->modules[launch->module], launch, &pipelines[step]);
}

tune_status vulkan_pipelines_create(vulkan_device *device, const tune_program *program,
                                    vulkan_pipeline **out_pipelines) {
  *out_pipelines = NULL;
  for (size_t i = 0; i < program->module_count; ++i)
    if (!program->modules[i].is_host)
      TUNE_RETURN_IF_ERROR(
          tune_status_annotate(vulkan_module_check(device, &program->modules[i]), "module %zu", i));
  vulkan_pipeline *pipelines = calloc(program->step_count + 1, sizeof *pipelines);
  if (!pipelines)
    return tune_status_out_of_memory("making pipelines");
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < program->step_count && tune_status_is_ok(status); ++i)
    status = tune_status_annotate(create_step(device, program, i, pipelines), "step %zu", i);
  if (!tune_status_is_ok(status)) {
    vulkan_pipelines_destroy(device, pipelines, program->step_count);
    return status;
  }
  *out_pipelines = pipelines;
  return TUNE_OK;
}

void vulkan_pipelines_destroy(vulkan_device *device, vulkan_pipeline *pipelines, size_t count) {
  const vulkan_functions *f = &device->functions;
  for (size_t i = 0; pipelines && i < count; ++i) {
    if (pipelines[i].is_shared)
      continue;
    f->DestroyPipeline(device->device, pipelines[i].pipeline, NULL);
    f->DestroyPipelineLayout(device->device, pipelines[i].layout, NULL);
    f->DestroyDescriptorSetLayout(device->device, pipelines[i].set_layout, NULL);
  }
  free(pipelines);
}
