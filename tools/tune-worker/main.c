//===- main.c - tune-worker ---------------------------------------------------------===//

#include "tools/common/options.h"
#include "tools/common/tool.h"
#include "tools/tune-worker/one_shot.h"
#include "tools/tune-worker/server.h"

#include <string.h>

static tune_status check_usage(const one_shot_options *options) {
  bool makes_code = options->emit <= ONE_SHOT_SPIRV;
  if (options->plain && (options->config || options->schedule) && makes_code)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--plain builds without a schedule: leave out --schedule and --config");
  if (options->config && !options->schedule)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--config decides the knobs of a schedule: give --schedule");
  if (options->emit == ONE_SHOT_SHARED && strcmp(options->output, "-") == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--emit=so writes a shared object: name it with -o");
  if (options->emit == ONE_SHOT_SPIRV && strcmp(options->output, "-") == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--emit=spirv writes several files: name the code with -o");
  return TUNE_OK;
}

int main(int argc, char **argv) {
  one_shot_options build = {.output = "-", .target = "cpu", .threads = 1, .repeats = 1};
  bool serve = false;
  const tune_option options[] = {
      {"serve", 0, TUNE_OPTION_FLAG, &serve, NULL,
       "Serve a driver on stdin and stdout (docs/protocol.md). The default without --build.", NULL,
       0, 0},
      {"build", 0, TUNE_OPTION_STRING, &build.payload, "FILE",
       "Build one payload, in a sandboxed process, and end.", NULL, 0, 0},
      {"schedule", 0, TUNE_OPTION_STRING, &build.schedule, "FILE",
       "The schedule to apply. Without it the payload is lowered as it is.", NULL, 0, 0},
      {"allow-pass", 0, TUNE_OPTION_STRING, &build.allowed_passes, "NAME,...",
       "Passes that the schedule may run beside those that only rewrite IR.", NULL, 0, 0},
      {"config", 0, TUNE_OPTION_STRING, &build.config, "K=V,...",
       "Values of the schedule's knobs; the others take their default.", NULL, 0, 0},
      {"plain", 0, TUNE_OPTION_FLAG, &build.plain, NULL,
       "Build the plain lowering, which candidates are compared with.", NULL, 0, 0},
      {"function", 0, TUNE_OPTION_STRING, &build.function, "NAME",
       "The entry; the only function or @main otherwise.", NULL, 0, 0},
      {"emit", 0, TUNE_OPTION_CHOICE, &build.emit, NULL,
       "What to write: the artifact, the code before it, the LLVM dialect (of a device program: "
       "what its code is made of), the SPIR-V of a device program with its description beside it, "
       "the payload after the schedule, the decided schedule, the artifact's signature or the "
       "space. The default is so.",
       one_shot_emit_names, 0, 0},
      {"output", 'o', TUNE_OPTION_STRING, &build.output, "FILE", "Where to; stdout otherwise.",
       NULL, 0, 0},
      {"threads", 0, TUNE_OPTION_INTEGER, &build.threads, "N",
       "Threads of the artifact; more than 1 uses OpenMP. The default is 1.", NULL, 1, 4096},
      {"target", 0, TUNE_OPTION_STRING, &build.target, "NAME",
       "What the code is for: cpu, vulkan, cuda, one of their devices as vulkan:0, "
       "vulkan:<name> or cuda:0, any: vulkan:generic, or of an architecture, cuda:sm_90; or "
       "cpu:<name>, a CPU by LLVM's name, instead of --triple and --cpu. The default is cpu.",
       NULL, 0, 0},
      {"triple", 0, TUNE_OPTION_STRING, &build.triple, "TRIPLE",
       "The target of the code; this machine otherwise.", NULL, 0, 0},
      {"cpu", 0, TUNE_OPTION_STRING, &build.cpu, "NAME",
       "The CPU, as LLVM names it; this machine's otherwise.", NULL, 0, 0},
      {"features", 0, TUNE_OPTION_STRING, &build.features, "LIST",
       "Features of the CPU, as LLVM writes them: +avx512f,-avx512vnni.", NULL, 0, 0},
      {"repeats", 0, TUNE_OPTION_INTEGER, &build.repeats, "N",
       "Build N times and report the last, for timing without start-up. The default is 1.", NULL, 1,
       1000000},
      {"timing", 0, TUNE_OPTION_FLAG, &build.timing, NULL,
       "Report the time of each stage and the digest of the code on stderr.", NULL, 0, 0},
  };
  const tune_command command = {
      .name = "tune-worker",
      .operands = "",
      .summary = "Builds candidates: a schedule, decided by a config, is applied to a payload and "
                 "lowered to a shared object. A driver starts it; people use --build.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .epilogue = "Example:\n"
                  "  tune-worker --build mm.mlir --schedule s.mlir --config mc=64,nr=32 -o mm.so\n"
                  "\n"
                  "Exit status: 0 built; 1 wrong input or a failed build; 2 usage.\n",
  };
  tune_arguments arguments;
  bool is_done;
  tune_status status = tune_tool_parse(&command, argc, argv, &arguments, &is_done);
  if (tune_status_is_ok(status) && !is_done && build.payload)
    status = serve ? tune_status_make(TUNE_INVALID_ARGUMENT, "--serve and --build are two things")
                   : check_usage(&build);
  bool usage_failed = !tune_status_is_ok(status);
  if (!usage_failed && !is_done)
    status = build.payload ? TUNE_OK : server_run();
  bool failed = !tune_status_is_ok(status);
  tune_tool_report("tune-worker", status, stderr);
  if (!failed && !is_done && build.payload)
    failed = one_shot_run(&build);
  tune_arguments_deinit(&arguments);
  return usage_failed ? 2 : failed;
}
