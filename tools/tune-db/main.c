//===- main.c - tune-db: looking into the database of trials ----------------------===//

#include "support/nearest.h"
#include "tools/common/tool.h"
#include "tools/tune-db/tune_db.h"

#include <string.h>

typedef struct command {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"list", "tasks, how often they were tried, and their best times", tune_db_list},
    {"show", "a task and its trials", tune_db_show},
    {"best", "the best of a task or of all: time, config, schedule", tune_db_best},
    {"device", "what records ran on, as a fingerprint for device=", tune_db_device},
    {"export", "write tasks and trials as JSON lines", tune_db_export},
    {"import", "take in JSON lines, after checking all of them", tune_db_import},
    {"merge", "take over what is in other databases", tune_db_merge},
    {"prune", "drop slow or old trials", tune_db_prune},
    {"check", "look for damage", tune_db_check},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *stream) {
  fprintf(stream, "usage: tune-db COMMAND [options]\n\n"
                  "Shows and looks after the database in which mlir-tune keeps its trials.\n\n"
                  "commands:\n");
  for (size_t i = 0; i < COMMAND_COUNT; ++i)
    fprintf(stream, "  %-9s %s\n", commands[i].name, commands[i].summary);
  fprintf(stream, "\n'tune-db COMMAND --help' tells more. Exit status: 0 done, 1 it could not be "
                  "done,\n2 wrong usage.\n");
}

static int report_unknown(const char *name) {
  const char *names[COMMAND_COUNT];
  for (size_t i = 0; i < COMMAND_COUNT; ++i)
    names[i] = commands[i].name;
  const char *nearest = tune_nearest_of(name, names, COMMAND_COUNT);
  const char *what = name[0] == '-' ? "option" : "command";
  tune_status status;
  if (name[0] == '-' || !nearest)
    status = tune_status_make(TUNE_INVALID_ARGUMENT,
                              "unknown %s '%s'; 'tune-db --help' lists the commands, which come "
                              "first",
                              what, name);
  else
    status = tune_status_make(TUNE_INVALID_ARGUMENT,
                              "unknown command '%s'; did you mean '%s'? 'tune-db --help' lists the "
                              "commands",
                              name, nearest);
  tune_tool_report("tune-db", status, stderr);
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return 2;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    print_help(stdout);
    return tune_db_finish("tune-db", TUNE_OK);
  }
  if (strcmp(name, "--version") == 0) {
    tune_tool_print_version("tune-db", stdout);
    return tune_db_finish("tune-db", TUNE_OK);
  }
  for (size_t i = 0; i < COMMAND_COUNT; ++i)
    if (strcmp(name, commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);
  return report_unknown(name);
}
