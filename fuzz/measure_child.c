//===- measure_child.c - tune-measure in one process -----------------------------------===//

#include "fuzz/measure_child.h"

#include "fuzz/fuzz.h"

#include <sanitizer/lsan_interface.h>
#include <string.h>

#define MOST_ELEMENTS ((size_t)1 << 16)

tune_status __wrap_child_run(child_body body, void *context, const child_limits *limits,
                             const child_watch *watch, child_outcome *out_outcome) {
  (void)limits;
  (void)watch;
  static child_notes notes;
  memset(&notes, 0, sizeof notes);
  *out_outcome = (child_outcome){.end = CHILD_REPORTED};
  __lsan_disable(); // a child need not give back what it takes
  tune_status status = body(context, &notes, &out_outcome->report);
  __lsan_enable();
  if (tune_status_is_ok(status))
    status = tune_message_get_status(out_outcome->report);
  if (!tune_status_is_ok(status))
    child_outcome_deinit(out_outcome);
  return status;
}

void *__wrap_dlopen(const char *path, int flags) {
  (void)path;
  (void)flags;
  return NULL;
}

char *__wrap_dlerror(void) {
  static char text[] = "no shared objects are loaded here";
  return text;
}

tune_status __wrap_tune_buffer_init(tune_buffer *buffer, const tune_value_type *type) {
  size_t count = 1;
  for (size_t i = 0; i < type->rank; ++i)
    if (type->shape[i] > 0 &&
        __builtin_mul_overflow(count, (size_t)type->shape[i], &count)) // unknown ones are refused
      count = SIZE_MAX;
  if (count > MOST_ELEMENTS)
    return tune_status_out_of_memory("%zu elements", count);
  return __real_tune_buffer_init(buffer, type);
}
