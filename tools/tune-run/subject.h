//===- subject.h - A module to be run ----------------------------------------------===//
//
// From a file to artifacts: tune-worker opens the module, says what is in it, and builds it.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_SUBJECT_H
#define TUNE_TOOLS_TUNE_RUN_SUBJECT_H

#include "formats/worker_replies.h"
#include "formats/worker_requests.h"
#include "tools/tune-run/given_arrays.h"
#include "tools/tune-run/settings.h"
#include "tuning/device/target_facts.h"
#include "tuning/evaluators/connection.h"
#include "tuning/record/record.h"

typedef struct subject {
  const char *path;              // borrowed
  const run_settings *settings;  // borrowed
  char id[40];                   // what the worker calls it
  char open_id[32];              // the same, of the module with the sizes open; "": none are
  json_t *open_signature;        // and of that; else NULL
  json_t *reply;                 // the worker's, when the module was opened
  tune_open_source_reply opened; // what that says
  char *artifact;                // path of what is built; NULL until then
  bool packs_ahead;              // what is built has tune_prepack
  bool packs_at_load;            // and this packs constants of its own when it is loaded
  tune_build_arena arena;        // what it computes in between; zeros: in no block
  tune_code_features code;       // what it takes of a device; zeros: not known
} subject;

// Opens the module at `path`. Its config and schedule are those of `settings` for the first one;
// those that it is compared with take the choices on their ops, the database and the defaults.
// `facts` are of what it is built for; NULL: this machine's CPU. `database` may be NULL. Errors
// tell the place in the file. `inputs` are matched with the arguments of the first. For a device a
// module whose arguments leave sizes open is made for those of the arrays, or --dynamic. `first` is
// the first module, of an array that the subject is in: INVALID_ARGUMENT where another one takes or
// gives something else.
tune_status subject_open(tune_connection *worker, const run_settings *settings,
                         const tune_target_facts *facts, const char *database, given_arrays *inputs,
                         const char *path, const subject *first, subject *out_subject);
void subject_deinit(subject *s);

typedef struct subject_build {
  subject *of;
  bool plain;                    // the plainest lowering, with the sizes that are open left so
  const char *form;              // "so", "obj", …
  tune_set_aside_list set_aside; // of its tasks
  bool is_tried;                 // and may not be the last: nothing is said of it
  const char *output;            // a path
} subject_build;

// Builds all, at once, each in at most `seconds`. What does not build is INVALID_ARGUMENT, with the
// reason.
tune_status subject_build_all(tune_connection *worker, const subject_build *builds, size_t count,
                              double seconds);

#endif // TUNE_TOOLS_TUNE_RUN_SUBJECT_H
