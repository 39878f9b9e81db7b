//===- task_options.h - Options that passes over the tasks of a module share ----===//
//
// Rows for the tables of passes (pass_options.h), and what they stand for.
//
// Threads: constants; as pass_options.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PASSES_TASK_OPTIONS_H
#define TUNE_TRANSFORMS_PASSES_TASK_OPTIONS_H

#include "dialects/allow.h"
#include "transforms/passes/pass_options.h"
#include "transforms/spaces/module_tasks.h"
#include "transforms/spaces/sized_module.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_OPTION_TARGET                                                                         \
  {                                                                                                \
    .name = "target", .type = TUNE_PASS_OPTION_STRING, .initial = "cpu",                           \
    .summary = "what the code is for: cpu (default), vulkan, cuda, or one of their devices as "    \
               "vulkan:<name>, cuda:0; cpu:<name> is a CPU by LLVM's name, as cpu:x86-64-v3, "     \
               "vulkan:generic any device, cuda:sm_90 any of an architecture; null"                \
  }
#define TUNE_OPTION_THREADS                                                                        \
  {                                                                                                \
    .name = "threads", .type = TUNE_PASS_OPTION_INTEGER, .initial = "1", .minimum = 1,             \
    .maximum = 4096, .summary = "threads that the code runs with; 1 by default"                    \
  }
#define TUNE_OPTION_DEVICE                                                                         \
  {                                                                                                \
    .name = "device", .type = TUNE_PASS_OPTION_STRING,                                             \
    .summary = "file with the fingerprint of a device, or CPU, of another machine, as "            \
               "`tune-measure --fingerprint` or `tune-db device` prints it; the target is that "   \
               "one, which need not be here"                                                       \
  }
#define TUNE_OPTION_SCHEDULE                                                                       \
  {                                                                                                \
    .name = "schedule", .type = TUNE_PASS_OPTION_STRING,                                           \
    .summary = "file with a schedule of yours, in place of the rules' for the tasks it is meant "  \
               "for"                                                                               \
  }
#define TUNE_OPTION_ALLOW_PASS                                                                     \
  {                                                                                                \
    .name = "allow-pass", .type = TUNE_PASS_OPTION_STRING,                                         \
    .summary = "passes that the schedule may run beside those that only rewrite IR: a,b"           \
  }
#define TUNE_OPTION_DATABASE                                                                       \
  {                                                                                                \
    .name = "db", .type = TUNE_PASS_OPTION_STRING,                                                 \
    .summary = "the database; $XDG_CACHE_HOME/mlir-tune/tune.db by default"                        \
  }
#define TUNE_OPTION_DATABASE_ASKED                                                                 \
  {                                                                                                \
    .name = "db", .type = TUNE_PASS_OPTION_STRING,                                                 \
    .summary = "a database: ops without choices get the best that it has; none by default"         \
  }

// For passes that look at the tasks of a module for a device.
#define TUNE_OPTION_DYNAMIC                                                                        \
  {                                                                                                \
    .name = "dynamic", .type = TUNE_PASS_OPTION_INTEGER, .initial = "64", .minimum = 1,            \
    .maximum = INT32_MAX,                                                                          \
    .summary = "what sizes that are known at run time only are taken for, on devices, whose "      \
               "kernels have fixed sizes (64)"                                                     \
  }

#define TUNE_OPTION_ALLOW                                                                          \
  {                                                                                                \
    .name = "allow", .type = TUNE_PASS_OPTION_ENUM, .words = tune_task_options_allow_words,        \
    .initial = "none",                                                                             \
    .summary = "write tune.allow onto every product of f32: none (default), tf32, bf16, int8"      \
  }
extern const char *const tune_task_options_allow_words[];

// For passes that look for records.
#define TUNE_OPTION_FLUSH_CACHE                                                                    \
  {                                                                                                \
    .name = "flush-cache", .type = TUNE_PASS_OPTION_FLAG,                                          \
    .summary = "take the records of searches that had flush-cache, in place of the others"         \
  }

// For passes that build by schedules.
#define TUNE_OPTION_STRICT                                                                         \
  {                                                                                                \
    .name = "strict", .type = TUNE_PASS_OPTION_FLAG,                                               \
    .summary = "a task whose schedule fails is an error; else it gets another one, and a remark "  \
               "says so"                                                                           \
  }

#define TUNE_OPTION_BY_TARGET                                                                      \
  {                                                                                                \
    .name = "by-target", .type = TUNE_PASS_OPTION_FLAG,                                            \
    .summary = "write tune.choices = {cpu = {...}, vulkan = {...}, ...}, with a place for each "   \
               "target"                                                                            \
  }

// What the pass looks at of `module`: that, or a copy for the size that is said.
tune_status tune_task_options_size_module(const tune_pass_options *options, MlirOperation module,
                                          tune_sized_module *out_sized);

// Reads target, device, threads and schedule from those of a pass that has them.
tune_module_tasks_options tune_task_options_get(const tune_pass_options *options);

// What `allow` of `options` says; 0: nothing.
tune_allowances tune_task_options_get_allowances(const tune_pass_options *options);
// Writes that onto the products of `module`.
void tune_task_options_allow(const tune_pass_options *options, MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PASSES_TASK_OPTIONS_H
