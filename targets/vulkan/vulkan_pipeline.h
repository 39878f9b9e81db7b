//===- vulkan_pipeline.h - The kernels of a program, ready to be launched -------------===//
//
// For each step that launches something: the pipeline, and the layout of its arguments.
// Steps that launch the same kernel on the same kinds of arguments share one, so that a
// driver compiles it once.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_PIPELINE_H
#define TUNE_TARGETS_VULKAN_VULKAN_PIPELINE_H

#include "targets/program.h"
#include "targets/vulkan/vulkan_device.h"

typedef struct vulkan_pipeline {
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  bool is_shared; // with an earlier step, which destroys it
} vulkan_pipeline;

// Checks the program's code and launches against the device and makes a pipeline for each of its
// steps, empty for copies. `*out_pipelines` has `program->step_count` of them. INVALID_ARGUMENT
// says which limit is exceeded and by what; NOT_FOUND names a kernel that is not there.
tune_status vulkan_pipelines_create(vulkan_device *device, const tune_program *program,
                                    vulkan_pipeline **out_pipelines);
// `pipelines` may be NULL.
void vulkan_pipelines_destroy(vulkan_device *device, vulkan_pipeline *pipelines, size_t count);

// The type of descriptor that an argument is handed over in.
VkDescriptorType vulkan_descriptor_type(const tune_program_argument *argument);

#endif // TUNE_TARGETS_VULKAN_VULKAN_PIPELINE_H
