//===- worker_replies.c - What tune-worker answers ---------------------------===//

#include "formats/worker_replies.h"

#define ANY -0x1p63 // of an integer that is always written

static const tune_member task_members[] = {
    {TUNE_MEMBER(tune_described_task, name)},
    {TUNE_MEMBER(tune_described_task, kind)},
    {TUNE_MEMBER(tune_described_task, type)},
    {TUNE_MEMBER(tune_described_task, count), .least = ANY},
    {TUNE_MEMBER(tune_described_task, flops), .least = ANY},
    {TUNE_MEMBER(tune_described_task, bytes), .least = ANY},
    {TUNE_MEMBER(tune_described_task, reduction), .least = ANY},
    {TUNE_MEMBER(tune_described_task, runs), .least = 0, .otherwise = -1},
    {TUNE_MEMBER(tune_described_task, at_once), .least = 1, .otherwise = 1},
    {TUNE_MEMBER(tune_described_task, empty)},
    {TUNE_MEMBER(tune_described_task, from)},
    {TUNE_MEMBER(tune_described_task, why)},
};

static const tune_member equal_members[] = {
    {TUNE_MEMBER(tune_equal_size, argument), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_equal_size, dimension), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_equal_size, other), .least = -1, .is_needed = true},
    {TUNE_MEMBER(tune_equal_size, size), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_equal_size, op), .is_needed = true},
    {TUNE_MEMBER(tune_equal_size, where), .is_needed = true},
};

static const tune_member module_members[] = {
    {TUNE_MEMBER(tune_module_description, function), .is_needed = true},
    {TUNE_MEMBER(tune_module_description, accumulator), .is_shown = true},
    {TUNE_MEMBER(tune_module_description, operands)},
    {TUNE_STRUCTS(tune_module_description, tasks, task_members), .is_needed = true},
    {TUNE_STRUCTS(tune_module_description, equal_sizes, equal_members)},
};

static const tune_member open_members[] = {
    {TUNE_MEMBER(tune_open_source_reply, task)},
    {TUNE_MEMBER(tune_open_source_reply, signature), .is_needed = true},
    {TUNE_OPTIONAL_PART(tune_open_source_reply, module, is_described, module_members)},
};

static const tune_member seconds_members[] = {
    {TUNE_MEMBER(tune_build_seconds, transform), .is_needed = true},
    {TUNE_MEMBER(tune_build_seconds, lower), .is_needed = true},
    {TUNE_MEMBER(tune_build_seconds, optimize), .is_needed = true},
    {TUNE_MEMBER(tune_build_seconds, codegen), .is_needed = true},
    {TUNE_MEMBER(tune_build_seconds, link), .is_needed = true},
};

static const tune_member fallback_members[] = {
    {TUNE_MEMBER(tune_build_fallback, task), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_build_fallback, from), .is_needed = true},
    {TUNE_MEMBER(tune_build_fallback, to), .is_needed = true},
    {TUNE_MEMBER(tune_build_fallback, why), .is_needed = true},
};

static const tune_member arena_members[] = {
    {TUNE_MEMBER(tune_build_arena, size), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_build_arena, bound), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_build_arena, separate), .least = 0, .is_needed = true},
};

static const tune_member build_members[] = {
    {TUNE_MEMBER(tune_build_reply, verdict), .is_needed = true},
    {TUNE_MEMBER(tune_build_reply, error)},
    {TUNE_MEMBER(tune_build_reply, digest)},
    {TUNE_OPTIONAL_GROUP(tune_build_reply, seconds, has_seconds, seconds_members)},
    {TUNE_MEMBER(tune_build_reply, packs_ahead)},
    {TUNE_MEMBER(tune_build_reply, packs_at_load)},
    {TUNE_OPTIONAL_GROUP(tune_build_reply, arena, has_arena, arena_members)},
    {TUNE_MEMBER(tune_build_reply, code)},
    {TUNE_STRUCTS(tune_build_reply, fallbacks, fallback_members)},
    {TUNE_MEMBER(tune_build_reply, idle_schedule)},
};

static const tune_member candidate_members[] = {
    {TUNE_MEMBER(tune_listed_candidate, config), .is_needed = true},
    {TUNE_MEMBER(tune_listed_candidate, strategy), .is_needed = true},
};

static const tune_member listed_members[] = {
    {TUNE_MEMBER(tune_listed_task, line), .is_needed = true},
    {TUNE_MEMBER(tune_listed_task, function), .is_needed = true},
    {TUNE_MEMBER(tune_listed_task, payload), .is_needed = true},
    {TUNE_MEMBER(tune_listed_task, schedule), .is_needed = true},
    {TUNE_MEMBER(tune_listed_task, schedule_source)},
    {TUNE_MEMBER(tune_listed_task, schedule_digest), .is_needed = true},
    {TUNE_MEMBER(tune_listed_task, reduction), .least = ANY},
    {TUNE_MEMBER(tune_listed_task, accumulator), .is_shown = true},
    {TUNE_MEMBER(tune_listed_task, operands), .is_shown = true},
    {TUNE_STRUCTS(tune_listed_task, candidates, candidate_members), .is_needed = true},
};

static const tune_member candidates_members[] = {
    {TUNE_STRUCTS(tune_candidates_reply, tasks, listed_members), .is_needed = true},
};

TUNE_FORMAT_DEFINE(tune_open_source_reply, open_members)
TUNE_FORMAT_DEFINE(tune_build_reply, build_members)
TUNE_FORMAT_DEFINE(tune_candidates_reply, candidates_members)
TUNE_FORMAT_DEFINE(tune_described_task, task_members)
