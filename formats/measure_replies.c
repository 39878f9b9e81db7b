//===- measure_replies.c - What tune-measure answers -------------------------===//

#include "formats/measure_replies.h"

#include <float.h>

bool tune_reference_is_to_blame(tune_status status) {
  tune_status_code code = tune_status_get_code(status);
  return code == TUNE_INTERNAL || code == TUNE_DEADLINE_EXCEEDED;
}

static const tune_member reference_members[] = {
    {TUNE_MEMBER(tune_reference_facts, reference_seconds)},
    {TUNE_MEMBER(tune_reference_facts, nan_share)},
    {TUNE_MEMBER(tune_reference_facts, unchecked_share), .least = DBL_MIN},
    {TUNE_MEMBER(tune_reference_facts, unchecked)},
};

static const tune_member open_members[] = {
    {TUNE_PART(tune_open_reply, reference, reference_members)},
};

// That there are times at all is seen by the samples.
static const tune_member times_members[] = {
    {TUNE_MEMBER(tune_times, samples), .is_needed = true},
    {TUNE_MEMBER(tune_times, repeats), .otherwise = 1},
    {TUNE_MEMBER(tune_times, median), .is_needed = true},
    {TUNE_MEMBER(tune_times, low), .is_needed = true},
    {TUNE_MEMBER(tune_times, high), .is_needed = true},
    {TUNE_MEMBER(tune_times, noise)},
    {TUNE_MEMBER(tune_times, outliers)},
};

static const tune_member task_seconds_members[] = {
    {TUNE_MEMBER(tune_task_seconds, name), .is_needed = true},
    {TUNE_MEMBER(tune_task_seconds, seconds), .is_needed = true},
    {TUNE_MEMBER(tune_task_seconds, calls), .is_needed = true},
};

static const tune_member measure_members[] = {
    {TUNE_MEMBER(tune_measure_reply, verdict)},
    {TUNE_MEMBER(tune_measure_reply, error)},
    {TUNE_MEMBER(tune_measure_reply, check)},
    {TUNE_OPTIONAL_PART(tune_measure_reply, times, is_timed, times_members)},
    {TUNE_MEMBER(tune_measure_reply, counters)},
    {TUNE_STRUCTS(tune_measure_reply, tasks, task_seconds_members)},
};

static const tune_member ratio_members[] = {
    {TUNE_MEMBER(tune_ratio_said, ratio), .is_needed = true},
    {TUNE_MEMBER(tune_ratio_said, low), .is_needed = true},
    {TUNE_MEMBER(tune_ratio_said, high), .is_needed = true},
};

static const tune_member compare_members[] = {
    {TUNE_MEMBER(tune_compare_reply, verdict)},
    {TUNE_MEMBER(tune_compare_reply, error)},
    {TUNE_MEMBER(tune_compare_reply, artifact), .otherwise = TUNE_NO_ARTIFACT},
    {TUNE_STRUCTS(tune_compare_reply, results, measure_members)},
    {TUNE_STRUCTS(tune_compare_reply, ratios, ratio_members)},
    {TUNE_MEMBER(tune_compare_reply, placements), .least = 1},
    {TUNE_MEMBER(tune_compare_reply, is_whole)},
};

static const tune_member scalar_members[] = {
    {TUNE_MEMBER(tune_scalar, argument), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_scalar, value), .least = -0x1p1023, .is_needed = true},
};

static const tune_member run_members[] = {
    {TUNE_PART(tune_run_reply, compared, compare_members)},
    {TUNE_MEMBER(tune_run_reply, shapes), .is_needed = true},
    {TUNE_STRUCTS(tune_run_reply, scalars, scalar_members)},
    {TUNE_OPTIONAL_PART(tune_run_reply, reference, has_reference, reference_members)},
};

static const tune_member device_members[] = {
    {TUNE_MEMBER(tune_device_reply, fingerprint)},
    {TUNE_MEMBER(tune_device_reply, digest)},
    {TUNE_MEMBER(tune_device_reply, roofline)},
};

static const tune_member report_members[] = {
    {TUNE_MEMBER(tune_reference_report, seconds), .is_needed = true},
    {TUNE_MEMBER(tune_reference_report, outputs), .is_needed = true},
    {TUNE_MEMBER(tune_reference_report, leans)},
};

TUNE_FORMAT_DEFINE(tune_open_reply, open_members)
TUNE_FORMAT_DEFINE(tune_measure_reply, measure_members)
TUNE_FORMAT_DEFINE(tune_compare_reply, compare_members)
TUNE_FORMAT_DEFINE(tune_run_reply, run_members)
TUNE_FORMAT_DEFINE(tune_device_reply, device_members)
TUNE_FORMAT_DEFINE(tune_reference_report, report_members)
