//===- cuda_kernel.h - A program on a CUDA device ---------------------------------------===//
//
// The functions of a target class that are about a kernel; target.h says what each does.
//
// A run is all steps of the program, in order, on one stream. Runs are recorded as graphs
// of 1, 8 and 64 of them, so that launching costs little beside what is launched; any number
// of repeats is made of these. Graphs are made, and code is loaded, ahead of the time that
// is taken, between two events on the stream.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_KERNEL_H
#define TUNE_TARGETS_CUDA_CUDA_KERNEL_H

#include "targets/cuda/cuda_device.h"
#include "targets/program.h"
#include "targets/target.h"

// `methods` is what the kernel says it belongs to; `device` outlives it.
tune_status cuda_kernel_load(const tune_target_class *methods, const cuda_device *device,
                             const tune_artifact *artifact, tune_kernel **out_kernel);
// The same for a program in memory, which the kernel takes over, also on failure.
tune_status cuda_kernel_create(const tune_target_class *methods, const cuda_device *device,
                               const tune_signature *signature, tune_program *program,
                               tune_kernel **out_kernel);
void cuda_kernel_unload(tune_kernel *kernel);
tune_status cuda_kernel_bind(tune_kernel *kernel, const tune_buffer *buffers, size_t count);
void cuda_kernel_rewind(tune_kernel *kernel);
tune_status cuda_kernel_time(tune_kernel *kernel, uint64_t repeats, double *out_seconds);
tune_status cuda_kernel_read(const tune_kernel *kernel, size_t output, tune_buffer *out_buffer);
tune_status cuda_kernel_check(const tune_kernel *kernel);
tune_buffer_place cuda_kernel_locate(const tune_kernel *kernel, const void *address,
                                     size_t *out_argument);

#endif // TUNE_TARGETS_CUDA_CUDA_KERNEL_H
