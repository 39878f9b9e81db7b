//===- worker_requests.h - What tune-worker is asked -------------------------===//
//
// docs/protocol.md says what comes of each. Senders: tuning/evaluators, tuning/remote and
// tune-run; the receiver is tools/tune-worker.
//
// Threads: any. Ownership: members.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_WORKER_REQUESTS_H
#define TUNE_FORMATS_WORKER_REQUESTS_H

#include "formats/messages.h"

#ifdef __cplusplus
extern "C" {
#endif

// What code is made for.
typedef struct tune_code_target {
  const char *name;     // "cpu", also where it is NULL
  const json_t *device; // its fingerprint; NULL: any such device, and this machine's CPU
  const char *triple;   // for LLVM, of the CPU; NULL: this machine's, as for the two below
  const char *cpu;
  const char *features;
} tune_code_target;

// How a whole module is scheduled, by the choices on its ops and by these.
typedef struct tune_module_choices_wanted {
  const char *database; // path; NULL: none
  const char *schedule; // path; NULL: the rules'
  const char *config;   // "k=v,…" for the module's only task; NULL: none
  bool flush_cache;     // records are to be those with flushed caches
  bool strict;          // a task whose schedule fails gets no other one
  bool other_sizes;     // choices may be for other sizes than the module's: taken where they fit
} tune_module_choices_wanted;

typedef struct tune_open_source_request {
  const char *task;            // what later requests call it
  const char *payload;         // MLIR; NULL: `payload_source` is the file to read
  const char *payload_source;  // for messages; NULL: "payload.mlir"
  const char *schedule;        // MLIR; NULL: none
  const char *schedule_source; // for messages; NULL: "schedule.mlir"
  const char *function;        // NULL: the only one
  const char *allow_passes;    // what the schedule may run beside those listed, "a,b"; NULL: none
  tune_code_target target;
  int64_t threads;
  bool describe;   // what is in the module goes into the reply
  bool has_module; // it is scheduled as `module` says
  tune_module_choices_wanted module;
  // What the arguments leave open, in their order, or one for all. For a device a module that
  // leaves some open is scheduled only with them.
  tune_shape sizes;
} tune_open_source_request;

// A task of a module, by its index in the module's description, of which the first `count`
// schedules are not to be taken, since what they compute is wrong; with `cut` the task is cut apart
// first, down to single ops, and they are those of each part.
typedef struct tune_set_aside {
  int64_t task;
  int64_t count;
  bool cut;
} tune_set_aside;

typedef struct tune_set_aside_list {
  tune_set_aside *items;
  size_t count;
} tune_set_aside_list;

// What a task of a module is to have in place of what the choices on it say.
typedef struct tune_task_choice {
  const char *key;      // of the task
  int64_t passed_over;  // so many of the rules that take it
  const json_t *config; // values of all its knobs; {}: the defaults
  // It is cut apart so far (transforms/spaces/grouping.h), and what is above is not looked at;
  // NULL: it is not. What its parts are to have comes after it.
  const char *grouping;
} tune_task_choice;

typedef struct tune_task_choice_list {
  tune_task_choice *items;
  size_t count;
} tune_task_choice_list;

typedef struct tune_build_request {
  int64_t ticket;
  const char *task;
  const json_t *config; // knob names to integers; NULL: the plainest lowering
  const char *output;   // path
  const char *emit;     // "so", also where it is NULL, "obj", "asm", "llvm", "cubin"
  tune_limits limits;
  tune_int_list cpus;            // none: any
  tune_set_aside_list set_aside; // of a module's tasks; where fewer are left, the last is taken
  tune_task_choice_list choices; // of a module's tasks
  bool times_tasks;              // of a module: the artifact times the tasks that it calls
  bool yields;                   // other builds go first
} tune_build_request;

// For whom the spaces of candidates are.
typedef struct tune_space_target {
  const char *name;          // "cpu", also where it is NULL
  const json_t *fingerprint; // NULL: any device
} tune_space_target;

typedef struct tune_candidates_request {
  const char *payload, *payload_source, *function; // as above
  tune_space_target target;
  int64_t threads;
  const char *schedule; // path; NULL: the rules'
  const char *allow_passes;
  const char *database; // path; NULL: none
  bool flush_cache;
  tune_text_list configs; // "k=v,…", for the module's only task
  int64_t trials;         // configs drawn at random, of each task
  int64_t seed;
  tune_shape sizes; // for a device; as above
} tune_candidates_request;

// Their verbs are "open", "build" and "candidates".
TUNE_FORMAT_DECLARE(tune_open_source_request)
TUNE_FORMAT_DECLARE(tune_build_request)
TUNE_FORMAT_DECLARE(tune_candidates_request)

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_WORKER_REQUESTS_H
