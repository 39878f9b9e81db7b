//===- upkeep.c - tune-db prune and check -----------------------------------------===//

#include "tools/tune-db/tune_db.h"
#include "tuning/database/database_upkeep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

//===- prune ------------------------------------------------------------------===//

// "30d" and the like, in seconds.
static tune_status parse_age(const char *text, double *out_seconds) {
  static const struct {
    char letter;
    double seconds;
  } units[] = {{'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400.0}};
  char *end;
  errno = 0;
  unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
  for (size_t i = 0; number && errno == 0 && i < sizeof units / sizeof *units; ++i) {
    if (end[0] == units[i].letter && end[1] == '\0') {
      *out_seconds = (double)number * units[i].seconds;
      return TUNE_OK;
    }
  }
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "option '--older-than' takes a number of minutes, hours, days or weeks "
                          "(90m, 12h, 30d, 4w), not '%s'",
                          text);
}

static int64_t time_before(double seconds) {
  double ms = (double)time(NULL) * 1000 - seconds * 1000;
  return ms > 1 ? (int64_t)ms : 1;
}

static tune_status prune_open(tune_database *database, const char *task,
                              tune_database_prune_options *rules) {
  char *key = NULL;
  TUNE_RETURN_IF_ERROR(tune_db_find_task(database, task, &key));
  rules->task = key;
  tune_database_prune_result result;
  tune_status status = tune_database_prune(database, rules, &result);
  free(key);
  TUNE_RETURN_IF_ERROR(status);
  printf("%s %s, %s, %s; left: %s\n", rules->dry_run ? "would drop" : "dropped",
         tune_db_count(result.records, "record").text, tune_db_count(result.tasks, "task").text,
         tune_db_count(result.fingerprints, "fingerprint").text,
         tune_db_count(result.records_left, "record").text);
  return TUNE_OK;
}

static tune_status prune(const char *path, double wait, const char *task,
                         tune_database_prune_options *rules) {
  // Opening for writing would make a database that is not there. One of an older version is.
  tune_database *database;
  tune_status there = tune_database_open_read_only(path, &database);
  tune_database_destroy(database);
  if (tune_status_get_code(there) == TUNE_NOT_FOUND)
    return there;
  tune_status_free(there);
  TUNE_RETURN_IF_ERROR(tune_database_open(path, &database));
  tune_database_set_wait(database, wait);
  tune_status status = prune_open(database, task, rules);
  tune_database_destroy(database);
  return status;
}

int tune_db_prune(int argc, char **argv) {
  const char *path = NULL, *age = NULL;
  double wait = TUNE_DATABASE_WAIT_SECONDS;
  int64_t keep_best = 0;
  tune_database_prune_options rules = {0};
  const tune_option options[] = {
      TUNE_DB_OPTION_DB(&path),
      {.name = "keep-best",
       .kind = TUNE_OPTION_INTEGER,
       .target = &keep_best,
       .value_name = "N",
       .help = "of each task on each target keep only the N fastest trials; failed ones go",
       .minimum = 1,
       .maximum = INT64_MAX},
      {.name = "older-than",
       .kind = TUNE_OPTION_STRING,
       .target = &age,
       .value_name = "AGE",
       .help = "drop trials made longer ago than that: 90m, 12h, 30d, 4w"},
      {.name = "dry-run",
       .kind = TUNE_OPTION_FLAG,
       .target = &rules.dry_run,
       .help = "only say what would go"},
      TUNE_DB_OPTION_WAIT(&wait),
  };
  const tune_command command = {
      .name = "tune-db prune",
      .operands = "[TASK]",
      .summary = "Drops trials, of one task or of all, and gives their space back. What 'tune-db "
                 "best' shows always stays. At least one of --keep-best and --older-than is "
                 "needed.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_maximum = 1,
  };
  tune_arguments arguments;
  int exit_status;
  if (!tune_db_parse(&command, argc, argv, &arguments, &exit_status))
    return exit_status;
  const char *task = arguments.operands.count ? arguments.operands.values[0] : NULL;
  double seconds = 0;
  tune_status status = age ? parse_age(age, &seconds) : TUNE_OK;
  if (tune_status_is_ok(status) && !age && !keep_best)
    status = tune_status_make(TUNE_INVALID_ARGUMENT,
                              "say what may go: --keep-best=N, --older-than=AGE, or both");
  bool usage_is_right = tune_status_is_ok(status);
  if (usage_is_right) {
    rules.keep_best = (uint64_t)keep_best;
    rules.older_than_ms = age ? time_before(seconds) : 0;
    status = prune(path, wait, task, &rules);
  }
  tune_arguments_deinit(&arguments);
  exit_status = tune_db_finish(command.name, status);
  return usage_is_right ? exit_status : 2;
}

//===- check ------------------------------------------------------------------===//

static void print_problem(void *user, const char *problem) {
  (void)user;
  printf("%s\n", problem);
}

static tune_status check(const char *path) {
  tune_database *database;
  TUNE_RETURN_IF_ERROR(tune_database_open_read_only(path, &database));
  uint64_t problems;
  tune_status status = tune_database_check(database, print_problem, NULL, &problems);
  if (tune_status_is_ok(status) && problems)
    status =
        tune_status_make(TUNE_DATA_LOSS, "%s: %s; `sqlite3 FILE .recover` saves what can be saved",
                         tune_database_path(database), tune_db_count(problems, "problem").text);
  if (tune_status_is_ok(status))
    printf("%s: no problems\n", tune_database_path(database));
  tune_database_destroy(database);
  return status;
}

int tune_db_check(int argc, char **argv) {
  const char *path = NULL;
  const tune_option options[] = {TUNE_DB_OPTION_DB(&path)};
  const tune_command command = {
      .name = "tune-db check",
      .operands = "",
      .summary =
          "Reads the whole database and looks for damage: pages, indices, references, and "
          "whether each task, fingerprint and record is what was written. The exit status is "
          "1 if there is any.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
  };
  tune_arguments arguments;
  int exit_status;
  if (!tune_db_parse(&command, argc, argv, &arguments, &exit_status))
    return exit_status;
  tune_status status = check(path);
  tune_arguments_deinit(&arguments);
  return tune_db_finish(command.name, status);
}
