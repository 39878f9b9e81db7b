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

// Reads the command line. False: there is nothing more to do (help was printed, or an error), and
// `*out_exit` is the exit status.
bool tune_db_parse(const tune_command *command, int argc, char **argv,
                   tune_arguments *out_arguments, int *out_exit);

// Reports `status` if it is a failure, sees to it that all output was written, and gives the exit
// status. Takes `status`.
int tune_db_finish(const char *command, tune_status status);

// find_task and find_fingerprint of tuning/database/database.h, where NULL stays NULL.
tune_status tune_db_find_task(tune_database *database, const char *text, char **out_key);
tune_status tune_db_find_fingerprint(tune_database *database, const char *text, char **out_digest);

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

// "winner", "taken back", or the verdict.
const char *tune_db_verdict(const tune_db_trial *trial);
// The table of trials of `task` on one fingerprint.
tune_status tune_db_print_trials(const tune_database_task *task, const tune_roofline_share *place,
                                 const tune_db_trial *trials, size_t count);

#endif // TUNE_TOOLS_TUNE_DB_H
