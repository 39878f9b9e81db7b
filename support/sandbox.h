//===- sandbox.h - Confinement of child processes ----------------------------===//
//
// Narrows what the calling process, and all that it starts, may ask of the kernel, for good: by a
// seccomp filter (which system calls, and some of their arguments) and by Landlock (under which
// folders anything may be written). Neither needs rights, a library or a helper.
//
// In all kinds: no sockets but pairs, no other process traced, read or signalled (where Landlock is
// of Linux 6.12), no mount, no other user, no keys, no limits raised; what is written lies in
// the folders given; but for builds, owners, modes and times of files stay as they are. Files may
// be read.
//
// Where the kernel lacks one of the two, or a container's runtime forbids it, what it would have
// done is left out; tune_sandbox_describe tells.
//
// Threads: for a process with one thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_SANDBOX_H
#define TUNE_SUPPORT_SANDBOX_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_sandbox_kind {
  // Code of a candidate in this process: it starts threads and nothing else. What is forbidden and
  // has no use raises SIGSYS, whose si_syscall is the number of the call; writing files fails.
  TUNE_SANDBOX_RUN,
  // Beside the driver of a device: as above, but what is forbidden fails (EPERM), since a driver
  // tries this and that; devices and the driver's own caches may be written.
  TUNE_SANDBOX_DRIVER,
  // A compiler: it may start programs (a linker, an assembler), to which the same applies.
  TUNE_SANDBOX_BUILD,
} tune_sandbox_kind;

typedef struct tune_sandbox_options {
  tune_sandbox_kind kind;
  const char *const *writable; // folders, that exist; others are left out
  size_t writable_count;
} tune_sandbox_options;

// Enters the sandbox. INTERNAL where the kernel has what is needed and refuses it.
tune_status tune_sandbox_enter(const tune_sandbox_options *options);

// What children on this machine will do without, "Landlock (…): …", to be said once; NULL where
// nothing. The caller's, to free.
tune_status tune_sandbox_describe(char **out_missing);

// Whether `call` is one of those that are forbidden in some kind, and what it is called; NULL where
// not.
const char *tune_sandbox_call_name(int call);

// Closes all descriptors of this process from 3 on, but for those in `kept`: what the parent has
// open is none of a child's business.
void tune_sandbox_close_descriptors(const int *kept, size_t count);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_SANDBOX_H
