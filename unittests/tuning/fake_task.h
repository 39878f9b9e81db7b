//===- fake_task.h - What the fake servers are asked to build -------------------------===//
//
// Asserts on every failure; for tests only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNING_FAKE_TASK_H
#define TUNE_UNITTESTS_TUNING_FAKE_TASK_H

#include "fake_faults.h"
#include "space_fixture.h"

#include "tuning/record/task.h"

// Makes a scratch folder, and a log of the servers (fake_server.c) in it.
static inline void make_fake_folder(char folder[64], char log[96]) {
  strcpy(folder, "/tmp/tune_fake_test.XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(log, 96, "%s/log", folder);
  assert_int_equal(setenv("FAKE_LOG", log, 1), 0);
}

// `space` has the knobs "time", in milliseconds, and "fault".
static inline tune_task make_fake_task(const tune_space *space) {
  return (tune_task){.key = "key",
                     .name = "a task",
                     .payload = "module {}",
                     .function = "f",
                     .schedule = "module {}",
                     .schedule_digest = "s",
                     .space = space,
                     .reduction = 16};
}

#endif // TUNE_UNITTESTS_TUNING_FAKE_TASK_H
