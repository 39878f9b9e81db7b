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

typedef struct prune_options {
  const char *age;
  int64_t keep_best;
  tune_database_prune_options rules;
} prune_options;

static tune_status check_prune_usage(void *user) {
  prune_options *options = user;
  double seconds = 0;
  if (options->age)
    TUNE_RETURN_IF_ERROR(parse_age(options->age, &seconds));
  else if (!options->keep_best)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "say what may go: --keep-best=N, --older-than=AGE, or both");
  options->rules.keep_best = (uint64_t)options->keep_best;
  options->rules.older_than_ms = options->age ? time_before(seconds) : 0;
  return TUNE_OK;
}

static tune_status prune(const tune_db_context *context, void *user) {
  tune_database_prune_options *rules = &((prune_options *)user)->rules;
  tune_database_prune_result result;
  rules->task = context->task;
  TUNE_RETURN_IF_ERROR(tune_database_prune(context->database, rules, &result));
  printf("%s %s, %s, %s; left: %s\n", rules->dry_run ? "would drop" : "dropped",
         tune_db_count(result.records, "record").text, tune_db_count(result.tasks, "task").text,
         tune_db_count(result.fingerprints, "fingerprint").text,
         tune_db_count(result.records_left, "record").text);
  return TUNE_OK;
}

int tune_db_prune(int argc, char **argv) {
  tune_db_context context = {.wait = TUNE_DATABASE_WAIT_SECONDS};
  prune_options chosen = {0};
  const tune_option options[] = {
      TUNE_DB_OPTION_DB(&context.path),
      {.name = "keep-best",
       .kind = TUNE_OPTION_INTEGER,
       .target = &chosen.keep_best,
       .value_name = "N",
       .help = "of each task on each target keep only the N fastest trials; failed ones go",
       .minimum = 1,
       .maximum = INT64_MAX},
      {.name = "older-than",
       .kind = TUNE_OPTION_STRING,
       .target = &chosen.age,
       .value_name = "AGE",
       .help = "drop trials made longer ago than that: 90m, 12h, 30d, 4w"},
      {.name = "dry-run",
       .kind = TUNE_OPTION_FLAG,
       .target = &chosen.rules.dry_run,
       .help = "only say what would go"},
      TUNE_DB_OPTION_WAIT(&context.wait),
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
  const tune_db_job job = {.command = &command,
                           .access = TUNE_DB_CHANGES,
                           .finds_task = true,
                           .check_usage = check_prune_usage,
                           .run = prune,
                           .user = &chosen};
  return tune_db_run(&job, &context, argc, argv);
}

//===- check ------------------------------------------------------------------===//

static void print_problem(void *user, const char *problem) {
  (void)user;
  printf("%s\n", problem);
}

static tune_status check(const tune_db_context *context, void *user) {
  (void)user;
  uint64_t problems;
  const char *path = tune_database_path(context->database);
  TUNE_RETURN_IF_ERROR(tune_database_check(context->database, print_problem, NULL, &problems));
  if (problems)
    return tune_status_make(TUNE_DATA_LOSS,
                            "%s: %s; `sqlite3 FILE .recover` saves what can be saved", path,
                            tune_db_count(problems, "problem").text);
  printf("%s: no problems\n", path);
  return TUNE_OK;
}

int tune_db_check(int argc, char **argv) {
  tune_db_context context = {0};
  const tune_option options[] = {TUNE_DB_OPTION_DB(&context.path)};
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
  const tune_db_job job = {.command = &command, .run = check};
  return tune_db_run(&job, &context, argc, argv);
}
