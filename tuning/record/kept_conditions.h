//===- kept_conditions.h - Conditions of the machine, as records keep them ---===//
//
// A time is worth what the machine was like when it was measured. What can be known of that for
// nothing is read when a session begins (evaluators/conditions.h), and its records refer to it. The
// CPU's model is part of the fingerprint.
//
// Threads: a value; no shared state.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_RECORD_KEPT_CONDITIONS_H
#define TUNE_TUNING_RECORD_KEPT_CONDITIONS_H

#include "support/status.h"
#include "support/string_builder.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_CONDITIONS_CPUS_SIZE 128
#define TUNE_CONDITIONS_GOVERNOR_SIZE 32

// Numbers below 0 are not known.
typedef struct tune_kept_conditions {
  bool is_known;                        // else nothing of it is
  char cpus[TUNE_CONDITIONS_CPUS_SIZE]; // that threads were pinned to: "2-3,6"
  char
      governor[TUNE_CONDITIONS_GOVERNOR_SIZE]; // of these, "mixed" where they differ; "": not known
  double load;                                 // mean of the minute before the session
  double others_busy;                          // how many CPUs other programs kept busy just before
                                               // the search
  int64_t cpu_count;                           // of how many
  double stolen; // share of these CPUs' time, since the search began, that the hypervisor gave to
                 // other machines; 0..1
} tune_kept_conditions;

// {"cpus": "2-3", "governor": "performance", "load": 0.25, "others_busy": 0.5, "cpu_count": 16,
// "stolen": 0.01}; what is not known is absent. A new reference; NULL: out of memory.
json_t *tune_kept_conditions_to_json(const tune_kept_conditions *conditions);
// Reads an object as above, trusting nothing: INVALID_ARGUMENT names the member that is not as it
// has to be.
tune_status tune_kept_conditions_from_json(const json_t *object,
                                           tune_kept_conditions *out_conditions);
tune_status tune_kept_conditions_validate(const tune_kept_conditions *conditions);

// "pinned to CPUs 2-3, governor performance, load 0.25, others kept 0.5 of 16 CPUs busy".
void tune_kept_conditions_append(tune_string_builder *text, const tune_kept_conditions *conditions);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_RECORD_KEPT_CONDITIONS_H
