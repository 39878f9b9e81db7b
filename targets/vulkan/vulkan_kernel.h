//===- vulkan_kernel.h - A program on a Vulkan device ---------------------------------===//
//
// The functions of a target class that are about a kernel; target.h says what each does.
//
// A run is all steps of the program, each after what the one before it wrote. What is
// recorded once is one run, and MANY in a row; any number of repeats is made of these two.
// Kernels are compiled by their first launch (on lavapipe), which therefore is one of no
// groups at all, ahead of the time that is taken.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_KERNEL_H
#define TUNE_TARGETS_VULKAN_VULKAN_KERNEL_H

#include "targets/program.h"
#include "targets/target.h"
#include "targets/vulkan/vulkan_device.h"

// `methods` is what the kernel says it belongs to; `device` outlives it.
tune_status vulkan_kernel_load(const tune_target_class *methods, vulkan_device *device,
                               const tune_artifact *artifact, tune_kernel **out_kernel);
// The same for a program in memory, which the kernel takes over, also on failure.
tune_status vulkan_kernel_create(const tune_target_class *methods, vulkan_device *device,
                                 const tune_signature *signature, tune_program *program,
                                 tune_kernel **out_kernel);
void vulkan_kernel_unload(tune_kernel *kernel);
tune_status vulkan_kernel_bind(tune_kernel *kernel, const tune_buffer *buffers, size_t count);
void vulkan_kernel_rewind(tune_kernel *kernel);
tune_status vulkan_kernel_time(tune_kernel *kernel, uint64_t repeats, double *out_seconds);
tune_status vulkan_kernel_read(const tune_kernel *kernel, size_t output, tune_buffer *out_buffer);
tune_status vulkan_kernel_check(const tune_kernel *kernel);
tune_buffer_place vulkan_kernel_locate(const tune_kernel *kernel, const void *address,
                                       size_t *out_argument);

#endif // TUNE_TARGETS_VULKAN_VULKAN_KERNEL_H
