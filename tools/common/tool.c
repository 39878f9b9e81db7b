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

void tune_tool_print_version(const char *program, FILE *stream) {
  fprintf(stream, "%s %s\n", program, TUNE_VERSION);
}
