//===- device_program.c - The description of a device program ----------------===//

#include "formats/device_program.h"

#include "support/program_head.h"

#include <inttypes.h>

static const tune_member module_members[] = {
    {TUNE_MEMBER(tune_described_module, bytes), .is_needed = true},
    {TUNE_MEMBER(tune_described_module, opt_level), .least = 1, .most = 4},
    {TUNE_MEMBER(tune_described_module, load_cache)},
    {TUNE_MEMBER(tune_described_module, host)},
};

static const tune_member argument_buffer_members[] = {
    {TUNE_MEMBER(tune_described_argument_buffer, argument), .is_needed = true},
};

static const tune_member result_buffer_members[] = {
    {TUNE_MEMBER(tune_described_result_buffer, result), .is_needed = true},
};

static const tune_member memory_members[] = {
    {TUNE_MEMBER(tune_described_memory, bytes), .is_needed = true},
    {TUNE_OPTIONAL(tune_described_memory, data, has_data)},
};

static const tune_member buffer_members[] = {
    {TUNE_OPTIONAL_PART(tune_described_buffer, argument, is_argument, argument_buffer_members)},
    {TUNE_OPTIONAL_PART(tune_described_buffer, result, is_result, result_buffer_members)},
    {TUNE_OPTIONAL_PART(tune_described_buffer, own, is_own, memory_members)},
};

static const tune_member map_members[] = {
    {TUNE_MEMBER(tune_described_map, element_bytes), .is_needed = true, .least = 1, .most = 4},
    {TUNE_MEMBER(tune_described_map, sizes), .is_needed = true, .least = -0x1p63},
    {TUNE_MEMBER(tune_described_map, box), .is_needed = true, .least = -0x1p63},
    {TUNE_MEMBER(tune_described_map, swizzle), .is_needed = true, .most = 128},
};

static const tune_member use_members[] = {
    {TUNE_MEMBER(tune_described_use, buffer), .is_needed = true},
    {TUNE_MEMBER(tune_described_use, texels)},
    {TUNE_MEMBER(tune_described_use, written)},
    {TUNE_OPTIONAL_GROUP(tune_described_use, tensor_map, has_map, map_members)},
};

static const tune_member f32_members[] = {
    {TUNE_MEMBER(tune_described_f32, f32), .is_needed = true, .least = -0x1p128},
};

static const tune_member i32_members[] = {
    {TUNE_MEMBER(tune_described_i32, i32), .is_needed = true, .least = INT32_MIN,
     .most = INT32_MAX},
};

static const tune_member argument_members[] = {
    {TUNE_OPTIONAL_PART(tune_described_argument, f32, is_f32, f32_members)},
    {TUNE_OPTIONAL_PART(tune_described_argument, i32, is_i32, i32_members)},
    {TUNE_OPTIONAL_PART(tune_described_argument, use, is_use, use_members)},
};

static const tune_member copy_members[] = {
    {TUNE_MEMBER(tune_described_copy, copy), .is_needed = true},
    {TUNE_MEMBER(tune_described_copy, to), .is_needed = true},
    {TUNE_MEMBER(tune_described_copy, bytes), .is_needed = true},
};

static const tune_member launch_members[] = {
    {TUNE_MEMBER(tune_described_launch, launch), .is_needed = true},
    {TUNE_MEMBER(tune_described_launch, module), .is_needed = true},
    {TUNE_MEMBER(tune_described_launch, groups), .is_needed = true, .most = UINT32_MAX},
    {TUNE_MEMBER(tune_described_launch, group_size), .is_needed = true, .most = UINT32_MAX},
    {TUNE_MEMBER(tune_described_launch, shared_bytes), .is_needed = true},
    {TUNE_MEMBER(tune_described_launch, subgroup_size), .is_needed = true, .most = 1024},
    {TUNE_STRUCTS(tune_described_launch, arguments, argument_members), .is_needed = true},
};

static const tune_member branch_members[] = {
    {TUNE_MEMBER(tune_described_branch, branch), .is_needed = true},
    {TUNE_OPTIONAL(tune_described_branch, unless, has_unless)},
};

static const tune_member host_members[] = {
    {TUNE_MEMBER(tune_described_host, host), .is_needed = true},
    {TUNE_STRUCTS(tune_described_host, arguments, argument_members), .is_needed = true},
};

static const tune_member step_members[] = {
    {TUNE_OPTIONAL_PART(tune_described_step, copy, is_copy, copy_members)},
    {TUNE_OPTIONAL_PART(tune_described_step, launch, is_launch, launch_members)},
    {TUNE_OPTIONAL_PART(tune_described_step, branch, is_branch, branch_members)},
    {TUNE_OPTIONAL_PART(tune_described_step, host, is_host, host_members)},
};

static const tune_member program_members[] = {
    {TUNE_MEMBER(tune_described_program, version), .is_needed = true, .least = -0x1p63},
    {TUNE_MEMBER(tune_described_program, target), .is_needed = true},
    {TUNE_MEMBER(tune_described_program, unordered)},
    {TUNE_STRUCTS(tune_described_program, modules, module_members), .is_needed = true},
    {TUNE_STRUCTS(tune_described_program, buffers, buffer_members), .is_needed = true},
    {TUNE_STRUCTS(tune_described_program, steps, step_members), .is_needed = true},
};
#define PROGRAM_MEMBERS (sizeof program_members / sizeof *program_members)

tune_status tune_described_program_to_json(const tune_described_program *value,
                                           json_t **out_object) {
  tune_described_program written = *value;
  written.version = TUNE_PROGRAM_VERSION;
  return tune_members_to_json(program_members, PROGRAM_MEMBERS, &written, out_object);
}

tune_status tune_described_program_from_json(const json_t *object,
                                             tune_described_program *out_value) {
  *out_value = (tune_described_program){0};
  // The version comes first: another one may have other members.
  TUNE_RETURN_IF_ERROR(tune_members_from_json(program_members, 1, object, out_value));
  if (out_value->version != TUNE_PROGRAM_VERSION)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "it is of version %" PRId64 ", this program reads version %d",
                            out_value->version, TUNE_PROGRAM_VERSION);
  return tune_members_from_json(program_members, PROGRAM_MEMBERS, object, out_value);
}

void tune_described_program_deinit(tune_described_program *value) {
  tune_members_deinit(program_members, PROGRAM_MEMBERS, value);
}
