//===- command.c - From a command line to an exit status ---------------------------===//

#include "tools/common/tool.h"
#include "tools/tune-db/tune_db.h"

#include <errno.h>
#include <stdlib.h>

int tune_db_finish(const char *command, tune_status status) {
  if (tune_status_is_ok(status) && (fflush(stdout) != 0 || ferror(stdout)))
    status = tune_status_from_errno(errno, "writing the output");
  if (tune_status_is_ok(status))
    return 0;
  fflush(stdout);
  tune_tool_report(command, status, stderr);
  return 1;
}

// Opening for writing would make a database that is not there. One of an older version is.
static tune_status find_file(const char *path) {
  tune_database *database;
  tune_status status = tune_database_open_read_only(path, &database);
  tune_database_destroy(database);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

static tune_status open(tune_db_access access, const char *path, double wait,
                        tune_database **out_database) {
  *out_database = NULL;
  if (access == TUNE_DB_READS)
    return tune_database_open_read_only(path, out_database);
  if (access == TUNE_DB_CHANGES)
    TUNE_RETURN_IF_ERROR(find_file(path));
  TUNE_RETURN_IF_ERROR(tune_database_open(path, out_database));
  tune_database_set_wait(*out_database, wait);
  return TUNE_OK;
}

static tune_status run(const tune_db_job *job, tune_db_context *context) {
  const tune_option_list *operands = context->operands;
  TUNE_RETURN_IF_ERROR(open(job->access, context->path, context->wait, &context->database));
  tune_status status = TUNE_OK;
  if (job->finds_task && operands->count)
    status = tune_database_find_task(context->database, operands->values[0], &context->task);
  if (tune_status_is_ok(status) && context->fingerprint)
    status =
        tune_database_find_fingerprint(context->database, context->fingerprint, &context->digest);
  if (tune_status_is_ok(status))
    status = job->run(context, job->user);
  context->code = tune_status_get_code(status);
  free(context->task);
  free(context->digest);
  tune_database_destroy(context->database);
  return status;
}

int tune_db_run(const tune_db_job *job, tune_db_context *context, int argc, char **argv) {
  tune_arguments arguments;
  bool is_done;
  tune_status status = tune_tool_parse(job->command, argc, argv, &arguments, &is_done);
  bool is_right = tune_status_is_ok(status);
  if (is_right && !is_done && job->check_usage) {
    status = job->check_usage(job->user);
    is_right = tune_status_is_ok(status);
  }
  context->operands = &arguments.operands;
  if (is_right && !is_done)
    status = run(job, context);
  tune_arguments_deinit(&arguments);
  int exit_status = tune_db_finish(job->command->name, status);
  return is_right ? exit_status : 2;
}
