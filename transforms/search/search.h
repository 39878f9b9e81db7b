//===- search.h - Tuning all tasks of a module -------------------------------===//
//
// What the pass tune-search does, for callers with their own way of showing it: finds the
// tasks of a module, tunes one after the other (tuning/session/session.h), keeps every trial in the
// database, and leaves the winners' choices on the ops, but for those that do not stand in the
// module as a whole (tuning/session/demotion.h). The module is changed only in the attributes of
// its anchors.
//
// Threads: one search at a time per process is what the cores are good for; the module and
// its context belong to the caller's thread meanwhile. `interrupted` of the session options
// may be set from a signal handler: what was measured is kept, the best so far is written.
//
// Where candidates are measured elsewhere, a search is a function of the module, the options and
// the folder: it goes as far as that has results, exports the next round, and ends with the best so
// far.
//
// On the target null no other process is started, and a search is a function of the module, the
// options and the database: for tests, and to see what options do.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_H

#include "support/status.h"
#include "transforms/spaces/module_tasks.h"
#include "tuning/device/target_facts.h"
#include "tuning/evaluators/conditions.h"
#include "tuning/evaluators/process.h"
#include "tuning/remote/rounds.h"
#include "tuning/session/demotion.h"
#include "tuning/session/session.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// What came of the module as a whole (tuning/session/demotion.h), whose knobs are the tasks of
// `extraction`.
typedef struct tune_search_whole {
  const tune_extraction *extraction;
  const tune_demotion *demotion;
  const char *unchecked; // why nobody has looked; NULL: somebody has
} tune_search_whole;

// How a task is searched at the moment.
typedef struct tune_search_way {
  const char *text;     // "by rule 'winograd'"; NULL: as it is first
  double first_seconds; // that its default takes as it is first; 0: not known, or that is now
} tune_search_way;

// What happens, as it happens. Any function may be NULL; all that is pointed to is borrowed for the
// call.
typedef struct tune_search_observer {
  void *user;
  void (*begin)(void *user, const tune_target_facts *facts, const char *database, size_t tasks,
                size_t occurrences);
  // What the machine is like, right after that and right before the end; with texts about what
  // makes times unsteady. Not where nothing is measured here.
  void (*conditions)(void *user, const tune_cores *cores, const tune_conditions *conditions,
                     bool is_end, const json_t *warnings);
  // Right before that at the end: a server, or children of it, were started again, and did once
  // more what they had been at.
  void (*restarted)(void *user, const tune_restarted *server);
  void (*left_out)(void *user, MlirLocation location, const char *op_name, const char *reason,
                   size_t count);
  void (*progress)(void *user, size_t task, const tune_search_way *way,
                   const tune_session_progress *progress);
  // `facts`: of what it is for. `runs`: how often a run of the module runs it, one after the other.
  void (*task_done)(void *user, size_t index, const tune_task *task, const tune_target_facts *facts,
                    size_t runs, const tune_session_result *result);
  // A task none of whose first candidates went well, as `failures` say: it is searched once more,
  // by the rule `to` in place of `from` ("rule 'gpu_tiles' for vulkan").
  void (*task_fell_back)(void *user, size_t index, MlirLocation location, const tune_task *task,
                         const char *from, const char *to, const tune_failures *failures);
  // A task is searched by the rule `to`, too, since the default of that takes `seconds`, and the
  // best that was found by the rule before it, `from`, `first_seconds`.
  void (*rule_taken)(void *user, const tune_task *task, const char *from, const char *to,
                     double first_seconds, double seconds);
  // A task is cut apart as `grouping` says, since its parts take `seconds`, and the best that was
  // found of it as a whole `whole_seconds`.
  void (*grouping_taken)(void *user, const tune_task *task, const char *grouping, size_t parts,
                         double whole_seconds, double seconds);
  // A task that could not be tuned, since its reference or all candidates failed: the rest goes on.
  // The latter is told after task_done.
  void (*task_failed)(void *user, size_t index, MlirLocation location, const tune_task *task,
                      tune_status why);
  // Where candidates are measured elsewhere: the round that has to be before the search can go on.
  // `waits`: it does so here; else it ends.
  void (*round)(void *user, const tune_rounds_pending *round, bool waits);
  // Before the end, where the module was to be looked at as a whole.
  void (*whole)(void *user, const tune_search_whole *whole);
  void (*end)(void *user, double seconds);
} tune_search_observer;

typedef struct tune_search_options {
  // What is tuned, for which target, threads and caches; "null" builds nothing and times configs by
  // a formula. `device` and what else is about facts is not looked at.
  tune_module_tasks_options tasks;
  tune_measuring measuring;
  tune_building building;
  const char *database; // path; NULL: the default one
  double seconds;       // of all tasks together; 0: no bound
  const char
      *export_folder;   // candidates are measured elsewhere (tuning/remote/rounds.h): session.round
                        // is then above 0, session.finalists 0; NULL: they are measured here
  double export_wait;   // seconds to wait for the results of a round
  bool checks_whole;    // the module with all winners is checked and timed beside its default, and
                        // tasks lose their winners where it loses; not on the target null
  const char *function; // of it, with what it calls; NULL: the only one, or @main
  tune_session_options session; // strategy, trials and stop rules of each task; its fingerprint,
                                // seeds, progress, write_script and user are set by the search
} tune_search_options;

// A cpu target, one thread, default database, and what tune_session_options_init says.
void tune_search_options_init(tune_search_options *options);

// FAILED_PRECONDITION where the module holds nothing to tune, with what was left out and why, and
// where no task could be tuned. Otherwise errors of options, choices, database and servers; what
// was measured until then is kept.
tune_status tune_search_module(MlirModule module, const tune_search_options *options,
                               const tune_search_observer *observer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_H
