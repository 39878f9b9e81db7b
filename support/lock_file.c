//===- lock_file.c - Paths of the locks on cores -----------------------------===//

#include "support/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_in(const char *parent) {
  char folder[256];
  int length = snprintf(folder, sizeof folder, "%s/mlir-tune-%u", parent, (unsigned)geteuid());
  if (length < 0 || (size_t)length >= sizeof folder ||
      (mkdir(folder, 0700) != 0 && errno != EEXIST))
    return -1;
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  int file = -1;
  if (directory >= 0 && fstat(directory, &info) == 0 && info.st_uid == geteuid() &&
      (info.st_mode & 022) == 0)
    file = openat(directory, "cpus.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (directory >= 0)
    close(directory);
  return file;
}

int tune_lock_file_open(void) {
  int file = open_in("/tmp");
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  return file < 0 && runtime && *runtime ? open_in(runtime) : file;
}
