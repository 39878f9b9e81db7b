//===- assert_ok.h - What has to succeed ------------------------------------------------===//
//
// To be included after cmocka.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_COMMON_ASSERT_OK_H
#define TUNE_UNITTESTS_COMMON_ASSERT_OK_H

#include "support/status.h"

// Fails the test, with the message, where the status is none of success.
#define assert_ok(expression)                                                                      \
  do {                                                                                             \
    tune_status status_ = (expression);                                                            \
    if (!tune_status_is_ok(status_))                                                               \
      fail_msg("%s", tune_status_get_message(status_));                                            \
  } while (0)

#endif // TUNE_UNITTESTS_COMMON_ASSERT_OK_H
