//===- leftovers.h - What a run may not leave behind -------------------------------------===//

#ifndef TUNE_UNITTESTS_TORTURE_LEFTOVERS_H
#define TUNE_UNITTESTS_TORTURE_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>

#define LEFTOVER_FDS 256

// The descriptors that are open.
typedef struct leftover_fds {
  bool is_open[LEFTOVER_FDS];
} leftover_fds;

leftover_fds leftover_fds_now(void);
// One that is open and was not; it is closed. -1: none.
int leftover_fd(const leftover_fds *before);

// Whether this process has a child, which is killed.
bool leftover_child(void);

// Paths below a folder, each between two line ends.
typedef struct leftover_files {
  char paths[8192];
} leftover_files;

// Adds what is in `folder`.
void leftover_files_add(leftover_files *files, const char *folder);
// Whether there is another file; `name` is the first such. What SQLite keeps beside a database
// that it could not close well is none.
bool leftover_file(const leftover_files *files, const char *folder, char name[256]);

// Makes `to` a copy of the folder `from`.
void leftover_copy(const char *from, const char *to);

#endif // TUNE_UNITTESTS_TORTURE_LEFTOVERS_H
