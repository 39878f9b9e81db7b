//===- file.c -----------------------------------------------------------------===//

#include "support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

//===- Reading ----------------------------------------------------------------===//

typedef struct contents {
  char *bytes;
  size_t size;
  size_t capacity;
} contents;

// Reads to the end, however long that is: a size from stat(2) is a hint only.
static tune_status read_to_end(int file, contents *read_so_far) {
  for (;;) {
    if (read_so_far->capacity - read_so_far->size < 2) {
      size_t capacity = 2 * read_so_far->capacity;
      char *bytes = realloc(read_so_far->bytes, capacity);
      if (!bytes)
        return tune_status_make(TUNE_OUT_OF_MEMORY, "reading");
      read_so_far->bytes = bytes;
      read_so_far->capacity = capacity;
    }
    ssize_t count = read(file, read_so_far->bytes + read_so_far->size,
                         read_so_far->capacity - read_so_far->size - 1);
    if (count > 0)
      read_so_far->size += (size_t)count;
    else if (count == 0)
      return TUNE_OK;
    else if (errno != EINTR)
      return tune_status_from_errno(errno, "reading");
  }
}

static tune_status read_file(int file, contents *out_contents) {
  struct stat info;
  if (fstat(file, &info) != 0)
    return tune_status_from_errno(errno, "reading");
  // One byte for the NUL and one more, so that a file as long as its stat needs no second buffer.
  out_contents->capacity = S_ISREG(info.st_mode) ? (size_t)info.st_size + 2 : 65536;
  out_contents->bytes = malloc(out_contents->capacity);
  if (!out_contents->bytes)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reading");
  return read_to_end(file, out_contents);
}

tune_status tune_file_read(const char *path, char **out_bytes, size_t *out_size) {
  *out_bytes = NULL;
  int file = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  if (file < 0)
    return tune_status_from_errno(errno, "%s", path);
  contents all = {.bytes = NULL};
  tune_status status = read_file(file, &all);
  close(file);
  if (!tune_status_is_ok(status)) {
    free(all.bytes);
    return tune_status_annotate(status, "%s", path);
  }
  all.bytes[all.size] = '\0';
  *out_bytes = all.bytes;
  if (out_size)
    *out_size = all.size;
  return TUNE_OK;
}

//===- Writing ----------------------------------------------------------------===//

static tune_status write_bytes(int file, const char *bytes, size_t size) {
  while (size) {
    ssize_t count = write(file, bytes, size);
    if (count >= 0) {
      bytes += count;
      size -= (size_t)count;
    } else if (errno != EINTR) {
      return tune_status_from_errno(errno, "writing");
    }
  }
  return TUNE_OK;
}

// Gives the file its permissions where `mode` is not 0. A file system without any is none of our
// concern.
static tune_status set_mode(int file, mode_t mode) {
  if (mode == 0 || fchmod(file, mode) == 0 || errno == EPERM || errno == ENOTSUP)
    return TUNE_OK;
  return tune_status_from_errno(errno, "setting its permissions");
}

// close(2) is where some file systems tell that the disk is full. Where it was interrupted, it is
// done.
static tune_status write_and_close(int file, mode_t mode, const char *bytes, size_t size) {
  tune_status status = set_mode(file, mode);
  if (tune_status_is_ok(status))
    status = write_bytes(file, bytes, size);
  if (close(file) != 0 && errno != EINTR && tune_status_is_ok(status))
    status = tune_status_from_errno(errno, "writing");
  return status;
}

static tune_status write_in_place(const char *path, const char *bytes, size_t size) {
  int file = TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_CLOEXEC));
  if (file < 0)
    return tune_status_from_errno(errno, "opening");
  return write_and_close(file, 0, bytes, size);
}

static mode_t permissions_of_new_file(void) {
  // There is no way to ask for the umask without setting it, which other threads would notice; this
  // file of the kernel's tells it.
  unsigned mask = 022;
  FILE *self = fopen("/proc/self/status", "re");
  char line[128];
  while (self && fgets(line, sizeof line, self))
    if (sscanf(line, "Umask: %o", &mask) == 1)
      break;
  if (self)
    fclose(self);
  return 0666 & ~(mode_t)mask;
}

static tune_status replace(const char *path, mode_t mode, const char *bytes, size_t size) {
  char *temporary = NULL;
  if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "writing");
  int file = mkostemp(temporary, O_CLOEXEC);
  if (file < 0) {
    tune_status status = tune_status_from_errno(errno, "creating");
    free(temporary);
    return status;
  }
  tune_status status = write_and_close(file, mode, bytes, size);
  if (tune_status_is_ok(status) && rename(temporary, path) != 0)
    status = tune_status_from_errno(errno, "renaming to it");
  if (!tune_status_is_ok(status))
    unlink(temporary);
  free(temporary);
  return status;
}

// Makes the file that the link at `path` names. Nobody has it open and there is nothing to lose, so
// it may be written where it will stay.
static tune_status write_through_link(const char *path, const char *bytes, size_t size) {
  int file = TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file < 0)
    return tune_status_from_errno(errno, "following the link");
  char *target = realpath(path, NULL);
  tune_status status = write_and_close(file, 0, bytes, size);
  if (!tune_status_is_ok(status) && target)
    unlink(target);
  free(target);
  return status;
}

// Writes what is not there, or is a link to what is not.
static tune_status write_new(const char *path, const char *bytes, size_t size) {
  struct stat info;
  if (lstat(path, &info) == 0)
    return S_ISLNK(info.st_mode) ? write_through_link(path, bytes, size)
                                 : tune_status_make(TUNE_ALREADY_EXISTS, "made meanwhile");
  if (errno != ENOENT)
    return tune_status_from_errno(errno, "looking at it");
  return replace(path, permissions_of_new_file(), bytes, size);
}

static tune_status write_file(const char *path, const char *bytes, size_t size) {
  struct stat info;
  if (stat(path, &info) != 0)
    return errno == ENOENT ? write_new(path, bytes, size)
                           : tune_status_from_errno(errno, "following");
  if (!S_ISREG(info.st_mode))
    return write_in_place(path, bytes, size);
  char *target = realpath(path, NULL);
  if (!target)
    return tune_status_from_errno(errno, "following");
  tune_status status = replace(target, info.st_mode & 07777, bytes, size);
  free(target);
  return status;
}

tune_status tune_file_write(const char *path, const char *bytes, size_t size) {
  return tune_status_annotate(write_file(path, bytes, size), "%s", path);
}

//===- Folders ----------------------------------------------------------------===//

// Makes the folder `path`, whose parents exist.
static tune_status make_folder(const char *path, mode_t mode) {
  struct stat info;
  if (mkdir(path, mode) == 0)
    return TUNE_OK;
  int error = errno;
  // Not only EEXIST: "/" gives EISDIR or EROFS on some systems, and it is there all the same.
  if (stat(path, &info) == 0)
    return S_ISDIR(info.st_mode) ? TUNE_OK : tune_status_from_errno(ENOTDIR, "%s", path);
  return tune_status_from_errno(error, "%s", path);
}

tune_status tune_file_make_folders(const char *path, mode_t mode) {
  if (!*path)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "making a folder without a name");
  char *prefix = strdup(path);
  if (!prefix)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making the folder %s", path);
  tune_status status = TUNE_OK;
  for (char *slash = prefix; tune_status_is_ok(status) && slash;) {
    slash = strchr(slash + 1, '/');
    if (slash)
      *slash = '\0';
    status = make_folder(prefix, mode);
    if (slash)
      *slash = '/';
  }
  free(prefix);
  return tune_status_annotate(status, "making the folder %s", path);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)kind, (void)where;
  // Somebody else may have removed it meanwhile.
  return remove(path) != 0 && errno != ENOENT;
}

tune_status tune_file_remove_tree(const char *path) {
  if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0 || errno == ENOENT)
    return TUNE_OK;
  return tune_status_from_errno(errno, "removing %s", path);
}

//===- Looking ----------------------------------------------------------------===//

bool tune_file_is_same(const char *a, const char *b) {
  struct stat status_a, status_b;
  return stat(a, &status_a) == 0 && stat(b, &status_b) == 0 && status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}
