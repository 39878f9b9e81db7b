//===- worker_replies.h - What tune-worker answers ---------------------------===//
//
// docs/protocol.md says to which request. The sender is tools/tune-worker, whose children report to
// it in the same way; the receivers are tuning/evaluators, tuning/remote and tune-run. The ticket
// of the request comes besides (messages.h), and a failure is a message of its own
// (support/message.h), of which these readers know nothing: look for one first.
//
// Threads: any. Ownership: members.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_WORKER_REPLIES_H
#define TUNE_FORMATS_WORKER_REPLIES_H

#include "formats/messages.h"

#ifdef __cplusplus
extern "C" {
#endif

// The verdict on a build that ended well; the others are those of records (tuning/record/record.h).
#define TUNE_SAID_BUILT "built"

// Where the decisions of a task's schedule are from.
#define TUNE_FROM_CONFIG "config"
#define TUNE_FROM_CHOICES "choices"
#define TUNE_FROM_DATABASE "database"
#define TUNE_FROM_DEFAULT "default"
#define TUNE_FROM_FALLBACK "fallback" // once it is built: not as it was scheduled at first

// A task of a module (transforms/tasks/task_summary.h).
typedef struct tune_described_task {
  const char *name, *kind, *type;
  int64_t count;        // how often it is there
  int64_t flops, bytes; // of one run; 0 where a dimension is not known
  int64_t reduction;    // the longest one; 0: not known
  int64_t runs;         // of all that are there, in one call; -1: not known, of branches and loops
  int64_t at_once;      // of these, by as many threads: it is for one thread; 1: threads share it
  bool empty;           // its result has no elements
  const char *from;     // one of the above; NULL: it is not scheduled
  const char *why;      // of a default: why none of the records there are is used; NULL: none
} tune_described_task;

typedef struct tune_described_task_list {
  tune_described_task *items;
  size_t count;
} tune_described_task_list;

// Two sizes that have to be equal (transforms/ir/equal_sizes.h): that of a dimension of an argument
// and that of a dimension of another one, or a number.
typedef struct tune_equal_size {
  int64_t argument, dimension;
  int64_t other;     // an argument; -1: `size` is a number
  int64_t size;      // a dimension of `other`
  const char *op;    // "linalg.matmul", which has them
  const char *where; // "in.mlir:14:8"
} tune_equal_size;

typedef struct tune_equal_size_list {
  tune_equal_size *items;
  size_t count;
} tune_equal_size_list;

// What is in a module.
typedef struct tune_module_description {
  const char *function;
  const char *accumulator; // the coarsest type that sums are kept in; NULL: there is none
  const char *operands;    // what factors may be rounded to; NULL: nothing
  tune_described_task_list tasks;
  tune_equal_size_list equal_sizes;
} tune_module_description;

typedef struct tune_open_source_reply {
  const char *task;
  const json_t *signature; // targets/signature.h
  bool is_described;
  tune_module_description module;
} tune_open_source_reply;

// How long each stage took.
typedef struct tune_build_seconds {
  double transform, lower, optimize, codegen, link;
} tune_build_seconds;

// A task of a module that is not built as it was scheduled at first.
typedef struct tune_build_fallback {
  int64_t task;     // by its index in the module's description
  const char *from; // "rule 'contraction' for cpu", which failed
  const char *to;
  const char *why;
} tune_build_fallback;

typedef struct tune_build_fallback_list {
  tune_build_fallback *items;
  size_t count;
} tune_build_fallback_list;

// What the module computes in between, in bytes.
typedef struct tune_build_arena {
  int64_t size;     // of the one block that it lies in
  int64_t bound;    // needed at once: no block is smaller
  int64_t separate; // each buffer by itself
} tune_build_arena;

typedef struct tune_build_reply {
  const char *verdict;
  const char *error; // why it is no better; NULL: none
  const char *digest;
  bool has_seconds;
  tune_build_seconds seconds;
  bool packs_ahead;   // it has tune_prepack
  bool packs_at_load; // it packs constants of its own when it is loaded
  bool has_arena;
  tune_build_arena arena;
  const json_t *code; // what it takes of a device (tuning/record/record.h); NULL: not known
  tune_build_fallback_list fallbacks;
  bool idle_schedule; // the user's schedule changes none of the tasks
} tune_build_reply;

typedef struct tune_listed_candidate {
  const json_t *config;
  const char *strategy; // "default", "given", "database" or "random"
} tune_listed_candidate;

typedef struct tune_listed_candidate_list {
  tune_listed_candidate *items;
  size_t count;
} tune_listed_candidate_list;

// A task with configs that may be measured elsewhere.
typedef struct tune_listed_task {
  const json_t *line; // of `tune-db export`
  const char *function, *payload;
  const char *schedule, *schedule_source; // the source for messages; NULL: none
  const char *schedule_digest;
  int64_t reduction;
  const char *accumulator, *operands; // NULL: none
  tune_listed_candidate_list candidates;
} tune_listed_task;

typedef struct tune_listed_task_list {
  tune_listed_task *items;
  size_t count;
} tune_listed_task_list;

typedef struct tune_candidates_reply {
  tune_listed_task_list tasks;
} tune_candidates_reply;

TUNE_FORMAT_DECLARE(tune_open_source_reply)
TUNE_FORMAT_DECLARE(tune_build_reply)
TUNE_FORMAT_DECLARE(tune_candidates_reply)

// Of one task alone, as tune-run's report has it.
TUNE_FORMAT_DECLARE(tune_described_task)

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_WORKER_REPLIES_H
