//===- scratch.h - A folder for what is soon thrown away --------------------------===//
//
// A fresh folder under $TMPDIR (or /tmp), readable by nobody else, removed with all in it
// on destroy. A process that was killed leaves its folder behind; each create removes the
// user's folders of which no process is alive any more (they are locked while one is).
//
// Threads: one thread at a time per scratch.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_SCRATCH_H
#define TUNE_SUPPORT_SCRATCH_H

#include "support/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_scratch tune_scratch;

tune_status tune_scratch_create(tune_scratch **out_scratch);
// Removes the folder. What cannot be removed stays until a later create. NULL is fine.
void tune_scratch_destroy(tune_scratch *scratch);

// Absolute, without a slash at its end. Borrowed.
const char *tune_scratch_get_path(const tune_scratch *scratch);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_SCRATCH_H
