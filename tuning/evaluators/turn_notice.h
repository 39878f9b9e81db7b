//===- turn_notice.h - Telling people what a measurement waits for -----------===//
//
// What is timed waits for others that time on the same cores (docs/tune-measure.md#turns). Who
// waits without a word looks as if it hung.
//
// Threads: one at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_TURN_NOTICE_H
#define TUNE_TUNING_EVALUATORS_TURN_NOTICE_H

#include <jansson.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Says on stderr what a notice of tune-measure's (tune_reply_is_notice) tells: whom it waits for.
// Not again within a minute, since searches that take turns wait often and briefly.
void tune_turn_notice_tell(const json_t *notice);

// Whether that is said from now on, as it is at first. Of the whole process.
void tune_turn_notice_set_quiet(bool is_quiet);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_TURN_NOTICE_H
