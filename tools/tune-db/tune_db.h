//===- tune_db.h - The commands of tune-db -----------------------------------------===//
//
// Each command is a function from its arguments (argv[0] is its name) to an exit status:
// 0 done, 1 could not be done or, for check, problems were found, 2 wrong usage. What a
// command gives goes to stdout, what it says about errors to stderr.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_DB_H
#define TUNE_TOOLS_TUNE_DB_H

#include "support/status.h"
#include "support/units.h"
#include "tools/common/options.h"
#include "tuning/device/roofline_share.h"

#include <jansson.h>

int tune_db_list(int argc, char **argv);
int tune_db_show(int argc, char **argv);
int tune_db_best(int argc, char **argv);
int tune_db_device(int argc, char **argv);
int tune_db_export(int argc, char **argv);
int tune_db_import(int argc, char **argv);
int tune_db_merge(int argc, char **argv);
int tune_db_prune(int argc, char **argv);
int tune_db_check(int argc, char **argv);

//===- From a command line to an exit status (command.c) ----------------------===//

// What a command is asked for, and what it works on.
typedef struct tune_db_context {
  // Where options and defaults are put:
  const char *path;        // NULL: the default database
  const char *fingerprint; // the start of a digest; NULL: of all machines
  double wait;             // for writers
  // While the command runs:
  tune_database *database;
  const tune_option_list *operands;
  char *task;   // the key of the task that the first operand names, where `finds_task`; else NULL
  char *digest; // of `fingerprint`; NULL where that is
  // Afterwards:
  tune_status_code code; // what the job came to; OK where it was not begun
} tune_db_context;

typedef enum tune_db_access {
  TUNE_DB_READS,
  TUNE_DB_CHANGES, // a database that is there
  TUNE_DB_ADDS,    // and makes one where there is none
} tune_db_access;

typedef struct tune_db_job {
  const tune_command *command;
  tune_db_access access;
  bool finds_task;
  tune_status (*check_usage)(void *user); // of what options have put there; NULL: all are right
  tune_status (*run)(const tune_db_context *context, void *user);
  void *user;
} tune_db_job;

// Reads the command line, opens the database, runs the job, closes the database, and reports a
// failure; gives the exit status.
int tune_db_run(const tune_db_job *job, tune_db_context *context, int argc, char **argv);

// Reports `status` if it is a failure, sees to it that all output was written, and gives the exit
// status. Takes `status`.
int tune_db_finish(const char *command, tune_status status);

//===- Under the roofline (place.c) -------------------------------------------===//

// "94.1": the share of the roofline that a run in `seconds` reaches, in percent; or "-".
tune_figure tune_db_percent(const tune_roofline_share *place, double seconds);
// "f32", "L2": what bounds it; or "-".
const char *tune_db_bound(const tune_roofline_share *place);
// Adds members "percent_of_roofline" and "bound_by" to a record; not 0 where memory ran out.
int tune_db_set_place(json_t *record, const tune_roofline_share *place, double seconds);

//===- What they share (common.c) ---------------------------------------------===//

enum { TUNE_DB_TEXT, TUNE_DB_JSON };
extern const char *const tune_db_formats[]; // "text", "json", NULL

#define TUNE_DB_OPTION_DB(variable)                                                                \
  {                                                                                                \
    .name = "db", .kind = TUNE_OPTION_STRING, .target = (variable), .value_name = "FILE",          \
    .help = "the database; otherwise $XDG_CACHE_HOME/mlir-tune/tune.db, or ~/.cache/... where "    \
            "that is not set"                                                                      \
  }
#define TUNE_DB_OPTION_FINGERPRINT(variable)                                                       \
  {                                                                                                \
    .name = "fingerprint", .kind = TUNE_OPTION_STRING, .target = (variable),                       \
    .value_name = "DIGEST", .help = "only what ran on this machine: the start of its digest"       \
  }
#define TUNE_DB_OPTION_FORMAT(variable)                                                            \
  {                                                                                                \
    .name = "format", .kind = TUNE_OPTION_CHOICE, .target = (variable),                            \
    .choices = tune_db_formats, .help = "a table for people (the default), or JSON"                \
  }

#define TUNE_DB_OPTION_WAIT(variable)                                                              \
  {                                                                                                \
    .name = "wait", .kind = TUNE_OPTION_NUMBER, .target = (variable), .value_name = "SECONDS",     \
    .help = "how long to wait while another process keeps the database locked (the default: 10)",  \
    .minimum = 0, .maximum = 1000000                                                               \
  }

// "cpu:1a2b3c": a target and the start of the fingerprint's digest.
tune_figure tune_db_target(const char *target, const char *fingerprint);
// Whether the records of `fingerprint` ("": false) are of runs that found the caches flushed.
tune_status tune_db_is_flushed(tune_database *database, const char *fingerprint, bool *out_flushed);
// tune_db_target, with " flushed" behind it where that is so.
tune_status tune_db_target_of_records(tune_database *database, const char *target,
                                      const char *fingerprint, tune_figure *out_figure);
// The start of a key that a person can type.
tune_figure tune_db_short_key(const char *key);

// "1 task", "2 tasks".
tune_figure tune_db_count(uint64_t count, const char *noun);

// Prints `value`, whose reference it takes; NULL stands for memory that ran out.
tune_status tune_db_print_json(json_t *value);

// A record, and what tune_database_best makes of it.
typedef enum tune_db_standing {
  TUNE_DB_BEST, // of its task and fingerprint
  TUNE_DB_KEPT,
  TUNE_DB_TAKEN_BACK, // by another record
} tune_db_standing;

typedef struct tune_db_trial {
  tune_record record;
  tune_db_standing standing;
} tune_db_trial;

// "winner", "in a module", "taken back", or the verdict.
const char *tune_db_verdict(const tune_db_trial *trial);
// The table of trials of `task` on one fingerprint.
tune_status tune_db_print_trials(const tune_kept_task *task, const tune_roofline_share *place,
                                 const tune_db_trial *trials, size_t count);

#endif // TUNE_TOOLS_TUNE_DB_H
