//===- spirv_environment.c - The SPIR-V target environment of a device -------===//

#include "transforms/lower/vulkan/spirv_environment.h"

#include "transforms/ir/ir.h"

#include <stdlib.h>

static void append_capabilities(tune_string_builder *text, const tune_device *device) {
  const struct {
    bool has;
    const char *words;
  } rows[] = {
      {true, "Shader, SampledBuffer, GroupNonUniform"},
      {device->has_subgroup_vote, ", GroupNonUniformVote"},
      {device->has_subgroup_arithmetic, ", GroupNonUniformArithmetic"},
      {device->has_subgroup_ballot, ", GroupNonUniformBallot"},
      {device->has_subgroup_shuffle, ", GroupNonUniformShuffle"},
      {device->has_subgroup_shuffle_relative, ", GroupNonUniformShuffleRelative"},
      {device->has_subgroup_clustered, ", GroupNonUniformClustered"},
      {device->has_subgroup_quad, ", GroupNonUniformQuad"},
      {device->has_float16, ", Float16"},
      {device->has_float64, ", Float64"},
      {device->has_int8, ", Int8"},
      {device->has_int16, ", Int16"},
      {device->has_int64, ", Int64"},
      {device->has_int8_dot, ", DotProduct, DotProductInput4x8BitPacked"},
      {device->has_storage8, ", StorageBuffer8BitAccess"},
      {device->has_storage16, ", StorageBuffer16BitAccess"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].has)
      tune_string_builder_append(text, rows[i].words);
}

tune_status tune_spirv_environment_make(MlirContext context, const tune_device *device,
                                        tune_spirv_needs needs, MlirAttribute *out_environment) {
  bool has_matrices = needs == TUNE_SPIRV_NEEDS_MATRICES;
  tune_string_builder text;
  tune_string_builder_init(&text);
  // From 1.4 on upstream lists all variables in the entry point, as that version asks, but writes
  // the least version that the module can do with, which mostly forbids it.
  // Upstream takes dot products of words for ops of 1.6, which they went into, and cooperative
  // matrices ask for that version, which is what is written then.
  tune_string_builder_appendf(&text, "#spirv.target_env<#spirv.vce<v1.%d, [",
                              needs == TUNE_SPIRV_NEEDS_NOTHING ? 3 : 6);
  append_capabilities(&text, device);
  tune_string_builder_appendf(
      &text,
      "%s], [SPV_KHR_storage_buffer_storage_class, SPV_KHR_8bit_storage, SPV_KHR_16bit_storage, "
      "SPV_KHR_integer_dot_product%s]>, api=Vulkan, "
      "#spirv.resource_limits<max_compute_shared_memory_size = %lld, "
      "max_compute_workgroup_invocations = %lld, max_compute_workgroup_size = [%lld, %lld, %lld]",
      has_matrices ? ", CooperativeMatrixKHR, VulkanMemoryModel" : "",
      has_matrices ? ", SPV_KHR_cooperative_matrix, SPV_KHR_vulkan_memory_model" : "",
      (long long)device->shared_bytes, (long long)device->group_invocations,
      (long long)device->group_size[0], (long long)device->group_size[1],
      (long long)device->group_size[2]);
  if (device->subgroup_size)
    tune_string_builder_appendf(&text, ", subgroup_size = %lld", (long long)device->subgroup_size);
  tune_string_builder_append(&text, ">>");
  char *all = NULL;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&text, &all));
  *out_environment = mlirAttributeParseGet(context, tune_ir_string(all));
  tune_status status = TUNE_OK;
  if (mlirAttributeIsNull(*out_environment))
    status = tune_status_make(TUNE_INTERNAL, "this MLIR does not take the environment %s", all);
  free(all);
  return status;
}
