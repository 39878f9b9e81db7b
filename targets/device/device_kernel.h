//===- device_kernel.h - A program on a device other than the CPU ---------------------===//
//
// The functions of a target class that are about a kernel (target.h says what each does), for
// all targets whose artifacts are programs. What differs between them, how steps become
// something that the driver runs, is a table of functions.
//
// A run is all steps of the program, each after what the one before it wrote. Where it has branches
// or steps on the host they are taken here: what they are about is read back from the device, and
// the time is the host's.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_DEVICE_DEVICE_KERNEL_H
#define TUNE_TARGETS_DEVICE_DEVICE_KERNEL_H

#include "targets/device/device_memory.h"
#include "targets/device/host_step.h"
#include "targets/program.h"
#include "targets/target.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_device_driver tune_device_driver;

// What a driver's own struct begins with.
typedef struct tune_device_kernel {
  tune_kernel base;
  const tune_device_driver *driver;
  void *device; // outlives it
  const tune_signature *signature;
  tune_program program;
  tune_host_module *host_modules; // one for each module of the program

  // From bind on:
  void *buffers;               // one for each of the program's, each a struct of the driver's
  const tune_buffer **sources; // what they were filled from: arguments; else NULL
  bool is_bound, has_run;
  tune_status failure; // of rewind, which cannot say it
} tune_device_kernel;

struct tune_device_driver {
  const tune_device_memory *memory;
  size_t kernel_size; // of the driver's own struct, zeroes at first
  // Makes the program's code ready.
  tune_status (*load)(tune_device_kernel *kernel);
  // Frees what the driver's functions made, at any time.
  void (*unload)(tune_device_kernel *kernel);
  // Makes all ready to run that needs the buffers, which are filled. Once.
  tune_status (*bind)(tune_device_kernel *kernel);
  // As `time` of a target, of a kernel that is bound.
  tune_status (*run)(tune_device_kernel *kernel, uint64_t repeats, double *out_seconds);
  // Carries out the steps from `first` to before `end`, which are launches and copies, and waits
  // for them: of a program with others, which `run` is not asked to run.
  tune_status (*run_steps)(tune_device_kernel *kernel, size_t first, size_t end);
  // `status`, or what has gone wrong without saying so. NULL: nothing does.
  tune_status (*validate)(void *device, tune_status status);
};

// A kernel of `target`, on the device of it.
tune_status tune_device_kernel_load(const tune_device_driver *driver, const tune_target *target,
                                    void *device, const tune_artifact *artifact,
                                    tune_kernel **out_kernel);
// The same for a program in memory, which the kernel takes over, also on failure. It belongs to no
// target: only the functions of this file take it.
tune_status tune_device_kernel_create(const tune_device_driver *driver, void *device,
                                      const tune_signature *signature, tune_program *program,
                                      tune_kernel **out_kernel);
void tune_device_kernel_unload(tune_kernel *kernel);
tune_status tune_device_kernel_bind(tune_kernel *kernel, const tune_buffer *buffers, size_t count);
void tune_device_kernel_rewind(tune_kernel *kernel);
tune_status tune_device_kernel_time(tune_kernel *kernel, uint64_t repeats, double *out_seconds);
tune_status tune_device_kernel_read(const tune_kernel *kernel, size_t output,
                                    tune_buffer *out_buffer);
tune_status tune_device_kernel_check(const tune_kernel *kernel);
tune_buffer_place tune_device_kernel_locate(const tune_kernel *kernel, const void *address,
                                            size_t *out_argument);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_DEVICE_DEVICE_KERNEL_H
