//===- rounds.h - A search whose candidates are measured elsewhere, as a folder -===//
//
//     search.json        whose rounds these are: what the search was asked for; it is locked
//                        while one works in the folder
//     device.json        what code is made for: tune-measure --fingerprint of the other machine
//     known.jsonl        what the database knew of that device when the search began
//     round-1.export     the candidates of the first round
//     round-1.results    what tune-measure found out about them
//     round-2.export …
//
// A search proposes a round, exports it and ends. Begun again it reads what there is, goes
// through the rounds as if it had just measured them, and comes to the next one. So a folder
// belongs to one search: the same module, options and mlir-tune. The finalists of a task, measured
// side by side, are a round, too; a search that is given more trials goes on behind it. All files
// are written whole or, results, by lines, so that one that is interrupted loses nothing.
//
// Threads: one thread at a time per object.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_REMOTE_ROUNDS_H
#define TUNE_TUNING_REMOTE_ROUNDS_H

#include "tuning/remote/export_file.h"
#include "tuning/remote/results_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_rounds tune_rounds;

// Reads the folder, which is made where there is none. ALREADY_EXISTS where another search works
// in it, which is so until destroy. FAILED_PRECONDITION for results of another
// export than the one beside them, or of another machine than those before; else the errors of
// export_file.h and results_file.h.
tune_status tune_rounds_open(const char *folder, tune_rounds **out_rounds);
void tune_rounds_destroy(tune_rounds *rounds);

// Makes the folder that of the search `identity`, an object of what it was asked for.
// FAILED_PRECONDITION where it is that of another one, with what is different.
tune_status tune_rounds_claim(tune_rounds *rounds, const json_t *identity);

// The path of a file in the folder; free() it.
tune_status tune_rounds_path(const tune_rounds *rounds, const char *name, char **out_path);

// The fingerprint in device.json, or NULL where there is none. Borrowed, as all that follow.
const json_t *tune_rounds_device(const tune_rounds *rounds);
// The line "fingerprint" of the results, or NULL while there are none.
const json_t *tune_rounds_fingerprint(const tune_rounds *rounds);

// Rounds that were exported. The results of all but the last are there.
size_t tune_rounds_count(const tune_rounds *rounds);
// Whether all results of round `round`, from 0 on, are there.
bool tune_rounds_has_results(const tune_rounds *rounds, size_t round);

// A candidate of a round as it was exported, or NULL.
tune_status tune_rounds_find_candidate(const tune_rounds *rounds, size_t round, const char *task,
                                       const char *schedule, const json_t *config,
                                       const json_t **out_candidate);
// What came of it, as a line of the results, or NULL.
tune_status tune_rounds_find_result(const tune_rounds *rounds, size_t round, const char *task,
                                    const char *schedule, const json_t *config,
                                    const json_t **out_trial);
// Why a task could not be measured, or NULL.
const char *tune_rounds_failure(const tune_rounds *rounds, size_t round, const char *task,
                                const char *schedule);

// Whether the round is that of the finalists of a task.
bool tune_rounds_has_finalists(const tune_rounds *rounds, size_t round, const char *task,
                               const char *schedule);
// What came of its finalists, measured side by side, or NULL.
const json_t *tune_rounds_comparison(const tune_rounds *rounds, size_t round, const char *task,
                                     const char *schedule);

// The round after the last, being made. `source` counts where it is begun.
tune_status tune_rounds_begin(tune_rounds *rounds, const tune_export_source *source,
                              tune_export_writer **out_writer);
// Exports it, if there is one.
tune_status tune_rounds_export(tune_rounds *rounds);

// Where the round stands that is measured elsewhere now: the last one, where its results are not
// all there.
typedef struct tune_rounds_pending {
  size_t number;           // the first is 1; 0: there is none
  const char *export_path; //
  const char *results_path;
  size_t candidates, measured;
} tune_rounds_pending;

tune_rounds_pending tune_rounds_get_pending(const tune_rounds *rounds);
// Reads the results of that round again.
tune_status tune_rounds_refresh(tune_rounds *rounds);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_REMOTE_ROUNDS_H
