//===- options.h - The command line of our tools ---------------------------------===//
//
// A tool (or a subcommand of one) describes its options in a table; one function reads
// argv into the variables the table points to, another prints the table as help. All
// tools so accept the same forms and say the same things about mistakes:
//
//   --name=value   --name value   -o value   -ovalue     options with a value
//   --flag         --flag=true    --flag=false           flags
//   --             ends the options; what follows are operands
//   -              is an operand (by custom, stdin or stdout)
//   --help, -h and --version are understood everywhere and need no entry
//
// Options and operands mix in any order. Where an option that is no list is given
// twice, the last one counts, so that a script's defaults can be overridden at its end.
//
// Threads: no shared state; the targets are written by the calling thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_COMMON_OPTIONS_H
#define TUNE_TOOLS_COMMON_OPTIONS_H

#include "support/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum tune_option_kind {
  TUNE_OPTION_FLAG,    // bool *
  TUNE_OPTION_STRING,  // const char **, borrowed from argv
  TUNE_OPTION_INTEGER, // int64_t *, within minimum..maximum
  TUNE_OPTION_NUMBER,  // double *, finite, within minimum..maximum
  TUNE_OPTION_CHOICE,  // size_t *, the index of the word in `choices`
  TUNE_OPTION_LIST,    // tune_option_list *, a value for each time the option is given
} tune_option_kind;

// Values in the order given; the strings are borrowed from argv, the array is owned.
typedef struct tune_option_list {
  size_t count;
  const char **values;
} tune_option_list;

void tune_option_list_deinit(tune_option_list *list);

typedef struct tune_option {
  const char *name; // without dashes
  char letter;      // 'o' for -o too, or 0
  tune_option_kind kind;
  void *target;               // as said at the kind; keeps its value where the option is not given
  const char *value_name;     // "FILE" in the help; NULL for flags and choices
  const char *help;           // wrapped by the printer; says the default
  const char *const *choices; // CHOICE: words, then NULL
  int64_t minimum, maximum;   // INTEGER, NUMBER; both 0: any that is not negative
} tune_option;

typedef struct tune_command {
  const char *name;     // as typed: "tune-db list"
  const char *operands; // for the usage line: "in.mlir", "[TASK]", "" where there are none
  const char *summary;  // one or more sentences on what it does
  const tune_option *options;
  size_t option_count;
  size_t operand_minimum;
  size_t operand_maximum; // SIZE_MAX: as many as given
  const char *epilogue;   // printed after the options as it is (examples, exit statuses), or NULL
} tune_command;

typedef struct tune_arguments {
  tune_option_list operands;
  bool help;    // --help was given: print help, do nothing else
  bool version; // --version, likewise
} tune_arguments;

void tune_arguments_deinit(tune_arguments *arguments);

// Reads argv[1..argc-1]. INVALID_ARGUMENT says what is wrong, what was expected, and the nearest
// right word; the lists among the targets are then to be deinitialised all the same. With --help or
// --version the count of operands is not checked. `argv` must outlive what was read from it.
tune_status tune_options_parse(const tune_command *command, int argc, char **argv,
                               tune_arguments *out_arguments);

// Prints usage, summary, options and epilogue in 80 columns.
void tune_options_print_help(const tune_command *command, FILE *stream);

#endif // TUNE_TOOLS_COMMON_OPTIONS_H
