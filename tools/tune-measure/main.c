//===- main.c - tune-measure ------------------------------------------------------------===//

#include "tools/common/options.h"
#include "tools/common/tool.h"
#include "tools/tune-measure/server.h"

#include <unistd.h>

static tune_status check_usage(bool fingerprint, bool roofline, bool serve) {
  if (fingerprint + roofline + serve != 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "one of --serve, --fingerprint and --roofline is needed");
  return TUNE_OK;
}

int main(int argc, char **argv) {
  bool serve = false, fingerprint = false, roofline = false;
  const char *target = "cpu", *device = NULL;
  int64_t threads = 1;
  const tune_option options[] = {
      {"serve", 0, TUNE_OPTION_FLAG, &serve, NULL,
       "Serve a driver on stdin and stdout (docs/architecture.md).", NULL, 0, 0},
      {"fingerprint", 0, TUNE_OPTION_FLAG, &fingerprint, NULL,
       "Print what the target is, as JSON: model, features, caches, cores.", NULL, 0, 0},
      {"roofline", 0, TUNE_OPTION_FLAG, &roofline, NULL,
       "Measure and print what the target can do at best, as JSON: GFLOP/s for each type, GB/s for "
       "each level of memory. Takes about a second.",
       NULL, 0, 0},
      {"target", 0, TUNE_OPTION_STRING, &target, "NAME", "The target; the default is cpu.", NULL, 0,
       0},
      {"device", 0, TUNE_OPTION_STRING, &device, "NAME",
       "Which of the target's devices: a number from 0 on, a part of its name, or for cuda an "
       "architecture (sm_90). The default is the first, or $TUNE_VULKAN_DEVICE or "
       "$TUNE_CUDA_DEVICE, if that is set.",
       NULL, 0, 0},
      {"threads", 0, TUNE_OPTION_INTEGER, &threads, "N",
       "Threads that the roofline is of, all together. The default is 1.", NULL, 1, 4096},
  };
  const tune_command command = {
      .name = "tune-measure",
      .operands = "",
      .summary = "Runs, checks and times what tune-worker has built, each in a process of its own. "
                 "A driver starts it; people ask it about the device.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .epilogue = "Exit status: 0 done; 1 failed; 2 usage; 3 no such target here.\n",
  };
  tune_arguments arguments;
  tune_status status = tune_options_parse(&command, argc, argv, &arguments);
  bool answer = tune_status_is_ok(status) && (arguments.help || arguments.version);
  if (answer && arguments.help)
    tune_options_print_help(&command, stdout);
  else if (answer)
    tune_tool_print_version("tune-measure", stdout);
  else if (tune_status_is_ok(status))
    status = check_usage(fingerprint, roofline, serve);
  tune_arguments_deinit(&arguments);
  int exit_status = tune_status_is_ok(status) ? 0 : 2;
  if (exit_status == 0 && !answer) {
    status = serve ? server_run(STDIN_FILENO, STDOUT_FILENO)
                   : server_print(roofline ? "roofline" : "fingerprint", target, device, threads);
    tune_status_code code = tune_status_get_code(status);
    bool has_no_target = !serve && (code == TUNE_UNAVAILABLE || code == TUNE_NOT_FOUND);
    exit_status = tune_status_is_ok(status) ? 0 : has_no_target ? 3 : 1;
  }
  tune_tool_report("tune-measure", status, stderr);
  return exit_status;
}
