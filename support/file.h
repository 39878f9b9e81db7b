//===- file.h - Reading and writing whole files and folders ------------------===//
//
// Errors carry the path.
//
// Threads: any, on different files.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_FILE_H
#define TUNE_SUPPORT_FILE_H

#include "support/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads all of a file, or of what is not one (a pipe, /dev/stdin). `*out_bytes` belongs to the
// caller (free()) and has a NUL after its `*out_size` bytes. `out_size` may be NULL.
// INVALID_ARGUMENT: what is not a file does not end (/dev/zero).
tune_status tune_file_read(const char *path, char **out_bytes, size_t *out_size);

// For what somebody else is to read: INVALID_ARGUMENT where it is a device without an end.
tune_status tune_file_check_ends(const char *path);

// Writes a file whole: a reader sees the old contents or the new ones, and a failure (no space)
// leaves the old. New files get the permissions of the umask, replaced ones keep theirs. What is
// there and no regular file (/dev/stdout, a pipe) is written to as it is. A symbolic link stays one
// and its file is replaced, or made. Not synced to the disk. Where this process is killed nothing
// is left beside the file, but on file systems without nameless files (O_TMPFILE), and in the
// moment between naming and renaming where there was one: "<path>.<8 hex digits>".
tune_status tune_file_write(const char *path, const char *bytes, size_t size);

// Whether tune_file_write could make or replace `path`, as far as that can be told ahead: the
// folder is there and may be written to. For who computes for minutes first.
tune_status tune_file_check_writable(const char *path);
// The folder that tune_file_write makes a file in: where links at `path` lead to. The caller's.
tune_status tune_file_find_folder(const char *path, char **out_folder);

// Adds bytes to an open file that is `end` long, and its writer's alone. A failure leaves it as it
// was.
tune_status tune_file_append(int file, off_t end, const char *bytes, size_t size);

// Locks an open file until it is closed, for nobody else to lock (flock), and does not wait:
// `*out_is_taken` where somebody has. A file system without locks is taken at its word.
tune_status tune_file_lock(int file, bool *out_is_taken);
// Whether an errno of flock says that the file system has no locks.
bool tune_file_lacks_locks(int error);

// Whether there is something at `path`, if only a link to nothing. What cannot be seen is an error.
tune_status tune_file_is_there(const char *path, bool *out_is_there);

// Whether both paths lead to one file, which exists.
bool tune_file_is_same(const char *a, const char *b);

// Makes a folder and those above it, with permissions `mode` for the new ones. It may exist.
tune_status tune_file_make_folders(const char *path, mode_t mode);

// Removes a file, or a folder and all in it; links are removed, not followed, and other file
// systems stay. It need not exist. What can be removed is, whatever fails; RESOURCE_EXHAUSTED where
// that may pass: somebody writes there, or uses it.
tune_status tune_file_remove_tree(const char *path);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_FILE_H
