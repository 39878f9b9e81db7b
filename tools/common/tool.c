//===- tool.c -----------------------------------------------------------------===//

#include "tools/common/tool.h"

#include <string.h>

// "file:line:column: " at the start of `message`.
static bool begins_with_a_place(const char *message) {
  for (const char *colon = strchr(message, ':'); colon; colon = strchr(colon + 1, ':')) {
    if (memchr(message, '\n', (size_t)(colon - message)))
      return false;
    const char *digits = colon + 1;
    size_t line = strspn(digits, "0123456789");
    if (line == 0 || digits[line] != ':')
      continue;
    size_t column = strspn(digits + line + 1, "0123456789");
    if (column > 0 && digits[line + 1 + column] == ':')
      return true;
  }
  return false;
}

void tune_tool_report(const char *program, tune_status status, FILE *stream) {
  if (tune_status_is_ok(status))
    return;
  const char *message = tune_status_get_message(status);
  if (begins_with_a_place(message))
    fprintf(stream, "%s\n", message);
  else
    fprintf(stream, "%s: %s\n", program, message);
  tune_status_free(status);
}

tune_status tune_tool_parse(const tune_command *command, int argc, char **argv,
                            tune_arguments *out_arguments, bool *out_is_done) {
  *out_is_done = false;
  TUNE_RETURN_IF_ERROR(tune_options_parse(command, argc, argv, out_arguments));
  *out_is_done = out_arguments->help || out_arguments->version;
  if (out_arguments->help)
    tune_options_print_help(command, stdout);
  else if (out_arguments->version)
    tune_tool_print_version(command->name, stdout);
  return TUNE_OK;
}

void tune_tool_print_version(const char *program, FILE *stream) {
  fprintf(stream, "%.*s %s\n", (int)strcspn(program, " "), program, TUNE_VERSION);
}
