//===- worker_requests.c - What tune-worker is asked -------------------------===//

#include "formats/worker_requests.h"

#define MOST_THREADS 4096
#define MOST_TRIALS 1000000

static const tune_member target_members[] = {
    {TUNE_MEMBER(tune_code_target, name)},     {TUNE_MEMBER(tune_code_target, device)},
    {TUNE_MEMBER(tune_code_target, triple)},   {TUNE_MEMBER(tune_code_target, cpu)},
    {TUNE_MEMBER(tune_code_target, features)},
};

static const tune_member module_members[] = {
    {TUNE_MEMBER(tune_module_choices_wanted, database)},
    {TUNE_MEMBER(tune_module_choices_wanted, schedule)},
    {TUNE_MEMBER(tune_module_choices_wanted, config)},
    {TUNE_MEMBER(tune_module_choices_wanted, flush_cache)},
    {TUNE_MEMBER(tune_module_choices_wanted, strict)},
    {TUNE_MEMBER(tune_module_choices_wanted, other_sizes)},
};

static const tune_member open_members[] = {
    {TUNE_MEMBER(tune_open_source_request, task), .is_needed = true},
    {TUNE_MEMBER(tune_open_source_request, payload)},
    {TUNE_MEMBER(tune_open_source_request, payload_source)},
    {TUNE_MEMBER(tune_open_source_request, schedule)},
    {TUNE_MEMBER(tune_open_source_request, schedule_source)},
    {TUNE_MEMBER(tune_open_source_request, function)},
    {TUNE_MEMBER(tune_open_source_request, allow_passes)},
    {TUNE_GROUP(tune_open_source_request, target, target_members)},
    {TUNE_MEMBER(tune_open_source_request, threads), .least = 1, .most = MOST_THREADS,
     .otherwise = 1},
    {TUNE_MEMBER(tune_open_source_request, describe)},
    {TUNE_OPTIONAL_GROUP(tune_open_source_request, module, has_module, module_members)},
    {TUNE_MEMBER(tune_open_source_request, sizes), .most = 0x1p62},
};

static const tune_member set_aside_members[] = {
    {TUNE_MEMBER(tune_set_aside, task), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_set_aside, count), .least = 0, .is_needed = true},
    {TUNE_MEMBER(tune_set_aside, cut)},
};

#define MOST_RULES 1000

static const tune_member task_choice_members[] = {
    {TUNE_MEMBER(tune_task_choice, key), .is_needed = true},
    {TUNE_MEMBER(tune_task_choice, passed_over), .most = MOST_RULES},
    {TUNE_MEMBER(tune_task_choice, config), .is_needed = true},
    {TUNE_MEMBER(tune_task_choice, grouping)},
};

static const tune_member build_members[] = {
    {TUNE_MEMBER(tune_build_request, ticket), .least = -0x1p63, .is_needed = true},
    {TUNE_MEMBER(tune_build_request, task), .is_needed = true},
    {TUNE_MEMBER(tune_build_request, config)},
    {TUNE_MEMBER(tune_build_request, output), .is_needed = true},
    {TUNE_MEMBER(tune_build_request, emit)},
    {TUNE_GROUP(tune_build_request, limits, tune_limits_members)},
    {TUNE_MEMBER(tune_build_request, cpus), .most = TUNE_MOST_CPU},
    {TUNE_STRUCTS(tune_build_request, set_aside, set_aside_members)},
    {TUNE_STRUCTS(tune_build_request, choices, task_choice_members)},
    {TUNE_MEMBER(tune_build_request, times_tasks)},
    {TUNE_MEMBER(tune_build_request, yields)},
};

static const tune_member space_target_members[] = {
    {TUNE_MEMBER(tune_space_target, name)},
    {TUNE_MEMBER(tune_space_target, fingerprint)},
};

static const tune_member candidates_members[] = {
    {TUNE_MEMBER(tune_candidates_request, payload)},
    {TUNE_MEMBER(tune_candidates_request, payload_source)},
    {TUNE_MEMBER(tune_candidates_request, function)},
    {TUNE_GROUP(tune_candidates_request, target, space_target_members)},
    {TUNE_MEMBER(tune_candidates_request, threads), .least = 1, .most = MOST_THREADS,
     .otherwise = 1},
    {TUNE_MEMBER(tune_candidates_request, schedule)},
    {TUNE_MEMBER(tune_candidates_request, allow_passes)},
    {TUNE_MEMBER(tune_candidates_request, database)},
    {TUNE_MEMBER(tune_candidates_request, flush_cache)},
    {TUNE_MEMBER(tune_candidates_request, configs)},
    {TUNE_MEMBER(tune_candidates_request, trials), .most = MOST_TRIALS},
    {TUNE_MEMBER(tune_candidates_request, seed), .least = -0x1p63},
    {TUNE_MEMBER(tune_candidates_request, sizes), .most = 0x1p62},
};

TUNE_REQUEST_DEFINE(tune_open_source_request, TUNE_DO_OPEN, open_members)
TUNE_REQUEST_DEFINE(tune_build_request, TUNE_DO_BUILD, build_members)
TUNE_REQUEST_DEFINE(tune_candidates_request, TUNE_DO_CANDIDATES, candidates_members)
