//===- leftovers.c ------------------------------------------------------------===//

#include "leftovers.h"

#include "support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

//===- Descriptors and processes --------------------------------------------------===//

leftover_fds leftover_fds_now(void) {
  leftover_fds now;
  for (int fd = 0; fd < LEFTOVER_FDS; ++fd)
    now.is_open[fd] = fcntl(fd, F_GETFD) >= 0;
  return now;
}

int leftover_fd(const leftover_fds *before) {
  for (int fd = 0; fd < LEFTOVER_FDS; ++fd)
    if (!before->is_open[fd] && fcntl(fd, F_GETFD) >= 0) {
      close(fd);
      return fd;
    }
  return -1;
}

bool leftover_child(void) {
  siginfo_t info = {.si_pid = 0};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0)
    return errno != ECHILD;
  if (info.si_pid == 0) { // it runs, in a group of its own or in ours
    char path[64], line[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "r");
    if (children && fgets(line, sizeof line, children) && atoi(line) > 0)
      kill(atoi(line), SIGKILL);
    if (children)
      fclose(children);
    waitid(P_ALL, 0, &info, WEXITED);
  }
  return true;
}

//===- Files ------------------------------------------------------------------------===//

// nftw gives its visitor nothing of the caller's.
static struct {
  leftover_files *files; // to add to
  const leftover_files *allowed;
  const char *target; // to copy to
  char *name;         // of one that is not allowed
  size_t root;        // length of the folder's path
} visit;

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int add_path(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)kind, (void)where;
  char *paths = visit.files->paths;
  size_t length = strlen(paths), room = sizeof visit.files->paths - length;
  return snprintf(paths + length, room, "\n%s\n", path + visit.root) >= (int)room;
}

void leftover_files_add(leftover_files *files, const char *folder) {
  visit.files = files;
  visit.root = strlen(folder);
  if (nftw(folder, add_path, 8, FTW_PHYS) != 0) {
    fprintf(stderr, "%s cannot be listed\n", folder);
    exit(1);
  }
}

static int find_other(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)kind, (void)where;
  char line[600];
  snprintf(line, sizeof line, "\n%s\n", path + visit.root);
  if (strstr(visit.allowed->paths, line) || ends_with(path, "-wal") || ends_with(path, "-shm") ||
      ends_with(path, "-journal"))
    return 0;
  snprintf(visit.name, 256, "%.255s", path + visit.root);
  return 1;
}

bool leftover_file(const leftover_files *files, const char *folder, char name[256]) {
  visit.allowed = files;
  visit.name = name;
  visit.root = strlen(folder);
  return nftw(folder, find_other, 8, FTW_PHYS) == 1;
}

static int copy_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)where;
  char to[600];
  snprintf(to, sizeof to, "%s%s", visit.target, path + visit.root);
  if (kind == FTW_D)
    return mkdir(to, info->st_mode & 07777);
  char *bytes;
  size_t size;
  tune_status status = tune_file_read(path, &bytes, &size);
  if (status) {
    tune_status_free(status);
    return 1;
  }
  status = tune_file_write(to, bytes, size);
  bool failed = status || chmod(to, info->st_mode & 07777) != 0;
  tune_status_free(status);
  free(bytes);
  return failed;
}

void leftover_copy(const char *from, const char *to) {
  visit.target = to;
  visit.root = strlen(from);
  if (nftw(from, copy_entry, 8, FTW_PHYS) != 0) {
    fprintf(stderr, "%s cannot be copied to %s\n", from, to);
    exit(1);
  }
}
