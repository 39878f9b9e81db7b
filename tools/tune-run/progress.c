//===- progress.c -------------------------------------------------------------===//

#include "tools/tune-run/progress.h"

#include <stdio.h>
#include <unistd.h>

void progress_show(const char *what) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K%s ...", what);
}

void progress_clear(void) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K");
}
