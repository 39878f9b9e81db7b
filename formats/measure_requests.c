//===- measure_requests.c - What tune-measure is asked -----------------------===//

#include "formats/measure_requests.h"

static const tune_member place_members[] = {
    {TUNE_MEMBER(tune_place, target), .is_needed = true},
    {TUNE_MEMBER(tune_place, device)},
    {TUNE_MEMBER(tune_place, threads), .least = 1, .otherwise = 1},
    {TUNE_MEMBER(tune_place, cpus), .most = TUNE_MOST_CPU},
};

static const tune_member conditions_members[] = {
    {TUNE_MEMBER(tune_conditions_wanted, flush_cache)},
    {TUNE_MEMBER(tune_conditions_wanted, counters)},
};

static const tune_member inputs_members[] = {
    {TUNE_MEMBER(tune_inputs_wanted, seed), .least = -0x1p63},
    {TUNE_MEMBER(tune_inputs_wanted, dynamic), .least = 1},
    {TUNE_MEMBER(tune_inputs_wanted, inputs), .has_gaps = true},
};

static const tune_member check_members[] = {
    {TUNE_MEMBER(tune_check_wanted, reference)},
    {TUNE_MEMBER(tune_check_wanted, reduction), .otherwise = 1},
    {TUNE_MEMBER(tune_check_wanted, accumulator)},
    {TUNE_MEMBER(tune_check_wanted, operands)},
    {TUNE_MEMBER(tune_check_wanted, sensitivity)},
    {TUNE_MEMBER(tune_check_wanted, reference_cpus), .most = TUNE_MOST_CPU},
};

static const tune_member task_members[] = {
    {TUNE_PART(tune_measured_task, place, place_members)},
    {TUNE_PART(tune_measured_task, conditions, conditions_members)},
    {TUNE_PART(tune_measured_task, inputs, inputs_members)},
    {TUNE_PART(tune_measured_task, check, check_members)},
    {TUNE_MEMBER(tune_measured_task, signature), .is_needed = true},
    {TUNE_GROUP(tune_measured_task, limits, tune_limits_members)},
};

static const tune_member sampling_members[] = {
    {TUNE_MEMBER(tune_sampling, budget)},
    {TUNE_MEMBER(tune_sampling, precision)},
    {TUNE_MEMBER(tune_sampling, sample_limit)},
    {TUNE_MEMBER(tune_sampling, confidence), .least = 0.5, .most = 1 - 0x1p-53},
};

static const tune_member open_members[] = {
    {TUNE_MEMBER(tune_open_request, task), .is_needed = true},
    {TUNE_PART(tune_open_request, of, task_members)},
};

static const tune_member close_members[] = {
    {TUNE_MEMBER(tune_close_request, task), .is_needed = true},
};

static const tune_member measure_members[] = {
    {TUNE_MEMBER(tune_measure_request, ticket)},
    {TUNE_MEMBER(tune_measure_request, task), .is_needed = true},
    {TUNE_MEMBER(tune_measure_request, artifact), .is_needed = true},
    {TUNE_MEMBER(tune_measure_request, best)},
    {TUNE_GROUP(tune_measure_request, measure, sampling_members)},
    {TUNE_GROUP(tune_measure_request, limits, tune_limits_members)},
};

static const tune_member compare_members[] = {
    {TUNE_MEMBER(tune_compare_request, ticket)},
    {TUNE_MEMBER(tune_compare_request, task), .is_needed = true},
    {TUNE_MEMBER(tune_compare_request, artifacts), .is_needed = true},
    {TUNE_GROUP(tune_compare_request, measure, sampling_members)},
    {TUNE_GROUP(tune_compare_request, limits, tune_limits_members)},
};

static const tune_member run_members[] = {
    {TUNE_MEMBER(tune_run_request, ticket)},
    {TUNE_PART(tune_run_request, of, task_members)},
    {TUNE_MEMBER(tune_run_request, artifacts), .is_needed = true},
    {TUNE_MEMBER(tune_run_request, outputs), .has_gaps = true},
    {TUNE_GROUP(tune_run_request, measure, sampling_members)},
};

static const tune_member device_members[] = {
    {TUNE_PART(tune_device_request, place, place_members)},
    {TUNE_MEMBER(tune_device_request, generic)},
    {TUNE_MEMBER(tune_device_request, quick)},
};

TUNE_REQUEST_DEFINE(tune_open_request, TUNE_DO_OPEN, open_members)
TUNE_REQUEST_DEFINE(tune_close_request, TUNE_DO_CLOSE, close_members)
TUNE_REQUEST_DEFINE(tune_measure_request, TUNE_DO_MEASURE, measure_members)
TUNE_REQUEST_DEFINE(tune_compare_request, TUNE_DO_COMPARE, compare_members)
TUNE_REQUEST_DEFINE(tune_run_request, TUNE_DO_RUN, run_members)
TUNE_REQUEST_DEFINE(tune_device_request, TUNE_DO_FINGERPRINT, device_members)
TUNE_FORMAT_DEFINE(tune_sampling, sampling_members)

tune_status tune_device_request_to_roofline_json(const tune_device_request *request,
                                                 json_t **out_request) {
  return tune_request_finish(tune_device_request_members_to_json(request, out_request),
                             TUNE_DO_ROOFLINE, out_request);
}

tune_status tune_limits_from_json(const json_t *object, tune_limits *out_limits) {
  *out_limits = (tune_limits){0};
  return tune_members_from_json(tune_limits_members, TUNE_LIMITS_MEMBERS, object, out_limits);
}
