//===- file.c -----------------------------------------------------------------===//

#include "support/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_TRIED 100
// What is read of a device (/dev/null has an end, /dev/zero has none), and of a pipe or a terminal.
#define LARGEST_DEVICE ((size_t)1 << 20)
#define LARGEST_STREAM ((size_t)4 << 30)
#define NEW_FILE ((mode_t)-1) // in place of permissions

//===- Reading ----------------------------------------------------------------===//

typedef struct contents {
  char *bytes;
  size_t size;
  size_t capacity;
} contents;

// What has no size may have no end either, and would be read until memory is gone.
static size_t find_limit(int file, const struct stat *info) {
  if (S_ISREG(info->st_mode))
    return SIZE_MAX;
  return S_ISCHR(info->st_mode) && !isatty(file) ? LARGEST_DEVICE : LARGEST_STREAM;
}

// Reads to the end, however long that is: a size from stat(2) is a hint only.
static tune_status read_to_end(int file, size_t limit, contents *read_so_far) {
  for (;;) {
    if (read_so_far->size > limit)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "it does not end within %zu MiB; give a file",
                              limit >> 20);
    if (read_so_far->capacity - read_so_far->size < 2) {
      size_t capacity = 2 * read_so_far->capacity;
      char *bytes = realloc(read_so_far->bytes, capacity);
      if (!bytes)
        return tune_status_out_of_memory("reading");
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
    return tune_status_out_of_memory("reading");
  return read_to_end(file, find_limit(file, &info), out_contents);
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

tune_status tune_file_check_ends(const char *path) {
  struct stat info;
  int file = -1;
  // Only of a device is what was read not missed by who reads it then.
  if (stat(path, &info) == 0 && S_ISCHR(info.st_mode))
    file = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  if (file < 0)
    return TUNE_OK;
  contents all = {.bytes = NULL};
  tune_status status = isatty(file) ? TUNE_OK : read_file(file, &all);
  close(file);
  free(all.bytes);
  return tune_status_annotate(status, "%s", path);
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

// Gives the file its permissions unless it is a new one. A file system without any is none of our
// concern.
static tune_status set_mode(int file, mode_t mode) {
  if (mode == NEW_FILE || fchmod(file, mode) == 0 || errno == EPERM || errno == ENOTSUP ||
      errno == ENOSYS)
    return TUNE_OK;
  return tune_status_from_errno(errno, "setting its permissions");
}

// close(2) is where some file systems tell that the disk is full. Where it was interrupted, it is
// done.
static tune_status close_file(int file) {
  if (close(file) == 0 || errno == EINTR)
    return TUNE_OK;
  return tune_status_from_errno(errno, "writing");
}

static tune_status write_in_place(const char *path, const char *bytes, size_t size) {
  int file = TEMP_FAILURE_RETRY(open(path, O_WRONLY | O_CLOEXEC));
  if (file < 0)
    return tune_status_from_errno(errno, "opening");
  tune_status status = write_bytes(file, bytes, size);
  return tune_status_join(status, close_file(file));
}

// NULL without memory.
static char *copy_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

// What the link at `path` names, which need not be there.
static tune_status follow_link(const char *path, char **out_file) {
  char target[PATH_MAX];
  *out_file = NULL;
  ssize_t length = readlink(path, target, sizeof target);
  if (length < 0 || (size_t)length == sizeof target)
    return tune_status_from_errno(length < 0 ? errno : ENAMETOOLONG, "following the link");
  const char *slash = strrchr(path, '/');
  int folder_length = *target == '/' || !slash ? 0 : (int)(slash - path) + 1;
  if (asprintf(out_file, "%.*s%.*s", folder_length, path, (int)length, target) >= 0)
    return TUNE_OK;
  *out_file = NULL;
  return tune_status_out_of_memory("following the link");
}

// Of what is not there, if only by links.
static tune_status find_new_folder(const char *path, char **out_folder) {
  struct stat info;
  if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) {
    *out_folder = copy_folder_of(path);
    return *out_folder ? TUNE_OK : tune_status_out_of_memory("finding a folder");
  }
  char *file;
  TUNE_RETURN_IF_ERROR(follow_link(path, &file));
  tune_status status = tune_file_find_folder(file, out_folder);
  free(file);
  return status;
}

tune_status tune_file_find_folder(const char *path, char **out_folder) {
  struct stat info;
  *out_folder = NULL;
  if (stat(path, &info) != 0)
    return errno == ENOENT ? find_new_folder(path, out_folder)
                           : tune_status_from_errno(errno, "%s", path);
  char *target = S_ISREG(info.st_mode) ? realpath(path, NULL) : strdup(path);
  if (!target)
    return tune_status_from_errno(errno, "%s", path);
  *out_folder = copy_folder_of(target);
  free(target);
  return *out_folder ? TUNE_OK : tune_status_out_of_memory("finding the folder of %s", path);
}

tune_status tune_file_check_writable(const char *path) {
  struct stat info;
  bool is_there = stat(path, &info) == 0;
  if (is_there && S_ISDIR(info.st_mode))
    return tune_status_from_errno(EISDIR, "%s", path);
  // What is there and no file is written to as it is.
  if (is_there && !S_ISREG(info.st_mode))
    return access(path, W_OK) == 0 ? TUNE_OK : tune_status_from_errno(errno, "%s", path);
  char *folder;
  TUNE_RETURN_IF_ERROR(tune_file_find_folder(path, &folder));
  tune_status status =
      access(folder, W_OK | X_OK) == 0 ? TUNE_OK : tune_status_from_errno(errno, "%s", path);
  free(folder);
  return status;
}

// Opens a file without a name in the folder of `path`, of which nothing is left where this process
// is killed. -1 where the file system has none.
static int open_nameless(const char *path, mode_t mode) {
  char *folder = copy_folder_of(path);
  if (!folder)
    return -1;
  int file = TEMP_FAILURE_RETRY(open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  free(folder);
  return file;
}

static bool link_nameless(int file, const char *name) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

static bool open_named(const char *name, mode_t mode, int *out_file) {
  *out_file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  return *out_file >= 0;
}

// Takes a name beside `path` that nothing has, for the nameless `*file` or, where that is -1, for
// one that it makes.
static tune_status take_name(const char *path, mode_t mode, int *file, char **out_name) {
  int error = EEXIST;
  for (int attempt = 0; attempt < NAMES_TRIED && (error == EEXIST || error == EINTR); ++attempt) {
    unsigned number = (unsigned)getpid();
    if (getrandom(&number, sizeof number, 0) < 0)
      number += (unsigned)attempt;
    if (asprintf(out_name, "%s.%08x", path, number) < 0) {
      *out_name = NULL;
      return tune_status_out_of_memory("writing");
    }
    if (*file >= 0 ? link_nameless(*file, *out_name) : open_named(*out_name, mode, file))
      return TUNE_OK;
    error = errno;
    free(*out_name);
    *out_name = NULL;
  }
  return tune_status_from_errno(error, "creating");
}

// Gives a nameless file the name `path` itself, where nothing has it: a process that is killed
// leaves no other name.
static tune_status name_at_once(int file, const char *path, bool *out_is_named) {
  *out_is_named = link_nameless(file, path);
  if (!*out_is_named)
    return TUNE_OK;
  tune_status status = close_file(file);
  if (!tune_status_is_ok(status))
    unlink(path);
  return status;
}

// Writes a new file and gives it the place of what is at `path`. `*out_is_refused`: a nameless file
// was written, and the system gives it no name.
static tune_status replace_by(bool nameless, const char *path, mode_t mode, const char *bytes,
                              size_t size, bool *out_is_refused) {
  mode_t at_first = mode == NEW_FILE ? 0666 : 0600; // nobody reads early what had few readers
  char *name = NULL;
  bool is_in_place = false;
  int file = nameless ? open_nameless(path, at_first) : -1;
  tune_status status = file < 0 ? take_name(path, at_first, &file, &name) : TUNE_OK;
  TUNE_RETURN_IF_ERROR(status);
  status = set_mode(file, mode);
  if (tune_status_is_ok(status))
    status = write_bytes(file, bytes, size);
  if (tune_status_is_ok(status) && !name && mode == NEW_FILE)
    status = name_at_once(file, path, &is_in_place);
  if (is_in_place)
    return status;
  if (tune_status_is_ok(status) && !name) {
    status = take_name(path, at_first, &file, &name);
    *out_is_refused = !tune_status_is_ok(status);
  }
  status = tune_status_join(status, close_file(file));
  if (tune_status_is_ok(status) && rename(name, path) != 0)
    status = tune_status_from_errno(errno, "renaming to it");
  if (!tune_status_is_ok(status) && name)
    unlink(name);
  free(name);
  return status;
}

static tune_status replace(const char *path, mode_t mode, const char *bytes, size_t size) {
  bool is_refused = false;
  tune_status status = replace_by(true, path, mode, bytes, size, &is_refused);
  if (!is_refused) // no /proc, for one
    return status;
  tune_status_free(status);
  return replace_by(false, path, mode, bytes, size, &is_refused);
}

static tune_status write_over(const char *path, const struct stat *info, const char *bytes,
                              size_t size) {
  if (!S_ISREG(info->st_mode))
    return write_in_place(path, bytes, size);
  char *target = realpath(path, NULL);
  if (!target)
    return tune_status_from_errno(errno, "following");
  tune_status status = replace(target, info->st_mode & 07777, bytes, size);
  free(target);
  return status;
}

static tune_status write_file(const char *path, const char *bytes, size_t size);

// Makes the file that the link at `path` names.
static tune_status write_behind_link(const char *path, const char *bytes, size_t size) {
  char *file;
  TUNE_RETURN_IF_ERROR(follow_link(path, &file));
  tune_status status = write_file(file, bytes, size);
  free(file);
  return tune_status_annotate(status, "following the link");
}

static tune_status write_file(const char *path, const char *bytes, size_t size) {
  struct stat info;
  if (stat(path, &info) == 0)
    return write_over(path, &info, bytes, size);
  if (errno != ENOENT)
    return tune_status_from_errno(errno, "following");
  if (lstat(path, &info) == 0) // a link to nothing, or somebody has made it meanwhile
    return S_ISLNK(info.st_mode) ? write_behind_link(path, bytes, size)
                                 : write_over(path, &info, bytes, size);
  if (errno != ENOENT)
    return tune_status_from_errno(errno, "looking at it");
  return replace(path, NEW_FILE, bytes, size);
}

tune_status tune_file_write(const char *path, const char *bytes, size_t size) {
  return tune_status_annotate(write_file(path, bytes, size), "%s", path);
}

tune_status tune_file_append(int file, off_t end, const char *bytes, size_t size) {
  tune_status status = write_bytes(file, bytes, size);
  if (!tune_status_is_ok(status) && TEMP_FAILURE_RETRY(ftruncate(file, end)) != 0)
    status = tune_status_annotate(status, "its end is cut");
  return status;
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
    return tune_status_out_of_memory("making the folder %s", path);
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

//===- Removing ---------------------------------------------------------------===//

typedef struct removal {
  dev_t device; // others that are mounted below stay
  int error;    // the first, as an errno; it goes on with what is left
} removal;

static void take_error(removal *r, int error) {
  if (r->error == 0 && error != ENOENT) // somebody else may have removed it meanwhile
    r->error = error;
}

static void remove_entry(removal *r, int parent, const char *name);

static void remove_entries(removal *r, DIR *folder) {
  for (;;) {
    errno = 0;
    const struct dirent *entry = readdir(folder);
    if (!entry)
      break;
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      remove_entry(r, dirfd(folder), entry->d_name);
  }
  take_error(r, errno);
}

// Opens a folder itself, no link to one that has taken its place. NULL, with errno, where it is
// none or cannot be read.
static DIR *open_folder(const removal *r, int parent, const char *name) {
  int file =
      TEMP_FAILURE_RETRY(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (file < 0)
    return NULL;
  struct stat info;
  int error = fstat(file, &info) != 0 ? errno : info.st_dev != r->device ? EXDEV : 0;
  DIR *folder = error ? NULL : fdopendir(file);
  if (folder)
    return folder;
  error = error ? error : errno;
  close(file);
  errno = error;
  return NULL;
}

static void remove_entry(removal *r, int parent, const char *name) {
  if (unlinkat(parent, name, 0) == 0)
    return;
  int error =
      errno; // of a folder EISDIR, or EPERM on other systems; or that it is in one of others
  DIR *folder = open_folder(r, parent, name);
  if (folder) {
    remove_entries(r, folder);
    closedir(folder);
  } else if (errno == ENOTDIR || errno == ELOOP) {
    take_error(r, error);
    return;
  } else {
    error = errno;
  }
  // One that cannot be read may be empty.
  if (unlinkat(parent, name, AT_REMOVEDIR) != 0)
    take_error(r, folder ? errno : error);
}

tune_status tune_file_remove_tree(const char *path) {
  struct stat info;
  removal r = {.error = 0};
  if (fstatat(AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    take_error(&r, errno);
  } else {
    r.device = info.st_dev;
    remove_entry(&r, AT_FDCWD, path);
  }
  return r.error ? tune_status_from_errno(r.error, "removing %s", path) : TUNE_OK;
}

//===- Looking ----------------------------------------------------------------===//

tune_status tune_file_lock(int file, bool *out_is_taken) {
  *out_is_taken = false;
  if (TEMP_FAILURE_RETRY(flock(file, LOCK_EX | LOCK_NB)) == 0 || tune_file_lacks_locks(errno))
    return TUNE_OK;
  *out_is_taken = errno == EWOULDBLOCK;
  return *out_is_taken ? TUNE_OK : tune_status_from_errno(errno, "locking");
}

bool tune_file_lacks_locks(int error) {
  return error == ENOSYS || error == EOPNOTSUPP || error == ENOLCK;
}

tune_status tune_file_is_there(const char *path, bool *out_is_there) {
  struct stat info;
  *out_is_there = lstat(path, &info) == 0;
  return *out_is_there || errno == ENOENT ? TUNE_OK : tune_status_from_errno(errno, "%s", path);
}

bool tune_file_is_same(const char *a, const char *b) {
  struct stat status_a, status_b;
  return stat(a, &status_a) == 0 && stat(b, &status_b) == 0 && status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}
