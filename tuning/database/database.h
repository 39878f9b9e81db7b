//===- database.h - The database of records ----------------------------------===//
//
// One SQLite file with four kinds of things: tasks, by key; fingerprints of targets, by
// digest; trials (tuning/record/record.h), each of one task on one fingerprint; and the version
// of all this. A database is shared: any number of processes read and write it at once
// (WAL mode), a writer waits for another up to TUNE_DATABASE_WAIT_SECONDS.
//
// What is promised: once tune_database_append has returned OK, killing the process in
// whatever way loses nothing, since the bytes are with the operating system. A power cut
// may lose the last trials, never damage the file (synchronous=NORMAL: waiting for the
// disk after each trial would disturb what is being measured). A trial is there as a
// whole or not at all. WAL needs a local file system; not NFS.
//
// The statuses that any function may return, each with the path and what to do:
//   NOT_FOUND            there is no such file (open_read_only), or folder
//   FAILED_PRECONDITION  it cannot be written or read (permissions, read-only file system),
//                        belongs to another program, or is of a newer version
//   DATA_LOSS            not a database at all, or damaged: what is read is as it was written, and
//                        of what was asked for, or it is this
//   DEADLINE_EXCEEDED    another process kept it locked for too long
//   RESOURCE_EXHAUSTED   the disk is full
//   OUT_OF_MEMORY
// After a failed function the database is as before it.
//
// Threads: one thread at a time per tune_database; open one for each thread or process.
// A tune_database is not carried over a fork.
//
// See also database_transfer.h (export, import, merge) and database_upkeep.h (prune, check).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DATABASE_DATABASE_H
#define TUNE_TUNING_DATABASE_DATABASE_H

#include "support/digest.h"
#include "support/status.h"
#include "tuning/record/record.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_DATABASE_WAIT_SECONDS 10

typedef struct tune_database tune_database;

// "$XDG_CACHE_HOME/mlir-tune/tune.db", or "~/.cache/mlir-tune/tune.db" where that variable is not
// set to an absolute path. Makes nothing. NOT_FOUND where there is no home folder. The text belongs
// to the caller.
tune_status tune_database_default_path(char **out_path);

// Opens the database at `path` to read and write, and makes it where there is none. NULL is the
// default path, whose folders are made too, for nobody else to read (0700).
tune_status tune_database_open(const char *path, tune_database **out_database);
// Opens what is there, for reading only: works without the permission to write, also on a read-only
// file system. NULL is the default path.
tune_status tune_database_open_read_only(const char *path, tune_database **out_database);
void tune_database_destroy(tune_database *database);

const char *tune_database_path(const tune_database *database); // borrowed

// How long a call waits for other processes from now on, in place of TUNE_DATABASE_WAIT_SECONDS.
void tune_database_set_wait(tune_database *database, double seconds);

// Told what is damaged. Borrowed for the call.
typedef void (*tune_database_damage_visitor)(void *user, const char *what);
// From now on tasks, fingerprints and records that are damaged are as if they were not there, where
// reading them is DATA_LOSS else, and export leaves them out. `tell` is called for the first.
void tune_database_leave_out_damage(tune_database *database, tune_database_damage_visitor tell,
                                    void *user);

//===- Tasks and fingerprints -------------------------------------------------===//

// What is kept of a task. Owns what it points to.
typedef struct tune_kept_task {
  char *key;        // 1 to 128 characters of [A-Za-z0-9_.:-]
  char *kind;       // "contraction", "convolution", ...
  char *name;       // for people: "matmul 512x1024x1024 f32 +bias"
  char *type;       // element type the work is done in: "f32"; "" where it is mixed
  char *payload;    // MLIR text of the task on its own; "" where it is not kept
  double flops;     // of one run; 0 where it is not known
  double bytes;     // least traffic of one run; 0 where it is not known
  size_t rank;      // of the anchor's iteration space; 0 where it is not known
  int64_t *extents; // rank many, in the order of the anchor's loops; -1: known at run time only
} tune_kept_task;

void tune_kept_task_init(tune_kept_task *task); // all NULL and zero
void tune_kept_task_deinit(tune_kept_task *task);

// Keeps a copy of `task`; what was kept under its key before is replaced. INVALID_ARGUMENT names
// the member that is not as said above.
tune_status tune_database_put_task(tune_database *database, const tune_kept_task *task);
// NOT_FOUND if there is none of that key.
tune_status tune_database_get_task(tune_database *database, const char *key,
                                   tune_kept_task *out_task);
// The key of the one task that a person means by `text`: its key or name, or else the start of its
// key, or else a part of its name. NOT_FOUND, or INVALID_ARGUMENT where several are meant (some of
// them are named). The key belongs to the caller.
tune_status tune_database_find_task(tune_database *database, const char *text, char **out_key);

// What is kept of that on which trials ran. `digest` is as a task's key; `target` is "cpu", ...;
// `description` is a JSON object of the target's making (see formats/fingerprint.h).
tune_status tune_database_put_fingerprint(tune_database *database, const char *digest,
                                          const char *target, const char *description);
// NOT_FOUND if there is none of that digest. The texts belong to the caller.
tune_status tune_database_get_fingerprint(tune_database *database, const char *digest,
                                          char **out_target, char **out_description);
// The same with the description as the object that it is: a new reference. `out_target` may be
// NULL.
tune_status tune_database_get_device(tune_database *database, const char *digest, char **out_target,
                                     json_t **out_description);
// As find_task, for the start of a fingerprint's digest, also behind its target ("cuda:1a2b").
tune_status tune_database_find_fingerprint(tune_database *database, const char *text,
                                           char **out_digest);

//===- Trials -----------------------------------------------------------------===//

// Keeps a copy of `record`, see "What is promised" above. A record that is already there in every
// member is not kept twice. NOT_FOUND: its task or fingerprint was never put.
tune_status tune_database_append(tune_database *database, const tune_record *record);

// Visits the records of `task` on `fingerprint`, oldest first; of all tasks or fingerprints where
// that is NULL (then task by task). `visit` must not write to `database`. DATA_LOSS for a record
// that is not valid.
tune_status tune_database_load(tune_database *database, const char *task, const char *fingerprint,
                               tune_record_visitor visit, void *user);

// Visits the demotions of `task` on `fingerprint` in the space of `schedule`, oldest first, as
// above.
tune_status tune_database_load_demotions(tune_database *database, const char *task,
                                         const char *fingerprint, const char *schedule,
                                         tune_record_visitor visit, void *user);
// Visits the groupings of `task` on `fingerprint`, oldest first, as tune_database_load does.
tune_status tune_database_load_groupings(tune_database *database, const char *task,
                                         const char *fingerprint, tune_record_visitor visit,
                                         void *user);

// The record to use for `task` on `fingerprint`: of the winners, which were measured beside their
// rivals, the last one of each schedule and of these the fastest; where no session has ended, the
// fastest trial. Only verdict "ok" counts, and what no other record takes back; a schedule
// whose last winner was taken back has none, unless no trial is left. With `schedule` (may be NULL)
// only records of that schedule are looked at. NOT_FOUND if there is none. Takes well under a
// millisecond.
tune_status tune_database_best(tune_database *database, const char *task, const char *fingerprint,
                               const char *schedule, tune_record *out_record);
// Whether another record takes back the good one with this digest (tune_database_record_digest), as
// a session would see it that loads both: one of its config failed, or was timed again because the
// time does not hold. False for one that is not kept.
tune_status tune_database_is_taken_back(tune_database *database, const char *digest,
                                        bool *out_taken_back);

// What names a record: a digest of every member. INVALID_ARGUMENT for one that is not fit to be
// kept.
tune_status tune_database_record_digest(const tune_record *record, tune_digest *out_digest);
// The one record whose digest begins with `text`. NOT_FOUND, or INVALID_ARGUMENT where there are
// several.
tune_status tune_database_find_record(tune_database *database, const char *text,
                                      tune_record *out_record);

// A view of the database for a session; it borrows `database`.
tune_record_store tune_database_store(tune_database *database);

//===- Looking around ---------------------------------------------------------===//

typedef struct tune_database_neighbour {
  char *key;
  double distance; // sum over the extents of |log2(ours / theirs)|; over flops and bytes where the
                   // rank is 0, not known
} tune_database_neighbour;

// The tasks nearest to `task` (which need not be kept), nearest first, at most `capacity`: of the
// same kind, type and rank, other than itself, with an "ok" record on `fingerprint`. An extent
// known only at run time is 4 away from any that is known. `out_neighbours` has room for
// `capacity`; free what was found with tune_database_neighbours_deinit.
tune_status tune_database_nearest(tune_database *database, const tune_kept_task *task,
                                  const char *fingerprint, size_t capacity,
                                  tune_database_neighbour *out_neighbours, size_t *out_count);
void tune_database_neighbours_deinit(tune_database_neighbour *neighbours, size_t count);

// What is known of a task on one fingerprint. Borrowed for the visit.
typedef struct tune_database_summary {
  const char *task, *kind, *name;
  double flops, bytes;
  const char *fingerprint, *target; // "" where nothing of the task was tried
  uint64_t trials;                  // records other than winners
  uint64_t failed;                  // of these, with a verdict other than ok, cut and duplicate
  double best;     // seconds: the median of tune_database_best; 0 where there is none
  bool has_winner; // the best is what a session ended with
  int64_t last_ms; // when the last trial was made, Unix time in milliseconds
} tune_database_summary;

typedef tune_status (*tune_database_summary_visitor)(void *user,
                                                     const tune_database_summary *summary);

// Visits each task on each fingerprint it was tried on, in the order in which the tasks came in;
// only those whose name, kind or key contains `filter`, if it is not NULL.
tune_status tune_database_list(tune_database *database, const char *filter,
                               tune_database_summary_visitor visit, void *user);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DATABASE_DATABASE_H
