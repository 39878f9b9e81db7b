//===- main.c - tune-measure ------------------------------------------------------------===//

#include "support/file.h"
#include "support/scratch.h"
#include "tools/common/options.h"
#include "tools/common/tool.h"
#include "tools/tune-measure/device.h"
#include "tools/tune-measure/measure_file.h"
#include "tools/tune-measure/server.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct usage {
  bool serve, fingerprint, roofline;
  const char *scratch; // the folder to keep a scratch folder in
  const char *target, *device, *output, *cpus;
  int64_t threads; // 0: not given
  const char *file;
} usage;

static tune_status check_usage(const usage *u) {
  if (u->fingerprint + u->roofline + u->serve + (u->file != NULL) + (u->scratch != NULL) != 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "one of --serve, --fingerprint and --roofline is needed, or a FILE "
                            "with candidates, and no two of them");
  struct stat info;
  if (u->file && stat(u->file, &info) == 0 && S_ISDIR(info.st_mode))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s is a folder; expected a file that `tune-run export` has written",
                            u->file);
  if (u->file && (u->target || u->threads))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--%s: what candidates are for is in their file; leave it out",
                            u->target ? "target" : "threads");
  if (!u->file && (u->output || u->cpus))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "--%s is for a FILE with candidates",
                            u->output ? "output" : "cpus");
  return u->output ? tune_file_check_writable(u->output) : TUNE_OK;
}

#define EXIT_FAILED 1
#define EXIT_USAGE 2    // also files that are not what they should be
#define EXIT_NOT_HERE 3 // no such target or device, or candidates for another one

static int exit_status_of(const usage *u, tune_status status) {
  switch (tune_status_get_code(status)) {
  case TUNE_STATUS_OK:
    return 0;
  case TUNE_UNAVAILABLE:
  case TUNE_NOT_FOUND:
    return u->serve ? EXIT_FAILED : EXIT_NOT_HERE;
  case TUNE_FAILED_PRECONDITION:
    return u->file ? EXIT_NOT_HERE : EXIT_FAILED;
  case TUNE_INVALID_ARGUMENT:
  case TUNE_DATA_LOSS:
    return u->file ? EXIT_USAGE : EXIT_FAILED;
  default:
    return EXIT_FAILED;
  }
}

static tune_status run(const usage *u) {
  if (u->scratch)
    return tune_scratch_keep(u->scratch);
  if (u->serve)
    return server_run(STDIN_FILENO, STDOUT_FILENO);
  if (u->file) {
    measure_file_options options = {
        .path = u->file, .output = u->output, .device = u->device, .cpus = u->cpus};
    return measure_file(&options);
  }
  return device_print(u->roofline ? "roofline" : "fingerprint", u->target ? u->target : "cpu",
                      u->device, u->threads ? u->threads : 1);
}

int main(int argc, char **argv) {
  usage u = {.file = NULL};
  const tune_option options[] = {
      {"serve", 0, TUNE_OPTION_FLAG, &u.serve, NULL,
       "Serve a driver on stdin and stdout (docs/protocol.md).", NULL, 0, 0},
      {"fingerprint", 0, TUNE_OPTION_FLAG, &u.fingerprint, NULL,
       "Print what the target is, as JSON: model, features, caches, cores.", NULL, 0, 0},
      {"roofline", 0, TUNE_OPTION_FLAG, &u.roofline, NULL,
       "Measure and print what the target can do at best, as JSON: GFLOP/s for each type, GB/s for "
       "each level of memory. Takes about a second.",
       NULL, 0, 0},
      {"target", 0, TUNE_OPTION_STRING, &u.target, "NAME", "The target; the default is cpu.", NULL,
       0, 0},
      {"device", 0, TUNE_OPTION_STRING, &u.device, "NAME",
       "Which of the target's devices: a number from 0 on, a part of its name, for cuda an "
       "architecture (sm_90), for cpu a CPU that this machine has all of (x86-64-v3). The default "
       "is the first, or $TUNE_VULKAN_DEVICE or "
       "$TUNE_CUDA_DEVICE, if that is set.",
       NULL, 0, 0},
      {"threads", 0, TUNE_OPTION_INTEGER, &u.threads, "N",
       "Threads that the roofline is of, all together. The default is 1.", NULL, 1, 4096},
      {"keep-scratch", 0, TUNE_OPTION_STRING, &u.scratch, "FOLDER",
       "Make a folder in FOLDER, print its path, and remove it when stdin ends: the tools start "
       "this beside themselves, so that nothing is left of one that is killed.",
       NULL, 0, 0},
      {"output", 'o', TUNE_OPTION_STRING, &u.output, "FILE",
       "Where the results of a FILE with candidates go, or are already, to be completed. The "
       "default is beside it, with the ending .results.",
       NULL, 0, 0},
      {"cpus", 0, TUNE_OPTION_STRING, &u.cpus, "N,...",
       "Which CPUs candidates run on, at least as many as they have threads. The default is the "
       "last ones.",
       NULL, 0, 0},
  };
  const tune_command command = {
      .name = "tune-measure",
      .operands = "[FILE]",
      .summary = "Runs, checks and times what tune-worker has built, each in a process of its own. "
                 "A driver starts it; people ask it about the device, or have it measure a FILE "
                 "with candidates that were made on another machine (tune-run export).",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_maximum = 1,
      .epilogue = "Exit status: 0 done; 1 failed; 2 usage, or a damaged file; 3 no such target\n"
                  "here, or a file for another machine or program.\n",
  };
  tune_arguments arguments;
  bool is_done;
  tune_status status = tune_tool_parse(&command, argc, argv, &arguments, &is_done);
  if (tune_status_is_ok(status) && !is_done && arguments.operands.count)
    u.file = arguments.operands.values[0];
  if (tune_status_is_ok(status) && !is_done)
    status = check_usage(&u);
  tune_arguments_deinit(&arguments);
  int exit_status = tune_status_is_ok(status) ? 0 : EXIT_USAGE;
  if (exit_status == 0 && !is_done) {
    status = run(&u);
    exit_status = exit_status_of(&u, status);
  }
  tune_tool_report("tune-measure", status, stderr);
  return exit_status;
}
