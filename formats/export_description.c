//===- export_description.c - The description of an export -------------------===//

#include "formats/export_description.h"

static const tune_member blob_members[] = {
    {TUNE_MEMBER(tune_exported_blob, bytes), .is_needed = true},
    {TUNE_MEMBER(tune_exported_blob, digest), .is_needed = true},
};

static const tune_member candidate_members[] = {
    {TUNE_MEMBER(tune_exported_candidate, config)},
    {TUNE_MEMBER(tune_exported_candidate, strategy)},
    {TUNE_MEMBER(tune_exported_candidate, seed)},
    {TUNE_MEMBER(tune_exported_candidate, verdict)},
    {TUNE_MEMBER(tune_exported_candidate, error)},
    {TUNE_MEMBER(tune_exported_candidate, digest)},
    {TUNE_MEMBER(tune_exported_candidate, stages)},
    {TUNE_MEMBER(tune_exported_candidate, code)},
    {TUNE_MEMBER(tune_exported_candidate, created_ms), .least = -0x1p63},
    {TUNE_MEMBER(tune_exported_candidate, artifact), .otherwise = -1},
};

static const tune_member finalists_members[] = {
    {TUNE_MEMBER(tune_exported_finalists, confidence), .least = 0.5, .most = 1 - 0x1p-53},
};

static const tune_member task_members[] = {
    {TUNE_MEMBER(tune_exported_task, task)},
    {TUNE_MEMBER(tune_exported_task, schedule)},
    {TUNE_MEMBER(tune_exported_task, signature)},
    {TUNE_MEMBER(tune_exported_task, reduction), .otherwise = -1},
    {TUNE_MEMBER(tune_exported_task, accumulator)},
    {TUNE_MEMBER(tune_exported_task, operands)},
    {TUNE_MEMBER(tune_exported_task, reference), .otherwise = -1},
    {TUNE_MEMBER(tune_exported_task, best)},
    {TUNE_STRUCTS(tune_exported_task, candidates, candidate_members), .is_shown = true},
    {TUNE_OPTIONAL_GROUP(tune_exported_task, compare, compares, finalists_members)},
};

static const tune_member measure_members[] = {
    {TUNE_MEMBER(tune_exported_measure, precision)},
    {TUNE_MEMBER(tune_exported_measure, budget)},
};

static const tune_member export_members[] = {
    {TUNE_MEMBER(tune_export_description, target)},
    {TUNE_MEMBER(tune_export_description, device), .is_shown = true},
    {TUNE_MEMBER(tune_export_description, machine)},
    {TUNE_MEMBER(tune_export_description, reference_features), .is_shown = true},
    {TUNE_MEMBER(tune_export_description, threads), .otherwise = -1},
    {TUNE_MEMBER(tune_export_description, flush_cache), .is_shown = true},
    {TUNE_MEMBER(tune_export_description, counters), .is_shown = true},
    {TUNE_MEMBER(tune_export_description, seed)},
    {TUNE_MEMBER(tune_export_description, dynamic)},
    {TUNE_GROUP(tune_export_description, limits, tune_limits_members)},
    {TUNE_MEMBER(tune_export_description, reference_seconds)},
    {TUNE_GROUP(tune_export_description, measure, measure_members)},
    {TUNE_STRUCTS(tune_export_description, tasks, task_members), .is_shown = true},
    {TUNE_STRUCTS(tune_export_description, blobs, blob_members), .is_shown = true},
};

TUNE_FORMAT_DEFINE(tune_exported_blob, blob_members)
TUNE_FORMAT_DEFINE(tune_exported_candidate, candidate_members)
TUNE_FORMAT_DEFINE(tune_exported_finalists, finalists_members)
TUNE_FORMAT_DEFINE(tune_exported_task, task_members)
TUNE_FORMAT_DEFINE(tune_export_description, export_members)
