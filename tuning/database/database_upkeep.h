//===- database_upkeep.h - Pruning and checking a database -------------------===//
//
// Threads: as database.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DATABASE_DATABASE_UPKEEP_H
#define TUNE_TUNING_DATABASE_DATABASE_UPKEEP_H

#include "tuning/database/database.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_database_prune_options {
  const char *task;   // a key, or NULL for all
  uint64_t keep_best; // trials to keep for each task and fingerprint, the fastest; 0: no such limit
  int64_t older_than_ms; // drop trials made before this Unix time in milliseconds; 0: no such limit
  bool dry_run;          // count only
} tune_database_prune_options;

typedef struct tune_database_prune_result {
  uint64_t records, tasks, fingerprints; // dropped
  uint64_t records_left;
} tune_database_prune_result;

// Drops records by the rules given (at least one; INVALID_ARGUMENT otherwise), then tasks and
// fingerprints that have no record left and were not put for a day (a search may be about to add
// the first), and gives the space back to the file system. Whatever tune_database_best gives, with
// or without a schedule, stays, and what of the rest takes a record back goes no sooner than that
// one. With keep_best, failed trials go: a later search may try them again.
tune_status tune_database_prune(tune_database *database, const tune_database_prune_options *options,
                                tune_database_prune_result *out_result);

// Told of each problem found; borrowed for the call.
typedef void (*tune_database_problem_visitor)(void *user, const char *problem);

// Looks at every page, index, reference, task, fingerprint and record. Problems are told one by one
// and counted; the status is OK as long as the looking itself was possible.
tune_status tune_database_check(tune_database *database, tune_database_problem_visitor visit,
                                void *user, uint64_t *out_problems);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DATABASE_DATABASE_UPKEEP_H
