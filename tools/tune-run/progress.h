//===- progress.h - What tune-run is doing, for who waits --------------------------===//
//
// A word on stderr while something takes its time, gone when it is done. Nothing where stderr is
// no terminal.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_PROGRESS_H
#define TUNE_TOOLS_TUNE_RUN_PROGRESS_H

void progress_show(const char *what);
void progress_clear(void);

#endif // TUNE_TOOLS_TUNE_RUN_PROGRESS_H
