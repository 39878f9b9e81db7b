//===- build_child.h - A build in a process of its own ------------------------------===//
//
// A child inherits the parsed task, builds one config under limits, and reports through a
// pipe. Whatever it prints, or LLVM prints while it dies, is kept (the end of it) and
// becomes part of the verdict.
//
// The child leads a process group, and dies with its parent, however that ends; so does
// the linker that it starts.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_BUILD_CHILD_H
#define TUNE_TOOLS_TUNE_WORKER_BUILD_CHILD_H

#include "formats/messages.h"
#include "support/message.h"
#include "tools/tune-worker/opened_module.h"
#include "tools/tune-worker/output.h"
#include "transforms/build/build.h"
#include "transforms/lower/cpu/backend/link.h"

#include <sys/types.h>

typedef struct build_order {
  const tune_build_task *task;
  opened_module *module; // whose tasks' schedules make it, where it is one and config is not NULL
  tune_set_aside_list set_aside; // of the module's tasks
  tune_task_choice_list choices; // of these, too
  bool times_tasks;              // the module's artifact times them
  tune_lowering *lowering;
  const tune_linker *linker;
  const tune_config *config; // NULL: the plain lowering
  tune_emit emit;            // TUNE_EMIT_OBJECT where it is to be an artifact
  bool is_artifact;          // linked if it is an object; else what is emitted is written as it is
  const char *output;        // the path
  double seconds;            // wall and CPU time
  double bytes;              // of address space, beyond what the worker has
  tune_int_list cpus;        // none: any
  bool yields;               // to other builds
} build_order;

#define BUILD_CHILD_LOG 4096 // bytes of what a child printed that are kept

typedef struct build_child {
  pid_t pid;
  worker_output *output;
  int report;                 // what the child reports, to be read
  int log;                    // what it prints
  tune_message_reader reader; // of `report`
  json_t *message;            // the report, once it is there
  char tail[BUILD_CHILD_LOG]; // the last of what it printed
  size_t tail_length;
  double seconds;  // its limit
  double deadline; // by tune_clock_seconds
  bool timed_out;
  bool cancelled;
  bool was_killed;  // collected: by a SIGKILL that nobody here has sent
  bool has_crashed; // collected: by itself
  json_t *request;  // that it serves; a reference of its own
  bool is_again;    // it was killed once and started again
} build_child;

// Forks. The strings and objects of `order` need to live only until the return. `request` is what
// the reply answers.
tune_status build_child_start(const build_order *order, json_t *request, build_child **out_child);
// Kills the child if it still runs, and frees everything.
void build_child_destroy(build_child *child);

// Kills the child; it is collected when its report ends.
void build_child_kill(build_child *child);
// Reads what the child printed. Call it when poll(2) says so, and before collecting.
void build_child_read_log(build_child *child);
// Reads of the report what is there. True once it has ended, and with it the child.
bool build_child_read_report(build_child *child);
// Waits for the child, whose report has ended, and gives the reply to its request.
json_t *build_child_collect(build_child *child);

#endif // TUNE_TOOLS_TUNE_WORKER_BUILD_CHILD_H
