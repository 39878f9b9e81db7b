//===- transfer.c - tune-db export, import, merge ---------------------------------===//

#include "tools/tune-db/tune_db.h"
#include "tuning/database/database_transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

//===- export -----------------------------------------------------------------===//

static bool is_replaceable(const char *path) {
  struct stat status;
  return lstat(path, &status) != 0 || S_ISREG(status.st_mode);
}

// Writes beside `path` and renames, so that a failure leaves the file that was there.
static tune_status export_to_file(tune_database *database, const char *task,
                                  const char *fingerprint, const char *path,
                                  tune_database_transfer *done) {
  char *beside = NULL;
  bool replace = is_replaceable(path);
  if (asprintf(&beside, replace ? "%s.partial" : "%s", path) < 0)
    return tune_status_out_of_memory("writing %s", path);
  FILE *file = fopen(beside, "w");
  tune_status status = file ? tune_database_export(database, task, fingerprint, file, path, done)
                            : tune_status_from_errno(errno, "writing %s", path);
  if (file && fclose(file) != 0 && tune_status_is_ok(status))
    status = tune_status_from_errno(errno, "writing %s", path);
  if (replace && tune_status_is_ok(status) && rename(beside, path) != 0)
    status = tune_status_from_errno(errno, "writing %s", path);
  if (replace && file && !tune_status_is_ok(status))
    unlink(beside);
  free(beside);
  return status;
}

static void warn_of_damage(void *user, const char *what) {
  (void)user;
  fprintf(stderr, "tune-db export: warning: %s; this is left out, and whatever else is damaged\n",
          what);
}

typedef struct export_options {
  const char *output;
  bool leaves_out_damage;
} export_options;

static tune_status export(const tune_db_context *context, void *user) {
  const export_options *options = user;
  tune_database *database = context->database;
  if (options->leaves_out_damage)
    tune_database_leave_out_damage(database, warn_of_damage, NULL);
  tune_database_transfer done = {0};
  TUNE_RETURN_IF_ERROR(
      strcmp(options->output, "-") == 0
          ? tune_database_export(database, context->task, context->digest, stdout, "the output",
                                 &done)
          : export_to_file(database, context->task, context->digest, options->output, &done));
  fprintf(stderr, "tune-db export: wrote %s, %s, %s\n", tune_db_count(done.tasks, "task").text,
          tune_db_count(done.fingerprints, "fingerprint").text,
          tune_db_count(done.records, "record").text);
  return TUNE_OK;
}

int tune_db_export(int argc, char **argv) {
  tune_db_context context = {0};
  export_options chosen = {.output = "-"};
  const tune_option options[] = {
      TUNE_DB_OPTION_DB(&context.path),
      TUNE_DB_OPTION_FINGERPRINT(&context.fingerprint),
      {.name = "leave-out-damage",
       .kind = TUNE_OPTION_FLAG,
       .target = &chosen.leaves_out_damage,
       .help = "write what is sound of a damaged database; else that is an error"},
      {.name = "output",
       .letter = 'o',
       .kind = TUNE_OPTION_STRING,
       .target = &chosen.output,
       .value_name = "FILE",
       .help = "where to write to; standard output otherwise"},
  };
  const tune_command command = {
      .name = "tune-db export",
      .operands = "[TASK]",
      .summary = "Writes tasks and their trials as JSON lines, for another database to import or "
                 "another program to read. TASK is as for 'tune-db show'; otherwise "
                 "everything is written.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_maximum = 1,
  };
  const tune_db_job job = {.command = &command, .finds_task = true, .run = export, .user = &chosen};
  return tune_db_run(&job, &context, argc, argv);
}

//===- import -----------------------------------------------------------------===//

static void print_transfer(const char *name, const tune_database_transfer *done) {
  printf("%s: new are %s, %s, %s; known already: %s\n", name,
         tune_db_count(done->tasks, "task").text,
         tune_db_count(done->fingerprints, "fingerprint").text,
         tune_db_count(done->records, "record").text, tune_db_count(done->known, "record").text);
  if (done->awaited)
    printf("%s: %s not measured yet; measure on with tune-measure, and import again\n", name,
           tune_db_count(done->awaited, "candidate").text);
}

#define EXIT_DAMAGED 2
#define EXIT_OTHER_VERSION 3

// Of a file that cannot be taken for what it is, an exit status of its own.
static int import_exit_status(tune_status_code code, int otherwise) {
  if (code == TUNE_DATA_LOSS)
    return EXIT_DAMAGED;
  return code == TUNE_FAILED_PRECONDITION ? EXIT_OTHER_VERSION : otherwise;
}

static tune_status import_file(tune_database *database, const char *path) {
  bool is_stdin = strcmp(path, "-") == 0;
  FILE *file = is_stdin ? stdin : fopen(path, "r");
  if (!file)
    return tune_status_from_errno(errno, "%s cannot be read", path);
  const char *name = is_stdin ? "<stdin>" : path;
  tune_database_transfer done;
  tune_status status = tune_database_import(database, file, name, &done);
  if (!is_stdin)
    fclose(file);
  if (tune_status_is_ok(status))
    print_transfer(name, &done);
  return status;
}

static tune_status import_files(const tune_db_context *context, void *user) {
  (void)user;
  for (size_t i = 0; i < context->operands->count; ++i)
    TUNE_RETURN_IF_ERROR(import_file(context->database, context->operands->values[i]));
  return TUNE_OK;
}

int tune_db_import(int argc, char **argv) {
  tune_db_context context = {.wait = TUNE_DATABASE_WAIT_SECONDS};
  const tune_option options[] = {TUNE_DB_OPTION_DB(&context.path),
                                 TUNE_DB_OPTION_WAIT(&context.wait)};
  const tune_command command = {
      .name = "tune-db import",
      .operands = "FILE...",
      .epilogue =
          "Exit status: 0 done; 1 it could not be done; 2 wrong usage, or results that\nare "
          "damaged; 3 a file of another version.\n",
      .summary = "Takes in what 'tune-db export' wrote; '-' is the standard input. Every line is "
                 "checked, and of a file with a wrong one nothing comes in. What is there already "
                 "is not doubled. Import only from whom you trust: schedules are run by the "
                 "compiler. The same for what tune-measure wrote of candidates that were made on "
                 "another machine.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_minimum = 1,
      .operand_maximum = SIZE_MAX,
  };
  const tune_db_job job = {.command = &command, .access = TUNE_DB_ADDS, .run = import_files};
  int exit_status = tune_db_run(&job, &context, argc, argv);
  return import_exit_status(context.code, exit_status);
}

//===- merge ------------------------------------------------------------------===//

static tune_status merge_file(tune_database *database, const char *path) {
  tune_database *other;
  TUNE_RETURN_IF_ERROR(tune_database_open_read_only(path, &other));
  tune_database_transfer done;
  tune_status status = tune_database_merge(database, other, &done);
  tune_database_destroy(other);
  if (tune_status_is_ok(status))
    print_transfer(path, &done);
  return status;
}

static tune_status merge_files(const tune_db_context *context, void *user) {
  (void)user;
  for (size_t i = 0; i < context->operands->count; ++i)
    TUNE_RETURN_IF_ERROR(merge_file(context->database, context->operands->values[i]));
  return TUNE_OK;
}

int tune_db_merge(int argc, char **argv) {
  tune_db_context context = {.wait = TUNE_DATABASE_WAIT_SECONDS};
  const tune_option options[] = {TUNE_DB_OPTION_DB(&context.path),
                                 TUNE_DB_OPTION_WAIT(&context.wait)};
  const tune_command command = {
      .name = "tune-db merge",
      .operands = "OTHER.db...",
      .summary = "Takes over everything from other databases, which stay as they are. What is "
                 "there already is not doubled.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_minimum = 1,
      .operand_maximum = SIZE_MAX,
  };
  const tune_db_job job = {.command = &command, .access = TUNE_DB_ADDS, .run = merge_files};
  return tune_db_run(&job, &context, argc, argv);
}
