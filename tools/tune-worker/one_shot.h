//===- one_shot.h - tune-worker --build: one build, for people --------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_ONE_SHOT_H
#define TUNE_TOOLS_TUNE_WORKER_ONE_SHOT_H

#include "support/status.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

// What --emit takes, in the order of one_shot_emit_names.
typedef enum one_shot_emit {
  ONE_SHOT_SHARED,    // the artifact: a shared object, or a device program
  ONE_SHOT_OBJECT,    // it before linking
  ONE_SHOT_ASSEMBLY,  //
  ONE_SHOT_LLVM,      // optimised LLVM IR
  ONE_SHOT_MLIR,      // the LLVM dialect, or for a device that of its kernels
  ONE_SHOT_SPIRV,     // the code of a device program, without the launches
  ONE_SHOT_SCHEDULED, // the payload after the schedule
  ONE_SHOT_SCRIPT,    // the schedule, decided
  ONE_SHOT_SIGNATURE, // JSON, see docs/protocol.md
  ONE_SHOT_SPACE,     // the knobs and constraints of the schedule
} one_shot_emit;

extern const char *const one_shot_emit_names[]; // NULL-terminated

typedef struct one_shot_options {
  const char *payload;        // a file
  const char *schedule;       // a file, or NULL
  const char *allowed_passes; // that it may run beside those listed, "a,b", or NULL
  const char *function;       // or NULL
  const char *config;         // "mc=64,nr=32", or NULL: the defaults
  bool plain;                 // the reference; no schedule
  size_t emit;                // a one_shot_emit
  const char *output;         // a file; "-" is stdout
  const char *target;         // tuning/device/target_name.h
  const char *triple, *cpu, *features;
  int64_t threads;
  int64_t repeats; // builds that many times and reports the last
  bool timing;
} one_shot_options;

// Builds in a process of its own, in the sandbox that a search gives its builds, and without limits
// on time or memory. Reports errors on stderr, also how that process was killed. Returns the exit
// status: 0 or 1.
int one_shot_run(const one_shot_options *options);

// What that process does: writes to `output` (NULL: stdout) what is wanted, or, for
// ONE_SHOT_SPIRV, the program that its files are to be made of. `device` is the fingerprint that
// the code is for, or NULL.
tune_status one_shot_build(const one_shot_options *options, const json_t *device,
                           const char *output);

#endif // TUNE_TOOLS_TUNE_WORKER_ONE_SHOT_H
