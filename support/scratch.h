//===- scratch.h - A folder for what is soon thrown away --------------------------===//
//
// A fresh folder under $TMPDIR (or /tmp), readable by nobody else, removed with all in it
// on destroy, and when the process that made it ends without that, however it does: the
// folder is made by a small process of its own, the keeper (`tune-measure --keep-scratch`),
// which waits for the owner's end of a pipe to close. Signals to the owner's group do not
// reach it. Where there is no such program, or it is killed as well, the folder of a killed
// process stays: under $TMPDIR until a later create there, which removes the user's folders of
// which neither owner nor keeper is alive (they are locked while one is).
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
// The same in the folder `parent`, a user's: nothing that lies there is removed.
tune_status tune_scratch_create_in(const char *parent, tune_scratch **out_scratch);
// Removes the folder. What cannot be removed stays until a later create. NULL is fine.
void tune_scratch_destroy(tune_scratch *scratch);

// Absolute, without a slash at its end. Borrowed.
const char *tune_scratch_get_path(const tune_scratch *scratch);

// What the keeper does: makes a folder in `parent` (absolute), writes its path to stdout, and
// closes that; at the end of stdin it removes the folder, and gives those that still write there
// ten seconds to end. Changes the whole process: signals that people send are ignored.
tune_status tune_scratch_keep(const char *parent);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_SCRATCH_H
