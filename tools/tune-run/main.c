//===- main.c - tune-run ------------------------------------------------------------===//

#include "tools/common/tool.h"
#include "tools/tune-run/benchmark.h"
#include "tools/tune-run/emit.h"
#include "tools/tune-run/export.h"
#include "tools/tune-run/replay.h"
#include "tools/tune-run/report.h"
#include "tuning/device/device_file.h"

#include <string.h>

#define EXIT_OK 0
#define EXIT_WRONG 1     // a wrong result, a crash, or no end
#define EXIT_INPUT 2     // usage, input, or else what kept it from running
#define EXIT_NO_TARGET 3 // no such target here

// UNAVAILABLE for a target that runs nothing.
static tune_status check_target(const tune_target_name *name) {
  if (strcmp(name->target, "null") == 0)
    return tune_status_make(TUNE_UNAVAILABLE, "no target null here: the target null computes times "
                                              "and runs nothing; there are cpu, vulkan and cuda");
  return TUNE_OK;
}

// Runs, reports on stdout, and tells whether all was right.
static tune_status run(const run_settings *settings, tune_target_facts *facts, bool *out_is_ok) {
  benchmark *b;
  TUNE_RETURN_IF_ERROR(benchmark_run(settings, facts, &b));
  *out_is_ok = benchmark_is_ok(b);
  tune_status status = TUNE_OK;
  if (settings->format == FORMAT_JSON)
    status = report_json(b, stdout);
  else
    status = report_text(b, stdout);
  benchmark_destroy(b);
  return status;
}

// The facts of the settings' target; NULL where code for this machine's CPU is all that is wanted:
// LLVM knows it by itself.
static tune_status find_facts(const run_settings *settings, const tune_target_name *name,
                              tune_target_facts **out_facts) {
  *out_facts = NULL;
  size_t threads = (size_t)settings->threads;
  TUNE_RETURN_IF_ERROR(check_target(name));
  if (settings->emit == EMIT_NONE) {
    TUNE_RETURN_IF_ERROR(tune_target_facts_create(settings->target, threads, out_facts));
    TUNE_RETURN_IF_ERROR(tune_target_facts_set_flush_cache(*out_facts, settings->flush_cache));
    return tune_target_facts_require_device(*out_facts);
  }
  if (settings->device)
    return tune_device_file_get_facts(settings->device, settings->target, threads, out_facts);
  if (name->kind == TUNE_KIND_CPU && !name->device)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_target_facts_create_for_code(settings->target, threads, out_facts));
  if ((*out_facts)->name.is_generic && !name->is_generic)
    fprintf(stderr,
            "tune-run: no %s device is here: the code is for any %s; --device=FILE makes it for "
            "one of another machine\n",
            name->device ? name->device : name->target,
            name->device ? "of that architecture" : "(vulkan:generic)");
  return TUNE_OK;
}

// `facts`, which are taken, are those of the settings' target.
static int run_with(const run_settings *settings, tune_target_facts *facts,
                    tune_status *out_status) {
  bool is_ok = true, hangs = false;
  if (settings->record) {
    *out_status = replay_run(settings, facts, &is_ok);
    tune_target_facts_destroy(facts);
  } else if (settings->emit == EMIT_NONE) {
    *out_status = run(settings, facts, &is_ok);
    hangs = tune_status_get_code(*out_status) == TUNE_DEADLINE_EXCEEDED;
  } else {
    *out_status = emit_run(settings, facts);
    tune_target_facts_destroy(facts);
  }
  if (hangs)
    return EXIT_WRONG;
  if (!tune_status_is_ok(*out_status))
    return EXIT_INPUT;
  return is_ok ? EXIT_OK : EXIT_WRONG;
}

static int run_all(const run_settings *settings, tune_status *out_status) {
  tune_target_name name;
  *out_status = tune_target_name_init(&name, settings->target);
  if (!tune_status_is_ok(*out_status))
    return EXIT_INPUT;
  tune_target_facts *facts;
  *out_status = find_facts(settings, &name, &facts);
  tune_target_name_deinit(&name);
  if (tune_status_is_ok(*out_status))
    return run_with(settings, facts, out_status);
  tune_target_facts_destroy(facts);
  tune_status_code code = tune_status_get_code(*out_status);
  return code == TUNE_UNAVAILABLE || code == TUNE_NOT_FOUND ? EXIT_NO_TARGET : EXIT_INPUT;
}

// `tune-run export`, with the rest of the command line.
static int run_export(int argc, char **argv) {
  export_settings settings;
  bool is_done;
  tune_status status = export_settings_parse(argc, argv, &settings, &is_done);
  int exit_status = tune_status_is_ok(status) ? EXIT_OK : EXIT_INPUT;
  if (exit_status == EXIT_OK && !is_done) {
    status = export_run(&settings);
    tune_status_code code = tune_status_get_code(status);
    if (!tune_status_is_ok(status))
      exit_status = code == TUNE_UNAVAILABLE ? EXIT_NO_TARGET : EXIT_INPUT;
  }
  tune_tool_report("tune-run export", status, stderr);
  export_settings_deinit(&settings);
  return exit_status;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "export") == 0)
    return run_export(argc - 1, argv + 1);
  run_settings settings;
  bool is_done;
  int exit_status = EXIT_OK;
  tune_status status = settings_parse(argc, argv, &settings, &is_done);
  if (!tune_status_is_ok(status))
    exit_status = EXIT_INPUT;
  else if (!is_done)
    exit_status = run_all(&settings, &status);
  tune_tool_report("tune-run", status, stderr);
  settings_deinit(&settings);
  return exit_status;
}
