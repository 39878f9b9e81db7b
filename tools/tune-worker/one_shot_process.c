//===- one_shot_process.c - The process of one build --------------------------------===//

#include "support/file.h"
#include "support/process.h"
#include "support/scratch.h"
#include "tools/common/program_files.h"
#include "tools/common/tool.h"
#include "tools/tune-worker/build_sandbox.h"
#include "tools/tune-worker/one_shot.h"
#include "tools/tune-worker/output.h"
#include "tuning/device/target_facts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// What is made ahead of the sandbox: there nothing may be written elsewhere, and no device asked.
typedef struct one_shot_place {
  tune_target_facts *facts; // NULL: the CPU, which LLVM knows by itself, or no code is made
  worker_output *output;    // NULL: stdout
  tune_scratch *scratch;    // for what is temporary, where the output has no folder
  char *temporary;          // a path in it
} one_shot_place;

static tune_status find_device(const one_shot_options *options, tune_target_facts **out_facts) {
  tune_target_name name;
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, options->target));
  bool is_cpu = name.kind == TUNE_KIND_CPU;
  tune_target_name_deinit(&name);
  if (is_cpu || options->emit > ONE_SHOT_SPIRV)
    return TUNE_OK;
  return tune_target_facts_create_for_code(options->target, (size_t)options->threads, out_facts);
}

static tune_status prepare(const one_shot_options *options, one_shot_place *place) {
  TUNE_RETURN_IF_ERROR(find_device(options, &place->facts));
  if (strcmp(options->output, "-") != 0)
    return worker_output_create(options->output, true, &place->output);
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&place->scratch));
  if (asprintf(&place->temporary, "%s/none", tune_scratch_get_path(place->scratch)) >= 0)
    return TUNE_OK;
  place->temporary = NULL;
  return tune_status_out_of_memory("starting a build");
}

static _Noreturn void run_child(const one_shot_options *options, const one_shot_place *place,
                                pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
    _exit(1);
  const char *output = place->output ? worker_output_path(place->output) : NULL;
  const json_t *device = place->facts ? tune_target_facts_device(place->facts) : NULL;
  tune_status status = build_sandbox_enter(output ? output : place->temporary, -1);
  if (tune_status_is_ok(status))
    status = one_shot_build(options, device, output);
  bool failed = !tune_status_is_ok(status);
  tune_tool_report("tune-worker", status, stderr);
  // Not exit: handlers that the parent has registered are the parent's.
  _exit(fflush(NULL) != 0 || failed);
}

// Errors that the child has told already are no status, but false in `*out_built`.
static tune_status build_apart(const one_shot_options *options, const one_shot_place *place,
                               bool *out_built) {
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    return tune_status_from_errno(errno, "starting a build");
  if (child == 0)
    run_child(options, place, parent);
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return tune_status_from_errno(errno, "waiting for a build");
  *out_built = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!WIFSIGNALED(status))
    return TUNE_OK;
  char how[64];
  return tune_status_make(
      TUNE_INTERNAL, "the build %s",
      tune_process_exit_describe((tune_process_exit){true, WTERMSIG(status)}, how));
}

static tune_status commit(const one_shot_options *options, const worker_output *output) {
  if (options->emit != ONE_SHOT_SPIRV)
    return worker_output_commit(output);
  char *bytes;
  size_t size;
  TUNE_RETURN_IF_ERROR(tune_file_read(worker_output_path(output), &bytes, &size));
  tune_status status = tune_program_files_write(bytes, size, options->output);
  free(bytes);
  return status;
}

int one_shot_run(const one_shot_options *options) {
  one_shot_place place = {.facts = NULL};
  bool built = false;
  tune_status status = prepare(options, &place);
  if (tune_status_is_ok(status))
    status = build_apart(options, &place, &built);
  if (tune_status_is_ok(status) && built && place.output)
    status = commit(options, place.output);
  bool failed = !tune_status_is_ok(status) || !built;
  tune_tool_report("tune-worker", status, stderr);
  worker_output_destroy(place.output);
  tune_scratch_destroy(place.scratch);
  free(place.temporary);
  tune_target_facts_destroy(place.facts);
  return failed;
}
