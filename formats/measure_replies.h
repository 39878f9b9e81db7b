//===- measure_replies.h - What tune-measure answers -------------------------===//
//
// docs/protocol.md says to which request. The sender is tools/tune-measure, whose children report
// to it in the same way; the receivers are tuning/evaluators, tuning/device and tune-run. Ticket
// and task of the request come besides (messages.h), and a failure is a message of its own
// (support/message.h), of which these readers know nothing: look for one first.
//
// Threads: any. Ownership: members.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_MEASURE_REPLIES_H
#define TUNE_FORMATS_MEASURE_REPLIES_H

#include "formats/messages.h"

#ifdef __cplusplus
extern "C" {
#endif

// The verdict on what is right, and was timed to the end; the others are those of records
// (tuning/record/record.h).
#define TUNE_SAID_OK "ok"
// On what was not found wrong, but hardly compared: too much of a result is no number.
#define TUNE_SAID_INCONCLUSIVE "inconclusive"

// A reference that takes less than that, in seconds, is run several times more to be timed, and its
// shortest time is told: a single run says little where something else runs meanwhile.
#define TUNE_SHORT_REFERENCE 10e-3
#define TUNE_SHORT_REFERENCE_RUNS 5

// What is known of a reference that has run; zeros where there is none.
typedef struct tune_reference_facts {
  double reference_seconds; // of one run, after a first one unless that is long; see above
  double nan_share;         // of what it computes, which checks nothing
  double unchecked_share;   // the most of a result that is NaN or infinite
  const char *unchecked;    // what that is; NULL: none
} tune_reference_facts;

// Whether a failed reply to `open` or `run` says that the reference crashed or did not end, which
// is the module's fault, and not that something else went wrong.
bool tune_reference_is_to_blame(tune_status status);

typedef struct tune_open_reply {
  tune_reference_facts reference;
} tune_open_reply;

// Times of an artifact, in seconds.
typedef struct tune_times {
  tune_number_list samples; // in the order taken
  int64_t repeats;          // runs that a sample is the mean of
  double median, low, high;
  double noise; // spread of the samples, as a share
  int64_t outliers;
} tune_times;

// What a task took in a run of the artifact, by its own clock; the median of the samples.
typedef struct tune_task_seconds {
  const char *name; // of its function
  double seconds;   // of all its calls in a run
  double calls;     // in a run
} tune_task_seconds;

typedef struct tune_task_seconds_list {
  tune_task_seconds *items;
  size_t count;
} tune_task_seconds_list;

// What came of one artifact.
typedef struct tune_measure_reply {
  const char *verdict;          // NULL: none is said
  const char *error;            // why it is no better; NULL: none
  const json_t *check;          // tuning/record/check_result.h; NULL: nothing was checked
  bool is_timed;                // else there are no times
  tune_times times;             //
  const json_t *counters;       // tuning/record/counts.h; NULL: nothing was counted
  tune_task_seconds_list tasks; // that it called, where it times them; else none
} tune_measure_reply;

typedef struct tune_measure_reply_list {
  tune_measure_reply *items;
  size_t count;
} tune_measure_reply_list;

// How many times as fast one is as the first, with its interval.
typedef struct tune_ratio_said {
  double ratio, low, high;
} tune_ratio_said;

typedef struct tune_ratio_list {
  tune_ratio_said *items;
  size_t count;
} tune_ratio_list;

// No artifact.
#define TUNE_NO_ARTIFACT (-1)

typedef struct tune_compare_reply {
  const char *verdict; // of the first that is not ok; NULL: none is said
  const char *error;   // why; NULL: none
  int64_t artifact;    // index of the one that `error` is about, or TUNE_NO_ARTIFACT
  tune_measure_reply_list results;
  tune_ratio_list ratios;
  int64_t placements; // in how many they were compared (tuning/measure/placements.h); 0: none
  bool is_whole;      // of a child's report alone: it had all of the budget
} tune_compare_reply;

// A number that an argument was.
typedef struct tune_scalar {
  int64_t argument;
  double value;
} tune_scalar;

typedef struct tune_scalar_list {
  tune_scalar *items;
  size_t count;
} tune_scalar_list;

typedef struct tune_run_reply {
  tune_compare_reply compared;
  tune_shape_list shapes;   // of the arguments
  tune_scalar_list scalars; // those of them that are integers by themselves
  bool has_reference;
  tune_reference_facts reference;
} tune_run_reply;

// To "fingerprint" the first two, to "roofline" the last one.
typedef struct tune_device_reply {
  const json_t *fingerprint; // formats/fingerprint.h
  const char *digest;        // of it
  const json_t *roofline;    // targets/roofline.h
} tune_device_reply;

// What a child that ran a reference reports.
typedef struct tune_reference_report {
  double seconds;
  tune_shape_list outputs; // their shapes; the bytes go another way (tools/tune-measure/transfer.h)
  bool leans;              // it has what makes it lean (transforms/lower/cpu/leaning.h)
} tune_reference_report;

TUNE_FORMAT_DECLARE(tune_open_reply)
TUNE_FORMAT_DECLARE(tune_measure_reply)
TUNE_FORMAT_DECLARE(tune_compare_reply)
TUNE_FORMAT_DECLARE(tune_run_reply)
TUNE_FORMAT_DECLARE(tune_device_reply)
TUNE_FORMAT_DECLARE(tune_reference_report)

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_MEASURE_REPLIES_H
