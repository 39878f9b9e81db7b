//===- quick_messages.h - Messages of transforms that cost little ----------------===//
//
// transform.structured.fuse_into_containing_op of MLIR 22 writes a message before each op that it
// fuses, for the case that this fails: with the loops that it fuses into, all that is in them, and
// after it has verified the function around them. In whole networks that is half of the time that
// their schedules take. Where a program is ours alone, ops in messages are written without what is
// in them, and not verified for that.
//
// Upstream has no C API for how ops in messages are printed: these are options of its command line.
//
// Threads: the options are the process's. Only where no other thread prints or applies schedules.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_QUICK_MESSAGES_H
#define TUNE_TRANSFORMS_SCHEDULE_QUICK_MESSAGES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Once in a process: from then on the following two do something.
void tune_quick_messages_allow(void);

// Around what a schedule does. The second returns whether they were quick until then.
void tune_quick_messages_begin(void);
bool tune_quick_messages_end(void);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_QUICK_MESSAGES_H
