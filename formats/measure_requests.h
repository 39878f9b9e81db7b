//===- measure_requests.h - What tune-measure is asked -----------------------===//
//
// docs/protocol.md says what comes of each. Senders: tuning/evaluators, tuning/device and
// tune-run; the receiver is tools/tune-measure.
//
// Threads: any. Ownership: members.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_MEASURE_REQUESTS_H
#define TUNE_FORMATS_MEASURE_REQUESTS_H

#include "formats/messages.h"

#ifdef __cplusplus
extern "C" {
#endif

// On what is measured.
typedef struct tune_place {
  const char *target; // "cpu"
  const char *device; // of the target's (targets/target.h); NULL: whichever it takes
  int64_t threads;    // at least 1
  tune_int_list cpus; // to be pinned to; none: any
} tune_place;

// How is measured.
typedef struct tune_conditions_wanted {
  bool flush_cache; // ahead of each run that is timed
  bool counters;    // what the processor does is counted, in runs of their own (target cpu)
} tune_conditions_wanted;

// What the arguments are.
typedef struct tune_inputs_wanted {
  int64_t seed;
  int64_t dynamic;       // the size of dimensions known only at run time; 0: the receiver's own
  tune_text_list inputs; // .npy files; of a gap, and of what is beyond, it is made from the seed
} tune_inputs_wanted;

// What is right.
typedef struct tune_check_wanted {
  const char *reference;   // a shared object for the CPU; NULL: nothing is checked
  int64_t reduction;       // length of the longest chain of additions into an element
  const char *accumulator; // the type that sums are kept in ("f32"); NULL: the output's
  const char *operands;    // what factors may be rounded to ("tf32"); NULL: nothing
  bool sensitivity;        // it runs once more on inputs a little off, and the check allows that
  tune_int_list reference_cpus; // that the reference runs on, beside what is timed; empty: cpus
} tune_check_wanted;

// A task to measure artifacts of.
typedef struct tune_measured_task {
  tune_place place;
  tune_conditions_wanted conditions;
  tune_inputs_wanted inputs;
  tune_check_wanted check;
  const json_t *signature; // signature.h
  tune_limits limits;      // of the reference; of "run" of all
} tune_measured_task;

// How many samples are taken (tuning/measure/measure.h); 0: as there.
typedef struct tune_sampling {
  double budget;
  double precision;
  int64_t sample_limit;
  double confidence;
} tune_sampling;

typedef struct tune_open_request {
  const char *task; // what later requests call it
  tune_measured_task of;
} tune_open_request;

typedef struct tune_close_request {
  const char *task;
} tune_close_request;

typedef struct tune_measure_request {
  int64_t ticket;
  const char *task;
  const char *artifact; // path
  double best;          // seconds of the best one known, so that slower ones are cut; 0: none
  tune_sampling measure;
  tune_limits limits;
} tune_measure_request;

typedef struct tune_compare_request {
  int64_t ticket;
  const char *task;
  tune_text_list artifacts; // at least one
  tune_sampling measure;
  tune_limits limits;
} tune_compare_request;

typedef struct tune_run_request {
  int64_t ticket;
  tune_measured_task of;
  tune_text_list artifacts; // at least one
  tune_text_list outputs;   // .npy files for those of the first artifact; a gap: none
  tune_sampling measure;
} tune_run_request;

// What a device is, and can do.
typedef struct tune_device_request {
  tune_place place;
  bool generic; // what all devices of an architecture are, without one
  bool quick;   // less than a tenth of a second, and nothing about main memory
} tune_device_request;

// None has a verb yet when it is read: the table of the server goes by that.
TUNE_FORMAT_DECLARE(tune_open_request)
TUNE_FORMAT_DECLARE(tune_close_request)
TUNE_FORMAT_DECLARE(tune_measure_request)
TUNE_FORMAT_DECLARE(tune_compare_request)
TUNE_FORMAT_DECLARE(tune_run_request)
TUNE_FORMAT_DECLARE(tune_device_request) // _to_json asks for the fingerprint
tune_status tune_device_request_to_roofline_json(const tune_device_request *request,
                                                 json_t **out_request);

// As exports keep them (tuning/remote/export_file.h), which are not yet sent to anybody.
TUNE_FORMAT_DECLARE(tune_sampling)
tune_status tune_limits_from_json(const json_t *object, tune_limits *out_limits);

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_MEASURE_REQUESTS_H
