//===- export_settings.c ------------------------------------------------------===//

#include "support/file.h"
#include "tools/common/tool.h"
#include "tools/tune-run/export.h"
#include "tools/tune-run/settings.h"

static tune_status check_usage(const export_settings *s) {
  if (!s->output)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "name the file to write by --output");
  TUNE_RETURN_IF_ERROR(tune_file_check_writable(s->output));
  return settings_check_output(s->module, s->output);
}

tune_status export_settings_parse(int argc, char **argv, export_settings *out_settings,
                                  bool *out_is_done) {
  export_settings *s = out_settings;
  *s = (export_settings){.target = "cpu", .threads = 1};
  *out_is_done = false;
  const tune_option options[] = {
      {"output", 'o', TUNE_OPTION_STRING, &s->output, "FILE", "The file to write.", NULL, 0, 0},
      {"function", 0, TUNE_OPTION_STRING, &s->function, "NAME",
       "The function whose tasks are meant, with what it calls; the only one or @main otherwise.",
       NULL, 0, 0},
      {"target", 0, TUNE_OPTION_STRING, &s->target, "NAME",
       "What the code is for: cpu (the default), vulkan, cuda, or one of their devices as vulkan:0 "
       "or vulkan:<name>; cpu:<name> is a CPU by LLVM's name (cpu:haswell), vulkan:generic is any "
       "device, cuda:sm_90 any of that architecture.",
       NULL, 0, 0},
      {"device", 0, TUNE_OPTION_STRING, &s->device, "FILE",
       "What `tune-measure --fingerprint` prints on the machine that measures: the code is then "
       "for that one. Otherwise it is for this one.",
       NULL, 0, 0},
      {"threads", 0, TUNE_OPTION_INTEGER, &s->threads, "N",
       "Threads that the code runs with. The default is 1.", NULL, 1, 4096},
      {"flush-cache", 0, TUNE_OPTION_FLAG, &s->flush_cache, NULL,
       "Have the caches emptied ahead of each run that is timed; the database's best is that of "
       "searches that had flush-cache.",
       NULL, 0, 0},
      {"config", 0, TUNE_OPTION_LIST, &s->configs, "K=V,...",
       "A candidate, for a module with one task: values of the schedule's knobs. May be given "
       "several times.",
       NULL, 0, 0},
      {"trials", 0, TUNE_OPTION_INTEGER, &s->trials, "N",
       "Random candidates of each task, besides the default, those given, and the best one of the "
       "database. The default is 0.",
       NULL, 0, 100000},
      {"seed", 0, TUNE_OPTION_INTEGER, &s->seed, "N",
       "Seed of random candidates and of inputs. The default is 0.", NULL, 0, INT64_MAX},
      {"db", 0, TUNE_OPTION_STRING, &s->database, "FILE",
       "The database that knows a best candidate; the default one (see tune-db) if it is there. "
       "--db= takes none.",
       NULL, 0, 0},
      {"schedule", 0, TUNE_OPTION_STRING, &s->schedule, "FILE",
       "A schedule of yours in place of that of our rules.", NULL, 0, 0},
      {"allow-pass", 0, TUNE_OPTION_STRING, &s->allowed_passes, "NAME,...",
       "Passes that the schedule may run beside those that only rewrite IR.", NULL, 0, 0},
      {"dynamic", 0, TUNE_OPTION_INTEGER, &s->dynamic, "N",
       "Size of dimensions that the module leaves open. The default is 64.", NULL, 1, 1 << 30},
  };
  const tune_command command = {
      .name = "tune-run export",
      .operands = "in.mlir",
      .summary = "Builds candidates of each task of a module and writes them to one file, which "
                 "tune-measure checks and times on a machine that needs no compiler. tune-db "
                 "import takes what comes of it.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_minimum = 1,
      .operand_maximum = 1,
      .epilogue = "Examples:\n"
                  "  tune-run export mm.mlir --trials=32 -o mm.export\n"
                  "  tune-run export mm.mlir --target=vulkan --device=theirs.json -o mm.export\n"
                  "  tune-measure mm.export -o mm.results     on the other machine\n"
                  "  tune-db import mm.results\n"
                  "\n"
                  "Exit status: 0 ok; 2 usage or input; 3 no such target here.\n",
  };
  TUNE_RETURN_IF_ERROR(settings_check_utf8(argc, argv));
  TUNE_RETURN_IF_ERROR(tune_tool_parse(&command, argc, argv, &s->arguments, out_is_done));
  if (*out_is_done)
    return TUNE_OK;
  s->module = s->arguments.operands.values[0];
  return check_usage(s);
}

void export_settings_deinit(export_settings *s) {
  tune_arguments_deinit(&s->arguments);
  tune_option_list_deinit(&s->configs);
}
