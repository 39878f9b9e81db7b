//===- results_file.h - Files of results that were measured elsewhere --------===//
//
// JSON lines as those of tune-db export (database_transfer.h), so that tune-db import takes
// them: the header, which names the export, the tasks, the fingerprint of the machine, and a
// trial for each candidate as soon as it is known. Three kinds of lines are only here:
//
//   {"kind": "failure", "task", "schedule", "error"}   of a task of which nothing could be
//                                                      measured: its reference failed
//   {"kind": "comparison", "task", "schedule",         of the finalists of a task: the reply to a
//    "verdict", "results", "ratios", …}                "compare" (docs/protocol.md)
//   {"kind": "end", "records": N, "digest"}            the last line, once all is there; the
//                                                      digest is of all bytes before it
//
// A line is written at once, so that a process that is killed leaves whole lines; what it has
// not measured can be added later.
//
// Threads: one thread at a time per object.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_REMOTE_RESULTS_FILE_H
#define TUNE_TUNING_REMOTE_RESULTS_FILE_H

#include "support/digest.h"
#include "support/status.h"

#include <jansson.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_results {
  char *path;
  json_t *header;      // NULL while the file is empty
  json_t *fingerprint; // the line; NULL while there is none
  json_t *trials;      // from tune_results_key to lines
  json_t *failures;    // lines
  json_t *comparisons; // lines
  bool is_complete;    // it has its end
  size_t size;         // bytes of whole lines
  int fd;              // to write to; -1 where it is only read
} tune_results;

// Reads what is there, which may be incomplete; a line that is cut is as good as none. NOT_FOUND
// without a file; INVALID_ARGUMENT for one that is something else, FAILED_PRECONDITION for one of
// another version, DATA_LOSS for one that is damaged, with what to do.
tune_status tune_results_read(const char *path, tune_results **out_results);
// Opens the results of the export `digest`, with `candidates` to be measured, to add to what is
// there, and begins them where nothing is. Also FAILED_PRECONDITION where they are of another
// export, and ALREADY_EXISTS where another process has them open.
tune_status tune_results_open(const char *path, const char *digest, size_t candidates,
                              tune_results **out_results);
void tune_results_destroy(tune_results *results);

// The export that they are of; NULL where the file is empty. Borrowed.
const char *tune_results_export(const tune_results *results);
// What a trial goes by in `trials`; free() it.
tune_status tune_results_key(const char *task, const char *schedule, const json_t *config,
                             char **out_key);
// The trial of a config, or NULL. Borrowed.
tune_status tune_results_find(const tune_results *results, const char *task, const char *schedule,
                              const json_t *config, const json_t **out_trial);
// Why nothing of a task could be measured, or NULL. Borrowed.
const char *tune_results_failure(const tune_results *results, const char *task,
                                 const char *schedule);

// The comparison of a task's finalists, or NULL. Borrowed.
const json_t *tune_results_comparison(const tune_results *results, const char *task,
                                      const char *schedule);

// Adds a line, whose reference it takes; NULL stands for memory that ran out. It is in the file
// when this returns; where it cannot be written the file is as before. FAILED_PRECONDITION where
// the results have their end.
tune_status tune_results_append(tune_results *results, json_t *line);
// Adds the end.
tune_status tune_results_finish(tune_results *results);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_REMOTE_RESULTS_FILE_H
