//===- database_transfer.h - Records between databases -----------------------===//
//
// The form of exchange is JSON lines in UTF-8: an object on each line, told apart by the
// member "kind":
//
//   {"kind": "header", "format": "mlir-tune", "version": 1}            the first line
//   {"kind": "task", "key", "class", "name", "type", "payload", "flops", "bytes", "extents"}
//   {"kind": "fingerprint", "digest", "target", "description": {…}}
//   {"kind": "trial" | "winner" | "demotion" | "grouping", …}          see tuning/record/record.h
//
// A task's kind is its "class" here. A task and a fingerprint come before the first record
// that refers to them, or are in the database already. What tune-measure writes of candidates
// measured elsewhere is in this form too, with two kinds of lines more (results_file.h): "end"
// tells a file that was damaged from one that is as it was written.
//
// What is read in is data from strangers: every line is checked as a whole, and either all
// of it comes in or nothing. It is still *their* figures, and scripts that a compiler will
// run as it runs any input: take them from whom you would take source code.
//
// Threads: as database.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DATABASE_DATABASE_TRANSFER_H
#define TUNE_TUNING_DATABASE_DATABASE_TRANSFER_H

#include "tuning/database/database.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_DATABASE_FORMAT "mlir-tune"
#define TUNE_DATABASE_FORMAT_VERSION 1

// A line may be this long, in bytes.
#define TUNE_DATABASE_LINE_LIMIT (64u << 20)

typedef struct tune_database_transfer {
  uint64_t tasks, fingerprints, records; // that came in or went out
  uint64_t known;                        // records that were there already
  uint64_t awaited; // candidates of an export that results are of, and that have none yet
} tune_database_transfer;

// A task as a line; a new reference.
tune_status tune_kept_task_to_line(const tune_kept_task *task, json_t **out_line);

// Writes `task` (NULL: all) and its records on `fingerprint` (NULL: all) to `stream`, which `name`
// names in errors. RESOURCE_EXHAUSTED where the disk is full. The whole file is looked through for
// damage first, so that nothing is left out unnoticed; see tune_database_leave_out_damage.
tune_status tune_database_export(tune_database *database, const char *task, const char *fingerprint,
                                 FILE *stream, const char *name,
                                 tune_database_transfer *out_transfer);

// Reads lines to the end of `stream`. INVALID_ARGUMENT begins with "<name>:<line>: " and says what
// is wrong there; so does FAILED_PRECONDITION for lines of another version, and DATA_LOSS for
// results that are damaged. Tasks and fingerprints that are there already stay as they are.
// Of results that have no end yet the last line may be cut, and is left out then.
tune_status tune_database_import(tune_database *database, FILE *stream, const char *name,
                                 tune_database_transfer *out_transfer);

// Takes over everything from `other`, by the same rules; `other` may be open for reading only, and
// is looked through for damage first.
// INVALID_ARGUMENT where both are the same file.
tune_status tune_database_merge(tune_database *database, tune_database *other,
                                tune_database_transfer *out_transfer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DATABASE_DATABASE_TRANSFER_H
