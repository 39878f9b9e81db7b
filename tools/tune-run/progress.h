//===- progress.h - Progress of tune-run on a terminal -----------------------===//
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
