//===- search_state.h - State that the files of a search share ---------------===//
//
// Internal to, from the bottom up, search_conditions.c (what the machine is like meanwhile),
// search_budget.c (what of the time each task gets), search_ahead.c (what is made meanwhile of the
// task that is next), search_task.c (the search at one task),
// search_looks.c (what its default is like), search_rules.c (other rules), search_parts.c (that at
// its parts), the two backends, search_here.c (tasks one after the other, measured here) and
// search_rounds.c (all tasks in rounds, measured elsewhere), search_demotions.c (what comes of
// that, kept), search_whole.c (the module with all winners), and search.c, which picks one of them.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_STATE_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_STATE_H

#include "support/scratch.h"
#include "transforms/search/search.h"
#include "transforms/spaces/module_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// The share of the time for all tasks that is kept for the module as a whole.
#define TUNE_SEARCH_WHOLE_SHARE 0.1
// Seconds of a session for which no time is left: one of no time at all would have no limit.
#define TUNE_SEARCH_LEAST_SESSION 0.001

// How many winners of similar tasks are tried right after the default.
#define TUNE_SEARCH_NEIGHBOURS 3

// A task that is cut apart (transforms/spaces/grouping.h), since its parts are faster.
typedef struct tune_search_grouping {
  bool is_compared;          // whole and apart; else nothing is known
  tune_fusion_cut_form form; // TUNE_CUT_NONE: it is whole
  double seconds;            // of all parts, for one run of the task
  tune_part_way *parts;      // owned, as are their keys and configs
  size_t part_count;
} tune_search_grouping;

// What came of a task.
typedef struct tune_search_winner {
  bool has_best;
  bool is_default;
  tune_config best;              // of the space that the task has in the end
  double time, default_time;     // seconds; 0: the default failed
  double first_time;             // of the first rule's default, where another one is faster; else 0
  bool is_begun;                 // the search at the task
  tune_search_grouping grouping; // what is above is of the task as a whole
} tune_search_winner;

// What is known of a task before it is searched, where there is a time for all tasks.
typedef struct tune_search_look {
  bool is_ahead;              // it is done once, and is no part of a run
  bool has_result;            // its default was built and timed
  tune_session_result result; // that session's
  double in_place; // seconds of all its calls in a run of the module by default; 0: not known
  double calls;    // how many these are
} tune_search_look;

// The task that is prepared while the present one is timed (search_ahead.c).
typedef struct tune_search_ahead {
  tune_evaluator spares[2]; // as `evaluator` and `of_one_thread`; empty: not started
  bool is_prepared;
  bool of_one_thread; // it is on the second
  size_t index;       // which task
  tune_task task;     // what that is open as
} tune_search_ahead;

// The module as a whole has servers of its own (search_servers.c).
typedef struct tune_search_servers {
  tune_evaluator evaluator; // empty: they are not started
  tune_scratch *scratch;
  char *path;              // of the module's text before there were winners
  tune_space *no_knobs;    // all tasks are as their choices say
  size_t *run;             // its tasks are these of the search, in this order (module_tasks.h)
  size_t run_count;        //
  bool is_prepared;        // what it is checked against is made meanwhile, for
  tune_task_module module; //
  tune_task task;          // this
} tune_search_servers;

// One search. Owns everything but the options and the observer.
struct tune_search {
  const tune_search_options *options;
  const tune_search_observer *observer;
  MlirModule module;
  tune_module_tasks tasks;
  tune_task_space **spaces;    // of each task: made once, before anything is built
  tune_search_winner *winners; // of each task, once it is done
  tune_search_look *looks;     // at each task
  tune_database *database;
  tune_evaluator evaluator;
  tune_evaluator of_one_thread; // of tasks that each thread does by itself; empty: there is none
  tune_search_ahead ahead;
  tune_search_servers servers;
  double begin;
  double end;           // when the time of the tasks is up; 0: never
  double build_seconds; // a candidate of each task that was searched takes to build, in all
  size_t built_tasks;   // how many these are
  bool is_looking;      // at defaults
  double looks_begin;   // when that began
  bool has_profile;     // the module was seen to run by default: tasks in it have `in_place`
  double profile_build_seconds; // that its build took; 0: there was none

  bool takes_time;     // here: made-up times have no conditions, those of elsewhere are not ours
  bool tells_progress; // to the observer: in rounds, the same trials come again in each

  // Where it takes time here: what the machine is like.
  tune_cores cores;
  tune_conditions conditions; // at the beginning
  json_t *warnings;           // about them, not told yet; NULL: it does not take time

  // Where candidates are measured elsewhere: else NULL.
  tune_rounds *rounds;
  tune_database *known; // what there was of the device when the first round was made; may be NULL
  tune_digest known_digest; // the fingerprint of these records
  char *features;           // of the CPU that code is for, as LLVM calls them; NULL: this one

  // What records are kept of: the facts' fingerprint, or that of the other machine. Of tasks:
  // tune_search_fingerprint.
  tune_digest fingerprint;
  tune_record_store store;

  // Tasks that are cut apart since none of their candidates works, and whether the tasks at hand
  // are those that there are then (search_parts.c).
  tune_task_cuts cut;
  bool is_of_parts;
  size_t whole; // then: which task of the module they are parts of

  // Of the task being tuned (tune_search_turn_to).
  size_t index;
  const tune_task_space *space;
  double first_seconds; // by another rule than the first: what the default of that takes, else 0

  size_t failed_tasks;        // in which no candidate worked
  bool has_doubted;           // the roofline, and measured it again
  bool has_remarked_counters; // that are missing
};

bool tune_search_is_interrupted(const struct tune_search *s);
// Where there is a time for all tasks, sets when that of the tasks is up; the rest is for the
// module as a whole.
void tune_search_budget_begin(struct tune_search *s);
// Notes what a candidate of a task took to build.
void tune_search_budget_note_builds(struct tune_search *s, const tune_session_result *result);
// For how long, in seconds, a session of the present task may run; 0: as long as it takes; below 0:
// there is no time for it.
double tune_search_budget_share(const struct tune_search *s);
// Whether, where there is a time, the present task gets enough for some candidates more.
bool tune_search_budget_is_enough(const struct tune_search *s);
// The task to turn to: where there is a time, of those that have not begun the one at which there
// is most to gain, else the first. False: all have begun.
bool tune_search_budget_next(const struct tune_search *s, size_t *out_task);
// What a run of task `index` takes at best, by the roofline; 0: not known.
double tune_search_seconds_at_best(const struct tune_search *s, size_t index);
// Whether looking at defaults has taken the time that is for it.
double tune_search_budget_end_of_profile(const struct tune_search *s);
bool tune_search_budget_has_looked(const struct tune_search *s);

// Begins to make what the task that comes next is checked against; goes on with that, without
// waiting.
tune_status tune_search_prepare_next(struct tune_search *s);
void tune_search_advance_next(struct tune_search *s);
// The evaluator for the present task, which takes up what was prepared of that; borrowed.
tune_evaluator *tune_search_take_evaluator(struct tune_search *s);
// Forgets what was prepared of the present task.
void tune_search_drop_prepared(struct tune_search *s);
void tune_search_ahead_deinit(tune_search_ahead *ahead);

// Starts the servers for the module as a whole, where there are none yet. The module's text is what
// it is then.
tune_status tune_search_start_servers(struct tune_search *s);
void tune_search_stop_servers(struct tune_search *s);
// Begins to make what the module as a whole is checked against; goes on with that, without waiting.
tune_status tune_search_prepare_whole(struct tune_search *s);
void tune_search_advance_whole(struct tune_search *s);

// What records of task `task` are kept of.
const char *tune_search_fingerprint(const struct tune_search *s, size_t task);
// Makes `task` the present one.
void tune_search_turn_to(struct tune_search *s, size_t task);
// Runs the session of the present task, and where nothing works that the rule makes of it another
// one by the next rule. `*out_task` is what was searched at last, and `*out_result` the caller's.
tune_status tune_search_run_session(struct tune_search *s, tune_task *out_task,
                                    tune_session_result *out_result);
// Builds and times the default of the present task alone; 0 seconds: it does not work.
// `*out_result` is the caller's. No winner is kept.
tune_status tune_search_time_default(struct tune_search *s, tune_session_result *out_result,
                                     double *out_seconds);
// Times the present task's default and `best`, of its space, as the machine is now; 0: that did not
// work. Nothing of it is kept.
tune_status tune_search_time_again(struct tune_search *s, const tune_config *best,
                                   double *out_default, double *out_best);
// Searches the present task for its share of the time, and keeps no winner.
tune_status tune_search_run_trials(struct tune_search *s, tune_task *out_task,
                                   tune_session_result *out_result);
// Finds and keeps the winner of what is known of the present task.
tune_status tune_search_run_known(struct tune_search *s, tune_task *out_task,
                                  tune_session_result *out_result);
// Compares what was found of the present task, `*result`, with other rules, where there is a time
// for all tasks; it and `*task` are those of the best afterwards.
tune_status tune_search_try_rules(struct tune_search *s, tune_task *task,
                                  tune_session_result *result);
// Finds what each task takes in the module by default, where there are many, until `deadline`
// (tune_clock_seconds). A module that does not build or run has no profile, which is no error.
tune_status tune_search_profile(struct tune_search *s, double deadline);
// Looks at the defaults of all tasks that are part of a run, where there is no profile, those first
// that take most of it at best, as long as there is time for that.
tune_status tune_search_look_at_defaults(struct tune_search *s);
// The look's result, where the present task gets no more time than that; empty where there is none.
void tune_search_take_look(struct tune_search *s, tune_session_result *out_result);
// Whether no candidate worked, as long as they were tried.
bool tune_search_is_hopeless(const tune_session_result *result);
// Turns to the parts of the present task, cut apart at least so far, in place of all tasks of the
// search; what that was is `*out_before`. There are spaces of those that are no tasks of it.
// `*out_is_cut` is false, and all as it was, where there are no parts.
tune_status tune_search_enter_parts(struct tune_search *s, tune_fusion_cut_form form,
                                    struct tune_search *out_before, bool *out_is_cut);
// Back to what was before. The task stays among those that are cut.
void tune_search_leave_parts(struct tune_search *s, const struct tune_search *before);
// Whether what the task came to by `space` is so near its roofline that nothing else is looked at.
bool tune_search_is_near_roofline(const struct tune_search *s, const tune_task_space *space,
                                  const tune_session_result *result);
// Compares the present task with its parts, each tuned, in the ways that it can be cut apart, and
// keeps as its grouping where these are faster. `*result` is of the whole.
tune_status tune_search_try_groupings(struct tune_search *s, const tune_session_result *result);
// Whether this search compares groupings at all.
bool tune_search_compares_groupings(const struct tune_search *s);
// The best that is known of the task, whole or not.
double tune_search_best_seconds(const tune_search_winner *winner);
// Leaves the groupings that there are, with the winners of the parts, on the ops, and keeps them.
tune_status tune_search_write_groupings(struct tune_search *s);
void tune_search_grouping_deinit(tune_search_grouping *grouping);
// Searches the parts of the present task, each by `tune_one`, where it has some; none of its
// candidates worked, as `failures` say. Their winners are in the database alone.
tune_status tune_search_search_parts(struct tune_search *s, const tune_task *task,
                                     const tune_failures *failures,
                                     tune_status (*tune_one)(struct tune_search *s),
                                     bool *out_is_cut);
void tune_search_destroy_spaces(struct tune_search *s);
// Leaves the winner on the ops, and reports it.
tune_status tune_search_finish_task(struct tune_search *s, const tune_task *task,
                                    const tune_session_result *result);
// Takes `why` the present task could not be tuned. The others still can.
void tune_search_tell_failed(struct tune_search *s, const tune_task *task, tune_status why);
// Looks at the machine while nothing of the search runs, and at the end, when nothing of it runs
// any more: then the evaluator is gone. What is seen is told, at the beginning by tell_conditions.
tune_status tune_search_look_around(struct tune_search *s);
void tune_search_tell_conditions(const struct tune_search *s);
void tune_search_look_back(struct tune_search *s);

// What it is like now, for the records of a session that begins. False where that is not known.
bool tune_search_keep_conditions(const struct tune_search *s, tune_kept_conditions *out_kept);

// A task that has lost its winner in the module, and what it has there; all borrowed.
typedef struct tune_search_demoted {
  const tune_demoted *demoted;
  const tune_config *config; // of its space
  double seconds;            // what the task alone takes by that
} tune_search_demoted;

// Keeps that in the database; and with `others_stand`, of winners that have lost in this module
// before, that they do not any more.
tune_status tune_search_keep_demotions(const struct tune_search *s,
                                       const tune_search_demoted *demoted, size_t count,
                                       bool others_stand);

// Looks at the module with all winners as a whole, and has those of its tasks that lose there
// written otherwise. What keeps it from that is told, and no failure of the search.
tune_status tune_search_look_at_whole(struct tune_search *s);

// Whether choices of the level graph are searched: which rule a task is by, how its ops are
// grouped.
bool tune_search_is_graph_open(const struct tune_search *s);

#define TUNE_SEARCH_PROVENANCE 96
// What choices of this search are from: "search:evolutionary", or "default".
void tune_search_provenance(const struct tune_search *s, bool is_default,
                            char text[TUNE_SEARCH_PROVENANCE]);

// Of each backend, in the order in which search.c calls them.
//   open            before the tasks are found; `*out_device` is the fingerprint that code is made
//                   for; NULL: that of the target. Borrowed
//   require_device  UNAVAILABLE where there is none
//   advise          takes `status`, that no device is here, and adds what to do without one
//   open_records    once the tasks are found and the database is open: says what records are kept
//                   of, and finds the roofline
//   start           makes the evaluator
//   run             tunes all tasks
tune_status tune_search_here_require_device(const struct tune_search *s);
tune_status tune_search_here_advise(const struct tune_search *s, tune_status status);
tune_status tune_search_here_open_records(struct tune_search *s);
tune_status tune_search_here_start(struct tune_search *s);
tune_status tune_search_here_run(struct tune_search *s);

// These read the folder first; they go as far as the results that there are allow, and export the
// next round.
tune_status tune_search_rounds_open(struct tune_search *s, const json_t **out_device);
tune_status tune_search_rounds_advise(const struct tune_search *s, tune_status status);
tune_status tune_search_rounds_open_records(struct tune_search *s);
tune_status tune_search_rounds_start(struct tune_search *s);
tune_status tune_search_rounds_run(struct tune_search *s);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_STATE_H
