//===- measure_child.h - tune-measure in one process -----------------------------------===//
//
// What tune-measure does in forked children is done in the fuzz target's own process: nothing that
// is loaded comes to run there, since there are no shared objects for it, and so but for the target
// `null` no device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FUZZ_MEASURE_CHILD_H
#define TUNE_FUZZ_MEASURE_CHILD_H

#include "targets/buffer.h"
#include "tools/tune-measure/child.h"

// In place of tune-measure's own and libc's (-Wl,--wrap).
tune_status __wrap_child_run(child_body body, void *context, const child_limits *limits,
                             const child_watch *watch, child_outcome *out_outcome);
void *__wrap_dlopen(const char *path, int flags);
char *__wrap_dlerror(void);
// Refuses arrays that would take long to fill.
tune_status __wrap_tune_buffer_init(tune_buffer *buffer, const tune_value_type *type);
tune_status __real_tune_buffer_init(tune_buffer *buffer, const tune_value_type *type);

#endif // TUNE_FUZZ_MEASURE_CHILD_H
