//===- settings.c -------------------------------------------------------------===//

#include "tools/tune-run/settings.h"

#include "support/file.h"
#include "tools/common/tool.h"
#include "tuning/database/database.h"
#include "tuning/device/target_name.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const settings_emit_names[] = {"none",    "so",    "obj", "llvm",  "asm",
                                           "program", "spirv", "ptx", "cubin", NULL};
const char *const settings_format_names[] = {"text", "json", NULL};

// Where these are not given. Out of range, so that it can be told.
#define NOT_GIVEN (-1)
#define DEFAULT_SECONDS 1.0
#define DEFAULT_PRECISION 0.0025
#define DEFAULT_BUILD_SECONDS 600.0
#define DEFAULT_RUN_SECONDS 120.0

tune_status settings_check_output(const char *module, const char *output) {
  if (tune_file_is_same(module, output))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s is the input, which would be lost; give another name to --output",
                            module);
  return TUNE_OK;
}

// What is about running makes no sense where nothing is run.
static tune_status check_emit(const run_settings *s) {
  if (s->outputs.count != 1 || strcmp(s->outputs.values[0], "-") == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "--emit=%s writes one file: name it by --output",
                            settings_emit_names[s->emit]);
  TUNE_RETURN_IF_ERROR(settings_check_output(s->module, s->outputs.values[0]));
  // Code for a device is made for a size.
  bool takes_sizes = tune_target_kind_of_name(s->target) != TUNE_KIND_CPU;
  const struct {
    const char *option;
    bool is_given;
  } of_runs[] = {{"--input", s->inputs.count > 0},
                 {"--inputs", s->input_file != NULL},
                 {"--expect", s->expected != NULL},
                 {"--compare", s->compare.count > 0},
                 {"--seed", s->seed != NOT_GIVEN},
                 {"--dynamic", s->dynamic > 0 && !takes_sizes},
                 {"--time", s->seconds != NOT_GIVEN},
                 {"--precision", s->precision != NOT_GIVEN},
                 {"--check=false", !s->checks},
                 {"--format=json", s->format != FORMAT_TEXT},
                 {"--run-time", s->run_seconds != NOT_GIVEN}};
  for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; ++i)
    if (of_runs[i].is_given)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "--emit=%s builds and runs nothing, so that %s has no meaning",
                              settings_emit_names[s->emit], of_runs[i].option);
  return TUNE_OK;
}

// A record says itself what is built and with what inputs.
static tune_status check_record(const run_settings *s) {
  const struct {
    const char *option;
    bool is_given;
  } of_modules[] = {
      {"a module", s->module != NULL},     {"--function", s->function != NULL},
      {"--config", s->config != NULL},     {"--input", s->inputs.count > 0},
      {"--inputs", s->input_file != NULL}, {"--expect", s->expected != NULL},
      {"--output", s->outputs.count > 0},  {"--compare", s->compare.count > 0},
      {"--seed", s->seed != NOT_GIVEN},    {"--dynamic", s->dynamic > 0},
      {"--time", s->seconds != NOT_GIVEN}, {"--precision", s->precision != NOT_GIVEN},
      {"--check=false", !s->checks},       {"--build-time", s->build_seconds != NOT_GIVEN},
      {"--emit", s->emit != EMIT_NONE},    {"--profile", s->profiles},
      {"--device", s->device != NULL},     {"--run-time", s->run_seconds != NOT_GIVEN}};
  for (size_t i = 0; i < sizeof of_modules / sizeof *of_modules; ++i)
    if (of_modules[i].is_given)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "--record=%s builds and runs what the record says, so that %s has no "
                              "meaning",
                              s->record, of_modules[i].option);
  return TUNE_OK;
}

static tune_status check_usage(run_settings *s) {
  if (s->precision == 0)
    return tune_status_make(
        TUNE_INVALID_ARGUMENT,
        "--precision=0: no number of samples is enough; give more than 0 percent");
  if (s->seconds == 0 || s->build_seconds == 0 || s->run_seconds == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--%s=0 leaves no time; give more than 0 seconds",
                            s->seconds == 0         ? "time"
                            : s->build_seconds == 0 ? "build-time"
                                                    : "run-time");
  if (s->record)
    return check_record(s);
  if (!s->module)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "a module is missing (or --record=ID); tune-run --help says more");
  if (s->input_file && s->inputs.count > 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--inputs=%s has all arguments, so that --input has no meaning",
                            s->input_file);
  size_t from_stdin = strcmp(s->module, "-") == 0;
  for (size_t i = 0; i < s->compare.count; ++i)
    from_stdin += strcmp(s->compare.values[i], "-") == 0;
  if (from_stdin > 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "only one module can come from stdin");
  for (size_t i = 0; i < s->outputs.count; ++i)
    if (strcmp(s->outputs.values[i], "-") != 0)
      TUNE_RETURN_IF_ERROR(tune_file_check_writable(s->outputs.values[i]));
  bool is_cpu = tune_target_kind_of_name(s->target) == TUNE_KIND_CPU;
  if (s->profiles && (s->emit != EMIT_NONE || !is_cpu))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--profile times the tasks of a module while it runs on the CPU; %s%s",
                            s->emit != EMIT_NONE ? "--emit runs nothing" : "the target is ",
                            s->emit != EMIT_NONE ? "" : s->target);
  if (s->emit != EMIT_NONE)
    TUNE_RETURN_IF_ERROR(check_emit(s));
  else if (s->device)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--device=%s: code is made for a device of another machine and not run "
                            "here, so that this needs --emit; `tune-run export` has it measured "
                            "there",
                            s->device);
  s->has_seed = s->seed != NOT_GIVEN;
  if (!s->has_seed)
    s->seed = 0;
  if (s->seconds == NOT_GIVEN)
    s->seconds = DEFAULT_SECONDS;
  s->precision = s->precision == NOT_GIVEN ? DEFAULT_PRECISION : s->precision / 100;
  if (s->build_seconds == NOT_GIVEN)
    s->build_seconds = DEFAULT_BUILD_SECONDS;
  if (s->run_seconds == NOT_GIVEN)
    s->run_seconds = DEFAULT_RUN_SECONDS;
  return TUNE_OK;
}

tune_status settings_check_utf8(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    json_t *text = json_string(argv[i]);
    if (!text)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "'%s' is not UTF-8, as names have to be; make a link to the file",
                              argv[i]);
    json_decref(text);
  }
  return TUNE_OK;
}

tune_status settings_parse(int argc, char **argv, run_settings *out_settings, bool *out_is_done) {
  run_settings *s = out_settings;
  *s = (run_settings){.target = "cpu",
                      .threads = 1,
                      .seed = NOT_GIVEN,
                      .seconds = NOT_GIVEN,
                      .build_seconds = NOT_GIVEN,
                      .run_seconds = NOT_GIVEN,
                      .precision = NOT_GIVEN,
                      .checks = true};
  *out_is_done = false;
  const tune_option options[] = {
      {"function", 0, TUNE_OPTION_STRING, &s->function, "NAME",
       "The function to run; the only one or @main otherwise.", NULL, 0, 0},
      {"target", 0, TUNE_OPTION_STRING, &s->target, "NAME",
       "What to run on: cpu (the default), vulkan, cuda, or one of their devices as vulkan:0 or "
       "vulkan:<name>, or cpu:<name>, a CPU by LLVM's name (cpu:x86-64-v3) that this machine has "
       "all "
       "of. With --emit also vulkan:generic, any device, cuda:sm_90, any of an architecture, and "
       "any "
       "CPU that LLVM knows (cpu:neoverse-v2).",
       NULL, 0, 0},
      {"device", 0, TUNE_OPTION_STRING, &s->device, "FILE",
       "With --emit: what `tune-measure --fingerprint` prints on another machine, or `tune-db "
       "device` of one that records came from. The code is for that one, as are the schedules that "
       "the database knows.",
       NULL, 0, 0},
      {"threads", 0, TUNE_OPTION_INTEGER, &s->threads, "N",
       "Threads to run with, pinned to a CPU each. The default is 1.", NULL, 1, 4096},
      {"db", 0, TUNE_OPTION_STRING, &s->database, "FILE",
       "The database that knows schedules for tasks without choices on their ops; the default one "
       "(see tune-db) if it is there, but none with --compare. --db= takes none.",
       NULL, 0, 0},
      {"config", 0, TUNE_OPTION_STRING, &s->config, "K=V,...",
       "Values of the schedule's knobs, for a module with one task.", NULL, 0, 0},
      {"schedule", 0, TUNE_OPTION_STRING, &s->schedule, "FILE",
       "A schedule of yours in place of that of our rules.", NULL, 0, 0},
      {"allow-pass", 0, TUNE_OPTION_STRING, &s->allowed_passes, "NAME,...",
       "Passes that the schedule may run beside those that only rewrite IR.", NULL, 0, 0},
      {"strict", 0, TUNE_OPTION_FLAG, &s->is_strict, NULL,
       "A task whose schedule does not apply or build is an error; else another rule has its turn, "
       "and a line says so.",
       NULL, 0, 0},
      {"input", 0, TUNE_OPTION_LIST, &s->inputs, "FILE",
       "A .npy file for the next argument; - or nothing: seeded random values.", NULL, 0, 0},
      {"inputs", 0, TUNE_OPTION_STRING, &s->input_file, "FILE",
       "A .npz or .safetensors file with the arguments, in their order. Where their names are "
       "numbers, or one word with numbers (arr_0, arg1), that is it, else the file's own.",
       NULL, 0, 0},
      {"expect", 0, TUNE_OPTION_STRING, &s->expected, "FILE",
       "The same with what the outputs should be, of the framework that the module comes from: "
       "they "
       "are compared with it, too.",
       NULL, 0, 0},
      {"output", 'o', TUNE_OPTION_LIST, &s->outputs, "FILE",
       "A .npy file to write the next output to, - to leave one out; or what --emit makes.", NULL,
       0, 0},
      {"seed", 0, TUNE_OPTION_INTEGER, &s->seed, "N", "Seed of random inputs. The default is 0.",
       NULL, 0, INT64_MAX},
      {"dynamic", 0, TUNE_OPTION_INTEGER, &s->dynamic, "N",
       "Size of dimensions that the module leaves open and no input tells. The default is 64.",
       NULL, 1, 1 << 30},
      {"flush-cache", 0, TUNE_OPTION_FLAG, &s->flush_cache, NULL,
       "Empty the caches ahead of each run that is timed, and take the database's records of "
       "searches that had flush-cache.",
       NULL, 0, 0},
      {"counters", 0, TUNE_OPTION_FLAG, &s->counters, NULL,
       "Count cycles, instructions, misses of caches and branches while the module runs, where the "
       "system lets programs do so. Of the target cpu.",
       NULL, 0, 0},
      {"profile", 0, TUNE_OPTION_FLAG, &s->profiles, NULL,
       "Tell what each task takes in place: the module reads the clock around each call of one. Of "
       "the target cpu.",
       NULL, 0, 0},
      {"check", 0, TUNE_OPTION_FLAG, &s->checks, NULL,
       "Compare all outputs with those of the plainest lowering of the module. The default; "
       "--check=false does not.",
       NULL, 0, 0},
      {"compare", 0, TUNE_OPTION_LIST, &s->compare, "FILE",
       "Another module with the same arguments and results, timed in turns with the first. May be "
       "given several times.",
       NULL, 0, 0},
      {"time", 0, TUNE_OPTION_NUMBER, &s->seconds, "SECONDS",
       "Time each module at most so long. The default is 1.", NULL, 0, 3600},
      {"precision", 0, TUNE_OPTION_NUMBER, &s->precision, "PERCENT",
       "End earlier where the median is known to so much, 95 times of 100. The default is 0.25.",
       NULL, 0, 100},
      {"build-time", 0, TUNE_OPTION_NUMBER, &s->build_seconds, "SECONDS",
       "Stop a build that takes longer: a schedule may unroll without end. The default is 600.",
       NULL, 0, 86400},
      {"run-time", 0, TUNE_OPTION_NUMBER, &s->run_seconds, "SECONDS",
       "Stop a run that takes longer, beside the time of timing it: a loop may have no end. The "
       "default is 120.",
       NULL, 0, 86400},
      {"format", 0, TUNE_OPTION_CHOICE, &s->format, NULL,
       "How to report, on stdout. The default is text.", settings_format_names, 0, 0},
      {"record", 0, TUNE_OPTION_STRING, &s->record, "ID",
       "Instead of a module: build and measure once more what a record of the database says, as "
       "the search did, and compare. `tune-db show` has the IDs; the start of one is enough.",
       NULL, 0, 0},
      {"emit", 0, TUNE_OPTION_CHOICE, &s->emit, NULL,
       "Write what would run to the file --output, and run nothing. For the CPU (so, obj, llvm, "
       "asm) a C header goes beside it; spirv, ptx and cubin put the description of the launches "
       "beside the code. The default is none.",
       settings_emit_names, 0, 0},
  };
  const tune_command command = {
      .name = "tune-run",
      .operands = "[in.mlir]",
      .summary = "Compiles a function over tensors as the choices in the module or the database "
                 "say, checks what it computes, and times it.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_minimum = 0,
      .operand_maximum = 1,
      .epilogue = "Examples:\n"
                  "  tune-run tuned.mlir --compare=plain.mlir\n"
                  "  tune-run mlp.mlir --input=x.npy --output=y.npy --threads=2\n"
                  "  tune-run net.mlir --inputs=x.npz --expect=y.npz\n"
                  "  tune-run mm.mlir --config=mc=64,nr=32 --format=json\n"
                  "  tune-run mm.mlir --emit=so --output=mm.so\n"
                  "  tune-run mm.mlir --target=vulkan:generic --emit=spirv --output=mm.spv\n"
                  "  tune-run mm.mlir --target=cuda:sm_90 --emit=ptx --output=mm.ptx\n"
                  "  tune-run --record=1a2b3c4d   what a search has tried, once more\n"
                  "  tune-run export --help   candidates, to be measured on another machine\n"
                  "\n"
                  "Exit status: 0 ok; 1 wrong result; 2 usage or input; 3 no such target here.\n",
  };
  TUNE_RETURN_IF_ERROR(settings_check_utf8(argc, argv));
  TUNE_RETURN_IF_ERROR(tune_tool_parse(&command, argc, argv, &s->arguments, out_is_done));
  if (*out_is_done)
    return TUNE_OK;
  s->module = s->arguments.operands.count ? s->arguments.operands.values[0] : NULL;
  return check_usage(s);
}

void settings_deinit(run_settings *s) {
  tune_arguments_deinit(&s->arguments);
  tune_option_list_deinit(&s->inputs);
  tune_option_list_deinit(&s->outputs);
  tune_option_list_deinit(&s->compare);
}

tune_status settings_find_database(const run_settings *s, char **out_path) {
  // What is compared would come out alike if all of it took the same schedules from there.
  *out_path = NULL;
  if (!s->database && s->compare.count > 0)
    return TUNE_OK;
  return settings_find_named_database(s->database, out_path);
}

tune_status settings_find_named_database(const char *name, char **out_path) {
  *out_path = NULL;
  if (name) {
    if (*name && !(*out_path = strdup(name)))
      return tune_status_out_of_memory("naming the database");
    return TUNE_OK;
  }
  char *path = NULL;
  bool is_there = false;
  tune_status status = tune_database_default_path(&path);
  if (tune_status_is_ok(status))
    status = tune_file_is_there(path, &is_there);
  if (is_there) {
    *out_path = path;
    return TUNE_OK;
  }
  free(path);
  // A user without a home, or with one that is another's, has no default database, and that is all.
  tune_status_code code = tune_status_get_code(status);
  if (code != TUNE_NOT_FOUND && code != TUNE_FAILED_PRECONDITION)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}
