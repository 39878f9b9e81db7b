//===- host_step.h - Steps of a device program that the host does ------------===//
//
// A module that is a shared object of the CPU (docs/protocol.md, Artifacts of the CPU), loaded from
// memory, and called with copies of buffers. What it does is not looked at: who runs a program does
// so in a child.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_DEVICE_HOST_STEP_H
#define TUNE_TARGETS_DEVICE_HOST_STEP_H

#include "targets/device/device_memory.h"
#include "targets/program.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_host_module {
  void *handle;
  int fd; // of its file; dlopen(3) takes two of one path for one, so it is open while it is loaded
  void (*entry)(void **arguments);
} tune_host_module;

// Loads those modules of `program` that are the host's: `*out_modules`, one for each module, the
// others all zero. INVALID_ARGUMENT for what is no such object.
tune_status tune_host_modules_load(const tune_program *program, tune_host_module **out_modules);
void tune_host_modules_unload(const tune_program *program, tune_host_module *modules);

// Reads the buffers of `step`, which are `buffers` of `buffer_size` bytes each, calls, and writes
// back what is written.
tune_status tune_host_step_run(const tune_host_module *modules, const tune_program_step *step,
                               const void *buffers, size_t buffer_size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_DEVICE_HOST_STEP_H
