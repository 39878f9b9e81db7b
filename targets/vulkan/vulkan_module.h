//===- vulkan_module.h - Requirements of a SPIR-V module ---------------------===//
//
// Drivers take a module on trust: one that names no such kernel, or that needs what the
// device does not have, may crash them. So the words are looked at first, as far as that.
// Whether they are valid SPIR-V is for spirv-val to say.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_MODULE_H
#define TUNE_TARGETS_VULKAN_VULKAN_MODULE_H

#include "targets/program.h"
#include "targets/vulkan/vulkan_device.h"

// INVALID_ARGUMENT for what is no SPIR-V, or needs a capability that the device lacks.
tune_status vulkan_module_check(const vulkan_device *device, const tune_program_module *module);
// NOT_FOUND if the module has no compute kernel of the launch's name; INVALID_ARGUMENT if that is
// made for another group size than the launch says. The module has been checked.
tune_status vulkan_module_check_launch(const tune_program_module *module,
                                       const tune_program_step *launch);

#endif // TUNE_TARGETS_VULKAN_VULKAN_MODULE_H
