//===- scratch.c --------------------------------------------------------------===//

#include "support/scratch.h"

#include "support/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "mlir-tune-scratch-"

struct tune_scratch {
  char *path;
  int lock; // the folder itself, open, with an exclusive flock
};

// Opens and locks the folder; -1 where it is gone, not ours or in use.
static int lock_folder(int parent, const char *path) {
  int folder = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return -1;
  struct stat info;
  if (fstat(folder, &info) == 0 && info.st_uid == geteuid() &&
      flock(folder, LOCK_EX | LOCK_NB) == 0)
    return folder;
  close(folder);
  return -1;
}

static void remove_if_abandoned(DIR *parent, const char *parent_path, const char *name) {
  int folder = lock_folder(dirfd(parent), name);
  if (folder < 0)
    return;
  char *path = NULL;
  if (asprintf(&path, "%s/%s", parent_path, name) >= 0) {
    tune_status_free(tune_file_remove_tree(path)); // best effort
    free(path);
  }
  close(folder);
}

static void remove_abandoned(const char *parent_path) {
  DIR *parent = opendir(parent_path);
  if (!parent)
    return;
  for (struct dirent *entry; (entry = readdir(parent));)
    if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
      remove_if_abandoned(parent, parent_path, entry->d_name);
  closedir(parent);
}

// Between its making and its locking a folder looks abandoned to another process's sweep, so
// whether it is still there is seen once it is locked.
static bool is_there(int folder) {
  struct stat info;
  return fstat(folder, &info) == 0 && info.st_nlink > 0;
}

static tune_status make_folder(tune_scratch *scratch, const char *parent) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    if (asprintf(&scratch->path, "%s/" PREFIX "XXXXXX", parent) < 0) {
      scratch->path = NULL;
      return tune_status_make(TUNE_OUT_OF_MEMORY, "making a scratch folder");
    }
    if (!mkdtemp(scratch->path))
      return tune_status_from_errno(errno, "making a scratch folder in %s (TMPDIR says where)",
                                    parent);
    scratch->lock = lock_folder(AT_FDCWD, scratch->path);
    if (scratch->lock >= 0 && is_there(scratch->lock))
      return TUNE_OK;
    if (scratch->lock >= 0)
      close(scratch->lock);
    scratch->lock = -1;
    rmdir(scratch->path); // or it stays until the next sweep
    free(scratch->path);
    scratch->path = NULL;
  }
  return tune_status_make(TUNE_INTERNAL, "the scratch folders made in %s cannot be locked", parent);
}

tune_status tune_scratch_create(tune_scratch **out_scratch) {
  *out_scratch = NULL;
  const char *asked = getenv("TMPDIR");
  char *parent = realpath(asked && *asked ? asked : "/tmp", NULL);
  if (!parent)
    return tune_status_from_errno(errno, "TMPDIR %s", asked ? asked : "/tmp");
  remove_abandoned(parent);
  tune_scratch *scratch = malloc(sizeof *scratch);
  tune_status status;
  if (scratch) {
    *scratch = (tune_scratch){.lock = -1};
    status = make_folder(scratch, parent);
  } else {
    status = tune_status_make(TUNE_OUT_OF_MEMORY, "making a scratch folder");
  }
  free(parent);
  if (!tune_status_is_ok(status)) {
    tune_scratch_destroy(scratch);
    return status;
  }
  *out_scratch = scratch;
  return TUNE_OK;
}

void tune_scratch_destroy(tune_scratch *scratch) {
  if (!scratch)
    return;
  if (scratch->lock >= 0) {
    tune_status_free(tune_file_remove_tree(scratch->path));
    close(scratch->lock);
  }
  free(scratch->path);
  free(scratch);
}

const char *tune_scratch_get_path(const tune_scratch *scratch) { return scratch->path; }
