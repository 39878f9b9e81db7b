//===- output.h - A file that is there whole or as it was ---------------------------===//
//
// A linker writes where it is told to piece by piece, and may be killed on the way. So it
// is told to write into a folder of its own beside the output, and what it made moves to
// its place by renaming when it is whole. What stood there before stays where a build
// fails, and nothing is ever removed that was not made here.
//
// What is there and no regular file (/dev/null, a pipe) is written to as it is, and a
// symbolic link stays one.
//
// Threads: one at a time per output. After a fork the child writes and commits, the parent
// destroys.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_OUTPUT_H
#define TUNE_TOOLS_TUNE_WORKER_OUTPUT_H

#include "support/status.h"

#include <stdbool.h>

typedef struct worker_output worker_output;

// Makes the folder; if it `is_kept`, one that goes also where this process is killed (a scratch
// folder, whose keeper takes some milliseconds to start). INVALID_ARGUMENT where `path` is a
// folder; errors of the system where its own folder does not exist or cannot be written to.
tune_status worker_output_create(const char *path, bool is_kept, worker_output **out_output);
// Removes the folder and what is left in it. NULL is fine.
void worker_output_destroy(worker_output *output);

// Where to write to: a path at which there is nothing yet. Borrowed.
const char *worker_output_path(const worker_output *output);

// Moves what was written to its place.
tune_status worker_output_commit(const worker_output *output);

#endif // TUNE_TOOLS_TUNE_WORKER_OUTPUT_H
