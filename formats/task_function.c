//===- task_function.c --------------------------------------------------------===//

#include "formats/task_function.h"

#include <stdlib.h>
#include <string.h>

size_t tune_task_function_index(const char *name) {
  size_t length = strlen(TUNE_TASK_FUNCTION_PREFIX);
  if (strncmp(name, TUNE_TASK_FUNCTION_PREFIX, length) != 0)
    return SIZE_MAX;
  char *end;
  unsigned long index = strtoul(name + length, &end, 10);
  return *end == 0 || *end == '_' ? index : SIZE_MAX;
}
