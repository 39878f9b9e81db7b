//===- target.h - A device that runs and times artifacts ----------------------------===//
//
// A target is one table of functions; formats/target_list.h lists them. No target knows of
// MLIR: an artifact is what transforms/lower made, its signature says what it takes.
//
//     open target → load kernel → bind buffers → (flush →) time … → read outputs → unload → close
//
// A kernel that crashes takes its process along, one that never returns never returns: run it in a
// child, as tune-measure does.
//
// Threads: one thread at a time per target and all that came from it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_TARGET_H
#define TUNE_TARGETS_TARGET_H

#include "targets/buffer.h"
#include "targets/fingerprint.h"
#include "targets/roofline.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_target tune_target;
typedef struct tune_kernel tune_kernel;

typedef struct tune_target_options {
  size_t threads;   // that a kernel runs with; 0 is 1
  const int *cpus;  // to pin them to, one each; NULL: the first ones this process may use
  size_t cpu_count; // 0 with NULL, else at least `threads`
  // Which device, where a target has several: "0", "1", … or a part of its name, on cuda also an
  // architecture ("sm_90"). NULL: what the environment variable TUNE_VULKAN_DEVICE or
  // TUNE_CUDA_DEVICE says, else the first one, where those that are hardware come before those that
  // are software. On cpu the name of a CPU that this machine has all of ("x86-64-v3",
  // formats/cpu_models.h): fingerprint and roofline are of that one, NULL: of this machine.
  const char *device;
} tune_target_options;

typedef struct tune_artifact {
  const char *path;                // the file
  const tune_signature *signature; // outlives the kernel
} tune_artifact;

typedef struct tune_target_class {
  const char *name;    // "cpu", "null", "vulkan", "cuda"
  const char *summary; // one line for lists
  // UNAVAILABLE says what to install, or lacks here, NOT_FOUND which devices there are. The targets
  // cpu, vulkan and cuda pin the calling thread and set the environment that their runtime reads
  // (OpenMP's in artifacts, lavapipe's, CUDA's), so a process opens one of them, once.
  tune_status (*open)(const tune_target_options *options, tune_target **out_target);
  void (*close)(tune_target *target);
  const tune_fingerprint *(*fingerprint)(const tune_target *target); // borrowed
  // What every device has that `device` names without one being here: on cuda those of an
  // architecture ("sm_90"), or NULL, all that code is made for. NOT_FOUND says what can be named.
  // The member is NULL for targets of which there is nothing to say.
  tune_status (*describe)(const char *device, tune_fingerprint *out_fingerprint);
  // Measures what the target can do at best with the options it was opened with; takes about half
  // a second, or, if `quick`, a small part of that, and leaves out levels that take longer. The
  // caller keeps the result.
  tune_status (*roofline)(tune_target *target, bool quick, tune_roofline *out_roofline);

  // Makes an artifact ready to run. INVALID_ARGUMENT for a file that is none, NOT_FOUND for one
  // that is not there or lacks its entry.
  tune_status (*load)(tune_target *target, const tune_artifact *artifact, tune_kernel **out_kernel);
  void (*unload)(tune_kernel *kernel);
  // Gives the kernel its arguments, one buffer each, in order. What is only read is borrowed until
  // unload or the next bind, what is written is copied. INVALID_ARGUMENT for a buffer that the
  // signature does not allow. All other memory of the kernel holds ones in all bits in the run that
  // follows (NaN, -1), so that it shows where it reads what it has not written.
  tune_status (*bind)(tune_kernel *kernel, const tune_buffer *buffers, size_t count);
  // Gives the arguments that are written their first contents again.
  void (*rewind)(tune_kernel *kernel);
  // Runs `repeats` >= 1 times in a row; `*out_seconds` is device time of all of them. DATA_LOSS if
  // the device was lost over it.
  tune_status (*time)(tune_kernel *kernel, uint64_t repeats, double *out_seconds);
  // Puts something else into the caches, so that a run that follows finds its data in memory.
  // OUT_OF_MEMORY without room for that. The member is NULL where there are none.
  tune_status (*flush)(tune_target *target);
  // Copies output `output` (see signature.h) as it is after the last run into a new buffer.
  // FAILED_PRECONDITION before the first run; DATA_LOSS if the kernel left no sensible output.
  tune_status (*read)(const tune_kernel *kernel, size_t output, tune_buffer *out_buffer);
  // DATA_LOSS, saying which, if the kernel wrote outside of its buffers, or (on vulkan and
  // cuda; the cpu's are borrowed, and the caller may protect them) into one that it was to read.
  tune_status (*check)(const tune_kernel *kernel);
  // Where `address` lies among the arguments, and at which; async-signal-safe.
  tune_buffer_place (*locate)(const tune_kernel *kernel, const void *address, size_t *out_argument);
} tune_target_class;

// What each target's own struct begins with.
struct tune_target {
  const tune_target_class *methods;
};
#define TUNE_LEANING_COUNT 3

// What all calls of a task took since the artifact was loaded, or these were set to 0
// (transforms/lower/cpu/backend/task_times.h).
typedef struct tune_task_time {
  const char *name; // of its function; NULL: this is no task, and the last element
  uint64_t nanoseconds, calls;
} tune_task_time;

struct tune_kernel {
  const tune_target_class *methods;
  // The artifact says that two runs on the same inputs may differ, since it adds up by atomic
  // operations or the like.
  bool is_unordered;
  // What makes a reference lean (transforms/lower/cpu/leaning.h), TUNE_LEANING_COUNT; NULL:
  // nothing.
  double *leaning;
  // Of the tasks that a module times as it calls them; NULL: it does not.
  tune_task_time *task_times;
};

extern const tune_target_class tune_target_cpu;
extern const tune_target_class tune_target_cuda;
extern const tune_target_class tune_target_null;
extern const tune_target_class tune_target_vulkan;

// The target named `name`. NOT_FOUND lists them all, and the nearest.
tune_status tune_target_find(const char *name, const tune_target_class **out_class);
// The `index`-th target, or NULL after the last.
const tune_target_class *tune_target_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_TARGET_H
