//===- build_sandbox.c - The sandbox of builds -------------------------------===//

#include "tools/tune-worker/build_sandbox.h"

#include "support/sandbox.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tune_status build_sandbox_enter(const char *output, int report) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", output);
  char *slash = strrchr(folder, '/');
  if (slash)
    *slash = '\0';
  if (setenv("TMPDIR", slash ? folder : ".", 1) != 0)
    return tune_status_out_of_memory("starting a build");
  tune_sandbox_close_descriptors(&report, 1);
  const char *const writable[] = {slash ? folder : "."};
  const tune_sandbox_options options = {
      .kind = TUNE_SANDBOX_BUILD, .writable = writable, .writable_count = 1};
  return tune_sandbox_enter(&options);
}
