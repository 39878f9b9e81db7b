//===- scratch.c --------------------------------------------------------------===//

#include "support/scratch.h"

#include "support/clock.h"
#include "support/file.h"
#include "support/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "mlir-tune-scratch-"
#define KEEPER "tune-measure"
#define KEEPER_PATIENCE 10.0 // seconds

struct tune_scratch {
  char *path;
  int lock;             // the folder itself, open, with a flock that it shares with the keeper
  tune_process *keeper; // NULL: there is none
};

//===- Locks ------------------------------------------------------------------===//

// What mkdtemp makes of the prefix.
static bool is_scratch_name(const char *name) {
  size_t length = strlen(PREFIX);
  return strncmp(name, PREFIX, length) == 0 && strlen(name) == length + 6 &&
         strspn(name + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
             6;
}

// Opens and locks the folder; -1 where it is gone, not ours or, as `how` has it, in use. On a file
// system without locks nothing is swept away either.
static int lock_folder(int parent, const char *path, int how) {
  int folder = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return -1;
  struct stat info;
  if (fstat(folder, &info) == 0 && info.st_uid == geteuid() && (info.st_mode & 0777) == 0700 &&
      (flock(folder, how | LOCK_NB) == 0 || (how == LOCK_SH && tune_file_lacks_locks(errno))))
    return folder;
  close(folder);
  return -1;
}

//===- Folders ----------------------------------------------------------------===//

static void remove_if_abandoned(DIR *parent, const char *parent_path, const char *name) {
  int folder = lock_folder(dirfd(parent), name, LOCK_EX);
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
    if (is_scratch_name(entry->d_name))
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
      return tune_status_out_of_memory("making a scratch folder");
    }
    if (!mkdtemp(scratch->path))
      return tune_status_from_errno(errno, "making a scratch folder in %s", parent);
    scratch->lock = lock_folder(AT_FDCWD, scratch->path, LOCK_SH);
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

//===- The keeper --------------------------------------------------------------===//

tune_status tune_scratch_keep(const char *parent) {
  static const int IGNORED[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};
  for (size_t i = 0; i < sizeof IGNORED / sizeof *IGNORED; ++i)
    signal(IGNORED[i], SIG_IGN);
  // tune_process_start has asked for the owner's end to be ours.
  if (prctl(PR_SET_PDEATHSIG, 0) != 0 || chdir("/") != 0)
    return tune_status_from_errno(errno, "outliving another process");
  tune_scratch scratch = {.lock = -1};
  TUNE_RETURN_IF_ERROR(make_folder(&scratch, parent));
  size_t length = strlen(scratch.path);
  // Where nobody reads it the owner has ended, which stdin tells as well.
  ssize_t written = write(STDOUT_FILENO, scratch.path, length);
  close(STDOUT_FILENO);
  char byte;
  ssize_t count = written == (ssize_t)length ? 1 : 0;
  while (count > 0 || (count < 0 && errno == EINTR))
    count = read(STDIN_FILENO, &byte, 1);
  double start = tune_clock_seconds();
  tune_status status = tune_file_remove_tree(scratch.path);
  // The owner's own children may be on their way out, and writing still; nothing else passes.
  for (double pause = 1e-3; tune_status_get_code(status) == TUNE_RESOURCE_EXHAUSTED; pause *= 2) {
    if (tune_clock_seconds() - start > KEEPER_PATIENCE)
      break;
    tune_clock_sleep(pause);
    tune_status_free(status);
    status = tune_file_remove_tree(scratch.path);
  }
  close(scratch.lock);
  free(scratch.path);
  return status;
}

// The path that the keeper tells; empty where it has failed.
static void read_path(int from, char path[PATH_MAX]) {
  size_t length = 0;
  while (length + 1 < PATH_MAX) {
    ssize_t count = read(from, path + length, PATH_MAX - 1 - length);
    if (count > 0)
      length += (size_t)count;
    else if (count == 0 || errno != EINTR)
      break;
  }
  path[length] = '\0';
}

// Has a keeper make the folder.
static tune_status make_kept_folder(tune_scratch *scratch, const char *parent) {
  char *program, path[PATH_MAX];
  TUNE_RETURN_IF_ERROR(tune_process_find_program(KEEPER, &program));
  const char *arguments[] = {program, "--keep-scratch", parent, NULL};
  const tune_process_options options = {.arguments = arguments,
                                        .in = TUNE_PROCESS_PIPE,
                                        .out = TUNE_PROCESS_PIPE,
                                        .error = TUNE_PROCESS_DISCARD};
  tune_status status = tune_process_start(&options, &scratch->keeper);
  free(program);
  TUNE_RETURN_IF_ERROR(status);
  read_path(tune_process_get_stdout(scratch->keeper), path);
  // Whatever program that was: what is removed in the end is a scratch folder.
  size_t length = strlen(parent);
  if (strncmp(path, parent, length) != 0 || path[length] != '/' ||
      !is_scratch_name(path + length + 1))
    return tune_status_make(TUNE_UNAVAILABLE, "the keeper of scratch failed");
  scratch->path = strdup(path);
  if (!scratch->path)
    return tune_status_out_of_memory("making a scratch folder");
  scratch->lock = lock_folder(AT_FDCWD, path, LOCK_SH);
  return scratch->lock >= 0 ? TUNE_OK
                            : tune_status_make(TUNE_UNAVAILABLE, "the keeper of scratch failed");
}

// Lets the keeper, if there is one, remove what it made and end.
static void dismiss_keeper(tune_scratch *scratch) {
  tune_process_exit ignored;
  if (scratch->keeper) {
    tune_process_close_stdin(scratch->keeper);
    tune_status_free(tune_process_wait(scratch->keeper, KEEPER_PATIENCE, &ignored));
  }
  tune_process_destroy(scratch->keeper);
  scratch->keeper = NULL;
}

//===- The whole ----------------------------------------------------------------===//

static tune_status fill_scratch(tune_scratch *scratch, const char *parent) {
  tune_status status = make_kept_folder(scratch, parent);
  if (tune_status_is_ok(status) || tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  // Without a keeper; and what is wrong with `parent` shows again.
  tune_status_free(status);
  dismiss_keeper(scratch);
  free(scratch->path);
  scratch->path = NULL;
  return make_folder(scratch, parent);
}

tune_status tune_scratch_create_in(const char *parent, tune_scratch **out_scratch) {
  *out_scratch = NULL;
  char *real = realpath(parent, NULL);
  if (!real)
    return tune_status_from_errno(errno, "%s", parent);
  tune_scratch *scratch = malloc(sizeof *scratch);
  tune_status status;
  if (scratch) {
    *scratch = (tune_scratch){.lock = -1};
    status = fill_scratch(scratch, real);
  } else {
    status = tune_status_out_of_memory("making a scratch folder");
  }
  free(real);
  if (!tune_status_is_ok(status)) {
    tune_scratch_destroy(scratch);
    return status;
  }
  *out_scratch = scratch;
  return TUNE_OK;
}

tune_status tune_scratch_create(tune_scratch **out_scratch) {
  const char *asked = getenv("TMPDIR"), *parent = asked && *asked ? asked : "/tmp";
  remove_abandoned(parent);
  return tune_status_annotate(tune_scratch_create_in(parent, out_scratch), "TMPDIR");
}

void tune_scratch_destroy(tune_scratch *scratch) {
  if (!scratch)
    return;
  if (scratch->lock >= 0) {
    tune_status status = tune_file_remove_tree(scratch->path);
    if (!tune_status_is_ok(status))
      dismiss_keeper(scratch); // which tries for longer
    tune_status_free(status);
    close(scratch->lock);
  } else {
    dismiss_keeper(scratch); // with the folder that it may have made
  }
  tune_process_destroy(scratch->keeper);
  free(scratch->path);
  free(scratch);
}

const char *tune_scratch_get_path(const tune_scratch *scratch) { return scratch->path; }
